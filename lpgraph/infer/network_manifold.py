"""The low-dimensional set near which the positions of a network lie: coordinates along it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone

from lpgraph._utils.checks import check_finite_array, check_flag, check_integer
from lpgraph._utils.estimators import ShownEstimator, check_fitted, labelled, replace_state
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.base import vertex_state
from lpgraph.embed.vertex_results import (
    VertexResults,
    graph_facts,
    network_tags,
    new_sides,
    read_new_by,
)
from lpgraph.errors import ArgumentError
from lpgraph.graph.construct import as_adjacency
from lpgraph.infer.vertices import check_estimator, embedded, is_bipartite, unfitted, unit_rows
from lpgraph.manifold.isomap import Isomap
from lpgraph.spectral.embedding import AtMost

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from lpgraph._utils.types import Array
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_vertices import NewEdges


#: Neighbors and landmarks of the default; `examples/manifold_of_networks.py` compares numbers of neighbors.
_NEIGHBORS, _LANDMARKS = 10, 500


@dataclass(eq=False, repr=False)
class NetworkManifold(ShownEstimator, VertexResults, TransformerMixin, BaseEstimator):
    """Embed a network, and embed its positions again in few dimensions, along the curve or surface near them.

    If the probability of an edge is a function of latent positions in few dimensions, the positions of a spectral
    embedding lie near a curved set of the same dimension in a space of more dimensions (Rubin-Delanchy 2020), on
    which lengths of paths are those of the latent positions up to local distortion (Whiteley, Gray &
    Rubin-Delanchy 2021). The network is embedded, rows are divided by their lengths, neighbors among them are
    joined, and the lengths of shortest paths become coordinates by Isomap. With one coordinate the vertices are
    ordered. New vertices are placed by the formulas of both embeddings.

    Parameters
    ----------
    n_components : int, optional
        Number of coordinates; None means 1. With `manifold`, pass it there.
    network_embedding : estimator, optional
        The embedding of the network, such as a `LaplacianSpectralEmbedding`. None means
        ``AdjacencySpectralEmbedding()``, which chooses its dimension by held-out edges, but at least one dimension
        more than the manifold has: the first one mainly describes degrees. Of a bipartite network (path, tree
        or grid) only dimensions with positive eigenvalues are used (``which="LA"``).
    manifold : estimator, optional
        The method for the positions, with ``fit`` and ``transform``. None means `lpgraph.manifold.Isomap` with ten
        neighbors, at most 500 landmarks, and ``components="bridge"``.
    unit_rows : bool, optional
        Whether positions are divided by their lengths, so that degrees have less influence. Of directed networks,
        positions as sources and as targets are divided separately. None means: if they have at least two
        dimensions.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Coordinates of the vertices along the manifold.
    network_embedding_ : estimator
        The fitted embedding of the network.
    manifold_ : estimator
        The method fitted to the positions; ``manifold_.graph_`` of Isomap is their neighbor graph.
    vertex_names_ : ndarray of shape (n,), or range
        Names in the order of the rows.
    directed_ : bool
        Whether the network is directed. Then positions as sources and as targets are side by side.
    graph_ : Adjacency
        The network, for `to_networkx` and `to_igraph`.

    See Also
    --------
    lpgraph.manifold.Isomap : the map of the positions.

    Notes
    -----
    The sign of a coordinate is arbitrary: a network does not determine where a curve begins. Vertices without
    edges have their positions at the origin, and such new vertices are mapped like known ones at the origin.

    The steps alone are a pipeline of scikit-learn, ``make_pipeline(AdjacencySpectralEmbedding(), Normalizer(),
    Isomap(1))``, which has no names or tables and does not treat directed networks.

    References
    ----------
    Rubin-Delanchy, P. (2020), "Manifold structure in graph embeddings", NeurIPS 33. Whiteley, N., Gray, A. &
    Rubin-Delanchy, P. (2021), "Matrix factorisation and the interpretation of geodesic distance", NeurIPS 34.

    Examples
    --------
    Vertices on a line are joined the more probably, the closer they are. Their order is recovered:

    >>> import numpy as np
    >>> import lpgraph as lp
    >>> line = np.linspace(0, 1, 1000)[:, None]
    >>> model = lp.LatentPositionModel(lp.kernels.Gaussian(0.3), lp.positions.Fixed(line), sparsity=0.5)
    >>> graph = model.sample(1000, random_state=0)
    >>> manifold = lp.NetworkManifold().fit(graph)
    >>> rank = manifold.embedding_[:, 0].argsort().argsort()
    >>> bool(abs(np.corrcoef(rank, np.arange(1000))[0, 1]) > 0.99)
    True
    >>> manifold.transform({"new": range(100)}).shape
    (1, 1)
    """

    n_components: int | None = None
    _: KW_ONLY
    network_embedding: BaseEstimator | None = None
    manifold: BaseEstimator | None = None
    unit_rows: bool | None = None

    embedding_: Array = field(init=False)
    network_embedding_: NetworkEmbedding = field(init=False)
    manifold_: BaseEstimator = field(init=False)
    directed_: bool = field(init=False)

    def fit(self, graph: object, y: object = None) -> Self:
        """Embed a network, and its positions.

        Parameters
        ----------
        graph : graph
            A graph in any form of `lpgraph.as_adjacency`.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If a parameter does not suit the network, positions of one dimension would be divided by their lengths,
            or `manifold` leaves out vertices.
        GraphError, ConvergenceError
            As by the embedding of the network.

        Warns
        -----
        DisconnectedGraphWarning
            If the network has several components or isolated vertices.
        """
        adjacency = as_adjacency(graph)
        method = self._method(adjacency.n_vertices)
        if self.network_embedding is None:
            size = getattr(method, "n_components", 1)
            embedding, sides = _default_embedding(adjacency, size if isinstance(size, int) else 1)
        else:
            embedding = unfitted(self.network_embedding, "network_embedding")
            sides = embedded(embedding, adjacency, quiet=False)
        positions = self._positions(sides)
        method.fit(positions)
        found = method.embedding_ if hasattr(method, "embedding_") else method.transform(positions)
        found = check_finite_array("The result of manifold", found, ndim=2)
        if len(found) < len(positions):
            left = len(positions) - len(found)
            raise ArgumentError(f"manifold={method!r:.80} leaves out {left} vertices; set components='bridge'.")
        state = {"network_embedding_": embedding, "manifold_": method, "embedding_": found}
        replace_state(self, state | vertex_state(adjacency))
        return self

    def _method(self, n: int) -> BaseEstimator:
        """Return the unfitted method for n positions."""
        size = self.n_components
        if self.manifold is None:
            why = f"but only {n} vertices"
            size = check_integer("n_components", 1 if size is None else size, low=1, high=max(1, n - 1), why=why)
            landmarks = None if n <= _LANDMARKS else max(_LANDMARKS, size + 1)
            return Isomap(size, n_neighbors=min(_NEIGHBORS, n - 1), landmarks=landmarks, components="bridge")
        if size is not None:
            raise ArgumentError(f"n_components={size} and manifold are both given; set it in manifold instead.")
        check_estimator("manifold", self.manifold, ["fit", "transform"], "lpgraph.manifold.Isomap(1)")
        return clone(self.manifold)

    def _positions(self, sides: list[Array]) -> Array:
        """Return positions as points for the second embedding; sources and targets are side by side."""
        flat = sides[0].shape[1] == 1
        wanted = not flat if self.unit_rows is None else check_flag("unit_rows", self.unit_rows)
        if not wanted:
            return np.hstack(sides)
        if flat:
            raise ArgumentError("unit_rows=True but the positions have 1 dimension; pass unit_rows=False.")
        return np.hstack([unit_rows(side) for side in sides])

    def fit_transform(self, graph: object, y: object = None) -> Array:
        """Embed a network and return `embedding_`; see `fit`.

        After ``set_output(transform="pandas")`` the result is a data frame with the vertex names as index.
        """
        self.fit(graph)
        return labelled(self, np.asarray(self.embedding_), self.vertex_names_)

    def transform(self, new: object) -> Array:
        """Return the coordinates of new vertices, without another decomposition.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            As for `AdjacencySpectralEmbedding.transform`. Of directed networks the arcs in both directions are
            used; those that are not given count as absent, with a warning.

        Returns
        -------
        ndarray of shape (m, n_components)
            After ``set_output(transform="pandas")`` a data frame with the names of the new vertices as index; see
            also `transform_table`.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, or a name is unknown.
        """
        vertices = self.read_new(new)
        return labelled(self, self._placed(vertices)[0], vertices.names)

    def read_new(
        self, new: object, *, covariates: object = None, observed: object = None, unobserved: object = None
    ) -> NewEdges:
        """Return the names and edges of new vertices; see `AdjacencySpectralEmbedding.read_new`."""
        check_fitted(self, "manifold_")
        details = {"covariates": covariates, "observed": observed, "unobserved": unobserved}
        return read_new_by(self.network_embedding_, new, self.vertex_names_, directed=self.directed_, **details)

    def _placed(self, vertices: NewEdges) -> list[Array]:
        positions = self._positions(new_sides(self.network_embedding_, vertices))
        return [np.asarray(self.manifold_.transform(positions))]

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the output columns, which are those of `manifold_`, such as "isomap0"."""
        check_fitted(self, "manifold_")
        return np.asarray(self.manifold_.get_feature_names_out(), dtype=object)

    def _fitted_facts(self) -> list[tuple[str, str]]:
        if "manifold_" not in vars(self):
            return []
        steps = " and ".join(type(step).__name__ for step in (self.network_embedding_, self.manifold_))
        return [*graph_facts(self), ("embeddings", steps)]

    def __sklearn_tags__(self) -> Tags:
        return network_tags(super().__sklearn_tags__(), self.network_embedding)


def _default_embedding(adjacency: Adjacency, size: int) -> tuple[NetworkEmbedding, list[Array]]:
    """Return the fitted embedding and its positions, in more than `size` dimensions if the rank is larger."""
    # Eigenvectors of the negative eigenvalues of a bipartite network only separate its sides.
    which = "LA" if not adjacency.directed and is_bipartite(adjacency.matrix) else "LM"
    embedding = AdjacencySpectralEmbedding(which=which)
    sides = embedded(embedding, adjacency, quiet=False)
    if sides[0].shape[1] <= size:
        embedding = AdjacencySpectralEmbedding(AtMost(size + 1), which=which)
        sides = embedded(embedding, adjacency, quiet=True)
    return embedding, sides
