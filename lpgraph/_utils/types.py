"""Types of arrays."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
#: Numbers in single or double precision.
Floats: TypeAlias = NDArray[np.floating]
#: Seed of random numbers.
Seed: TypeAlias = int | np.random.Generator | None
#: Positions in an array.
Integers: TypeAlias = NDArray[np.intp]
