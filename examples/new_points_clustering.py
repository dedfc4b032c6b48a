"""Spectral clustering of new points: two moons and two rings, with ten thousand new points each."""

from _report import report
from sklearn.datasets import make_circles, make_moons

import lpgraph as lp


def main(n=1000, m=10_000):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    cases = {
        "two moons": lambda n, seed: make_moons(n, noise=0.05, random_state=seed),
        "two rings": lambda n, seed: make_circles(n, noise=0.05, factor=0.5, random_state=seed),
    }
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    rows = []
    for axes, (name, make) in zip(panels, cases.items(), strict=True):
        points, labels = make(n, 0)
        new, new_labels = make(m, 1)
        model = lp.manifold.SpectralClustering(2, n_neighbors=10, affinity="gaussian").fit(points)
        found = model.predict(new)
        agreement = max((found == new_labels).mean(), (found != new_labels).mean())
        known = max((model.labels_ == labels).mean(), (model.labels_ != labels).mean())
        rows.append(
            {"data": name, "points": n, "accuracy": known, "new points": m, "accuracy on new points": agreement}
        )
        lp.plot.positions(points, model.labels_, out_of_sample=new[:500], out_labels=found[:500], ax=axes)
        axes.set_title(f"{name}: training points (dots) and new points (crosses)")
    report("new_points_clustering", "Spectral clustering of new points", rows, "Ten neighbors.", figure)
    return rows


if __name__ == "__main__":
    main()
