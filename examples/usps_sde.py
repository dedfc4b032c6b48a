"""Figure 3 of Weinberger, Packer & Saul (2005): all 9298 USPS digits by semidefinite embedding and by PCA.

Five-nearest-neighbour error on the test digits over the number of dimensions, and both eigenvalue spectra. The
embedding is made of training and test digits together, without labels, as in the paper. Needs the USPS digits:
set LPGRAPH_DATA to a folder with usps/usps.npz.
"""

import os
import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from _report import report
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import lpgraph as lp

DIMENSIONS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 20)

# In 256 dimensions twelve neighbours never rebuild a noisy digit exactly. How much to damp the weights is chosen
# among these by the training digits' labels alone.
REGULARIZERS = (1e-6, 1e-4, 1e-3, 1e-2)


def error(points, labels, n_train):
    """Return the test error of the five nearest training points."""
    model = KNeighborsClassifier(5).fit(points[:n_train], labels[:n_train])
    return 1 - model.score(points[n_train:], labels[n_train:])


def training_error(points, labels):
    """Return the leave-one-out error of the five nearest among the training points, no test label being used."""
    nearest = NearestNeighbors(n_neighbors=5).fit(points).kneighbors(return_distance=False)
    votes = np.stack([(labels[nearest] == c).sum(axis=1) for c in range(10)], axis=1)
    return float((votes.argmax(axis=1) != labels).mean())


def embed(X, m, regularizer):
    """Return the semidefinite embedding with m landmarks, and the seconds it took."""
    start = time.perf_counter()
    model = lp.manifold.SemidefiniteEmbedding(m - 1, landmarks=m, regularizer=regularizer, random_state=0)
    return model.fit(X), time.perf_counter() - start


def main():
    data = np.load(Path(os.environ["LPGRAPH_DATA"]) / "usps" / "usps.npz")
    X = np.concatenate([data["x_train"], data["x_test"]]).astype(float)
    y = np.concatenate([data["y_train"], data["y_test"]])
    n_train = len(data["x_train"])
    # Digits have more dimensions than ten landmarks span; the model says so, and here we know.
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    candidates = {r: embed(X, 10, r) for r in REGULARIZERS}
    known = {r: training_error(sde.embedding_[:n_train, :4], y[:n_train]) for r, (sde, _) in candidates.items()}
    chosen = min(known, key=known.get)
    models = {10: candidates[chosen]} | {m: embed(X, m, chosen) for m in (20, 40)}
    pca = PCA(max(DIMENSIONS)).fit(X)
    flat = pca.transform(X)
    rows = []
    for d in DIMENSIONS:
        found = {"dimensions": d, "PCA": error(flat[:, :d], y, n_train)}
        for m, (sde, _) in models.items():
            found[f"SDE, m = {m}"] = error(sde.embedding_[:, :d], y, n_train) if d < m else ""
        rows.append(found)
    raw = error(X, y, n_train)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5))
    left.plot(DIMENSIONS, [r["PCA"] for r in rows], "s-", label="PCA")
    for m in models:
        kept = [(r["dimensions"], r[f"SDE, m = {m}"]) for r in rows if r[f"SDE, m = {m}"] != ""]
        left.plot(*zip(*kept, strict=True), "o-", label=f"SDE, {m} landmarks")
    left.axhline(raw, color="grey", ls="--", label="images")
    left.set(xlabel="dimensions", ylabel="test error, five nearest neighbours", ylim=(0, None))
    left.legend()
    sde = models[10][0]
    share = sde.spectrum_ / sde.spectrum_.sum()
    right.bar(np.arange(1, len(share) + 1) - 0.2, share, 0.4, label="SDE, 10 landmarks")
    right.bar(np.arange(1, 21) + 0.2, pca.explained_variance_ratio_[:20], 0.4, label="PCA")
    right.set(xlabel="dimension", ylabel="share of variance")
    right.legend()
    figure.tight_layout()
    c = sde.constraints_
    times = ", ".join(f"{t:.1f} s with m = {m}" for m, (_, t) in models.items())
    notes = (
        f"Error on the images themselves: {raw:.4f}. {c.count} constraints, {c.monitored} monitored with m = 10 "
        f"(paper: 61735, 690), certified gap {sde.bound_.gap:.1e}; {times} (paper: 2420 s with m = 10). Median "
        f"ratio of distances {c.median_ratio:.2f} with m = 10: ten landmarks do not span the digits.\n\n"
        f"Regularizer {chosen:g}, chosen by leave-one-out error on the training digits (m = 10, four dimensions), "
        + ", ".join(f"{r:g}: {e:.4f}" for r, e in known.items())
        + ". Test errors of the same candidates at four dimensions: "
        + ", ".join(f"{r:g}: {error(s.embedding_[:, :4], y, n_train):.4f}" for r, (s, _) in candidates.items())
        + ". While this script was written these four values had already been compared by test error, so that the "
        "candidates themselves are not blind to it."
    )
    report("usps_sde", "Figure 3: USPS digits", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
