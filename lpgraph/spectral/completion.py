r"""Low-rank completion of matrices with unobserved entries, without an array of their size.

For the observed entries M of A, the rank-d matrix X with singular values x_k minimises

.. math:: \tfrac12 \| M \circ (A - X) \|^2 + \sum_k \varphi(x_k), \qquad \varphi'(x) = \sqrt{x^2 + 4 \tau^2} - x.

Without the penalty a minimum need not exist (a rank-one matrix can come arbitrarily close to the entries 1, 1 and
0 of a 2 x 2 matrix, with a fourth entry that tends to infinity), and in sparse networks unobserved entries would
be predicted by noise. The proximal operator of this penalty, ``w -> sqrt(w^2 - 4 tau^2)``, is the optimal
shrinkage of singular values under noise of the variance ``tau^2 / n`` (Gavish & Donoho 2017). Large singular
values are hardly changed, by ``2 tau^2 / w``. tau is estimated from the residuals, in the rows where the
eigenvectors are large: the noise of hubs is larger than that of most vertices.

An iteration fills the unobserved entries in with X and shrinks the singular values of the result W, as soft-impute
does (Mazumder, Hastie & Tibshirani 2010; Hastie et al. 2015). W is a sparse matrix if few entries are unobserved,
and a sparse plus a low-rank matrix if few are observed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_real
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph._utils.types import Array, Seed
from lpgraph.errors import ConvergenceError

from .eigen import eigenpairs
from .operators import Bipartite, Matrix, PlusLowRank, SymmetricOperator
from .problem import EigenPairs, End, wanted

#: Entries of X that are computed at a time, times its rank: 16 MB.
_CHUNK = 1 << 21

#: Iterations before the search gives up.
MOST = 2000
#: The penalty is computed again until the estimated noise changes by less than this share.
_NOISE = 0.02
#: Most estimates of the noise. It tends to 0 if there is none, and never changes little.
_ESTIMATES = 20
#: Tolerance of the start, and of the iterations whose only purpose is the estimate of the noise.
ROUGH = 1e-3


@dataclass(frozen=True, eq=False)
class LowRank:
    """``X = left diag(values) right.T`` with orthonormal columns; `right` is `left` if X is symmetric."""

    left: Array
    values: Array
    right: Array

    @classmethod
    def of(cls, pairs: EigenPairs, n: int) -> LowRank:
        """Return the part of an (n, n) matrix by its eigenpairs, or by those of `Bipartite`."""
        left, right = pairs.sides(n)
        return cls(left, pairs.values, right)

    def at(self, places: sparse.csr_array) -> Array:
        """Return the entries of X at the places of the stored entries of a matrix, in their order."""
        scaled, result = self.left * self.values, np.empty(places.nnz)
        for part in slices(places.nnz, _CHUNK // max(1, len(self.values))):
            rows = np.searchsorted(places.indptr, np.arange(part.start, part.stop), side="right") - 1
            np.einsum("ij,ij->i", scaled[rows], self.right[places.indices[part]], out=result[part])
        return result

    def combined(self, factor: float, other: LowRank, share: float) -> LowRank:
        """Return ``factor X + share Y``, with columns that are not orthonormal."""
        left, right = np.hstack([self.left, other.left]), np.hstack([self.right, other.right])
        return LowRank(left, np.r_[factor * self.values, share * other.values], right)

    def norm(self) -> float:
        """Return the Frobenius norm, for any columns."""
        outer, inner = (np.asarray(np.linalg.qr(side, mode="r")) for side in (self.left * self.values, self.right))
        return float(np.linalg.norm(outer @ inner.T))


@dataclass(frozen=True, eq=False)
class Partial:
    """An (n, n) matrix of which some entries are observed.

    Attributes
    ----------
    known : csr_array of shape (n, n)
        The observed entries, and zeros elsewhere.
    listed : csr_array of shape (n, n)
        Places of the unobserved entries, or of the observed ones.
    hidden : bool
        Whether `listed` are the unobserved entries.
    directed : bool
        Whether the matrix is not symmetric.
    """

    known: sparse.csr_array
    listed: sparse.csr_array
    hidden: bool
    directed: bool

    @property
    def n_observed(self) -> int:
        """Number of observed entries."""
        n = self.known.shape[0]
        return n * n - self.listed.nnz if self.hidden else int(self.listed.nnz)

    def operator(self, matrix: sparse.csr_array | PlusLowRank) -> SymmetricOperator:
        """Return the operator of a matrix of this size."""
        if self.directed:
            return Bipartite(matrix)
        return matrix if isinstance(matrix, PlusLowRank) else Matrix(matrix)

    def filled(self, low: LowRank, listed: Array) -> SymmetricOperator:
        """Return W, with X in place of the unobserved entries; `listed` are entries of X."""
        return self.with_part(self.known, low, listed, unobserved=True)

    def with_part(
        self, matrix: sparse.csr_array, low: LowRank, listed: Array, *, unobserved: bool
    ) -> SymmetricOperator:
        """Return the sum of a matrix and the unobserved, or observed, entries of X, as an operator."""
        spread = self._spread(listed)
        if self.hidden == unobserved:
            return self.operator(sparse.csr_array(matrix + spread))
        return self.operator(PlusLowRank(sparse.csr_array(matrix - spread), low.left * low.values, low.right))

    def _spread(self, entries: Array) -> sparse.csr_array:
        """Return the matrix with the given entries at the listed places."""
        return sparse.csr_array((entries, self.listed.indices, self.listed.indptr), shape=self.listed.shape)

    def errors(self, low: LowRank, listed: Array) -> Array:
        """Return the sum of squared residuals of the observed entries of each row; `listed` are entries of X."""
        scaled = low.left * low.values
        cross = self.known.power(2).sum(axis=1) - 2 * ((self.known @ low.right) * scaled).sum(axis=1)
        squares = self._spread(listed**2).sum(axis=1)
        return np.asarray(cross + ((scaled**2).sum(axis=1) - squares if self.hidden else squares))

    def variances(self, low: LowRank) -> Array:
        """Return n times the mean squared residual of the observed entries of each row."""
        n, counts = self.known.shape[0], np.diff(self.listed.indptr)
        observed = n - counts if self.hidden else counts
        errors = np.maximum(self.errors(low, low.at(self.listed)), 0.0)
        return np.asarray(n * errors / np.maximum(observed, 1))

    @property
    def transposed(self) -> Partial:
        """The transposed matrix."""
        known, listed = sparse.csr_array(self.known.T), sparse.csr_array(self.listed.T)
        return Partial(known, listed, self.hidden, self.directed)


@dataclass(frozen=True, eq=False)
class Completion:
    """How the unobserved pairs of a network were filled in.

    Attributes
    ----------
    share : float
        Share of the pairs that are observed.
    noise : float
        tau, the noise by which eigenvalues are shrunk: the root of n times the variance of the residuals, in the
        rows where the eigenvectors are large.
    objective : ndarray of shape (t,)
        Half the sum of squared residuals plus the penalty, after each iteration; it never increases.
    change : float
        Relative change of the fitted matrix in the last iteration.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> karate = nx.karate_club_graph()
    >>> model = lp.CompletedEmbedding(lp.AdjacencySpectralEmbedding(2), unobserved=[(0, 33), (5, 16)]).fit(karate)
    >>> round(model.completion_.share, 3), bool(model.completion_.change < 1e-6)
    (0.997, True)
    """

    share: float
    noise: float
    objective: Array
    change: float

    def __repr__(self) -> str:
        steps = len(self.objective) - 1
        return f"Completion(share={self.share:.4g}, noise={self.noise:.4g}, {steps} steps)"

    def factors(self, values: Array) -> Array:
        """Return by which eigenvalues of W are multiplied in the unobserved entries, between 0 and 1."""
        return np.abs(_shrunk(values, self.noise)) / np.maximum(np.abs(values), np.finfo(float).tiny)


@blas_alone()
def complete(
    partial: Partial,
    d: int,
    end: End = "magnitude",
    *,
    tol: float = 1e-6,
    random_state: Seed = None,
) -> tuple[SymmetricOperator, Completion]:
    """Return the completed matrix W as an operator, and how it was found.

    Parameters
    ----------
    partial : Partial
        The observed entries.
    d : int
        Rank of X.
    end : {"magnitude", "largest"}
        Which eigenvalues X has, if it is symmetric.
    tol : float
        Bound on the relative change of X in an iteration.
    random_state : int, Generator or None
        Seed of the eigensolver's start vectors.

    Raises
    ------
    ConvergenceError
        If X changes by more than `tol` after 2000 iterations.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.completion import complete
    >>> from lpgraph.spectral.completion import Partial
    >>> A = np.outer(np.arange(1.0, 9), np.arange(1, 9))
    >>> hidden = sparse.csr_array(np.eye(8)[::-1])
    >>> known = sparse.csr_array(A * (hidden.toarray() == 0))
    >>> W, found = complete(Partial(known, hidden, True, False), 1)
    >>> bool(np.allclose(W @ np.eye(8), A, atol=1e-4))
    True
    """
    tol = check_real("tol", tol, low=0.0, high=0.1, open_low=True)
    n = partial.known.shape[0]
    share = partial.n_observed / n**2
    zeros = partial.operator(sparse.csr_array(partial.known / share))
    side: End = "largest" if partial.directed else end
    pairs = eigenpairs(zeros, d, side, tol=ROUGH, random_state=random_state, remedies="fewer dimensions")
    low, tau = estimated(partial, LowRank.of(pairs, n), end)
    low, objective, change = _iterated(partial, low, end, tau, tol)
    return partial.filled(low, low.at(partial.listed)), Completion(share, tau, np.array(objective), change)


def estimated(partial: Partial, low: LowRank, end: End) -> tuple[LowRank, float]:
    """Return a rough fit from a start, and the noise tau that belongs to it."""
    # Unobserved entries count as zeros at the start, so that the first estimates of the noise are too large.
    tau = _noise(partial, low)
    for _ in range(_ESTIMATES):
        low = _iterated(partial, low, end, tau, ROUGH)[0]
        before, tau = tau, _noise(partial, low)
        if abs(tau - before) <= _NOISE * before:
            break
    return low, tau


def _iterated(
    partial: Partial, low: LowRank, end: End, tau: float, tol: float
) -> tuple[LowRank, list[float], float]:
    """Minimise the penalised squared error from a start, by accelerated proximal gradient steps.

    Returns X, the objective after each step, and the relative change of X in the last one.

    A step after which the objective would be larger is repeated without momentum, which never increases it
    (O'Donoghue & Candes 2015).
    """
    listed = low.at(partial.listed)
    before, momentum = (low, listed), 1.0
    objective = [_objective(partial, low, listed, tau)]
    change = np.inf
    for _ in range(MOST):
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        step = (momentum - 1) / following
        guess = low, listed
        if step:
            last, entries = before
            guess = low.combined(1 + step, last, -step), (1 + step) * listed - step * entries
        found = _ritz(partial.filled(*guess), low, end, tau, partial.directed)
        entries = found.at(partial.listed)
        value = _objective(partial, found, entries, tau)
        if value > objective[-1] and step:
            momentum = 1.0
            continue
        change = found.combined(1.0, low, -1.0).norm() / (float(np.linalg.norm(found.values)) or 1.0)
        before, momentum = (low, listed), following
        low, listed = found, entries
        objective.append(min(value, objective[-1]))  # equal to rounding without momentum
        if change <= tol:
            return low, objective, change
    raise ConvergenceError(
        f"The fit to the observed pairs changes by {change:.2g} after {MOST} iterations, more than tol={tol:g}; "
        "pass a larger tol or fewer dimensions, or observe more pairs.",
        low,
    )


def _ritz(operator: SymmetricOperator, low: LowRank, end: End, tau: float, directed: bool) -> LowRank:
    """Return the best X in the space of the last one and of its image by W."""
    d, n = len(low.values), len(low.left)
    if directed:
        images = operator @ np.vstack([low.left, low.right])
        left, right = _space(low.left, images[:n]), _space(low.right, images[n:])
        inner = left.T @ (operator @ np.vstack([left, right]))[:n]
        u, values, vt = np.linalg.svd(inner)
        return LowRank(left @ u[:, :d], _shrunk(values[:d], tau), right @ vt[:d].T)
    basis = _space(low.left, operator @ low.left)
    inner = basis.T @ (operator @ basis)
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    chosen = wanted(values, end)[:d]
    left, values = basis @ vectors[:, chosen], values[chosen]
    return LowRank(left, _shrunk(values, tau, end), left)


def _space(vectors: Array, images: Array) -> Array:
    """Return an orthonormal basis of vectors, which are orthonormal, and of their images."""
    rest = images - vectors @ (vectors.T @ images)
    n, d = vectors.shape
    return np.linalg.qr(np.hstack([vectors, rest]))[0][:, : min(n, 2 * d)]


def _noise(partial: Partial, low: LowRank) -> float:
    """Return tau, by the residuals: the noise that the fitted eigenvectors meet, corrected for the fitted numbers.

    A noise matrix E adds ``u' E^2 u / l`` to the eigenvalue l of u, and the mean of ``u' E^2 u`` is the sum over
    the rows of the squares of u times the variances. With hubs it is much larger than the mean over all rows.
    """
    n, d = low.left.shape
    along = partial.variances(low) @ low.left**2
    if partial.directed:
        along = (along + partial.transposed.variances(LowRank(low.right, low.values, low.left)) @ low.right**2) / 2
    free = max(1 - d * (2 * n - d) / partial.n_observed, 0.25)
    return float(np.sqrt(along.mean() / free))


def _shrunk(values: Array, tau: float, end: End = "magnitude") -> Array:
    if end == "largest":
        values = np.maximum(values, 0.0)
    return np.sign(values) * np.sqrt(np.maximum(values**2 - 4 * tau**2, 0.0))


def _objective(partial: Partial, low: LowRank, listed: Array, tau: float) -> float:
    """Return half the squared error of the observed entries plus the penalty.

    The penalty is the sum of the integrals of ``sqrt(x^2 + 4 tau^2) - x`` from 0 to the magnitudes of the values.
    """
    error, x = max(float(partial.errors(low, listed).sum()), 0.0), np.abs(low.values)
    if tau == 0:
        return error / 2
    penalty = x * np.sqrt(x**2 + 4 * tau**2) - x**2 + 4 * tau**2 * np.arcsinh(x / (2 * tau))
    return (error + float(penalty.sum())) / 2
