"""Clusters of the components of a network, each of which is clustered by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.graph.adjacency import Adjacency
from lpgraph.infer.block_partition import BlockPartition
from lpgraph.infer.cluster_order import by_size
from lpgraph.infer.defaults import clustering_embedding, embedded, significant_dimensions
from lpgraph.infer.direction_choice import MOST_CLUSTERS, Choice, choose_partition, trial_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.infer.components import Components
    from lpgraph.spectral.construction import Array

__all__ = ["cluster_components"]

#: Components with fewer vertices are clusters: no partition of so few describes them better.
_DIVIDED = 8


def cluster_components(
    components: Components,
    layers: Sequence[sparse.csr_array],
    sides: Sequence[Array],
    numbers: Sequence[int] | None,
    *,
    own: bool,
    n_init: int,
    rng: np.random.Generator,
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
        Increasing numbers of clusters to choose from. None means that each component is divided as describes it in
        the fewest nats.
    own : bool
        Whether components have the default embedding, each its own; otherwise `sides` is used.
    n_init : int
        Number of starts of k-means, and of Leiden's method.
    rng : Generator
        Chooses the starts.
    """
    members = np.split(np.argsort(components.labels, kind="stable"), np.cumsum(components.sizes)[:-1])
    whole = components.n_joined == 1 and len(members) == 1

    def choice(component: int, wanted: Sequence[int] | None) -> Choice:
        chosen = members[component]
        some = layers if whole else [sparse.csr_array(layer[chosen][:, chosen]) for layer in layers]
        positions: Sequence[Array] = []
        if wanted is not None or component < components.n_large:
            if own and not (component == 0 and components.n_large == 1):
                network = Adjacency.of_canonical(sparse.csr_array(some[0] - some[1]), range(len(chosen)), False)
                positions = embedded(*clustering_embedding(network), quiet=True)
            else:
                positions = [side[chosen] for side in sides]
        default = trial_numbers(max(1, min(MOST_CLUSTERS, len(chosen) // 3)))
        return choose_partition(
            positions,
            some,
            default if wanted is None else wanted,
            by_default=wanted is None,
            has_clusters=lambda: bool(positions and len(some[0].data)) and significant_dimensions(some[0]) > 1,
            n_init=n_init,
            rng=rng,
        )

    labels, planted = np.full(len(components.labels), -1, dtype=np.intp), np.ones(len(members), dtype=np.bool_)
    if numbers is None:
        counts = np.zeros(components.n_joined, dtype=np.intp)
    else:
        each = {int(components.allocated(number)[0]): number for number in numbers}
    first = choice(0, None if numbers is None else sorted(each))
    if numbers is not None:
        counts = components.allocated(each[first.key[0]])
    of_cluster: list[NDArray[np.intp]] = []
    n_clusters = 0
    for component, count in enumerate(counts.tolist()):
        chosen, found = members[component], first if component == 0 else None
        if found is None and count != 1 and (count or len(chosen) >= _DIVIDED):
            found = choice(component, None if count == 0 else [count])
        inside = np.zeros(len(chosen), dtype=np.intp) if found is None else found.labels
        labels[chosen], planted[component] = n_clusters + inside, found is None or found.planted
        of_cluster.append(np.full(int(inside.max()) + 1, component))
        n_clusters += len(of_cluster[-1])
    ranks = by_size(labels[labels >= 0], n_clusters)
    labels = np.where(labels >= 0, ranks[labels], -1)
    return BlockPartition.of(layers, labels, np.concatenate(of_cluster)[np.argsort(ranks)], planted), first
