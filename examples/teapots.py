"""Figure 2 of Weinberger, Packer & Saul (2005): views of a turning teapot lie on a circle.

The paper has 400 views in colour, these data are 100 grey ones. The fourth neighbor of view 74 is on the opposite
side: k = 4 has a short circuit, shown last, and k = 3 has none. Needs the teapots: set LPGRAPH_DATA to a folder
with teapots/teapots.mat.
"""

import os
import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from _report import report
from scipy.io import loadmat

import lpgraph as lp
from lpgraph.errors import LpgraphWarning
from lpgraph.points.neighborhood import Neighborhood


def kept_neighbors(Y):
    """Return the share of views whose two nearest views in the embedding are the previous and the next."""
    distances = np.linalg.norm(Y[:, None] - Y, axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.sort(np.argsort(distances, axis=1)[:, :2], axis=1)
    n = len(Y)
    beside = np.sort(np.column_stack([np.arange(n) - 1, np.arange(n) + 1]) % n, axis=1)
    return float((nearest == beside).all(axis=1).mean())


def far_pairs(X, k):
    """Return the pairs that are k nearest neighbors, at least five views apart."""
    near = Neighborhood.of(X, n_neighbors=k).nearest_training(k)[0]
    views = np.arange(len(X))[:, None]
    apart = np.minimum((views - near) % len(X), (near - views) % len(X))
    i, place = np.nonzero(apart >= 5)
    return [(int(a), int(b)) for a, b in zip(i, near[i, place], strict=True)]


def notes(X):
    pairs = ", ".join(f"{a} to {b}" for a, b in far_pairs(X, 4))
    near = ", ".join(f"{a} to {b}" for a, b in far_pairs(X, 3)) or "none"
    return (
        f"{len(X)} views of {X.shape[1]} pixels; the paper has 400 in colour. Here k = 4 connects opposite views "
        f"({pairs}); k = 3 connects {near}. Such a pair, and the pairs that share a neighbor with it, hold the "
        "two sides of the circle together: the last picture is the flat loop of such a short circuit. Use a "
        "smaller n_neighbors. For the same reason, the fit with landmarks uses three reconstruction neighbors. "
        "With inequalities the circle remains, but some neighboring views coincide or change places. LLE with "
        "twelve neighbors folds the loop, and its eigenvalues do not show the dimension."
    )


def main():
    X = loadmat(Path(os.environ["LPGRAPH_DATA"]) / "teapots" / "teapots.mat")["teapotImages"]
    sde = lp.manifold.SemidefiniteEmbedding
    methods = {
        "SDE": sde(2, n_neighbors=3),
        "SDE, inequalities": sde(2, n_neighbors=3, constraints="inequality"),
        "SDE, 20 landmarks": sde(2, n_neighbors=3, n_reconstruction_neighbors=3, landmarks=20, random_state=0),
        "LLE": lp.manifold.LocallyLinearEmbedding(2, n_neighbors=12),
        "SDE, short circuit": sde(2, n_neighbors=4),
    }
    rows = []
    figure, axes = plt.subplots(1, len(methods), figsize=(18, 4))
    for (name, model), ax in zip(methods.items(), axes, strict=True):
        start = time.perf_counter()
        with warnings.catch_warnings():
            # With inequalities, distances decrease so much that the model warns.
            warnings.simplefilter("ignore", LpgraphWarning)
            Y = model.fit(X).embedding_
        seconds = time.perf_counter() - start
        radius = np.linalg.norm(Y, axis=1)
        share = ""
        if hasattr(model, "spectrum_"):
            share = f"{model.eigenvalues_.sum() / model.spectrum_.sum():.4f}"
        rows.append(
            {
                "method": name,
                "variance in two dimensions": share,
                "neighbours in angle kept": kept_neighbors(Y),
                "radius, relative deviation": float(radius.std() / radius.mean()),
                "constraints": model.constraints_.count if hasattr(model, "constraints_") else "",
                "seconds": seconds,
            }
        )
        closed = np.concatenate([Y, Y[:1]])
        ax.plot(*closed.T, lw=0.5, color="grey")
        ax.scatter(*Y.T, c=np.arange(len(Y)), cmap="hsv", s=12)
        ax.set_title(name)
        ax.set_aspect("equal")
    figure.tight_layout()
    report("teapots", "Figure 2: a turning teapot", rows, notes(X), figure)
    return rows


if __name__ == "__main__":
    main()
