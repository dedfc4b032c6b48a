"""Types of points and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from lpgraph.points.metric_params import MetricWithParams

__all__ = ["Array", "Metric", "Numbers", "Points", "Values"]

Array: TypeAlias = NDArray[np.float64]
#: Points of any real type, in memory or in a mapped file.
Numbers: TypeAlias = NDArray[np.bool_ | np.integer[Any] | np.floating[Any]]
#: A matrix, dense or sparse.
Values: TypeAlias = Array | sparse.csr_array
#: Points in rows, or their distances, similarities or kernel values with the training points.
Points: TypeAlias = Numbers | sparse.csr_array
#: A metric's name in scikit-learn, a function of two points, or a metric with its parameters.
Metric: TypeAlias = "str | Callable[[Array, Array], float] | MetricWithParams"
