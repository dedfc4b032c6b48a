"""The number of dimensions: rules compared on random graphs whose number is known.

``python benchmarks/dimension.py`` writes ``docs/results/dimension.md``. graspologic has an environment of its own.
"""

import time
import warnings

import numpy as np
from _peer import CACHE, peer_result, python_with, versions
from _timing import page
from scipy import sparse

import lpgraph as lp

N, DIMENSIONS, DEGREES, SEEDS = 1000, (2, 3, 4, 6, 8, 10), (10, 30, 100), (0, 1, 2, 3, 4)

#: A number d is above the threshold if the d-th eigenvalue is so many times the root of the mean degree.
CLEAR, NEAR = 2.0, 1.5


def fitted(embedding, graph):
    """Return the number of dimensions that a fit chooses."""
    return embedding.fit(graph).dimension_choice_.n_components


RULES = {
    "default, adjacency": lambda graph: fitted(lp.AdjacencySpectralEmbedding(), graph),
    "default, Laplacian": lambda graph: fitted(lp.LaplacianSpectralEmbedding(), graph),
    '"sign_flips", adjacency': lambda graph: fitted(lp.AdjacencySpectralEmbedding("sign_flips"), graph),
    '"sign_flips", Laplacian': lambda graph: fitted(lp.LaplacianSpectralEmbedding("sign_flips"), graph),
    '"elbow"': lambda graph: fitted(lp.AdjacencySpectralEmbedding("elbow"), graph),
    '"second_elbow"': lambda graph: fitted(lp.AdjacencySpectralEmbedding("second_elbow"), graph),
    "`cross_validate`, `smallest_good`": lambda graph: lp.infer.dimension.cross_validate(graph).smallest_good,
}


def blocks(sizes, degree, seed):
    """Return a block model, four times denser within blocks, and the least eigenvalue of its mean matrix."""
    B = np.ones((len(sizes), len(sizes))) + 3 * np.eye(len(sizes))
    B *= degree / (sizes @ B @ sizes / N)
    least = np.abs(np.linalg.eigvals(B * sizes)).min()
    return lp.stochastic_block_model(sizes, B, random_state=seed), least


def balanced(d, degree, seed):
    """Return a model of d blocks of equal size."""
    return blocks(np.diff(np.linspace(0, N, d + 1).astype(int)), degree, seed)


def unbalanced(d, degree, seed):
    """Return a model of d blocks with sizes 1 : 2 : ... : d."""
    ends = N * np.cumsum(np.arange(d + 1)) / (d * (d + 1) / 2)
    return blocks(np.diff(ends.round().astype(int)), degree, seed)


def dot_product(d, degree, seed):
    """Return a dot-product model with positions from the uniform distribution on the simplex."""
    x = np.random.default_rng([seed, d, degree]).dirichlet(np.ones(d), N)
    x *= np.sqrt(degree * N / (x.sum(axis=0) @ x.sum(axis=0)))
    return lp.random_dot_product_graph(x, random_state=seed), np.linalg.eigvalsh(x.T @ x)[0]


MODELS = {"balanced blocks": balanced, "unbalanced blocks": unbalanced, "dot product": dot_product}


def row_of(name, found, graphs, seconds):
    """Return the row of a rule: how often it is right, by model, by degree, and near the threshold."""
    row = {"rule": name}
    chosen = np.array(found)
    d, ratio, degree = (np.array([graph[k] for graph in graphs]) for k in (1, 2, 3))
    kinds = np.array([graph[0] for graph in graphs])
    right, clear = chosen == d, ratio >= CLEAR
    groups = {kind: clear & (kinds == kind) for kind in MODELS}
    groups |= {f"degree {k}": clear & (degree == k) for k in DEGREES}
    groups |= {"all": clear, "near": (ratio >= NEAR) & ~clear}
    for group, members in groups.items():
        row[group] = f"{right[members].sum()} of {members.sum()}"
    row["too many, of all"] = f"{(chosen > d).sum()} of {len(graphs)}"
    return row | {"ms a graph": f"{1000 * seconds:.0f}"}


def main():
    """Count and write the page."""
    warnings.simplefilter("ignore", lp.errors.DisconnectedGraphWarning)
    graphs = []
    for kind, model in MODELS.items():
        for d in DIMENSIONS:
            for degree in DEGREES:
                for seed in SEEDS:
                    graph, least = model(d, degree, seed)
                    graphs.append((kind, d, least / np.sqrt(degree), degree, graph))
    rows = []
    for name, rule in RULES.items():
        began = time.perf_counter()
        found = [rule(graph) for *_, graph in graphs]
        rows.append(row_of(name, found, graphs, (time.perf_counter() - began) / len(graphs)))
        print(rows[-1], flush=True)
    python = python_with("graspologic", CACHE, "numpy<2")
    stacked = sparse.vstack([lp.as_adjacency(graph).matrix for *_, graph in graphs]).tocsr()
    elbows, seconds = peer_result(python, "select_dimension", stacked, limit=3600)
    for k, which in enumerate(("first elbow", "second elbow, its default")):
        rows.append(row_of(f"graspologic, {which}", elbows[:, k], graphs, seconds / len(graphs)))
    notes = (
        f"Models of {N} vertices with d = {', '.join(map(str, DIMENSIONS))} and mean degrees "
        f"{', '.join(map(str, DEGREES))}, seeds {SEEDS[0]} to {SEEDS[-1]}. Blocks are four times denser within "
        "than between, of equal sizes or of sizes 1 : 2 : ... : d; dot products are of positions from the uniform "
        "distribution on the simplex. Shown is how many of the graphs whose d-th eigenvalue of the mean matrix "
        f"is at least {CLEAR:g} times the root of the mean degree get the number d; near: {NEAR:g} to {CLEAR:g} "
        "times. "
        "An eigenvalue below 1 time the root cannot be found in a large network. The share that the default rule "
        "holds out, and its level, were chosen on seeds from 100; nothing was chosen for the other rules. "
        "Times of one run, in part beside other work; graspologic's are processor times. Peer: "
        f"{versions(python, 'graspologic')}."
    )
    page(__file__, "Number of dimensions", rows, notes)


if __name__ == "__main__":
    main()
