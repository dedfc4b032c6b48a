"""Kernels: the edge probability (before sparsity) as a function of two latent positions.

Dot-type kernels are increasing functions of an inner product, radial-type kernels decreasing functions of a
squared distance. Block kernels take labels, memberships or (label, weight) pairs as positions.

A kernel also gives *bounds* over boxes of positions, which make sampling time proportional to the number of edges
(see `lpgraph.models.bernoulli`). To add a kernel, subclass `BoundedKernel`. A plain function ``f(x, y) -> (n, m)``
also works, in quadratic time.
"""

from __future__ import annotations

from lpgraph.models.kernels.base import BoundedKernel, FunctionKernel, Kernel, as_kernel
from lpgraph.models.kernels.block import BlockMatrix, DegreeCorrectedBlockMatrix, PoissonBlockMatrix
from lpgraph.models.kernels.dot import Binomial, ClippedDotProduct, DotProduct, Exponential, IndefiniteDotProduct
from lpgraph.models.kernels.radial import Gaussian, InverseMultiquadric

__all__ = [
    "Binomial",
    "BlockMatrix",
    "BoundedKernel",
    "ClippedDotProduct",
    "DegreeCorrectedBlockMatrix",
    "DotProduct",
    "Exponential",
    "FunctionKernel",
    "Gaussian",
    "IndefiniteDotProduct",
    "InverseMultiquadric",
    "Kernel",
    "PoissonBlockMatrix",
    "as_kernel",
]
