"""Cost of the checks of sparse matrices, compared with the fits and transforms that they precede.

``python benchmarks/structure.py`` writes ``docs/results/structure.md``.
"""

import numpy as np
from _timing import page, side_by_side
from scipy import sparse

import lpgraph as lp
from lpgraph.linalg.csr_check import entries_of

D = 2


def block_model(n, degree, blocks=2, heavy=False):
    """Return the matrix of a block model of a mean degree, with heavy-tailed degrees if asked for."""
    rng = np.random.default_rng(0)
    within = degree / n * blocks / (1 + 0.2 * (blocks - 1))
    B = np.full((blocks, blocks), 0.2 * within)
    np.fill_diagonal(B, within)
    sizes = [n // blocks] * blocks
    if not heavy:
        return lp.stochastic_block_model(sizes, B, random_state=0).adjacency
    weights = np.clip(rng.pareto(3.0, n) + 0.5, 0.2, 5.0)
    return lp.degree_corrected_block_model(sizes, B, weights / weights.max(), random_state=0).adjacency


def fits():
    """Time fits, and the pass over the matrix that looks for what is wrong with it."""
    graphs = {
        "10^5 vertices, degree 20": block_model(100_000, 20),
        "10^5 vertices, degree 20, heavy tail": block_model(100_000, 100, heavy=True),
        "10^6 vertices, degree 20": block_model(1_000_000, 20),
    }
    for name, matrix in graphs.items():
        graph = lp.as_adjacency(matrix)

        yield from side_by_side(
            f"fit, d = {D}, {name} ({graph.n_edges} edges)",
            **{
                "fit": lambda given=matrix: lp.AdjacencySpectralEmbedding(D).fit(given),
                "check alone": lambda given=graph.matrix: entries_of("matrix", given),
            },
        )


def transforms():
    """Time the embedding of new vertices, and the check of their rows."""
    n = 100_000
    rng = np.random.default_rng(0)
    model = lp.AdjacencySpectralEmbedding(D, tol=1e-2).fit(block_model(n, 20))
    for m, times in ((1, 2000), (1000, 200), (50_000, 10)):
        rows = sparse.csr_array(
            sparse.coo_array(
                (np.ones(10 * m), (np.repeat(range(m), 10), rng.integers(n, size=10 * m))), shape=(m, n)
            )
        )

        def transform(rows=rows, times=times):
            for _ in range(times):
                model.transform(rows)

        def check(rows=rows, times=times):
            for _ in range(times):
                entries_of("new", rows)

        yield from side_by_side(
            f"{m} new vertices as rows, {times} times", **{"transform": transform, "check alone": check}
        )


def main():
    """Time all and write the page."""
    notes = (
        "Medians of five runs in turn; ratios are to the fit or the transform that includes the check. The "
        "checks replace passes that were made before: for canonical order, for infinite entries, for the lowest "
        "weight. Once a million entries were placed in a process, rows of 16 384 entries and more are checked "
        "in the loop of their product instead, as those of 50 000 vertices are here."
    )
    page(__file__, "Checks of sparse matrices", [*fits(), *transforms()], notes)


if __name__ == "__main__":
    main()
