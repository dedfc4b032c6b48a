"""Choice of the number of clusters of directions by the description length of the network."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._progress import tell
from lpgraph._threads import one_thread
from lpgraph.infer.block_partition import refined
from lpgraph.infer.description_length import DescriptionLength, description_length
from lpgraph.infer.directions import cluster_directions, directions
from lpgraph.infer.mixture import check_distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.infer.block_partition import BlockPartition
    from lpgraph.spectral.construction import Array

__all__ = ["MOST_CLUSTERS", "choose_partition", "trial_numbers"]

#: Largest number of clusters that is tried by default.
MOST_CLUSTERS = 64
#: Vertices from which clusters are learnt; the others are assigned to them.
_SAMPLE = 20_000

_log = logging.getLogger("lpgraph.infer")


def trial_numbers(most: int) -> list[int]:
    """Return the numbers of clusters to try first: 1 to 12, then steps of a fifth."""
    numbers = list(range(1, min(most, 12) + 1))
    while numbers[-1] < most:
        numbers.append(min(most, int(np.ceil(1.2 * numbers[-1]))))
    return numbers


def choose_partition(
    sides: Sequence[Array],
    arcs: sparse.csr_array,
    numbers: Sequence[int],
    *,
    refine: bool,
    has_clusters: Callable[[], bool],
    n_init: int,
    rng: np.random.Generator,
) -> tuple[BlockPartition, int, dict[tuple[int, int], float]]:
    """Cluster directions, with the number of clusters and of columns that describe the network in the fewest nats.

    For K clusters, the K leading columns and all columns are tried. The clusters are compared by the planted
    partition (see `description_length`). If the best ones are disassortative, with fewer edges within clusters
    than between them, they are compared by the block model, which knows which clusters are joined. The best
    clusters are refined by likelihood.

    Parameters
    ----------
    sides : sequence of ndarray of shape (n, D)
        Positions; of a directed network on both sides. Vertices without edges have rows of zeros.
    arcs : csr_array of shape (n, n)
        Nonnegative weights of the edges, symmetric.
    numbers : sequence of int
        Increasing numbers of clusters.
    refine : bool
        Whether to try also the numbers next to the best.
    has_clusters : callable
        Called if no partition is shorter than a single cluster, by the planted partition or by the block model,
        and a single cluster is among the numbers: whether there are several clusters nevertheless.
    n_init : int
        Number of starts of k-means.
    rng : Generator
        Chooses the starts, and the sample in large networks.

    Returns
    -------
    partition : BlockPartition
    n_columns : int
        The number of columns.
    lengths : dict
        Description length of each (number of clusters, number of columns) that was tried, by the chosen model.
    """
    most = sides[0].shape[1]
    joined = np.flatnonzero(np.diff(arcs.indptr))
    sample = np.sort(rng.permutation(joined)[:_SAMPLE])
    seed = int(rng.integers(1 << 31))
    distinct = len(np.unique(np.round(directions([side[sample] for side in sides], most), 6), axis=0))
    check_distinct(numbers, distinct, arcs.shape[0], "directions")
    found: dict[tuple[int, int], NDArray[np.intp]] = {}
    lengths: dict[tuple[int, int], DescriptionLength] = {}

    def attempt(n_clusters: int) -> None:
        for n_columns in sorted({min(n_clusters, most), most}):
            key = n_clusters, n_columns
            if key in lengths or n_clusters > distinct:
                continue
            vectors = directions(sides, n_columns)
            with one_thread():
                labels = cluster_directions(vectors, sample, n_clusters, n_init=n_init, seed=seed)
            found[key] = labels.astype(np.int32)  # many partitions are held
            lengths[key] = description_length(arcs, found[key], n_clusters)
            tell(_log, "%d clusters in %d dimensions: %.6g nats", *key, lengths[key].planted)

    for number in numbers:
        attempt(number)
    model = _model(lengths)
    if refine:
        best = min(lengths, key=lambda key: model(lengths[key]))[0]
        below = max((number for number in numbers if number < best), default=best)
        above = min((number for number in numbers if number > best), default=best)
        for number in range(below + 1, above):
            attempt(number)
    several = [key for key in lengths if key[0] > 1]
    shorter = any(min(length.planted, length.blocks) < 0 for length in lengths.values())
    chosen = min(lengths)
    if several and (numbers[0] > 1 or shorter or has_clusters()):
        chosen = min(several, key=lambda key: model(lengths[key]))
    return refined(arcs, found[chosen]), chosen[1], {key: model(length) for key, length in lengths.items()}


def _model(lengths: Mapping[tuple[int, int], DescriptionLength]) -> Callable[[DescriptionLength], float]:
    """Return the length by which partitions are compared: the planted partition's if its best is assortative."""
    several = [length for (n_clusters, _), length in lengths.items() if n_clusters > 1]
    if several and not min(several, key=lambda length: length.planted).assortative:
        return lambda length: length.blocks
    return lambda length: length.planted
