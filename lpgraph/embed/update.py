"""Fits of a network that has changed: the model is fitted again, and the vertices that moved are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from lpgraph._checks import check_fitted
from lpgraph._frames import data_frame
from lpgraph._state import replace_state
from lpgraph._threads import blas_alone
from lpgraph.embed.align import movements
from lpgraph.embed.named_positions import NamedPositions, common_rows
from lpgraph.embed.procrustes import rotation
from lpgraph.graph.changes import changed_network, neighbor_changes
from lpgraph.graph.construct import edges_in_memory
from lpgraph.graph.names import listed, names_at

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from lpgraph._frames import Column, DataFrame
    from lpgraph.graph.adjacency import Adjacency

    Array = NDArray[np.float64]
    Rows = NDArray[np.intp]

__all__ = ["UpdatedByEdges"]


class UpdatedByEdges:
    """Mixin of estimators of vertices that are fitted again when their network changes."""

    graph_: Any

    def update(self, edges: object = None, removed: object = None) -> DataFrame:
        """Change the network, fit again with the same parameters, and return what moved.

        The model becomes that of the changed network; if an error is raised, it stays as it was. A copy
        (``copy.deepcopy``) keeps the earlier model.

        Parameters
        ----------
        edges : list of tuples, table or graph
            Edges to add, by the names of their ends: tuples (u, v) or (u, v, weight), a table as `as_adjacency`
            takes, or a graph. Names that are not known are new vertices. If neither the network nor `edges` has
            weights other than 1, an edge that exists already is not changed; otherwise weights add up.
        removed : list of names and tuples, optional
            What to remove before edges are added: names of vertices, with all of their edges, and edges as tuples
            (u, v). An entry that is the name of a vertex is not read as an edge. An edge that is removed and
            added gets the new weight.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            One row for each vertex: those that both networks have, with the one that moved most first, then new
            ones, and then removed ones.

            - ``name``, and ``status``: "kept", "new" or "removed";
            - ``distance`` and ``ratio`` as in the table of ``moved`` of the embeddings; NaN if not kept;
            - ``degree_change`` and ``changed_neighbors``: the change of the degree, and the number of neighbors
              that only one of the networks has;
            - of a classifier ``earlier_label`` and ``label``, of a clustering ``earlier_cluster`` and ``cluster``,
              missing where there is none; and ``label_changed`` or ``cluster_changed`` of kept vertices. Each fit
              numbers clusters by size; they are matched by their common vertices to find those that changed.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        UnknownVertexError
            If `removed` has names that are not in the network, or the names in `edges` are of another type.
        ArgumentError, ArgumentTypeError
            If an edge in `removed` is not in the network, `edges` is none of these forms, or the network is not in
            memory.
        GraphError
            If the changed network cannot be embedded.

        Notes
        -----
        An embedding keeps its number of dimensions, and is rotated to its earlier positions as by ``align_to``. A
        classifier or a clustering is the same as one that is fitted to the changed network: its positions are not
        rotated, since it uses the leading ones, and only the distances are measured after a rotation. Parameters
        with one value for each vertex, such as covariates, must have the new vertices; see ``set_params``.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> model = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
        >>> table = model.update([(16, 33), (16, 32), ("Anna", 33), ("Anna", 32)], removed=[11, (0, 1)])
        >>> table[["name", "status", "degree_change"]].iloc[[0, -2, -1]]
            name   status  degree_change
        0     16     kept            2.0
        33  Anna      new            2.0
        34    11  removed           -3.0
        >>> model.n_features_in_
        34
        """
        return self._update(edges, removed)

    def _update(self, edges: object, removed: object, labels: object = None) -> DataFrame:
        """Fit again, and replace the fitted state at the end."""
        check_fitted(self, "graph_")
        network = changed_network(edges_in_memory(self.graph_), edges, removed)
        fitted = self._fitted_again(network, labels)
        table = data_frame(self, _table(fitted, self), None)
        replace_state(self, {name: vars(fitted)[name] for name in vars(fitted)["_fitted_names"]})
        return table

    def _fitted_again(self, network: Adjacency, labels: object) -> Self:
        """Return an estimator with the same parameters that is fitted to a changed network."""
        again: Any = clone(self)
        if hasattr(self, "align_to"):
            again.set_params(align_to=self, n_components=None)  # None takes the earlier number
        fitted: Self = again.fit(network)
        return fitted


def _table(model: Any, earlier: Any) -> dict[str, Column]:
    """Return the columns of `UpdatedByEdges.update` for a model and the earlier one."""
    now, before = model.graph_, earlier.graph_
    here, there = common_rows(now.names, before.names)
    distances, ratios = _movements(_positions(model), _positions(earlier), here, there)
    order = np.lexsort((-distances, -ratios))
    here, there = here[order], there[order]
    new, gone = (np.setdiff1d(np.arange(g.n_vertices), rows) for g, rows in ((now, here), (before, there)))
    rows, rest = (here, new, gone), np.full(len(new) + len(gone), np.nan)
    changes = np.column_stack(
        [
            neighbor_changes(now, before, here, there),
            _of_all(now, new),
            np.multiply([[-1], [1]], _of_all(before, gone)),
        ]
    )
    columns: dict[str, Column] = {
        "name": [
            name
            for g, part in zip((now, now, before), rows, strict=True)
            for name in listed(names_at(g.names, part))
        ],
        "status": np.repeat(["kept", "new", "removed"], [len(part) for part in rows]).tolist(),
        "distance": np.append(distances[order], rest),
        "ratio": np.append(ratios[order], rest),
        "degree_change": changes[0],
        "changed_neighbors": changes[1].astype(np.int64),
    }
    for title, attribute in (("label", "transduction_"), ("cluster", "labels_")):
        if attribute in vars(model):
            left, right = getattr(earlier, attribute), getattr(model, attribute)
            changed = left[there] != (right[here] if title == "label" else _matched(right[here], left[there]))
            # As objects: with None, pandas would turn integers into floats.
            columns[f"earlier_{title}"] = np.concatenate((left[there], np.full(len(new), None), left[gone]))
            columns[title] = np.concatenate((right[here], right[new], np.full(len(gone), None)))
            columns[f"{title}_changed"] = np.append(changed, np.zeros(len(rest), dtype=bool))
    return columns


def _positions(model: Any) -> NamedPositions:
    inner = getattr(model, "fitted_embedding_", model)
    sign, inward = getattr(inner, "signature_", None), getattr(inner, "embedding_in_", None)
    return NamedPositions(model.vertex_names_, np.asarray(model.embedding_), inward, sign)


def _movements(now: NamedPositions, before: NamedPositions, here: Rows, there: Rows) -> tuple[Array, Array]:
    """Return the distances of the common vertices after a rotation, and the ratios, in the leading dimensions.

    There are as many of each sign as both fits have, or of any sign if they have none in common.
    """
    a, b = now.stacked(here), before.stacked(there)
    left, right = (
        np.ones(side.d, dtype=np.int64) if side.signature is None else side.signature for side in (now, before)
    )
    counts = [min((left == sign).sum(), (right == sign).sum()) for sign in (1, -1)]
    if not any(counts):
        left, right, counts = np.ones_like(left), np.ones_like(right), [min(now.d, before.d), 0]
    i, j = (
        np.concatenate([np.flatnonzero(signs == sign)[:k] for sign, k in zip((1, -1), counts, strict=True)])
        for signs in (left, right)
    )
    a, b, left, right = a[:, i], b[:, j], left[i], right[j]
    with blas_alone():
        return movements(a, b, left, right, rotation(a, b, left, right, robust=True), len(here))[1:]


def _of_all(graph: Adjacency, rows: Rows) -> Array:
    """Return the degrees and the numbers of neighbors of vertices, of a directed network in both directions."""
    matrix = graph.matrix
    degrees, counts = graph.degrees[rows], np.diff(matrix.indptr)[rows]
    if graph.directed:
        degrees = degrees + graph.in_degrees[rows]
        counts = counts + np.bincount(matrix.indices, minlength=graph.n_vertices)[rows]
    return np.array([degrees, counts])


def _matched(clusters: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return clusters by the numbers of others, each by the free one with most common vertices; -1 is none."""
    pairs, counts = np.unique(np.column_stack([clusters, others]), axis=0, return_counts=True)
    number, taken = np.full(int(clusters.max()) + 1, -1), np.zeros(int(others.max()) + 1, dtype=bool)
    for one, other in pairs[np.argsort(-counts, kind="stable")].tolist():
        if number[one] < 0 and not taken[other]:
            number[one], taken[other] = other, True
    return number[clusters]
