"""A value that is pickled to a file once, and whose arrays other processes map into memory."""

from __future__ import annotations

import mmap
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from lpgraph.errors import StoreError
from lpgraph.scale.building.work import whole_file

if TYPE_CHECKING:
    from pathlib import Path
    from pickle import PickleBuffer

__all__ = ["InFile"]

Value = TypeVar("Value")

#: Arrays begin at multiples of this number of bytes.
_LINE = 64


class InFile(Generic[Value]):
    """A value in a file, which is read where it is first used; a copy in another process refers to the file.

    Parameters
    ----------
    path : Path
        A file of `write`, on a file system that is the same for all processes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._value: Value | None = None
        self._lock = Lock()

    @classmethod
    def write(cls, path: Path, value: Value) -> InFile[Value]:
        """Write a value, which also may be of a class or have functions of the user's script."""
        buffers: list[PickleBuffer] = []
        head = _pickled(value, buffers)
        views: list[memoryview | bytes] = [head, *(buffer.raw() for buffer in buffers)]
        sizes = np.array([len(views), *(len(view) for view in views)], dtype=np.int64)
        with whole_file(path) as file:
            for view in (sizes.tobytes(), *views):
                file.write(view)
                file.write(bytes(-len(view) % _LINE))
        return cls(path)

    @property
    def value(self) -> Value:
        """The value; its arrays are private maps of the file."""
        with self._lock:
            if self._value is None:
                self._value = self._read()
            return self._value

    def _read(self) -> Value:
        from distributed.protocol.pickle import loads

        try:
            with open(self.path, "rb") as file:
                content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        except FileNotFoundError:
            raise StoreError(
                f"{self.path} is not there for this process; pass a folder on a file system that all workers "
                "have under the same path."
            ) from None
        count = int(np.frombuffer(content, np.int64, 1)[0])
        sizes = np.frombuffer(content, np.int64, count, 8)
        starts = np.cumsum([_padded(8 * (count + 1)), *map(_padded, sizes.tolist())]).tolist()
        views = [content[low : low + size] for low, size in zip(starts[:-1], sizes.tolist(), strict=True)]
        found: Value = loads(views[0], buffers=views[1:])
        return found

    def __reduce__(self) -> tuple[type[InFile[Value]], tuple[Path]]:
        return type(self), (self.path,)


def _padded(size: int) -> int:
    return size + -size % _LINE


def _pickled(value: object, buffers: list[PickleBuffer]) -> bytes:
    """Return a value without its arrays, which are appended to a list."""
    import cloudpickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]  # it has no types
        def reducer_override(self, found: object) -> object:
            if type(found) is np.memmap:  # else it would be copied into the pickle
                return np.asarray(found).__reduce_ex__(5)
            return super().reducer_override(found)

    file = BytesIO()
    Pickler(file, protocol=5, buffer_callback=buffers.append).dump(value)
    return file.getvalue()
