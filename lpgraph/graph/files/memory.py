"""Memory that reading a file takes, estimated from its content before it is taken."""

from __future__ import annotations

__all__ = ["CONTENT", "EDGE", "NAME", "TEXT", "VALUE", "VERTEX", "default_limit"]

# Bytes at the peak, rounded up; measured on files that take the most of each.
#: For a byte of the unpacked content, as bytes and as text.
CONTENT = 6
#: For an edge, from its numbered end points to the matrix.
EDGE = 250
#: For a name that is an object of its own, with the tables in which it is looked up.
NAME = 400
#: For a vertex that has a number only.
VERTEX = 64
#: For a value of a table as an object of Python.
VALUE = 100
#: At most, for a byte of text that is not yet read: edges of ten characters between new names.
TEXT = CONTENT + (EDGE + 2 * NAME) // 10

#: The default limit: so many times the size of the file, and at least that of a file of 1 MB.
_TIMES = 200
_LEAST = 200 * 10**6


def default_limit(size: int) -> int:
    """Return the number of bytes that may be taken for a file of a size, if the caller gives no limit."""
    return max(_LEAST, _TIMES * size)
