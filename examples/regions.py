"""Coverage of 95 % regions for latent positions: known and new vertices, adjacency and Laplacian embeddings.

Networks of 2000 vertices are drawn from three models, with 500 new vertices each. A region is centred at an
estimated position. It covers a vertex if it contains the true position, after the linear map that fits the true
positions of all known vertices best to the embedding (orthogonal and indefinite alignments are such maps).

``python examples/regions.py`` takes 40 minutes on one core; ``python examples/regions.py 20`` draws 20 networks
for each model.
"""

import sys

import numpy as np
from _report import report
from scipy import stats

import lpgraph as lp

KNOWN, NEW = 2000, 500
DEGREES = (30, 200)
REPLICATIONS = 500
KINDS = ("known", "new, marginal", "new, given the network")


def dirichlet(rng, n):
    """Positions on the simplex."""
    return rng.dirichlet([0.5, 0.5, 0.5], n), (3, 0)


def three_blocks(rng, n):
    """Three blocks of 20, 30 and 50 % with different densities."""
    blocks = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]])
    return np.linalg.cholesky(blocks)[rng.choice(3, n, p=[0.2, 0.3, 0.5])], (3, 0)


def disassortative(rng, n):
    """Mixtures of two blocks that are joined within less than between each other."""
    values, vectors = np.linalg.eigh([[0.1, 0.5], [0.5, 0.15]])
    corners = (vectors * np.sqrt(np.abs(values)))[:, ::-1]
    return rng.dirichlet([0.4, 0.4], n) @ corners, (1, 1)


MODELS = {"RDPG": dirichlet, "SBM": three_blocks, "GRDPG": disassortative}
EMBEDDINGS = {"adjacency": lp.AdjacencySpectralEmbedding, "Laplacian": lp.LaplacianSpectralEmbedding}


def draw(model, degree, seed, known=KNOWN, new=NEW):
    """Return the network, rows of new vertices, all positions and the signs of their columns."""
    rng = np.random.default_rng(seed)
    positions, (p, q) = model(rng, known + new)
    signs = np.array([1] * p + [-1] * q)
    first = positions[:known]
    positions *= np.sqrt(degree / ((first * signs) @ first.sum(axis=0)).mean())
    graph = lp.generalized_random_dot_product_graph(positions, (p, q), random_state=rng)
    matrix = graph.adjacency
    return matrix[:known, :known], matrix[known:, :known], positions, signs


def covered(estimate, truth, covariances):
    """Return the share of 95 % regions that contain the truth."""
    offset = estimate - truth
    solved = np.linalg.solve(covariances, offset[:, :, None])[:, :, 0]
    return float(((offset * solved).sum(axis=1) <= stats.chi2(offset.shape[1]).ppf(0.95)).mean())


def coverages(embedding, network, rows, positions, signs):
    """Return the shares of known vertices, of new ones, and of new ones with the network taken as given."""
    known, n = embedding.fit(network), network.shape[0]
    truth = positions
    if isinstance(embedding, lp.LaplacianSpectralEmbedding):
        expected = (positions * signs) @ positions[:n].sum(axis=0)
        truth = positions / np.sqrt(expected + embedding.regularizer_)[:, None]
    aligned = truth @ np.linalg.lstsq(truth[:n], known.embedding_, rcond=None)[0]
    inside = covered(known.embedding_, aligned[:n], known.covariances(range(n)))
    extension, new = lp.OutOfSample(known), known.transform(rows)
    return inside, *(
        covered(new, aligned[n:], extension.covariance(rows, marginal=marginal)) for marginal in (True, False)
    )


def replication(seed, known=KNOWN, new=NEW):
    """Return the shares of one network of each model and degree, by model, degree and embedding."""
    shares = {}
    for name, model in MODELS.items():
        for degree in DEGREES:
            drawn = draw(model, degree, seed, known, new)
            for kind, method in EMBEDDINGS.items():
                shares[name, degree, kind] = coverages(method(drawn[2].shape[1]), *drawn)
    return shares


def summary(found):
    """Return the rows of the table from the shares of all replications."""
    rows = []
    for name, degree, kind in found[0]:
        shares = np.array([one[name, degree, kind] for one in found])
        errors = shares.std(axis=0, ddof=1) / np.sqrt(len(found))
        texts = [f"{share:.4f} ± {error:.4f}" for share, error in zip(shares.mean(axis=0), errors, strict=True)]
        rows.append(
            {"model": name, "mean degree": degree, "embedding": kind, **dict(zip(KINDS, texts, strict=True))}
        )
    return rows


def picture(rows):
    """Return a figure of the shares."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    place = np.arange(len(rows))
    for k, (title, marker) in enumerate(zip(KINDS, "osx", strict=True)):
        shares, errors = zip(*(map(float, row[title].split(" ± ")) for row in rows), strict=True)
        axes.errorbar(place + 0.15 * (k - 1), shares, 2 * np.array(errors), fmt=marker, color=f"C{k}", label=title)
    axes.axhspan(0.93, 0.97, color="0.9", zorder=0)
    axes.axhline(0.95, color="0.5", linewidth=1)
    labels = [f"{row['model']}, {row['mean degree']}\n{row['embedding']}" for row in rows]
    axes.set_xticks(place, labels, rotation=60, ha="right", fontsize=8)
    axes.set(ylabel="share of 95 % regions with the true position", ylim=(0.9, 0.98))
    axes.legend(frameon=False)
    return figure


def main():
    replications = int(sys.argv[1]) if len(sys.argv) > 1 else REPLICATIONS
    rows = summary([replication(seed) for seed in range(replications)])
    notes = (
        f"{replications} networks of {KNOWN} vertices for each model (seeds 0 to {replications - 1}), with {NEW} "
        "new vertices each. ± is the standard error of the mean over networks. The binomial standard error of a "
        f"share of {replications} independent regions is {np.sqrt(0.95 * 0.05 / replications):.4f}. "
        "The true position of a vertex in the Laplacian embedding is its position divided by the root of its "
        "expected degree plus the regularizer."
    )
    report("regions", "Coverage of 95 % regions for latent positions", rows, notes, picture(rows))
    return rows


if __name__ == "__main__":
    main()
