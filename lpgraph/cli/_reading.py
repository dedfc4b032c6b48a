"""How files are read as graphs: groups of options that several commands share, and what they do."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import lpgraph as lp
from lpgraph._warnings import warn
from lpgraph.cli import _options as options
from lpgraph.cli._errors import CommandError
from lpgraph.cli._inputs import source_of
from lpgraph.cli._labels import labels_in_table, table_of_labels, vertex_labels
from lpgraph.cli._new_details import NewDetails
from lpgraph.cli._notes import note_of_repeats
from lpgraph.cli._roles import Listed, check_no_edges, check_order, check_unread
from lpgraph.cli._stores import is_store, open_store
from lpgraph.errors import ArgumentError, LpgraphError, LpgraphWarning
from lpgraph.graph.label_signs import warn_of_labels
from lpgraph.scale.room import check_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList, Rules
    from lpgraph.graph.files.labels import LabelTable
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.saved.placer import Placer
    from lpgraph.scale.store import EdgeStore

__all__ = ["Edges", "Reading"]

#: So few edges may all have weight 1 by chance.
_FEW_EDGES = 10
#: Nothing but edges is known of new vertices.
_NOTHING = NewDetails()


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
        details: NewDetails = _NOTHING,
        *,
        by_rule: bool = False,
    ) -> NewEdges:
        """Read edges of vertices that are new to a model, and what other files say of them.

        `by_rule` is whether the command has --rule.
        """
        return self.new_of(self.listed_new(path, bool(model.directed_)), model, details, by_rule=by_rule)

    def pairs(self, path: str, *, directed: bool) -> Adjacency:
        """Read a list of pairs of vertices."""
        return Edges(max_bytes=self.max_bytes).listed(path, directed).graph

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
        details: NewDetails = _NOTHING,
        *,
        by_rule: bool = False,
    ) -> NewEdges:
        """Return the vertices of a file that are new to a model; its vertex "7" is found where the file has 7."""
        if listed is None:
            return _no_vertices(model)
        from lpgraph.graph.files.labels import match_names
        from lpgraph.graph.names import as_names, remembering

        index = model.vertex_index_
        path, graph = listed.path, listed.graph
        with remembering(index, dict.fromkeys([*graph.names, *map(str, graph.names), *_integers(graph.names)])):
            return self._new_of(
                path,
                replace(graph, names=as_names(match_names(graph.names, index))),
                listed,
                model,
                details,
                by_rule=by_rule,
            )

    def _new_of(
        self,
        path: str,
        graph: Adjacency,
        listed: Listed,
        model: NetworkEmbedding | Placer,
        details: NewDetails,
        *,
        by_rule: bool,
    ) -> NewEdges:
        index = model.vertex_index_
        # Few new vertices may each be joined to different known ones, and many may each be joined to few hubs.
        many = 2 * graph.n_vertices > len(index)
        if listed.edges is not None and many and not listed.joins_new(set(map(str, index))):
            warn_of_labels(listed.edges, path)
        if all(name in index for name in graph.names):
            raise CommandError(
                f"{path}: all its {graph.n_vertices} vertices are in the model; pass edges of new vertices."
            )
        details.check(model)
        with _about(path):
            new = details.read(graph, model, partial(self.pairs, directed=bool(model.directed_)))
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


def _integers(names: Sequence[Hashable]) -> list[int]:
    """Return the integers that some names in texts may be meant as."""
    from lpgraph.graph.files.common import integer_names

    found = (integer_names([name]) for name in names if isinstance(name, str))
    return [int(one[0]) for one in found if one is not None]


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
        """Read the graph that a command is about; an edge store is read into memory."""
        if is_store(path):
            return self.part(self._in_memory(path))
        seen: list[EdgeList] = []
        graph = self._read(path, self.directed, rules=rules, listen=seen.append)
        for edges in seen:
            warn_of_labels(edges, path)
            if listen is not None:
                listen(edges)
            elif rules is None:  # else the command says or decides what repeated edges are
                self._note(path, edges)
        return self.part(graph)

    def store(self, path: str) -> EdgeStore:
        """Return an edge store; refuse options that say how a file is read."""
        plain = Reading()
        options = {
            "--format": self.form,
            "--weight": self.weight != plain.weight,
            "--unweighted": self.unweighted,
            "--source": self.source,
            "--target": self.target,
            "--header": self.header is not None,
            "--directed" if self.directed else "--undirected": self.directed is not None,
        }
        return open_store(path, options)

    def _in_memory(self, path: str) -> Adjacency:
        """Return the network of an edge store; refused with its size if it does not fit."""
        store = self.store(path)
        check_memory(
            store.n_bytes_in_memory,
            f"{path} is an edge store, which this command reads into memory. Its network",
            "pass a smaller graph, or use a command that does not read it: embed, classify, dimension or "
            "cluster --by gaussian, without --largest-component",
        )
        return store.to_adjacency()

    def read_network(self, path: str) -> Adjacency | EdgeStore:
        """Read the graph that a command is about; a whole edge store is not read into memory."""
        return self.store(path) if is_store(path) and not self.largest else self.read(path)

    def read_whole(self, path: str) -> Listed:
        """Read a graph with all of its components, whose vertices may have labels; also an edge store."""
        if is_store(path):
            return Listed(path, self._in_memory(path), None)
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

    def read_of_store(
        self, store: str, labels: str, new: str | None, column: str | None, unknown: str
    ) -> tuple[EdgeStore, Listed | None, LabelTable]:
        """Open an edge store, and read the edges of new vertices and the labels of known ones."""
        network = self.store(store)
        added = None if new is None else self.listed_new(new, network.directed)
        return network, added, labels_in_table(labels, network.names, column, unknown, self.max_bytes)

    def read_labelled(
        self, command: str, graph: Listed, labels: str, new: Listed | None, column: str | None, unknown: str
    ) -> LabelTable:
        """Read the labels of a graph's vertices; refuse files in another order than that of `command`.

        `labels` is a table, or a vertex attribute of the graph.
        """
        suspicious = graph.n_classes(1) > 0
        if new is not None:
            nothing_new = all(name in graph.graph.index for name in new.graph.names)
            suspicious = suspicious or nothing_new or new.n_classes(1) > 0
        try:
            table = vertex_labels(labels, graph.graph, graph.path, column, unknown, self.max_bytes)
        except LpgraphError:
            if table_of_labels(labels) is None:
                raise
            check_order(command, graph, labels, new, self.read_whole)
            if column is None:  # else the second column need not be that of the labels
                check_no_edges(labels, graph, self.read_whole)
            raise
        if table_of_labels(labels) is not None and (suspicious or table.others):
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
