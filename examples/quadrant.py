"""Figure 1 of Tang, Park & Priebe (2013): the quadrant example, in-sample against out-of-sample.

10 000 points of a mixture of two normals, labelled by the sign of a b; a latent position graph with the Gaussian
kernel. A least-squares classifier is trained on 2000 vertices and tested on the 8000 others, which were embedded
with them or arrived later, for every dimension from 1 to 50.
"""

import numpy as np
from _report import report
from sklearn.linear_model import RidgeClassifier

import lpgraph as lp

DIMENSIONS = range(1, 51)


def curve(train, train_labels, test, test_labels):
    """Return the test error of a least-squares classifier on the first d dimensions, for every d."""
    model = RidgeClassifier(alpha=1e-10)
    return np.array(
        [1 - model.fit(train[:, :d], train_labels).score(test[:, :d], test_labels) for d in DIMENSIONS]
    )


def main(n=10_000, n_train=2_000, seed=0):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    mixture = lp.positions.GaussianMixture([[1, 1], [-1, -1]], 1.0)
    graph = lp.LatentPositionModel(lp.kernels.Gaussian(sigma=1.0), mixture).sample(n, random_state=seed)
    label = np.sign(graph.positions.prod(axis=1)).astype(int)
    order = np.random.default_rng(seed).permutation(n)
    train, test = order[:n_train], order[n_train:]

    together = lp.AdjacencySpectralEmbedding(50).fit(graph).embedding_
    inside = curve(together[train], label[train], together[test], label[test])

    rows = graph.adjacency[train]
    apart = lp.AdjacencySpectralEmbedding(50).fit(rows[:, train])
    arrived = apart.transform(graph.adjacency[test][:, train])
    outside = curve(apart.embedding_, label[train], arrived, label[test])

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    lp.plot.positions(graph.positions, label, axes=left)
    left.set(title="(a) latent positions", xlabel="a", ylabel="b")
    right.plot(DIMENSIONS, inside, label="in-sample")
    right.plot(DIMENSIONS, outside, "--", label="out-of-sample")
    right.set(title="(b) classification", xlabel="embedding dimension", ylabel="error", ylim=(0, 0.55))
    right.legend(frameon=False)
    best = int(outside.argmin())
    table = [
        {"d": d, "in-sample error": inside[d - 1], "out-of-sample error": outside[d - 1]}
        for d in sorted({1, 2, 5, 10, 20, 30, 40, 50, best + 1})
    ]
    notes = (
        f"Best dimension d = {best + 1}: in-sample {inside[best]:.2%}, out-of-sample {outside[best]:.2%}, "
        f"{outside[best] - inside[best]:.2%} above."
    )
    report("quadrant", "Figure 1: the quadrant example", table, notes, figure)


if __name__ == "__main__":
    main()
