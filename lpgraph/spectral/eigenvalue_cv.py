"""The number of significant eigenvectors of a random matrix, by cross-validated eigenvalues.

Chen, F., Roch, S., Rohe, K. & Yu, S. (2021), "Estimating graph dimension with cross-validated eigenvalues",
arXiv:2108.03336.

An eigenvalue of a random graph is too large, because its eigenvector fits the noise as well. Here eigenvectors u
are those of a part of the edges, and ``u' A u`` is estimated by the edges that were held out. If u describes noise
only, this estimate is approximately normal with mean 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_generator
from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.types import Array, Seed
from lpgraph.linalg.basis import single_pays

from .dimension import EIGENVALUE_CV, DimensionChoice, last_significant
from .krylov import block_lanczos
from .lanczos import Lanczos
from .lapack import Lapack
from .operators import SymmetricOperator
from .problem import EigenPairs, End, Problem
from .ritz import Task
from .whole_matrix import LARGEST

#: Share of the entries that are held out.
SHARE = 0.1

#: Eigenpairs that are tested beyond the last significant one, at least.
BATCH = 8

#: With at most so many stored entries, each entry is held out once, in one of so many splits.
FEW = {4_000: 10, 20_000: 5}

#: Up to this size all eigenpairs are computed, which is faster than an iteration.
DENSE = 200

#: Bound on the residuals: eigenvectors need only be separated from others that are clearly different.
TOL = 1e-2

#: Eigenvalues closer than this share of their size may be copies, of which a first look shows two only.
CROWDED = 3 * TOL

#: An eigenvalue below this share of the norm is zero as far as it is known, and has no sign.
ZERO = 1e-6

#: Restarts of the iteration for the significant eigenvectors, which are usually outside the bulk.
RESTARTS = 10


@dataclass(frozen=True, eq=False)
class Split:
    """Two parts of a random symmetric operator M.

    For vectors x that depend on the training part only, ``x' test x`` has about the mean ``share x' M x``, and the
    variance ``share (2 x^2' squares x^2 - sum_i diagonal_i x_i^4)``, where squares of vectors are entrywise.

    Attributes
    ----------
    train : SymmetricOperator
        An estimate of M by the entries that are kept.
    test : SymmetricOperator
        The entries that are held out, scaled as the training part is.
    squares : SymmetricOperator
        The squares of all entries, scaled accordingly.
    diagonal : ndarray of shape (n,)
        The diagonal of `squares`.
    share : float
        Probability that an entry is held out.
    skip : int
        Leading eigenvectors of `train` that the embedding leaves out.
    """

    train: SymmetricOperator
    test: SymmetricOperator
    squares: SymmetricOperator
    diagonal: Array
    share: float
    skip: int = 0

    def forms(self, vectors: Array) -> tuple[Array, Array]:
        """Return ``x' test x``, and the variance of it without the factor `share`, for each column x."""
        square = vectors**2
        held_out = np.einsum("ij,ij->j", vectors, self.test @ vectors)
        spread = np.einsum("ij,ij->j", square, self.squares @ square)
        return held_out, 2 * spread - self.diagonal @ square**2

    def statistics(self, pairs: EigenPairs, end: End) -> Array:
        """Return the z statistics of eigenpairs of the training part."""
        held_out, variance = self.forms(pairs.vectors)
        values = np.where(np.abs(pairs.values) <= ZERO * pairs.norm, 0.0, pairs.values)
        # A negative eigenvalue is confirmed by a negative one; at the upper end it is not wanted.
        sign = np.sign(values) if end == "magnitude" else (values > 0).astype(float)
        spread = np.sqrt(np.maximum(self.share * variance, 0.0))
        return np.divide(sign * held_out, spread, out=np.zeros(len(values)), where=spread > 0)


#: Holds out each entry whose random number is in [low, high); equal generators give equal numbers.
Thin: TypeAlias = Callable[[float, float, np.random.Generator], Split]


def held_out_parts(entries: int) -> list[tuple[float, float]]:
    """Return the intervals of random numbers whose entries are held out, one after the other."""
    for most, parts in FEW.items():
        if entries <= most:
            return list(pairwise(np.linspace(0.0, 1.0, parts + 1).tolist()))
    return [(0.0, SHARE)]


def split_entries(
    matrix: sparse.csr_array, low: float, high: float, rng: np.random.Generator, *, symmetric: bool
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the entries that are kept and those that are held out, each with probability ``high - low``.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        Without stored zeros.
    low, high : float
        An entry is held out if its random number is in [low, high): disjoint intervals and equal generators give
        disjoint parts.
    rng : Generator
        Source of the random numbers.
    symmetric : bool
        Entries (i, j) and (j, i) are one pair, which is held out or kept.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.eigenvalue_cv import split_entries
    >>> matrix = sparse.csr_array(np.ones((4, 4)))
    >>> kept, held_out = split_entries(matrix, 0.0, 0.5, np.random.default_rng(0), symmetric=True)
    >>> (kept + held_out).sum(), (held_out != held_out.T).nnz
    (np.float64(16.0), 0)
    """
    rows = np.repeat(np.arange(matrix.shape[0], dtype=matrix.indices.dtype), np.diff(matrix.indptr))
    entries = np.flatnonzero(matrix.indices >= rows) if symmetric else np.arange(matrix.nnz)
    number = rng.random(len(entries))
    chosen = entries[(number >= low) & (number < high)]
    places = rows[chosen], matrix.indices[chosen]
    test = sparse.csr_array((matrix.data[chosen], places), shape=matrix.shape)
    if symmetric:
        test = sparse.csr_array(test + sparse.triu(test, 1).T)
    # The difference of equal numbers is 0 exactly, and scipy does not store it.
    return sparse.csr_array(matrix - test), test


@blas_alone()  # for few vectors, BLAS threads are slower than one, and much slower on a busy machine
def significant_eigenvectors(thin: Thin, end: End, size: int, random_state: Seed = None) -> DimensionChoice:
    """Return how many leading eigenvectors of a random operator are significant, up to the last significant one.

    Parameters
    ----------
    thin : callable
        Splits the operator, as ``resampling.thin`` of `lpgraph.spectral.construction.Construction` does.
    end : {"magnitude", "largest"}
        The end of the spectrum.
    size : int
        The largest number of dimensions that the operator has.
    random_state : int, Generator or None
        Seed of the splits; None is 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.spectral.eigenvalue_cv import significant_eigenvectors
    >>> graph = lp.stochastic_block_model([200, 200], [[0.2, 0.05], [0.05, 0.2]], random_state=0)
    >>> construction = lp.AdjacencySpectralEmbedding()._construct(lp.as_adjacency(graph))
    >>> significant_eigenvectors(construction.resampling.thin, "magnitude", 400).n_components
    2
    """
    seed = int(check_generator(0 if random_state is None else random_state).integers(1 << 62))
    splits = [thin(0.0, SHARE, np.random.default_rng(seed))]
    parts = held_out_parts(splits[0].squares.entries)
    if len(parts) > 1:
        splits = [thin(low, high, np.random.default_rng(seed)) for low, high in parts]
    searches, skip = [_Search(split, end, seed) for split in splits], splits[0].skip
    most = max(1, min(LARGEST, size - skip))
    count, complete, z = 0, True, np.empty(0)
    while True:
        tested = min(count + max(BATCH, count), most)
        if tested > len(z) or not complete:
            for search in searches:
                search.refine(count)
            # The parts that are held out are disjoint, so that their statistics are nearly independent.
            looks = [search.look(tested) for search in searches]
            z = np.sum(looks, axis=0) / np.sqrt(len(searches))
        before, count = count, last_significant(z[:tested])
        complete = all(search.complete(count) for search in searches)
        if count <= before or tested == most == count or (2 * count <= tested and complete):
            at_cap = most == LARGEST and count + BATCH > most
            values = searches[0].pairs.values[skip : skip + tested]
            return DimensionChoice(EIGENVALUE_CV, max(1, count), at_cap, z[:tested], values)


class _Search:
    """The leading eigenpairs of the training part of a split, as far as they are known.

    A look is one cycle of Lanczos's method: eigenvectors outside the bulk are nearly exact after it, and for the
    others any vector of the training part may be tested. Then the significant ones are computed, and the next look
    is orthogonal to them.
    """

    pairs: EigenPairs

    def __init__(self, split: Split, end: End, seed: int) -> None:
        self.split, self.end = split, end
        self.rng = np.random.default_rng(seed)
        self.dense = split.train.shape[0] <= DENSE
        self.refined: EigenPairs | None = None

    def look(self, count: int) -> Array:
        """Return the z statistics of the leading eigenpairs, those beyond the refined ones from one cycle."""
        operator, skip = self.split.train, self.split.skip
        k = min(count + skip, operator.shape[0])
        problem, refined = Problem(operator, k, self.end), self.refined
        if self.dense:
            self.pairs = Lapack().pairs(problem)
        else:
            known = None if refined is None else (refined.vectors, refined.values)
            dtype = np.float32 if single_pays(problem.size) else np.float64
            run = block_lanczos(Task(operator, k, self.end, TOL, 1, self.rng, dtype), known=known)
            self.pairs = problem.measured(run.vectors, "lanczos", run.norm)
        return self.split.statistics(self.pairs.take(slice(skip, None)), self.end)

    def complete(self, count: int) -> bool:
        """Whether the leading eigenvectors are known, with their multiplicity."""
        if self.dense or self.refined is not None:
            return self.dense
        pairs = self.pairs.take(slice(count + self.split.skip))
        values = np.sort(pairs.values)
        apart = np.diff(values) > CROWDED * np.abs(values[1:])
        return bool(apart.all() and (pairs.residuals <= TOL).all())

    def refine(self, count: int) -> None:
        """Compute the leading eigenvectors, so that the next look is orthogonal to them."""
        if self.dense or not count:
            return
        k = count + self.split.skip
        problem = Problem(self.split.train, k, self.end, TOL, random_state=self.rng)
        known = self.pairs.take(slice(k))
        self.refined = known if problem.solved_by(known) else Lanczos(RESTARTS).pairs(problem)
