"""Clustering of labelled networks with the number of clusters not given: `VertexClustering()`, Leiden and AutoGMM.

``python benchmarks/cluster.py`` writes ``docs/results/cluster.md``. It needs LPGRAPH_DATA.
"""

import time
import warnings
from functools import partial

import networkx as nx
import numpy as np
from _labelled_networks import REAL, UNUSED, Network, blocks, heavy_tailed_blocks, polblogs_largest
from _partitions import default, k_means, leiden
from _peer import CACHE, peer_result, python_with, versions
from _timing import page
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix
from threadpoolctl import threadpool_limits

import lpgraph as lp

SEEDS = range(5)
#: Seeds of random networks.
DRAWS = range(10, 15)
#: Seconds after which AutoGMM is stopped, and the largest network that it gets: with 1000 vertices it is stopped.
LIMIT, MOST = 30, 250
#: Held-out networks, of which one seed is run.
HELD_OUT = ("Amherst, by year", "larval brain, left", "PubMed", "pages")
#: Networks of the targets.
MAIN = ("Cora", "polblogs, largest component", "email-Eu-core", "football")
RULES = {"`VertexClustering()`": default, "Leiden": leiden, "k-means": k_means}


def lfr(n, mixing, seed):
    """Return a benchmark graph of Lancichinetti, Fortunato & Radicchi: degrees near 20, clusters of 20 to 100."""
    while True:
        try:
            graph = nx.LFR_benchmark_graph(
                n, 3, 1.5, mixing, average_degree=20, max_degree=50, min_community=20, max_community=100, seed=seed
            )
        except nx.ExceededMaxIterations:
            seed += 1000
            continue
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        found = [min(members) for _, members in graph.nodes(data="community")]
        return Network(lp.as_adjacency(graph), np.unique(found, return_inverse=True)[1])


def many_components(seed):
    """Return a network of 300 components; the classes are the blocks of a large one, and the other components."""
    rng = np.random.default_rng(seed)
    large = blocks([60, 55, 50, 45, 40, 35, 30, 25, 20, 19], 0.3, 0.005, seed)
    middle = [nx.gnp_random_graph(size, 5 / size, seed=seed + size) for size in (57, 31, 28, 21)]
    small = [nx.complete_graph(size) for size in rng.choice([2, 3, 4, 5, 8], 295, p=[0.4, 0.3, 0.15, 0.1, 0.05])]
    parts = [large.graph.to_networkx(), *middle, *small]
    graph = nx.disjoint_union_all(parts)
    classes = np.concatenate([large.classes] + [np.full(len(g), 10 + i) for i, g in enumerate(parts[1:])])
    return Network(lp.as_adjacency(graph), classes)


SIMULATED = {
    "four blocks of 250, .1 / .02": partial(blocks, [250] * 4, 0.1, 0.02),
    "two blocks of 250, .02 / .1": partial(blocks, [250] * 2, 0.02, 0.1),
    "heavy-tailed blocks, n = 1000": partial(heavy_tailed_blocks, 1000),
    "heavy-tailed blocks, n = 10 000": partial(heavy_tailed_blocks, 10_000),
    "one block of 1000, .02": partial(blocks, [1000], 0.02, 0.0),
    "300 components, one of 379 with ten blocks": many_components,
    **{f"LFR, n = {n}, mixing {mu}": partial(lfr, n, mu) for n in (1000, 5000) for mu in (0.2, 0.35, 0.5)},
}


def agreement(network, labels):
    """Return the adjusted Rand index of clusters and classes, over vertices with edges and a known class."""
    matrix = network.graph.matrix
    known = (network.classes >= 0) & (
        np.diff(matrix.indptr) + np.bincount(matrix.indices, minlength=len(labels)) > 0
    )
    return adjusted_rand_score(network.classes[known], labels[known])


def accuracy(network, labels):
    """Return the share of vertices in clusters of their class, each cluster being given a class of its own."""
    table = contingency_matrix(network.classes, labels)
    return table[linear_sum_assignment(table, maximize=True)].sum() / len(labels)


def compare(networks, rules):
    """Return agreement, number of clusters and processor seconds of each rule, for each pair (network, seed)."""
    found = {}
    for name, rule in rules.items():
        for seed, network in networks:
            began = time.process_time()
            labels = rule(network, seed)
            seconds = time.process_time() - began
            found.setdefault(name, []).append((agreement(network, labels), len(np.unique(labels)), seconds))
    return found


def add_autogmm(found, networks, python):
    """Add AutoGMM of graspologic for the first of the networks, unless it takes too long."""
    network = networks[0][1]
    if network.graph.n_vertices > MOST:
        return
    done = peer_result(python, "autogmm", network.undirected().graph.matrix, LIMIT)
    if done is not None:
        labels, seconds = done
        found["AutoGMM"] = [(agreement(network, labels), len(np.unique(labels)), seconds)]


def row(name, n_classes, found):
    """Return a row of the table: mean agreement, clusters and seconds of each method."""
    cells = {"network": name, "classes": n_classes}
    for method in [*RULES, "AutoGMM"]:
        if method in found:
            agreements, numbers, seconds = np.array(found[method]).T
            cells[method] = f"{agreements.mean():.3f} ({numbers.mean():.3g})"
            cells[f"{method}, s"] = f"{np.median(seconds):.2g}"
        else:
            cells |= {method: "-", f"{method}, s": "-"}
    return cells


def main():
    """Measure everything and write the page."""
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    python = python_with("graspologic", CACHE)
    rows, means = [], {}
    real = {"polblogs, largest component": polblogs_largest} | REAL | {name: UNUSED[name] for name in HELD_OUT}
    for name, load in real.items():
        network = load()
        networks = [(seed, network) for seed in (SEEDS if name not in HELD_OUT else SEEDS[:2])]
        found = compare(networks, RULES)
        add_autogmm(found, networks, python)
        rows.append(row(name + (" (held out)" if name in UNUSED else ""), network.n_classes, found))
        means[name] = {method: np.mean([entry[0] for entry in entries]) for method, entries in found.items()}
        print(rows[-1], flush=True)
    for name, draw in SIMULATED.items():
        networks = [(seed, draw(seed=seed)) for seed in DRAWS]
        found = compare(networks, RULES)
        add_autogmm(found, networks, python)
        rows.append(row(name, networks[0][1].n_classes, found))
        print(rows[-1], flush=True)
    notes = NOTES.format(
        autogmm=versions(python, "graspologic", "numpy"),
        **{key: f"{np.mean([means[name][method] for name in MAIN]):.3f}" for key, method in KEYS.items()},
        limit=LIMIT,
        most=MOST,
        polblogs=sides(),
    )
    page(__file__, "Clustering with the number of clusters not given", rows, notes, "igraph")


def sides():
    """Return the accuracy of clusters of the political blogs, with the number of clusters found and with two."""
    network = polblogs_largest()
    found = {
        "its own number of": lp.VertexClustering().fit(network.graph).labels_,
        "two": lp.VertexClustering(n_clusters=2).fit(network.graph).labels_,
    }
    return ", ".join(f"{accuracy(network, labels):.3f} with {number} clusters" for number, labels in found.items())


#: Names of the methods in the notes.
KEYS = {"mean_default": "`VertexClustering()`", "mean_leiden": "Leiden", "mean_k_means": "k-means"}

NOTES = """\
Adjusted Rand index of clusters and classes, in brackets the number of clusters, and the median of processor
seconds of one thread, while other programs used the cores. Means over five seeds: of the methods for the real
networks (0 to 4; 0 and 1 for Amherst, the larval brain, PubMed and pages), and of networks and methods for the
random ones (10 to 14). Vertices of unknown class and vertices without edges are not counted.

- `VertexClustering()`: the default, with no argument but the seed. It gets the directions of the edges.
- Leiden: igraph's, for modularity, iterated until it no longer grows. It and the others get the network without
  directions; weights of both directions add up if the network has weights.
- k-means: of unit rows of the regularised Laplacian embedding, with the true number of classes.
- AutoGMM: graspologic's mixtures of its adjacency spectral embedding, at most 20 clusters ({autogmm}), on the
  first seed only, for networks of at most {most} vertices; "-" where it did not end in {limit} s or was not run.

Mean over Cora, the largest component of polblogs, email-Eu-core and football: `VertexClustering()` {mean_default},
Leiden {mean_leiden}, k-means with the true number {mean_k_means}. Share of the blogs in the largest component of
polblogs that are in the cluster of their leaning: {polblogs}.

The defaults of `VertexClustering` were chosen on email-Eu-core, Cora, citeseer, lastfm, polblogs, the left
hemisphere of Drosophila, football, block models, LFR graphs of mean degree 10, and coauthors in network science;
networks marked as held out were used for no choice. Components are clusters of their own, as with Leiden. LFR
graphs have mean degree 20, and exponents 3 of degrees and 1.5 of cluster sizes.
Heavy-tailed blocks are five blocks of mean degree 10 with Pareto degrees (exponent 2.5), eight times denser within
blocks than between.
"""

if __name__ == "__main__":
    with threadpool_limits(1):
        main()
