"""Coverage of 95 % regions for latent positions in networks with unobserved pairs.

Networks of 2000 vertices are drawn from the models of `regions.py`. 30 % of the pairs are hidden at random, or all
pairs between two groups of 30 % of the vertices, which are chosen at random.

``python examples/regions_unobserved.py`` takes 15 minutes on one core.
"""

import sys

import numpy as np
from _report import report
from regions import DEGREES, MODELS, covered, draw
from unobserved_pairs import hidden_pairs

import lpgraph as lp

KNOWN, REPLICATIONS = 2000, 10
MASKS = {"random": "hidden at random", "block": "a block hidden"}


def shares(network, positions, mask, rng):
    """Return the shares of regions with the true position: all, those with most hidden pairs, and the others."""
    n, d = positions.shape
    hidden = hidden_pairs(mask, n, rng)
    model = lp.CompletedEmbedding(lp.AdjacencySpectralEmbedding(d), unobserved=hidden).fit(network)
    aligned = positions @ np.linalg.lstsq(positions, model.embedding_, rcond=None)[0]
    covariances = model.covariances(range(n))
    counts = hidden.sum(axis=1)
    most = counts > np.median(counts) if mask == "random" else counts > 0
    parts = np.ones(n, dtype=bool), most, ~most
    return [covered(model.embedding_[part], aligned[part], covariances[part]) for part in parts]


def main(known=KNOWN):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    replications = int(sys.argv[1]) if len(sys.argv) > 1 else REPLICATIONS
    rows, columns = [], ("all vertices", "more hidden pairs", "fewer")
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    labels = []
    for name, model in MODELS.items():
        for degree in DEGREES:
            for mask, title in MASKS.items():
                found = []
                for seed in range(replications):
                    network, _, positions, _ = draw(model, degree, seed, known, 0)
                    found.append(shares(network, positions, mask, np.random.default_rng(10_000 + seed)))
                mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(replications)
                texts = [f"{share:.4f} ± {deviation:.4f}" for share, deviation in zip(mean, error, strict=True)]
                row = {"model": name, "mean degree": degree, "pairs": title}
                rows.append(row | dict(zip(columns, texts, strict=True)))
                print(rows[-1], flush=True)
                for k, marker in enumerate("osx"):
                    place = len(labels) + 0.15 * (k - 1)
                    axes.errorbar(place, mean[k], 2 * error[k], fmt=marker, color=f"C{k}")
                labels.append(f"{name}, {degree}\n{title}")
    axes.axhspan(0.93, 0.97, color="0.9", zorder=0)
    axes.axhline(0.95, color="0.5", linewidth=1)
    axes.set_xticks(range(len(labels)), labels, rotation=60, ha="right", fontsize=8)
    axes.set(ylabel="95 % regions with the true position", ylim=(0.9, 0.98))
    handles = [plt.Line2D([], [], marker=m, color=f"C{k}", linestyle="") for k, m in enumerate("osx")]
    axes.legend(handles, columns, frameon=False)
    notes = (
        f"{replications} networks of {known} vertices each (seeds 0 to {replications - 1}), adjacency embedding. "
        "The mean degree is that with all pairs. More hidden pairs: those of the block, or more than the median. "
        "± is the standard error of the mean over networks; the binomial standard error of a share of "
        f"{replications * known} independent regions is {np.sqrt(0.05 * 0.95 / replications / known):.4f}."
    )
    report("regions_unobserved", "Coverage of 95 % regions with unobserved pairs", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
