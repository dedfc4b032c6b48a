"""Sampling of random graphs with 10^6 vertices: lpgraph, igraph's C code, and the method that visits all pairs.

``python benchmarks/sample.py`` writes ``docs/results/sample.md``. Every run has a new process.
"""

import numpy as np
from _timing import in_fresh_processes, page

N, K = 1_000_000, 10
B = np.full((K, K), 1e-5) + np.diag(np.full(K, 1.1e-4))
SIZES = [N // K] * K
#: Number of vertices for the quadratic method, whose time is multiplied by (N / SMALL)^2.
SMALL = 10_000


def nothing():
    """Prepare nothing."""


def lpgraph_blocks(_):
    """Sample a block model."""
    import lpgraph as lp

    lp.stochastic_block_model(SIZES, B, random_state=0)


def igraph_blocks(_):
    """Sample a block model by igraph."""
    import igraph

    igraph.Graph.SBM(B.tolist(), SIZES)


def simplex():
    """Return positions whose scalar products give about 10^7 edges at a sparsity of 6e-5."""
    return np.random.default_rng(0).dirichlet(np.ones(3), N)


def lpgraph_products(positions):
    """Sample a random dot-product graph."""
    import lpgraph as lp

    lp.random_dot_product_graph(positions, sparsity=6e-5, random_state=0)


def gaussian(dimension):
    """Return preparation and sampling of a graph with a Gaussian kernel and mean degree 20 in a unit cube."""

    def prepare():
        # Inside the cube the expected degree is n (sigma sqrt(pi))^p.
        sigma = (20 / N) ** (1 / dimension) / np.sqrt(np.pi)
        return np.random.default_rng(0).uniform(size=(N, dimension)), sigma

    def sample(given):
        import lpgraph as lp

        positions, sigma = given
        model = lp.LatentPositionModel(lp.kernels.Gaussian(sigma), positions)
        model.sample(N, random_state=0)

    return prepare, sample


def every_pair(dimension):
    """Return the same for the method that samples a number for each pair, with few vertices."""

    def prepare():
        return np.random.default_rng(0).uniform(size=(SMALL, dimension))

    def sample(positions):
        rng = np.random.default_rng(0)
        for i in range(len(positions) - 1):
            squares = ((positions[i + 1 :] - positions[i]) ** 2).sum(axis=1)
            np.flatnonzero(rng.random(len(squares)) < np.exp(-squares / 0.01))

    return prepare, sample


CASES = {
    "block model, about 10^7 edges": {"lpgraph": (nothing, lpgraph_blocks), "igraph": (nothing, igraph_blocks)},
    "dot products, d = 3, about 10^7 edges": {"lpgraph": (simplex, lpgraph_products)},
    "Gaussian kernel in the plane, mean degree 20": {"lpgraph": gaussian(2)},
    "Gaussian kernel in space, mean degree 20": {"lpgraph": gaussian(3)},
    f"every pair of {SMALL} vertices in the plane": {"numpy": every_pair(2)},
}

if __name__ == "__main__":
    rows = in_fresh_processes(__file__, CASES)
    quadratic = float(rows[-1]["seconds"]) * (N / SMALL) ** 2
    rates = [f"{10 / float(row['seconds']):.1f}" for row in rows[:3]]
    notes = (
        f"{N} vertices, medians of 5 runs, importing included. Millions of edges a second, importing included: "
        f"{rates[0]} of the block model, {rates[2]} of the dot products; igraph {rates[1]}. The method that looks "
        f"at every pair would take {quadratic:.3g} s for {N} vertices by its time for {SMALL}. igraph has no "
        "dot-product graph of this kind (its dot_product looks at every pair)."
    )
    page(__file__, "Sampling 10^6 vertices", rows, notes, "igraph")
