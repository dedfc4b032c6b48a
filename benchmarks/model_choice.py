"""Choice among fitted random graph models by BIC, on simulated and real networks.

``python benchmarks/model_choice.py`` writes ``docs/results/model_choice.md``.
"""

from __future__ import annotations

import warnings
from collections import Counter
from time import perf_counter

import networkx as nx
import numpy as np
from _folder_data import load
from _timing import page, table
from sklearn.metrics import adjusted_rand_score

import lpgraph as lp

N, SEEDS, MOST = 500, range(4000, 4008), 4
HALVES = [300, 200]
KINDS = ("degree-corrected", "dot product", "blocks", "Erdos-Renyi")


def networks(seed: int) -> dict[str, tuple[str, lp.LatentPositionGraph]]:
    """Return networks by description, each with the model that should be chosen."""
    rng = np.random.default_rng(seed)
    weights = np.clip(0.3 + rng.pareto(2, N), 0.3, 5) / 5
    x = rng.dirichlet([0.5] * 3, N)
    found = {
        f"Erdos-Renyi, mean degree {degree}": ("Erdos-Renyi", lp.erdos_renyi(N, degree / N, random_state=seed))
        for degree in (1, 3, 8, 25, 100)
    }
    for degree, B in (8, [[0.025, 0.005], [0.005, 0.025]]), (32, [[0.1, 0.03], [0.03, 0.08]]):
        graph = lp.stochastic_block_model(HALVES, B, random_state=seed)
        found[f"two blocks, mean degree {degree}"] = ("blocks (2)", graph)
    graph = lp.stochastic_block_model(HALVES, [[0.03, 0.1], [0.1, 0.04]], random_state=seed)
    found["two disassortative blocks"] = ("blocks (2)", graph)
    for level in (1.0, 0.6):
        B = level * np.array([[1, 0.2], [0.2, 1]])
        graph = lp.degree_corrected_block_model(HALVES, B, weights, random_state=seed)
        found[f"two blocks, Pareto weights, B = {level} and {0.2 * level:.2f}"] = ("degree-corrected (2)", graph)
    for sparsity in (1.0, 0.3):
        graph = lp.random_dot_product_graph(x, sparsity=sparsity, random_state=seed)
        found[f"dot products on the triangle, sparsity {sparsity}"] = ("dot product (3)", graph)
    return found


def criteria(graph: object, numbers: list[int], labels: object = None) -> dict[str, float]:
    """Return the BIC of the models of a network."""
    found = {"Erdos-Renyi": lp.fit_erdos_renyi(graph).bic}
    for k in numbers:
        if k > 1:
            found[f"blocks ({k})"] = lp.fit_block_model(graph, n_blocks=k).bic
        found[f"degree-corrected ({k})"] = lp.fit_degree_corrected_block_model(graph, n_blocks=k).bic
        found[f"dot product ({k})"] = lp.fit_random_dot_product_graph(graph, k).bic
    if labels is not None:
        found["blocks (classes)"] = lp.fit_block_model(graph, labels).bic
        found["degree-corrected (classes)"] = lp.fit_degree_corrected_block_model(graph, labels).bic
    return found


def simulated() -> list[dict[str, object]]:
    """Return how often each model was chosen."""
    truths, chosen, margins = {}, {}, {}
    for seed in SEEDS:
        for name, (truth, graph) in networks(seed).items():
            found = criteria(graph, list(range(1, MOST + 1)))
            best = min(found, key=lambda model: found[model])
            truths[name] = truth
            chosen.setdefault(name, Counter())[best] += 1
            others = min(value for model, value in found.items() if model != truth)
            margins.setdefault(name, []).append(others - found[truth])
        print(seed, flush=True)
    return [
        {
            "network": name,
            "model": truth,
            "chosen": ", ".join(f"{model}: {count}" for model, count in chosen[name].most_common()),
            "least margin": f"{min(margins[name]):.0f}",
        }
        for name, truth in truths.items()
    ]


def real() -> list[dict[str, object]]:
    """Return the best models of real networks."""
    club = nx.karate_club_graph()
    cases = {"karate club": (club, dict(club.nodes(data="club")))}
    for name in ("polblogs", "email_eu", "football"):
        data = load(name)
        cases[name] = (data.graph, data.labels)
    rows = []
    for name, (graph, labels) in cases.items():
        network = lp.as_adjacency(lp.as_adjacency(graph, loops="drop"), weight=None)
        n_classes = len(set(labels.values() if isinstance(labels, dict) else np.asarray(labels).tolist()))
        found = criteria(network, sorted({1, 2, 4, 8, n_classes}), labels)
        best = sorted(found, key=lambda model: found[model])
        kinds: dict[str, str] = {}
        for model in best:
            kinds.setdefault(model.split(" (")[0], f"{model.split(' (')[-1].rstrip(')')}: {found[model]:.0f}")
        row = {"network": name, "n": network.n_vertices, "edges": network.n_edges, "best": best[0]}
        rows.append(row | {kind: kinds[kind] for kind in KINDS})
        print(rows[-1], flush=True)
    return rows


def larger(seed: int) -> dict[str, lp.LatentPositionGraph]:
    """Return networks of some thousand vertices."""
    weights = np.clip(0.3 + np.random.default_rng(seed).pareto(2, 3000), 0.3, 5) / 5
    few, many = np.eye(6), np.eye(20)
    return {
        "6 blocks, 3000 vertices": lp.stochastic_block_model([500] * 6, 0.005 + 0.03 * few, random_state=seed),
        "20 blocks, 4000 vertices": lp.stochastic_block_model([200] * 20, 0.01 + 0.06 * many, random_state=seed),
        "6 blocks, Pareto weights, 3000 vertices": lp.degree_corrected_block_model(
            [500] * 6, 0.04 + 0.24 * few, weights, random_state=seed
        ),
    }


def found_blocks() -> list[dict[str, object]]:
    """Return numbers of blocks that are found, their agreement with those of the model, and seconds."""
    rows = []
    for name, graph in larger(SEEDS.start).items():
        row: dict[str, object] = {"network": name}
        mixture = lp.VertexClustering(method="gaussian")
        fits = {
            "blocks": lambda graph=graph: lp.fit_block_model(graph).labels,
            "Gaussian mixture": lambda graph=graph, mixture=mixture: mixture.fit(graph).labels_,
            "degree-corrected": lambda graph=graph: lp.fit_degree_corrected_block_model(graph).labels,
        }
        for kind, fit in fits.items():
            start = perf_counter()
            labels = fit()
            seconds = perf_counter() - start
            agreement = adjusted_rand_score(graph.labels, labels)
            row[kind] = f"{len(set(labels.tolist()))}, {agreement:.2f}, {seconds:.1f} s"
        start = perf_counter()
        lp.fit_random_dot_product_graph(graph)
        row["dot product"] = f"{perf_counter() - start:.1f} s"
        rows.append(row)
        print(row, flush=True)
    return rows


def main() -> None:
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    notes = NOTES + "\n".join(table(real())) + FOUND + "\n".join(table(found_blocks()))
    page(__file__, "Choice among random graph models by BIC", simulated(), notes)


NOTES = f"""\
Networks of {N} vertices, seeds {SEEDS.start} to {SEEDS.stop - 1}. The candidates are the Erdos-Renyi model, block
models with 2 to {MOST} blocks, degree-corrected ones with 1 to {MOST}, and dot product graphs of 1 to {MOST}
dimensions; blocks are found in the network. The table has the model that generated the network, how often each was
chosen, and the least difference of the BIC of the best other model and its own, which is negative where another
was chosen. Blocks are found by the smallest BIC, so that a needless block adds little to it. The penalties, and
the bound `low` of the dot product graph, were chosen on seeds 100 to 305.

With sparsity 0.3, the edges show too little of the {N} positions of the dot product graph: a block model, of fewer
parameters, has a smaller BIC.

## Real networks

Edges without weights and loops; directed networks are fitted as such. The columns have the best number of blocks
or dimensions among 1, 2, 4, 8 and the number of classes, and its BIC. "classes": the blocks are the known classes.

"""
FOUND = f"""

## Number of blocks

Fits of larger networks without `n_blocks`, seed {SEEDS.start}: the number of blocks that is found, the adjusted
Rand index with the blocks of the model, and the time. The Gaussian mixture is
`VertexClustering(method="gaussian")`, which chooses by the BIC of the positions. Dimensions, start and levels of
the search of `fit_block_model` were compared on seeds 100 to 102 and on the real networks above, which are
therefore not held out; its numbers of rounds and starts were not compared with others.

"""

if __name__ == "__main__":
    main()
