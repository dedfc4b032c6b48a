"""Figure 2 of Bengio et al. (2004): an extended point is about as good as a trained one.

For growing fractions of exchanged training points, the variability of the embedding minus the error of the
extension, with 95 % intervals. Where the curve crosses zero, extending a point costs as much as exchanging that
fraction of the training points. The faces need LPGRAPH_DATA; digits and Swiss roll (700 points each) do not.
"""

import os
import sys

import numpy as np
from _report import report
from sklearn.datasets import load_digits, make_swiss_roll

import lpgraph as lp

FRACTIONS = [0.003, 0.006, 0.012, 0.025, 0.05, 0.1]
METHODS = {
    "MDS": lp.manifold.ClassicalMDS(2),
    "Laplacian eigenmaps": lp.manifold.LaplacianEigenmaps(2, n_neighbors=10, components="bridge"),
    "Isomap": lp.manifold.Isomap(2, n_neighbors=10, components="bridge"),
    "LLE": lp.manifold.LocallyLinearEmbedding(2, n_neighbors=10, components="bridge"),
}


def load():
    """Return the data sets by name."""
    order = np.random.default_rng(0).permutation(1797)[:700]
    data = {"digits": load_digits().data[order], "Swiss roll": make_swiss_roll(700, random_state=0)[0]}
    if "LPGRAPH_DATA" in os.environ:
        from faces_isomap import load as load_faces

        data = {"faces": load_faces()[0]} | data
    return data


def main(repeats=3, n_held_out=40):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    data = load()
    figure, panels = plt.subplots(
        len(data), len(METHODS), figsize=(4 * len(METHODS), 3 * len(data)), layout="constrained", squeeze=False
    )
    rows = []
    for row, (name, points) in zip(panels, data.items(), strict=True):
        for axes, (method, model) in zip(row, METHODS.items(), strict=True):
            found = lp.metrics.stability(model, points, FRACTIONS, repeats, n_held_out=n_held_out, random_state=0)
            lp.plot.stability(found, axes=axes)
            axes.set_title(f"{method}, {name}")
            crossing = found.crossing
            rows.append(
                {
                    "data": name,
                    "method": method,
                    "crosses zero at": "not below 10 %" if crossing is None else f"{crossing:.2%}",
                    **{f"{f:.1%}": float(d) for f, d in zip(found.fractions, found.difference, strict=True)},
                }
            )
            print(rows[-1], file=sys.stderr, flush=True)
    notes = (
        "Columns in %: variability minus error when that share of the points is exchanged, in the embedding's "
        f"units. Two dimensions, ten neighbours, {repeats} splits, {n_held_out} points held out one by one."
    )
    report("figure_2", "Figure 2: training-set variability minus out-of-sample error", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
