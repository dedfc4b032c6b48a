"""Columns of vertex names, integers or Arrow texts, and the rows of known ones among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._checks import import_extra
from lpgraph._frames import InArrow
from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.names import ManyIndex, code_names
from lpgraph.scale.building.blocks import Texts
from lpgraph.scale.building.name_set import hashed
from lpgraph.scale.building.text_shard import as_integers
from lpgraph.scale.names_file import FileIndex
from lpgraph.scale.reference import ReferredIndex

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from lpgraph.scale.arrow_types import Column
    from lpgraph.scale.building.blocks import Block, Ends

    #: Integers, or an Arrow array of texts.
    Names: TypeAlias = "NDArray[np.int64] | Column"

__all__ = ["KnownNames", "arrow_names", "bucket_of", "ends_of", "slice_names"]

#: Of the hashes that divide new vertices; the results do not depend on it, but their division into files does.
_SEED = 20130417


class KnownNames:
    """Names of the known vertices of a model.

    Parameters
    ----------
    names : sequence of hashable
        The names in the order of the rows.
    index : mapping
        The row of each name.

    Raises
    ------
    ArgumentError
        When they are neither all integers nor all texts.
    """

    def __init__(self, names: Sequence[Hashable], index: Mapping[Hashable, int]) -> None:
        self._index = index
        self.example = names[0]
        first = type(self.example)
        on_disk = isinstance(index, ManyIndex) or isinstance(names, range)
        if first not in (int, str) or not (on_disk or all(type(name) is first for name in names)):
            raise ArgumentError(
                f"The model has vertex names such as {self.example!r}, and files of edges have integers or texts; "
                "fit a network whose names are all integers, or all texts."
            )
        self.are_texts = first is str

    @property
    def kind(self) -> str:
        """What they are."""
        return "texts" if self.are_texts else "integers"

    def rows_of(self, names: Names) -> NDArray[np.int64]:
        """Return the row of each name, -1 if it is not known."""
        if isinstance(names, np.ndarray):
            distinct, place = np.unique(names, return_inverse=True)
            found = np.asarray(code_names(distinct, self._index, missing=-1), dtype=np.int64)
            return np.asarray(found[place])
        encoded = names.dictionary_encode()
        rows = self._rows_of_texts(encoded.dictionary)
        place = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.intp)
        return np.asarray(rows[place])

    def _rows_of_texts(self, names: Column) -> NDArray[np.int64]:
        index = self._index.opened if isinstance(self._index, ReferredIndex) else self._index
        if isinstance(index, FileIndex):
            return index.names.rows_of(names)
        return np.asarray(code_names(list(names.to_pylist()), index, missing=-1), dtype=np.int64)


def ends_of(block: Block, known: KnownNames, shard: str) -> tuple[Names, Names]:
    """Return the end points of edges, of the kind of the known names."""
    source, target = (_of_kind(ends, block, known, shard) for ends in (block.source, block.target))
    return source, target


def _of_kind(ends: Ends, block: Block, known: KnownNames, shard: str) -> Names:
    if isinstance(ends, Texts) and not ends.lengths.all():
        raise block.error(int(np.argmin(ends.lengths)), "an endpoint is empty; correct or drop that edge")
    if known.are_texts and isinstance(ends, Texts):
        return _as_arrow(ends, shard)
    if not known.are_texts and not isinstance(ends, Texts):
        return ends
    if not known.are_texts and block.may_be_integers and isinstance(ends, Texts):
        found = as_integers(ends)
        if found is not None:
            return found
    kind = "texts" if isinstance(ends, Texts) else "integers"
    raise ArgumentError(
        f"{shard} has names that are {kind} and those of the model are {known.kind}, such as {known.example!r}; "
        f"write them as {known.kind}."
    )


def _as_arrow(texts: Texts, shard: str) -> Column:
    arrow = import_extra("pyarrow", "scale")
    ends = np.concatenate(([0], np.cumsum(texts.lengths)))
    if len(texts) and not (texts.starts[1:] == texts.starts[:-1] + texts.lengths[:-1]).all():
        places = np.repeat(texts.starts - ends[:-1], texts.lengths) + np.arange(ends[-1])
        letters = texts.content[places]
    else:
        first = int(texts.starts[0]) if len(texts) else 0
        letters = texts.content[first : first + int(ends[-1])]
    buffers = [None, arrow.py_buffer(ends), arrow.py_buffer(letters)]
    found: Column = arrow.Array.from_buffers(arrow.large_string(), len(texts), buffers)
    try:
        found.validate(full=True)
    except arrow.ArrowInvalid:
        raise FileFormatError(f"{shard} is not UTF-8 text; save it as UTF-8.") from None
    return found


def bucket_of(names: Names, count: int) -> NDArray[np.int64]:
    """Return which of `count` buckets each name belongs to."""
    if isinstance(names, np.ndarray):
        keys = names.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    else:
        _, offsets, letters = names.buffers()
        assert offsets is not None  # a column of texts has them
        places = np.frombuffer(offsets, dtype=np.int64)[names.offset : names.offset + len(names) + 1]
        content = np.empty(0, dtype=np.uint8) if letters is None else np.frombuffer(letters, dtype=np.uint8)
        keys = hashed(Texts(content, places[:-1].copy(), np.diff(places)), _SEED)
    return ((keys >> np.uint64(32)) % np.uint64(count)).astype(np.int64)


def arrow_names(names: Sequence[Hashable], low: int, high: int) -> object:
    """Return names low ... high - 1 as a column of Arrow: from a file, a range or any sequence."""
    arrow = import_extra("pyarrow", "scale")
    if isinstance(names, InArrow):
        return names.arrow(low, high)
    if isinstance(names, range):
        return arrow.array(np.arange(low, high))
    some = [names[k] for k in range(low, high)]
    try:
        return arrow.array(some)
    except (arrow.ArrowException, TypeError, OverflowError, UnicodeEncodeError):
        return arrow.array(list(map(str, some)))


def slice_names(names: Names, chosen: NDArray[np.intp]) -> Names:
    """Return some names."""
    if isinstance(names, np.ndarray):
        return np.asarray(names[chosen])
    arrow = import_extra("pyarrow", "scale")
    return names.take(arrow.array(chosen))
