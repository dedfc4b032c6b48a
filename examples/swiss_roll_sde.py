"""Table 2 and Figures 1 and 4 of Weinberger, Packer & Saul (2005): semidefinite embedding of Swiss rolls.

Figure 1: 10 000 points of a Swiss roll, rebuilt from 40 landmarks, and unrolled. Table 2: how many constraints
there are and how many had to be monitored. Figure 4: how much faster landmarks are than all points at once.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from _report import report
from scipy import sparse

import lpgraph as lp
from lpgraph.graph.neighbors import Neighborhood

PAPER = {"constraints": 43182, "monitored": 1205, "seconds": 968}


def swiss_roll(n, seed=0):
    """Return points of the paper's kind, and the flat positions they were rolled up from."""
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    height = 21 * rng.random(n)
    length = 0.5 * (t * np.sqrt(1 + t**2) + np.arcsinh(t))
    return np.column_stack([t * np.cos(t), height, t * np.sin(t)]), np.column_stack([length, height])


def canonical(embedding, flat):
    """Return the correlations of each flat coordinate with its best affine function of the embedding."""
    affine = np.column_stack([embedding, np.ones(len(embedding))])
    fitted = affine @ np.linalg.lstsq(affine, flat, rcond=None)[0]
    return [float(np.corrcoef(fitted[:, a], flat[:, a])[0, 1]) for a in (0, 1)]


def rebuild(X, landmarks, r=12, regularizer=1e-4):
    """Return the points as their landmarks and the reconstruction weights place them (Eqs. (5) and (11))."""
    near = Neighborhood.of(X, n_neighbors=r).nearest_training(r)[0]
    residual = sparse.eye_array(len(X)) - lp.reconstruction_weights(X, X, near, regularizer)
    phi = residual.T @ residual
    return lp.extend_bottom((phi + phi.T) / 2, landmarks, X[landmarks])


def fit(X, **settings):
    """Return a fitted model and the seconds it took."""
    start = time.perf_counter()
    model = lp.manifold.SemidefiniteEmbedding(2, random_state=0, **settings).fit(X)
    return model, time.perf_counter() - start


def row(n, m, model, seconds, flat):
    along, across = canonical(model.embedding_, flat)
    return {
        "n": n,
        "landmarks": m,
        "constraints": model.constraints_.count,
        "monitored": model.constraints_.monitored,
        "seconds": seconds,
        "certified gap": "" if model.bound_ is None else f"{model.bound_.gap:.1e}",
        "correlation with length": f"{along:.6f}",
        "with height": f"{across:.6f}",
        "variance in two dimensions": f"{model.eigenvalues_.sum() / model.spectrum_.sum():.5f}",
    }


def main(n=10_000, landmarks=(10, 20, 40, 100), large=50_000, compare=(200, 400, 800, 2000)):
    X, flat = swiss_roll(n)
    fit(X[:300], landmarks=10)  # what is imported when it is first used is imported before the clock starts
    rows, shown = [], None
    for m in landmarks:
        model, seconds = fit(X, landmarks=m)
        rows.append(row(n, m, model, seconds, flat))
        shown = model if m == 40 or shown is None else shown
    if large:
        points, positions = swiss_roll(large)
        model, seconds = fit(points, landmarks=40)
        rows.append(row(large, 40, model, seconds, positions))
    figure = plt.figure(figsize=(13, 8))
    colour = {"c": flat[:, 0], "s": 2, "cmap": "viridis"}
    rebuilt = rebuild(X, shown.landmarks_)
    for place, points, title in (
        (1, X, "points"),
        (2, rebuilt, f"rebuilt from {len(shown.landmarks_)} landmarks"),
    ):
        axes = figure.add_subplot(2, 2, place, projection="3d")
        axes.scatter(*points.T, **colour)
        axes.set_title(title)
    axes.scatter(*X[shown.landmarks_].T, c="k", marker="x")
    axes = figure.add_subplot(2, 2, 3)
    axes.scatter(*shown.embedding_.T, **colour)
    axes.set_title("unrolled")
    axes.set_aspect("equal")
    axes = figure.add_subplot(2, 2, 4)
    speedups = {10: [], 20: []}
    for size in compare:
        part, positions = swiss_roll(size)
        for kind in ("soft", "inequality"):
            whole, seconds = fit(
                part, constraints=kind, tol=1e-2 if kind == "inequality" and size > 1000 else 1e-3
            )
            rows.append(row(size, f"all, {kind}", whole, seconds, positions))
        for m, found in speedups.items():
            found.append(seconds / fit(part, landmarks=m)[1])
    for m, found in speedups.items():
        axes.loglog(compare, found, "o-", label=f"m = {m}")
    axes.axhline(1, color="grey", lw=0.5)
    axes.set(xlabel="n", ylabel="times faster than all points at once", title="speed-up by landmarks")
    axes.legend()
    figure.tight_layout()
    notes = (
        f"n = {n}, 20 landmarks in the paper: {PAPER['constraints']} constraints, {PAPER['monitored']} of them "
        f"monitored, {PAPER['seconds']} s (2005). Speed-up is against the same program, inequalities, for all "
        "points (certified gap 1e-3, and 1e-2 for n = 2000). Correlations are with the best affine function of "
        "the embedding. For all points at once under inequalities the trace is some 15 % too large, at the cost "
        "of the height: that is the optimum, not a failure to find it (see the certified gap)."
    )
    report("swiss_roll_sde", "Swiss rolls by semidefinite embedding", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
