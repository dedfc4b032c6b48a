"""Conversion of a networkx graph with 10^6 edges to a sparse matrix: lpgraph and networkx.

``python benchmarks/convert.py`` writes ``docs/results/convert.md``.
"""

import networkx as nx
import numpy as np
from _timing import page, side_by_side

import lpgraph as lp


def main():
    """Time both and write the page."""
    rng = np.random.default_rng(0)
    graph = nx.Graph()
    graph.add_nodes_from(f"v{i}" for i in range(200_000))
    graph.add_edges_from((f"v{i}", f"v{j}") for i, j in rng.integers(0, 200_000, (1_000_000, 2)))
    rows = side_by_side(
        f"networkx graph with {graph.number_of_edges()} edges to csr",
        lpgraph=lambda: lp.as_adjacency(graph),
        networkx=lambda: nx.to_scipy_sparse_array(graph, dtype=float),
    )
    page(__file__, "From networkx to a sparse matrix", rows, "Medians of 5 runs in turn.", "networkx")


if __name__ == "__main__":
    main()
