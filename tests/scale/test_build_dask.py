"""Edge stores from a Dask data frame: those of its table, built partition by partition, also after a stop."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scale.dask_clusters import cluster

from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, StoreError
from lpgraph.scale import EdgeStore, build_store
from lpgraph.scale.building import read, table_shard

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(read, "CHUNK", 1000)
    monkeypatch.setattr(table_shard, "_ROWS", 300)


def table(kind, weighted=True, m=6000):
    ends = np.random.default_rng(0).integers(0, 500, (2, m))
    name = (lambda v: [f"v{x:x}" for x in v]) if kind == "texts" else (lambda v: v)
    found = pd.DataFrame({"source": name(ends[0]), "target": name(ends[1])})
    return found.assign(more=np.arange(m), weight=np.arange(m) % 7 + 0.5) if weighted else found


def contents(store):
    return {path.name: path.read_bytes() for path in sorted(store.folder.iterdir()) if path.suffix != ".json"}


@pytest.mark.parametrize("kind", ["texts", "integers"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.usefixtures("small_chunks")
def test_a_dask_data_frame_gives_the_store_of_its_table(kind, weighted, tmp_path):
    edges = table(kind, weighted)
    expected = contents(build_store(edges, tmp_path / "whole"))
    assert contents(build_store(dd.from_pandas(edges, npartitions=5), tmp_path / "parts")) == expected
    assert contents(build_store(dd.from_pandas(edges, npartitions=1), tmp_path / "one")) == expected


@pytest.mark.usefixtures("small_chunks")
def test_partitions_are_computed_one_at_a_time_and_only_columns_of_edges(tmp_path):
    edges, computed = table("texts"), []

    def part(k):
        computed.append(k)
        return edges[k::4]

    build_store(dd.from_map(part, [0, 1, 2, 3], meta=edges[:0]), tmp_path / "s")
    assert computed == [0, 1, 2, 3]
    edges.to_parquet(tmp_path / "edges.parquet")
    asked, whole = [], dd.read_parquet(tmp_path / "edges.parquet")

    class Frame(type(whole)):
        def __getitem__(self, titles):
            asked.append(titles)
            return super().__getitem__(titles)

    build_store(Frame(whole.expr), tmp_path / "t", weight=None)
    assert asked == [["source", "target"]]


class StopError(Exception):
    """Stops a build in a test."""


def stopped(edges, folder, monkeypatch, at):
    """Stop a build at the `at`-th file that is completed."""
    count, replace = [0], os.replace

    def counted(draft, path):
        count[0] += 1
        if count[0] == at:
            raise StopError
        return replace(draft, path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", counted)
        with pytest.raises(StopError):
            build_store(edges, folder)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("kind", ["texts", "integers"])
def test_a_build_that_was_stopped_goes_on_with_the_partition(kind, tmp_path, monkeypatch):
    edges, computed = table(kind), []
    expected = contents(build_store(edges, tmp_path / "whole"))

    def part(k):
        computed.append(k)
        return edges[k * 2000 : (k + 1) * 2000]

    frame = dd.from_map(part, [0, 1, 2], meta=edges[:0])
    firsts = []
    for at in range(1, 20, 2):
        stopped(frame, tmp_path / f"{at}", monkeypatch, at)
        computed.clear()
        assert contents(build_store(frame, tmp_path / f"{at}")) == expected
        firsts.append(computed[0] if computed else 3)
        assert computed == list(range(firsts[-1], 3))
    assert firsts == sorted(firsts)
    assert set(firsts) == {0, 1, 2, 3}


@pytest.mark.usefixtures("small_chunks")
def test_partitions_that_changed(tmp_path, monkeypatch):
    edges = table("integers")
    stopped(dd.from_pandas(edges, npartitions=3), tmp_path / "keys", monkeypatch, 13)
    other = edges.assign(target=edges["target"] + 1)
    with pytest.raises(StoreError, match=r"edges, partition 0 has changed since .*; restore it, or delete"):
        build_store(dd.from_pandas(other, npartitions=3), tmp_path / "keys")
    with pytest.raises(StoreError, match="was begun with shards="):
        build_store(dd.from_pandas(edges, npartitions=2), tmp_path / "keys")
    # The same keys, with other rows.
    draws = np.random.default_rng(0)

    def part(k):
        return edges[:2000].assign(target=draws.integers(0, 500, 2000))

    def fewer(k):
        return edges[: 2000 if len(kept) < 2 else 10].assign(kept=kept.append(k))

    kept = []
    for name, function, at in (("rows", part, 6), ("fewer", fewer, 7)):
        frame = dd.from_map(function, [0, 1, 2], meta=edges[:0])
        stopped(frame, tmp_path / name, monkeypatch, at)
        with pytest.raises(StoreError, match="has other rows than when a build that was stopped read it"):
            build_store(frame, tmp_path / name)


def test_a_finished_store_is_opened(tmp_path):
    edges = table("integers")
    frame = dd.from_pandas(edges, npartitions=3)
    build_store(frame, tmp_path / "s")
    before = (tmp_path / "s" / "manifest.json").stat().st_mtime_ns
    build_store(dd.from_pandas(edges, npartitions=3), tmp_path / "s")
    assert (tmp_path / "s" / "manifest.json").stat().st_mtime_ns == before
    with pytest.raises(StoreError, match="store of other edges"):
        build_store(frame[frame["source"] > 3], tmp_path / "s")
    assert EdgeStore(tmp_path / "s").manifest.source["shards"][1]["path"] == "edges, partition 1"


def test_errors_name_partition_and_row(tmp_path):
    edges = table("integers")
    frame = dd.from_pandas(edges, npartitions=3)
    wrong = edges.astype({"weight": float})
    wrong.loc[4321, "weight"] = np.inf
    with pytest.raises(GraphError, match=r"Row 321 of edges, partition 2 has weight=inf"):
        build_store(dd.from_pandas(wrong, npartitions=3), tmp_path / "s")
    build_store(dd.from_pandas(wrong.replace(np.inf, 1.0), npartitions=3), tmp_path / "other")
    with pytest.raises(ArgumentError, match="none"):
        build_store(frame, tmp_path / "t", source="none", target="target")
    with pytest.raises(ArgumentError, match="format='csv' is for files and edges is a DataFrame"):
        build_store(frame, tmp_path / "t", format="csv")
    with pytest.raises(ArgumentTypeError, match="type double; names of vertices are"):
        build_store(frame.astype({"source": float}), tmp_path / "t")


def test_the_client_computes_partitions(tmp_path):
    edges = table("texts")
    expected = contents(build_store(edges, tmp_path / "here"))
    with dask.config.set(scheduler=None), cluster(2):
        assert contents(build_store(dd.from_pandas(edges, npartitions=4), tmp_path / "there")) == expected


def test_dask_is_not_imported_for_tables():
    code = (
        "import sys, pandas as pd, lpgraph.scale.building.shards as s; "
        "s.as_shards(pd.DataFrame({'a': [1], 'b': [2]}), None); "
        "sys.exit(any(name.split('.')[0] == 'dask' for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
