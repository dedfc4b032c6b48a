"""Five-fold cross-validation on two labelled networks: held-out vertices are classified by nearest neighbors.

Needs polblogs and email-Eu-core: set LPGRAPH_DATA to a folder with polblogs/polblogs.gml and
email-Eu-core/email-Eu-core.txt (and its department labels).
"""

import os
import warnings
from pathlib import Path

import numpy as np
from _report import report
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import lpgraph as lp

REPEATS = 10


def polblogs(folder):
    """Return the largest component of the political blogs, made undirected, and the sides of the blogs."""
    blogs = lp.read_graph(folder / "polblogs" / "polblogs.gml", directed=True, loops="drop")
    side = np.asarray(blogs.vertex_attributes["value"]).astype(int)
    return simple_largest(blogs, side)


def email(folder):
    """Return the largest component of the e-mail network, made undirected, and the departments."""
    mail = lp.read_graph(folder / "email-Eu-core" / "email-Eu-core.txt", directed=True, loops="drop")
    label = dict(np.loadtxt(folder / "email-Eu-core" / "email-Eu-core-department-labels.txt", dtype=int))
    return simple_largest(mail, np.array([label[name] for name in mail.names]))


def simple_largest(graph, labels):
    """Return the largest component without directions and weights, and its labels."""
    matrix = graph.matrix + graph.matrix.T
    matrix.data[:] = 1.0
    undirected = lp.largest_component(lp.as_adjacency(matrix, names=list(graph.names)))
    position = {name: i for i, name in enumerate(graph.names)}
    return undirected.matrix, labels[[position[name] for name in undirected.names]]


def main():
    # A fold may remove all edges of a vertex; it is then at the origin and is counted as the others.
    warnings.simplefilter("ignore", lp.errors.DisconnectedGraphWarning)
    # Some departments have fewer than five members.
    warnings.filterwarnings("ignore", "The least populated class")
    folder = Path(os.environ["LPGRAPH_DATA"])
    nearest = KNeighborsClassifier(5)
    unit = make_pipeline(Normalizer(), KNeighborsClassifier(5))
    rows = []
    for name, load, d_adjacency, d_laplacian in (("polblogs", polblogs, 8, 16), ("email-Eu-core", email, 16, 64)):
        graph, labels = load(folder)
        for embedding, classifier in (
            (lp.AdjacencySpectralEmbedding(d_adjacency), nearest),
            (lp.LaplacianSpectralEmbedding(d_laplacian), unit),
        ):
            model = make_pipeline(embedding, classifier)
            scores = [
                cross_val_score(
                    model, graph, labels, cv=StratifiedKFold(5, shuffle=True, random_state=repeat)
                ).mean()
                for repeat in range(REPEATS)
            ]
            rows.append(
                {
                    "network": f"{name}, {graph.shape[0]} vertices, {len(np.unique(labels))} classes",
                    "embedding": f"{type(embedding).__name__}({embedding.n_components})",
                    "accuracy out-of-sample": np.mean(scores),
                    "standard deviation over splits": np.std(scores),
                }
            )
    notes = (
        "Five nearest neighbors; Laplacian regularised by the mean degree, its positions scaled to unit length. "
        f"Five stratified folds, {REPEATS} times. The regularizer was chosen among 0, 5 and the mean "
        "on such folds of polblogs; with 0 its Laplacian accuracy was 0.940."
    )
    report("real_networks", "Held-out vertices of two real networks", rows, notes)
    return rows


if __name__ == "__main__":
    main()
