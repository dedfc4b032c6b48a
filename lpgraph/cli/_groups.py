"""Groups of options that several commands share: a command takes the group, the command line shows its options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import lpgraph as lp
from lpgraph._warnings import warn
from lpgraph.cli import _choices as choices
from lpgraph.cli import _options as options
from lpgraph.cli._errors import CommandError
from lpgraph.cli._inputs import of_vertices
from lpgraph.cli._labels import vertex_labels
from lpgraph.cli._methods import make
from lpgraph.cli._progress import computing
from lpgraph.cli._roles import errors_alone
from lpgraph.cli._tables import read_covariates
from lpgraph.cli._values import as_dimension, as_range, is_number
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.cli._reading import Reading
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.network import Network
    from lpgraph.manifold.base import PointsEmbedding

__all__ = ["Colouring", "Fitting", "Learning", "Manifold"]


@dataclass(frozen=True)
class Fitting:
    """Which embedding of a network is fitted."""

    method: options.Method = "adjacency"
    dimension: options.Dimension = "eigenvalue_cv"
    regularizer: options.Regularizer = None
    covariates: options.Covariates = None
    alpha: options.Alpha = None
    landmarks: options.LandmarkVertices = None
    landmark_rule: options.LandmarkRule = None
    landmark_passes: options.LandmarkPasses = None

    def embedding(self) -> NetworkEmbedding:
        """Return the unfitted embedding."""
        tau = self.regularizer
        if tau not in (None, "mean") and not is_number(tau):
            raise CommandError(f"--regularizer={tau}; pass a number >= 0, or mean.")
        value = tau if tau in (None, "mean") else float(tau)
        # The default rule splits the edges, and covariates have none: their rule is the elbow.
        by_default = self.method == "covariate-assisted" and self.dimension == Fitting.dimension
        dimension = None if by_default else as_dimension(self.dimension)
        weight = float(self.alpha) if self.alpha is not None and is_number(self.alpha) else self.alpha
        if isinstance(weight, str):
            choices.WEIGHTS.check("--alpha", weight)
        own = {"regularizer": value, "covariates": self.covariates, "alpha": weight, **self._by_landmarks()}
        found: NetworkEmbedding = make("lpgraph", self.method, dimension, **own)
        if self.covariates is not None:
            found.set_params(covariates=read_covariates(self.covariates))
        return found

    def _by_landmarks(self) -> dict[str, object]:
        """Return the parameters about landmarks."""
        if self.landmarks is None:
            for option, value in (("rule", self.landmark_rule), ("passes", self.landmark_passes)):
                if value is not None:
                    raise CommandError(f"--landmark-{option}={value} without landmarks; pass --landmarks M.")
            return {}
        if not is_number(self.landmarks):
            raise CommandError(f"--landmarks={self.landmarks}; pass a number, or a share such as 0.1.")
        if self.landmark_rule is not None:
            choices.LANDMARK_RULES.check("--landmark-rule", self.landmark_rule)
        number = float(self.landmarks)
        return {
            "landmarks": int(number) if self.landmarks.strip().isdigit() else number,
            "landmark_rule": self.landmark_rule,
            "landmark_passes": self.landmark_passes,
        }

    def fit(self, graph: Network, embedding: NetworkEmbedding | None = None) -> NetworkEmbedding:
        """Return the fitted embedding, or fit the given one; doubts about its dimension are a warning."""
        embedding = self.embedding() if embedding is None else embedding
        with computing(f"Embedding {graph.n_vertices} vertices"):
            embedding.fit(graph)
        choice = embedding.dimension_choice_
        doubt = "" if choice is None else choice.doubt_of(weighted=graph.weighted)
        if doubt:
            warn(doubt, LpgraphWarning)
        return embedding


@dataclass(frozen=True)
class Learning:
    """Which embedding a classifier or a clustering uses; by default its own."""

    method: options.OwnMethod = None
    dimension: options.OwnDimension = None
    regularizer: options.Regularizer = None
    covariates: options.Covariates = None
    alpha: options.Alpha = None

    @property
    def chosen(self) -> bool:
        """Whether an embedding is chosen; covariates alone may be those of new vertices."""
        return replace(self, covariates=None) != Learning()

    def embedding(self) -> NetworkEmbedding | None:
        """Return the unfitted embedding, or None for the default."""
        if self == Learning():
            return None
        dimension = "eigenvalue_cv" if self.dimension is None else self.dimension
        method = self.method or "laplacian"
        return Fitting(method, dimension, self.regularizer, self.covariates, self.alpha).embedding()

    def fit(self, graph: Adjacency) -> NetworkEmbedding:
        """Return the fitted embedding; by default the one of a clustering, as in the report."""
        from lpgraph.infer.defaults import clustering_embedding

        embedding, network = self.embedding(), graph
        if embedding is None:
            embedding, network = clustering_embedding(graph)
        with computing(f"Embedding {graph.n_vertices} vertices"):
            return embedding.fit(network)


@dataclass(frozen=True)
class Manifold:
    """Which embedding of points is fitted."""

    method: options.PointsMethod = "isomap"
    dimension: options.Coordinates = 2
    neighbors: options.Neighbors = None
    kernel: options.Kernel = None
    components: options.Components = None
    landmarks: options.Landmarks = None

    def embedding(self) -> PointsEmbedding:
        """Return the unfitted embedding."""
        if self.kernel is not None:
            choices.KERNELS.check("--kernel", self.kernel)
        if self.components is not None:
            choices.COMPONENTS.check("--components", self.components)
        own = {
            "n_neighbors": self.neighbors,
            "kernel": self.kernel,
            "components": self.components,
            "landmarks": self.landmarks,
        }
        found: PointsEmbedding = make("lpgraph.manifold", self.method, self.dimension, **own)
        return found


@dataclass(frozen=True)
class Colouring:
    """Labels or clusters, which colour the vertices."""

    labels: options.Labels = None
    column: options.Column = None
    unknown: options.Unknown = "warn"
    clusters: options.Clusters = None

    def read(self, path: str, reading: Reading) -> tuple[Adjacency, dict[Hashable, Hashable] | None]:
        """Read a graph, and the labels of its vertices if there are any."""
        if self.labels is None:
            self._check_column()
            return reading.read(path), None
        with errors_alone():
            whole = reading.read_whole(path)
            order = "{} --labels {}"
            labels = reading.read_labelled(order, whole, self.labels, None, self.column, self.unknown).labels
        graph = reading.part(whole.graph)
        return graph, of_vertices(labels, graph)

    def known(self, graph: Adjacency, path: str) -> dict[Hashable, Hashable] | None:
        """Read the labels of the graph of the model in `path`, if there are any."""
        if self.labels is not None:
            return vertex_labels(self.labels, graph, path, self.column, self.unknown).labels
        self._check_column()
        return None

    def _check_column(self) -> None:
        if self.column is not None:
            raise CommandError(f"--column={self.column} is a column of --labels; pass that too.")

    def kinds(self, graph: Adjacency, known: dict[Hashable, Hashable] | None) -> NDArray[np.generic] | None:
        """Return what colours the vertices: labels, clusters, or None."""
        import numpy as np

        if known is not None and self.clusters is not None:
            raise CommandError("--labels and --clusters both say how to colour the vertices; pass one of them.")
        if known is not None:
            return np.array([known.get(name) for name in graph.names], dtype=object)
        if self.clusters is None:
            return None
        with computing(f"Clustering {graph.n_vertices} vertices"):
            labels: NDArray[np.generic] = lp.VertexClustering(None, self.numbers).fit(graph).labels_
        return labels

    @property
    def numbers(self) -> int | range | None:
        """The numbers of clusters to choose from; None for the default ones."""
        return None if self.clusters == "auto" else as_range("--clusters", self.clusters)
