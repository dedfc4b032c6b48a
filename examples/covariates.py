"""Citation networks and the words of their papers: clusters and classes by either, and by both.

The folder ``LPGRAPH_DATA`` needs ``cora/cora.content``, ``cora/cora.cites``, and the same of citeseer, as
https://linqs.org/datasets/ distributes them: each line of ``content`` has a paper, 0 or 1 for each word, and the
topic.
"""

import os
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from _report import report
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, confusion_matrix
from sklearn.preprocessing import StandardScaler, normalize

import lpgraph as lp

SPLITS, STARTS, DIMENSION = 10, 10, 32
SHARES = np.array([0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 10.0, 30.0])


class Papers(NamedTuple):
    """Citations A, words X and topics y."""

    A: sparse.csr_array
    X: sparse.csr_array
    y: np.ndarray


def read(name):
    """Read a network of papers in the format of LINQS; citations of unknown papers are left out."""
    folder = Path(os.environ["LPGRAPH_DATA"]) / name
    lines = [line.split() for line in (folder / f"{name}.content").read_text().splitlines()]
    index = {line[0]: i for i, line in enumerate(lines)}
    X = sparse.csr_array(np.array([line[1:-1] for line in lines], dtype=float))
    y = np.unique([line[-1] for line in lines], return_inverse=True)[1]
    cites = [line.split() for line in (folder / f"{name}.cites").read_text().splitlines()]
    ends = np.array([[index[u], index[v]] for u, v in cites if u in index and v in index and u != v]).T
    A = sparse.coo_array((np.ones(ends.shape[1]), ends), shape=(len(lines), len(lines))).tocsr()
    return Papers(sparse.csr_array(((A + A.T) > 0).astype(float)), X, y)


def clustered(positions, y):
    """Return the mean adjusted Rand index and accuracy of k-means on unit rows, over several starts."""
    found = []
    for seed in range(STARTS):
        labels = KMeans(y.max() + 1, n_init=10, random_state=seed).fit(normalize(positions)).labels_
        table = confusion_matrix(y, labels)
        matched = table[linear_sum_assignment(-table)].sum() / len(y)
        found.append([adjusted_rand_score(y, labels), matched])
    return np.mean(found, axis=0)


def halves(n):
    """Yield known and new vertices, half each."""
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(n)
        yield order[: n // 2], order[n // 2 :]


def logistic(known, new, y_known, y_new):
    return LogisticRegression(C=10.0, max_iter=2000).fit(normalize(known), y_known).score(normalize(new), y_new)


def placed(papers, known, new, embedding):
    """Return the accuracy of classes of new vertices by logistic regression on their positions."""
    A, X, y = papers
    model = embedding.fit(A[known][:, known])
    more = {"covariates": X[new]} if hasattr(model, "alpha_") else {}
    return logistic(model.embedding_, model.transform(A[new][:, known], **more), y[known], y[new])


def by_words(papers, known, new):
    """Return the same for principal components of the words, and for the words themselves."""
    scaler = StandardScaler().fit(papers.X[known].toarray())
    parts = PCA(DIMENSION, random_state=0).fit(scaler.transform(papers.X[known].toarray()))
    some, others = (parts.transform(scaler.transform(papers.X[part].toarray())) for part in (known, new))
    y, words = papers.y, normalize(papers.X)
    return logistic(some, others, y[known], y[new]), logistic(words[known], words[new], y[known], y[new])


def by_classifier(papers, known, new, embedding, covariates):
    """Return the accuracy of `VertexClassifier`, which also uses degrees and labels of neighbors."""
    A, X, y = papers
    model = lp.VertexClassifier(embedding).fit(A[known][:, known], y[known])
    rows = A[new][:, known]
    if covariates:
        rows = model.fitted_embedding_.read_new(rows, covariates=X[new])
    return float(np.mean(model.predict(rows) == y[new]))


def spread(positions):
    """Return the median over the columns of how many papers share a column: 1 over the sum of 4th powers."""
    return float(np.median(1 / (normalize(positions, axis=0) ** 4).sum(axis=0)))


def assisted(X, d, **options):
    return lp.CovariateAssistedEmbedding(d, covariates=X, **options)


def rows_of(name, papers):
    """Return the lines of the table of a network."""
    A, X, y = papers
    k = int(y.max()) + 1
    Z = StandardScaler().fit_transform(X.toarray())
    methods = {
        "edges alone": lambda X, d: lp.LaplacianSpectralEmbedding(d),
        "both, balance (default)": assisted,
        "both, balance, assortative": lambda X, d: assisted(X, d, assortative=True),
        "both, kmeans": lambda X, d: assisted(X, d, alpha="kmeans"),
    }
    parts = PCA(k, random_state=0).fit_transform(Z)
    lines = {"words alone": {"clusters": clustered(parts, y), "spread": spread(parts)}}
    accuracies = np.array([by_words(papers, *parts) for parts in halves(len(y))])
    lines["words alone"] |= {"classes": accuracies[:, 0], "vertex": accuracies[:, 1]}
    for method, make in methods.items():
        model = make(X, k).fit(A)
        line = {"clusters": clustered(model.embedding_, y), "spread": spread(model.embedding_)}
        line["alpha"] = getattr(model, "alpha_", None)
        some = list(halves(len(y)))
        line["classes"] = np.array([placed(papers, *parts, make(X[parts[0]], DIMENSION)) for parts in some])
        with_words = line["alpha"] is not None
        if method != "both, kmeans":
            line["vertex"] = np.array(
                [by_classifier(papers, *parts, make(X[parts[0]], 64), with_words) for parts in some]
            )
        lines[method] = line
    return [
        {
            "network": name,
            "by": method,
            "adjusted Rand index": f"{line['clusters'][0]:.3f}",
            "accuracy of clusters": f"{line['clusters'][1]:.3f}",
            "accuracy of classes": _shown(line["classes"]),
            "all words, or `VertexClassifier`": _shown(line.get("vertex")),
            "papers in an eigenvector": round(line["spread"]),
            "alpha": "" if line.get("alpha") is None else f"{line['alpha']:.3g}",
        }
        for method, line in lines.items()
    ]


def _shown(values):
    return "" if values is None else f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def curve(papers):
    """Return the index of clusters and the accuracy of classes for multiples of the balanced weight."""
    A, X, y = papers
    k = int(y.max()) + 1
    balance = assisted(X, k).fit(A).alpha_
    known, new = next(halves(len(y)))
    half = assisted(X[known], DIMENSION).fit(A[known][:, known]).alpha_
    return [
        (
            clustered(assisted(X, k, alpha=share * balance).fit(A).embedding_, y)[0],
            placed(papers, known, new, assisted(X[known], DIMENSION, alpha=share * half)),
        )
        for share in SHARES
    ]


def main():
    rows = []
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True, layout="constrained")
    for name in ("cora", "citeseer"):
        papers = read(name)
        rows += rows_of(name, papers)
        for axis, values in zip(axes, np.transpose(curve(papers)), strict=True):
            axis.plot(SHARES, values, marker="o", label=name)
    for axis, title in zip(axes, ("adjusted Rand index of clusters", "accuracy of new vertices"), strict=True):
        axis.set(xscale="log", xlabel="weight of the words / balanced weight", title=title)
        axis.axvline(1.0, color="gray", linewidth=0.8)
        axis.legend()
    notes = f"""Clusters: k-means on unit rows of as many dimensions as topics, the number of topics given; means
over {STARTS} seeds of k-means. Classes: half of the vertices are new and are placed by `transform`; mean of
{SPLITS} splits (seeds from 0) and its standard error; logistic regression on unit rows of {DIMENSION} dimensions.
In the next column, logistic regression on all words, and `VertexClassifier` with 64 dimensions, degrees and labels
of neighbors. No weight was chosen by topics. Citeseer: the 3312 papers with a topic, of the Planetoid files.

On Cora, both together are better than either alone, for clusters and for classes. On citeseer, whose citations
alone tell little, they are as good as principal components of the words, or slightly better, and logistic
regression on all words classifies better.

The rule of the paper (`alpha="kmeans"`) takes nearly the least weight of its range on these networks: eigenvectors
of the edges alone are concentrated on few papers (the column before the last has the median of the inverse
participation ratio), which k-means fits with little loss. So the default is `"balance"`. The picture shows
multiples of the balanced weight, of one split for the classes."""
    report("covariates", "Citation networks with the words of the papers", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
