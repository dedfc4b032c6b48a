"""Embeddings by landmarks: some vertices are decomposed, and all others are placed by their edges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_generator, check_integer, check_real
from lpgraph._utils.progress import warn
from lpgraph.embed.base import EmbeddingWrapper, at_origin, many, resampling
from lpgraph.errors import ArgumentError, GraphError, LpgraphWarning
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.names import as_labels, code_names, is_listing
from lpgraph.spectral.auto import solver_named
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.eigen import Known
from lpgraph.spectral.embedding import without_choice
from lpgraph.spectral.landmarks import (
    Landmarks,
    embed_by_landmarks,
    ritz_pairs,
    ritz_triplets,
    warn_of_few_edges,
)
from lpgraph.spectral.operators import Bipartite, MatrixOperator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph._utils.types import Array, Integers
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.network import Network
    from lpgraph.spectral.embedding import Dimension, OfEachSign, SpectralEmbedding
    from lpgraph.spectral.operators import SymmetricOperator

#: Rules that choose landmarks.
RULES = ("degree", "uniform", "leverage")
#: Dimensions of the leverage scores if their number is not given.
_DIMENSIONS = 10
#: Columns of the random block in addition to the dimensions, and its products with the matrix.
_MORE, _PRODUCTS = 8, 2


@dataclass(frozen=True, eq=False, kw_only=True)
class _ByLandmarks(Construction):
    """The construction of the landmarks, and how all vertices are placed by them."""

    landmarks: Landmarks


class LandmarkEmbedding(EmbeddingWrapper):
    r"""Embed a network by the part of its matrix that belongs to some vertices, the landmarks.

    The eigenvectors of the landmarks' part are found, and all other vertices are placed by their edges, as new
    vertices are (Tang, Park & Priebe 2013, Section 3.1).

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        The method and its parameters; it is not fitted itself. Degrees of the Laplacian are those of all edges.
        With a pass, `tol` of the embedding is not used: ``residuals_`` says how exact the result is. Its
        `random_state` also draws the landmarks, and `n_components` is chosen by the edges among landmarks.
    n_landmarks : int, float or iterable of hashable, default 0.1
        Number of landmarks, share of the vertices, or the names of the landmarks.
    rule : {"degree", "uniform", "leverage"}, default "degree"
        How a number of landmarks is drawn: with probabilities proportional to the degrees, equal for all vertices
        with an edge, or proportional to approximate leverage scores, which are squared lengths of the rows of
        leading eigenvectors.
    passes : int, default 1
        How often every vertex is then placed by its edges to all vertices. 0 places by the edges to landmarks
        alone, with the eigenvectors of the landmarks' part of the matrix. Passes start from the singular vectors
        of the landmarks' rows: their edges with all vertices.

    Attributes
    ----------
    landmarks_ : ndarray of shape (m,)
        Rows of the landmarks, increasing.
    nystrom_error_ : float
        :math:`\|M - Z S Z^T\|_F / \|M\|_F` for the matrix M that is embedded.
    embedding_, eigenvalues_, residuals_, ...
        The fitted attributes of `embedding`.

    Raises
    ------
    ArgumentError, ArgumentTypeError, UnknownVertexError
        By `fit`, if `embedding` is of another kind, or `n_landmarks` has the wrong type, is too small or too
        large, or names a vertex that is unknown or repeated.
    GraphError
        By `fit`, if no edge joins two landmarks.

    Notes
    -----
    For landmarks L, the d eigenpairs of :math:`A_{LL}` are found, and each vertex has the position
    :math:`\xi_L Z_L |S|^{-1} \operatorname{sign}(S)` by its edges to landmarks, so that :math:`Z S Z^T` is the
    Nystrom approximation of A (Eqs. 5 to 8). A pass is a step of orthogonal iteration, with 2 d vectors, and
    Rayleigh-Ritz: `eigenvalues_` are Ritz values, and `residuals_` tell how far they are from eigenvalues of A;
    without a pass, both are those of :math:`A_{LL}`. New vertices are placed by landmarks without a pass, and by
    all vertices with one, so that ``transform(A)`` is `embedding_` in both cases. Positions by m landmarks have
    about n / m times the variance of those by all vertices, and a pass removes most of it, for one product with A.
    Vertices without an edge to a landmark are at the origin; a warning counts them. Covariances, and the tests
    that use them, are not available.

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893. Halko, N., Martinsson, P.-G. & Tropp, J. A. (2011), "Finding structure with randomness", SIAM
    Review 53.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> model = lp.LandmarkEmbedding(lp.AdjacencySpectralEmbedding(2), 0.5).fit(nx.karate_club_graph())
    >>> len(model.landmarks_), model.embedding_.shape, model.nystrom_error_ < 1
    (17, (34, 2), True)
    """

    _allowed = "_takes_landmarks"
    _wanted = "an AdjacencySpectralEmbedding or a LaplacianSpectralEmbedding"
    landmarks_: Integers
    nystrom_error_: float

    def __init__(
        self, embedding: NetworkEmbedding, n_landmarks: object = 0.1, *, rule: str = "degree", passes: int = 1
    ) -> None:
        self.embedding = embedding
        self.n_landmarks = n_landmarks
        self.rule = rule
        self.passes = passes

    def _construct(self, items: Network) -> Construction:
        passes = check_integer("passes", self.passes, low=0)
        whole = self.embedding._construct(items)
        items.check_room(35, "An embedding by landmarks")
        operator = whole.operator
        assert isinstance(operator, MatrixOperator)  # of every method with landmarks
        rows = self._rows(items, operator)
        part = operator.restricted(rows)
        matrix = part.matrix
        if not isinstance(matrix, sparse.csr_array) or not matrix.nnz:
            raise GraphError(f"The {len(rows)} landmarks have no edge among themselves; pass more landmarks.")
        if not passes:
            warn_of_few_edges(matrix, items.n_vertices)
        network = Adjacency.of_canonical(matrix, range(len(rows)), items.directed)
        start = self.embedding._own_operator(network, items) or part
        flips = whole.resampling is not None and whole.resampling.flip is not None
        parts = resampling(network, lambda some: part.with_matrix(some.product), flips=flips)
        attributes = {**whole.attributes, "landmarks_": rows}
        inner = replace(whole, operator=part, known=Known(), resampling=parts, attributes=attributes)
        placed = Landmarks(rows, operator, start, passes, solver_named(self.solver), self.random_state)
        return _ByLandmarks(**vars(inner), landmarks=placed)

    def _solve(self, construction: Construction, n_components: Dimension | OfEachSign) -> SpectralEmbedding:
        assert isinstance(construction, _ByLandmarks)
        return embed_by_landmarks(construction, construction.landmarks, n_components, self._settings())

    @property
    def _dimension(self) -> int | None:
        """The dimension, also that of a choice; None for a rule."""
        number = without_choice(self.n_components)
        return int(number) if isinstance(number, int | np.integer) else None

    def _rows(self, items: Network, operator: SymmetricOperator) -> Integers:
        """Return the landmarks as increasing rows."""
        rule, given = check_choice("rule", self.rule, RULES), self.n_landmarks
        least = self._dimension or 1
        if is_listing(given):
            rows = np.sort(code_names(as_labels(given, "n_landmarks"), items.index))
            if len(np.unique(rows)) < max(least, len(rows)):
                raise ArgumentError(f"n_landmarks has {len(rows)} names; pass at least {least}, and each once.")
            return rows
        rng = check_generator(0 if self.random_state is None else self.random_state)
        weights = self._weights(rule, items, operator, rng)
        usable = int((weights > 0).sum())
        if isinstance(given, float | np.floating):
            share = check_real("n_landmarks", float(given), low=0.0, high=1.0, open_low=True)
            given = min(usable, max(1, round(share * items.n_vertices)))
        why = f"with n_components={least} and {usable} vertices that have an edge"
        count = check_integer("n_landmarks", given, low=least, high=usable, why=why)
        # The least of independent exponential times with these rates: draws without replacement.
        with np.errstate(divide="ignore"):
            times = rng.exponential(size=len(weights)) / weights
        return np.sort(np.argsort(times, kind="stable")[:count])

    def _weights(self, rule: str, items: Network, operator: SymmetricOperator, rng: np.random.Generator) -> Array:
        """Return numbers proportional to the probabilities of the vertices; 0 for isolated ones."""
        degrees = items.degrees + items.in_degrees
        if items.lowest_weight < 0:
            if not sparse.issparse(items.product):
                raise ArgumentError("n_landmarks needs a network in memory, or no negative weights; pass names.")
            sizes = abs(items.product)
            degrees = np.asarray(sizes.sum(axis=1) + sizes.sum(axis=0), dtype=np.float64)
        if rule == "degree":
            return degrees
        if rule == "uniform":
            return (degrees > 0).astype(np.float64)
        k = min(self._dimension or _DIMENSIONS, len(degrees))
        return (degrees > 0) * leverage_scores(operator, k, rng)

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        return {**super()._results(construction, found, positions), "nystrom_error_": found.nystrom_error}

    def _warn(self, sides: Sequence[Array]) -> None:
        super()._warn(sides)
        unplaced = ~np.any([side.any(axis=1) for side in sides], axis=0)
        if many(unplaced):
            unplaced &= ~at_origin(self.graph_, sides)
        if many(unplaced):
            warn(
                f"{unplaced.sum()} vertices have no walk of {self.passes + 1} edges to a landmark and are at the "
                f"origin; pass passes={self.passes + 1}, or more landmarks.",
                LpgraphWarning,
            )


def leverage_scores(operator: SymmetricOperator, k: int, rng: np.random.Generator) -> Array:
    r"""Return approximate leverage scores: squared lengths of the rows of the k leading eigenvectors.

    The eigenvectors are those of Rayleigh-Ritz in the span of ``M^3 G`` for k + 8 columns G of normal random
    numbers (Halko, Martinsson & Tropp 2011, Algorithms 4.4 and 5.3). This takes four products of M with G.

    Parameters
    ----------
    operator : SymmetricOperator
        M; of `Bipartite` the scores of both sides are added.
    k : int
        Number of eigenvectors.
    rng : Generator
        Source of G.

    Returns
    -------
    ndarray of shape (n,)
        They sum to about k, or 2 k for two sides.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.embed.landmarks import leverage_scores
    >>> from lpgraph.spectral.operators import Matrix
    >>> leverage_scores(Matrix(np.diag([9.0, 8.0, 0.1, 0.0])), 2, np.random.default_rng(0)).round(6)
    array([1., 1., 0., 0.])
    """
    n = operator.shape[0]
    if isinstance(operator, Bipartite):
        n //= 2
        width = min(n, k + _MORE)
        left, right = rng.standard_normal((2, n, width))
        found = ritz_triplets(operator, left, right, _PRODUCTS + 1).take(slice(k))
        return np.asarray((found.left**2 + found.right**2).sum(axis=1))
    block = rng.standard_normal((n, min(n, k + _MORE)))
    pairs = ritz_pairs(operator, block, _PRODUCTS + 1, "magnitude").take(slice(k))
    return np.asarray((pairs.vectors**2).sum(axis=1))
