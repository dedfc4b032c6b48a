"""The partitions of a Dask data frame as shards, computed one at a time."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.graph.convert import choose_columns
from lpgraph.scale.building.blocks import Block, Texts
from lpgraph.scale.building.columns import Columns
from lpgraph.scale.building.table_shard import stream_blocks

__all__ = ["PartitionShard", "partition_shards"]


class Frame(Protocol):
    """What this module uses of a Dask data frame."""

    columns: Sequence[str]

    @property
    def partitions(self) -> Sequence[Self]: ...
    def __getitem__(self, titles: list[str]) -> Self: ...
    def __dask_keys__(self) -> list[tuple[Hashable, ...]]: ...
    def compute(self) -> object:
        """Return a pandas data frame."""


@dataclass(frozen=True)
class PartitionShard:
    """A partition of a Dask data frame; `key` is that of Dask, which is the same if its input is."""

    frame: Frame
    number: int
    key: str

    @property
    def name(self) -> str:
        """The number, for errors."""
        return f"edges, partition {self.number}"

    def state(self) -> dict[str, object]:
        """Return the key."""
        return {"path": self.name, "key": self.key}

    def blocks(self, columns: Columns, after: dict[str, int]) -> Iterator[Block]:
        """Yield the edges from a place on; raise if those before it are others than they were."""
        chosen = choose_columns(list(self.frame.columns), columns.weight, self.name, columns.ends)
        titles = [self.frame.columns[k] for k in chosen if k is not None]
        table = import_extra("pyarrow", "scale").Table.from_pandas(
            self.frame[titles].partitions[self.number].compute(), preserve_index=False
        )
        row, found = after.get("row", 0), 0
        for block in stream_blocks(table.to_reader(), self.name, columns, {}):
            found = _checksum(block, found)
            end = block.after["row"]
            if end > row:
                yield replace(block, after={"row": end, "checksum": found})
            elif end == row and found != after["checksum"]:
                raise self._changed()
        if len(table) < row:
            raise self._changed()

    def _changed(self) -> StoreError:
        return StoreError(
            f"{self.name} has other rows than when a build that was stopped read it: it depends on something else "
            "than its input, such as random numbers. Write the data frame to Parquet, delete the folder of the "
            "store, and build it from the files."
        )


def partition_shards(frame: Frame) -> list[PartitionShard]:
    """Return the partitions of a Dask data frame."""
    keys = frame.__dask_keys__()
    if not keys:
        raise ArgumentError("edges is a Dask data frame without partitions; pass at least one edge.")
    return [PartitionShard(frame, k, "-".join(map(str, key))) for k, key in enumerate(keys)]


def _letters(texts: Texts) -> NDArray[np.uint8]:
    if not len(texts):
        return texts.content[:0]
    return texts.content[int(texts.starts[0]) : int(texts.starts[-1] + texts.lengths[-1])]


def _checksum(block: Block, found: int) -> int:
    for ends in (block.source, block.target):
        # Texts of a column of Arrow follow one another.
        arrays = [ends.lengths, _letters(ends)] if isinstance(ends, Texts) else [ends]
        for array in arrays:
            found = zlib.crc32(np.ascontiguousarray(array).data, found)
    return found if block.weight is None else zlib.crc32(np.ascontiguousarray(block.weight).data, found)
