"""Which training points are near: by tree, by matrix products or by blocks of distances, always the same answer.

A search gives *candidates*: pairs (new point, training point) among which every pair asked for is found, with
distances computed for each pair by itself. The neighbour rule then compares those distances, so that neither
the way of searching nor the size of a batch can turn an edge into none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.points.metric import geometry
from lpgraph.points.search.blocks import BlockSearch
from lpgraph.points.search.distance_lists import ListedSearch
from lpgraph.points.search.neighbor_pairs import SLACK, Pairs, Reach, Search
from lpgraph.points.search.products import ProductSearch
from lpgraph.points.search.sparse_rows import SparseSearch
from lpgraph.points.search.tree import TreeSearch
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from typing import Any

    from lpgraph.points.metric_params import Metric

__all__ = ["SLACK", "Pairs", "Reach", "Search", "make_search"]

#: Up to this many coordinates a tree visits few of its nodes; up to the second number so few of them that it
#: is the faster way if there are many points.
_FEW, _NOT_MANY = 10, 15
_MANY_POINTS = 20_000


def make_search(points: Any, metric: Metric) -> Search:
    """Return the search that suits the metric and the dimension; checked points, or distances as they are."""
    n = points.shape[0]
    if isinstance(metric, str) and metric == "precomputed":
        return ListedSearch(n, points) if is_sparse(points) else BlockSearch(n, None, points)
    form = geometry(points, metric)
    coordinates = form.coordinates(points)
    if is_sparse(points):
        return (BlockSearch if form.norm is None else SparseSearch)(n, form, coordinates)
    p = coordinates.shape[1]
    few = p <= _FEW or (p <= _NOT_MANY and n > _MANY_POINTS)
    if form.norm is None or (form.norm != 2.0 and not few):
        return BlockSearch(n, form, coordinates)
    return (TreeSearch if few else ProductSearch)(n, form, coordinates)
