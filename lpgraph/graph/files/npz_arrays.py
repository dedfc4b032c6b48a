"""Arrays of an npz archive, each read only after its header says that it fits in memory."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import FileFormatError
from lpgraph.graph.files.memory import EDGE, NAME

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from numpy.typing import NDArray

    from lpgraph.graph.files.common import Source

__all__ = ["read_arrays"]

# Those that numpy writes; others may take gigabytes for their tables.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_KINDS = "biufSU"
_PIECE = 1 << 20
#: Everything that a damaged archive or header raises in zipfile, zlib and numpy.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError, RuntimeError),
    *(ValueError, TypeError, LookupError, OverflowError, AttributeError, SyntaxError, RecursionError),
)


def read_arrays(source: Source, names: Iterable[str]) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of an archive that have one of the names; nothing is unpickled."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.content)) as archive:
            members = {member.filename: member for member in archive.infolist()}
            arrays: dict[str, NDArray[np.generic]] = {}
            taken = 0
            for name in names:
                member = members.get(f"{name}.npy")
                if member is None:
                    continue
                if member.compress_type not in _METHODS:
                    raise ValueError(f"{name} is compressed by method {member.compress_type}, numpy uses 0 and 8")
                with archive.open(member) as file:
                    shape, fortran, dtype = _header(file)
                    taken += math.prod(shape) * dtype.itemsize
                    # At least a byte of each array is left for every entry, vertex or name.
                    source.check_bytes(taken, (NAME + EDGE) * taken)
                    arrays[name] = _array(file, shape, fortran, dtype)
            return arrays
    except FileFormatError:
        raise
    except _DAMAGE as error:
        raise source.error(
            f"it is no npz file of a sparse matrix ({str(error)[:200]}); write it by lpgraph convert or "
            "scipy.sparse.save_npz"
        ) from None


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Return shape, order and dtype, for types of fixed size that are plain bytes."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(file)
    else:
        raise ValueError(f"an array has the version {version}, scipy and numpy write (1, 0)")
    if dtype.kind not in _KINDS or not dtype.itemsize or any(length < 0 for length in shape):
        raise ValueError(f"an array has shape {shape} and dtype {str(dtype)[:40]}")
    return shape, fortran, dtype


def _array(
    file: IO[bytes], shape: tuple[int, ...], fortran: bool, dtype: np.dtype[np.generic]
) -> NDArray[np.generic]:
    """Read in pieces, since the archive may have less than the header claims; its end checks the checksum."""
    size = math.prod(shape) * dtype.itemsize
    content = bytearray()
    while len(content) < size and (piece := file.read(min(_PIECE, size - len(content)))):
        content += piece
    if len(content) < size or file.read(1):
        raise ValueError(f"an array has not the {size} bytes that its header says")
    return np.frombuffer(content, dtype).reshape(shape, order="F" if fortran else "C")
