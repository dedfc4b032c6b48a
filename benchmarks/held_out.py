"""Classification of whole networks beside node2vec, label propagation and a graph convolutional network.

``python benchmarks/held_out.py`` writes ``docs/results/held_out.md``; it needs LPGRAPH_DATA. ``--only NAME``
measures some networks and writes nothing. Results are kept in ~/.cache/lpgraph-bench/results, by the data and the
sources that made them.
"""

import inspect
import sys
import time
import warnings
from hashlib import sha256
from pathlib import Path

import _peer_worker
import numpy as np
from _labelled_networks import REAL, UNUSED, flights36
from _peer import CACHE, peer_result, python_with, versions
from _timing import page, table
from _vertex_rules import C, laplacian_of, propagated
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize, scale
from threadpoolctl import threadpool_limits

import lpgraph as lp

#: Networks with fewer vertices have five splits, the others three.
MANY = 5000
#: Networks with fewer vertices have too few labels in a share of 8 %.
FEW = 200
LABELS = ("80 %", "8 %", "5 a class")
DEFAULT, NODE2VEC, PROPAGATION, GCN = "`VertexClassifier()`", "node2vec", "label propagation", "GCN"
RULES = (DEFAULT, NODE2VEC, PROPAGATION, GCN)
LIMIT = 3600
#: The sources of lpgraph: its results are measured again after a change.
OWN = [path.read_text("utf-8") for path in sorted(Path(lp.__file__).parent.rglob("*.py"))]


def labelled(classes, labels, seed):
    """Return the classes of some vertices, and -1 for the others."""
    rng = np.random.default_rng(seed)
    known = np.flatnonzero(classes >= 0)
    if labels.endswith("%"):
        shown = rng.permutation(known)[: round(len(known) * float(labels[:-1]) / 100)]
    else:
        members = [rng.permutation(np.flatnonzero(classes == code)) for code in np.unique(classes[known])]
        shown = np.concatenate([rows[: min(5, -(-len(rows) // 2))] for rows in members])
    code = np.full(len(classes), -1)
    code[shown] = classes[shown]
    return code


def kept(method, parts, run):
    """Return an array and seconds, from the cache or by `run`; `parts` are all on which the result depends."""
    digest = sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else np.ascontiguousarray(part).tobytes())
    path = CACHE / "results" / f"{method}-{digest.hexdigest()[:24]}.npz"
    if not path.exists():
        found, seconds = run()
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, found=found, seconds=seconds)
    with np.load(path) as stored:
        return stored["found"], float(stored["seconds"])


def timed(run):
    """Return a function that returns the result of `run` and its processor seconds."""

    def measured():
        began = time.process_time()
        return run(), time.process_time() - began

    return measured


def features(graph):
    """Return unit rows of the Laplacian embedding, times the root of their length; if directed, both sides."""
    embedding = laplacian_of(graph)
    sides = [embedding.embedding_] + ([embedding.embedding_in_] if graph.directed else [])
    return np.hstack([normalize(side) * np.sqrt(side.shape[1]) for side in sides])


def predictions(network, codes, pythons):
    """Return the predicted classes of all vertices, one row for each of `codes`, and seconds for each, by rule."""
    graph, arcs = network.undirected().graph, network.graph.matrix
    matrix = graph.matrix
    edges = (matrix.indptr, matrix.indices, matrix.data)
    directed = (arcs.indptr, arcs.indices, arcs.data)

    walks = inspect.getsource(_peer_worker.node2vec)

    def peer(method, **arrays):
        return peer_result(pythons[method], method, matrix, LIMIT, **arrays)

    def positions():
        return kept("node2vec", [walks, *edges], lambda: peer("node2vec"))

    def by_default():
        return np.array([lp.VertexClassifier().fit(network.graph, code).transduction_ for code in codes])

    def by_positions():
        rows, rule = scale(positions()[0].astype(float)), LogisticRegression(C=C, max_iter=1000)
        return np.array([rule.fit(rows[code >= 0], code[code >= 0]).predict(rows) for code in codes])

    def by_propagation():
        return np.array([propagated(matrix, code) for code in codes])

    found = {
        DEFAULT: kept("classifier", [*OWN, *directed, codes], timed(by_default)),
        NODE2VEC: kept("logistic", [str(C), walks, *edges, codes], timed(by_positions)),
        PROPAGATION: kept("propagation", [inspect.getsource(propagated), *edges, codes], timed(by_propagation)),
        GCN: kept(
            "gcn",
            [inspect.getsource(_peer_worker.gcn), *directed, codes],
            lambda: peer("gcn", features=features(network.graph), codes=codes),
        ),
    }
    seconds = {rule: spent / len(codes) for rule, (_, spent) in found.items()}
    seconds[NODE2VEC] += positions()[1]
    return {rule: rows for rule, (rows, _) in found.items()}, seconds


def standard_error(values):
    """Return the standard error of the mean."""
    return np.std(values, ddof=1) / np.sqrt(len(values))


def compare(name, network, labels, pythons):
    """Return a row of the table of accuracies, and one of seconds."""
    classes = network.classes
    codes = np.array([labelled(classes, labels, seed) for seed in range(5 if len(classes) < MANY else 3)])
    found, seconds = predictions(network, codes, pythons)
    hidden = (codes < 0) & (classes >= 0)
    accuracies = {
        rule: np.array([np.mean((row == classes)[rest]) for row, rest in zip(found[rule], hidden, strict=True)])
        for rule in RULES
    }
    best = max(RULES[1:], key=lambda rule: accuracies[rule].mean())
    differences = accuracies[DEFAULT] - accuracies[best]
    behind = -differences.mean()
    label = {"network": name, "vertices": len(classes), "classes": network.n_classes}
    shown = {rule: f"{values.mean():.3f} ± {standard_error(values):.3f}" for rule, values in accuracies.items()}
    verdict = {
        "best other": best,
        "difference": f"{-behind:+.3f} ± {standard_error(differences):.3f}",
        "": "ahead" if behind < 0 else "**below**" if behind > max(0.01, standard_error(differences)) else "",
    }
    return label | shown | verdict, label | {rule: f"{seconds[rule]:.2g}" for rule in RULES}


def summary(labels, kind, rows):
    """Return a row of the first table."""
    mean = {rule: f"{np.mean([float(row[rule].split()[0]) for row in rows]):.3f}" for rule in RULES}
    counts = {
        "ahead of the best other": f"{sum(row[''] == 'ahead' for row in rows)} of {len(rows)}",
        "below": sum(row[""] == "**below**" for row in rows),
    }
    return {"labels": labels, "networks": kind} | counts | mean


def main():
    """Measure, and write the page."""
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    # scikit-learn takes a few labels of many classes for a regression.
    warnings.filterwarnings("ignore", "The number of unique classes")
    pythons = {"node2vec": python_with("pecanpy", CACHE), "gcn": python_with("optax", CACHE)}
    only = sys.argv[2:] if sys.argv[1:2] == ["--only"] else None
    rows, seconds = {(labels, kind): [] for labels in LABELS for kind in ("used for no choice", "others")}, []
    for name, load in {**REAL, "flights of a month": flights36, **UNUSED}.items():
        if only is not None and name not in only:
            continue
        network = load()
        for labels in LABELS:
            if labels == "8 %" and len(network.classes) < FEW:
                continue
            row, spent = compare(name, network, labels, pythons)
            rows[labels, "used for no choice" if name in UNUSED else "others"].append(row)
            print(labels, row, spent, flush=True)
            if labels == "80 %":
                seconds.append(spent)
    if only is not None:
        return
    parts = []
    for labels in LABELS:
        parts += ["", f"## Labels: {labels}", "", "Networks that were used for no choice:", ""]
        parts += [
            *table(rows[labels, "used for no choice"]),
            "",
            "Other networks, of which most were used for choices of defaults:",
            "",
        ]
        parts += table(rows[labels, "others"])
    parts += ["", "## Seconds", "", SECONDS, "", *table(seconds)]
    first = [summary(labels, kind, found) for (labels, kind), found in rows.items()]
    made = f"{versions(pythons['node2vec'], 'pecanpy', 'gensim')}; {versions(pythons['gcn'], 'jax', 'optax')}"
    page(__file__, "Classification of whole networks", first, NOTES.format(made=made) + "\n".join(parts))


NOTES = """\
Every rule sees the whole network and the labels of some vertices, and classifies all others. The accuracy is the
share of these that are right: its mean and standard error over random splits (seeds 0 to 4; of networks with at
least 5000 vertices seeds 0 to 2). 80 % and 8 % are shares of the labelled vertices, drawn at random; 8 % are drawn
in networks with at least 200 vertices. "5 a class" draws five vertices of each class, or half of a class with
fewer than ten. No rule has an argument that depends on the network.

- `VertexClassifier()`: the default, with no argument; `transduction_`.
- node2vec: ten walks of 80 steps from each vertex, window 10, 128 dimensions, logistic regression on standardised
  coordinates with inverse penalty 0.1.
- label propagation: the harmonic function of the random walk; where it is 0, the most frequent class.
- GCN: a graph convolutional network (Kipf & Welling 2017) of two layers with 64 hidden units, dropout 0.5, Adam
  with rate 0.01 and weight decay 5e-4, 200 epochs with all labels. Its features are unit rows of the regularised
  Laplacian embedding in 64 dimensions, of directed networks on both sides, times the root of 64. On most of four
  networks that were used for choices, results were worse without this factor, and with fewer epochs, chosen by the
  loss on a fifth of the labels.

All except `VertexClassifier()` use directed networks without directions; weights of both directions add up.
Versions: {made}.

"difference" is `VertexClassifier()` minus the best of the other three, which is chosen with the same splits, with
the standard error of the paired differences. "below" means that `VertexClassifier()` is more than 0.01, and more
than one standard error, below the best other.
"""

SECONDS = """\
Processor seconds for one split with 80 % of the labels; other programs used the cores at the same time. node2vec
with its compilation, and the GCN with its own, divided by the number of splits."""

if __name__ == "__main__":
    with threadpool_limits(1):
        main()
