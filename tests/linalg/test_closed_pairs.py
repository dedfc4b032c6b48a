"""Edges among the neighbors of vertices, against dense products."""

import numpy as np
from scipy import sparse

from lpgraph.linalg import closed_pairs as module


def test_closed_pairs_are_those_of_dense_products(monkeypatch):
    monkeypatch.setattr(module, "_ROWS", 7)
    rng = np.random.default_rng(0)
    rows = sparse.random_array((30, 40), density=0.2, rng=rng, format="csr")
    rows.data[:5] *= -1
    rows = sparse.csr_array(sparse.vstack([rows, sparse.csr_array((1, 40))]))
    matrix = sparse.random_array((40, 40), density=0.2, rng=rng, format="csr")
    dense = rows.toarray()
    expected = ((dense @ matrix.toarray()) * dense).sum(axis=1)
    np.testing.assert_allclose(module.closed_pairs(rows, sparse.csr_array(matrix)), expected, atol=1e-12)
    assert module.closed_pairs(sparse.csr_array((0, 40)), sparse.csr_array(matrix)).shape == (0,)
