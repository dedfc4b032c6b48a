"""Layout of networks in the plane, from all dimensions of the embedding of each component."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import igraph
import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_generator
from lpgraph.embed.base import at_origin
from lpgraph.embed.laplacian import LaplacianSpectralEmbedding
from lpgraph.embed.vertex_results import new_sides, sides_of
from lpgraph.errors import ConvergenceError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.infer.cluster_choice import Components, clustering_embedding
from lpgraph.infer.vertices import embedded, is_bipartite, new_arcs, undirected, unit_rows, without_weights
from lpgraph.points.neighborhood import Neighborhood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.plot._drawing import Codes

#: Components of fewer vertices are laid out by the lengths of their paths.
FEW = 50
#: Vertices of a component that are laid out; the others are placed between them.
MOST = 100_000
#: Number of edges that are drawn.
MOST_EDGES = 20_000
#: Numbers of nearest rows that attract a vertex, and between which a new vertex is placed.
_NEAR, _PLACING = 15, 5
#: Share of the attraction by edges, and where most edges join vertices with unlike rows. Such edges join groups
#: of vertices that have no nearest rows in common.
_BY_EDGES, _BY_UNLIKE = 0.2, 0.02
#: Rounds of the optimisation, vertices that repel each vertex in a round, the first step, and the longest one.
_ROUNDS, _REPELLING, _STEP, _LONGEST = 200, 5, 0.5, 4.0
#: Tolerance of the start, since eigenvalues of a lattice differ little, and of rows with close eigenvalues.
_TOLERANCE = 1e-4
#: Width of the start, about that of the layout of a thousand vertices.
_WIDTH = 8.0
#: Space between components, and width of a layout divided by its height.
_MARGIN = 1.6
_ASPECT = 4 / 3


class Layout(NamedTuple):
    """Positions in the plane, in which each vertex has about one unit of area.

    Attributes
    ----------
    xy, new : ndarray of shape (n, 2) and (m, 2)
        Positions of the vertices and of new ones.
    below : int
        Number of new vertices without a known neighbor, which are in rows below.
    """

    xy: Array
    new: Array
    below: int = 0


def network_layout(
    graph: Adjacency,
    model: Foreign = None,
    new: NewEdges | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Layout:
    """Lay out each component of a network by itself, and pack the components.

    A component of at least 50 vertices is laid out by `plane`, a smaller one by the lengths of its paths (Kamada &
    Kawai 1989). Vertices without edges are a grid. A new vertex is in the largest component of its known
    neighbors: between the five vertices with the nearest rows, or at the mean of its neighbors if the component
    has fewer than 50 vertices. New vertices without a known neighbor are in rows below.

    Parameters
    ----------
    graph : Adjacency
        The network. Directions and negative weights affect the embedding only.
    model : fitted embedding, classifier or clustering, optional
        Its positions are used in the components that it describes, unless they are too coarse. Default, and in the
        others: the embedding of `VertexClustering`, of each component by itself.
    new : NewEdges, optional
        New vertices.
    random_state : int, Generator or None, default 0
        Seed of the optimisation.

    Returns
    -------
    Layout

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> from lpgraph.plot.layout import network_layout
    >>> graph = lp.as_adjacency(nx.disjoint_union(nx.path_graph(60), nx.complete_graph(3)))
    >>> network_layout(graph).xy.shape
    (63, 2)
    """
    rng, parts = check_generator(random_state), Components.of(graph)
    members = np.split(np.argsort(parts.labels, kind="stable"), np.cumsum(parts.sizes)[:-1])
    arcs = sparse.csr_array((0, graph.n_vertices)) if new is None else without_weights(undirected(new_arcs(new)))
    home = np.full(arcs.shape[0], len(parts.sizes))
    np.minimum.at(home, arcs.tocoo().row, parts.labels[arcs.indices])  # components are numbered by decreasing size
    sides = [] if model is None else sides_of(model)
    placed = [] if model is None or new is None else new_sides(model, new)
    unknown = at_origin(graph, sides) if sides and not _is_coarse(model) else np.full(graph.n_vertices, True)
    attracting = _attracting(graph.matrix)
    boxes: list[Array] = []
    between: dict[int, Codes] = {}
    for k, chosen in enumerate(members[: parts.n_joined]):
        edges, mine = attracting[chosen][:, chosen], np.flatnonzero(home == k)
        if len(chosen) < FEW:
            joined = igraph.Graph(n=len(chosen), edges=np.column_stack(edges.nonzero()))
            boxes.append(np.array(joined.layout_kamada_kawai().coords))
            continue
        if unknown[chosen].all():
            known, added = _own_rows(graph, chosen, arcs[mine], edges)
        else:
            used = _used(model, edges)
            known = _compared([side[chosen][:, used] for side in sides])
            added = _compared([side[mine][:, used] for side in placed]) if placed else known[:0]
        xy, near = plane(known, edges, added, rng)
        boxes.append(xy)
        between |= dict(zip(mine.tolist(), chosen[near], strict=True))
    xy = np.empty((graph.n_vertices, 2))
    xy[np.concatenate(members)] = _packed(boxes, graph.n_vertices)
    return Layout(xy, *_new_positions(xy, arcs, between))


def points_layout(model: Foreign, new: object, random_state: int | np.random.Generator | None = 0) -> Layout:
    """Lay out the points of a fitted model by `plane`; those of an embedding in two dimensions are as they are."""
    rows = np.asarray(model.embedding_, dtype=np.float64)
    others = rows[:0] if new is None else np.asarray(model.transform(new), dtype=np.float64)
    if rows.shape[1] == 2:
        return Layout(rows, others)
    xy, near = plane(rows, sparse.csr_array((len(rows), len(rows))), others, check_generator(random_state))
    return Layout(xy, np.median(xy[near], axis=1))


def plane(rows: Array, edges: sparse.csr_array, new: Array, rng: np.random.Generator) -> tuple[Array, Codes]:
    """Lay out a connected network, so that vertices with near rows are near in the plane.

    Vertices are attracted by those with the 15 nearest rows, and by those to which they are among the 15; a fifth
    of the attraction is by edges, or a fiftieth if these join vertices that are less alike than random pairs.
    Pairs drawn at random repel each other. Forces are those of UMAP with a = b = 1 (McInnes, Healy & Melville
    2018), divided by the number of attracting vertices. All vertices move at the same time, with steps that
    decrease to 0. They start at the ranks of the second and third eigenvector of the attraction, which determine
    the large scale of the picture.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Above 100 000, so many are drawn at random and laid out; the others are placed between the nearest.
    edges : csr_array of shape (n, n)
        Symmetric and nonnegative.
    new : ndarray of shape (m, d)
        Rows of new vertices.
    rng : Generator

    Returns
    -------
    xy : ndarray of shape (n, 2)
    nearest : ndarray of shape (m, 5)
        The vertices with the rows nearest to each new one.

    References
    ----------
    McInnes, L., Healy, J. & Melville, J. (2018), "UMAP: Uniform Manifold Approximation and Projection for
    dimension reduction", arXiv:1802.03426, section 3.2. Böhm, J. N., Berens, P. & Kobak, D. (2022),
    "Attraction-repulsion spectrum in neighbor embeddings", JMLR 23 (why the start matters).
    """
    n = len(rows)
    if n > MOST:
        chosen = np.sort(rng.choice(n, MOST, replace=False))
        others = np.setdiff1d(np.arange(n), chosen)
        some, near = plane(rows[chosen], edges[chosen][:, chosen], np.vstack([rows[others], new]), rng)
        xy = np.empty((n, 2))
        xy[chosen], xy[others] = some, np.median(some[near[: len(others)]], axis=1)
        return xy, chosen[near[len(others) :]]
    # Equal rows may have more neighbors at distance 0 than this: small random numbers make them different.
    noise = 1e-4 * np.sqrt((rows**2).mean()) * rng.normal(size=rows.shape)
    hood = Neighborhood.of(rows + noise, n_neighbors=min(_NEAR, n - 1))
    nearest = hood.nearest_training(min(_NEAR, n - 1))[0]
    listed = (np.ones(nearest.size), nearest.ravel(), np.arange(0, nearest.size + 1, nearest.shape[1]))
    alike = sparse.csr_array(listed, shape=(n, n))
    pull = _shares(alike + alike.T)
    if edges.nnz:
        # Where most edges join vertices that are unlike, they would pull groups apart.
        centred = rows - rows.mean(axis=0)
        share = _BY_EDGES if np.sum(centred * (edges @ centred)) > 0 else _BY_UNLIKE
        pull = (1 - share) * pull + share * _shares(edges)
    xy = _moved(_start(pull), pull, rng)
    return xy, hood.nearest(new, min(_PLACING, n))[0]


def drawn_edges(matrix: sparse.csr_array, *, directed: bool) -> tuple[Codes, Codes, Array, str]:
    """Return the ends and weights of the edges that are drawn, and how many, in words, if these are not all.

    Arcs in both directions are one edge, and loops are none. Of more than 20 000 edges so many are drawn,
    chosen at random.
    """
    upper = sparse.triu(matrix + matrix.T if directed else matrix, k=1).tocoo()
    row, column, weight = upper.row.astype(np.intp), upper.col.astype(np.intp), upper.data
    if len(row) <= MOST_EDGES:
        return row, column, weight, ""
    some = np.sort(np.random.default_rng(0).choice(len(row), MOST_EDGES, replace=False))
    return row[some], column[some], weight[some], f"{MOST_EDGES:,} drawn"


def _start(pull: sparse.csr_array) -> Array:
    """Return the ranks of the coordinates of a spectral embedding in the plane, which has distant outliers."""
    symmetric = Adjacency.of_canonical(pull + pull.T, range(pull.shape[0]), directed=False)
    model = LaplacianSpectralEmbedding(3, regularizer="mean", which="LA", tol=_TOLERANCE)
    vectors = embedded(model, symmetric, quiet=True)[0]
    first = vectors[:, :1]
    xy = np.divide(vectors[:, 1:], first, out=np.zeros_like(vectors[:, 1:]), where=first > 0)
    return _WIDTH * (xy.argsort(axis=0, kind="stable").argsort(axis=0) / len(xy) - 0.5)


def _moved(xy: Array, pull: sparse.csr_array, rng: np.random.Generator) -> Array:
    """Return the positions after all rounds of attraction and repulsion."""
    n, degrees, weight = len(xy), np.diff(pull.indptr), 4 * pull.data.astype(np.float32)
    xy = xy.astype(np.float32)  # in single precision: memory takes most of the time
    for left in np.linspace(_STEP, 0, _ROUNDS, endpoint=False, dtype=np.float32):
        square = sum((side[pull.indices] - np.repeat(side, degrees)) ** 2 for side in np.ascontiguousarray(xy.T))
        force = sparse.csr_array((weight / (1 + square), pull.indices, pull.indptr), shape=(n, n))
        step = force @ xy - force.sum(axis=1)[:, None] * xy
        for _ in range(_REPELLING):
            gap = xy - xy[rng.integers(n, size=n)]
            square = np.einsum("ij,ij->i", gap, gap)[:, None]
            step += np.clip(2 * gap / ((0.01 + square) * (1 + square)), -_LONGEST, _LONGEST)
        xy = xy + left * step
    return xy.astype(np.float64)


def _shares(weights: sparse.csr_array) -> sparse.csr_array:
    """Return weights as shares of the sum of each row; rows of zeros remain."""
    total = weights.sum(axis=1)
    inverse = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
    return sparse.csr_array(sparse.diags_array(inverse) @ weights)


def _attracting(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return 1 for each edge of positive weight, in both directions, without loops."""
    arcs: sparse.csr_array = (matrix > 0).astype(np.float64)
    upper = sparse.triu(arcs + arcs.T, k=1, format="csr")
    upper.data[:] = 1.0
    return sparse.csr_array(upper + upper.T)


def _used(model: Foreign, edges: sparse.csr_array) -> Foreign:
    """Return which dimensions of a model are compared: in bipartite components, those of positive eigenvalues."""
    values: Foreign = getattr(model, "eigenvalues_", None)
    whole = values is None or len(values) != model.embedding_.shape[1] or not is_bipartite(edges)
    return slice(None) if whole else values > 0


def _own_rows(
    graph: Adjacency, chosen: Codes, arcs: sparse.csr_array, edges: sparse.csr_array
) -> tuple[Array, Array]:
    """Return the rows of a component, embedded by itself without directions, and of its new vertices.

    The spectrum of a bipartite network is symmetric: eigenvectors of negative eigenvalues are the other ones, with
    other signs on one of the two sides. They are not used, because they would only separate the sides.
    """
    part = Adjacency.of_canonical(graph.matrix[chosen][:, chosen], range(len(chosen)), graph.directed)
    model, network = clustering_embedding(part)
    if is_bipartite(edges):
        model.set_params(which="LA")
    sides = embedded(model, network, quiet=True)
    if _is_coarse(model):
        with suppress(ConvergenceError):
            sides = embedded(model.set_params(tol=_TOLERANCE), network, quiet=True)
    rows = _compared(sides)
    return rows, _compared([model.transform(arcs[:, chosen])]) if arcs.shape[0] else rows[:0]


def _is_coarse(model: Foreign) -> bool:
    """Whether eigenvectors are mixed with those of other, close eigenvalues, as in long paths."""
    residuals, values = getattr(model, "residuals_", None), getattr(model, "eigenvalues_", None)
    if residuals is None or values is None:
        return False
    return bool(np.max(residuals, initial=0) > max(np.ptp(np.abs(values)) / 4, _TOLERANCE))


def _compared(sides: Sequence[Array]) -> Array:
    """Return the rows that are compared: directions, or the positions in one or two dimensions."""
    return np.hstack([side if side.shape[1] < 3 else unit_rows(side) for side in sides])


def _new_positions(xy: Array, arcs: sparse.csr_array, between: dict[int, Codes]) -> tuple[Array, int]:
    """Return the positions of new vertices, and how many are below.

    They are between known vertices, or at the mean of all known neighbors.
    """
    new: Array = _shares(arcs) @ xy
    for i, some in between.items():
        new[i] = np.median(xy[some], axis=0)
    alone = np.flatnonzero(np.diff(arcs.indptr) == 0)
    (left, bottom), columns = xy.min(axis=0), int(max(np.ptp(xy[:, 0]) // 2, 10))
    place = np.arange(len(alone))
    new[alone] = np.column_stack([left + 2.0 * (place % columns), bottom - 2.0 * (1 + place // columns)])
    return new, len(alone)


def _packed(boxes: list[Array], n: int) -> Array:
    """Return the layouts of components side by side: each at the scale of one vertex per unit of area.

    The highest is the first; the others are in rows beside it, and then below it. Vertices without edges, which
    have no layout, are a grid below.
    """
    scaled = [_upright(box) for box in boxes]
    sizes = np.array([np.ptp(box, axis=0) + _MARGIN for box in scaled]).reshape(-1, 2)
    alone = n - sum(map(len, boxes))
    width = max(np.sqrt(_ASPECT * (sizes.prod(axis=1).sum() + alone)), sizes[:, 0].max(initial=0))
    order = np.argsort(-sizes[:, 1], kind="stable").tolist()
    start = left = top = tallest = bottom = 0.0
    for k in order:
        wide, tall = sizes[k]
        if left + wide > width + 1e-9:
            left, top, tallest = start, top - tallest, 0.0
        if start and (top - tall < bottom or start + wide > width):  # the next rows are below the first component
            start, left, top, tallest = 0.0, 0.0, bottom, 0.0
        scaled[k] = scaled[k] - [scaled[k][:, 0].min() - left, scaled[k][:, 1].max() - top]
        left, tallest = left + wide, max(tallest, tall)
        if k == order[0]:
            start, bottom, tallest = wide, -tall, 0.0
    bottom = min(bottom, top - tallest)
    across, down = np.arange(alone) % int(width), np.arange(alone) // int(width)
    return np.vstack([*scaled, np.column_stack([across, bottom - down])])


def _upright(xy: Array) -> Array:
    """Return a layout with its longest axis horizontal, in a box of one unit of area for each vertex."""
    centred = xy - xy.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    wide, tall = np.ptp(turned, axis=0) + 1e-9
    return np.asarray(turned * np.sqrt(len(xy) / (wide * max(tall, wide / 2))))
