"""Random graphs sampled tile by tile: the distribution, and the same files after a stop."""

import os

import numpy as np
import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, StoreError
from lpgraph.scale import build_store, sample, sample_parts


@pytest.fixture
def small(monkeypatch):
    """Parts of 64 vertices."""
    monkeypatch.setattr(sample_parts, "_LEAST", 64)
    monkeypatch.setattr(sample_parts, "_MOST", 64)


def block_model(**options):
    B = [[0.3, 0.05], [0.05, 0.2]] if not options.get("directed") else [[0.3, 0.1], [0.02, 0.2]]
    graph = lp.stochastic_block_model([100, 150], B, random_state=0, **options)
    return graph.model, np.asarray(graph.labels), np.array(B)


def digests(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


@pytest.mark.parametrize("options", [{}, {"directed": True}, {"loops": True}, {"directed": True, "loops": True}])
def test_distribution(options, small, tmp_path):
    """Counts of edges of each pair of blocks over 40 graphs: within five standard errors."""
    model, labels, B = block_model(**options)
    sums, repeats = np.zeros((2, 2)), 40
    for seed in range(repeats):
        edges = pd.read_parquet(sample(model, None, tmp_path / f"{seed}", random_state=seed).paths)
        assert not edges.duplicated().any()
        u, v = edges["source"].to_numpy(), edges["target"].to_numpy()
        if not options.get("directed"):
            assert (u <= v).all()
        if not options.get("loops"):
            assert (u != v).all()
        np.add.at(sums, (labels[u], labels[v]), 1)
    if not options.get("directed"):
        sums = np.array([[sums[0, 0], sums[0, 1] + sums[1, 0]], [0, sums[1, 1]]])
    sizes = np.array([100, 150])
    pairs = np.multiply.outer(sizes, sizes).astype(float)
    np.fill_diagonal(pairs, sizes * (sizes - 1) / (1 if options.get("directed") else 2))
    if options.get("loops"):
        pairs += np.diag(sizes)
    if not options.get("directed"):
        pairs[1, 0] = 0
    expected = repeats * pairs * B
    assert (np.abs(sums - expected) <= 5 * np.sqrt(expected * (1 - B)) + 1e-9).all()


def test_vertices_and_weights(small, tmp_path):
    model = lp.LatentPositionModel(
        lp.kernels.DotProduct(), lp.positions.Dirichlet([1.0, 1.0]), edge_weights=lp.weights.Poisson(3.0)
    )
    written = sample(model, 200, tmp_path / "graph", random_state=3)
    assert len(written.paths) == 4
    assert written.facts["vertices"] == 200
    edges = pd.read_parquet(written.paths)
    assert list(edges.columns) == ["source", "target", "weight"]
    assert abs(edges["weight"].mean() - 3 / (1 - np.exp(-3))) < 0.2
    vertices = pd.concat([pd.read_parquet(path) for path in sorted((tmp_path / "graph").glob("vertices-*"))])
    assert vertices["vertex"].tolist() == list(range(200))
    assert np.allclose(vertices[["x0", "x1"]].sum(axis=1), 1)
    store = build_store(written.paths, tmp_path / "graph.store")
    assert store.n_edges == written.facts["edges"] == len(edges)


def test_stopped_anywhere(small, tmp_path, monkeypatch):
    model, _, _ = block_model()
    sample(model, None, tmp_path / "whole", random_state=1)
    real = os.replace
    for stop in range(1, 9):
        left = stop

        def failing(*arguments):
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
            real(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", failing)
            with pytest.raises(KeyboardInterrupt):
                sample(model, None, tmp_path / f"{stop}", random_state=1)
        kept = {path: path.stat().st_mtime_ns for path in (tmp_path / f"{stop}").glob("*.parquet")}
        sample(model, None, tmp_path / f"{stop}", random_state=1)
        assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
        assert digests(tmp_path / f"{stop}") == digests(tmp_path / "whole")


def test_independent_of_threads(small, tmp_path, monkeypatch):
    model, _, _ = block_model()
    for threads in ("1", "4"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        sample(model, None, tmp_path / threads, random_state=5)
    assert digests(tmp_path / "1") == digests(tmp_path / "4")


def test_refused(small, tmp_path):
    model, _, _ = block_model()
    with pytest.raises(ArgumentTypeError, match="pass a LatentPositionModel"):
        sample(3, 10, tmp_path / "graph", random_state=0)
    with pytest.raises((ArgumentError, ArgumentTypeError), match="random_state"):
        sample(model, None, tmp_path / "graph", random_state=None)
    sample(model, None, tmp_path / "graph", random_state=0)
    with pytest.raises(StoreError, match="with another seed: 0, not 1"):
        sample(model, None, tmp_path / "graph", random_state=1)
