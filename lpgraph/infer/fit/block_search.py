"""Blocks of a stochastic block model, found in the graph by merging and moving.

Positions of the adjacency spectral embedding are clustered into more blocks than wanted. Then the two blocks whose
merging costs least are merged, again and again, and between merges each vertex moves to its most likely block. The
path has one partition for each number of blocks, so that all numbers together cost one embedding and one k-means.
"""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_generator
from lpgraph._progress import tell
from lpgraph._threads import one_thread
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.errors import ArgumentError, DisconnectedGraphWarning
from lpgraph.infer.cluster_order import by_size
from lpgraph.infer.direction_choice import trial_numbers
from lpgraph.infer.directions import cluster_directions
from lpgraph.infer.fit.block_path import Partition
from lpgraph.spectral.scree import AtMost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["MOST_BLOCKS", "find_blocks"]

#: Largest number of blocks that is tried by default.
MOST_BLOCKS = 64
#: Blocks at the start of the first path; paths with `_MORE` times as many follow until the best has a `_MORE`-th.
_START, _MORE = 24, 3
#: Dimensions of the positions, and their residuals. With 10, 20 or as many as cross-validation chooses, criteria
#: of models of 2 to 40 blocks differ by less than 0.2%, since moves use all edges.
_DIMENSIONS, _TOL = 20, 1e-3
#: Rounds of moves after a merge, and at the end.
_ROUNDS, _LAST_ROUNDS = 3, 20
#: Starts of k-means.
_STARTS = 3
#: Vertices from which the first blocks are learnt; the others are assigned to them.
_SAMPLE = 20_000

_log = logging.getLogger("lpgraph.infer")


def find_blocks(
    graph: Adjacency,
    numbers: Sequence[int] | None,
    *,
    loops: bool,
    random_state: int | np.random.Generator | None,
) -> NDArray[np.intp]:
    """Return blocks by the smallest integrated classification likelihood criterion, numbered by decreasing size.

    Parameters
    ----------
    graph : Adjacency
        A graph without edge weights.
    numbers : sequence of int or None
        The numbers of blocks to choose from, increasing; None means 1 to 64, and at most a fifth of the vertices.
    loops : bool
        Whether the model has loops.
    random_state : int, Generator or None
        Seed of k-means.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ArgumentError
        If fewer vertices than the smallest of `numbers` have distinct positions.

    References
    ----------
    Daudin, J.-J., Picard, F. & Robin, S. (2008), "A mixture model for random graphs", Statistics and Computing 18
    (the criterion). Ward, J. (1963), "Hierarchical grouping to optimize an objective function", Journal of the
    American Statistical Association 58 (merges of least cost).
    """
    n = graph.n_vertices
    wanted = range(1, max(1, min(MOST_BLOCKS, n // 5)) + 1) if numbers is None else numbers
    positions = _positions(graph)
    # Moves compare sums, whose last bits may depend on the number of threads.
    with one_thread():
        start = max(_START, _MORE * wanted[0])
        best = found = _path(graph, _clusters(positions, start, random_state), wanted, loops=loops)
        while start < _MORE * wanted[-1] and _MORE * found.blocks.count >= start:
            start = min(_MORE * start, _MORE * wanted[-1])
            found = _path(graph, _clusters(positions, start, random_state), wanted, loops=loops)
            best = min(best, found, key=_criterion)
        labels = best.improved(_LAST_ROUNDS).blocks.codes
    return by_size(labels, int(labels.max()) + 1)[labels]


def _path(graph: Adjacency, labels: NDArray[np.intp], wanted: Sequence[int], *, loops: bool) -> Partition:
    """Return the best partition of a wanted number of blocks, of those found by merging the blocks of labels."""
    first = Partition.of(graph, labels, loops)
    least, count = wanted[0], first.blocks.count
    if count < least:
        raise ArgumentError(
            f"n_blocks={least} but only {count} positions of vertices are distinct; pass n_blocks <= {count}."
        )
    # A range has all numbers between two levels: they are tried next to the best level only.
    several = isinstance(wanted, range)
    levels = {count, least, *trial_numbers(count), *(() if several else wanted)}
    tried = _merged(first, [level for level in levels if least <= level <= count])
    best = min((each for each in tried if each.blocks.count in wanted), key=_criterion)
    if several:
        place = tried.index(best)
        above, below = tried[max(place - 1, 0)], tried[min(place + 1, len(tried) - 1)]
        between = range(below.blocks.count + 1, min(above.blocks.count - 1, wanted[-1]) + 1)
        best = min([best, *_merged(above, between)], key=_criterion)
    return best


def _merged(found: Partition, numbers: Iterable[int]) -> list[Partition]:
    """Return partitions into numbers of blocks, from the largest to the smallest, each merged from the last."""
    tried = []
    for number in sorted(numbers, reverse=True):
        merged = found.merged(number) if number < found.blocks.count else found
        found = merged.improved(_ROUNDS)
        tell(_log, "%d blocks: criterion %.8g", number, found.criterion)
        tried.append(found)
    return tried


def _criterion(partition: Partition) -> float:
    return partition.criterion


def _positions(graph: Adjacency) -> NDArray[np.float64]:
    """Return positions of the vertices; of a directed graph both sides."""
    if graph.n_edges == 0:
        return np.zeros((graph.n_vertices, 1))
    embedding = AdjacencySpectralEmbedding(AtMost(_DIMENSIONS), tol=_TOL)
    with warnings.catch_warnings():
        # A block model has no need of a connected graph.
        warnings.simplefilter("ignore", DisconnectedGraphWarning)
        embedding.fit(graph)
    return np.hstack([embedding.embedding_, embedding.embedding_in_] if graph.directed else [embedding.embedding_])


def _clusters(
    positions: NDArray[np.float64], most: int, random_state: int | np.random.Generator | None
) -> NDArray[np.intp]:
    """Return clusters of positions, at most `most`."""
    rng = check_generator(random_state)
    seed = int(rng.integers(1 << 31))
    sample = np.sort(rng.permutation(len(positions))[:_SAMPLE])
    distinct = len(np.unique(np.round(positions[sample], 6), axis=0))
    if min(most, distinct) == 1:
        return np.zeros(len(positions), dtype=np.intp)
    return cluster_directions(positions, sample, min(most, distinct), n_init=_STARTS, seed=seed)
