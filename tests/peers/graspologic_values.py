"""Names and values of graspologic 3.4.4 for the tests of "coming from graspologic".

It needs an older numpy than lpgraph: run it in an environment of its own, made by
`pip install graspologic==3.4.4 'numpy<2' 'setuptools<81'`, as `python tests/peers/graspologic_values.py`.
"""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import networkx as nx
import numpy as np

warnings.simplefilter("ignore")

from graspologic import align, cluster, datasets, embed, simulations, utils  # noqa: E402


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
        "OrthogonalProcrustes": align.OrthogonalProcrustes().fit(points, turned).Q_,
        "GaussianCluster": cluster.GaussianCluster(2, 5, random_state=0).fit_predict(points),
        "AutoGMMCluster": cluster.AutoGMMCluster(2, 5, random_state=0).fit_predict(points),
        "p_from_latent": simulations.p_from_latent(given["latent"], loops=False),
        "drosophila": {
            side: {"strengths": matrix.sum(axis=1), "in_strengths": matrix.sum(axis=0), "labels": labels}
            for side in ("left", "right")
            for matrix, labels in [getattr(datasets, f"load_drosophila_{side}")(True)]
        },
    }


def listed(value):
    """Return an array as a list."""
    return (np.round(value, 12) if value.dtype.kind == "f" else value).tolist()


def main():
    given = inputs()
    found = {"version": version("graspologic"), "command": "python tests/peers/graspologic_values.py"}
    found |= {"inputs": given} | {part.__name__: part(given) for part in (helpers, embeddings, others)}
    text = json.dumps(found, separators=(",", ":"), default=listed)
    Path(__file__).with_name("graspologic_values.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
