"""Types of arrays."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
#: Positions in an array.
Integers: TypeAlias = NDArray[np.intp]
