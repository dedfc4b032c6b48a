"""Positions and random graphs in files, also after stops."""

import errno
import signal
import subprocess
import sys
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from scale.test_new_vertices import fitted, tables

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, StoreError
from lpgraph.scale import parts, results, sample, write_positions

B = np.array([[0.3, 0.05], [0.05, 0.2]])


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Several parts of each kind."""
    for name, value in {"_ROWS": 5, "_LEAST": 64, "_MOST": 64}.items():
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
    found = pd.read_parquet(write_positions(model, tmp_path / "positions.parquet"))
    pd.testing.assert_frame_equal(found, model.vertex_table(), check_exact=True, check_dtype=False)
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
