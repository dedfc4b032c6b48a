"""Groups of options that several commands share: a command takes the group, the command line shows its options."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import lpgraph as lp
from lpgraph._warnings import warn
from lpgraph.cli import _choices as choices
from lpgraph.cli import _options as options
from lpgraph.cli._errors import CommandError
from lpgraph.cli._inputs import of_vertices, source_of, vertex_labels
from lpgraph.cli._methods import make
from lpgraph.cli._new_covariates import with_covariates
from lpgraph.cli._notes import note_of_repeats
from lpgraph.cli._progress import computing
from lpgraph.cli._roles import Listed, check_no_edges, check_order, check_unread, errors_alone
from lpgraph.cli._tables import read_covariates
from lpgraph.cli._values import as_dimension, as_range, is_number
from lpgraph.errors import ArgumentError, LpgraphError, LpgraphWarning
from lpgraph.graph.label_signs import warn_of_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList, Rules
    from lpgraph.graph.files.labels import LabelTable
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.manifold.base import PointsEmbedding
    from lpgraph.saved.placer import Placer

__all__ = ["Colouring", "Edges", "Fitting", "Learning", "Manifold", "Reading"]


#: So few edges may all have weight 1 by chance.
_FEW_EDGES = 10


@dataclass(frozen=True)
class Edges:
    """How the edges in a file are read."""

    form: options.Format = None
    weight: options.Weight = "weight"
    unweighted: options.Unweighted = False
    source: options.Source = None
    target: options.Target = None
    header: options.Header = None
    max_bytes: options.MaxBytes = None

    def _read(
        self,
        path: str,
        directed: bool | None,
        *,
        rules: Rules | None = None,
        listen: Callable[[EdgeList], None] | None = None,
    ) -> Adjacency:
        from lpgraph.graph.assemble import Rules
        from lpgraph.graph.files import load_graph

        if (self.source is None) is not (self.target is None):
            given, other = ("--source", "--target") if self.target is None else ("--target", "--source")
            raise CommandError(f"{given} is passed without {other}; pass the columns of both end points.")
        return load_graph(
            source_of(path),
            "csv" if path == "-" and self.form is None else self.form,
            Rules() if rules is None else rules,
            directed=directed,
            weight=None if self.unweighted else self.weight,
            source=self.source,
            target=self.target,
            header=self.header,
            max_bytes=self.max_bytes,
            listen=listen,
        )

    def listed(self, path: str, directed: bool | None) -> Listed:
        """Read a file as a graph, and keep the edges that it lists."""
        seen: list[EdgeList] = []
        graph = self._read(path, directed, listen=seen.append)
        return Listed(path, graph, seen[0] if seen else None)

    def read_new(
        self,
        path: str,
        model: NetworkEmbedding | Placer,
        covariates: str | None = None,
        *,
        by_rule: bool = False,
    ) -> NewEdges:
        """Read edges of vertices that are new to a model, and their covariates.

        `by_rule` is whether the command has --rule.
        """
        return self.new_of(self.listed_new(path, bool(model.directed_)), model, covariates, by_rule=by_rule)

    def listed_new(self, path: str, directed: bool) -> Listed | None:
        """Read edges of new vertices, and keep them as they are listed; None if the file has only titles."""
        from lpgraph.graph.files.common import NoEdgesError

        try:
            return self.listed(path, directed)
        except NoEdgesError:
            warn(
                f"{'Standard input' if path == '-' else path} has titles and no edges: there are no new vertices.",
                LpgraphWarning,
            )
            return None

    def new_of(
        self,
        listed: Listed | None,
        model: NetworkEmbedding | Placer,
        covariates: str | None = None,
        *,
        by_rule: bool = False,
    ) -> NewEdges:
        """Return the vertices of a file that are new to a model; its vertex "7" is found where the file has 7."""
        if listed is None:
            return _no_vertices(model)
        from lpgraph.graph.files.labels import match_names
        from lpgraph.graph.names import as_names

        index = model.vertex_index_
        path, graph = listed.path, listed.graph
        graph = replace(graph, names=as_names(match_names(graph.names, index)))
        # Few new vertices may each be joined to different known ones, and many may each be joined to few hubs.
        many = 2 * graph.n_vertices > len(index)
        if listed.edges is not None and many and not listed.joins_new(set(map(str, index))):
            warn_of_labels(listed.edges, path)
        if all(name in index for name in graph.names):
            raise CommandError(
                f"{path}: all its {graph.n_vertices} vertices are in the model; pass edges of new vertices."
            )
        with _about(path):
            new = model.read_new(graph) if covariates is None else with_covariates(graph, model, covariates)
        if new.n_loops:
            used = "used by --rule=batch alone" if by_rule else "not used"
            warn(
                f"{path} joins {new.n_loops} of the new vertices to themselves; these edges are {used}.",
                LpgraphWarning,
            )
        self._compare_weights(path, graph, weighted=model.weighted_)
        return new

    def _compare_weights(self, path: str, graph: Adjacency, *, weighted: bool) -> None:
        """Warn if edges of new vertices have weights and those of the model have none, or the reverse."""
        if weighted is graph.weighted or (weighted and graph.n_edges < _FEW_EDGES):
            return
        found = "weight 1" if weighted else f"weights up to {graph.highest_weight:g}"
        remedy = "pass the column as --weight" if weighted else "pass --unweighted"
        warn(
            f"The edges in {path} have {found}, and those of the model are {'' if weighted else 'un'}weighted, so "
            f"that positions differ in scale; {remedy}, or fit the model again.",
            LpgraphWarning,
        )


@contextmanager
def _about(path: str) -> Iterator[None]:
    """Name the file in the errors and warnings of a block, which call what it holds `new`."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LpgraphWarning)
        try:
            yield
        except ArgumentError as error:
            raise ArgumentError(f"{path}: {error}") from None
    for one in told:
        text = re.sub(r"^new(?= has )|(?<= names in )new(?= is known)", lambda _: path, str(one.message), count=1)
        warn(text if path in text else f"{path}: {text}", one.category)


def _no_vertices(model: NetworkEmbedding | Placer) -> NewEdges:
    """Return no new vertices."""
    from scipy import sparse

    from lpgraph.graph.new_edges import NewEdges

    none = sparse.csr_array((0, len(model.vertex_index_)))
    return model.read_new(NewEdges(none, [], none if model.directed_ else None))


@dataclass(frozen=True)
class Reading(Edges):
    """How a file is read as a graph."""

    directed: options.Directed = None
    largest: options.Largest = False

    @property
    def chosen(self) -> bool:
        """Whether an option is passed that new vertices of a saved model do not have."""
        return self.directed is not None or self.largest

    def read(
        self, path: str, *, rules: Rules | None = None, listen: Callable[[EdgeList], None] | None = None
    ) -> Adjacency:
        """Read the graph that a command is about."""
        seen: list[EdgeList] = []
        graph = self._read(path, self.directed, rules=rules, listen=seen.append)
        for edges in seen:
            warn_of_labels(edges, path)
            if listen is not None:
                listen(edges)
            elif rules is None:  # else the command says or decides what repeated edges are
                self._note(path, edges)
        return self.part(graph)

    def read_whole(self, path: str) -> Listed:
        """Read a graph with all of its components, whose vertices may have labels."""
        return self.listed(path, self.directed)

    def read_lists(self, command: str, graph: str, labels: str, new: str | None) -> tuple[Listed, Listed | None]:
        """Read a graph and the edges of new vertices; refuse another order, where columns have other titles."""
        try:
            whole = self.read_whole(graph)
            return whole, None if new is None else self.listed_new(new, bool(whole.graph.directed))
        except ArgumentError:
            plain = Reading(unweighted=True, max_bytes=self.max_bytes)
            check_unread(command, graph, labels, new, plain.read_whole)
            raise

    def read_labelled(
        self, command: str, graph: Listed, labels: str, new: Listed | None, column: str | None, unknown: str
    ) -> LabelTable:
        """Read the labels of a graph's vertices; refuse files in another order than that of `command`."""
        suspicious = graph.n_classes(1) > 0
        if new is not None:
            nothing_new = all(name in graph.graph.index for name in new.graph.names)
            suspicious = suspicious or nothing_new or new.n_classes(1) > 0
        try:
            table = vertex_labels(labels, graph.graph.names, column, unknown, self.max_bytes)
        except LpgraphError:
            check_order(command, graph, labels, new, self.read_whole)
            if column is None:  # else the second column need not be that of the labels
                check_no_edges(labels, graph, self.read_whole)
            raise
        if suspicious or table.others:
            check_order(command, graph, labels, new, self.read_whole)
            if graph.edges is not None:
                warn_of_labels(graph.edges, graph.path)
        if graph.edges is not None:
            self._note(graph.path, graph.edges)
        return table

    def _note(self, path: str, edges: EdgeList) -> None:
        if self.directed is None and not self.unweighted:
            note_of_repeats(path, edges)

    def part(self, graph: Adjacency) -> Adjacency:
        """Return the part of a graph that a command is about."""
        return lp.largest_component(graph) if self.largest else graph


@dataclass(frozen=True)
class Fitting:
    """Which embedding of a network is fitted."""

    method: options.Method = "adjacency"
    dimension: options.Dimension = "eigenvalue_cv"
    regularizer: options.Regularizer = None
    covariates: options.Covariates = None
    alpha: options.Alpha = None

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
        own = {"regularizer": value, "covariates": self.covariates, "alpha": weight}
        found: NetworkEmbedding = make("lpgraph", self.method, dimension, **own)
        if self.covariates is not None:
            found.set_params(covariates=read_covariates(self.covariates, None))
        return found

    def fit(self, graph: Adjacency) -> NetworkEmbedding:
        """Return the fitted embedding."""
        embedding = self.embedding()
        with computing(f"Embedding {graph.n_vertices} vertices"):
            return embedding.fit(graph)


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

    def known(self, graph: Adjacency, max_bytes: int | None) -> dict[Hashable, Hashable] | None:
        """Read the labels, if there are any."""
        if self.labels is not None:
            return vertex_labels(self.labels, graph.names, self.column, self.unknown, max_bytes).labels
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
