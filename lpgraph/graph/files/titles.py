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

    from lpgraph.graph.files.common import Source

__all__ = ["has_known_titles", "is_number", "may_be_header", "seems_header"]

# A header of single letters (u, v) could also be an edge, so only words are recognised without further evidence.
_WORDS = [pair for pair in ENDPOINT_COLUMNS if len(pair[0]) > 1]
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


def seems_header(source: Source, line: int, columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first entries of the columns are titles, which `may_be_header` has not excluded.

    They are if a column has numbers except in the first line. If neither end point occurs in another line, they
    are if every other line has an end point that occurs again. A warning says what was chosen, since the first
    line may be an edge between two vertices without other edges.
    """
    rest = [column[1:] for column in columns]
    if not rest[0]:
        return False
    if any(not is_number(column[0]) and all(map(is_number, column[1:])) for column in columns):
        return True
    sources, targets = rest[:2]
    ends = columns[0][0], columns[1][0]
    if "" in ends or ends[0] == ends[1] or any(end in sources or end in targets for end in ends):
        return False
    count = Counter(sources) + Counter(targets)
    header = not any(count[u] + count[v] == 2 + 2 * (u == v) for u, v in zip(sources, targets, strict=True))
    warn(
        f"{source.path}, line {line}: {ends[0]!r} and {ends[1]!r} occur nowhere else, and are read as "
        f"{'a header' if header else 'an edge'}; pass header=True or header=False to say which.",
        LpgraphWarning,
    )
    return header
