"""Table 1 of Tang, Park & Priebe (2013): out-of-sample classification of abalones.

Needs the UCI abalone data: set LPGRAPH_DATA to a folder with abalone/abalone.csv. The seven measurements are
standardised (without this the paper's in-sample error is not reached). Classes: up to 8 rings, 9 or 10, more.
"""

import os
import warnings
from pathlib import Path

import numpy as np
from _report import report
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lpgraph as lp

PAPER = {200: 0.444, 600: 0.386, 1000: 0.391, 1400: 0.375, 1800: 0.382, 2200: 0.374, 2600: 0.401}
D, N_TRAIN, REPEATS = 50, 3133, 10


def load():
    """Return the standardised measurements and the classes of all 4177 abalones."""
    path = Path(os.environ["LPGRAPH_DATA"]) / "abalone" / "abalone.csv"
    table = np.loadtxt(path, delimiter=",", usecols=range(1, 9))
    return StandardScaler().fit_transform(table[:, :7]), np.digitize(table[:, 7], [8.5, 10.5])


def svm_error(train, train_labels, test, test_labels):
    """Return the test error of a multi-class linear support vector machine."""
    return 1 - LinearSVC(C=1.0, max_iter=20_000).fit(train, train_labels).score(test, test_labels)


def main():
    # Some abalones are isolated vertices: they are at the origin and are classified as the others.
    warnings.simplefilter("ignore", lp.errors.DisconnectedGraphWarning)
    x, y = load()
    kernel = lp.kernels.Gaussian(sigma=0.5**0.5)  # exp(-2 |x - y|^2)
    inside, outside = [], {m: [] for m in PAPER}
    for repeat in range(REPEATS):
        order = np.random.default_rng(repeat).permutation(len(x))
        train, test = order[:N_TRAIN], order[N_TRAIN:]
        graph = lp.LatentPositionModel(kernel, x).sample(random_state=repeat)
        z = lp.AdjacencySpectralEmbedding(D).fit(graph).embedding_
        inside.append(svm_error(z[train], y[train], z[test], y[test]))
        for m, found in outside.items():
            sample, rest = train[:m], train[m:]
            ase = lp.AdjacencySpectralEmbedding(D).fit(graph.adjacency[sample][:, sample])
            positions = ase.transform(graph.adjacency[np.concatenate([rest, test])][:, sample])
            found.append(svm_error(positions[: len(rest)], y[rest], positions[len(rest) :], y[test]))
    rows = [
        {"m": "all (in-sample)", "error": np.mean(inside), "standard deviation": np.std(inside), "paper": 0.358}
    ]
    for m, found in outside.items():
        rows.append({"m": m, "error": np.mean(found), "standard deviation": np.std(found), "paper": PAPER[m]})
    notes = f"Means of {REPEATS} partitions and graphs. d = {D}, linear support vector machine."
    report("abalone", "Table 1: abalone, out-of-sample classification error", rows, notes)
    return rows


if __name__ == "__main__":
    main()
