"""Order of latent positions on a curve, recovered from a network, also for new vertices.

Positions lie on a curve in one or more dimensions, and the probability of an edge is a kernel of them. Each graph
has 5000 vertices, with 500 new ones. A pipeline embeds the network, and its positions again in one dimension; the
rank correlation of this coordinate with the position along the curve is reported.

Beside it are the order by the second eigenvector of the random walk (spectral seriation), and the rank correlation
that an estimator with the variance of the Cramer-Rao bound would have if all other positions were known.

The number of neighbors and the division by lengths are compared on other seeds than those of the table.
"""

import numpy as np
from _report import report, table
from scipy.stats import spearmanr
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import lpgraph as lp

N, NEW, DEGREES = 5000, 500, (300, 100)
CHOICE_SEEDS, SEEDS, LANDMARKS = (0,), (10, 11, 12), 500


def on_a_line(t):
    """Return the position itself."""
    return t[:, None]


def on_a_circle(t):
    """Return points on 85 % of a circle, whose ends nearly meet."""
    angle = 2 * np.pi * 0.85 * t
    return np.column_stack([np.cos(angle), np.sin(angle)])


def hardy_weinberg(t):
    """Return the curve of the genotypes of two alleles with the frequency t."""
    return np.column_stack([t**2, np.sqrt(2) * t * (1 - t), (1 - t) ** 2])


def uniform(size, rng):
    """Return uniform positions."""
    return rng.uniform(size=size)


def increasing(size, rng):
    """Return positions that are three times as dense at one end as on average, and rare at the other."""
    return rng.beta(1, 3, size=size)


def unimodal(size, rng):
    """Return positions that are rare at both ends."""
    return rng.beta(2, 5, size=size)


#: Distribution along the curve, curve, kernel.
CURVES = {
    "interval, uniform": (uniform, on_a_line, lp.kernels.Gaussian(0.3)),
    "interval, uneven density": (increasing, on_a_line, lp.kernels.Gaussian(0.2)),
    "interval, rare ends, wide kernel": (unimodal, on_a_line, lp.kernels.Gaussian(0.3)),
    "85 % of a circle": (uniform, on_a_circle, lp.kernels.Gaussian(0.8)),
    "Hardy-Weinberg curve": (uniform, hardy_weinberg, lp.kernels.DotProduct()),
}


def pipeline(landmarks=LANDMARKS, **options):
    """Return an embedding of the network, division by lengths, and an embedding in one dimension."""
    isomap = lp.manifold.Isomap(1, landmarks=landmarks, components="bridge")
    return make_pipeline(lp.AdjacencySpectralEmbedding(**options), Normalizer(), isomap)


def sampled(curve, degree, seed):
    """Return the known graph, rows of new vertices, positions of both along the curve, and the sparsity."""
    density, place, kernel = CURVES[curve]
    rng = np.random.default_rng([seed, 1])
    t = density(N + NEW, rng)
    x = place(t)
    share = degree / (N * kernel(x[:1000], x[1000:2000]).mean())
    model = lp.LatentPositionModel(kernel, lp.positions.Fixed(x), sparsity=share)
    A = model.sample(N + NEW, random_state=seed).adjacency
    return A[:N][:, :N], A[N:][:, :N], t[:N], t[N:], share


def agreement(found, t):
    """Return the magnitude of the rank correlation."""
    return float(abs(spearmanr(found, t)[0]))


def limit(curve, t, share):
    """Return the agreement of an estimator with the variance of the Cramer-Rao bound, other positions known."""
    _, place, kernel = CURVES[curve]
    x, t, h = place(t), t[:1000], 1e-4
    slopes = share * (kernel(place(t + h), x) - kernel(place(t - h), x)) / (2 * h)
    p = share * kernel(place(t), x)
    information = (slopes**2 / (p * (1 - p)).clip(1e-12)).sum(axis=1)
    return agreement(t + np.random.default_rng(0).standard_normal(len(t)) / np.sqrt(information), t)


def comparison():
    """Return the agreement of new vertices by setting: the mean and the least over curves, degrees and seeds."""
    settings = [(k, unit) for unit in (True, False) for k in (5, 10, 20, 50)]
    found = {setting: [] for setting in settings}
    for curve in CURVES:
        for degree in DEGREES:
            for seed in CHOICE_SEEDS:
                A, rows, _, t, _ = sampled(curve, degree, seed)
                ase = lp.AdjacencySpectralEmbedding().fit(A)
                for k, unit in settings:
                    isomap = lp.manifold.Isomap(1, n_neighbors=k, landmarks=200, components="bridge")
                    both = [ase.embedding_, ase.transform(rows)]
                    if unit:
                        both = [y / np.linalg.norm(y, axis=1, keepdims=True) for y in both]
                    found[k, unit].append(agreement(isomap.fit(both[0]).transform(both[1])[:, 0], t))
    return [
        {"neighbors": k, "unit rows": "yes" if unit else "no", "mean": np.mean(values), "least": min(values)}
        for (k, unit), values in found.items()
    ]


def flights():
    """Return the agreement of the order of airports with their longitudes: fitted, and as new vertices."""
    import csv
    from importlib.resources import files

    text = files("lpgraph.datasets").joinpath("tables", "airports.csv").read_text(encoding="utf-8")
    longitude = {row["code"]: float(row["longitude"]) for row in csv.DictReader(text.splitlines())}
    graph = lp.datasets.flights().graph
    east = np.array([longitude[name] for name in graph.names])
    whole = agreement(pipeline(None, n_components=2, concat=True).fit_transform(graph)[:, 0], east)
    A = graph.matrix
    new = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(east))
        known, rest = np.sort(order[:244]), order[244:]
        part = lp.largest_component(lp.as_adjacency(A[known][:, known], directed=True))
        known = known[list(part.names)]
        # An airport without a route to a known one cannot be placed.
        rest = rest[(A[rest][:, known].sum(axis=1) > 0) & (A[known][:, rest].sum(axis=0) > 0)]
        rows = A[rest][:, known], A[known][:, rest].T.tocsr()
        placed = pipeline(None, n_components=2, concat=True).fit(part).transform(rows)
        new.append(agreement(placed[:, 0], east[rest]))
    return whole, new


def main():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = []
    figure, panels = plt.subplots(2, len(CURVES), figsize=(16, 6), layout="constrained")
    for curve, column in zip(CURVES, panels.T, strict=True):
        for degree, axes in zip(DEGREES, column, strict=True):
            values = []
            for seed in SEEDS:
                A, new, t, t_new, share = sampled(curve, degree, seed)
                model = pipeline().fit(A)
                fitted, placed = model.transform(A)[:, 0], model.transform(new)[:, 0]
                seriation = lp.RandomWalkEmbedding(1).fit(A).embedding_[:, 0]
                values.append(
                    [
                        agreement(fitted, t),
                        agreement(placed, t_new),
                        agreement(seriation, t),
                        limit(curve, t, share),
                        model[0].embedding_.shape[1],
                    ]
                )
            least, mean = np.min(values, axis=0), np.mean(values, axis=0)
            rows.append(
                {
                    "curve": curve,
                    "mean degree": degree,
                    "known vertices": f"{mean[0]:.4f}",
                    "new vertices": f"{mean[1]:.4f}",
                    "least": f"{min(least[:2]):.4f}",
                    "seriation": f"{mean[2]:.4f}",
                    "bound": f"{mean[3]:.4f}",
                    "dimensions": " ".join(str(int(row[4])) for row in values),
                }
            )
            print(rows[-1], flush=True)
            axes.scatter(t, fitted, s=2, linewidths=0, rasterized=True)
            axes.scatter(t_new, placed, s=6, marker="x", linewidths=0.6)
            axes.set(title=f"{curve}\nmean degree {degree}", xlabel="position", ylabel="coordinate")
    whole, held_out = flights()
    notes = [
        f"Magnitudes of rank correlations with the position along the curve, means over {len(SEEDS)} graphs of "
        f"{N} vertices with {NEW} new ones; *least* is over these graphs and both kinds of vertices. *Dimensions* "
        "are those that the adjacency spectral embedding chose. *Seriation* is the order by the second "
        "eigenvector of the random walk. *Bound* is the rank correlation of an estimator that has the variance of "
        "the Cramer-Rao bound and knows all other positions. On an interval seriation is as good; on the circle, "
        "whose ends nearly meet, it is not. In the picture new vertices are crosses.",
        f"Flights between {lp.datasets.flights().graph.n_vertices} airports, in two dimensions, sources and "
        "targets side by side: the rank "
        f"correlation of the coordinate with the longitude is {whole:.3f}. If a fifth of the airports is left out "
        f"and placed as new vertices, it is {np.mean(held_out):.3f} for these (mean of 20 splits, from "
        f"{min(held_out):.3f} to {max(held_out):.3f}).",
        "The default settings are compared on another seed, with 200 landmarks, by new vertices of all curves and "
        "degrees:",
        "\n".join(table(comparison())),
    ]
    report("manifold_of_networks", "Order along a curve of latent positions", rows, "\n\n".join(notes), figure)
    return rows, whole, held_out


if __name__ == "__main__":
    main()
