"""Shards of random edges, as Parquet files, written once."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["write_shards"]

SHARD = 5_000_000


def write_shards(folder, edges, *, texts, weighted=False, per_vertex=10):
    """Write random edges, with ``per_vertex`` a vertex and degrees of a heavy tail; return the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    n = edges // per_vertex
    rng = np.random.default_rng(0)
    names = pa.array(rng.permutation(n))
    if texts:
        # Without an order, and of 9 to 15 letters.
        numbers = (np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(4)
        names = pa.array(
            [f"u{number:x}"[: 9 + number % 7] + f"{i:x}" for i, number in enumerate(numbers.tolist())]
        )
    for k, start in enumerate(range(0, edges, SHARD)):
        path = folder / f"{k:04d}.parquet"
        count = min(SHARD, edges - start)
        rng = np.random.default_rng(k + 1)
        source = rng.integers(0, n, count)
        target = (n * rng.random(count) ** 3).astype(np.int64)
        columns = {"source": names.take(pa.array(source)), "target": names.take(pa.array(target))}
        if weighted:
            columns["weight"] = pa.array(rng.random(count))
        if not path.exists():
            draft = path.with_suffix(".draft")
            pq.write_table(pa.table(columns), draft, row_group_size=1 << 20)
            draft.rename(path)
    return folder
