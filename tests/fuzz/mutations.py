"""Mutations of bytes, and of the numbers and tokens in them."""

from __future__ import annotations

import gzip
import re

import numpy as np

#: Numbers at the limits of types, and beyond them.
EXTREMES = [
    *(b"nan", b"inf", b"-inf", b"-1", b"0", b"-0.0", b"1e308", b"1e-320", b"1e999", b"0x7fffffff", b"1_0", b"007"),
    *(str(n).encode() for n in (2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, -(2**31) - 1, -(2**63) - 1)),
    *(b"1" + b"0" * 400, b"9" * 5000, b"10000000", b"1.5", "١٢".encode()),
]
#: Pieces that mean something in one of the formats.
_TOKENS = [
    *(
        b"\n|\r|\r\n|\t| |,|;|\"|'|#|%|\0|\xff|\xfe|\xef\xbb\xbf|[|]|{|}|{}|<|>|/>|&amp;|&#0;|&x;|=cmd|+1|@x"
        b"|source|target|weight|label|id|name|node|edge|graph|directed|value|NAN|array|symmetric|# names ["
        b"|]]>|<!--|<!DOCTYPE x [|<!ENTITY x 'y'>|<![CDATA[|encoding='utf-7'|encoding='idna'|encoding='rot13'"
    ).split(b"|"),
    *(b"{'weight': 1}", b"{'weight': 0x" + b"f" * 5000 + b"}", b"{'weight': " + b"(" * 300),
    b'# lpgraph {"directed": true, "vertices": 99999999, "edges": 1}\n',
    *("é".encode(), "é".encode("latin-1"), "中😀".encode(), "\u2028".encode()),
]
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
#: Files grow to at most this size.
_MOST = 1_000_000


def mutated(content: bytes, rng: np.random.Generator, other: bytes = b"") -> bytes:
    """Return the content after a few mutations; pieces of `other` may get into it."""
    for _ in range(int(rng.geometric(0.6))):
        mutation = _MUTATIONS[rng.integers(len(_MUTATIONS))]
        content = mutation(content, rng, other)[:_MOST]
    return content


def gzipped(content: bytes, rng: np.random.Generator) -> bytes:
    """Return gzipped content: whole, in two members, damaged, or followed by other bytes."""
    whole, kind = gzip.compress(content, mtime=0), rng.integers(6)
    if kind == 0:
        return _flipped(whole, rng, b"")
    return whole + (whole if kind == 1 else rng.bytes(9) if kind == 2 else b"")


def _flipped(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 8))):
        if changed:
            changed[rng.integers(len(changed))] = rng.integers(256)
    return bytes(changed)


def _without(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    """Without a piece, or without the end."""
    begin, end = sorted(rng.integers(len(content) + 1, size=2).tolist())
    return content[:begin] + (content[end:] if rng.random() < 0.5 else b"")


def _inserted(content: bytes, rng: np.random.Generator, other: bytes) -> bytes:
    """With a piece of another file, a token, or a piece of its own many times."""
    at, kind = int(rng.integers(len(content) + 1)), rng.integers(3)
    if kind == 0:
        begin, end = sorted(rng.integers(len(other) + 1, size=2).tolist())
        piece = other[begin:end]
    elif kind == 1:
        piece = _TOKENS[rng.integers(len(_TOKENS))]
    else:
        piece = content[at : at + int(10 ** rng.uniform(0, 3))]
        piece *= min(int(10 ** rng.uniform(0, 5)), _MOST // max(1, len(piece)))
    return content[:at] + piece + content[at:]


def _number(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    """With another number."""
    places = [match.span() for match in _NUMBER.finditer(content[:100_000])]
    if not places:
        return content
    begin, end = places[rng.integers(len(places))]
    return content[:begin] + EXTREMES[rng.integers(len(EXTREMES))] + content[end:]


_MUTATIONS = (_flipped, _without, _without, _inserted, _inserted, _inserted, _number, _number)
