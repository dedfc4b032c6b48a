"""What all embeddings of a network share: the road from a graph to coordinates, and from new vertices to more.

A subclass supplies one thing, its `Scaling`: what the rows and columns of the adjacency matrix are multiplied
by, those of new vertices included. The rest (converting the graph, a word on its state, the core, the
extension, scikit-learn's habits) is the same for all.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from lpgraph._checks import check_choice, check_fitted, check_integer
from lpgraph._frames import labelled
from lpgraph.embed._placing import Scaling, check_direction, place
from lpgraph.embed._results import VertexResults, coordinates, network_tags
from lpgraph.errors import ArgumentError, DisconnectedGraphWarning, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.arrivals import Arrivals, as_arrivals
from lpgraph.graph.components import connected_components, isolated_vertices
from lpgraph.graph.construct import as_adjacency
from lpgraph.spectral.affinity import Affinity
from lpgraph.spectral.embedding import embed, embed_two_sided
from lpgraph.spectral.operators import Bipartite, Matrix, Rescaled
from lpgraph.spectral.scree import is_rule
from lpgraph.storage.unread import Stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["NetworkEmbedding"]


class NetworkEmbedding(VertexResults, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the embeddings of a network; see `AdjacencySpectralEmbedding` for what is fitted."""

    n_components: int | str | Callable[[Array], int] | None
    which: str
    solver: str
    tol: float
    random_state: int | np.random.Generator | None
    #: Prefix of the names of the output columns.
    _prefix: str

    embedding_, embedding_in_ = Stored(), Stored()
    vertex_names_, graph_ = Stored(), Stored()

    def _prepare(self, adjacency: Adjacency) -> tuple[Any, Scaling, dict[str, Any]]:
        """Return the matrix to decompose, its scaling, and the attributes a fit that succeeds will set."""
        raise TypeError(f"{type(self).__name__} does not say how it scales a graph.")

    def fit(self, graph: Any, y: object = None) -> Self:
        """Embed the vertices of a graph.

        Parameters
        ----------
        graph : graph
            Whatever `lpgraph.as_adjacency` takes: networkx, igraph, a scipy sparse matrix, an ndarray, an
            edge-list data frame, a sampled graph.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        GraphError
            If the graph has fewer than two vertices, no edge, or entries that cannot be used.
        ArgumentError
            If n_components is larger than the number of vertices or the rank of the matrix.
        ConvergenceError
            If the eigensolver did not reach `tol`.

        Warns
        -----
        DisconnectedGraphWarning
            If the graph has several components or isolated vertices.
        """
        check_choice("which", self.which, ("LM", "LA"))
        adjacency = as_adjacency(graph)
        n = adjacency.n_vertices
        if n < 2:
            raise GraphError(f"The graph has {n} vertex (n_samples = {n}); an embedding needs at least 2.")
        if adjacency.matrix.nnz == 0:
            raise GraphError(f"The graph has {n} vertices and no edge; there is nothing to embed.")
        if not is_rule(self.n_components):
            check_integer("n_components", self.n_components, low=1, high=n, why=f"but only {n} vertices")
        _say_if_disconnected(adjacency)
        matrix, scaling, attributes = self._prepare(adjacency)
        options: dict[str, Any] = {"solver": self.solver, "tol": self.tol, "random_state": self.random_state}
        if adjacency.directed:
            two = embed_two_sided(Bipartite(matrix, scaling.left, scaling.right), self.n_components, **options)
            self.embedding_, self.embedding_in_ = two.left, two.right
            self.singular_values_, self.residuals_, self.scree_ = two.values, two.residuals, two.scree
            self._extensions = {"out": two.extend_left.by_rows(), "in": two.extend_right.by_rows()}
        else:
            operator = Matrix(matrix) if scaling.left is None else Rescaled(Matrix(matrix), scaling.left)
            affinity = Affinity(operator, scaling.rows)
            one = embed(affinity, self.n_components, which=self.which, **options)
            self.embedding_, self.eigenvalues_ = one.coordinates, one.values
            self.singular_values_ = np.abs(one.values)
            self.signature_ = np.where(one.values < 0, -1, 1)
            self.residuals_, self.scree_ = one.residuals, one.scree
            self._extensions = {"out": one.extension.by_rows()}
        # From here on nothing can fail: a fit that was refused or interrupted leaves an earlier one whole.
        for name, value in attributes.items():
            setattr(self, name, value)
        self._scaling, self.graph_ = scaling, adjacency
        self.directed_, self.weighted_ = adjacency.directed, adjacency.weighted
        self.vertex_names_, self.n_features_in_ = adjacency.names, n
        self._vertex_index = adjacency.index
        return self

    def fit_transform(self, graph: Any, y: object = None) -> Array:
        """Embed the vertices of a graph and return `embedding_`; see `fit`.

        After ``set_output(transform="pandas")`` it is a table whose index are the vertices' names.
        """
        self.fit(graph, y)
        return labelled(self, self.embedding_, self.vertex_names_)  # type: ignore[no-any-return]

    def transform(self, new: Any, *, direction: str = "out") -> Array:
        """Embed new vertices by their edges to the known ones, without another decomposition.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            - (m, n) rows, sparse or dense: weights of the edges from m new vertices to the n known ones;
            - ``{new name: neighbours}``, neighbours as a collection of names or as ``{name: weight}``;
            - an edge list between new and known names: a data frame, or a list of (u, v) or (u, v, weight);
            - a graph: its vertices that are not known yet, or all of them if all are known;
            - the `NewVertices` of a sampled graph.
        direction : {"out", "in"}, default "out"
            For directed graphs: which embedding to extend. Rows given as an array are then the arcs in that
            direction: from the new vertices for "out", to them for "in".

        Returns
        -------
        ndarray of shape (m, d)
            One row for each new vertex; a vertex without an edge to a known one is at the origin. After
            ``set_output(transform="pandas")`` a table whose index are the names of the new vertices.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, or names are unknown.
        """
        check_fitted(self, "embedding_")
        if sparse.issparse(new) and self._scaling.plain:
            check_direction(direction, self.directed_)
            positions = self._extensions[direction].of_plain(new)
            if positions is not None:
                return labelled(self, positions, range(len(positions)))  # type: ignore[no-any-return]
        arrivals = self._read(new, direction)
        return labelled(self, self._extend(arrivals, direction), arrivals.names)  # type: ignore[no-any-return]

    def _read(self, new: Any, direction: str) -> Arrivals:
        """Read new vertices in whatever form they come."""
        check_direction(direction, self.directed_)
        shape: tuple[int, ...] = getattr(new, "shape", ())
        if (
            len(shape) == 2
            and shape[1] != self.n_features_in_
            and (sparse.issparse(new) or type(new) is np.ndarray)
        ):
            raise ArgumentError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                f"features as input, the known vertices: pass new as (m, {self.n_features_in_}) rows, or by names."
            )
        return as_arrivals(new, self._vertex_index, directed=self.directed_)

    def _extend(self, arrivals: Arrivals, direction: str) -> Array:
        return place(arrivals, direction, self._scaling, self._extensions)

    def _vertex_values(self) -> dict[str, list[Any]]:
        return dict(coordinates(self))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the output columns, such as "ase0", "ase1"."""
        check_fitted(self, "embedding_")
        return np.array([f"{self._prefix}{i}" for i in range(self.embedding_.shape[1])], dtype=object)

    def __sklearn_tags__(self) -> Any:
        return network_tags(super().__sklearn_tags__())


def _say_if_disconnected(adjacency: Adjacency) -> None:
    count, _ = connected_components(adjacency)
    if count == 1:
        return
    isolated = isolated_vertices(adjacency)
    proper = count - len(isolated)
    words = []
    if proper > 1:
        words.append(f"{proper} components with edges, each of which will have coordinates of its own")
    if len(isolated):
        name = adjacency.names[int(isolated[0])]
        words.append(f"{len(isolated)} isolated vertices (the first is {name!r}), which will be at the origin")
    warnings.warn(
        f"The graph has {' and '.join(words)}; lpgraph.largest_component(graph) gives its largest part.",
        DisconnectedGraphWarning,
        stacklevel=_first_foreign_frame(),
    )


def _first_foreign_frame() -> int:
    """Return the stacklevel that points at the user's line, past lpgraph's frames and scikit-learn's."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("lpgraph", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level
