"""The term of covariates beside the edges of a network: their scalar products, and their weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from lpgraph._utils.checks import check_choice, check_generator, check_integer, check_real
from lpgraph._utils.compiled import blas_alone
from lpgraph.errors import ArgumentError
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.operators import Centred, Gram, Sum

if TYPE_CHECKING:
    from lpgraph._utils.types import Array
    from lpgraph.linalg.matvec import AnyMatrix
    from lpgraph.spectral.eigen import EigenPairs
    from lpgraph.spectral.operators import Operator

#: Weights that are tried between the ends of the range, on a geometric grid.
_TRIALS = 12
#: Gaps below this share of the largest eigenvalue are ties.
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class CovariateGram:
    """``X X.T`` for covariates X of shape (n, R), or ``Z Z.T`` for the standardised Z = (X - means) * factors.

    Attributes
    ----------
    scaled : csr_array or ndarray of shape (n, R)
        ``X * factors``.
    factors, means : ndarray of shape (R,)
        Inverse standard deviations and means of the columns; 1 and 0 if they are not standardised. A constant
        column has the factor 0.
    centred : bool
        Whether the means are subtracted.
    """

    scaled: AnyMatrix
    factors: Array
    means: Array
    centred: bool

    @classmethod
    def of(cls, matrix: AnyMatrix, *, standardize: bool) -> CovariateGram:
        """Return the scalar products of covariates; raise ArgumentError if all of them are 0 or constant."""
        count = matrix.shape[1]
        factors, means = np.ones(count), np.zeros(count)
        if standardize:
            scaler = StandardScaler(with_mean=False).fit(matrix)
            means, deviations = np.asarray(scaler.mean_), np.sqrt(scaler.var_)
            # A constant column has the deviation of its rounding errors.
            constant = deviations <= 1e-12 * np.abs(means)
            factors = np.divide(1.0, deviations, out=np.zeros(count), where=~constant)
        scaled = sparse.csr_array(matrix * factors) if sparse.issparse(matrix) else matrix * factors
        if scaled.min() == scaled.max() == 0:
            raise ArgumentError("Each column of covariates is constant; use LaplacianSpectralEmbedding without.")
        return cls(scaled, factors, means, standardize)

    @property
    def operator(self) -> Operator:
        """The n x n scalar products, never formed: subtracting column means is centring on both sides."""
        return Centred(Gram(self.scaled)) if self.centred else Gram(self.scaled)

    def for_new(self, basis: Array) -> Array:
        """Return the (R + 1, d) array that ``[x, 1]`` is multiplied by, for the product of a new row with a basis.

        For the standardised z of covariates x this is ``z @ Z.T @ basis``.
        """
        with blas_alone():  # the same bits for any number of threads
            weights = self.factors[:, None] * (self.scaled.T @ (basis - basis.mean(axis=0) * self.centred))
            return np.vstack([weights, -(self.means @ weights)])


def weight_of_covariates(
    alpha: float | str,
    network: Operator,
    covariates: Operator,
    n_clusters: object,
    *,
    tol: float,
    random_state: int | np.random.Generator | None,
) -> float:
    r"""Return the weight alpha of :math:`M + \alpha X X^T`.

    Parameters
    ----------
    alpha : float or {"balance", "kmeans"}
        The weight itself; :math:`\lambda_1(M) / \lambda_1(X X^T)`; or the weight of least k-means objective.
    network, covariates : Operator
        M and :math:`X X^T`.
    n_clusters : object
        Number of clusters K, needed by "kmeans".
    tol, random_state
        As in `lpgraph.spectral.eigen.eigenpairs`.

    Raises
    ------
    ArgumentError
        If alpha is negative or another name, or "kmeans" has no number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.embed.covariate_terms import weight_of_covariates
    >>> from lpgraph.spectral.operators import Matrix
    >>> M, XX = Matrix(np.diag([1.0, 0.5, 0.1])), Matrix(np.diag([4.0, 2.0, 0.0]))
    >>> weight_of_covariates("balance", M, XX, 2, tol=1e-9, random_state=None)
    0.25
    """
    if not isinstance(alpha, str):
        return check_real("alpha", alpha, low=0.0)
    n = network.shape[0]

    def search(operator: Operator, k: int) -> EigenPairs:
        return eigenpairs(operator, k, "largest", tol=tol, random_state=random_state)

    if check_choice("alpha", alpha, ("balance", "kmeans")) == "balance":
        return float(search(network, 1).values[0] / search(covariates, 1).values[0])
    if not hasattr(n_clusters, "__index__"):
        raise ArgumentError(f'n_components={n_clusters!r}; pass a number of clusters with alpha="kmeans".')
    k = check_integer("n_components", n_clusters, low=2, high=n - 1, why=f"but only {n} vertices")
    low, high = _range(search(network, k + 1).values, search(covariates, min(k + 1, n)).values, k)
    seed = int(check_generator(0 if random_state is None else random_state).integers(2**31))
    from sklearn.cluster import KMeans

    def objective(weight: float) -> float:
        vectors = search(Sum(network, covariates, weight), k).vectors
        return float(KMeans(k, n_init=10, random_state=seed).fit(vectors).inertia_)

    return float(min(np.geomspace(low, high, _TRIALS), key=objective))


def _range(own: Array, others: Array, k: int) -> tuple[float, float]:
    """Return the least and the largest weight, beyond which one part alone decides the leading k eigenvectors."""
    present = others[others > _TIE * others[0]]
    gap = present[-1] if len(present) <= k else present[k - 1] - present[k]
    if gap <= _TIE * others[0]:
        gap = present[k - 1]  # tied: no weight lets the covariates alone decide
    balance = own[0] / others[0]
    # With a tied k-th eigenvalue of the network any weight decides; the range then spans three powers of ten.
    low = max((own[k - 1] - own[k]) / others[0], 1e-3 * balance)
    return float(low), float(own[0] / gap)
