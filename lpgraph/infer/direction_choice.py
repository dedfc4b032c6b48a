"""Choice of the number of clusters of directions by the description length of the network."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._progress import tell
from lpgraph._threads import one_thread
from lpgraph.infer.block_partition import refined
from lpgraph.infer.communities import communities
from lpgraph.infer.description_length import DescriptionLength, description_length
from lpgraph.infer.directions import cluster_directions, directions
from lpgraph.infer.mixture import check_distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.spectral.construction import Array

__all__ = ["MOST_CLUSTERS", "Choice", "choose_partition", "trial_numbers"]

#: Largest number of clusters that is tried by default.
MOST_CLUSTERS = 64
#: Vertices from which clusters are learnt; the others are assigned to them.
_SAMPLE = 20_000
#: Entries of the matrix up to which partitions of large modularity are tried, from several starts or from one: a
#: hundred of them take seconds.
_SEVERAL_STARTS, _MOST_ENTRIES = 100_000, 250_000
#: Resolution of modularity from which on no partition becomes shorter than a single cluster if none was before.
_HOPELESS = 2.0

_log = logging.getLogger("lpgraph.infer")


def trial_numbers(most: int) -> list[int]:
    """Return the numbers of clusters to try first: 1 to 12, then steps of a fifth."""
    numbers = list(range(1, min(most, 12) + 1))
    while numbers[-1] < most:
        numbers.append(min(most, int(np.ceil(1.2 * numbers[-1]))))
    return numbers


@dataclass(frozen=True)
class Choice:
    """Clusters of one component.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters by decreasing size.
    planted : bool
        Whether one rate within and one between clusters describe them, instead of a rate for each pair.
    key : (int, int)
        Number of clusters before the refinement, and of columns of the embedding from which they were found: 0 if
        they are those of large modularity.
    lengths : dict
        Description length of each (number of clusters, number of columns) that was tried.
    """

    labels: NDArray[np.intp]
    planted: bool
    key: tuple[int, int]
    lengths: dict[tuple[int, int], float]


def choose_partition(
    sides: Sequence[Array],
    layers: Sequence[sparse.csr_array],
    numbers: Sequence[int],
    *,
    by_default: bool,
    has_clusters: Callable[[], bool],
    n_init: int,
    rng: np.random.Generator,
) -> Choice:
    """Cluster a connected network, with the partition that describes it in the fewest nats.

    The partitions to choose from are those of directions by k-means, for K clusters in the K leading columns and
    in all columns, and by default one of large modularity. The length of a partition is the mean of its lengths by
    the planted partition and by the block model (see `description_length`): each of them alone goes on to smaller
    clusters in some networks, the planted partition where clusters have clusters, the block model where there are
    many edges. The best clusters are refined by likelihood, by default with two rates if they are assortative.

    Parameters
    ----------
    sides : sequence of ndarray of shape (n, D)
        Positions; of a directed network on both sides. Vertices without edges have rows of zeros. Empty if there
        are none.
    layers : pair of csr_array of shape (n, n)
        Edges of positive weight, and absolute weights of those of negative weight, symmetric.
    numbers : sequence of int
        Increasing numbers of clusters.
    by_default : bool
        Whether to try also the numbers next to the best, and partitions of large modularity.
    has_clusters : callable
        Called if no partition is shorter than a single cluster, by the planted partition or by the block model,
        and a single cluster is among the numbers: whether there are several clusters nevertheless.
    n_init : int
        Number of starts of k-means, and of Leiden's method.
    rng : Generator
        Chooses the starts, and the sample in large networks.
    """
    n = layers[0].shape[0]
    found: dict[tuple[int, int], NDArray[np.intp]] = {}
    lengths: dict[tuple[int, int], DescriptionLength] = {}
    seed = int(rng.integers(1 << 31))
    if sides:
        most = sides[0].shape[1]
        sample = np.sort(rng.permutation(n)[:_SAMPLE])
        distinct = len(np.unique(np.round(directions([side[sample] for side in sides], most), 6), axis=0))
        check_distinct(numbers, distinct, n, "directions")

    def attempt(n_clusters: int) -> None:
        for n_columns in sorted({min(n_clusters, most), most}):
            key = n_clusters, n_columns
            if key in lengths or n_clusters > distinct:
                continue
            vectors = directions(sides, n_columns)
            with one_thread():
                labels = cluster_directions(vectors, sample, n_clusters, n_init=n_init, seed=seed)
            found[key] = labels.astype(np.int32)  # many partitions are held
            lengths[key] = description_length(layers, found[key], n_clusters)
            tell(_log, "%d clusters in %d dimensions: %.6g nats", *key, lengths[key].mean)

    for number in numbers if sides else ():
        attempt(number)
    if sides and by_default:
        best = min(lengths, key=lambda key: lengths[key].mean)[0]
        below = max((number for number in numbers if number < best), default=best)
        above = min((number for number in numbers if number > best), default=best)
        for number in range(below + 1, above):
            attempt(number)
    if not sides:
        found[1, 0], lengths[1, 0] = np.zeros(n, dtype=np.int32), DescriptionLength(0.0, 0.0, assortative=True)
    if by_default and not len(layers[1].data) and len(layers[0].data) <= _MOST_ENTRIES:
        starts = n_init if len(layers[0].data) <= _SEVERAL_STARTS else 1
        labels, length = _of_large_modularity(layers[0], starts, seed)
        key = int(labels.max()) + 1, 0
        found[key], lengths[key] = labels, length
    means = {key: length.mean for key, length in lengths.items()}
    chosen, several = min(lengths), [key for key in lengths if key[0] > 1]
    shorter = any(min(length.planted, length.blocks) < 0 for length in lengths.values())
    if several and (chosen[0] > 1 or shorter or has_clusters()):
        chosen = min(several, key=lambda key: means[key])
    # With two rates, one of two clusters in the same group attracts all vertices of the other.
    planted = by_default and lengths[chosen].assortative
    return Choice(refined(layers, found[chosen], planted=planted), planted, chosen, means)


def _of_large_modularity(
    arcs: sparse.csr_array, n_init: int, seed: int
) -> tuple[NDArray[np.intp], DescriptionLength]:
    """Return a partition of large modularity, and its length.

    The resolution of modularity is raised from a small value. Once a partition is shorter than a single cluster,
    it is raised as long as they become shorter.
    """
    best = np.zeros(arcs.shape[0], dtype=np.intp), DescriptionLength(0.0, 0.0, assortative=True)
    for resolution, starts in communities(arcs, n_init=n_init, seed=seed):
        tried = [(labels, description_length([arcs], labels, int(labels.max()) + 1)) for labels in starts]
        shortest = min(tried, key=lambda pair: pair[1].mean)
        tell(_log, "resolution %.3g: %.6g nats", resolution, shortest[1].mean)
        if shortest[1].mean < best[1].mean:
            best = shortest
        elif best[1].mean < 0 or resolution > _HOPELESS:
            break
    return best
