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
from lpgraph.cli._labels import table_of_labels, vertex_labels
from lpgraph.cli._new_details import NewDetails
from lpgraph.cli._notes import note_of_repeats
from lpgraph.cli._roles import Listed, check_no_edges, check_order, check_unread
from lpgraph.errors import ArgumentError, LpgraphError, LpgraphWarning
from lpgraph.graph.label_signs import warn_of_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList, Rules
    from lpgraph.graph.files.labels import LabelTable
    from lpgraph.graph.new_edges import NewEdges

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
        model: NetworkEmbedding,
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
        return Edges().listed(path, directed).graph

    def listed_new(self, path: str, directed: bool) -> Listed | None:
        """Read edges of new vertices, and keep them as they are listed; None if the file has only titles."""
        from lpgraph.graph.files.source import NoEdgesError

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
        model: NetworkEmbedding,
        details: NewDetails = _NOTHING,
        *,
        by_rule: bool = False,
    ) -> NewEdges:
        """Return the vertices of a file that are new to a model; its vertex "7" is found where the file has 7."""
        if listed is None:
            return _no_vertices(model)
        from lpgraph.graph.files.labels import match_names
        from lpgraph.graph.names import as_names

        index = model.vertex_index_
        path = listed.path
        graph = replace(listed.graph, names=as_names(match_names(listed.graph.names, index)))
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


def _no_vertices(model: NetworkEmbedding) -> NewEdges:
    """Return no new vertices."""
    from scipy import sparse

    from lpgraph.graph.new_edges import NewEdges

    none = sparse.csr_array((0, len(model.vertex_index_)))
    return model.read_new(NewEdges(none, range(0), none if model.directed_ else None))


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
            plain = Reading(unweighted=True)
            check_unread(command, graph, labels, new, plain.read_whole)
            raise

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
            table = vertex_labels(labels, graph.graph, graph.path, column, unknown)
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
