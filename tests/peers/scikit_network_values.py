"""Values of scikit-network 0.33 for the tests of "coming from scikit-network".

Run it in an environment of its own, made by `pip install scikit-network==0.33.0`, as
`python tests/peers/scikit_network_values.py`.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import sparse
from sknetwork import embedding, linalg, topology, utils


def inputs():
    """Return small graphs."""
    rng = np.random.default_rng(1)
    weighted = np.triu(rng.integers(0, 4, (9, 9)), 1).astype(float)
    weighted += weighted.T
    arcs = rng.integers(0, 3, (9, 9)).astype(float)
    np.fill_diagonal(arcs, 0)
    parts = sparse.block_diag([np.ones((4, 4)) - np.eye(4), np.ones((2, 2)) - np.eye(2)]).toarray()
    return {"weighted": weighted, "arcs": arcs, "parts": parts}


def listed(value):
    """Return an array as a list."""
    return (np.round(value, 10) if value.dtype.kind == "f" else value).tolist()


def main():
    given = inputs()
    weighted, arcs, parts = (sparse.csr_matrix(given[name]) for name in ("weighted", "arcs", "parts"))
    walk = embedding.Spectral(2, normalized=False)
    found = {
        "Spectral": walk.fit_transform(weighted),
        "Spectral eigenvalues": walk.eigenvalues_,
        "normalize": linalg.normalize(weighted).toarray(),
        "get_laplacian": linalg.get_laplacian(weighted).toarray(),
        "directed2undirected True": utils.directed2undirected(arcs).toarray(),
        "directed2undirected False": utils.directed2undirected(arcs, weighted=False).toarray(),
        "get_largest_connected_component": topology.get_largest_connected_component(parts).toarray(),
        "get_connected_components": topology.get_connected_components(parts),
        "is_connected": topology.is_connected(parts),
        "is_symmetric": topology.is_symmetric(arcs),
        "get_degrees": utils.get_degrees(weighted),
        "get_weights": utils.get_weights(weighted),
    }
    for name, matrix in (("weighted", weighted), ("arcs", arcs)):
        svd = embedding.SVD(2, factor_singular=0.5).fit(matrix)
        ratio = embedding.GSVD(2, factor_singular=0.5, normalized=False).fit(matrix)
        for kind, model in (("SVD", svd), ("GSVD", ratio)):
            found[f"{kind} {name}"] = model.embedding_row_
            found[f"{kind} {name} columns"] = model.embedding_col_
            found[f"{kind} {name} values"] = model.singular_values_
    values = {"version": version("scikit-network"), "inputs": given, "found": found}
    text = json.dumps(values, separators=(",", ":"), default=listed)
    Path(__file__).with_name("scikit_network_values.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
