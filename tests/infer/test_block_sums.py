"""Compiled sums between blocks, and moves to the most likely block."""

import numpy as np
import pytest
from scipy import sparse

from lpgraph._compiled import available
from lpgraph.infer import block_sums as module
from lpgraph.infer.block_sums import block_sums, moved


def network():
    rng = np.random.default_rng(0)
    upper = sparse.random_array((400, 400), density=0.05, rng=rng)
    return sparse.csr_array(upper + upper.T), rng.integers(0, 7, 400), rng


@pytest.mark.skipif(not available(), reason="loops are not compiled")
@pytest.mark.parametrize("threads", ["1", "3"])
def test_compiled_loops_agree_with_numpy(monkeypatch, threads):
    arcs, labels, rng = network()
    gains, own, losses = rng.random((7, 7)), 1e-2 * rng.random((7, 7)), rng.random(7)
    sums, after = block_sums(arcs, labels, 7), moved(arcs, labels, gains, losses, own)
    monkeypatch.setattr(module, "WORTHWHILE", 1)
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
    # Sums of about 300 numbers in another order.
    np.testing.assert_allclose(block_sums(arcs, labels, 7), sums, rtol=1e-12)
    np.testing.assert_array_equal(moved(arcs, labels, gains, losses, own), after)


def test_a_vertex_moves_to_the_block_of_largest_score():
    arcs, labels, rng = network()
    gains, own, losses = rng.random((7, 7)), rng.random((7, 7)), rng.random(7)
    after = moved(arcs, labels, gains, losses, own)
    for vertex in (0, 17, 399):
        edges = np.array([arcs[[vertex]].toarray()[0][labels == block].sum() for block in range(7)])
        d = edges.sum()
        scores = [
            edges @ gains[:, block] - d * losses[block] + d**2 * own[labels[vertex], block] for block in range(7)
        ]
        assert after[vertex] == int(np.argmax(scores))
