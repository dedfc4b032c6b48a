"""Compiled passes over a sparse matrix, compared with scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph

import lpgraph as lp
from lpgraph._utils.compiled import available
from lpgraph.linalg import sparse_structure as scan

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")


@pytest.fixture(autouse=True)
def _always(monkeypatch):
    monkeypatch.setattr(scan, "WORTHWHILE", 0)


def random_matrix(n, m, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([1.0, 2.0, -0.5], m)
    matrix = sparse.csr_array(sparse.coo_array((values, rng.integers(0, n, (2, m))), shape=(n, n)))
    matrix.eliminate_zeros()
    return matrix


@settings(max_examples=100, deadline=None)
@given(n=st.integers(1, 300), m=st.integers(0, 500), seed=st.integers(0, 10**6), symmetric=st.booleans())
def test_symmetry_and_components_are_scipys(n, m, seed, symmetric):
    a = random_matrix(n, m, seed)
    if symmetric:
        a = sparse.csr_array(a + a.T)
        a.eliminate_zeros()
    mirrored = abs(a - a.T).nnz == 0 or abs(a - a.T).max() == 0
    assert scan.is_symmetric(a) == mirrored
    for directed in {True, not mirrored}:
        count, labels = csgraph.connected_components(a, directed=directed)
        found, numbers = scan.weak_components(a, directed=directed)
        assert found == count
        assert np.array_equal(numbers, labels)


def test_parts_that_lie_apart_in_memory_are_read_as_they_are():
    rng = np.random.default_rng(0)
    a = sparse.random_array((200, 200), density=0.05, rng=rng, format="csr")
    a = sparse.csr_array(a + a.T)
    data, indices, indptr = (np.repeat(part, 2)[::2] for part in (a.data, a.indices, a.indptr))
    apart = sparse.csr_array((data, indices, indptr), shape=a.shape)
    assert not apart.data.flags.c_contiguous
    adjacency = lp.as_adjacency(apart)
    assert not adjacency.directed
    assert (adjacency.matrix != a).nnz == 0
    assert scan.weak_components(apart, directed=False)[0] == scan.weak_components(a, directed=False)[0]
