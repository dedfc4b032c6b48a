"""Edge attributes that may be the weights, where no edge has the attribute that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["may_be_weight", "report_unused"]

_NUMBERS = (int, float, np.integer, np.floating)
#: Attributes that number the edges.
_NUMBERS_OF_EDGES = frozenset({"id", "key"})
#: Attributes that a message names.
_MOST = 3


def may_be_weight(attributes: Mapping[str, object]) -> Iterable[str]:
    """Yield the names of the attributes of an edge that are numbers other than 1.

    Examples
    --------
    >>> from lpgraph.graph.unused_weights import may_be_weight
    >>> list(may_be_weight({"id": 7, "messages": 3, "kind": "mail", "copies": 1, "read": True}))
    ['messages']
    """
    for name, value in attributes.items():
        number = isinstance(value, _NUMBERS) and value is not True and value is not False and value != 1
        if number and isinstance(name, str) and name not in _NUMBERS_OF_EDGES:
            yield name


def report_unused(weight: str, candidates: Iterable[str], call: str, *, what: str = "graph") -> None:
    """Report that no edge of a graph has the attribute `weight`.

    Parameters
    ----------
    weight : str
        The attribute that was asked for. One other than "weight" was asked for by the caller, and is an error.
    candidates : iterable of str
        Numeric attributes of the edges, which a message names.
    call : str
        The call that takes another name of an attribute, such as "as_adjacency(graph, {})".
    what : str
        What the message calls the graph.

    Raises
    ------
    ArgumentError
        If `weight` is not "weight".

    Warns
    -----
    LpgraphWarning
        If there are candidates, since edges are unweighted otherwise.
    """
    others = list(dict.fromkeys(candidates))[:_MOST]
    if weight != "weight":
        remedy = "weight=None" if not others else f"weight={others[0]!r} if that has the weights, or weight=None"
        raise ArgumentError(f"weight={weight!r} is an attribute of no edge of {what}; pass {remedy}.")
    if others:
        named = " or ".join(call.format(f"weight={name!r}") for name in others)
        warn(
            f"No edge of {what} has the attribute 'weight', so that all edges have weight 1; pass {named} if that "
            f"has the weights, or {call.format('weight=None')}.",
            LpgraphWarning,
        )
