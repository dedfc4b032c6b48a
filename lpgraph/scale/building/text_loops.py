"""Compiled loops over lines of text: fields of records, integers, and decimal numbers."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["fields", "integers", "reals"]


def _fields(  # type: ignore[no-untyped-def]  # numba infers the types
    content, cuts, places, delimiter, quotes, width, wanted, starts, lengths, counts, faults, piece, _
):
    """Find the wanted fields of the lines of a piece; a fault is (kind, place): 1 width, 2 quotes."""
    at, end = cuts[piece], cuts[piece + 1]
    record = places[piece]
    blank, tab, feed, back, quote = 32, 9, 10, 13, 34
    while at < end:
        begin = at
        # Blanks before the line; it is left out if it is empty or a comment.
        while at < end and (
            content[at] == blank or content[at] == back or (content[at] == tab and delimiter != tab)
        ):
            at += 1
        if at == end or content[at] == feed:
            at += 1
            continue
        if content[begin] == 35 or content[begin] == 37:  # '#', '%'
            while at < end and content[at] != feed:
                at += 1
            at += 1
            continue
        number = 0
        over = False
        while not over:
            # Blanks before the field.
            while at < end and (content[at] == blank or (content[at] == tab and delimiter != tab)):
                at += 1
            start = at
            stop = at
            if quotes and at < end and content[at] == quote:
                at += 1
                start = at
                write = at
                closed = False
                while at < end and content[at] != feed:
                    if content[at] == quote:
                        if at + 1 < end and content[at + 1] == quote:
                            at += 1
                        else:
                            at += 1
                            closed = True
                            break
                    content[write] = content[at]
                    write += 1
                    at += 1
                stop = write
                while at < end and (
                    content[at] == blank or content[at] == back or (content[at] == tab and delimiter != tab)
                ):
                    at += 1
                if not closed or (at < end and content[at] != feed and content[at] != delimiter):
                    faults[piece, 0], faults[piece, 1] = 2, begin
                    counts[piece] = record - places[piece]
                    return
            elif delimiter == blank:
                while (
                    at < end
                    and content[at] != blank
                    and content[at] != tab
                    and content[at] != feed
                    and content[at] != back
                ):
                    at += 1
                stop = at
            else:
                while at < end and content[at] != delimiter and content[at] != feed:
                    at += 1
                stop = at
            # Blanks after the field.
            while stop > start and (
                content[stop - 1] == blank or content[stop - 1] == back or content[stop - 1] == tab
            ):
                stop -= 1
            while start < stop and (content[start] == blank or content[start] == tab):
                start += 1
            for k in range(3):
                if wanted[k] == number:
                    starts[k, record] = start
                    lengths[k, record] = stop - start
            number += 1
            if delimiter == blank:
                while at < end and (content[at] == blank or content[at] == tab or content[at] == back):
                    at += 1
                over = at >= end or content[at] == feed
                at += over
            else:
                over = at >= end or content[at] == feed
                at += 1
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
