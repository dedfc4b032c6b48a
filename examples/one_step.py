"""One-step estimator (Xie & Xu 2019): mean squared error beside the bound, and coverage of its covariances.

The bound is the mean trace of the inverse information at the true positions. Networks with 5000 vertices are
dense; those with 2000 vertices have mean degrees from 10 to 300, where first-order theory need not hold.
"""

import numpy as np
from _report import report
from scipy.sparse.linalg import eigsh

import lpgraph as lp

DENSE = ("two blocks", "disassortative", "three simplex corners", "curve")
DEGREES = (10, 30, 100, 300)


def latent(model, n, rng):
    """Return positions of a dense network and their signature."""
    if model == "three simplex corners":
        return np.sqrt(0.9) * rng.dirichlet([1.0, 1.0, 1.0], n), np.ones(3)
    if model == "curve":
        t = rng.uniform(0.1, 0.9, n)
        return np.column_stack([t, np.sqrt(1 - t**2) * 0.6]), np.ones(2)
    if model == "hubs":
        corners, signs = latent("two blocks", n, rng)
        weights = np.minimum(rng.pareto(2.5, n) + 1, 6)
        return corners * (weights / weights.mean())[:, None], signs
    blocks = {"two blocks": [[0.8, 0.1], [0.1, 0.4]], "disassortative": [[0.1, 0.6], [0.6, 0.3]]}[model]
    values, vectors = np.linalg.eigh(blocks)
    order = np.argsort(-values)
    corners = vectors[:, order] * np.sqrt(np.abs(values[order]))
    return corners[np.arange(n) * 2 // n], np.sign(values[order])


def truth(X, signs):
    """Return the probabilities, positions, inverse informations, and the noise relative to the last eigenvalue."""
    P, d = (X * signs) @ X.T, X.shape[1]
    values, vectors = eigsh(P, d)
    order = np.argsort(-values)
    Z = (vectors * np.sqrt(np.abs(values)))[:, order]
    W, rows, columns = Z * signs, *np.triu_indices(d)
    weights = 1 / np.maximum(P * (1 - P), 1e-12)
    information = np.empty((len(P), d, d))
    information[:, rows, columns] = weights @ (W[:, rows] * W[:, columns])
    information[:, columns, rows] = information[:, rows, columns]
    noise = 2 * np.sqrt((P * (1 - P)).sum(axis=1).max()) / np.abs(values).min()
    return P, Z, np.linalg.inv(information), noise


def draw(P, Z, bounds, signs, seed):
    """Return both mean squared errors as multiples of the bound, and the share of 95 % regions with the truth."""
    n, d = Z.shape
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < P, 1)
    A = (upper | upper.T).astype(float)
    bound = np.trace(bounds, axis1=1, axis2=2).mean()
    found = []
    for kind in (lp.AdjacencySpectralEmbedding, lp.OneStepEmbedding):
        model = kind(d).fit(A)
        order = np.argsort(-model.eigenvalues_)
        if (model.signature_[order] != signs).any():
            return None  # noise exceeds an eigenvalue
        X = model.embedding_[:, order]
        turn = lp.procrustes(X, Z, signature=signs)
        found.append(((X @ turn - Z) ** 2).sum(axis=1).mean() / bound)
    rows, columns = np.triu_indices(d)
    covariances = np.empty((n, d, d))
    covariances[:, rows, columns] = covariances[:, columns, rows] = model.covariances()
    covariances = covariances[:, order][:, :, order]
    errors = X - Z @ turn.T
    distances = np.einsum("ij,ij->i", errors, np.linalg.solve(covariances, errors[:, :, None])[:, :, 0])
    limit = {2: 5.991, 3: 7.815}[d]  # 95 % quantiles of chi-squared
    return np.array([*found, (distances <= limit).mean()])


def cell(name, n, degree, repeats, rng):
    """Return a row of the table."""
    X, signs = latent(name, n, rng)
    if degree is not None:
        X = X * np.sqrt(degree / ((X * signs) @ X.T).sum(axis=1).mean())
    P, Z, bounds, noise = truth(X, signs)
    if P.max() >= 1:
        return None
    drawn = [draw(P, Z, bounds, signs, seed) for seed in range(1000, 1000 + repeats)]
    found = np.array([one for one in drawn if one is not None])
    if not len(found):
        return None
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return {
        "model": name,
        "n": n,
        "mean degree": float(P.sum(axis=1).mean()),
        "noise / eigenvalue": float(noise),
        "ASE / bound": float(mean[0]),
        "one step / bound": float(mean[1]),
        "s.e.": float(error[1]),
        "coverage of 95 %": float(mean[2]),
        "networks": len(found),
    }


def main(n=5000, sparse_n=2000, repeats=5, degrees=DEGREES):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    rows = []
    for name in DENSE:
        rows.append(cell(name, n, None, repeats, np.random.default_rng(0)))
        print(rows[-1], flush=True)
    for name in ("two blocks", "three simplex corners", "hubs"):
        found = [cell(name, sparse_n, degree, repeats, np.random.default_rng(0)) for degree in degrees]
        found = [row for row in found if row is not None]
        rows += found
        print(*found, sep="\n", flush=True)
        x = [row["mean degree"] for row in found]
        (line,) = axes.loglog(x, [row["one step / bound"] for row in found], "o-", label=f"{name}, one step")
        axes.loglog(x, [row["ASE / bound"] for row in found], "x--", color=line.get_color(), label=f"{name}, ASE")
    axes.axhline(1, color="0.5", lw=0.8)
    axes.set(xlabel="mean degree", ylabel="mean squared error / bound", title=f"n = {sparse_n}")
    axes.legend(frameon=False, fontsize=8)
    notes = (
        f"Mean squared errors of positions over the mean trace of the inverse information, in {repeats} networks "
        "each on the same positions (seed 0; networks: seeds 1000, 1001, ...), with the standard error of the "
        "mean. Networks in which a sign differs, because noise exceeds an eigenvalue, are left out. The noise is "
        "2 times the root of the largest sum of variances of a row; where it is not small relative to the last "
        "eigenvalue, the first order of the theory does not hold, and the bound is none. The coverage is that of "
        "the regions by `covariances` of all vertices. Mean degrees that would need probabilities above 1 are "
        "left out."
    )
    report("one_step", "One-step estimator", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
