"""Theorems 2 and 4 of Tang, Park & Priebe (2013) by simulation: the error falls as sqrt(log(n) / n).

For increasing n, a graph with n vertices is sampled and embedded, and 1000 new vertices are embedded
out-of-sample. After a rotation found in-sample, both embeddings are compared with the truncated feature map Phi_d
of the true positions.
"""

import numpy as np
from _report import report

import lpgraph as lp

SIZES = (500, 1000, 2000, 4000, 8000)
NEW = 1000
REPEATS = 5


def dot_product_model():
    """Positions on the simplex scaled into the unit ball; Phi_3 is the position itself, up to rotation."""
    model = lp.LatentPositionModel(lp.kernels.DotProduct(), lp.positions.Dirichlet([1.0, 1.0, 1.0]), sparsity=0.9)
    return model, lambda x: x, 3


def gaussian_model():
    """Positions uniform on [0, 1]; Phi_2 by Gauss-Legendre quadrature of the integral operator, Eq. (1)."""
    kernel = lp.kernels.Gaussian(sigma=0.5)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    grid, weights = (nodes[:, None] + 1) / 2, weights / 2
    model = lp.LatentPositionModel(kernel, lambda n, rng: rng.uniform(size=(n, 1)), sparsity=0.9)
    return model, lambda x: lp.feature_map(kernel, grid, 2, weights=weights, at=x), 2


def errors(model, phi, d, n, seed):
    """Return the largest and the root mean square error in-sample and out-of-sample."""
    graph = model.sample(n, random_state=seed)
    new = graph.new_vertices(NEW, random_state=seed + 1)
    ase = lp.AdjacencySpectralEmbedding(d).fit(graph)
    scale = model.sparsity**-0.5
    inside, outside = scale * ase.embedding_, scale * ase.transform(new)
    turn = lp.procrustes(inside, phi(graph.positions))
    pairs = [(inside[:NEW], graph.positions[:NEW]), (outside, new.positions)]
    distances = [np.linalg.norm(y @ turn - phi(x), axis=1) for y, x in pairs]
    return [f(e) for e in distances for f in (np.max, lambda e: np.sqrt(np.mean(e**2)))]


def main():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    rows, notes, slopes = [], [], {}
    for name, make, axes in (("RDPG", dot_product_model, panels[0]), ("Gaussian", gaussian_model, panels[1])):
        model, phi, d = make()
        table = np.array(
            [np.mean([errors(model, phi, d, n, 100 * r) for r in range(REPEATS)], axis=0) for n in SIZES]
        )
        logs = np.sqrt(np.log(SIZES))
        slope = [
            np.polyfit(np.log(SIZES), np.log(e), 1)[0] for e in (*(table[:, [0, 2]].T / logs), *table[:, [1, 3]].T)
        ]
        slopes[name] = slope
        for n, (a, b, c, e) in zip(SIZES, table, strict=True):
            rows.append(
                {
                    "model": name,
                    "n": n,
                    "in-sample max": a,
                    "out max": c,
                    "in-sample rms": b,
                    "out rms": e,
                    "out / in": e / b,
                }
            )
        notes.append(
            f"{name}, slopes in log-log: largest error after the factor sqrt(log n): in-sample {slope[0]:.3f}, "
            f"out-of-sample {slope[1]:.3f}; root mean square error: {slope[2]:.3f} and {slope[3]:.3f}."
        )
        for column, style, label in ((1, "o-", "in-sample"), (3, "x--", "out-of-sample")):
            axes.loglog(SIZES, table[:, column], style, label=label)
        axes.loglog(SIZES, table[0, 1] * np.sqrt(SIZES[0] / np.array(SIZES)), ":", color="0.5", label="slope -1/2")
        axes.set(title=f"{name} kernel, d = {d}", xlabel="n", ylabel="root mean square error")
        axes.legend(frameon=False)
    report("theorem_rates", "Theorems 2 and 4: error against the feature map", rows, "\n\n".join(notes), figure)
    return rows, slopes


if __name__ == "__main__":
    main()
