"""The smallest n_neighbors, or radius, that connects the graph is named by the error, and suffices."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer

import lpgraph as lp
from lpgraph.errors import GraphError
from lpgraph.points.connecting import connecting_neighbors, connecting_radius, neighbor_ranks

DIGITS = load_digits().data


def is_connected(points, metric="euclidean", **rule):
    graph = lp.neighbor_graph(points, metric=metric, **rule)
    return csgraph.connected_components(graph, directed=False)[0] == 1


def clusters(seed, *, integers=False):
    """Return groups of points, each farther from the others than from its own, possibly with ties."""
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(0, 1, (rng.integers(2, 12), 2)) + rng.normal(0, 9, 2) for _ in range(6)])
    return np.round(points) if integers else points


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed", "lists"])
@pytest.mark.parametrize("integers", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_number_is_the_smallest_of_all(metric, integers, seed):
    points = clusters(seed, integers=integers)
    if metric in ("precomputed", "lists"):
        points = cdist(points, points)
    if metric == "lists":
        points, metric = sparse.csr_array(np.where(points > 0, points, 0)), "precomputed"
    n = points.shape[0]
    start = 1
    assert not is_connected(points, metric, n_neighbors=start)
    smallest = next(k for k in range(1, n) if is_connected(points, metric, n_neighbors=k))
    assert connecting_neighbors(partial(neighbor_ranks, points, metric), start, n) == smallest


def test_ranks_are_those_of_all_distances():
    points = clusters(3, integers=True)
    D = cdist(points, points)
    np.fill_diagonal(D, np.inf)
    closer = (D[:, None, :] < D[:, :, None]).sum(axis=2)
    ranks = neighbor_ranks(points, "euclidean", 4).toarray()
    np.testing.assert_array_equal(ranks, np.where(closer + 1 <= 4, closer + 1, 0) * np.isfinite(D))


@pytest.mark.parametrize("seed", range(5))
def test_the_radius_is_the_smallest_to_four_digits(seed):
    points = clusters(seed)
    D = cdist(points, points)
    tree = csgraph.minimum_spanning_tree(D).data.max()
    graph = lp.neighbor_graph(points, radius=float(tree) / 2)
    radius = connecting_radius(points, "euclidean", graph)
    assert tree <= radius <= tree * 1.001
    assert is_connected(points, radius=radius)
    assert radius == float(f"{radius:.4g}")


@pytest.mark.parametrize(
    ("method", "points", "options"),
    [
        (lp.manifold.Isomap, DIGITS, {"n_neighbors": 4}),
        (lp.manifold.LocallyLinearEmbedding, DIGITS, {"n_neighbors": 4}),
        (lp.manifold.LocalTangentSpaceAlignment, DIGITS[:900], {"n_neighbors": 4, "n_components": 1}),
        (lp.manifold.Isomap, DIGITS, {"n_neighbors": 4, "metric": "cosine"}),
        (lp.manifold.Isomap, DIGITS[:800], {"n_neighbors": None, "radius": 20.0}),
    ],
)
def test_the_remedy_of_the_error_works_and_less_does_not(method, points, options):
    with pytest.raises(GraphError, match=r"components, of .*; pass (n_neighbors|radius)=") as caught:
        method(**options).fit(points)
    name, value = re.search(r"pass (n_neighbors|radius)=([\d.]+), or components=", str(caught.value)).groups()
    enough = int(value) if name == "n_neighbors" else float(value)
    assert np.isfinite(method(**options | {name: enough}).fit(points).embedding_).all()
    less = enough - 1 if name == "n_neighbors" else enough * 0.999
    if less > options[name]:
        with pytest.raises(GraphError, match="components"):
            method(**options | {name: less}).fit(points)
    for policy in ("largest", "bridge"):
        method(**options, components=policy).fit(points)
    kept, n = map(
        int, re.search(r"components='largest' to keep (\d+) of (\d+) points\.$", str(caught.value)).groups()
    )
    assert (len(method(**options, components="largest").fit(points).kept_), len(points)) == (kept, n)


def test_sparse_texts_have_the_remedy():
    words = [["salt", "flour", "oven", "butter", "yeast"], ["goal", "match", "referee", "league", "score"]]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words[k % 2], 4)) + (" salt goal" if k < 2 else "") for k in range(80)]
    rows = TfidfVectorizer().fit_transform(texts)
    isomap = lp.manifold.Isomap(n_neighbors=2, metric="cosine")
    with pytest.raises(GraphError, match="components") as caught:
        isomap.fit(rows)
    enough = int(re.search(r"pass n_neighbors=(\d+)", str(caught.value))[1])
    assert isomap.set_params(n_neighbors=enough).fit(rows).embedding_.shape == (80, 2)
    with pytest.raises(GraphError, match=f"pass n_neighbors={enough}"):
        isomap.set_params(n_neighbors=enough - 1).fit(rows)


def test_no_number_is_named_where_none_within_reach_suffices():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (200, 3)), rng.normal(50, 1, (200, 3))])
    with pytest.raises(
        GraphError,
        match=r"2 components, of 200, 200 points; pass components='bridge' to join .*, or components='l",
    ):
        lp.manifold.Isomap(n_neighbors=5).fit(points)


def test_similarities_have_no_distances_to_bridge_by():
    matrix = np.kron(np.eye(2), np.ones((3, 3)))
    with pytest.raises(
        GraphError, match=r"3, 3 points; pass components='largest' to keep 3 of 6 points\. If they are clusters, "
    ):
        lp.manifold.LaplacianEigenmaps(1, n_neighbors=None, affinity="precomputed", components="error").fit(matrix)
