"""Kernels: the probability of an edge (before sparsity) as a function of two latent positions.

Two small families carry the shared code. A dot-type kernel is an increasing function of an inner product, a
radial-type kernel a decreasing function of a squared distance; each member adds one line. Block kernels read
labels, memberships or (label, weight) pairs as positions.

Besides its values a kernel gives *bounds* over boxes of positions. They are what lets edges be drawn in
time proportional to their number (see `lpgraph.models.edges`). To add a kernel of your own, subclass
`BoundedKernel`; a plain function ``f(x, y) -> (n, m)`` works too, in quadratic time.
"""

from __future__ import annotations

from lpgraph.models.kernels.base import BoundedKernel, FunctionKernel, Kernel, as_kernel
from lpgraph.models.kernels.block import BlockMatrix, DegreeCorrectedBlockMatrix
from lpgraph.models.kernels.dot import Binomial, DotProduct, Exponential, IndefiniteDotProduct
from lpgraph.models.kernels.radial import Gaussian, InverseMultiquadric

__all__ = [
    "Binomial",
    "BlockMatrix",
    "BoundedKernel",
    "DegreeCorrectedBlockMatrix",
    "DotProduct",
    "Exponential",
    "FunctionKernel",
    "Gaussian",
    "IndefiniteDotProduct",
    "InverseMultiquadric",
    "Kernel",
    "as_kernel",
]
