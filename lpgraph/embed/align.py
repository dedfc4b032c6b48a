"""Alignment of a fit to an earlier one, so that positions stay comparable, and fits of a changed network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.estimators import check_fitted, replace_state
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.changes import changed_network, neighbor_changes
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import listed, names_at
from lpgraph.spectral.aligned import LEAST_COSINE, Alignment, common_directions
from lpgraph.spectral.embedding import OfEachSign

from .procrustes import NamedPositions, common_rows, fitted_part, relative_distances, rotation

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from typing import Self, TypeAlias

    import pandas
    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.estimators import Column
    from lpgraph._utils.types import Array, Integers
    from lpgraph.graph.adjacency import Network
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.embedding import Dimension, SpectralEmbedding

    #: A fitted model, or positions by name.
    AlignTo: TypeAlias = BaseEstimator | NamedPositions | Mapping[Hashable, ArrayLike] | ArrayLike | None
    Signs: TypeAlias = NDArray[np.int64]

#: Squares of singular values below this share of the largest are 0 to rounding.
_ZERO = 1e-13


def stored_positions(align_to: object) -> object:
    """Return what is saved for `align_to`: positions, since files would otherwise hold all earlier models."""
    return None if align_to is None else NamedPositions.of("align_to", align_to)


@dataclass(frozen=True, eq=False)
class Target:
    """Positions to which a fit is aligned, and the vertices that both have.

    Attributes
    ----------
    earlier : NamedPositions
        The earlier positions.
    rows, earlier_rows : ndarray of shape (c,)
        Rows of the common vertices here and there.
    network : Network
        The network.
    before : Adjacency or None
        The earlier network, if it is known.
    """

    earlier: NamedPositions
    rows: Integers
    earlier_rows: Integers
    network: Network
    before: Adjacency | None

    @classmethod
    def of(cls, align_to: object, items: Network, method: str) -> Target:
        """Read `align_to` and check that it belongs to the same method and has enough vertices in common."""
        earlier = NamedPositions.of("align_to", align_to)
        if earlier.kind not in (None, method):
            raise ArgumentError(f"align_to was fitted by {earlier.kind}; pass an earlier fit of {method}.")
        # Named positions are those of one side.
        if earlier.kind is not None and (earlier.sides == 2) != items.directed:
            raise ArgumentError("Either the graph or that of align_to is directed; pass a fit of the same kind.")
        here, there = common_rows(items.names, earlier.names)
        if len(here) < earlier.d:
            raise ArgumentError(
                f"The graph and align_to have {len(here)} common names, for {earlier.d} dimensions; "
                "pass an earlier fit of the same vertices."
            )
        fitted = fitted_part(align_to) if hasattr(align_to, "get_params") else None
        return cls(earlier, here, there, items, getattr(fitted, "graph_", None))

    def dimension(
        self, n_components: Dimension | OfEachSign, construction: Construction
    ) -> Dimension | OfEachSign:
        """Return the earlier dimension for None.

        If eigenvalues of largest magnitude are wanted, and the earlier signs are known, it is the number of each.
        """
        signs = self.earlier.signature
        if n_components is not None or signs is None or construction.end != "magnitude":
            return self.earlier.d if n_components is None else n_components
        return OfEachSign(int((signs > 0).sum()), int((signs < 0).sum()))

    @blas_alone()
    def align(self, construction: Construction, found: SpectralEmbedding) -> SpectralEmbedding:
        """Return the embedding, rotated."""
        d = len(found.values)
        if d != self.earlier.d:
            raise ArgumentError(f"n_components={d}, but align_to has {self.earlier.d}; pass n_components=None.")
        into = None if self.earlier.sides == 1 else found.coordinates_in
        a = NamedPositions(range(0), construction.training(found), into).stacked(self.rows)
        b = self.earlier.stacked(self.earlier_rows)
        left = np.where(found.values < 0, -1, 1).astype(np.int64)
        right = self._signature(left)
        self._check_rank(a, left)
        self._check_rank(b, right)
        turn, cosines, order, distances, ratios = _movements(a, b, left, right, self.earlier.sides)
        lost = int((cosines < LEAST_COSINE).sum())
        if lost:
            warn(
                f"{lost} of {len(cosines)} directions of align_to are not in this fit; moved() leaves them out. "
                f"Fit both with n_components={len(cosines) - lost or 1}.",
                LpgraphWarning,
            )
        rows, network, before = self.rows[order], self.network, self.before
        counts = network.n_vertices - len(rows), self.earlier.n - len(rows)
        alignment = Alignment(turn, right, cosines, rows, distances, ratios, *counts)
        if isinstance(network, Adjacency) and isinstance(before, Adjacency):
            degrees, neighbors = neighbor_changes(network, before, rows, self.earlier_rows[order])
            alignment = replace(alignment, degree_change=degrees, changed_neighbors=neighbors)
        into, extension_in = found.coordinates_in, found.extension_in
        return replace(
            found,
            coordinates=found.coordinates @ turn,
            extension=found.extension.turned(turn),
            coordinates_in=None if into is None else into @ turn,
            extension_in=None if extension_in is None else extension_in.turned(turn),
            alignment=alignment,
        )

    def _signature(self, left: Signs) -> Signs:
        """Return the sign of each earlier column."""
        right = self.earlier.signature
        if right is None:
            if (left > 0).all():
                return left
            raise ArgumentError("The signs of align_to are not known; pass the earlier model, or which='LA'.")
        own, other = (int((signs < 0).sum()) for signs in (left, right))
        if own != other:
            raise ArgumentError(
                f"{own} eigenvalues are negative, but align_to has {other}; "
                "pass n_components=None, and the same which to both fits."
            )
        return right

    def _check_rank(self, positions: Array, signs: Signs) -> None:
        """Refuse if the positions of the common vertices have fewer dimensions than columns of a sign."""
        for sign in np.unique(signs):
            block = positions[:, signs == sign]
            rank = np.linalg.matrix_rank(block.T @ block, rtol=_ZERO, hermitian=True)
            if rank < block.shape[1]:
                spanned = f"The common vertices span {rank} of {block.shape[1]} dimensions of the sign {sign}"
                raise ArgumentError(f"{spanned}; pass a fit with more of them, or with fewer dimensions.")


def _movements(
    a: Array, b: Array, left: Signs, right: Signs, sides: int
) -> tuple[Array, Array, Integers, Array, Array]:
    """Return the rotation, cosines, order of vertices, distances and ratios of an `Alignment`.

    The rows of `a` and `b` are positions as sources, followed by those as targets if there are two sides.
    """
    turn = rotation(a, b, left, right, robust=True)
    cosines, of_a, of_b = common_directions(a, b, left, right)
    here, there = (np.hstack(np.split(side, sides)) for side in (a @ (of_a @ turn), b @ of_b))
    distances, ratios = np.linalg.norm(here - there, axis=1), relative_distances(here, there)
    order = np.lexsort((-distances, -ratios))
    return turn, cosines, order, distances[order], ratios[order]


class UpdatedByEdges:
    """Mixin of estimators of vertices that are fitted again when their network changes."""

    graph_: Adjacency

    def update(self, edges: object = None, removed: object = None) -> pandas.DataFrame:
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
        pandas.DataFrame
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

    def _update(self, edges: object, removed: object, labels: object = None) -> pandas.DataFrame:
        """Fit again, and replace the fitted state at the end."""
        check_fitted(self, "graph_")
        network = changed_network(as_adjacency(self.graph_), edges, removed)
        fitted = self._fitted_again(network, labels)
        import pandas

        table = pandas.DataFrame(_table(fitted, self))
        replace_state(self, {name: vars(fitted)[name] for name in vars(fitted)["_fitted_names"]})
        return table

    def _fitted_again(self, network: Adjacency, labels: object) -> Self:
        """Return an estimator with the same parameters that is fitted to a changed network."""
        fitted: Self = clone(self).fit(network)
        return fitted


def _table(model: BaseEstimator, earlier: BaseEstimator) -> dict[str, Column]:
    """Return the columns of `UpdatedByEdges.update` for a model and the earlier one."""
    now, before = model.graph_, earlier.graph_
    here, there = common_rows(now.names, before.names)
    order, distances, ratios = _moves(_positions(model), _positions(earlier), here, there)
    here, there = here[order], there[order]
    new = np.setdiff1d(np.arange(now.n_vertices), here)
    gone = np.setdiff1d(np.arange(before.n_vertices), there)
    rest = np.full(len(new) + len(gone), np.nan)
    added = neighbor_changes(now, _without_edges(now), new, new)
    lost = neighbor_changes(_without_edges(before), before, gone, gone)
    changes = np.hstack([neighbor_changes(now, before, here, there), added, lost])
    columns: dict[str, Column] = {
        "name": listed(names_at(now.names, np.append(here, new))) + listed(names_at(before.names, gone)),
        "status": np.repeat(["kept", "new", "removed"], [len(here), len(new), len(gone)]).tolist(),
        "distance": np.append(distances, rest),
        "ratio": np.append(ratios, rest),
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


def _positions(model: BaseEstimator) -> NamedPositions:
    inner = getattr(model, "fitted_embedding_", model)
    sign, inward = getattr(inner, "signature_", None), getattr(inner, "embedding_in_", None)
    return NamedPositions(model.vertex_names_, np.asarray(model.embedding_), inward, sign)


@blas_alone()
def _moves(
    now: NamedPositions, before: NamedPositions, here: Integers, there: Integers
) -> tuple[Integers, Array, Array]:
    """Return the order, distances and ratios of the common vertices after a rotation, in the leading dimensions.

    There are as many of each sign as both fits have, or of any sign if they have none in common.
    """
    left, right = (np.ones(of.d, dtype=np.int64) if of.signature is None else of.signature for of in (now, before))
    if not np.isin(left, right).any():
        left, right = np.ones_like(left), np.ones_like(right)
    columns = [(np.flatnonzero(left == sign), np.flatnonzero(right == sign)) for sign in (1, -1)]
    i, j = np.transpose([pair for both in columns for pair in zip(*both, strict=False)])
    a, b = now.stacked(here)[:, i], before.stacked(there)[:, j]
    return _movements(a, b, left[i], right[j], now.sides)[2:]


def _without_edges(graph: Adjacency) -> Adjacency:
    return Adjacency.of_canonical(sparse.csr_array(graph.matrix.shape), graph.names, graph.directed)


def _matched(clusters: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return clusters by the numbers of others, matched with most common vertices in all; -1 is none."""
    common = sparse.coo_array((np.ones(len(clusters)), (clusters, others))).toarray()
    number = np.full(len(common), -1)
    rows, columns = linear_sum_assignment(common, maximize=True)
    number[rows] = columns
    return number[clusters]
