"""Labels of vertices that the graph does not have: one rule for tables, mappings, classifiers and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from lpgraph._checks import check_choice
from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning, UnknownVertexError
from lpgraph.graph.unknown_names import alike, are_of_another_kind, difference

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

__all__ = ["RULES", "UnknownLabels", "check_unknown_labels", "check_unknown_rule"]

#: What to do with labels of vertices that the graph does not have.
UnknownLabels: TypeAlias = Literal["warn", "error", "ignore"]
RULES: tuple[UnknownLabels, ...] = ("warn", "error", "ignore")

#: Names in a warning.
_SHOWN = 3


def check_unknown_rule(rule: UnknownLabels) -> UnknownLabels:
    """Return the value of an argument `unknown`, or raise `ArgumentError` if it is none of `RULES`."""
    check_choice("unknown", rule, RULES)
    return rule


def check_unknown_labels(
    rule: UnknownLabels,
    unknown: Sequence[Hashable],
    count: int,
    known: Collection[Hashable],
    *,
    where: str,
    option: str = "unknown={!r}",
    question: str = "",
) -> None:
    """Refuse labels of vertices that the graph does not have, or count them in a warning.

    A table of labels often has vertices without edges, which an edge list cannot contain: by "warn" their labels
    are left out and counted. It refuses what is probably the wrong table or a wrong column: if more than half of
    the labels are of unknown vertices, or if unknown names are numbers and the known ones are not, or the reverse.

    Parameters
    ----------
    rule : {"warn", "error", "ignore"}
        "error" refuses any unknown vertex with a label, and "ignore" none.
    unknown : sequence of hashable
        The distinct labelled names that the graph does not have.
    count : int
        The number of distinct labelled names.
    known : collection of hashable
        The names of the graph.
    where : str
        The table or the argument, for the message.
    option : str
        What the caller passes to choose the rule, as a template for its value.
    question : str
        A question about a probable mistake, such as whether it is a list of edges; the labels are then refused by
        "warn".

    Raises
    ------
    UnknownVertexError
        If they are refused.

    Warns
    -----
    LpgraphWarning
        If they are left out by "warn".

    Examples
    --------
    >>> import warnings
    >>> from lpgraph.graph.unknown_labels import check_unknown_labels
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     check_unknown_labels("warn", ["GUM"], 5, ["ATL", "SEA", "JFK", "ORD"], where="labels.csv")
    >>> print(caught[0].message)
    labels.csv has a label of 1 vertex that the graph does not have, such as 'GUM'; it is left out.
    """
    if not unknown or rule == "ignore":
        return
    most = 2 * len(unknown) > count
    if rule == "error" or most or question or are_of_another_kind(unknown, known):
        problem = f"{where} has {count} vertices, and the graph lacks {len(unknown)} of them"
        remedy = f"pass {option.format('ignore' if rule == 'warn' else 'warn')}"
        if question:
            raise UnknownVertexError(unknown, f"{problem}. {question} If it is not, {remedy}.")
        hint = difference(unknown, known) if rule == "warn" else alike(unknown, known)
        other = f"correct or drop them, or add their edges, or {remedy}"
        if most:
            other = f"pass the graph that they are of. If this graph is a part of it on purpose, {remedy}"
        raise UnknownVertexError(unknown, f"{problem}; {other}.{hint and ' '}{hint}")
    one, hint = len(unknown) == 1, alike(unknown, known)
    names = ", ".join(map(repr, unknown[:_SHOWN]))
    what = "a label of 1 vertex" if one else f"labels of {len(unknown)} vertices"
    warn(
        f"{where} has {what} that the graph does not have, such as {names}; {'it is' if one else 'they are'} left "
        f"out.{hint and ' '}{hint}",
        LpgraphWarning,
    )
