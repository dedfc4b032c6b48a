"""Product of many sparse rows: equal to scipy's up to the order of sums; invalid entries are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph._utils.compiled import available
from lpgraph.linalg import checked_product as rows_module
from lpgraph.linalg.checked_product import rows_product

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")
EPS = np.finfo(float).eps


@pytest.fixture(autouse=True)
def always(monkeypatch):
    monkeypatch.setattr(rows_module, "WORTHWHILE", 1)
    monkeypatch.setattr(rows_module, "_SMALL", 1)
    monkeypatch.setattr(rows_module, "_PIECE", 100)


def some_rows(m=70, n=40, seed=0, index=np.int64):
    rng = np.random.default_rng(seed)
    matrix = sparse.random_array((m, n), density=0.2, rng=rng, data_sampler=rng.standard_normal).tocsr()
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


# One panel, the widest panel, two panels of unequal and of equal width: each width of a panel is compiled.
@pytest.mark.parametrize(
    ("width", "index"),
    [(3, np.int32), (3, np.int64), (1, np.int64), (10, np.int32), (17, np.int64), (20, np.int32)],
)
def test_it_is_scipys_product(width, index):
    rows = some_rows(index=index)
    block = np.random.default_rng(1).standard_normal((40, width))
    # a sum of at most 40 terms, each way
    bound = 2 * 40 * EPS * (abs(rows) @ abs(block))
    for given in block, np.asfortranarray(block):
        found = rows_product(rows, given)
        assert found.shape == (70, width)
        assert (abs(found - rows @ block) <= bound).all()


def test_entries_in_any_order_and_repeated_ones_add_up():
    block = np.random.default_rng(1).standard_normal((4, 3))
    rows = sparse.csr_array(([1.0, 2.0, 4.0, 8.0], [3, 0, 3, 1], [0, 3, 3, 4]), shape=(3, 4))
    wanted = np.array([2 * block[0] + 5 * block[3], np.zeros(3), 8 * block[1]])
    np.testing.assert_allclose(rows_product(rows, block), wanted, rtol=1e-14)


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("data", -1, np.nan),
        ("data", -1, np.inf),
        ("indices", 100, -1),
        ("indices", 100, 40),
        ("indices", 100, 2**31 - 1),
        ("indptr", 0, -5),
        ("indptr", 30, 10**6),
        ("indptr", 30, 0),
    ],
)
def test_what_is_wrong_is_seen(part, place, value):
    rows = some_rows(index=np.int32)
    getattr(rows, part)[place] = value
    assert rows_product(rows, np.zeros((40, 3))) is None


@pytest.mark.parametrize("directed", [False, True])
def test_transform_is_the_same_on_both_roads(directed, monkeypatch):
    graph = lp.stochastic_block_model(
        [60, 60], [[0.5, 0.1], [0.2 if directed else 0.1, 0.5]], directed=directed, random_state=0
    )
    embedding = lp.AdjacencySpectralEmbedding(2).fit(graph.adjacency)
    new = some_rows(30, 120)
    new.data = np.abs(new.data)
    for direction in ("out", "in") if directed else ("out",):
        fast = embedding.transform(new, direction=direction)
        training = embedding.transform(graph.adjacency, direction="out")
        with monkeypatch.context() as patch:
            patch.setattr(rows_module, "_SMALL", 10**9)
            np.testing.assert_allclose(fast, embedding.transform(new, direction=direction), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(training, embedding.embedding_, atol=1e-8)
    laplacian = lp.LaplacianSpectralEmbedding(2).fit(graph.adjacency)
    fast = laplacian.transform(new)
    monkeypatch.setattr(rows_module, "_SMALL", 10**9)
    np.testing.assert_allclose(fast, laplacian.transform(new), rtol=1e-12, atol=1e-14)
