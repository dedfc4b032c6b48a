"""New vertices given by names: rows of names, and edges divided by which of their ends are new."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import LARGEST
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList, Rules, check_weights, edges_matrix, real_csr
from lpgraph.graph.label_signs import n_labels, warn_of_labels
from lpgraph.graph.names import (
    Labels,
    Names,
    as_labels,
    as_names,
    code_names,
    index_of,
    listed,
    name_at,
    names_at,
    number_by_appearance,
)
from lpgraph.graph.new_edges import NewEdges
from lpgraph.graph.repeats import Repeats
from lpgraph.graph.unknown_names import alike, difference, warn_of_misspelled
from lpgraph.linalg.sparse_structure import index_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names

    Array = NDArray[np.float64]

__all__ = ["check_linked", "from_edges", "from_graph", "from_mapping", "from_tuples"]

#: The weight of the edge to each known vertex, by its row.
Ties: TypeAlias = dict[int, float]

_REMEDY = "A neighbor is a known vertex or another new one; fit them too, or leave them out."


def from_mapping(new: Mapping[Hashable, object], index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices from ``{name: neighbors}``."""
    # Plain dicts throughout: for one vertex with ten neighbors, array calls would cost more than the work.
    names = as_names([name for name in new if name not in index], argument="new")
    if new and not len(names):
        raise _all_known(list(new), len(index))
    place = index_of(names)
    unknown: dict[Hashable, None] = {}
    rows: list[Ties] = [{} for _ in names]
    inward: dict[tuple[int, int], float] = {}
    among: dict[tuple[int, int], float] = {}
    between: set[tuple[int, int]] = set()
    ties_listed = 0
    for name, neighbors in new.items():
        i, u = place.get(name, -1), index.get(name)
        for neighbor, value in _neighbors(name, neighbors):
            j, v = place.get(neighbor), index.get(neighbor)
            if j is None and v is None:
                unknown[neighbor] = None
            elif u is not None and v is not None:
                between.add((u, v) if directed else (min(u, v), max(u, v)))
            else:
                ties_listed += 1
                if v is not None:
                    rows[i][v] = rows[i].get(v, 0.0) + value
                elif j is not None:
                    ties, key = (among, (i, j)) if u is None else (inward, (j, u))
                    ties[key] = ties.get(key, 0.0) + value
    if unknown:
        raise UnknownVertexError(
            unknown, f"{alike(unknown, index) or _as_labels(new, unknown)} {_REMEDY}".lstrip()
        )
    repeated = ties_listed - sum(map(len, rows)) - len(inward) - len(among)
    rows_in = None
    if inward and directed:
        into: list[Ties] = [{} for _ in names]
        for (j, u), value in inward.items():
            into[j][u] = value
        rows_in = _sparse(into, len(index))
    elif inward:
        _join(rows, inward, names, index)
    return NewEdges(
        _sparse(rows, len(index)),
        names,
        rows_in,
        _among(among, names, directed) if among else None,
        n_ignored=len(between),
        n_repeated=repeated,
    )


def _as_labels(new: Mapping[Hashable, object], unknown: Container[Hashable]) -> str:
    """Return a question if the neighbors in a mapping, all unknown, seem to be labels; else an empty text."""
    pairs = [(name, neighbor) for name, found in new.items() for neighbor, _ in _neighbors(name, found)]
    if not pairs or any(neighbor not in unknown for _, neighbor in pairs):
        return ""
    columns = [as_labels(column, "new") for column in zip(*pairs, strict=True)]
    count = n_labels(EdgeList(*number_by_appearance(*columns), None, False))
    values = f"new has each name once, and {count} different values beside them"
    return f"{values}: is it a mapping of labels?" if count else ""


def _sparse(rows: list[Ties], n: int) -> sparse.csr_array:
    """Return rows given by the weight of each known vertex; an edge of weight 0 is no edge."""
    indptr, indices, data = [0], [], []
    for row in rows:
        kept = sorted(j for j, value in row.items() if value != 0)
        indices.extend(kept)
        data.extend([row[j] for j in kept])
        indptr.append(len(indices))
    shape = len(rows), n
    dtype = index_dtype(shape, len(data))
    return sparse.csr_array(
        (np.array(data, dtype=np.float64), np.array(indices, dtype=dtype), np.array(indptr, dtype=dtype)),
        shape=shape,
    )


def _join(
    rows: list[Ties],
    inward: Mapping[tuple[int, int], float],
    names: Names,
    index: Mapping[Hashable, int],
) -> None:
    """Add undirected edges that are given at the known end; one that is given at both ends counts once."""
    for (j, u), value in inward.items():
        if rows[j].setdefault(u, value) != value:
            known = next(name for name, row in index.items() if row == u)
            raise _unequal(name_at(names, j), known, rows[j][u], value)


def _unequal(one: Hashable, other: Hashable, here: float, there: float) -> ArgumentError:
    return ArgumentError(
        f"The edge {one!r}, {other!r} has weight {here} at one end and {there} at the other; give it the same at "
        "both, or at one end only."
    )


def _all_known(names: list[Hashable], n: int) -> ArgumentError:
    known = f"The vertex {names[0]!r} of new is" if len(names) == 1 else f"All {len(names)} vertices of new are"
    return ArgumentError(f"{known} known; pass edges of new vertices, or a graph with all {n} known ones.")


def _neighbors(name: Hashable, neighbors: object) -> Iterable[tuple[Hashable, float]]:
    """Return pairs of neighbor and weight, which are checked."""
    if isinstance(neighbors, str | bytes) or not isinstance(neighbors, Iterable):
        raise ArgumentTypeError(
            f"new[{name!r}]={neighbors!r} is {a_type(neighbors)}; "
            "pass a list of names, or a mapping of names to weights."
        )
    if not isinstance(neighbors, Mapping):
        neighbors = list(neighbors)
        _check_hashable(name, neighbors)
        return [(neighbor, 1.0) for neighbor in neighbors]
    for neighbor, value in neighbors.items():
        real = isinstance(value, int | float | np.integer | np.floating | np.bool_)
        if not real or not abs(value) <= LARGEST:
            raise ArgumentError(
                f"new[{name!r}][{neighbor!r}] is {_shown(value)}; pass finite weights up to {LARGEST:g}."
            )
    return [(neighbor, float(value)) for neighbor, value in neighbors.items()]


def _shown(value: object) -> str:
    huge = isinstance(value, int) and abs(value) > LARGEST  # Python does not spell out some thousands of digits
    return "an integer beyond that" if huge else f"{value!r:.40}"


def _check_hashable(name: object, neighbors: list[Hashable]) -> None:
    try:
        for neighbor in neighbors:
            hash(neighbor)
    except TypeError:
        raise ArgumentTypeError(
            f"new[{name!r}] has the neighbor {neighbor!r}, {a_type(neighbor)}, which is no vertex name."
        ) from None


def _among(among: dict[tuple[int, int], float], names: Names, directed: bool) -> sparse.csr_array:
    if not directed:
        for (i, j), value in among.items():
            if among.get((j, i), value) != value:
                raise _unequal(name_at(names, i), name_at(names, j), value, among[j, i])
        among = {(min(i, j), max(i, j)): value for (i, j), value in among.items()}
    i, j = np.array(list(among), dtype=np.intp).T
    return edges_matrix(EdgeList(names, i, j, np.array(list(among.values())), directed), Rules())


def from_tuples(new: Sequence[tuple[Hashable, ...]], index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices from tuples (u, v) or (u, v, weight)."""
    widths = set(map(len, new))
    if widths not in ({2}, {3}):
        raise ArgumentError(
            f"new is a list of tuples of lengths {sorted(widths)}; pass (u, v), or (u, v, weight) throughout."
        )
    columns = list(zip(*new, strict=True))
    weight = check_weights(list(columns[2]), len(new)) if len(columns) == 3 else None
    return from_edges(as_labels(columns[0], "new"), as_labels(columns[1], "new"), weight, index, directed)


def from_edges(
    source: Labels, target: Labels, weight: Array | None, index: Mapping[Hashable, int], directed: bool
) -> NewEdges:
    """Return new vertices from edges by name: those that are not known, in order of first appearance."""
    everyone, u, v = number_by_appearance(source, target)
    known = code_names(as_labels(everyone, "new"), index, missing=-1)
    edges = EdgeList(everyone, u, v, weight, directed)
    if (known >= 0).all() and len(everyone):
        whole = Adjacency.of_canonical(edges_matrix(edges, Rules()), everyone, directed)
        return from_graph(whole, index, directed)
    check_linked(everyone, known, index)
    # Few new vertices may each be joined to different known ones, and labels are not known.
    if 2 * len(everyone) > len(index) and (known[v] < 0).all():
        warn_of_labels(edges.redirected(False), "new")
    return _warned(_split(edges, known, len(index), _between(edges, known)), index)


def from_graph(graph: Adjacency, index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices from a graph on new and known vertices, or on exactly the known ones."""
    n = len(index)
    if graph.directed and not directed:
        raise ArgumentError(
            "new is directed and the known graph is undirected; pass as_adjacency(new, directed=False)."
        )
    known = code_names(as_labels(graph.names, "new"), index, missing=-1)
    if isinstance(graph.names, range) and graph.n_vertices == n and (known < 0).all():
        return _from_square(graph, directed, 0)
    if (known >= 0).all():
        if known.size != n:
            raise _all_known(listed(graph.names), n)
        order = np.argsort(known)
        if not np.array_equal(order, np.arange(n)):
            graph = graph.take(order)
        return _from_square(graph, directed, n)
    check_linked(graph.names, known, index)
    u, v, values = graph.edge_list()
    edges = EdgeList(graph.names, u, v, values, graph.directed)
    return _warned(_split(edges.redirected(directed), known, n, _between(edges, known)), index)


def _warned(new: NewEdges, index: Mapping[Hashable, int]) -> NewEdges:
    """Warn about misspelled names, unless no name is known, which another warning says."""
    if new.n_known:
        alone = [new.names[i] for i in np.flatnonzero(~new.has_known_neighbor).tolist()]
        warn_of_misspelled(alone, index)
    return new


def _from_square(graph: Adjacency, directed: bool, n_known: int) -> NewEdges:
    rows_in = graph.matrix.T.tocsr() if directed else None
    return NewEdges(graph.matrix, graph.names, rows_in, only_rows=True, n_known=n_known)


def check_linked(
    everyone: Names, known: NDArray[np.intp], index: Mapping[Hashable, int], argument: str = "new"
) -> None:
    """Refuse names of which none is known because the known are integers and these are texts, or the reverse.

    The names in a file are integers or texts depending on that file alone. Without this check all of its vertices
    would count as new, without an edge to a known one, and would be placed at the origin. If none is known for
    another reason, a warning says so.
    """
    if (known >= 0).any() or not len(everyone):
        return
    mine, theirs = next(iter(index)), name_at(everyone, 0)
    if isinstance(mine, str) != isinstance(theirs, str):
        raise UnknownVertexError(
            listed(everyone),
            f"No name in {argument} is known; the known are called like {mine!r} ({type(mine).__name__}), the new "
            f"like {theirs!r} ({type(theirs).__name__}): name the known ones alike in both.",
        )
    warn(
        f"None of the {len(everyone)} names in {argument} is known. {difference(listed(everyone), index)} Pass "
        "edges between new vertices and known ones.",
        LpgraphWarning,
    )


def _between(edges: EdgeList, known: NDArray[np.intp]) -> int:
    """Return the number of edges between known vertices; they belong to the known graph."""
    both = np.flatnonzero((known[edges.source] >= 0) & (known[edges.target] >= 0))
    u, v = edges.source[both], edges.target[both]
    if not edges.directed:
        u, v = np.minimum(u, v), np.maximum(u, v)
    return int(np.unique(u * len(known) + v).size)


def _split(edges: EdgeList, known: NDArray[np.intp], n: int, n_ignored: int) -> NewEdges:
    """Divide edges into new -> known, known -> new and new -> new; `known` has -1 for new vertices."""
    u, v, weight = edges.source, edges.target, edges.weight
    if weight is None:
        weight = np.ones(u.size)
    is_new = known < 0
    names = names_at(edges.names, np.flatnonzero(is_new))
    place = np.cumsum(is_new) - 1
    out, inward, both = is_new[u] & ~is_new[v], ~is_new[u] & is_new[v], is_new[u] & is_new[v]
    repeated = 0

    def block(i: NDArray[np.intp], j: NDArray[np.intp], w: NDArray[np.float64]) -> sparse.csr_array:
        nonlocal repeated
        summed = sparse.coo_array((w, (i, j)), shape=(len(names), n)).tocsr()
        repeated += w.size - summed.nnz
        return real_csr(summed, "new", new=True)

    outward = place[u[out]], known[v[out]], weight[out]
    backward = place[v[inward]], known[u[inward]], weight[inward]
    among = rows_in = None
    if both.any():
        inside = EdgeList(names, place[u[both]], place[v[both]], weight[both], edges.directed)
        among = edges_matrix(inside, Rules())
        again = Repeats.of(inside)
        repeated += again.repeated + again.merged
    if edges.directed:
        rows, rows_in = block(*outward), block(*backward)
    else:
        i, j, w = (np.concatenate(pair) for pair in zip(outward, backward, strict=True))
        rows = block(i, j, w)
    n_known = known.size - len(names)
    return NewEdges(rows, names, rows_in, among, n_known=n_known, n_ignored=n_ignored, n_repeated=repeated)
