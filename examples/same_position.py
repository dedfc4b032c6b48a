"""Level and power of the test that two vertices have the same latent position.

Networks of 2000 vertices are drawn from the models of `regions.py`, such that 600 pairs of vertices have the same
position: 200 pairs of known vertices, 200 of a known and a new one, and 200 of new ones. For the power, new
vertices are moved from the first block of a network towards the second, and compared with known ones of the first.

``python examples/same_position.py`` takes 4 minutes on one core.
"""

import sys

import numpy as np
from _report import report
from regions import DEGREES, EMBEDDINGS, MODELS
from scipy import stats

import lpgraph as lp

KNOWN, PAIRS = 2000, 200
NETWORKS = 60
SHIFTS = np.linspace(0, 1, 9)
KINDS = ("two known", "known and new", "two new")


def draw(model, degree, seed, degree_corrected, known=KNOWN, pairs=PAIRS):
    """Return the adjacency matrix of known and new vertices, with equal positions in pairs.

    Of the known vertices, i and i + `pairs` have the same position for i < `pairs`. The next `pairs` vertices have
    the positions of the first `pairs` new ones, and so have the last new ones. With `degree_corrected` positions
    are multiplied by factors.
    """
    rng = np.random.default_rng(seed)
    positions, (p, q) = model(rng, known + 2 * pairs)
    positions[pairs : 2 * pairs] = positions[:pairs]
    positions[2 * pairs : 3 * pairs] = positions[known + pairs :] = positions[known : known + pairs]
    if degree_corrected:
        positions *= rng.uniform(0.5, 1.0, (len(positions), 1))
    first = positions[:known]
    signs = np.array([1] * p + [-1] * q)
    positions *= np.sqrt(degree / ((first * signs) @ first.sum(axis=0)).mean())
    graph = lp.generalized_random_dot_product_graph(positions, (p, q), random_state=rng)
    return graph.adjacency, positions.shape[1]


def p_values(embedding, matrix, degree_corrected, known=KNOWN, pairs=PAIRS):
    """Return the p-values of pairs of each kind, of shape (3, `pairs`)."""
    embedding.fit(matrix[:known, :known])
    first = matrix[known : known + pairs, :known]
    cases = (
        (range(pairs), range(pairs, 2 * pairs)),
        (range(2 * pairs, 3 * pairs), first),
        (first, matrix[known + pairs :, :known]),
    )
    return [lp.infer.same_position(embedding, u, v, degree_corrected=degree_corrected).p_values for u, v in cases]


def levels(networks):
    """Return the rows of the table: shares of p-values below 0.05."""
    rows = []
    for degree_corrected in (False, True):
        for name, model in MODELS.items():
            for degree in DEGREES:
                drawn = [draw(model, degree, seed, degree_corrected) for seed in range(networks)]
                for kind, method in EMBEDDINGS.items():
                    found = np.array([p_values(method(d), matrix, degree_corrected) for matrix, d in drawn])
                    shares = (found < 0.05).mean(axis=(0, 2))
                    row = {"test": "up to a factor" if degree_corrected else "same position", "model": name}
                    row |= {"mean degree": degree, "embedding": kind}
                    rows.append(row | {k: f"{s:.4f}" for k, s in zip(KINDS, shares, strict=True)})
                    print(rows[-1], flush=True)
    return rows


def powers(degree, networks):
    """Return the measured power for each shift, and that of a chi-squared test with the true covariances."""
    blocks = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]])
    corners = np.linalg.cholesky(blocks)
    found, expected = np.zeros(len(SHIFTS)), np.zeros(len(SHIFTS))
    limit = stats.chi2(3).ppf(0.95)
    for seed in range(networks):
        rng = np.random.default_rng(1000 + seed)
        labels = rng.choice(3, KNOWN, p=[0.2, 0.3, 0.5])
        labels[:PAIRS] = 0
        scale = degree / blocks[labels][:, labels].sum(axis=1).mean()
        p = scale * blocks[labels][:, labels]
        upper = np.triu(rng.random(p.shape) < p, 1)
        ase = lp.AdjacencySpectralEmbedding(3).fit((upper | upper.T).astype(float))
        basis = ase.transform(np.eye(KNOWN))
        for k, shift in enumerate(SHIFTS):
            moved = scale * ((1 - shift) * corners[0] + shift * corners[1]) @ corners.T[:, labels]
            rows = (rng.random((PAIRS, KNOWN)) < moved).astype(float)
            found[k] += (lp.infer.same_position(ase, range(PAIRS), rows).p_values < 0.05).mean() / networks
            offset = (moved - p[0]) @ basis
            covariance = (basis.T * (p[0] * (1 - p[0]) + moved * (1 - moved))) @ basis
            distance = offset @ np.linalg.solve(covariance, offset)
            expected[k] += stats.ncx2.sf(limit, 3, max(distance, 1e-12)) / networks
    return found, expected


def main():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    networks = int(sys.argv[1]) if len(sys.argv) > 1 else NETWORKS
    rows = levels(networks)
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    lines = []
    for color, degree in enumerate(DEGREES):
        found, expected = powers(degree, networks)
        axes.plot(SHIFTS, found, "o", color=f"C{color}", label=f"measured, mean degree {degree}")
        axes.plot(SHIFTS, expected, color=f"C{color}", label=f"noncentral chi-squared, mean degree {degree}")
        lines.append(f"| {degree} | measured | " + " | ".join(f"{x:.3f}" for x in found) + " |")
        lines.append(f"| {degree} | expected | " + " | ".join(f"{x:.3f}" for x in expected) + " |")
    axes.axhline(0.05, color="0.5", linewidth=1)
    axes.set(xlabel="shift from the first block to the second", ylabel="share of p-values below 0.05")
    axes.legend(frameon=False)
    draws = networks * PAIRS
    notes = "\n".join(
        [
            f"The shares of p-values below 0.05 of pairs with the same position: {draws} draws of each kind, "
            f"{PAIRS} pairs in each of {networks} networks (seeds 0 to {networks - 1}). The binomial standard "
            f"error of a share of 0.05 is {np.sqrt(0.05 * 0.95 / draws):.4f}.",
            "",
            f"Power against shifts between two blocks, adjacency embedding, {draws} draws each (seeds 1000 to "
            f"{999 + networks}): a shift of 0 is the same position, and 1 that of the other block. Expected is "
            "the power of a test with the true covariances, given the network.",
            "",
            "| mean degree | shift | " + " | ".join(f"{x:g}" for x in SHIFTS) + " |",
            "| --- " * (len(SHIFTS) + 2) + "|",
            *lines,
        ]
    )
    report("same_position", "Test of the same position: level and power", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
