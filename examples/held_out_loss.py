"""Convergence of the reconstruction loss of held-out points to that of training points.

Bengio et al. (2004), Section 5: Laplacian eigenmaps, Isomap and MDS of a Swiss roll, n = 200 to 6400, 300 held-out
points. Losses are relative to the mean squared kernel value.
"""

import numpy as np
from _report import report
from sklearn.datasets import make_swiss_roll

import lpgraph as lp

SIZES = (200, 400, 800, 1600, 3200, 6400)
METHODS = {
    "Laplacian eigenmaps": lambda: lp.manifold.LaplacianEigenmaps(
        2, n_neighbors=10, normalization="symmetric", components="bridge"
    ),
    "Isomap": lambda: lp.manifold.Isomap(2, n_neighbors=10, components="bridge"),
    "MDS": lambda: lp.manifold.ClassicalMDS(2),
}


def main():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    points = make_swiss_roll(SIZES[-1] + 300, random_state=0)[0]
    held_out = points[SIZES[-1] :]
    figure, panels = plt.subplots(1, len(METHODS), figsize=(4.5 * len(METHODS), 4), layout="constrained")
    rows = []
    for axes, (name, make) in zip(panels, METHODS.items(), strict=True):
        curves = []
        for n in SIZES:
            model = make().fit(points[:n])
            inside = lp.metrics.reconstruction_loss(model).relative[-1]
            outside = lp.metrics.reconstruction_loss(model, held_out).relative[-1]
            curves.append((inside, outside))
            rows.append({"method": name, "n": n, "training loss": float(inside), "held-out loss": float(outside)})
        for curve, style, label in zip(np.transpose(curves), ("o-", "x--"), ("training", "held out"), strict=True):
            axes.semilogx(SIZES, curve, style, label=label)
        axes.set(title=name, xlabel="n", ylabel="loss / mean squared kernel")
        axes.legend(frameon=False)
    report("held_out_loss", "Reconstruction loss, training and held out", rows, "Two dimensions.", figure)
    return rows


if __name__ == "__main__":
    main()
