"""Tails of degrees: the threshold of `lpgraph.summary`."""

import networkx as nx
import numpy as np
from _folder_data import load

import lpgraph as lp

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
    "Barabasi-Albert, tree": lambda: nx.barabasi_albert_graph(20_000, 1, seed=0),
    "Erdos-Renyi, degree 2": lambda: lp.erdos_renyi(20_000, 1e-4, random_state=0),
    "Erdos-Renyi, degree 10": lambda: lp.erdos_renyi(1000, 0.01, random_state=0),
    "three blocks": lambda: lp.stochastic_block_model(
        [80, 60, 60], np.full((3, 3), 0.1) + 0.3 * np.eye(3), random_state=0
    ),
    "core and periphery": lambda: lp.stochastic_block_model([100, 900], [[0.5, 0.2], [0.2, 0.02]], random_state=0),
}


def graphs():
    """Yield names and graphs."""
    for name in NETWORKS:
        yield name, load(name).graph
    for name, make in MODELS.items():
        yield name, make()


def degrees(graph):
    """Return the ratio of the degrees, as a cell of the table."""
    adjacency = lp.as_adjacency(graph)
    counts = np.diff(adjacency.matrix.indptr)
    if adjacency.directed:
        counts = counts + np.bincount(adjacency.matrix.indices, minlength=len(counts))
    counts = counts[counts > 0]
    ratio = np.quantile(counts, 0.99) / counts.mean()
    return f"{ratio:14.1f} {'*' if ratio > 3 else ' '}"


def main():
    print("99 % quantile / mean of degrees; * has a heavy tail")
    for name, graph in graphs():
        print(f"{name:24} {degrees(graph)}", flush=True)


if __name__ == "__main__":
    main()
