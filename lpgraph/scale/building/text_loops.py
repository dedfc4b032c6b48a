"""Compiled loops over lines of text: fields of records, integers, and decimal numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lpgraph._compiled import compiled

__all__ = ["fields", "integers", "marks_of", "reals"]

_BEFORE, _AFTER, _END, _LINE = 1, 2, 4, 8


def marks_of(delimiter: str) -> NDArray[np.uint8]:
    """Return what each byte means: blank before a field, blank after one, end of a field, or end of a line."""
    marks = np.zeros(256, dtype=np.uint8)
    before = b" " if delimiter == "\t" else b" \t"
    after = b" \t\r"
    ends = after if delimiter == " " else delimiter.encode()
    for mark, letters in ((_BEFORE, before), (_AFTER, after), (_END, ends + b"\n"), (_LINE, b"\n")):
        marks[list(letters)] |= mark
    return marks


def _fields(  # type: ignore[no-untyped-def]  # numba infers the types
    content, cuts, places, marks, delimiter, quotes, width, wanted, starts, lengths, counts, faults, piece, _
):
    """Find the wanted fields of the lines of a piece; a fault is (kind, place): 1 width, 2 quotes."""
    at, end = cuts[piece], cuts[piece + 1]
    record = places[piece]
    spaced, tabbed, quote, back = delimiter == 32, delimiter == 9, 34, 13
    while at < end:
        begin = at
        if content[at] == 35 or content[at] == 37:  # '#', '%'
            while at < end and not marks[content[at]] & _LINE:
                at += 1
            at += 1
            continue
        while at < end and (marks[content[at]] & _BEFORE or content[at] == back):
            at += 1
        if at == end or marks[content[at]] & _LINE:  # nothing but blanks
            at += 1
            continue
        at, number, last = begin, 0, False
        while not last:
            field = at
            while at < end and marks[content[at]] & _BEFORE:
                at += 1
            start, stop = at, at
            if quotes and at < end and content[at] == quote and (at == field or not tabbed):
                at += 1
                start, stop = at, at
                closed = False
                while at < end and not closed and not marks[content[at]] & _LINE:
                    if content[at] == quote:
                        at += 1
                        closed = at == end or content[at] != quote
                    if not closed:  # two quotes are one, so that letters are moved
                        content[stop] = content[at]
                        stop += 1
                        at += 1
                while at < end and (marks[content[at]] & _BEFORE or content[at] == back):
                    at += 1
                if not closed or (at < end and not marks[content[at]] & _END):
                    faults[piece, 0], faults[piece, 1] = 2, begin
                    counts[piece] = record - places[piece]
                    return
            else:
                while at < end and not marks[content[at]] & _END:
                    at += 1
                stop = at
            while stop > start and marks[content[stop - 1]] & _AFTER:
                stop -= 1
            while start < stop and marks[content[start]] & _AFTER:
                start += 1
            for k in range(3):
                if wanted[k] == number:
                    starts[k, record] = start
                    lengths[k, record] = stop - start
            number += 1
            while spaced and at < end and marks[content[at]] & _AFTER:
                at += 1
            last = at >= end or (marks[content[at]] & _LINE) != 0
            at += 1 if last or not spaced else 0
        if number != width:
            faults[piece, 0], faults[piece, 1] = 1, begin
            counts[piece] = record - places[piece]
            return
        record += 1
    counts[piece] = record - places[piece]


fields = compiled(_fields)


def _integers(content, starts, lengths, values, faults, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Read integers in their usual form; `faults` gets the place of a text that is none."""
    for k in range(low, high):
        start, size = starts[k], lengths[k]
        negative = size > 1 and content[start] == 45
        first = start + negative
        digits = size - negative
        value = np.uint64(0)
        sound = 1 <= digits <= 19 and (content[first] != 48 or (digits == 1 and not negative))
        if sound:
            for p in range(first, start + size):
                if content[p] < 48 or content[p] > 57:
                    sound = False
                    break
                value = value * np.uint64(10) + np.uint64(content[p] - 48)
        if not sound or value > np.uint64(9223372036854775807):
            faults[0] = k
            return
        values[k] = -np.int64(value) if negative else np.int64(value)


integers = compiled(_integers)


def _reals(content, starts, lengths, powers, values, slow, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Read decimal numbers that are exact in double precision; `slow` marks the others and what is no number."""
    for k in range(low, high):
        p, end = starts[k], starts[k] + lengths[k]
        negative = p < end and content[p] == 45
        if p < end and (content[p] == 45 or content[p] == 43):
            p += 1
        mantissa = np.int64(0)
        digits, exponent, point, sound = 0, 0, False, True
        while p < end:
            code = content[p]
            if 48 <= code <= 57:
                mantissa = mantissa * 10 + (np.int64(code) - 48)
                digits += 1
                exponent -= point
            elif code == 46 and not point:
                point = True
            else:
                sound = False
                break
            p += 1
        if not sound or digits == 0 or digits > 15 or exponent < -22:
            slow[k] = 1
            continue
        # Both are exact, so that the quotient is rounded once.
        value = np.float64(mantissa) / powers[-exponent]
        values[k] = -value if negative else value


reals = compiled(_reals)
