"""Layout of networks in the plane, from all dimensions of the embedding of each component."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import igraph
import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from lpgraph._utils.checks import check_generator
from lpgraph.embed.base import at_origin
from lpgraph.embed.laplacian import LaplacianSpectralEmbedding
from lpgraph.embed.vertex_results import new_sides, sides_of
from lpgraph.errors import ConvergenceError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.infer.cluster_choice import Components, clustering_embedding
from lpgraph.infer.vertices import (
    embedded,
    is_bipartite,
    known_arcs,
    new_arcs,
    undirected,
    unit_rows,
    without_weights,
)
from lpgraph.points.neighborhood import Neighborhood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array
    from lpgraph.graph.new_vertices import NewEdges

    from ._drawing import Codes

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
        Its positions are used in the components that it describes, unless they are too coarse or the component is
        bipartite. Default, and in the others: the embedding of `VertexClustering`, of each component by itself.
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
    rng, parts, n = check_generator(random_state), Components.of(graph), graph.n_vertices
    arcs = sparse.csr_array((0, n)) if new is None else without_weights(undirected(new_arcs(new)))
    # Components are numbered by decreasing size, and those without edges are one group, the last.
    home = np.full(arcs.shape[0], parts.n_joined)
    np.minimum.at(home, arcs.tocoo().row, parts.labels[arcs.indices])
    group = np.minimum(np.concatenate([parts.labels, home]), parts.n_joined)
    sizes = np.bincount(group, minlength=parts.n_joined + 1)
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(sizes)[:-1])
    sides = [] if model is None else sides_of(model)
    unknown = at_origin(graph, sides) if sides and not _is_coarse(model) else np.full(n, True)
    if sides and new is not None:
        sides = [np.vstack(pair) for pair in zip(sides, new_sides(model, new), strict=True)]
    attracting = _attracting(graph)
    boxes: list[Array] = []
    for items in members[: parts.n_joined]:
        chosen, added = items[items < n], items[items >= n] - n
        edges, links = attracting[chosen][:, chosen], arcs[added][:, chosen]
        if len(chosen) < FEW:
            joined = igraph.Graph(n=len(chosen), edges=np.column_stack(edges.nonzero()))
            xy = np.array(joined.layout_kamada_kawai().coords)
            xy = np.vstack([xy, _shares(links) @ xy])
        elif unknown[chosen].all() or is_bipartite(edges):
            xy = plane(_own_rows(graph, chosen, links, edges), edges, rng)
        else:
            xy = plane(_compared([side[items] for side in sides]), edges, rng)
        boxes.append(_upright(xy, len(chosen)))
    xy = np.empty((len(group), 2))
    xy[np.concatenate(members)] = _packed(boxes, int(sizes[-1]))
    return Layout(xy[:n], xy[n:], int((np.diff(arcs.indptr) == 0).sum()))


def points_layout(model: Foreign, new: object, random_state: int | np.random.Generator | None = 0) -> Layout:
    """Lay out the points of a fitted model by `plane`; those of an embedding in two dimensions are as they are."""
    rows = np.asarray(model.embedding_, dtype=np.float64)
    n = len(rows)
    if new is not None:
        rows = np.vstack([rows, np.asarray(model.transform(new))])
    xy = rows if rows.shape[1] == 2 else plane(rows, sparse.csr_array((n, n)), check_generator(random_state))
    return Layout(xy[:n], xy[n:])


def plane(rows: Array, edges: sparse.csr_array, rng: np.random.Generator) -> Array:
    """Lay out a connected network, so that vertices with near rows are near in the plane.

    Vertices are attracted by those with the 15 nearest rows, and by those to which they are among the 15; a fifth
    of the attraction is by edges, or a fiftieth if these join vertices that are less alike than random pairs.
    Pairs drawn at random repel each other. Forces are those of UMAP with a = b = 1 (McInnes, Healy & Melville
    2018), divided by the number of attracting vertices. All vertices move at the same time, with steps that
    decrease to 0. They start at the ranks of the second and third eigenvector of the attraction, which determine
    the large scale of the picture.

    Parameters
    ----------
    rows : ndarray of shape (n + m, d)
        The rows of the vertices, and of m new ones, which are placed between the five with the nearest rows.
    edges : csr_array of shape (n, n)
        Symmetric and nonnegative. Of more than 100 000 vertices, so many are drawn at random and laid out; the
        others are placed as new ones.
    rng : Generator

    Returns
    -------
    ndarray of shape (n + m, 2)

    References
    ----------
    McInnes, L., Healy, J. & Melville, J. (2018), "UMAP: Uniform Manifold Approximation and Projection for
    dimension reduction", arXiv:1802.03426, section 3.2. Böhm, J. N., Berens, P. & Kobak, D. (2022),
    "Attraction-repulsion spectrum in neighbor embeddings", JMLR 23 (why the start matters).
    """
    n = edges.shape[0]
    chosen = np.arange(n)
    if n > MOST:
        chosen = np.sort(rng.choice(n, MOST, replace=False))
        n, edges = MOST, edges[chosen][:, chosen]
    known, others = rows[chosen], np.setdiff1d(np.arange(len(rows)), chosen)
    # Equal rows may have more neighbors at distance 0 than this: small random numbers make them different.
    noise = 1e-4 * np.sqrt((known**2).mean()) * rng.normal(size=known.shape)
    hood = Neighborhood.of(known + noise, n_neighbors=min(_NEAR, n - 1))
    nearest = hood.nearest_training(min(_NEAR, n - 1))[0]
    listed = (np.ones(nearest.size), nearest.ravel(), np.arange(0, nearest.size + 1, nearest.shape[1]))
    alike = sparse.csr_array(listed, shape=(n, n))
    pull = _shares(alike + alike.T)
    if edges.nnz:
        # Where most edges join vertices that are unlike, they would pull groups apart.
        centred = known - known.mean(axis=0)
        share = _BY_EDGES if np.sum(centred * (edges @ centred)) > 0 else _BY_UNLIKE
        pull = (1 - share) * pull + share * _shares(edges)
    xy = np.empty((len(rows), 2))
    xy[chosen] = laid_out = _moved(_start(pull), pull, rng)
    xy[others] = np.median(laid_out[hood.nearest(rows[others], min(_PLACING, n))[0]], axis=1)
    return xy


def drawn_edges(matrix: sparse.csr_array, *, directed: bool) -> tuple[Codes, Codes, Array, str]:
    """Return the ends and weights of the edges that are drawn, and how many, in words, if these are not all.

    Arcs in both directions are one edge, and loops are none. Of more than 20 000 edges so many are drawn,
    chosen at random.
    """
    upper = sparse.triu(matrix + matrix.T if directed else matrix, k=1).tocoo()
    row, column, weight = upper.row.astype(np.intp), upper.col.astype(np.intp), upper.data
    some = np.sort(np.random.default_rng(0).choice(len(row), min(len(row), MOST_EDGES), replace=False))
    told = f"{len(some):,} drawn" if len(some) < len(row) else ""
    return row[some], column[some], weight[some], told


def _start(pull: sparse.csr_array) -> Array:
    """Return the ranks of the coordinates of a spectral embedding in the plane, which has distant outliers."""
    symmetric = Adjacency.of_canonical(pull + pull.T, range(pull.shape[0]), directed=False)
    model = LaplacianSpectralEmbedding(3, regularizer="mean", which="LA", tol=_TOLERANCE)
    vectors = embedded(model, symmetric, quiet=True)[0]
    first = vectors[:, :1]
    xy = np.divide(vectors[:, 1:], first, out=np.zeros_like(vectors[:, 1:]), where=first > 0)
    return np.asarray(_WIDTH * ((rankdata(xy, "ordinal", axis=0) - 1) / len(xy) - 0.5))


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


def _attracting(graph: Adjacency) -> sparse.csr_array:
    """Return 1 for each edge of positive weight, in both directions, without loops."""
    arcs = known_arcs(graph)[0]
    joined: sparse.csr_array = (arcs.maximum(arcs.T) > 0).astype(np.float64)
    return joined.tocsr()


def _own_rows(graph: Adjacency, chosen: Codes, links: sparse.csr_array, edges: sparse.csr_array) -> Array:
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
    return np.vstack([rows, _compared([model.transform(links)])]) if links.shape[0] else rows


def _is_coarse(model: Foreign) -> bool:
    """Whether eigenvectors are mixed with those of other, close eigenvalues, as in long paths."""
    values = getattr(model, "eigenvalues_", None)
    limit = 0.0 if values is None else max(np.ptp(np.abs(values)) / 4, _TOLERANCE)
    return values is not None and bool(np.max(model.residuals_, initial=0) > limit)


def _compared(sides: Sequence[Array]) -> Array:
    """Return the rows that are compared: directions, or the positions in one or two dimensions."""
    return np.hstack([side if side.shape[1] < 3 else unit_rows(side) for side in sides])


def _packed(boxes: list[Array], alone: int) -> Array:
    """Return the layouts of components in rows, and so many vertices in a grid below.

    The highest component is the first. Rows of others are beside it, and then below it.
    """
    sizes = np.array([np.ptp(box, axis=0) + _MARGIN for box in boxes]).reshape(-1, 2)
    width = max(np.sqrt(_ASPECT * (sizes.prod(axis=1).sum() + alone)), sizes[:, 0].max(initial=0)) + 1e-9
    placed, start, left, top, bottom, floor = list(boxes), 0.0, 0.0, 0.0, 0.0, 0.0
    for k in np.argsort(-sizes[:, 1], kind="stable").tolist():
        wide, tall = sizes[k]
        if left + wide > width:
            left, top = start, bottom
        if start and (left + wide > width or top - tall < floor):
            start, left, top = 0.0, 0.0, floor
        placed[k] = boxes[k] + [left - boxes[k][:, 0].min(), top - boxes[k][:, 1].max()]
        left, bottom = left + wide, min(bottom, top - tall)
        if not floor:
            start, bottom, floor = left, 0.0, bottom
    bottom = min(bottom, floor)
    across, down = np.arange(alone) % int(width), np.arange(alone) // int(width)
    return np.vstack([*placed, np.column_stack([across, bottom - down])])


def _upright(xy: Array, n: int) -> Array:
    """Return a layout with the longest axis of the first n vertices horizontal, in a box of n units of area."""
    centred = xy - xy[:n].mean(axis=0)
    turned = centred @ np.linalg.svd(centred[:n], full_matrices=False)[2].T
    wide, tall = np.ptp(turned[:n], axis=0) + 1e-9
    return np.asarray(turned * np.sqrt(n / (wide * max(tall, wide / 2))))
