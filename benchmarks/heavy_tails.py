"""Lengths of the rows of embeddings: the threshold above which plots scale rows to unit length."""

import warnings

import networkx as nx
import numpy as np

import lpgraph as lp
from lpgraph.plot.scaling import heavy_tailed

NETWORKS = (
    "email_eu",
    "cora",
    "polblogs",
    "dblp",
    "celegans",
    "les_miserables",
    "drosophila",
    "football",
    "karate",
)
MODELS = {
    "Barabasi-Albert": lambda: nx.barabasi_albert_graph(2000, 3, seed=0),
    "Erdos-Renyi, degree 10": lambda: lp.erdos_renyi(1000, 0.01, random_state=0),
    "three blocks": lambda: lp.stochastic_block_model(
        [80, 60, 60], np.full((3, 3), 0.1) + 0.3 * np.eye(3), random_state=0
    ),
    "core and periphery": lambda: lp.stochastic_block_model([100, 900], [[0.5, 0.2], [0.2, 0.02]], random_state=0),
}


def graphs():
    """Yield names and graphs."""
    for name in NETWORKS:
        yield name, getattr(lp.datasets, name)().graph
    for name, make in MODELS.items():
        yield name, make()


def main():
    warnings.simplefilter("ignore", lp.errors.DisconnectedGraphWarning)
    print(f"{'graph':24} {'adjacency':>16} {'Laplacian':>16}   99 % quantile / median of lengths, * scaled")
    for name, graph in graphs():
        cells = []
        for model in (lp.AdjacencySpectralEmbedding(2), lp.LaplacianSpectralEmbedding(2, regularizer="mean")):
            rows = model.fit(graph).embedding_
            lengths = np.linalg.norm(rows, axis=1)
            lengths = lengths[lengths > 0]
            ratio = np.quantile(lengths, 0.99) / np.median(lengths)
            cells.append(f"{ratio:14.1f} {'*' if heavy_tailed(rows) else ' '}")
        print(f"{name:24} {cells[0]} {cells[1]}", flush=True)


if __name__ == "__main__":
    main()
