"""Product of many sparse rows: equal to scipy's up to the order of sums; invalid entries are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

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


WRONG = [("data", -1, value) for value in (np.nan, np.inf)]
WRONG += [("indices", 100, value) for value in (-1, 40, 2**31 - 1)]
WRONG += [("indptr", 0, -5), ("indptr", 30, 10**6), ("indptr", 30, 0)]


@pytest.mark.parametrize(("part", "place", "value"), WRONG)
def test_what_is_wrong_is_seen(part, place, value):
    rows = some_rows(index=np.int32)
    getattr(rows, part)[place] = value
    assert rows_product(rows, np.zeros((40, 3))) is None
