"""The header of an edge list: whether the first line is one."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning
from lpgraph.graph.convert import ENDPOINT_COLUMNS
from lpgraph.graph.files.common import REAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph.errors import FileFormatError
    from lpgraph.graph.files.common import Source

__all__ = ["has_known_titles", "is_number", "is_title", "may_be_header", "second_header", "seems_header"]

# A header of single letters (u, v) could also be an edge, so only words are recognised without further evidence.
_WORDS = [pair for pair in ENDPOINT_COLUMNS if len(pair[0]) > 1]
#: Words of usual titles of columns of end points.
_TITLES = {
    *("user", "friend", "person", "people", "node", "vertex", "id", "name", "label", "source", "target", "from"),
    *("to", "src", "dst", "sender", "receiver", "recipient", "follower", "followed", "followee", "following"),
    *("author", "coauthor", "citing", "cited", "cites", "paper", "article", "parent", "child", "head", "tail"),
    *("origin", "destination", "start", "end", "gene", "protein", "neuron", "pre", "post", "presynaptic"),
    "postsynaptic",
    *("buyer", "seller", "employee", "manager", "account", "station", "stop", "city", "country", "airport"),
    *("page", "site", "url", "host", "email", "member", "customer", "client", "contact", "supplier"),
    *("company", "firm", "character", "actor", "player", "team", "entity", "object", "subject"),
}
_NUMBER = re.compile(REAL.decode())


def is_number(field: str) -> bool:
    """Whether a field is a number."""
    return _NUMBER.fullmatch(field.strip()) is not None


def has_known_titles(first: Sequence[str]) -> bool:
    """Whether the first line has columns called source and target, or another such pair."""
    lower = [field.strip().lower() for field in first]
    return any(pair[0] in lower and pair[1] in lower for pair in _WORDS)


def may_be_header(first: Sequence[str]) -> bool:
    """Whether the first line may be a header: neither end point is a number."""
    return not any(map(is_number, first[:2]))


def is_title(field: str) -> bool:
    """Whether a field is a usual title of a column of end points, such as "User_1" or "friend id"."""
    words = re.findall(r"[a-z]+", field.lower())
    return bool(words) and all(word in _TITLES for word in words)


def seems_header(source: Source, line: int, columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first entries of the columns are titles, which `may_be_header` has not excluded.

    Lines that repeat the first one do not count as other lines. They are if a column has numbers except in the
    first line. If neither end point occurs in another line, they are if both are usual titles, or if fewer than
    half of the other lines are edges between two vertices without other edges, as the first line would be, and no
    line repeats the first one. In the last case a warning says what was chosen.
    """
    rest = [column[1:] for column in columns]
    first = tuple(column[0] for column in columns)
    again = first[0] in rest[0] and first in zip(*rest, strict=True)
    if again:
        others = [fields for fields in zip(*rest, strict=True) if fields != first]
        rest = [list(column) for column in zip(*others, strict=True)] or [[] for _ in columns]
    if rest[0] and any(
        not is_number(title) and all(map(is_number, column)) for title, column in zip(first, rest, strict=True)
    ):
        return True
    sources, targets = rest[:2]
    ends = first[:2]
    if "" in ends or ends[0] == ends[1] or any(end in sources or end in targets for end in ends):
        return False
    if all(map(is_title, ends)):
        return True
    if not rest[0]:
        return False
    count = Counter(sources) + Counter(targets)
    pairs = sum(count[u] + count[v] == 2 + 2 * (u == v) for u, v in zip(sources, targets, strict=True))
    header = 2 * pairs < len(sources) and not again  # edges are repeated more often than headers
    warn(
        f"{source.path}, line {line}: {ends[0]!r} and {ends[1]!r} occur nowhere else"
        f"{', except in lines that repeat this one' if again else ''}, and are read as "
        f"{'a header' if header else 'an edge'}; pass header=True or header=False to say which.",
        LpgraphWarning,
    )
    return header


def second_header(source: Source, line: int) -> FileFormatError:
    """Return the error about a line that repeats the header."""
    return source.error(
        "it repeats the titles of the first line, as in tables that were put one after the other; drop it, or "
        "rename the titles if it is no header",
        line,
    )
