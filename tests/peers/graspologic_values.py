"""Names and values of graspologic 3.4.4 for the tests of "coming from graspologic".

It needs an older numpy than lpgraph: run it in an environment of its own, made by
`pip install graspologic==3.4.4 'numpy<2' 'setuptools<81'`, as `python tests/peers/graspologic_values.py`.
"""

import itertools
import json
import warnings
from importlib.metadata import version
from pathlib import Path

import networkx as nx
import numpy as np

warnings.simplefilter("ignore")

from graspologic import align, cluster, datasets, embed, models, simulations, utils  # noqa: E402

#: Random graphs of which means are taken.
DRAWS = 2000


def inputs():
    """Return small graphs, positions and eigenvalues."""
    rng = np.random.default_rng(0)
    weighted = np.triu(rng.integers(0, 5, (8, 8)), 1).astype(float)
    weighted += weighted.T
    arcs = rng.integers(0, 4, (8, 8)).astype(float)
    np.fill_diagonal(arcs, 0)
    centers = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 15, axis=0)
    return {
        "weighted": weighted,
        "loops": weighted + np.diag([0, 2.0, 0, 0, 1.0, 0, 0, 0]),
        "arcs": arcs,
        "arcs_and_loops": arcs + np.diag([0, 0, 3.0, 0, 0, 0, 0, 0]),
        "parts": nx.to_numpy_array(nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(3))),
        "positions": centers + rng.standard_normal(centers.shape).round(3),
        "eigenvalues": np.array([9.1, 8.7, 8.2, 3.1, 2.9, 1.2, 1.1, 1.0, 0.9, 0.4]),
        "latent": rng.dirichlet([1.0, 1.0, 1.0], 6).round(3),
    }


def helpers(given):
    """Return values of functions of graphs, by function, option and graph."""
    found = {}
    for name in ("weighted", "loops", "arcs", "arcs_and_loops"):
        graph = given[name]
        for function, options in (
            ("pass_to_ranks", ("simple-nonzero", "simple-all", "zero-boost")),
            ("symmetrize", ("avg", "triu", "tril")),
            ("to_laplacian", ("DAD", "I-DAD", "R-DAD")),
        ):
            for option in options:
                found[f"{function} {option} {name}"] = getattr(utils, function)(graph.copy(), option)
        found[f"to_laplacian 2.5 {name}"] = utils.to_laplacian(graph.copy(), "R-DAD", 2.5)
        found[f"augment_diagonal 2 {name}"] = utils.augment_diagonal(graph.copy(), 2.0)
        for function in ("binarize", "remove_loops", "is_loopless", "is_symmetric", "is_unweighted"):
            found[f"{function} - {name}"] = getattr(utils, function)(graph.copy())
    for name in ("parts", "weighted"):
        for function in ("is_fully_connected", "largest_connected_component"):
            found[f"{function} - {name}"] = getattr(utils, function)(given[name])
    found["remove_vertices - weighted"] = utils.remove_vertices(given["weighted"], [1, 4])
    return found


def embeddings(given):
    """Return positions by all forms; the exact solver is used."""
    exact = {"algorithm": "full", "check_lcc": False}
    found = {}
    for name in ("weighted", "arcs"):
        for augment in (False, True):
            model = embed.AdjacencySpectralEmbed(2, diag_aug=augment, **exact)
            found[f"ase {augment} {name}"] = model.fit_transform(given[name])
        for form, regularizer in (("DAD", None), ("R-DAD", None), ("R-DAD", 2.5)):
            model = embed.LaplacianSpectralEmbed(form, 2, regularizer=regularizer, **exact)
            found[f"lse {form} {regularizer} {name}"] = model.fit_transform(given[name])
    for assortative in (False, True):
        model = embed.CovariateAssistedEmbed(0.5, assortative, n_components=2)
        found[f"case {assortative}"] = model.fit_transform(given["weighted"], given["positions"][:8])
    both = embed.AdjacencySpectralEmbed(2, diag_aug=False, concat=True, **exact)
    found["ase concat arcs"] = both.fit_transform(given["arcs"])
    found["ase concat new"] = both.transform((given["arcs"].T[:3], given["arcs"][:3]))
    both = embed.LaplacianSpectralEmbed("DAD", 2, concat=True, **exact)
    found["lse concat arcs"] = both.fit_transform(given["arcs"])
    found["ClassicalMDS"] = embed.ClassicalMDS(2).fit_transform(given["positions"])
    left, values, right = embed.select_svd(given["arcs"], 3, algorithm="full")
    found["select_svd"] = {"left": left, "values": values, "right": right}
    found["select_dimension"] = embed.select_dimension(given["eigenvalues"], n_elbows=3)[0]
    return found


def others(given):
    """Return alignments, clusters, probabilities and data."""
    points = given["positions"]
    turned = points @ np.array([[0.6, -0.8], [0.8, 0.6]]) + 0.1 * points**2
    return {
        "turned": turned,
        "SeedlessProcrustes": align.SeedlessProcrustes().fit(points, turned[::-1]).Q_,
        "OrthogonalProcrustes": align.OrthogonalProcrustes().fit(points, turned).Q_,
        "GaussianCluster": cluster.GaussianCluster(2, 5, random_state=0).fit_predict(points),
        "AutoGMMCluster": cluster.AutoGMMCluster(2, 5, random_state=0).fit_predict(points),
        "KMeansCluster": cluster.KMeansCluster(5, random_state=0).fit_predict(points),
        "p_from_latent": simulations.p_from_latent(given["latent"], loops=False),
        "drosophila": {
            side: {"strengths": matrix.sum(axis=1), "in_strengths": matrix.sum(axis=0), "labels": labels}
            for side in ("left", "right")
            for matrix, labels in [getattr(datasets, f"load_drosophila_{side}")(True)]
        },
    }


def fit_inputs():
    """Return graphs without weights, directed or not and with loops or not, and blocks of their vertices."""
    rng, n = np.random.default_rng(1), 14
    blocks = np.repeat([0, 1], [8, 6])
    draws = rng.random((n, n)) < np.array([[0.6, 0.3], [0.3, 0.5]])[blocks][:, blocks]
    found = {"blocks": blocks}
    for directed, loops in itertools.product((False, True), (False, True)):
        arcs = draws if directed else np.triu(draws) | np.triu(draws).T
        found[f"{directed} {loops}"] = np.where(np.eye(n), loops, True) * arcs.astype(float)
    return found


def fits(given):
    """Return probabilities, log-likelihoods and numbers of parameters of fitted models."""
    found, labels = {}, given["blocks"]
    for directed, loops in itertools.product((False, True), (False, True)):
        graph, both = given[f"{directed} {loops}"], {"directed": directed, "loops": loops}
        exact = {"algorithm": "full", "check_lcc": False}
        for model in (
            *(models.EREstimator(**both), models.SBMEstimator(**both)),
            models.DCSBMEstimator(**both, degree_directed=directed),
            models.DCEREstimator(**both, degree_directed=directed),
            models.RDPGEstimator(loops, 2, exact, diag_aug_weight=0, plus_c_weight=0),
        ):
            model.fit(graph.copy(), y=labels)
            model.directed = directed
            found[f"{type(model).__name__} {directed} {loops}"] = {
                "p": model.p_mat_,
                "parameters": model._n_parameters(),
                "log_likelihood": model.score_samples(graph, clip=0.05).sum(),
            }
    return found


def samples(given):
    """Return means of the matrices of random graphs, and of the products of correlated ones."""
    np.random.seed(0)  # noqa: NPY002 - graspologic uses this generator
    rng = np.random.default_rng(0)
    B, sizes = np.array([[0.5, 0.1], [0.1, 0.3]]), [5, 4]
    P = np.where(np.eye(9), 0.0, B[np.repeat([0, 1], sizes)][:, np.repeat([0, 1], sizes)])
    latent, full = given["latent"], {"directed": True, "loops": True}
    rates = np.array([[{"lam": 2.0}, {"lam": 0.5}], [{"lam": 0.5}, {"lam": 4.0}]])
    weights = np.concatenate([np.array([0.28, 0.24, 0.2, 0.16, 0.12]), np.full(4, 0.25)])
    makers = {
        "er_np": lambda: simulations.er_np(9, 0.3),
        "er_np directed loops": lambda: simulations.er_np(9, 0.3, **full),
        "er_nm": lambda: simulations.er_nm(9, 11),
        "er_nm directed loops": lambda: simulations.er_nm(9, 30, **full),
        "sbm": lambda: simulations.sbm(sizes, B),
        "sbm directed loops": lambda: simulations.sbm(sizes, B, **full),
        "sbm wt": lambda: simulations.sbm(sizes, B, wt=np.full((2, 2), np.random.poisson), wtargs=rates),
        "sbm dc": lambda: simulations.sbm(sizes, B, dc=weights),
        "rdpg": lambda: simulations.rdpg(latent),
        "mmsbm": lambda: simulations.mmsbm(9, B, alpha=np.array([1.0, 1.0]), rng=rng),
        "sample_edges": lambda: simulations.sample_edges(P),
    }
    pairs = {
        "er_corr": lambda: simulations.er_corr(9, 0.3, 0.6),
        "sbm_corr": lambda: simulations.sbm_corr(sizes, B, 0.6),
        "rdpg_corr": lambda: simulations.rdpg_corr(latent, None, 0.6),
        "sample_edges_corr": lambda: simulations.sample_edges_corr(P, np.full((9, 9), 0.6)),
    }
    found = {}
    for name, make in makers.items():
        drawn = np.array([make() for _ in range(DRAWS)])
        edges = (drawn != 0).sum(axis=(1, 2))
        found[name] = {"mean": drawn.mean(axis=0), "entries": [edges.min(), edges.max()]}
    for name, make in pairs.items():
        first, second = np.array([make() for _ in range(DRAWS)]).swapaxes(0, 1)
        found[name] = {"mean": first.mean(axis=0), "both": (first * second).mean(axis=0)}
    return {"draws": DRAWS, "sizes": sizes, "B": B, "P": P, "weights": weights, "found": found}


def listed(value):
    """Return an array as a list."""
    return (np.round(value, 12) if value.dtype.kind == "f" else value).tolist()


def main():
    given, graphs = inputs(), fit_inputs()
    found = {"version": version("graspologic"), "command": "python tests/peers/graspologic_values.py"}
    found |= {"inputs": given, "graphs": graphs, "fits": fits(graphs)}
    found |= {part.__name__: part(given) for part in (helpers, embeddings, others, samples)}
    text = json.dumps(found, separators=(",", ":"), default=listed)
    Path(__file__).with_name("graspologic_values.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
