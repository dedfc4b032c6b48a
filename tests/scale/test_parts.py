"""Positions, random graphs and new vertices in folders of files: after stops, and written by Dask workers."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from scale.dask_clusters import cluster
from scale.test_new_vertices import files, fitted, labels_of, tables

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, ClusterError, StoreError
from lpgraph.scale import classify, dask, extend, parts, results, sample, write_positions

B = np.array([[0.3, 0.05], [0.05, 0.2]])


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Several parts of each kind; only for workers that are threads of this process, or for the client."""
    monkeypatch.setattr(results, "_BYTES", 2000)
    for name, value in {"_ROWS": 5, "_PART": 15, "_LEAST": 64, "_MOST": 64}.items():
        monkeypatch.setattr(results, name, value)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def block_graph(**options):
    return lp.stochastic_block_model([100, 150], B, random_state=0, **options)


@pytest.mark.parametrize("options", [{}, {"directed": True, "loops": True}])
def test_distribution_of_samples(options, tmp_path):
    """Counts of edges of each pair of blocks over 20 graphs: within five standard errors."""
    graph = block_graph(**options)
    labels, sums, repeats = np.asarray(graph.labels), np.zeros((2, 2)), 20
    for seed in range(repeats):
        edges = pd.read_parquet(sample(graph.model, None, tmp_path / f"{seed}", random_state=seed).paths)
        assert not edges.duplicated().any()
        u, v = edges["source"].to_numpy(), edges["target"].to_numpy()
        assert options or (u < v).all()
        np.add.at(sums, (labels[u], labels[v]), 1)
    sizes = np.array([100, 150])
    pairs = np.multiply.outer(sizes, sizes).astype(float)
    if not options:
        sums, pairs = np.triu(sums + np.tril(sums, -1).T), np.triu(pairs)
        np.fill_diagonal(pairs, sizes * (sizes - 1) / 2)
    expected = repeats * pairs * B
    assert (np.abs(sums - expected) <= 5 * np.sqrt(expected * (1 - B)) + 1e-9).all()


def test_vertices_and_weights_of_samples(tmp_path):
    positions, weights = lp.positions.Dirichlet([1.0, 1.0]), lp.weights.Poisson(3.0)
    model = lp.LatentPositionModel(lp.kernels.DotProduct(), positions, edge_weights=weights)
    written = sample(model, 200, tmp_path / "graph", random_state=3)
    edges = pd.read_parquet(written.paths)
    assert len(written.paths) == 4
    assert written.facts == {"vertices": 200, "edges": len(edges)}
    assert list(edges.columns) == ["source", "target", "weight"]
    assert abs(edges["weight"].mean() - 3 / (1 - np.exp(-3))) < 0.2
    vertices = pd.concat([pd.read_parquet(path) for path in sorted((tmp_path / "graph").glob("vertices-*"))])
    assert vertices["vertex"].tolist() == list(range(200))
    assert np.allclose(vertices[["x0", "x1"]].sum(axis=1), 1)
    with pytest.raises(StoreError, match="seed=3, not 4"):
        sample(model, 200, tmp_path / "graph", random_state=4)
    with pytest.raises(ArgumentTypeError, match="pass a LatentPositionModel"):
        sample(3, 10, tmp_path / "other", random_state=0)


@pytest.mark.parametrize("directed", [False, True])
def test_positions(directed, tmp_path):
    model = fitted(tables("texts", directed=directed)[0], directed=directed)
    table, folder = model.vertex_table(), tmp_path / "positions"
    for output in (tmp_path / "positions.parquet", folder):
        found = pd.read_parquet(write_positions(model, output))
        pd.testing.assert_frame_equal(found, table, check_exact=True, check_dtype=False)
    assert len(list(folder.glob("part-*.parquet"))) == 10
    with pytest.raises(StoreError, match="with model="):
        write_positions(fitted(tables("texts")[0], 3), folder)
    (folder / "_lpgraph.json").unlink()
    with pytest.raises(StoreError, match="has other files"):
        write_positions(model, folder)
    with pytest.raises(ArgumentError, match=r"numpy\.save"):
        write_positions(model, tmp_path / "positions.npy")
    with pytest.raises(ArgumentTypeError, match="model"):
        write_positions([1], tmp_path / "positions.parquet")


def assert_goes_on(folder):
    """Sample again what was stopped: the files are those of a sample that was not."""
    sample(block_graph(), None, folder / "out", random_state=1)
    sample(block_graph(), None, folder / "whole", random_state=1)
    assert contents(folder / "out") == contents(folder / "whole")


def test_a_full_disk_and_two_processes(tmp_path):
    graph, real = block_graph(), parts.written

    def full(path):
        if path.name == "part-00002.parquet":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        with pytest.raises(StoreError, match="Another process writes"):
            sample(graph, None, tmp_path / "out", random_state=1)
        return real(path)

    with patch.object(parts, "written", full), pytest.raises(StoreError, match=r"part-00002.* call sample again"):
        sample(graph, None, tmp_path / "out", random_state=1)
    assert len(list((tmp_path / "out").glob("part-*"))) == 2
    assert_goes_on(tmp_path)


KILLED = f"""
import os, signal, sys, lpgraph as lp
from lpgraph.scale import results
results._LEAST = results._MOST = 64
real = os.replace
def replace(draft, path):
    if str(path).endswith("part-00001.parquet"):
        os.kill(os.getpid(), signal.SIGKILL)
    real(draft, path)
os.replace = replace
graph = lp.stochastic_block_model([100, 150], {B.tolist()}, random_state=0)
lp.scale.sample(graph, None, sys.argv[1], random_state=1)
"""


@pytest.mark.posix
def test_a_process_that_is_killed(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out")])
    assert done.returncode == -signal.SIGKILL
    assert list((tmp_path / "out").glob(".lpgraph-*"))
    assert_goes_on(tmp_path)


def all_written(known, paths, folder, client=None):
    """Write all kinds of files; return their contents."""
    model = fitted(known)
    classifier = lp.VertexClassifier().fit(model.graph_, labels_of(model.vertex_names_))
    extend(model, paths, folder / "extended", client=client)
    classify(classifier, paths, folder / "classified", probabilities=True, client=client)
    write_positions(model, folder / "positions", client=client)
    sample(block_graph(), None, folder / "sampled", random_state=1, client=client)
    return {kind.name: contents(kind) for kind in sorted(folder.iterdir())}


@pytest.mark.parametrize("kind", ["texts", "integers"])
def test_workers_write_the_bytes_of_one_process(kind, tmp_path):
    known, new = tables(kind)
    paths = files(new, tmp_path / "new")
    expected = all_written(known, paths, tmp_path / "here")
    assert min(map(len, expected.values())) > 3
    with cluster(2, default=False) as client:
        assert all_written(known, paths, tmp_path / "there", client) == expected


def test_errors_and_warnings_of_workers_are_those_of_one_process(tmp_path):
    known, new = tables("texts")
    model = fitted(known)
    (tmp_path / "bad.csv").write_text("source,target\na,b,c\n")
    pd.concat([new, known[:7]]).to_csv(tmp_path / "both.csv", index=False)
    with pytest.raises(ArgumentTypeError, match="client"):
        write_positions(model, tmp_path / "positions", client="tcp://here:8786")
    with cluster(1, default=False) as client:
        with pytest.raises(lp.errors.FileFormatError, match=r"bad\.csv, line 2"):
            extend(model, tmp_path / "bad.csv", tmp_path / "bad", client=client)
        with pytest.warns(lp.errors.LpgraphWarning, match=r"both\.csv has 7 edges between known") as told:
            extend(model, tmp_path / "both.csv", tmp_path / "both", client=client)
        assert {one.filename for one in told} == {__file__}
        with pytest.raises(ArgumentError, match="output="):
            write_positions(model, tmp_path / "positions.parquet", client=client)


def slow(*given, write=results._positions):
    time.sleep(0.3)
    yield from write(*given)


def test_no_worker_or_no_worker_any_more(tmp_path, monkeypatch):
    monkeypatch.setattr(dask, "WAIT", 0.5)
    monkeypatch.setattr(results, "_positions", slow)
    model = fitted(tables("texts")[0])
    with cluster(0, default=False) as client, pytest.raises(ClusterError, match="start workers"):
        write_positions(model, tmp_path / "positions", client=client)
    with cluster(1, default=False) as client:
        threading.Timer(0.5, client.cluster.scale, (0,)).start()
        with pytest.raises(ClusterError, match="start workers"):
            write_positions(model, tmp_path / "positions", client=client)
    found = pd.read_parquet(write_positions(model, tmp_path / "positions"))
    pd.testing.assert_frame_equal(found, model.vertex_table(), check_exact=True)


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("deaths", [1, 99])
def test_workers_that_die_of_a_part(deaths, tmp_path, monkeypatch):
    known, new = tables("texts")
    model, paths = fitted(known), files(new, tmp_path / "new")
    extend(model, paths, tmp_path / "here")

    class Deadly(results._NewVertices):
        def results(self, k):
            if len(list(tmp_path.glob("died-*"))) < deaths:
                (tmp_path / f"died-{os.getpid()}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().results(k)

    monkeypatch.setattr(results, "_NewVertices", Deadly)
    settings = {"distributed.scheduler.allowed-failures": 2}
    with cluster(2, processes=True, settings=settings, local_directory=str(tmp_path / "dask")) as client:
        if deaths == 1:
            extend(model, paths, tmp_path / "there", client=client)
            assert contents(tmp_path / "there") == contents(tmp_path / "here")
        else:
            with pytest.raises(ClusterError, match="more memory"):
                extend(model, paths, tmp_path / "there", client=client)
