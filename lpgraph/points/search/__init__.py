"""Nearest-neighbor search with ties: by tree, by matrix products or by blocks of distances, with equal results.

A search returns *candidates*: pairs (new point, training point) that include every wanted pair, with distances
computed separately for each pair. The neighbor rule then compares these distances, so that edges depend neither
on the search nor on the size of a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.points.distance_lists import is_precomputed
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

    from lpgraph.points.types import Metric

__all__ = ["SLACK", "Pairs", "Reach", "Search", "make_search"]

#: Up to the first number of coordinates a tree is fast; up to the second it is if there are many points.
_FEW, _NOT_MANY = 10, 15
_MANY_POINTS = 20_000


def make_search(points: Any, metric: Metric) -> Search:
    """Return the search for checked points (or distances) that suits the metric and the dimension."""
    n = points.shape[0]
    if is_precomputed(metric):
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
