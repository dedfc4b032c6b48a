"""Sample a block model of 10^6 vertices and about 10^7 edges: lpgraph and igraph's C code."""

import igraph
import numpy as np
from _timing import side_by_side

import lpgraph as lp

N, K = 1_000_000, 10
B = np.full((K, K), 1e-5) + np.diag(np.full(K, 1.1e-4))
sizes = [N // K] * K

if __name__ == "__main__":
    side_by_side(
        f"Block model, {N} vertices, {K} blocks, about 10^7 edges",
        lpgraph=lambda: lp.stochastic_block_model(sizes, B, random_state=0),
        igraph=lambda: igraph.Graph.SBM(N, B.tolist(), sizes),
    )
    x = np.random.default_rng(0).dirichlet(np.ones(3), N)
    side_by_side(
        "Dot-product graph, 10^6 vertices, about 10^7 edges",
        lpgraph=lambda: lp.random_dot_product_graph(x, sparsity=6e-5, random_state=0),
    )
