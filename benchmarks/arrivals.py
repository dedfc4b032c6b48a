"""Vertices in their real order of arrival: predictions, refits and drift, beside label propagation.

``python benchmarks/arrivals.py`` writes ``docs/results/arrivals.md``; it needs LPGRAPH_DATA.
"""

import warnings

import numpy as np
import pandas as pd
from _labelled_networks import REAL, data_folder, pubmed
from _timing import page, table
from _vertex_rules import propagated
from threadpoolctl import threadpool_limits

import lpgraph as lp
from lpgraph.graph.new_vertices import NewEdges

#: The papers of these years are known, with their labels.
LAST = 2002
SIMULATED = ("Cora", "citeseer", "email-Eu-core", "lastfm")


def split(network, known, shown):
    """Return the accuracies on the vertices `shown`, which are new ones."""
    matrix, classes = network.undirected().graph.matrix, network.classes
    new = ~known
    model = lp.VertexClassifier().fit(lp.as_adjacency(matrix[known][:, known]), classes[known])
    rows = matrix[new][:, known]
    alone = NewEdges(rows, range(new.sum()))
    batch = NewEdges(rows, range(new.sum()), None, matrix[new][:, new])
    codes = np.where(known, classes, -1)
    found = np.full((4, len(classes)), -1)
    found[0, new], found[1, new] = model.predict(alone), model.predict(batch)
    found[2] = lp.VertexClassifier().fit(lp.as_adjacency(matrix), codes).transduction_
    found[3] = propagated(matrix, codes)
    return (found == classes)[:, shown].mean(axis=1), model, batch


TITLES = ("rows only", "with edges among new", "refit", "label propagation")


def shown(accuracies):
    """Return the columns of a table."""
    cells = {title: f"{value:.3f}" for title, value in zip(TITLES, accuracies, strict=True)}
    return cells | {
        "batch - propagation": f"{accuracies[1] - accuracies[3]:+.3f}",
        "refit - propagation": f"{accuracies[2] - accuracies[3]:+.3f}",
    }


def late(matrix, share, seed):
    """Return vertices that arrive last: three balls around random vertices."""
    rng, n = np.random.default_rng(seed), matrix.shape[0]
    result = np.zeros(n, dtype=bool)
    for center in rng.permutation(n):
        if result.sum() >= share * n:
            return result
        ball, edge = np.zeros(n, dtype=bool), np.array([center])
        while len(edge) and ball.sum() < share * n / 3:
            ball[edge] = True
            edge = np.flatnonzero((matrix @ ball > 0) & ~ball)
            edge = rng.permutation(edge)[: max(0, round(share * n / 3) - ball.sum())]
        result |= ball
    return result


def simulated():
    """Return the rows of networks whose order is simulated."""
    rows = []
    for name in SIMULATED:
        network = REAL[name]().undirected()
        found = []
        for seed in range(5):
            last = late(network.graph.matrix, 0.4, seed)
            found.append(split(network, ~last, last & (network.classes >= 0))[0])
        rows.append({"network": name, **shown(np.mean(found, axis=0))})
        print(rows[-1], flush=True)
    return rows


def main():
    """Measure, and write the page."""
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    network = pubmed()
    year = pd.read_csv(data_folder() / "pubmed-time" / "nodes.csv.gz")["year"].fillna(0).to_numpy()
    by_year, by_day = [], []
    for last in range(LAST + 1, 2010):
        taken = np.flatnonzero(year <= last)
        part = type(network)(lp.as_adjacency(network.graph.matrix[taken][:, taken]), network.classes[taken])
        accuracies, model, batch = split(part, year[taken] <= LAST, year[taken] == last)
        by_year.append({"year": last, "papers": int((year == last).sum()), **shown(accuracies)})
        embedding = lp.LaplacianSpectralEmbedding(8, regularizer="mean").fit(model.graph_)
        tested = lp.infer.drift(embedding, batch, random_state=0)
        by_year[-1]["p-value of drift"] = f"{tested.p_value:.2g}"
        print(by_year[-1], flush=True)
    # Those of 2008 and 2009 in random order, in ten steps, after all labels of earlier years are known.
    order = np.random.default_rng(0).permutation(np.flatnonzero(year >= 2008))
    earlier = np.flatnonzero(year < 2008)
    for step in range(1, 11):
        arrived = order[: len(order) * step // 10]
        taken = np.concatenate([earlier, arrived])
        part = type(network)(lp.as_adjacency(network.graph.matrix[taken][:, taken]), network.classes[taken])
        known = np.arange(len(taken)) < len(earlier)
        by_day.append({"batch": len(arrived), **shown(split(part, known, ~known)[0])})
        print(by_day[-1], flush=True)
    parts = ["", "## A growing batch", "", GROWING, "", *table(by_day), "", "## Simulated orders", "", ORDERS, ""]
    page(__file__, "Arrivals in real order", by_year, NOTES + "\n".join([*parts, *table(simulated())]))


NOTES = """\
Papers on diabetes and their citations (PubMed). The classifier is fitted to the papers up to 2002 with their
labels; the papers of each later year are classified, and the accuracy is that of this year. All papers that
arrived after 2002 are passed as one batch. This network was used for no choice of a constant; its results were
looked at while the rule for edges among new vertices was developed.

- Rows only: `predict` with the edges to papers up to 2002, by default arguments.
- With edges among new: `predict` with the edges among the new papers also.
- Refit: `VertexClassifier()` fitted to the network up to that year, with the same labels.
- Label propagation: the harmonic function on the network up to that year, with the same labels.

Most neighbors of a late paper arrived after 2002, and many papers have no path to a labelled one: all rules then
predict the most frequent class. The p-value is that of `drift` (Laplacian embedding in eight dimensions): when it
is small, the new vertices no longer behave as the known ones, and a refit, with labels of newer vertices, is worth
its time; it takes about as long as the first fit.
"""
GROWING = """\
All labels up to 2007 are known. The papers of 2008 and 2009 arrive in random order; the accuracy is that of all
papers of the batch so far."""
ORDERS = """\
The rule was chosen on these networks. The vertices that arrive last, 40 % of all, are three balls around random
vertices, so that they are linked to each other; means of five orders (seeds 0 to 4)."""

if __name__ == "__main__":
    with threadpool_limits(1):
        main()
