"""Mutations of bytes, and of the numbers and tokens in them."""

from __future__ import annotations

import re
import zlib

import numpy as np

#: Numbers at the limits of types, and beyond them.
EXTREMES = [
    *(b"nan", b"inf", b"-inf", b"-1", b"0", b"-0.0", b"1e308", b"1e-320", b"1e999", b"0x7fffffff", b"1_0", b"007"),
    *(str(n).encode() for n in (2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, -(2**31) - 1, -(2**63) - 1)),
    *(b"1" + b"0" * 400, b"9" * 5000, b"10000000", b"1.5", "١٢".encode()),
]
#: Pieces that mean something in one of the formats.
_TOKENS = [
    *b"\n|\r|\r\n|\t| |,|;|\"|'|#|%|\0|\xff|\xfe|\xef\xbb\xbf|[|]|{|}|{}|<|>|/>|&amp;|&#0;|&x;|=cmd|+1|@x".split(
        b"|"
    ),
    *b"source|target|weight|label|id|name|node|edge|graph|directed|value|NAN|array|symmetric|# names [".split(
        b"|"
    ),
    *b"]]>|<!--|<!DOCTYPE x [|<!ENTITY x 'y'>|<![CDATA[|encoding='utf-7'|encoding='idna'|encoding='rot13'".split(
        b"|"
    ),
    *(b"{'weight': 1}", b"{'weight': 0x" + b"f" * 5000 + b"}", b"{'weight': " + b"(" * 300),
    b'# lpgraph {"directed": true, "vertices": 99999999, "edges": 1}\n',
    *("é".encode(), "é".encode("latin-1"), "中😀".encode(), "\u2028".encode()),
]
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(rb"[A-Za-z_]+|[0-9.]+|[^A-Za-z0-9_.\s]")
#: Files grow to at most this size.
_MOST = 1_000_000


def mutated(content: bytes, rng: np.random.Generator, other: bytes = b"") -> bytes:
    """Return the content after a few mutations; pieces of `other` may get into it."""
    for _ in range(int(rng.geometric(0.6))):
        mutation = _MUTATIONS[rng.integers(len(_MUTATIONS))]
        content = mutation(content, rng, other)[:_MOST]
    return content


def gzipped(content: bytes, rng: np.random.Generator) -> bytes:
    """Return gzipped content: whole, in several members, damaged, or repeated."""
    kind = rng.integers(6)
    if kind == 0:
        return _flipped(_packed([content]), rng, b"")
    if kind == 1:
        cut = int(rng.integers(len(content) + 1))
        return _packed([content[:cut]]) + _packed([content[cut:]])
    if kind == 2:
        return _packed([content]) + bytes(rng.integers(0, 256, int(rng.integers(1, 20)), dtype=np.uint8))
    if kind == 3:
        size = max(1, len(content))
        times = int(10 ** rng.uniform(0, 6)) // size + 1
        return _packed(content for _ in range(min(times, 200_000)))[:_MOST]
    return _packed([content])


def _packed(pieces) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return b"".join([*(packer.compress(piece) for piece in pieces), packer.flush()])


def _place(content: bytes, rng: np.random.Generator) -> int:
    return int(rng.integers(len(content) + 1))


def _flipped(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 8))):
        if changed:
            changed[rng.integers(len(changed))] = rng.integers(256)
    return bytes(changed)


def _cut(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    return content[: _place(content, rng)]


def _without(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    begin, end = sorted((_place(content, rng), _place(content, rng)))
    return content[:begin] + content[end:]


def _repeated(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    begin = _place(content, rng)
    piece = content[begin : begin + int(10 ** rng.uniform(0, 3))]
    times = min(int(10 ** rng.uniform(0, 5)), _MOST // max(1, len(piece)))
    return content[:begin] + piece * times + content[begin:]


def _spliced(content: bytes, rng: np.random.Generator, other: bytes) -> bytes:
    begin, end = sorted((_place(other, rng), _place(other, rng)))
    at = _place(content, rng)
    return content[:at] + other[begin:end] + content[at:]


def _token(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    at = _place(content, rng)
    return content[:at] + _TOKENS[rng.integers(len(_TOKENS))] + content[at:]


def _number(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    return _replaced(content, rng, _NUMBER, EXTREMES[rng.integers(len(EXTREMES))])


def _swapped(content: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    words = _WORD.findall(content[:10_000])
    return _replaced(content, rng, _WORD, words[rng.integers(len(words))]) if words else content


def _replaced(content: bytes, rng: np.random.Generator, pattern: re.Pattern[bytes], new: bytes) -> bytes:
    places = [match.span() for match in pattern.finditer(content[:100_000])]
    if not places:
        return content
    begin, end = places[rng.integers(len(places))]
    return content[:begin] + new + content[end:]


_MUTATIONS = (_flipped, _cut, _without, _repeated, _spliced, _token, _number, _number, _swapped)
