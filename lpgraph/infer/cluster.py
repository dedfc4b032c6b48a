"""Clustering of vertices by their directions, or by a Gaussian mixture of positions."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin

from lpgraph._utils.checks import check_choice, check_generator, check_integer
from lpgraph._utils.progress import warn
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.base import at_origin, many, vertex_state
from lpgraph.embed.vertex_results import TOLD, EmbeddedVertices, Prediction, network_tags
from lpgraph.errors import (
    ArgumentError,
    DisconnectedGraphWarning,
    GraphError,
    IsolatedVertexWarning,
)
from lpgraph.linalg.matvec import dense

from .block_partition import signed_layers
from .cluster_choice import (
    MOST_CLUSTERS,
    Components,
    choose_partition,
    cluster_components,
    clustering_embedding,
)
from .mixture import MOST_GAUSSIAN, choose_mixture, cluster_numbers
from .vertices import (
    counted,
    embedded,
    fit_anew,
    isolated,
    known_arcs,
    linked_to,
    new_arcs,
    read_network,
    undirected,
    unfitted,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sklearn.utils import Tags

    from lpgraph._utils.types import Array, Flags, Integers, Seed
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_vertices import NewEdges

    from .block_partition import BlockPartition
    from .mixture import PositionMixture
    from .vertices import Arcs


__all__ = ["VertexClustering"]

#: Probabilities of known vertices up to which tables are made from a dense array; it has 512 MB.
_ENTRIES = 1 << 26


@dataclass(eq=False, repr=False)
class VertexClustering(EmbeddedVertices, ClusterMixin, BaseEstimator):
    """Embed a network, and cluster its vertices and new vertices.

    By default the network is embedded by its Laplacian, regularised by the mean degree, and clusters are sets of
    vertices in similar directions from the origin, whatever their degrees. Connected components are clusters, and
    are divided further if that describes their edges in fewer nats: by the mean of the description lengths by a
    degree-corrected planted partition and by a block model. Among the partitions to choose from is one of large
    modularity. Components with at least a tenth of the vertices are embedded, and so is the largest. If no
    partition of such a component is shorter than a single cluster, but several of its eigenvectors are
    significant, it is divided into at least two. Edges of negative weight are described by rates of their own.

    Parameters
    ----------
    embedding : estimator, optional
        An embedding. None means `LaplacianSpectralEmbedding` with ``regularizer="mean"`` in 16 dimensions, or in
        as many as there are, of the graph without directions; for graphs with negative weights, and with
        ``method="gaussian"``, `AdjacencySpectralEmbedding`. The default for directions has ``tol=0.1``. One of
        several networks, such as `lpgraph.joint.UnfoldedEmbedding`, is for ``method="gaussian"``: its
        ``vertex_positions()`` are clustered.
    n_clusters : int, iterable of int, or None
        The number, or the numbers to choose from. None means 1 to 64 directions in each component, and at most a
        third of its vertices; or 1 to 20 Gaussian clusters, and at most a fifth of the vertices. If there are not
        more components with edges than this number, each gets a cluster, and large ones several. Otherwise the
        clusters are those of the components with at least a tenth of the vertices of the largest; vertices of the
        others are in cluster 0, and `cluster_distributions_` has the shares of the clusters for them.
    method : {"directions", "gaussian"}, default "directions"
        - "directions": the rows of the leading coordinates are divided by their lengths and clustered by k-means.
          Each vertex is then moved to the cluster of largest likelihood, given its edges, under a degree-corrected
          planted partition, or block model if fewer edges are within clusters than between them or `n_clusters` is
          given; new vertices are assigned in the same way. Suits networks with very different degrees.
        - "gaussian": a Gaussian mixture of the positions, whose number of clusters and covariance model have the
          smallest BIC, as in Mclust, which Tang, Park & Priebe (2013, Section 4) use. Under a stochastic block
          model the positions of a block are nearly Gaussian, also where blocks differ only in their degrees.
    covariance : {"full", "tied", "diag", "spherical"}, optional
        Covariance model of the Gaussian mixture; None means the best of the four.
    n_init : int, default 3
        Number of starts of each fit; the best is used.
    random_state : int, Generator or None, default 0
        Seed of the starts: the same graph always gives the same clusters.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters of the vertices, 0, 1, ... by decreasing size. Vertices without edges are in cluster 0.
    n_clusters_ : int
        The number of clusters.
    n_coordinates_ : int
        The number of leading coordinates that are used; 0 if the clusters of the largest component are those of
        large modularity.
    cluster_shares_ : ndarray of shape (n_clusters,)
        Shares of the clusters among the vertices with edges.
    cluster_distributions_ : ndarray of shape (n, n_clusters)
        Probabilities of the vertices to belong to each cluster; `cluster_shares_` for those without edges, or, of
        Gaussian mixtures, without a position. Of directions they are those given its edges and the clusters of all
        other vertices, and 0 for clusters of other components; of Gaussian mixtures, given its position. The
        cluster of a vertex is the most probable one.
    has_position_ : ndarray of shape (n,)
        Whether each vertex has a position other than the origin. Vertices of components without a dimension, and
        those without edges, have none: the embedding says nothing about them.
    description_lengths_ : dict
        Directions: for each (number of clusters, number of coordinates) that was tried for the largest component,
        the length in nats, minus the one of a single cluster, of the component and its clusters together. The
        number of coordinates is 0 for the partition of large modularity.
    bic_ : dict
        Gaussian mixtures: BIC of the positions for each (number of clusters, covariance model); smaller is better.
    covariance_ : str
        Gaussian mixtures: the chosen covariance model.
    fitted_embedding_ : estimator
        The fitted embedding.
    embedding_ : ndarray of shape (n, d)
        Positions of the known vertices.
    partition_ : BlockPartition
        Directions: the clusters and the rates of edges between them.
    mixture_ : PositionMixture
        Gaussian mixtures: the mixture of the positions.
    vertex_names_ : ndarray of shape (n,), or range
        Names in the order of `labels_`.
    graph_ : Adjacency
        The graph, for `to_networkx` and `to_igraph`.

    Warns
    -----
    IsolatedVertexWarning
        If vertices have no edge.
    DisconnectedGraphWarning
        If more than 1 % of the vertices have edges but no cluster, because `n_clusters` is less than the number of
        components; or of Gaussian mixtures, no position.
    LpgraphWarning
        If the chosen number of clusters is the largest that was tried by default.

    References
    ----------
    Qin, T. & Rohe, K. (2013), "Regularized spectral clustering under the degree-corrected stochastic blockmodel",
    NIPS 26. Zhang, L. & Peixoto, T. P. (2020), "Statistical inference of assortative community structures",
    Physical Review Research 2. Traag, V. A., Waltman, L. & van Eck, N. J. (2019), "From Louvain to Leiden:
    guaranteeing well-connected communities", Scientific Reports 9. Gao, C., Ma, Z., Zhang, A. Y. & Zhou, H. H.
    (2018), "Community detection in degree-corrected block models", Annals of Statistics 46. Fraley, C. & Raftery,
    A. E. (1999), "MCLUST: Software for model-based cluster analysis", Journal of Classification 16. Athreya, A. et
    al. (2016), "A limit theorem for scaled eigenvectors of random dot product graphs", Sankhya A 78 (why positions
    are nearly Gaussian).

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> model = lp.VertexClustering().fit(graph)
    >>> model.n_clusters_
    2
    >>> new = graph.new_vertices(5, random_state=1)
    >>> model.predict(new).shape
    (5,)
    >>> list(model.predict_table(new).columns)
    ['name', 'cluster', 'probability', 'has_known_neighbor', 'has_position']
    """

    embedding: BaseEstimator | None = None
    n_clusters: int | Iterable[int] | None = None
    _: KW_ONLY
    method: str = "directions"
    covariance: str | None = None
    n_init: int = 3
    random_state: Seed = 0

    partition_: BlockPartition = field(init=False)
    mixture_: PositionMixture = field(init=False)

    def fit(self, graph: object, y: object = None) -> Self:
        """Embed `graph` and cluster its vertices.

        Parameters
        ----------
        graph : graph
            A graph in any form of `lpgraph.as_adjacency`; for an embedding of several networks, these in any form
            of `lpgraph.as_graphs`.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError
            If n_clusters is not between 1 and the number of distinct positions, or a parameter is not one of its
            values.
        GraphError
            If no two vertices are joined.
        ConvergenceError
            If no Gaussian mixture converged.
        """
        return fit_anew(self, graph)

    def _fit(self, graph: object) -> None:
        by_direction = check_choice("method", self.method, ("directions", "gaussian")) == "directions"
        adjacency, networks = read_network(graph, self.embedding)
        if by_direction and networks is not adjacency:
            raise ArgumentError('method="directions" describes the edges of one network; pass method="gaussian".')
        adjacency.check_room(115, "A clustering")
        # Parameters are checked before the embedding is computed.
        numbers = cluster_numbers(self.n_clusters, adjacency.n_vertices)
        check_integer("n_init", self.n_init, low=1)
        if by_direction and self.covariance is not None:
            raise ArgumentError(f'covariance={self.covariance!r} but method="directions"; pass method="gaussian".')
        arcs = known_arcs(adjacency)
        lonely = isolated(arcs)
        if lonely.all():
            # scikit-learn's checks look for n_samples = 1.
            what = "There is one vertex (n_samples = 1)" if len(lonely) == 1 else "No two vertices are joined"
            raise GraphError(f"{what}: the graph has no edge, or only loops. Pass edges between vertices.")
        if by_direction:
            chosen, unclustered, most = self._fit_directions(adjacency, arcs, numbers)
        else:
            chosen, unclustered, most = self._fit_mixture(adjacency, networks), lonely, MOST_GAUSSIAN
        self.n_clusters_ = n_clusters = int(self.labels_.max()) + 1
        self.cluster_shares_ = np.bincount(self.labels_[~lonely], minlength=n_clusters) / (~lonely).sum()
        self.labels_[lonely] = 0
        _warn_of_isolated(lonely, adjacency.names)
        if many(unclustered & ~lonely):
            warn(
                f"{counted(unclustered & ~lonely, adjacency.names)} are in small components and have no cluster; "
                "they are in cluster 0. Leave n_clusters out, or keep the largest component (largest_component).",
                DisconnectedGraphWarning,
            )
        if self.n_clusters is None and chosen == most:
            warn(f"{most} clusters were found, the most that are tried; pass larger n_clusters.")
        self.__dict__.update(vertex_state(adjacency))

    def _fit_directions(self, adjacency: Adjacency, arcs: Arcs, numbers: list[int]) -> tuple[int, Flags, int]:
        """Cluster directions; return the chosen number, which vertices have no cluster, and the largest number."""
        default = self.embedding is None
        chosen = clustering_embedding(adjacency) if default else (unfitted(self.embedding), adjacency)
        self.fitted_embedding_, network = chosen
        sides = embedded(self.fitted_embedding_, network, quiet=default)
        given = None if self.n_clusters is None else numbers
        choose = partial(choose_partition, n_init=self.n_init, rng=check_generator(self.random_state))
        found = Components.of(adjacency), signed_layers(undirected(arcs))
        self.partition_, choice = cluster_components(*found, sides, given, choose, own=default)
        self.labels_, self.description_lengths_ = self.partition_.labels.copy(), choice.lengths
        self.n_coordinates_, self.has_position_ = choice.key[1], ~at_origin(network, sides)
        return choice.key[0] if choice.key[1] else 0, ~self.partition_.has_cluster, MOST_CLUSTERS

    def _fit_mixture(self, adjacency: Adjacency, networks: object) -> int:
        """Fit Gaussian mixtures, and return the number of clusters."""
        given = self.embedding
        self.fitted_embedding_ = AdjacencySpectralEmbedding() if given is None else unfitted(given)
        sides = embedded(self.fitted_embedding_, networks, quiet=False)
        self.mixture_ = choose_mixture(
            np.hstack(sides),
            self.n_clusters,
            covariance=self.covariance,
            n_init=self.n_init,
            random_state=self.random_state,
        )
        self.labels_ = self.mixture_.predict(*sides)
        self.covariance_, self.bic_ = self.mixture_.covariance, self.mixture_.bic
        self.n_coordinates_, self.has_position_ = sides[0].shape[1], ~at_origin(adjacency, sides)
        return int(self.labels_.max()) + 1

    def predict(self, new: object) -> Integers:
        """Return the clusters of new vertices, in any form that ``embedding.transform`` takes.

        They are an array in the order of ``read_new(new).names``, also after `set_output`, as scikit-learn defines
        it. `predict_table` returns them with the names.
        """
        return self._clusters(self._read(new))

    def predict_proba(self, new: object) -> Array:
        """Return the ``(m, n_clusters_)`` probabilities of new vertices to belong to each cluster."""
        return self._probabilities(self._read(new))

    def _read(self, new: object) -> NewEdges:
        vertices = self.read_new(new)
        _warn_of_isolated(~vertices.has_known_neighbor, vertices.names, TOLD)
        return vertices

    def _clusters(self, vertices: NewEdges) -> Integers:
        if "partition_" in vars(self):
            labels = self.partition_.predict(_compared(vertices))
        else:
            labels = self.mixture_.predict(*self._placed(vertices))
        labels[~vertices.has_known_neighbor] = self.cluster_shares_.argmax()
        return labels

    def _probabilities(self, vertices: NewEdges) -> Array:
        if "partition_" in vars(self):
            probabilities = self.partition_.predict_proba(_compared(vertices))
        else:
            probabilities = self.mixture_.predict_proba(*self._placed(vertices))
        probabilities[~linked_to(self._has_cluster, new_arcs(vertices))] = self.cluster_shares_
        return probabilities

    def _predict(self, vertices: NewEdges, told: str = TOLD) -> Prediction:
        linked = vertices.has_known_neighbor
        _warn_of_isolated(~linked, vertices.names, told)
        found, shares = self._clusters(vertices), self._probabilities(vertices)
        placed = linked_to(self.has_position_, new_arcs(vertices))
        evidence = {"has_known_neighbor": linked, "has_position": placed}
        return Prediction("cluster", vertices.names, found, evidence, np.arange(self.n_clusters_), shares)

    def _predict_known(self) -> Prediction:
        linked, kinds = ~isolated(known_arcs(self.graph_)), np.arange(self.n_clusters_)
        evidence = {"has_known_neighbor": linked, "has_position": self.has_position_}
        shares = self.cluster_distributions_ if len(linked) * len(kinds) <= _ENTRIES else self._distributions()
        return Prediction("cluster", self.vertex_names_, self.labels_, evidence, kinds, shares)

    @property
    def cluster_distributions_(self) -> Array:
        """Probabilities of the vertices to belong to each cluster, of shape ``(n, n_clusters_)``."""
        probabilities = dense(self._distributions())
        probabilities[~self._has_cluster] = self.cluster_shares_
        return probabilities

    def _distributions(self) -> sparse.csr_array | Array:
        """Return the probabilities; of directions as a sparse array without clusters of other components."""
        if "mixture_" in vars(self):
            return self.mixture_.predict_proba(*self._known_sides())
        found = self.partition_.known_proba(undirected(known_arcs(self.graph_)))
        nothing = np.repeat(~self._has_cluster, np.diff(found.indptr))
        found.data[nothing] = self.cluster_shares_[found.indices[nothing]]
        return found

    @property
    def _has_cluster(self) -> Flags:
        """Whether something says what the cluster of each known vertex is."""
        return self.partition_.has_cluster if "partition_" in vars(self) else self.has_position_

    def _fitted_facts(self) -> list[tuple[str, str]]:
        facts = super()._fitted_facts()
        if facts:
            facts += [("clusters", str(self.n_clusters_)), ("coordinates used", str(self.n_coordinates_))]
        return facts

    def __sklearn_tags__(self) -> Tags:
        return network_tags(super().__sklearn_tags__(), self.embedding)


def _compared(vertices: NewEdges) -> sparse.csr_array:
    """Return the edges by which new vertices are compared with clusters."""
    if not vertices.all_observed:
        raise ArgumentError(
            'Pairs of new vertices are unobserved, but method="directions" compares all pairs with clusters; fit '
            'with method="gaussian", or leave those vertices out.'
        )
    return undirected(new_arcs(vertices))


def _warn_of_isolated(lonely: Flags, names: Names, more: str = "") -> None:
    if lonely.any():
        warn(
            f"{counted(lonely, names)} have no edge to a vertex of the graph; they are in the largest "
            f"cluster.{more}",
            IsolatedVertexWarning,
        )
