"""Values of scikit-network 0.33 for the tests of "coming from scikit-network".

Run it in an environment of its own, made by `pip install scikit-network==0.33.0`, as
`python tests/peers/scikit_network_values.py`.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import sparse
from sknetwork import embedding


def inputs():
    """Return small graphs."""
    rng = np.random.default_rng(1)
    weighted = np.triu(rng.integers(0, 4, (9, 9)), 1).astype(float)
    weighted += weighted.T
    arcs = rng.integers(0, 3, (9, 9)).astype(float)
    np.fill_diagonal(arcs, 0)
    return {"weighted": weighted, "arcs": arcs}


def listed(value):
    """Return an array as a list."""
    return (np.round(value, 10) if value.dtype.kind == "f" else value).tolist()


def main():
    given = inputs()
    weighted, arcs = (sparse.csr_matrix(given[name]) for name in ("weighted", "arcs"))
    walk = embedding.Spectral(2, normalized=False)
    found = {
        "Spectral": walk.fit_transform(weighted),
        "Spectral eigenvalues": walk.eigenvalues_,
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
