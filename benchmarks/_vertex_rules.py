"""Rules that predict the classes of held-out vertices, for comparison with `VertexClassifier()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize

import lpgraph as lp
from lpgraph.spectral.embedding import AtMost

if TYPE_CHECKING:
    from _held_out import HeldOut
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.graph.adjacency import Adjacency

    Array = NDArray[np.float64]
    Codes = NDArray[np.intp]

#: Inverse penalty of logistic regression; better than 1 for most rules and networks on splits with other seeds.
C = 0.1
#: Limits of label propagation: those of scikit-learn's.
ROUNDS, CHANGE = 1000, 1e-3


def default(task: HeldOut) -> Codes:
    """Return the classes by `VertexClassifier()`."""
    return lp.VertexClassifier().fit(task.known, task.classes).predict(task.new)


def logistic(task: HeldOut, known: Array, new: Array) -> Codes:
    """Return the classes by logistic regression on standardised features."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))
    return model.fit(known[task.trained], task.classes[task.trained]).predict(new)


def laplacian_of(graph: Adjacency) -> lp.LaplacianSpectralEmbedding:
    """Return the regularised Laplacian embedding in 64 dimensions, or half the number of vertices if less."""
    return lp.LaplacianSpectralEmbedding(AtMost(min(64, graph.n_vertices // 2)), regularizer="mean").fit(graph)


def unit_rows(task: HeldOut) -> tuple[Array, Array]:
    """Return unit rows of the Laplacian embedding, on both sides if the network is directed."""
    embedding = laplacian_of(task.known)
    known, new = [embedding.embedding_], [embedding.transform(task.new)]
    if task.known.directed:
        known.append(embedding.embedding_in_)
        new.append(embedding.transform(task.new, direction="in"))
    return np.hstack([normalize(x) for x in known]), np.hstack([normalize(x) for x in new])


def laplacian(task: HeldOut) -> Codes:
    """Return the classes by logistic regression on unit rows."""
    return logistic(task, *unit_rows(task))


def shares(task: HeldOut) -> tuple[Array, Array]:
    """Return the shares of the classes among the labelled neighbors of known and of new vertices."""
    labels = task.label_matrix
    known, new = (normalize(rows @ labels, norm="l1") for rows in task.rows())
    return known, new


def vote(task: HeldOut) -> Codes:
    """Return the most frequent class of the labelled neighbors, or of all labels where there is none."""
    _, new = shares(task)
    return np.where(new.any(axis=1), new.argmax(axis=1), task.majority)


def both(task: HeldOut) -> Codes:
    """Return the classes by logistic regression on unit rows and shares of neighbors' labels."""
    known, new = (np.hstack(parts) for parts in zip(unit_rows(task), shares(task), strict=True))
    return logistic(task, known, new)


def discriminant(task: HeldOut) -> Codes:
    """Return the classes by Algorithm 1 of the paper: linear discriminants of adjacency positions."""
    model = lp.VertexClassifier(
        lp.AdjacencySpectralEmbedding(),
        LinearDiscriminantAnalysis(),
        features="positions",
        select_features=False,
    )
    return model.fit(task.known, task.classes).predict(task.new)


def propagation(task: HeldOut) -> Codes:
    """Return the classes by label propagation in the whole network, also over edges among held-out vertices."""
    codes = np.full(len(task.network.classes), -1)
    codes[task.kept] = task.classes
    return propagated(task.network.undirected().graph.matrix, codes)[task.held]


def propagated(matrix: sparse.csr_array, codes: Codes) -> Codes:
    """Return the classes of all vertices by the harmonic function of the random walk; -1 in `codes` is unknown."""
    fixed = codes >= 0
    start = np.eye(codes.max() + 1)[codes] * fixed[:, None]
    walk, shown = normalize(matrix, norm="l1"), start
    for _ in range(ROUNDS):
        now = walk @ shown
        now[fixed] = start[fixed]
        change = np.abs(now - shown).max()
        shown = now
        if change < CHANGE:
            break
    return np.where(shown.any(axis=1), shown.argmax(axis=1), np.bincount(codes[fixed]).argmax())


#: The simple rules that the default must match, and others.
SIMPLE = {"unit rows": laplacian, "neighbors' vote": vote, "rows and shares": both}
OTHERS = {"Algorithm 1": discriminant, "label propagation": propagation}
