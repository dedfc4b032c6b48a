"""Which vertices to embed: parts of abalone, dblp-2010 and other networks by three rules.

Tang, Park & Priebe (2013, Section 5) ask how to choose the vertices that are embedded, and name leverage scores.
The other vertices are placed by their edges to this part. The folder ``LPGRAPH_DATA`` needs
``abalone/abalone.csv``, ``lastfm/edges.csv``, ``lastfm/labels.csv``, and the files that
`benchmarks/_folder_data.py` reads.
"""

import os
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
from _report import report, table
from abalone import N_TRAIN, PAPER, D, load, svm_error
from scipy import linalg, sparse
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize

import lpgraph as lp

sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))

RULES = ("uniform", "degree", "leverage")
#: Partitions of abalone, and draws from other networks.
REPEATS, DRAWS = 10, 5
SIZES = tuple(PAPER)
#: Error, in the paper, of all vertices.
INSIDE = "all (in-sample)"


def leverage_scores(graph, k, rng):
    """Return approximate leverage scores: squared lengths of the rows of the k leading eigenvectors.

    The eigenvectors are those of Rayleigh-Ritz in the span of M^3 G for k + 8 columns G of normal random numbers
    (Halko, Martinsson & Tropp 2011, Algorithms 4.4 and 5.3), which takes four products. Of directed networks the
    scores as sources and as targets are added.
    """
    A, sides = graph.matrix, 1 + graph.directed
    M = sparse.block_array([[None, A], [A.T, None]], format="csr") if graph.directed else A
    block = linalg.block_diag(*rng.standard_normal((sides, A.shape[0], k + 8)))
    for _ in range(3):
        block = M @ orthonormal(block)
    basis = orthonormal(block)
    values, vectors = np.linalg.eigh(basis.T @ (M @ basis))
    leading = basis @ vectors[:, np.argsort(-np.abs(values))[: sides * k]]
    return (leading**2).sum(axis=1).reshape(sides, -1).sum(axis=0)


def orthonormal(block):
    """Return an orthonormal basis of the span of the columns, in less time than a QR decomposition takes."""
    values, vectors = np.linalg.eigh(block.T @ block)
    kept = values > 1e-10 * values[-1]
    return block @ (vectors[:, kept] / np.sqrt(values[kept]))


def drawn(graph, m, rule, d, seed=0):
    """Return the rows of m vertices with edges, drawn with equal probabilities, by degree or by leverage."""
    rng, rates = np.random.default_rng(seed), graph.degrees + graph.in_degrees
    if rule == "uniform":
        rates = (rates > 0).astype(float)
    elif rule == "leverage":
        rates = (rates > 0) * leverage_scores(graph, d, rng)
    # The least of independent exponential times with these rates: draws without replacement.
    with np.errstate(divide="ignore"):
        times = rng.exponential(size=len(rates)) / rates
    return np.sort(np.argsort(times, kind="stable")[:m])


def ase(graph, d):
    """Return the unfitted embedding; of directed networks, positions as sources and targets are side by side."""
    return lp.AdjacencySpectralEmbedding(d, concat=graph.directed)


def by_part(graph, part, d):
    """Return the embedding of a part, and the positions of all vertices by their edges to it."""
    model, A = ase(graph, d).fit(graph.take(part)), graph.matrix
    return model, model.transform((A[:, part], A[part].T) if graph.directed else A[:, part])


def by_drawn_part(graph, m, rule, d):
    return by_part(graph, drawn(graph, m, rule, d), d)


def error(graph, model, z):
    """Return the relative error of the approximation of the adjacency matrix, in the Frobenius norm."""
    left, right = np.split(z, 2, axis=1) if graph.directed else (z * model.signature_, z)
    squares = (graph.matrix.data**2).sum()
    cross = ((graph.matrix @ right) * left).sum()
    fitted = ((left.T @ left) * (right.T @ right)).sum()
    return float(np.sqrt(max(squares - 2 * cross + fitted, 0.0) / squares))


def abalone(sizes, seeds):
    """Return errors by size and rule, in the order of the partitions, and those of all vertices."""
    x, y = load()
    kernel = lp.kernels.Gaussian(sigma=0.5**0.5)  # exp(-2 |x - y|^2)
    found = {}
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(x))
        train, test = order[:N_TRAIN], order[N_TRAIN:]
        graph = lp.as_adjacency(lp.LatentPositionModel(kernel, x).sample(random_state=seed))
        z = ase(graph, D).fit(graph).embedding_
        found.setdefault((INSIDE, ""), []).append(svm_error(z[train], y[train], z[test], y[test]))
        inside = graph.take(train)
        for m in sizes:
            for rule in RULES:
                # As in the paper, training vertices are embedded.
                chosen = drawn(inside, m, rule, D, seed)
                rest = np.delete(train, chosen)
                z = by_part(graph, np.sort(train[chosen]), D)[1]
                found.setdefault((m, rule), []).append(svm_error(z[rest], y[rest], z[test], y[test]))
    return found


def abalone_rows(found):
    """Return the table of errors: means, and standard errors of the partitions."""
    rows = []
    for m in (INSIDE, *sorted({m for m, _ in found if m != INSIDE})):
        cells = {rule: shown(found[(m, "") if m == INSIDE else (m, rule)]) for rule in RULES}
        rows.append({"m": m, **cells, "paper": 0.358 if m == INSIDE else PAPER.get(m, "")})
    return rows


def paired(found, first, second):
    """Return the mean difference of two rules' errors over all sizes, and the standard error of the partitions."""
    gaps = [np.array(found[m, first]) - np.array(found[m, second]) for m in SIZES]
    return shown(np.mean(gaps, axis=0))


def shown(values):
    """Return the mean of the partitions and its standard error."""
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def timed(function, *arguments):
    """Return what a function returns, and the processor's seconds: the smaller of two calls."""
    seconds = []
    for _ in range(2):
        begin = time.process_time()
        result = function(*arguments)
        seconds.append(time.process_time() - begin)
    return result, min(seconds)


def dense():
    """Return a block model with 20,000 vertices and five million edges."""
    return lp.stochastic_block_model([5000] * 4, 0.02 * np.eye(4) + 0.02, random_state=0)


def timed_rows(graph, d, sizes):
    """Return the table of times and errors of a large network, beside those of all vertices."""
    graph = lp.as_adjacency(graph)

    def row(m, rule, model, z, seconds):
        line = {"m": m, "rule": rule, "error": f"{error(graph, model, z):.4f}", "seconds": round(seconds, 1)}
        return line | {"at the origin": at_origin(graph, z)}

    full, seconds = timed(ase(graph, d).fit, graph)
    rows = [row("all", "", full, full.embedding_, seconds)]
    for m in sizes:
        for rule in RULES:
            (model, z), seconds = timed(by_drawn_part, graph, m, rule, d)
            rows.append(row(m, rule, model, z, seconds))
    return rows


def at_origin(graph, z):
    """Return the share of vertices with edges that are at the origin, to rounding."""
    lengths, isolated = np.abs(z).max(axis=1), int((graph.degrees == 0).sum())
    missing = (lengths < 1e-12 * lengths.max()).sum() - isolated
    return f"{max(missing, 0) / (len(z) - isolated):.0%}"


@cache
def lastfm():
    """Return the network of users of a music service, and their countries."""
    folder = Path(os.environ["LPGRAPH_DATA"]) / "lastfm"
    u, v = np.loadtxt(folder / "edges.csv", delimiter=",", skiprows=1, dtype=int).T
    names, labels = np.loadtxt(folder / "labels.csv", delimiter=",", skiprows=1, dtype=int).T
    graph = lp.from_edges(u, v)
    known = dict(zip(names.tolist(), labels.tolist(), strict=True))
    return graph, np.array([known[name] for name in graph.names])


def networks():
    """Yield names, graphs and classes."""
    import _folder_data

    yield "lastfm", *lastfm()
    for name in ("cora", "email_eu", "polblogs"):
        data = _folder_data.load(name)
        yield name, data.graph, np.unique([str(label) for label in data.labels], return_inverse=True)[1]


def accuracy(z, y):
    """Return the accuracy of the nine nearest neighbors by direction, cross-validated."""
    return cross_val_score(KNeighborsClassifier(9), normalize(z), y, cv=5).mean()


def network_rows(d=16, share=0.1):
    """Return errors and accuracies of networks with labels: a tenth of the vertices is embedded."""
    rows = []
    for name, graph, y in networks():
        full = ase(graph, d)
        z = full.fit_transform(graph)
        lines = {"all": ([error(graph, full, z)], [accuracy(z, y)])}
        for rule in RULES:
            errors, found = lines.setdefault(rule, ([], []))
            for seed in range(DRAWS):
                part = drawn(graph, round(share * graph.n_vertices), rule, d, seed)
                model, z = by_part(graph, part, d)
                found.append(accuracy(z, y))
                errors.append(error(graph, model, z))
        for line, (errors, found) in lines.items():
            cells = {"error": f"{np.mean(errors):.3f}", "accuracy": f"{np.mean(found):.3f}"}
            spread = f" ± {np.std(found, ddof=1) / np.sqrt(len(found)):.3f}" if len(found) > 1 else ""
            rows.append({"network": name, "part": line, **cells})
            rows[-1]["accuracy"] += spread
    return rows


def picture(found, dblp):
    """Return the figure: errors of abalone by the size of the part, and of dblp-2010 by the time."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    sizes = sorted({m for m, _ in found if m != INSIDE})
    for k, rule in enumerate(RULES):
        means = [np.mean(found[m, rule]) for m in sizes]
        left.plot(sizes, means, marker="o", markersize=3, color=f"C{k}", label=rule)
        some = [row for row in dblp if row["rule"] == rule]
        seconds, errors = [row["seconds"] for row in some], [float(row["error"]) for row in some]
        right.plot(seconds, errors, color=f"C{k}")
        for row, x, y, marker in zip(some, seconds, errors, "os", strict=True):
            right.plot(x, y, marker, color=f"C{k}", label=f"{rule}, {row['m']} vertices")
    left.axhline(np.mean(found[INSIDE, ""]), color="gray", linewidth=0.8, label="all vertices")
    left.plot(list(PAPER), list(PAPER.values()), ":", color="gray", label="paper, uniform")
    left.set(xlabel="embedded vertices", ylabel="classification error", title="abalone")
    right.axhline(float(dblp[0]["error"]), color="gray", linewidth=0.8, label="all vertices")
    right.axvline(dblp[0]["seconds"], color="gray", linewidth=0.8)
    right.set(xlabel="seconds", ylabel="error of the approximation", title="dblp-2010")
    for axes in (left, right):
        axes.legend(fontsize=7)
    return figure


def main():
    import _folder_data

    # Vertices at the origin are counted in the tables, and some classes have fewer than five vertices.
    warnings.simplefilter("ignore", UserWarning)
    dblp = timed_rows(_folder_data.dblp().graph, 20, (2000, 20_000))
    blocks = timed_rows(dense(), 10, (500, 2000))
    others = network_rows()
    found = abalone(SIZES, range(REPEATS))
    rows = abalone_rows(found)
    lines = "\n".join
    differences = {rule: paired(found, rule, "uniform") for rule in ("degree", "leverage")}
    notes = f"""Classification error of abalone by Table 1's procedure, with the kernel and the support vector
machine of `abalone.py`: {REPEATS} partitions and graphs (seeds from 0), means and their standard errors. A part of
m training vertices, drawn by each rule, is embedded, and all vertices are placed by their edges to it, as in the
paper: a fit to the part, and `transform`. The support vector machine learns from the training vertices outside of
the part, so that it has few of them in the last rows.

Section 5 of the paper asks which vertices to embed. On these data, it depends on the network: for the graph of
abalones, vertices that are drawn with equal probabilities, and for dblp-2010 and the other sparse networks, those
of high degree or leverage. On abalones, the error of degrees is larger than that of equal probabilities by
{differences["degree"]} (mean of all sizes), and that of leverage scores by
{differences["leverage"]}. On dblp-2010, 2000 vertices by leverage have the error of all vertices to four digits,
since the leading eigenvectors are concentrated on few vertices. The scores need four products with the adjacency
matrix, so that less time is saved. A part saves most of the time in the dense network below. In the networks with
labels, positions by a part are less accurate than those of all vertices.

The network dblp-2010, 326,186 vertices and 807,700 edges, in 20 dimensions: the relative error of the
approximation of the adjacency matrix in the Frobenius norm, seconds of the processor on one core (the smaller of
two fits, with the draw), and the share of the vertices with edges that are at the origin. For all vertices the
error is the least of this rank.

{lines(table(dblp))}

A block model with 20,000 vertices, four groups and five million edges, in 10 dimensions:

{lines(table(blocks))}

Networks with labels, 16 dimensions, a tenth of the vertices as the part: error of the approximation, and accuracy
of nine nearest neighbors by 5-fold cross-validation; means of {DRAWS} draws and the standard error.

{lines(table(others))}
"""
    report("landmark_vertices", "Which vertices to embed", rows, notes, picture(found, dblp))
    return rows, dblp, blocks, others


if __name__ == "__main__":
    main()
