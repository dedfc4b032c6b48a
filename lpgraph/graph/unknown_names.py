"""Probable mistakes in names: unknown and similar names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.progress import warn
from lpgraph.errors import LpgraphWarning, UnknownVertexError
from lpgraph.graph.names import is_numbered, is_usual, listed, name_at, one_notation, whole_number

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.names import Names

#: What to do with labels of vertices that the graph does not have.
UnknownLabels: TypeAlias = Literal["warn", "error", "ignore"]

_WHOLE = re.compile(r"([+-]?)0*(\d+)(?:\.0*)?")


def _usual(name: Hashable) -> str:
    """Return a name without what programs that write tables change: case, blanks and quotes, 007 and 7.0 for 7."""
    text = str(name).strip(" \t\r\n\ufeff\"'").casefold()
    return _WHOLE.sub(r"\1\2", text) if _WHOLE.fullmatch(text) else text


def alike(unknown: Collection[Hashable], known: Collection[Hashable]) -> str:
    """Return a question about a name that is written like a known one, or an empty text.

    Examples
    --------
    >>> from lpgraph.graph.unknown_names import alike
    >>> alike(["007"], range(10)), alike(["paper19"], ["paper16"])
    ("Is '007' the known 7?", '')
    """
    wanted = {_usual(name): name for name in reversed(list(unknown))}
    found = next((name for name in known if _usual(name) in wanted), None) if wanted else None
    return "" if found is None else f"Is {wanted[_usual(found)]!r} the known {found!r}?"


def difference(unknown: Collection[Hashable], known: Collection[Hashable]) -> str:
    """Return a sentence that says how unknown names differ from the known ones."""
    mine, theirs = next(iter(known)), next(iter(unknown))
    return alike(unknown, known) or f"The known ones are called like {mine!r}, these like {theirs!r}."


def check_unknown_labels(
    rule: UnknownLabels,
    unknown: Sequence[Hashable],
    count: int,
    known: Collection[Hashable],
    *,
    where: str,
) -> None:
    """Refuse labels of vertices that the graph does not have, or count them in a warning.

    A table of labels often has vertices without edges, which an edge list cannot contain: by "warn" their labels
    are left out and counted. It refuses them if they are more than half, or if unknown names are numbers and the
    known ones are not, or the reverse: it is probably another table or column.

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

    Raises
    ------
    UnknownVertexError
        If they are refused.

    Warns
    -----
    LpgraphWarning
        If they are left out by "warn".
    """
    if not unknown or rule == "ignore":
        return
    mine, theirs = ({_WHOLE.fullmatch(_usual(name)) is None for name in names} for names in (known, unknown))
    other = len(mine) == 1 and mine != theirs
    if rule == "error" or other or 2 * len(unknown) > count:
        remedy = "ignore" if rule == "warn" else "warn"
        problem = f"{where} has {count} vertices, and the graph lacks {len(unknown)} of them"
        hint = difference(unknown, known)
        raise UnknownVertexError(unknown, f"{problem}. {hint} Correct or drop them, or pass unknown={remedy!r}.")
    names = ", ".join(map(repr, unknown[:3]))
    what = "a label of 1 vertex" if len(unknown) == 1 else f"labels of {len(unknown)} vertices"
    problem = f"{where} has {what} that the graph does not have, such as {names}"
    warn(f"{problem}; left out. {alike(unknown, known)}".rstrip(), LpgraphWarning)


def warn_of_directions(edges: EdgeList, where: str) -> None:
    """Warn of pairs of vertices with edges of different weights in both directions, which will add up."""
    if edges.weight is None:
        return
    n, ends = len(edges.names), (edges.source, edges.target)
    arcs = sparse.csr_array(sparse.coo_array((edges.weight, ends), shape=(n, n)))
    both = arcs.multiply(arcs.T.astype(np.bool_))
    found = sparse.triu(abs(both - both.T) > 0).tocoo()
    if found.nnz:
        first = ", ".join(repr(name_at(edges.names, side[0])) for side in found.coords)
        problem = f"{where} has different weights in both directions for {found.nnz} pair(s), such as {first}"
        remedy = "pass directed=True to keep both, or directed=False to add them up without this warning"
        warn(f"{problem}, and adds them up; {remedy}.", LpgraphWarning)


def warn_of_similar(names: Names, where: str) -> None:
    """Warn of pairs of names that are equal except for blanks, type, or the notation of accents and numbers."""
    if is_numbered(names) or names.dtype.kind != "O" or is_usual(names):
        return
    first: dict[str, Hashable] = {}
    pairs: list[tuple[Hashable, Hashable]] = []
    for name in listed(names):
        other = first.setdefault(whole_number(one_notation(str(name)).strip()), name)
        if other is not name:
            pairs.append((other, name))
    if pairs:
        one, two = pairs[0]
        equal = str(one).strip() == str(two).strip()
        by = ("blanks" if type(one) is type(two) else "type") if equal else "notation"
        problem = f"{where} has the vertices {one!r} and {two!r}, which differ only by {by}"
        more = f" ({len(pairs)} pairs)" if len(pairs) > 1 else ""
        warn(f"{problem}{more}. Rename one if they are one vertex.", LpgraphWarning)
