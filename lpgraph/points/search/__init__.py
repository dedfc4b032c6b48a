"""Nearest-neighbor search with ties: by tree, by matrix products or by blocks of distances, with equal results.

A search returns *candidates*: pairs (new point, training point) that include every wanted pair, with distances
computed separately for each pair. The neighbor rule then compares these distances, so that edges depend neither
on the search nor on the size of a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lpgraph.points.distance_lists import is_precomputed
from lpgraph.points.metric import coordinates_of, geometry
from lpgraph.points.rows import doubles
from lpgraph.points.search.blocks import BlockSearch
from lpgraph.points.search.cell_search import CellSearch
from lpgraph.points.search.chosen import ChosenSearch, is_low
from lpgraph.points.search.distance_lists import ListedSearch
from lpgraph.points.search.neighbor_pairs import SLACK, Pairs, Reach, Search
from lpgraph.points.search.sparse_rows import SparseSearch
from lpgraph.points.search.tree import TreeSearch
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from lpgraph.points.search.cells import Cells
    from lpgraph.points.types import Metric

__all__ = ["SLACK", "Pairs", "Reach", "Search", "make_search"]


def make_search(points: Any, metric: Metric, cells: Cells | None = None) -> Search:
    """Return the search for checked points (or distances) that suits them, or the one that looks through cells."""
    n = points.shape[0]
    if is_precomputed(metric):
        return ListedSearch(n, points) if is_sparse(points) else BlockSearch(n, None, points)
    form = geometry(points, metric)
    coordinates: Any = coordinates_of(points, form)
    if is_sparse(points):
        return (BlockSearch if form.norm is None else SparseSearch)(n, form, coordinates)
    if cells is not None:
        return CellSearch(n, form, coordinates, cells)
    if form.norm == 2.0:
        return ChosenSearch(n, form, coordinates)
    if form.norm is not None and is_low(coordinates.shape[1], n):
        return TreeSearch(n, form, coordinates)
    # A metric that is no norm is computed by a function of arrays.
    return BlockSearch(n, form, doubles(coordinates))
