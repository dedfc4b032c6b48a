"""Edges of new vertices in shards, divided so that all edges of a vertex are together, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import import_extra
from lpgraph._progress import tell
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.graph.assemble import real_csr
from lpgraph.graph.new_edges import NewEdges
from lpgraph.scale.building.work import whole_file
from lpgraph.scale.logs import log
from lpgraph.scale.name_columns import KnownNames, bucket_of, ends_of, slice_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from lpgraph.scale.building.columns import Columns
    from lpgraph.scale.building.shards import FileShard
    from lpgraph.scale.building.work import Work
    from lpgraph.scale.name_columns import Names

    Array = NDArray[np.float64]

__all__ = ["Counts", "Division", "bucket_count", "divide", "exchange", "new_vertices"]

#: Bytes of the shards for each bucket, and the most buckets.
_BYTES, _MOST = 1 << 25, 4096
#: Edges that are divided at a time.
_CHUNK = 1 << 21


def bucket_count(shards: Sequence[FileShard]) -> int:
    """Return the number of buckets, by the sizes of the shards."""
    size = sum(int(str(shard.state()["size"])) for shard in shards)
    return min(max(-(-size // _BYTES), 1), _MOST)


@dataclass
class Counts:
    """Edges of the shards: all, those with a known and a new end, and those between known vertices."""

    edges: int = 0
    linking: int = 0
    between: int = 0
    weighted: bool = False

    def add(self, facts: dict[str, object]) -> None:
        """Add what is known of a shard."""
        for key in ("edges", "linking", "between"):
            setattr(self, key, getattr(self, key) + int(str(facts[key])))
        self.weighted = self.weighted or bool(facts["weighted"])


@dataclass
class _Waiting:
    """Ends of edges that are not yet written: new vertices, and the row of the other end, -1 if it is new."""

    names: list[Names] = field(default_factory=list)
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    weights: list[Array] = field(default_factory=list)
    inward: list[NDArray[np.bool_]] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, eq=False)
class Division:
    """How the edges of shards are divided.

    Attributes
    ----------
    work : Work
        The folder of the divided edges.
    shards : sequence of FileShard
        The edges.
    columns : Columns
        Their columns.
    known : KnownNames
        Names of the known vertices.
    buckets : int
        Into how many pieces a shard is divided.
    """

    work: Work
    shards: Sequence[FileShard]
    columns: Columns
    known: KnownNames
    buckets: int


def divide(division: Division, s: int) -> dict[str, object]:
    """Divide the edges of a shard; return its state, how many there are, and the bucket of each row group."""
    shard = division.shards[s]
    state = shard.state()
    facts = {"state": state, **_divided(division, s, shard)}
    if shard.state() != state:
        raise StoreError(f"{shard.name} changed while it was read; call again to read it again.")
    return facts


def exchange(
    division: Division, divided: Callable[[Sequence[int]], Iterable[tuple[int, dict[str, object]]]]
) -> Counts:
    """Divide the edges of all shards, or of those that are left, and return how many there are.

    `divided` yields the number and the facts of shards, as of `divide`.
    """
    work, shards, counts, left = division.work, division.shards, Counts(), list[int]()
    for s, shard in enumerate(shards):
        facts = work.load(_facts_file(s))
        if facts is None:
            left.append(s)
        elif facts["state"] != shard.state():
            raise StoreError(
                f"{shard.name} has changed since it was read; restore it, or delete {work.folder.parent} to begin "
                "again."
            )
        else:
            counts.add(facts)
    for done, (s, facts) in enumerate(divided(left), len(shards) - len(left) + 1):
        work.save(_facts_file(s), facts)
        counts.add(facts)
        tell(log, "Read %s", shards[s].name, of=(done, len(shards)))
    if counts.edges and not counts.linking and not counts.between:
        raise ArgumentError(
            f"No name in the edges is known; the known ones are called like "
            f"{division.known.example!r}. Pass edges between "
            "new vertices and known ones."
        )
    return counts


def _facts_file(s: int) -> str:
    return f"shard-{s:05d}.json"


def _divided(division: Division, s: int, shard: FileShard) -> dict[str, object]:
    """Write the edges of a shard by buckets; return how many there are, and the bucket of each row group."""
    work, known, buckets = division.work, division.known, division.buckets
    arrow, parquet = import_extra("pyarrow", "scale"), import_extra("pyarrow.parquet", "scale")
    kind = arrow.large_string() if known.are_texts else arrow.int64()
    schema = arrow.schema(
        [("name", kind), ("row", arrow.int64()), ("weight", arrow.float64()), ("in", arrow.bool_())]
    )
    counts, groups, waiting = Counts(), list[int](), _Waiting()
    with (
        whole_file(work.path(f"shard-{s:05d}.parquet"), work.folder) as file,
        parquet.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as writer,
    ):
        for block in shard.blocks(division.columns, {}):
            _add(waiting, counts, *ends_of(block, known, shard.name), block.weight, known)
            if waiting.count >= _CHUNK:
                groups += _write(waiting, writer, schema, buckets)
                waiting = _Waiting()
        groups += _write(waiting, writer, schema, buckets)
    return {**vars(counts), "groups": groups}


def _add(
    waiting: _Waiting, counts: Counts, source: Names, target: Names, weight: Array | None, known: KnownNames
) -> None:
    weights = np.ones(len(source)) if weight is None else weight
    u, v = known.rows_of(source), known.rows_of(target)
    counts.edges += len(u)
    counts.between += int(((u >= 0) & (v >= 0)).sum())
    counts.linking += int(((u >= 0) != (v >= 0)).sum())
    counts.weighted = counts.weighted or weight is not None
    for names, own, other, inward in ((source, u, v, False), (target, v, u, True)):
        # Of an edge between new vertices, both ends are kept, without a row.
        chosen = np.flatnonzero(own < 0)
        waiting.names.append(slice_names(names, chosen))
        waiting.rows.append(other[chosen])
        waiting.weights.append(weights[chosen])
        waiting.inward.append(np.full(len(chosen), inward))
        waiting.count += len(chosen)


def _write(waiting: _Waiting, writer: object, schema: object, buckets: int) -> list[int]:
    """Write edges in one row group a bucket; return the buckets."""
    arrow = import_extra("pyarrow", "scale")
    if not waiting.count:
        return []
    integers = isinstance(waiting.names[0], np.ndarray)
    names = np.concatenate(waiting.names) if integers else arrow.concat_arrays(waiting.names)  # type: ignore[arg-type]
    bucket = bucket_of(names, buckets)
    order = np.argsort(bucket, kind="stable")
    rows, weights, inward = (
        np.concatenate(some)[order] for some in (waiting.rows, waiting.weights, waiting.inward)
    )
    table = arrow.table([slice_names(names, order), rows, weights, inward], schema=schema)
    found, starts = np.unique(bucket[order], return_index=True)
    for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        writer.write_table(table.slice(low, high - low), row_group_size=high - low)  # type: ignore[attr-defined]
    return [int(one) for one in found]


def new_vertices(work: Work, shards: int, bucket: int, n: int, *, directed: bool) -> NewEdges | None:
    """Return the vertices of a bucket, in the order of their names; None if it has none."""
    arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
    parquet = import_extra("pyarrow.parquet", "scale")
    tables = []
    for s in range(shards):
        groups: list[int] = (work.load(_facts_file(s)) or {})["groups"]  # type: ignore[assignment]
        wanted = [g for g, one in enumerate(groups) if one == bucket]
        if wanted:
            path = work.path(f"shard-{s:05d}.parquet")
            try:
                tables.append(parquet.ParquetFile(path, page_checksum_verification=True).read_row_groups(wanted))
            except (OSError, arrow.ArrowException) as error:
                raise StoreError(
                    f"{path} is damaged ({error}); delete {work.folder.parent}, and begin again."
                ) from None
    if not tables:
        return None
    table = arrow.concat_tables(tables).combine_chunks()
    encoded = table.column("name").combine_chunks().dictionary_encode()
    order = compute.array_sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    vertex = rank[encoded.indices.to_numpy(zero_copy_only=False)]
    names = encoded.dictionary.take(arrow.array(order)).to_pylist()
    row, weight = (table.column(title).to_numpy() for title in ("row", "weight"))
    inward = table.column("in").to_numpy() & directed
    shape = len(names), n
    out = _rows(vertex, row, weight, (row >= 0) & ~inward, shape)
    into = _rows(vertex, row, weight, (row >= 0) & inward, shape) if directed else None
    return NewEdges(out, tuple(names), into, only_rows=True)


def _rows(
    vertex: NDArray[np.int64],
    row: NDArray[np.int64],
    weight: Array,
    chosen: NDArray[np.bool_],
    shape: tuple[int, int],
) -> sparse.csr_array:
    """Return edges as sparse rows; those that are listed several times add up in the order of the shards."""
    vertex, row, weight = vertex[chosen], row[chosen], weight[chosen]
    order = np.lexsort((row, vertex))
    vertex, row, weight = vertex[order], row[order], weight[order]
    first = np.ones(len(row), dtype=bool)
    first[1:] = (vertex[1:] != vertex[:-1]) | (row[1:] != row[:-1])
    if not first.all():
        weight = np.add.reduceat(weight, np.flatnonzero(first))
        vertex, row = vertex[first], row[first]
    indptr = np.searchsorted(vertex, np.arange(shape[0] + 1))
    kind = np.int32 if max(shape[1], len(row)) < 1 << 31 else np.int64
    summed = sparse.csr_array((weight, row.astype(kind), indptr.astype(kind)), shape=shape)
    return real_csr(summed, "edges", new=True)
