"""Covariances of all positions, compared with the fits of the embeddings.

``python benchmarks/covariances.py`` writes ``docs/results/covariances.md``.
"""

import numpy as np
from _timing import page, side_by_side

import lpgraph as lp
from lpgraph.embed import edge_probabilities

D, DEGREE = 10, 20
METHODS = (lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding)


def all_covariances(model):
    """Return the covariances, without sums that were kept of an earlier call."""
    edge_probabilities._known.clear()
    return model.covariances()


def rows():
    for n in (100_000, 1_000_000):
        blocks = np.full((D, D), 0.1) + np.diag(np.linspace(1, 2, D))
        graph = lp.stochastic_block_model([n // D] * D, DEGREE / n / blocks.mean() * blocks, random_state=0)
        for method in METHODS:
            model = method(D).fit(graph)
            yield from side_by_side(
                f"{method.__name__}, {n:,} vertices",
                3,
                fit=lambda method=method, graph=graph: method(D).fit(graph),
                covariances=lambda model=model: all_covariances(model),
                ten_vertices=lambda model=model: model.covariances(range(10)),
            )


NOTES = f"""\
Block models of {D} blocks, mean degree {DEGREE}, d = {D}. `covariances` is the call for all vertices, which
returns upper triangles; `ten_vertices` that for ten of them, when the sums over the known vertices are kept from
an earlier call. Each is timed 3 times in turn, after one warm-up; ratios are relative to the fit.
"""

if __name__ == "__main__":
    page(__file__, "Covariances of all positions", list(rows()), NOTES)
