"""Files in the wrong places: a table of labels that is read as a graph, and arguments in another order."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lpgraph.cli._errors import CommandError
from lpgraph.cli._inputs import is_model
from lpgraph.errors import LpgraphError, LpgraphWarning
from lpgraph.graph.label_signs import FEW, n_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList

__all__ = [
    "Listed",
    "check_is_no_table",
    "check_model_first",
    "check_no_classes",
    "check_no_edges",
    "check_order",
    "check_unread",
    "errors_alone",
]

#: Rows of a table of labels that is recognised if other files are signs as well.
_FEWEST = 4
#: Least share of the second column of a list of edges that names vertices of the other files: of any list, and of
#: one where a name has several values, which a table of labels cannot have. The others are new vertices.
_MOSTLY, _SEVERAL = 0.9, 0.5


@dataclass(frozen=True, eq=False)
class Listed:
    """A file read as a graph, and its edges as they are listed; None if it is no list."""

    path: str
    graph: Adjacency
    edges: EdgeList | None

    def n_classes(self, least: int) -> int:
        """Return the number of classes if the file seems to be a table of labels of `least` rows, else 0."""
        # The direction is an option for all files, so that it is no sign of edges.
        return 0 if self.edges is None else n_labels(replace(self.edges, directed=None), least)

    @property
    def has_several(self) -> bool:
        """Whether a name of the first column has different values in the second."""
        import numpy as np

        if self.edges is None:
            return False
        pairs = np.unique(np.stack([self.edges.source, self.edges.target]), axis=1)
        return bool(pairs.shape[1] > np.unique(self.edges.source).size)

    def values(self) -> set[str]:
        """Return the values of the second column as texts."""
        if self.edges is None:
            return set()
        return {str(self.edges.names[i]) for i in set(self.edges.target.tolist())}

    def joins_new(self, known: set[str]) -> bool:
        """Whether no name of the first column is known, and some value of the second is."""
        if self.edges is None:
            return False
        first = {str(self.edges.names[i]) for i in set(self.edges.source.tolist())}
        return first.isdisjoint(known) and not self.values().isdisjoint(known)

    def names(self) -> set[str]:
        """Return the vertices as texts."""
        return set(map(str, self.graph.names))

    def n_inside(self, names: set[str]) -> int:
        """Return the number of edges between these vertices."""
        import numpy as np

        inside = np.array([str(name) in names for name in self.graph.names])
        u, v, _ = self.graph.edge_list()
        return int((inside[u] & inside[v]).sum())


@contextmanager
def errors_alone() -> Iterator[None]:
    """Show the warnings of a block at its end, and none of them if it ends with an error.

    Files in another order cause warnings about what they contain before the order is checked.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LpgraphWarning)
        yield
    for one in told:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def check_model_first(command: str, first: str, second: str | None) -> None:
    """Refuse a model as the second file where the first is none."""
    if second is not None and is_model(second) and not is_model(first):
        raise CommandError(
            f"{second} is a model and {first} is none: they seem to be exchanged. The order is: "
            f"lpgraph {command} {second} {first}."
        )


def check_is_no_table(path: str, read: Callable[[str], Listed]) -> None:
    """Refuse a table of labels in the place of a model; `read` reads a file as a graph."""
    try:
        count = read(path).n_classes(FEW)
    except LpgraphError:  # it is neither
        return
    if count:
        raise CommandError(
            f"MODEL is {path}, which seems to be a table of labels, with {count} different labels; pass a model "
            "that lpgraph embed --save wrote."
        )


def check_no_classes(listed: Listed, model: str, classes: Iterable[object], vertices: Container[object]) -> None:
    """Refuse a table of labels as new vertices: most values beside its names are classes, and no vertices."""
    if not listed.n_classes(_FEWEST):
        return
    values, known = listed.values(), set(map(str, classes))
    found = sum(value in known and value not in vertices for value in values)
    if 2 * found > len(values):
        raise CommandError(
            f"{listed.path} seems to be a table of labels: {found} of its {len(values)} different labels are "
            f"classes of {model}; pass edges of new vertices."
        )


def check_no_edges(labels: str, graph: Listed, read: Callable[[str], Listed]) -> None:
    """Refuse a list of edges in the place of a table of labels; `read` reads a file as a graph."""
    table = _silently(labels, read)
    if table is not None and table.has_several and _is_of_edges(table, [graph]):
        raise CommandError(
            f"{labels} seems to be a list of edges: names have several values, and these are names. Pass a "
            "table with one label for each vertex."
        )


def _silently(path: str, read: Callable[[str], Listed]) -> Listed | None:
    """Return a file as a graph, or None if it cannot be read, or only once."""
    if path == "-":
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LpgraphWarning)
            return read(path)
    except LpgraphError:
        return None


def check_order(
    command: str, graph: Listed, labels: str, new: Listed | None, read: Callable[[str], Listed]
) -> None:
    """Refuse files that are passed in another order than graph, labels and new vertices.

    Parameters
    ----------
    command : str
        The command with places for the three files, for the message.
    graph, new : Listed
        What was passed as the graph and as the edges of new vertices, if any.
    labels : str
        The file that was passed as the table of labels.
    read : callable
        Function that reads a file as a graph.

    Raises
    ------
    CommandError
        If the labels seem to be edges and one of the others labels; or if the graph and the new vertices seem to
        be exchanged: the second has as many labelled vertices or more, and edges between vertices of the first,
        but not the reverse.
    """
    table = _silently(labels, read)
    if table is None:
        return
    others = [graph] if new is None else [graph, new]
    tables = [file for file in others if file.n_classes(_FEWEST)]
    if table.n_classes(_FEWEST) == 0 and len(tables) == 1 and _is_of_edges(table, others):
        lists = _in_order([table, *(file for file in others if file is not tables[0])])
        order = [lists[0].path, tables[0].path, *(file.path for file in lists[1:])]
        raise CommandError(
            f"{tables[0].path} seems to be the table of labels, with {tables[0].n_classes(_FEWEST)} different "
            f"labels, and {labels} a list of edges. The order is: {command.format(*order)}."
        )
    if new is None or table.edges is None:
        return
    labelled = {str(table.edges.names[i]) for i in table.edges.source.tolist()}
    here, there = graph.names(), new.names()
    if len(labelled & there) >= len(labelled & here) and new.n_inside(here) and not graph.n_inside(there):
        raise CommandError(
            f"{new.path} has {len(labelled & there)} of the labelled vertices, and {graph.path} has "
            f"{len(labelled & here)}: they seem to be exchanged. The order is: "
            f"{command.format(new.path, labels, graph.path)}."
        )


def check_unread(command: str, graph: str, labels: str, new: str | None, read: Callable[[str], Listed]) -> None:
    """Refuse another order of files that were not read as they were passed; `read` reads one without weights."""
    whole, added = _silently(graph, read), None if new is None else _silently(new, read)
    if whole is not None and (added is not None or new is None):
        check_order(command, whole, labels, added, read)


def _is_of_edges(table: Listed, others: Sequence[Listed]) -> bool:
    """Whether the second column has vertices of the other files, or of the first column."""
    if table.edges is None:
        return True
    names = set().union(*(file.names() for file in others))
    names |= {str(table.edges.names[i]) for i in table.edges.source.tolist()}
    ends = [str(table.edges.names[i]) for i in table.edges.target.tolist()]
    return sum(end in names for end in ends) > (_SEVERAL if table.has_several else _MOSTLY) * len(ends)


def _in_order(lists: Sequence[Listed]) -> Sequence[Listed]:
    """Return the graph before the new vertices, which have no edges between vertices of the graph."""
    if len(lists) < 2:
        return lists
    one, other = lists
    of_one, of_other = one.n_inside(other.names()), other.n_inside(one.names())
    if of_one == of_other:
        return sorted(lists, key=lambda file: -file.graph.n_edges)
    return [one, other] if of_one > of_other else [other, one]
