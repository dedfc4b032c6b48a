"""Neighbors of sparse rows by compiled loops and by sparse products: as of dense rows, and as by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import NearestNeighbors

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.points import sparse_points
from lpgraph.points.bridges import shortest_bridges
from lpgraph.points.equal_rows import are_all_equal
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.search import sparse_rows
from lpgraph.points.sparse_points import pair_norms, row_norms, scaled_rows


def words(n=500, p=200, seed=0):
    """Return rows with few entries in columns of different frequency, some of them equal."""
    rng = np.random.default_rng(seed)
    dense = rng.exponential(size=(n, p)) * (rng.uniform(size=(n, p)) < 2 / (1 + np.arange(p)))
    dense[:, 0] += 0.1
    dense[n // 2 : n // 2 + 20] = dense[:20]
    return sparse.csr_array(dense)


@pytest.fixture(params=["compiled", "products"])
def way(request, monkeypatch):
    """Pairs are found by compiled loops, or by sparse products."""
    few = 0 if request.param == "compiled" else 1 << 60
    monkeypatch.setattr(sparse_rows, "_WORTHWHILE", few)
    monkeypatch.setattr(sparse_points, "_MANY_PAIRS", few)


def assert_same_graph(one, other):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "sqeuclidean"])
@pytest.mark.parametrize("seed", range(4))
def test_compiled_loops_and_products_give_the_same_bits(metric, seed, monkeypatch):
    X, new = words(seed=seed), sparse.csr_array(sparse.vstack([words(seed=seed)[::7], words(80, seed=9)]))
    labels = np.arange(500) % 7
    found = []
    for few in (0, 1 << 60):
        monkeypatch.setattr(sparse_rows, "_WORTHWHILE", few)
        monkeypatch.setattr(sparse_points, "_MANY_PAIRS", few)
        hood = Neighborhood.of(X, n_neighbors=6, metric=metric)
        within = Neighborhood.of(X, radius=float(np.median(hood.radii)), metric=metric)
        bridges = shortest_bridges(X, labels, metric)
        found.append([hood.distances, hood.rows(new), within.distances, within.rows(new), *bridges])
    for one, other in zip(*found, strict=True):
        if sparse.issparse(one):
            assert_same_graph(one, other)
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_nearest_as_scikit_learn_finds_them(metric):
    X, new = words(), words(60, seed=5)
    ours = Neighborhood.of(X, n_neighbors=5, metric=metric).nearest(new, 5)[1]
    theirs = NearestNeighbors(n_neighbors=5, metric=metric, algorithm="brute").fit(X).kneighbors(new)[0]
    # scikit-learn's distances are differences of numbers near 1: errors near the root of 1e-16 for small ones.
    np.testing.assert_allclose(ours, theirs, atol=1e-7)
    np.testing.assert_allclose(ours, np.sort(cdist(new.toarray(), X.toarray(), metric))[:, :5], atol=1e-9)


@pytest.mark.usefixtures("way")
def test_the_two_sided_rule_with_ties_as_for_dense_points():
    X = words().astype(bool).astype(float)  # most distances are tied
    X = X[np.diff(X.indptr) > 1]
    new = X[::9]
    one = Neighborhood.of(X, n_neighbors=4, metric="cosine")
    other = Neighborhood.of(X.toarray(), n_neighbors=4, metric="cosine")
    for ours, theirs in ((one.distances, other.distances), (one.rows(new), other.rows(new.toarray()))):
        np.testing.assert_array_equal(ours.indptr, theirs.indptr)
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_allclose(ours.data, theirs.data, atol=1e-12)


@pytest.mark.usefixtures("way")
def test_alone_in_a_batch_and_with_any_number_of_threads(monkeypatch):
    X, new = words(), words(150, seed=3)
    hood = Neighborhood.of(X, n_neighbors=6, metric="cosine")
    together = hood.rows(new)
    for i in (0, 63, 64, 149):
        assert_same_graph(hood.rows(new[[i]]), together[[i]])
    for threads in ("1", "3"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        assert_same_graph(Neighborhood.of(X, n_neighbors=6, metric="cosine").distances, hood.distances)


def test_lists_longer_than_their_memory(monkeypatch):
    monkeypatch.setattr(sparse_rows, "_WORTHWHILE", 0)
    expected = Neighborhood.of(words(), radius=2.0, metric="cosine").distances
    monkeypatch.setattr(sparse_rows, "_LISTED", 0)  # a point at a time: all are within the radius
    assert expected.nnz == 500 * 499
    assert_same_graph(Neighborhood.of(words(), radius=2.0, metric="cosine").distances, expected)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("norm", [1.0, 2.0, np.inf])
def test_norms_of_pairs(norm):
    a, b = words(90), words(70, seed=1)
    rng = np.random.default_rng(0)
    i, j = rng.integers(90, size=300), rng.integers(70, size=300)
    found = pair_norms(a, i, b, j, norm)
    expected = np.linalg.norm((a.toarray()[i] - b.toarray()[j]), norm, axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_array_equal(found, pair_norms(b, j, a, i, norm))
    np.testing.assert_array_equal(found[17:18], pair_norms(a, i[17:18], b, j[17:18], norm))


def test_scaled_rows_keep_their_order():
    X = words()
    unit = scaled_rows(X, 1 / row_norms(X))
    assert unit.has_sorted_indices
    np.testing.assert_allclose(row_norms(unit), 1, rtol=1e-14)


TEXTS = [
    f"{subject} {verb} the {adjective} {thing} {when}"
    for subject in ("cats", "dogs", "birds", "rivers", "clouds")
    for verb in ("see", "cross", "follow", "avoid")
    for adjective in ("old", "green", "quiet")
    for thing in ("house", "road", "forest")
    for when in ("today", "often")
]


@pytest.mark.parametrize(
    "model",
    [
        lp.manifold.LaplacianEigenmaps(2, metric="cosine"),
        lp.manifold.DiffusionMap(2, metric="cosine"),
        lp.manifold.SpectralClustering(3, metric="cosine"),
        lp.manifold.Isomap(2, n_neighbors=8, metric="cosine", components="bridge"),
        lp.manifold.Isomap(2, n_neighbors=None, radius=0.9, metric="cosine", landmarks=20),
        lp.manifold.ClassicalMDS(2, metric="cosine", landmarks=20),
    ],
    ids=str,
)
def test_vectors_of_texts_in_every_method_of_neighbors(model):
    vectorizer = TfidfVectorizer().fit(TEXTS)
    X = vectorizer.transform(TEXTS)  # a csr_matrix
    model = model.fit(X)
    new = vectorizer.transform(["cats see the green road", "the old house"])
    placed = model.transform(new)
    assert np.isfinite(placed).all()
    np.testing.assert_array_equal(model.transform(new[1]), placed[1:])
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-8)


def test_texts_without_known_words_are_refused_with_a_remedy_that_works():
    X = sparse.csr_array(sparse.vstack([words(), sparse.csr_array((3, 200))]))
    with pytest.raises(ArgumentError, match="point 500, which is zero \\(3 such points\\)") as error:
        lp.manifold.LaplacianEigenmaps(2, metric="cosine").fit(X)
    assert "X = X[np.diff(X.indptr) > 0]" in str(error.value)
    model = lp.manifold.LaplacianEigenmaps(2, metric="cosine").fit(X[np.diff(X.indptr) > 0])
    with pytest.raises(ArgumentError, match="point 1, which is zero"):
        model.transform(sparse.csr_array(sparse.vstack([X[:1], X[-1:]])))


def test_equal_points():
    X = np.zeros((5, 4))
    X[:, 1] = 2.0
    for other in (0.0, 1.0):
        Y = X.copy()
        Y[4, 3] += other
        for points in (Y, Y.astype(np.float32), sparse.csr_array(Y)):
            assert are_all_equal(points) == (other == 0.0)
    Y = X[:, ::-1].copy()
    Y[:4] = X[:4]  # as many entries in every row, in other columns
    assert not are_all_equal(sparse.csr_array(Y))
