"""Embedding of new vertices: 10^6 vertices compared with the sparse product alone, and a single vertex.

``python benchmarks/extend.py`` writes ``docs/results/extend.md``.
"""

import numpy as np
from _timing import page, side_by_side
from scipy import sparse

import lpgraph as lp

N, M, EDGES, D = 100_000, 1_000_000, 10, 10


def main():
    """Time both and write the page."""
    rng = np.random.default_rng(0)
    graph = lp.stochastic_block_model([N // 2, N // 2], [[2e-4, 2e-5], [2e-5, 2e-4]], random_state=0)
    embedding = lp.AdjacencySpectralEmbedding(D, tol=1e-2).fit(graph)
    rows = sparse.csr_array(
        (np.ones(M * EDGES), rng.integers(0, N, M * EDGES), np.arange(M + 1) * EDGES), shape=(M, N)
    )
    rows.sum_duplicates()
    basis = np.ascontiguousarray(embedding.embedding_ / embedding.eigenvalues_)
    one = {"new": rng.integers(0, N, EDGES).tolist()}

    def thousand_single():
        for _ in range(1000):
            embedding.transform(one)

    many = side_by_side(
        f"{M} new vertices, {EDGES} edges each",
        rounds=15,
        **{"sparse product alone": lambda: rows @ basis, "transform": lambda: embedding.transform(rows)},
    )
    single = side_by_side("one new vertex with 10 neighbors, 1000 times", transform=thousand_single)
    notes = (
        f"Embedding of {N} vertices in {D} dimensions. Medians of 15 and of 5 runs in turn. One new vertex takes, "
        "in microseconds,"
    )
    each = float(single[0]["seconds"]) * 1000
    page(__file__, "Embedding of new vertices", [*many, *single], f"{notes} {each:.0f}.")


if __name__ == "__main__":
    main()
