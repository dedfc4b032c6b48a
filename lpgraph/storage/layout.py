"""Layout of a file of arrays, and validation of its preamble and header.

================  ==================  ========================================================================
part              bytes               content
================  ==================  ========================================================================
preamble          64                  magic, version, block size, required lpgraph version, two lengths, digest
header            a multiple of 4096  JSON: table of arrays and the caller's tree; padded with spaces
checksums         with both above     CRC-32 of every block of the data
data              the rest            arrays, each at a multiple of 64, large ones at a multiple of 4096
================  ==================  ========================================================================

The digest (BLAKE2b) covers everything before the data, except itself. The checksums cover all data, including the
gaps between arrays. So every changed byte is detected. All numbers are little-endian.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import TYPE_CHECKING, NamedTuple

from lpgraph.errors import ModelFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ALIGN", "BLOCK", "PAGE", "Layout", "damaged", "pack", "unpack_header", "unpack_preamble"]

MAGIC = b"\x89LPG\r\n\x1a\n"  # like PNG: detects text mode and 7-bit transfers
VERSION = 2
#: The first lpgraph that reads this version, named in the errors of older ones.
NEEDS = b"0.2"
BLOCK = 1 << 12
ALIGN, PAGE = 64, 4096
#: Maximum size of a header. Names and other long lists are arrays, so that headers are small.
MOST_HEADER = 1 << 24

PREAMBLE = struct.Struct("<8sII16sQQ16s")


class Layout(NamedTuple):
    """Sizes and offsets of the parts of a file."""

    header: int
    data: int

    @property
    def blocks(self) -> int:
        """Number of blocks of the data."""
        return -(-self.data // BLOCK)

    @property
    def start(self) -> int:
        """Offset of the data."""
        return PREAMBLE.size + self.header + 4 * self.blocks

    @property
    def size(self) -> int:
        """Size of the file."""
        return self.start + self.data


def damaged(path: str, what: str, remedy: str = "use another copy, or save the model again") -> ModelFileError:
    """Return the error for a file that cannot be used."""
    return ModelFileError(f"{path}: {what}; {remedy}.")


def pack(tree: Mapping[str, object], checksums: bytes, data: int) -> bytes:
    """Return preamble, header and checksums."""
    text = json.dumps(tree, separators=(",", ":")).encode("ascii")
    blanks = -(PREAMBLE.size + len(text) + len(checksums)) % PAGE
    text += b" " * blanks
    if len(text) > MOST_HEADER:
        raise ModelFileError(
            f"The model's description takes {len(text)} bytes, but a file holds {MOST_HEADER} at most."
        )
    parts = (MAGIC, VERSION, BLOCK, NEEDS, len(text), data)
    head = PREAMBLE.pack(*parts, bytes(16))[:-16]
    return head + _digest(head, text, checksums) + text + checksums


def unpack_preamble(path: str, head: bytes, size: int) -> Layout:
    """Return the layout of a file, given its first bytes and its size."""
    if len(head) < PREAMBLE.size or head[:8] != MAGIC:
        short = (
            "is too short to be a model file" if MAGIC.startswith(head[:8]) else "is not a model file of lpgraph"
        )
        raise damaged(path, f"it {short} ({size} bytes)", "pass a file that lpgraph.save wrote")
    _, version, block, needs, header, data, _ = PREAMBLE.unpack(head)
    if version != VERSION:
        from importlib.metadata import version as installed

        first = needs.rstrip(b"\0").decode("ascii", "replace")
        raise damaged(
            path,
            f"it has the format {version} and needs lpgraph >= {first}, but this is lpgraph "
            f"{installed('lpgraph')}, which reads the format {VERSION}",
            "fit the model again and save it with this version"
            if version < VERSION
            else f"install lpgraph >= {first}",
        )
    if block != BLOCK or header > MOST_HEADER or data > 1 << 62:
        raise damaged(path, "its preamble is damaged")
    layout = Layout(header, data)
    if layout.size != size:
        what = "it is truncated" if size < layout.size else "data were appended to it"
        raise damaged(path, f"{what}: it has {size} bytes but should have {layout.size}")
    return layout


def unpack_header(path: str, head: bytes, rest: bytes, layout: Layout) -> tuple[dict[str, object], bytes]:
    """Return the tree and the checksums of the data after verifying their digest."""
    text, checksums = rest[: layout.header], rest[layout.header :]
    if _digest(head[:-16], text, checksums) != head[-16:]:
        raise damaged(path, "its header is damaged: the digest does not match")
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"its header does not describe a model ({error})") from None
    if not isinstance(tree, dict):
        raise damaged(path, "its header does not describe a model")
    return tree, checksums


def _digest(*parts: bytes) -> bytes:
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        state.update(part)
    return state.digest()
