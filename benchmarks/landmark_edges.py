"""How many edges landmarks need among themselves: the threshold of the warning of `LandmarkEmbedding`.

``python benchmarks/landmark_edges.py`` writes ``docs/results/landmark_edges.md``; it needs the data folder.
"""

import warnings
from itertools import pairwise

import numpy as np
from _folder_data import dblp
from _labelled_networks import REAL, heavy_tailed_blocks
from _timing import page

import lpgraph as lp

SHARES = (0.02, 0.05, 0.1, 0.2)
#: With dblp-2010, the real networks by which the threshold was chosen.
SEEN = ("Cora", "lastfm", "polblogs")
#: Limits of the classes of fits: without a pass by the edges at the end of an edge among landmarks, with one by
#: the landmarks to which two edges lead.
LIMITS = ((0.0, 2.0, 3.0, 4.0, 6.0, 10.0, np.inf), (0.0, 9.0, 36.0, 64.0, 144.0, 400.0, np.inf))


def models():
    """Yield block models, and as many dimensions as they have blocks."""
    for k, degree, ratio in ((2, 20, 3), (2, 20, 8), (5, 20, 8), (2, 50, 3), (5, 50, 8), (2, 100, 8), (5, 100, 8)):
        rates = 1.0 + (ratio - 1.0) * np.eye(k)
        probabilities = rates * degree * k / 20_000 / rates[0].sum()
        yield lp.as_adjacency(lp.stochastic_block_model([20_000 // k] * k, probabilities, random_state=0)), k
    for seed in range(2):
        yield heavy_tailed_blocks(20_000, seed).graph, 5


def networks(*, seen):
    """Yield real networks without directions, and five dimensions: those that chose the threshold, or others."""
    for name, made in REAL.items():
        if (name in SEEN) == seen:
            yield made().undirected().graph, 5
    if seen:
        yield dblp().graph, 5


def fits(cases, passes):
    """Return pairs of numbers for each fit: edges or landmarks, and what is found of the eigenvectors.

    The second is the mean squared cosine of the angles between the subspaces with landmarks and with all vertices.
    """
    found = []
    for graph, d in cases:
        whole = np.linalg.qr(lp.AdjacencySpectralEmbedding(d).fit(graph).embedding_)[0]
        for share in SHARES:
            for rule in ("degree", "uniform"):
                model = lp.LandmarkEmbedding(lp.AdjacencySpectralEmbedding(d), share, rule=rule, passes=passes)
                try:
                    model.fit(graph)
                except (lp.errors.ArgumentError, lp.errors.GraphError):
                    continue  # fewer landmarks than dimensions, or none of them joined
                rows = model.landmarks_
                if len(rows) < 50:
                    continue  # of these the warning says nothing
                part = graph.matrix[rows]
                own = np.diff(part[:, rows].indptr).astype(float)
                ends, columns = np.diff(part.indptr), np.bincount(part.indices)
                walks = np.prod([(n * (n - 1)).sum() / part.nnz for n in (ends, columns)])
                cosines = np.linalg.svd(whole.T @ np.linalg.qr(model.embedding_)[0], compute_uv=False)
                found.append((walks if passes else (own**2).sum() / own.sum(), (cosines**2).mean()))
    return np.array(found)


def main():
    """Fit all, and write the page."""
    warnings.simplefilter("ignore")
    rows = []
    for passes, title in enumerate(("edges at an end", "landmarks by two edges")):
        kinds = {
            "block models": models(),
            "Cora, lastfm, polblogs, dblp-2010": networks(seen=True),
            "other real networks": networks(seen=False),
        }
        for kind, cases in kinds.items():
            found = fits(cases, passes)
            for low, high in pairwise(LIMITS[passes]):
                values = found[(found[:, 0] >= low) & (found[:, 0] < high), 1]
                if not len(values):
                    continue
                limits = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or more"
                rows.append(
                    {
                        "passes": str(passes),
                        "networks": kind,
                        "number": f"{title}: {limits}",
                        "fits": len(values),
                        "squared cosine, median": f"{np.median(values):.2f}",
                        "least": f"{values.min():.2f}",
                        "most": f"{values.max():.2f}",
                    }
                )
                print(rows[-1], flush=True)
    page(
        __file__,
        "Edges of landmarks",
        rows,
        """Without a pass, `LandmarkEmbedding` decomposes the part of the matrix that landmarks have among
themselves. Where they have few edges there, its leading eigenvectors are noise. The number is the mean number of
edges among landmarks at an end of an edge, which is the sum of the squared degrees divided by that of the
degrees: in random graphs one more than the mean degree, and larger with heavy tails. A pass starts from the
landmarks' rows, and the number is that of other landmarks to which two edges lead: other edges at the landmark
of an edge, times other landmarks at its other end. The number of landmarks does not tell: with a mean degree of
20, 1500 of 30,000 vertices have one edge each among themselves, and two edges lead to about 20 of them; with 100
five, and 500.

The squared cosine is the mean over the angles between the subspaces found with landmarks and with all vertices: 1
if they are the same. Shares of 2, 5, 10 and 20 % of the vertices, by degree and with equal probabilities, at least
50 landmarks. The thresholds of the warning, 4 and 36, were chosen with the block models and the four networks; the
others were looked at afterwards.""",
    )


if __name__ == "__main__":
    main()
