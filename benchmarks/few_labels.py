"""Classification with one to twenty labels for each class, beside simple rules.

``python benchmarks/few_labels.py`` writes ``docs/results/few_labels.md``; it needs LPGRAPH_DATA.
"""

import warnings

import numpy as np
from _labelled_networks import REAL, UNUSED, blocks, heavy_tailed_blocks, polblogs_largest
from _timing import page, table
from _vertex_rules import laplacian_of, propagated
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import normalize, scale
from threadpoolctl import threadpool_limits

import lpgraph as lp

COUNTS = (1, 2, 3, 5, 10, 20)
SEEDS = range(20)
DEFAULT = "`VertexClassifier()`"
RULES = ("unit rows", "nearest centroid", "label propagation", "clusters")
#: Used when the rules of the classifier were chosen, with seeds from 100 on.
CHOSEN = {
    "two blocks of 200": lambda: blocks([200] * 2, 0.1, 0.01, 5),
    "four blocks of 100": lambda: blocks([100] * 4, 0.17, 0.02, 5),
    "heavy-tailed blocks": lambda: heavy_tailed_blocks(1000, 10),
    "polblogs, largest component": polblogs_largest,
    **{name: REAL[name] for name in ("email-Eu-core", "Cora", "citeseer", "lastfm")},
}
KEPT = {name: UNUSED[name] for name in ("C. elegans", "Amherst, by year", "larval brain, left", "pages")}


def labelled(classes, count, seed):
    """Return the classes of some vertices of each class, at most all but one; -1 for the others."""
    rng = np.random.default_rng(seed)
    codes = np.full(len(classes), -1)
    for code in range(classes.max() + 1):
        members = rng.permutation(np.flatnonzero(classes == code))
        codes[members[: min(count, len(members) - 1)]] = code
    return codes


def prepared(network):
    """Return what the rules need of a network, which does not depend on labels."""
    embedding = laplacian_of(network.graph)
    sides = [embedding.embedding_] + ([embedding.embedding_in_] if network.graph.directed else [])
    rows = scale(np.hstack([normalize(side) for side in sides]))
    leading = np.hstack([normalize(side[:, : network.n_classes]) for side in sides])
    graph = network.undirected().graph
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        positions = (
            lp.AdjacencySpectralEmbedding(min(network.n_classes, graph.n_vertices // 2)).fit(graph).embedding_
        )
        clusters = KMeans(network.n_classes, n_init=3, random_state=0).fit_predict(leading)
    return {"rows": rows, "positions": positions, "clusters": clusters, "matrix": graph.matrix}


def predictions(given, codes):
    """Return the classes by the simple rules."""
    shown = codes >= 0
    counts = np.zeros((given["clusters"].max() + 1, codes.max() + 1))
    np.add.at(counts, (given["clusters"][shown], codes[shown]), 1)
    # A cluster without a label gets the most frequent one.
    counts += 1e-3 * np.bincount(codes[shown])
    regression = LogisticRegression(C=0.1, max_iter=1000).fit(given["rows"][shown], codes[shown])
    centroids = NearestCentroid().fit(given["positions"][shown], codes[shown])
    return {
        "unit rows": regression.predict(given["rows"]),
        "nearest centroid": centroids.predict(given["positions"]),
        "label propagation": propagated(given["matrix"], codes),
        "clusters": counts.argmax(axis=1)[given["clusters"]],
    }


def compare(name, network, count, given):
    """Return a row of the table."""
    classes = network.classes
    accuracies = {rule: [] for rule in (DEFAULT, *RULES)}
    certain = []
    for seed in SEEDS:
        codes = labelled(classes, count, seed)
        hidden = (codes < 0) & (classes >= 0)
        model = lp.VertexClassifier().fit(network.graph, codes)
        certain.append(model.label_distributions_[hidden].max(axis=1).mean())
        found = {DEFAULT: model.transduction_, **predictions(given, codes)}
        for rule, predicted in found.items():
            accuracies[rule].append(np.mean((predicted == classes)[hidden]))
    means = {rule: np.mean(values) for rule, values in accuracies.items()}
    best = max(RULES, key=means.get)
    difference = means[DEFAULT] - means[best]
    error = np.std(accuracies[DEFAULT], ddof=1) / np.sqrt(len(SEEDS))
    label = {"network": name, "classes": network.n_classes, "labels a class": count}
    shown = {DEFAULT: f"{means[DEFAULT]:.3f} ± {error:.3f}", "mean probability": f"{np.mean(certain):.3f}"}
    chance = np.bincount(classes[classes >= 0]).max() / (classes >= 0).sum()
    return (
        label
        | shown
        | {rule: f"{means[rule]:.3f}" for rule in RULES}
        | {
            "difference to the best": f"{difference:+.3f}",
            "≥ best - 1 s.e.": "yes" if difference >= -error else "**no**",
            "largest class": f"{chance:.3f}",
        }
    )


def unequal():
    """Return rows with 20 labels in three of four blocks, and one in the last."""
    recalls = []
    for seed in SEEDS:
        network = blocks([100] * 4, 0.17, 0.02, seed)
        codes = labelled(network.classes, 20, seed)
        codes[np.flatnonzero(codes == 3)[1:]] = -1
        found, hidden = lp.VertexClassifier().fit(network.graph, codes).transduction_, codes < 0
        recalls.append([(found == k)[hidden & (network.classes == k)].mean() for k in range(4)])
    least = np.min(recalls, axis=0)
    return [
        {
            "class": k,
            "labels": 20 if k < 3 else 1,
            "mean recall": f"{np.mean(recalls, axis=0)[k]:.3f}",
            "least": f"{least[k]:.3f}",
        }
        for k in range(4)
    ]


def main():
    """Measure, and write the page."""
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    rows = {}
    for kind, networks in (("used", CHOSEN), ("kept", KEPT)):
        rows[kind] = []
        for name, load in networks.items():
            network = load()
            given = prepared(network)
            for count in COUNTS:
                rows[kind].append(compare(name, network, count, given))
                print(rows[kind][-1], flush=True)
    parts = ["", "## Networks that were used for choices", "", *table(rows["used"]), ""]
    parts += ["## Unequal numbers of labels", "", UNEQUAL, "", *table(unequal())]
    page(__file__, "Few labels", rows["kept"], NOTES + "\n".join(parts))


NOTES = """\
Accuracy on the unlabelled vertices: means over 20 draws of labels (seeds 0 to 19), and the standard error of
`VertexClassifier()`. Of each class the given number of vertices is labelled, but at most all except one. The rules
and weights of the classifier were chosen on the networks of the second table with other draws (seeds from 100 on),
and on four others; those of the first table were used for no choice.

- `VertexClassifier()`: the default. The mean probability of its predicted labels should be near the accuracy.
- Unit rows: logistic regression on standardised unit rows of 64 Laplacian dimensions.
- Nearest centroid: of the adjacency spectral embedding, in as many dimensions as there are classes.
- Label propagation: the harmonic function; where it is 0, the most frequent label.
- Clusters: k-means of unit rows in as many Laplacian dimensions as classes; each cluster gets its most frequent
  label.

The last but one column says whether `VertexClassifier()` is at least as good as the best rule, which is chosen
after the fact, minus one standard error. "largest class" is the share of the largest class.
"""
UNEQUAL = """\
Four blocks of 100 vertices (0.17 within blocks, 0.02 between them); three have 20 labels each and the last has
one. Recall of `VertexClassifier()` on the unlabelled vertices of each class, over 20 networks."""

if __name__ == "__main__":
    with threadpool_limits(1):
        main()
