"""Which vertices to embed: landmarks by three rules on abalone, dblp-2010 and other networks.

Tang, Park & Priebe (2013, Section 5) ask how to choose the vertices that are embedded, and name leverage scores.
The folder ``LPGRAPH_DATA`` needs ``abalone/abalone.csv``, ``lastfm/edges.csv``, ``lastfm/labels.csv``, and the
files that `benchmarks/_folder_data.py` reads.
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
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize

import lpgraph as lp

sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))

RULES = ("uniform", "degree", "leverage")
PASSES = ("no pass", "one pass")
#: Partitions of abalone, and draws of landmarks of other networks.
REPEATS, DRAWS = 10, 5
SIZES = tuple(PAPER)
#: Error, in the paper, of all vertices.
INSIDE = "all (in-sample)"


def ase(d, **options):
    return lp.AdjacencySpectralEmbedding(d, **options)


def abalone(sizes, seeds):
    """Return errors by size, rule and passes, in the order of the partitions, and those of all vertices."""
    x, y = load()
    kernel = lp.kernels.Gaussian(sigma=0.5**0.5)  # exp(-2 |x - y|^2)
    found = {}
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(x))
        train, test = order[:N_TRAIN], order[N_TRAIN:]
        A = lp.LatentPositionModel(kernel, x).sample(random_state=seed).adjacency
        z = ase(D).fit(A).embedding_
        found.setdefault((INSIDE, "", ""), []).append(svm_error(z[train], y[train], z[test], y[test]))
        inside = A[train][:, train]
        for m in sizes:
            for rule in RULES:
                # As in the paper, landmarks are training vertices.
                drawn = lp.LandmarkEmbedding(ase(D, random_state=seed), m, rule=rule, passes=0)
                chosen = drawn.fit(inside).landmarks_
                rest = np.delete(train, chosen)
                for passes in (0, 1):
                    model = lp.LandmarkEmbedding(ase(D), train[chosen], passes=passes).fit(A)
                    z = model.embedding_
                    found.setdefault((m, rule, passes), []).append(svm_error(z[rest], y[rest], z[test], y[test]))
    return found


def abalone_rows(found):
    """Return the table of errors: means, and standard errors of the partitions."""
    rows = []
    for m in [key[0] for key in found if key[1:] in (("", ""), (RULES[0], 0))]:
        row = {"m": m}
        if m == INSIDE:
            row |= {f"{rule}, {PASSES[passes]}": shown(found[m, "", ""]) for passes in (0, 1) for rule in RULES}
        else:
            row |= {f"{rule}, {PASSES[p]}": shown(found[m, rule, p]) for p in (0, 1) for rule in RULES}
        rows.append(row | {"paper": 0.358 if m == INSIDE else PAPER.get(m, "")})
    return rows


def paired(found, first, second):
    """Return the mean difference of two rules' errors over all sizes, and the standard error of the partitions."""
    gaps = [np.array(found[m, *first]) - np.array(found[m, *second]) for m in SIZES]
    return shown(np.mean(gaps, axis=0))


def shown(values):
    """Return the mean of the partitions and its standard error."""
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def timed(model, graph):
    """Return the fitted model, and the processor's seconds: the smaller of two fits."""
    seconds = []
    for _ in range(2):
        begin = time.process_time()
        model.fit(graph)
        seconds.append(time.process_time() - begin)
    return model, min(seconds)


def full_error(model, graph):
    """Return the relative error of the best matrix of this rank."""
    entries = (graph.matrix.data**2).sum()
    return float(np.sqrt(max(1 - (model.singular_values_**2).sum() / entries, 0.0)))


def dense():
    """Return a block model with 20,000 vertices and five million edges."""
    return lp.stochastic_block_model([5000] * 4, 0.02 * np.eye(4) + 0.02, random_state=0)


def timed_rows(graph, d, sizes, passes=(0, 1)):
    """Return the table of times and errors of a large network, beside those of all vertices."""
    graph = lp.as_adjacency(graph)
    full, seconds = timed(ase(d), graph)
    isolated = int((graph.degrees == 0).sum())
    line = {"m": "all", "rule": "", "passes": "", "error": f"{full_error(full, graph):.4f}"}
    rows = [line | {"seconds": round(seconds, 1), "at the origin": placed(full, isolated)}]
    for m in sizes:
        for rule in RULES:
            for count in passes:
                by_landmarks = lp.LandmarkEmbedding(ase(d), m, rule=rule, passes=count)
                model, seconds = timed(by_landmarks, graph)
                line = {"m": m, "rule": rule, "passes": count, "error": f"{model.nystrom_error_:.4f}"}
                rows.append(line | {"seconds": round(seconds, 1), "at the origin": placed(model, isolated)})
    return rows


def placed(model, isolated):
    """Return the share of vertices with edges that are at the origin, to rounding."""
    z = np.abs(model.embedding_).max(axis=1)
    missing = (z < 1e-12 * z.max()).sum() - isolated
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
    """Yield names, graphs and classes. The default was chosen on simulations and the first of these."""
    import _folder_data

    yield "lastfm", *lastfm()
    for name in ("cora", "email_eu", "polblogs"):
        data = _folder_data.load(name)
        yield name, data.graph, np.unique([str(label) for label in data.labels], return_inverse=True)[1]


def accuracy(z, y):
    """Return the accuracy of the nine nearest neighbors by direction, cross-validated."""
    return cross_val_score(KNeighborsClassifier(9), normalize(z), y, cv=5).mean()


def network_rows(d=16, share=0.1):
    """Return errors and accuracies of networks with labels: a tenth of the vertices are landmarks."""
    rows = []
    for name, graph, y in networks():
        full = ase(d, concat=True)
        z = full.fit_transform(graph)
        lines = {"all": ([full_error(full, graph)], [accuracy(z, y)])}
        for count in (0, 1):
            for rule in RULES:
                errors, found = lines.setdefault(f"{rule}, {PASSES[count]}", ([], []))
                for seed in range(DRAWS):
                    method = ase(d, concat=True, random_state=seed)
                    model = lp.LandmarkEmbedding(method, share, rule=rule, passes=count)
                    found.append(accuracy(model.fit_transform(graph), y))
                    errors.append(model.nystrom_error_)
        for line, (errors, found) in lines.items():
            cells = {"error": f"{np.mean(errors):.3f}", "accuracy": f"{np.mean(found):.3f}"}
            spread = f" ± {np.std(found, ddof=1) / np.sqrt(len(found)):.3f}" if len(found) > 1 else ""
            rows.append({"network": name, "landmarks": line, **cells})
            rows[-1]["accuracy"] += spread
    return rows


def picture(found, dblp):
    """Return the figure: errors of abalone by the number of landmarks, and of dblp-2010 by the time."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    sizes = sorted({key[0] for key in found if key[0] != INSIDE})
    for k, rule in enumerate(RULES):
        for passes, style in ((0, "-"), (1, "--")):
            means = [np.mean(found[m, rule, passes]) for m in sizes]
            left.plot(
                sizes, means, style, marker="o", markersize=3, color=f"C{k}", label=f"{rule}, {PASSES[passes]}"
            )
        chosen = [row for row in dblp if row["rule"] == rule]
        for m, marker in ((chosen[0]["m"], "o"), (chosen[-1]["m"], "s")):
            some = [row for row in chosen if row["m"] == m]
            seconds, errors = [row["seconds"] for row in some], [float(row["error"]) for row in some]
            right.plot(seconds, errors, marker=marker, color=f"C{k}", label=f"{rule}, {m} landmarks")
    left.axhline(np.mean(found[INSIDE, "", ""]), color="gray", linewidth=0.8, label="all vertices")
    left.plot(list(PAPER), list(PAPER.values()), ":", color="gray", label="paper, uniform")
    left.set(xlabel="landmarks", ylabel="classification error", title="abalone")
    right.axhline(float(dblp[0]["error"]), color="gray", linewidth=0.8, label="all vertices")
    right.axvline(dblp[0]["seconds"], color="gray", linewidth=0.8)
    right.set(xlabel="seconds", ylabel="Nystrom error", title="dblp-2010: without and with a pass", xscale="log")
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
    differences = {
        "degree": paired(found, ("degree", 0), ("uniform", 0)),
        "leverage": paired(found, ("leverage", 0), ("uniform", 0)),
        "pass": paired(found, ("uniform", 0), ("uniform", 1)),
    }
    notes = f"""Classification error of abalone by Table 1's procedure, with the kernel and the support vector
machine of `abalone.py`: {REPEATS} partitions and graphs (seeds from 0), means and their standard errors. Landmarks
are training vertices, drawn by each rule. Without a pass, vertices are placed by their edges to landmarks alone,
as in the paper; a pass places them again by all of their edges. The support vector machine learns from the
training vertices that are no landmarks, so that it has few of them in the last rows.

Section 5 of the paper asks which vertices to embed. On these data, it depends on the network: for the graph of
abalones, vertices that are drawn with equal probabilities, and for dblp-2010 and the other sparse networks, those
of high degree or leverage. On abalones, the error of degrees is larger than that of equal probabilities by
{differences["degree"]} (mean of all sizes, without a pass), and that of leverage scores by
{differences["leverage"]}; a pass reduces the error of equal probabilities by {differences["pass"]}. On dblp-2010,
2000 vertices by leverage have the error of all vertices to four digits, since the leading eigenvectors are
concentrated on few vertices. The scores need four products with the adjacency matrix, so that little time is
saved. Landmarks save most of the time in the dense network below.

The network dblp-2010, 326,186 vertices and 807,700 edges, in 20 dimensions: the relative error of the
approximation of the adjacency matrix in the Frobenius norm, seconds of the processor on one core (the smaller of
two fits), and the share of the vertices with edges that are at the origin. For all vertices the error is the
least of this rank.

{lines(table(dblp))}

A block model with 20,000 vertices, four groups and five million edges, in 10 dimensions:

{lines(table(blocks))}

Networks with labels, 16 dimensions, a tenth of the vertices as landmarks: error of the approximation, and accuracy
of nine nearest neighbors by 5-fold cross-validation; means of {DRAWS} draws and the standard error. The default
rule and number of passes were chosen by simulated networks and lastfm; the others were not used for it.

{lines(table(others))}
"""
    report("landmark_vertices", "Which vertices to embed", rows, notes, picture(found, dblp))
    return rows, dblp, blocks, others


if __name__ == "__main__":
    main()
