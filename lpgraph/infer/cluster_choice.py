"""Clusters of a network: components, directions of positions, and partitions of large modularity.

Each component is clustered by itself, by the partition that describes it in the fewest nats.
"""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import igraph
import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from lpgraph._utils.compiled import one_thread
from lpgraph._utils.progress import tell
from lpgraph.embed.laplacian import LaplacianSpectralEmbedding
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.preprocess import connected_components

from .block_partition import (
    BlockPartition,
    DescriptionLength,
    by_size,
    description_length,
    numbered,
    refined,
)
from .mixture import check_distinct
from .vertices import COARSE, default_embedding, embedded, log, unit_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Network

    #: Numbers of clusters and of columns.
    Key = tuple[int, int]

N = TypeVar("N", bound="Network")

#: Largest number of clusters that is tried by default.
MOST_CLUSTERS = 64
#: Vertices from which clusters are learnt; the others are assigned to them.
_SAMPLE = 20_000
#: Entries of the matrix up to which partitions of large modularity are tried, from several starts or from one: a
#: hundred of them take seconds.
_SEVERAL_STARTS, _MOST_ENTRIES = 100_000, 250_000
#: Resolution of modularity from which on no partition becomes shorter than a single cluster if none was before.
_HOPELESS = 2.0
#: Components with fewer vertices are clusters: no partition of so few describes them better.
_DIVIDED = 8
#: Components with at least this share of the vertices with edges are embedded, and so is the largest.
_LARGE = 0.1
#: The first and the last resolution, and the ratio of two successive ones.
_FIRST, _LAST, _RATIO = 0.25, 64.0, 2**0.5
#: Number of dimensions of the default embedding of a clustering.
_COLUMNS = 16
#: igraph has one random number generator.
_generator = Lock()


@dataclass(frozen=True)
class Components:
    """Connected components by decreasing size.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Component of each vertex, 0, 1, ... by decreasing size.
    sizes : ndarray
        Numbers of vertices.
    """

    labels: Integers
    sizes: Integers

    @classmethod
    def of(cls, graph: Adjacency) -> Components:
        """Find the components; the direction of arcs is ignored."""
        ranked = numbered(connected_components(graph)[1])
        return cls(ranked, np.bincount(ranked))

    @property
    def n_joined(self) -> int:
        """Number of components with edges."""
        return int((self.sizes > 1).sum())

    @property
    def n_large(self) -> int:
        """Number of embedded components: the largest, and those with a tenth of the vertices with edges."""
        joined = self.sizes[self.sizes > 1].sum()
        return max(1, int((self.sizes >= _LARGE * max(joined, 2)).sum()))

    def allocated(self, n_clusters: int) -> Integers:
        """Return how many of a number of clusters each component gets, the largest first.

        All components get one if there are enough, otherwise those with at least a tenth of the vertices of the
        largest. The others are given so that clusters are as equal in size as possible.
        """
        covered = self.n_joined
        if covered > n_clusters:
            covered = min(n_clusters, int((self.sizes >= _LARGE * self.sizes[0]).sum()))
        counts = np.ones(covered, dtype=np.intp)
        for _ in range(n_clusters - covered):
            counts[np.argmax(self.sizes[:covered] / (counts + 1))] += 1
        return counts


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

    labels: Integers
    planted: bool
    key: tuple[int, int]
    lengths: dict[tuple[int, int], float]


def trial_numbers(most: int) -> list[int]:
    """Return the numbers of clusters to try first: 1 to 12, then steps of a fifth."""
    numbers = list(range(1, min(most, 12) + 1))
    while numbers[-1] < most:
        numbers.append(min(most, int(np.ceil(1.2 * numbers[-1]))))
    return numbers


def clustering_embedding(graph: N) -> tuple[NetworkEmbedding, N | Adjacency]:
    """Return the default embedding of clusterings and pictures, unfitted, and the network that it describes.

    This is the graph without directions, and without the edges of small components: an eigenvector belongs to one
    component, and those of small ones can come first.
    """
    network = as_adjacency(graph, directed=False) if graph.directed else graph
    if isinstance(network, Adjacency):
        components = Components.of(network)
        if components.n_large < components.n_joined:
            matrix = network.matrix.copy()
            matrix.data *= np.repeat(components.labels < components.n_large, np.diff(matrix.indptr))
            matrix.eliminate_zeros()
            network = Adjacency.of_canonical(matrix, network.names, directed=False)
    return default_embedding(graph, _COLUMNS), network


def cluster_components(
    components: Components,
    layers: Sequence[sparse.csr_array],
    sides: Sequence[Array],
    numbers: Sequence[int] | None,
    choose: Callable[..., Choice],
    *,
    own: bool,
) -> tuple[BlockPartition, Choice]:
    """Cluster each component, and return the partition of the network and the choice for the largest component.

    Parameters
    ----------
    components : Components
    layers : pair of csr_array of shape (n, n)
        Edges of positive weight, and absolute weights of those of negative weight, symmetric.
    sides : sequence of ndarray of shape (n, D)
        Positions of the whole network.
    numbers : sequence of int or None
        Increasing numbers of clusters of the network to choose from. None means that each component is divided as
        describes it in the fewest nats.
    choose : callable
        `choose_partition` with the number of starts and the random numbers.
    own : bool
        Whether components have the default embedding, each its own; otherwise `sides` is used.
    """
    members = np.split(np.argsort(components.labels, kind="stable"), np.cumsum(components.sizes)[:-1])

    def choice(component: int, given: Sequence[int] | None) -> Choice:
        chosen = members[component]
        some = [sparse.csr_array(layer[chosen][:, chosen]) for layer in layers] if len(members) > 1 else layers
        positions: Sequence[Array] = []
        if given is not None or component < components.n_large:
            if own and not (component == 0 and components.n_large == 1):
                network = Adjacency.of_canonical(sparse.csr_array(some[0] - some[1]), range(len(chosen)), False)
                positions = embedded(*clustering_embedding(network), quiet=True)
            else:
                positions = [side[chosen] for side in sides]
        return choose(positions, some, given)

    labels, planted = np.full(len(components.labels), -1, dtype=np.intp), np.ones(len(members), dtype=np.bool_)
    wanted: list[list[int] | None] = [None if len(chosen) >= _DIVIDED else [1] for chosen in members]
    if numbers is None:
        first = choice(0, None)
    else:
        each = {int(components.allocated(number)[0]): number for number in numbers}
        first = choice(0, sorted(each))
        wanted = [[count] for count in components.allocated(each[first.key[0]]).tolist()]
    of_cluster: list[int] = []
    for component, given in enumerate(wanted[: components.n_joined]):
        chosen = members[component]
        labels[chosen] = len(of_cluster)
        found = first if component == 0 else None if given == [1] else choice(component, given)
        if found is not None:
            labels[chosen] += found.labels
            planted[component] = found.planted
        of_cluster += [component] * (int(labels[chosen].max()) + 1 - len(of_cluster))
    ranks = by_size(labels[labels >= 0], len(of_cluster))
    labels = np.where(labels >= 0, ranks[labels], -1)
    return BlockPartition.of(layers, labels, np.array(of_cluster)[np.argsort(ranks)], planted), first


def choose_partition(
    sides: Sequence[Array],
    layers: Sequence[sparse.csr_array],
    numbers: Sequence[int] | None,
    *,
    n_init: int,
    rng: np.random.Generator,
) -> Choice:
    """Cluster a connected network, with the partition that describes it in the fewest nats.

    The partitions to choose from are those of directions by k-means, for K clusters in the K leading columns and
    in all columns, and by default one of large modularity. The length of a partition is the mean of its lengths by
    the planted partition and by the block model (see `description_length`): each of them alone goes on to smaller
    clusters in some networks, the planted partition where clusters have clusters, the block model where there are
    many edges. If none is shorter than a single cluster, but several eigenvectors are significant, one of at least
    two clusters is chosen. The best clusters are refined by likelihood, by default with two rates if they are
    assortative.

    Parameters
    ----------
    sides : sequence of ndarray of shape (n, D)
        Positions; of a directed network on both sides. Vertices without edges have rows of zeros. Empty if there
        are none.
    layers : pair of csr_array of shape (n, n)
        Edges of positive weight, and absolute weights of those of negative weight, symmetric.
    numbers : sequence of int or None
        Increasing numbers of clusters to choose from. None means some numbers and those next to the best of them,
        and partitions of large modularity.
    n_init : int
        Number of starts of k-means, and of Leiden's method.
    rng : Generator
        Chooses the starts, and the sample in large networks.
    """
    (arcs, negative), n, by_default = layers, layers[0].shape[0], numbers is None
    seed = int(rng.integers(1 << 31))
    partitions: dict[Key, NDArray[np.int32]] = {}
    lengths: dict[Key, DescriptionLength] = {}
    means: dict[Key, float] = {}

    def add(key: Key, labels: Integers) -> None:
        partitions[key] = labels.astype(np.int32)  # many partitions are held
        lengths[key] = description_length(layers, labels, key[0])
        means[key] = lengths[key].mean
        tell(log, "%d clusters in %d dimensions: %.6g nats", *key, means[key])

    if sides:
        columns, sample = sides[0].shape[1], np.sort(rng.permutation(n)[:_SAMPLE])
        vectors = _directions([side[sample] for side in sides], columns)
        distinct = len(np.unique(np.round(vectors, 6), axis=0))
        first = trial_numbers(max(1, min(MOST_CLUSTERS, n // 3))) if numbers is None else numbers
        check_distinct(first, distinct, n, "directions")

        def cluster(numbers: Iterable[int]) -> None:
            for number in (number for number in numbers if number <= distinct):
                for key in sorted({(number, min(number, columns)), (number, columns)} - set(lengths)):
                    with one_thread():
                        rows = _directions(sides, key[1])
                        found = cluster_directions(rows, sample, number, n_init=n_init, seed=seed)
                    add(key, found)

        cluster(first)
        if by_default:  # also the numbers next to the best one
            place = first.index(min(means, key=means.__getitem__)[0])
            cluster(range(first[max(place - 1, 0)] + 1, first[min(place + 1, len(first) - 1)]))
    else:
        add((1, 0), np.zeros(n, dtype=np.intp))
    if by_default and not negative.nnz and arcs.nnz <= _MOST_ENTRIES:
        labels = _of_large_modularity(arcs, n_init if arcs.nnz <= _SEVERAL_STARTS else 1, seed)
        add((int(labels.max()) + 1, 0), labels)
    chosen, several = min(lengths), [key for key in lengths if key[0] > 1]
    shorter = any(min(length.planted, length.blocks) < 0 for length in lengths.values())
    if several and (chosen[0] > 1 or shorter or (sides and arcs.nnz and _dimensions(arcs) > 1)):
        chosen = min(several, key=means.__getitem__)
    # With two rates, one of two clusters in the same group attracts all vertices of the other.
    planted = by_default and lengths[chosen].assortative
    return Choice(refined(layers, partitions[chosen], planted=planted), planted, chosen, means)


def _directions(sides: Sequence[Array], n_columns: int) -> Array:
    """Return unit vectors from the leading columns, in which both sides of a directed network count equally."""
    leading = [unit_rows(side[:, :n_columns]) for side in sides]
    return leading[0] if len(leading) == 1 else unit_rows(np.hstack(leading))


def cluster_directions(vectors: Array, sample: Integers, n_clusters: int, *, n_init: int, seed: int) -> Integers:
    """Return the clusters of vectors by k-means of a sample; the others get the nearest center."""
    with warnings.catch_warnings():
        # Among equal vectors there may be fewer clusters than asked for.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KMeans(n_clusters, n_init=n_init, max_iter=100, random_state=seed).fit(vectors[sample])
    return np.asarray(fitted.predict(vectors), dtype=np.intp)


def _dimensions(arcs: sparse.csr_array) -> int:
    """Return the number of significant eigenvectors of the regularised Laplacian; 1 is that of the degrees."""
    embedding = LaplacianSpectralEmbedding("eigenvalue_cv", regularizer="mean", tol=COARSE)
    graph = Adjacency.of_canonical(arcs, range(arcs.shape[0]), directed=False)
    return int(embedded(embedding, graph, quiet=True)[0].shape[1])


def _of_large_modularity(arcs: sparse.csr_array, n_init: int, seed: int) -> Integers:
    """Return a partition of large modularity with a short description, by Leiden's method from several starts.

    Modularity with a resolution is the likelihood of a planted partition with certain rates (Newman 2016), so that
    the partition of shortest description is nearly one of largest modularity at some resolution. The resolution is
    raised from a small value; once a partition is shorter than a single cluster, as long as they become shorter.

    References
    ----------
    Traag, V. A., Waltman, L. & van Eck, N. J. (2019), "From Louvain to Leiden: guaranteeing well-connected
    communities", Scientific Reports 9. Newman, M. E. J. (2016), "Equivalence between modularity optimization and
    maximum likelihood methods for community detection", Physical Review E 94.
    """
    upper = sparse.triu(arcs, 1).tocoo()
    graph = igraph.Graph(n=arcs.shape[0], edges=np.column_stack([upper.row, upper.col]))
    generator, resolution = random.Random(seed), _FIRST
    best, least = np.zeros(arcs.shape[0], dtype=np.intp), 0.0
    while resolution <= _LAST:
        found = []
        with _generator:
            igraph.set_random_number_generator(generator)
            try:
                for _ in range(n_init):
                    memberships = graph.community_leiden("modularity", upper.data, resolution, n_iterations=-1)
                    found.append(np.asarray(memberships.membership, dtype=np.intp))
            finally:
                igraph.set_random_number_generator(random)
        means = [description_length([arcs], labels, int(labels.max()) + 1).mean for labels in found]
        tell(log, "resolution %.3g: %.6g nats", resolution, min(means))
        if min(means) < least:
            least = min(means)
            best = found[means.index(least)]
        elif least < 0 or resolution > _HOPELESS:
            break
        resolution *= _RATIO
    return best
