"""Figure 3 of Weinberger, Packer & Saul (2005): all 9298 USPS digits by semidefinite embedding and by PCA.

Error of five nearest neighbors on the test digits by the number of dimensions, and both eigenvalue spectra.
Training and test digits are embedded together, without labels, as in the paper. Needs the USPS digits: set
LPGRAPH_DATA to a folder with usps/usps.npz.
"""

import itertools
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

# The result depends on the landmarks and on the regularizer, because twelve neighbors cannot reconstruct a noisy
# digit of 256 dimensions exactly. Both are chosen among these values by the labels of the training digits.
REGULARIZERS = (1e-2, 1e-1)
DRAWS = range(5)
NEIGHBOURS = (12, 6)


def error(points, labels, n_train):
    """Return the test error of the five nearest training points."""
    model = KNeighborsClassifier(5).fit(points[:n_train], labels[:n_train])
    return 1 - model.score(points[n_train:], labels[n_train:])


def training_error(points, labels):
    """Return the leave-one-out error of five nearest neighbors among the training points."""
    nearest = NearestNeighbors(n_neighbors=5).fit(points).kneighbors(return_distance=False)
    votes = np.stack([(labels[nearest] == c).sum(axis=1) for c in range(10)], axis=1)
    return float((votes.argmax(axis=1) != labels).mean())


def embed(X, m, regularizer, draw, r=12):
    """Return the semidefinite embedding with m landmarks, and the seconds it took."""
    start = time.perf_counter()
    model = lp.manifold.SemidefiniteEmbedding(
        m - 1, landmarks=m, regularizer=regularizer, n_reconstruction_neighbors=r, random_state=draw
    )
    return model.fit(X), time.perf_counter() - start


def choose(X, labels, r, dimensions=4):
    """Return the best of the candidates with ten landmarks by training error, and the training errors of all."""
    known, best = {}, None
    for setting in itertools.product(REGULARIZERS, DRAWS):
        found = embed(X, 10, *setting, r)
        known[setting] = training_error(found[0].embedding_[: len(labels), :dimensions], labels)
        if known[setting] == min(known.values()):
            best = setting, found
    return *best, known


def main():
    data = np.load(Path(os.environ["LPGRAPH_DATA"]) / "usps" / "usps.npz")
    X = np.concatenate([data["x_train"], data["x_test"]]).astype(float)
    y = np.concatenate([data["y_train"], data["y_test"]])
    n_train = len(data["x_train"])
    # The model warns that ten landmarks do not span the digits.
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    models, chosen = {}, []
    for r in NEIGHBOURS:
        setting, found, known = choose(X, y[:n_train], r)
        models[f"m = 10, r = {r}"] = found
        rates = np.array(list(known.values()))
        chosen.append(
            f"r = {r}: regularizer {setting[0]:g} and draw {setting[1]}, training error {known[setting]:.4f} "
            f"(all candidates: {rates.min():.4f} to {rates.max():.4f}, median {np.median(rates):.4f})"
        )
        if r == 12:
            models |= {f"m = {m}, r = 12": embed(X, m, *setting) for m in (20, 40)}
    pca = PCA(max(DIMENSIONS)).fit(X)
    flat = pca.transform(X)
    rows = []
    for d in DIMENSIONS:
        found = {"dimensions": d, "PCA": error(flat[:, :d], y, n_train)}
        for name, (sde, _) in models.items():
            found[f"SDE, {name}"] = error(sde.embedding_[:, :d], y, n_train) if d <= sde.n_components else ""
        rows.append(found)
    raw = error(X, y, n_train)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5))
    left.plot(DIMENSIONS, [r["PCA"] for r in rows], "s-", label="PCA")
    for name in models:
        kept = [(r["dimensions"], r[f"SDE, {name}"]) for r in rows if r[f"SDE, {name}"] != ""]
        left.plot(*zip(*kept, strict=True), "o-", label=f"SDE, {name}")
    left.axhline(raw, color="grey", ls="--", label="images")
    left.set(xlabel="dimensions", ylabel="test error, five nearest neighbors", ylim=(0, None))
    left.legend()
    sde = models["m = 10, r = 12"][0]
    share = sde.spectrum_ / sde.spectrum_.sum()
    right.bar(np.arange(1, len(share) + 1) - 0.2, share, 0.4, label="SDE, m = 10, r = 12")
    right.bar(np.arange(1, 21) + 0.2, pca.explained_variance_ratio_[:20], 0.4, label="PCA")
    right.set(xlabel="dimension", ylabel="share of variance")
    right.legend()
    figure.tight_layout()
    c = sde.constraints_
    times = ", ".join(f"{t:.1f} s with {name}" for name, (_, t) in models.items())
    notes = (
        f"Error on the images themselves: {raw:.4f}. {c.count} constraints, {c.monitored} monitored with m = 10 "
        f"(paper: 61735, 690), certified gap {sde.bound_.gap:.1e}; {times} (paper: 2420 s with m = 10). Median "
        f"ratio of distances {c.median_ratio:.2f} with m = 10: ten landmarks do not span the digits.\n\n"
        f"The regularizer (of {', '.join(f'{r:g}' for r in REGULARIZERS)}) and the draw of ten landmarks (of "
        f"{len(DRAWS)}) were chosen by leave-one-out error on the training digits in four dimensions. "
        + "; ".join(chosen)
        + ". The paper has r = 12 and does not specify how landmarks were sampled or weights regularised. The "
        "test errors of some candidates, and of r = 6, were known when the list of candidates was made, but the "
        "choice among them does not use test errors."
    )
    report("usps_sde", "Figure 3: USPS digits", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
