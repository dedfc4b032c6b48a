"""Random networks for the tests."""

import networkx as nx
import numpy as np
from scipy import sparse

#: Small networks, in most of which several vertices have the same position.
COINCIDING = [
    nx.complete_bipartite_graph(5, 5),
    nx.star_graph(9),
    nx.connected_caveman_graph(4, 5),
    nx.caveman_graph(4, 5),
    nx.complete_graph(6),
    nx.path_graph(2),
    nx.path_graph(5),
]


def connected(n, degree, seed, *, directed=False, weighted=False, signed=False):
    """A connected random matrix: a cycle, for connection, and random edges."""
    rng = np.random.default_rng(seed)
    m = n * degree // 2
    rows = np.concatenate([np.arange(n), rng.integers(0, n, m)])
    columns = np.concatenate([(np.arange(n) + 1) % n, rng.integers(0, n, m)])
    keep = rows != columns
    rows, columns = rows[keep], columns[keep]
    values = rng.exponential(1.0, len(rows)) if weighted else np.ones(len(rows))
    if signed:
        values = values * rng.choice([-1.0, 1.0], len(rows))
    a = sparse.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
    if not directed:
        a = sparse.csr_array(a + a.T)
    if not weighted and not signed:
        a.data[:] = 1.0
    a.eliminate_zeros()
    return a


def degree_corrected(n, seed):
    """Two blocks; degrees differ by a factor of twenty."""
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.05, 1.0, n)
    block = np.arange(n) % 2
    p = np.outer(weight, weight) * np.where(block[:, None] == block, 0.9, 0.2)
    upper = np.triu(rng.random((n, n)) < p, 1)
    return sparse.csr_array((upper | upper.T).astype(float))
