"""Numbers that nobody means: an error that says what to do, never a crash, a NaN or a raw error."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError, LpgraphError

CLUB = nx.karate_club_graph()


def weighted(weight):
    graph = nx.karate_club_graph()
    nx.set_edge_attributes(graph, weight, "weight")
    return graph


EMBEDDINGS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]
EMBEDDINGS += [lp.ModularityEmbedding, lp.RandomWalkEmbedding]
METHODS = [getattr(lp.manifold, name) for name in lp.manifold.__all__ if name != "SpectralClustering"]


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("weight", [1e308, 1e200, 1e101, 1e-101, 1e-320])
def test_weights_whose_products_overflow_or_vanish_are_refused(embedding, weight):
    with pytest.raises(LpgraphError, match=r"weights of up to .*; multiply by a constant"):
        embedding(2).fit(weighted(weight))


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("weight", [1e99, 1e-99])
def test_weights_up_to_there_are_embedded(embedding, weight):
    model, plain = embedding(2).fit(weighted(weight)), embedding(2).fit(weighted(1.0))
    there, here = (np.abs(one.embedding_) / np.abs(one.embedding_).max() for one in (model, plain))
    np.testing.assert_allclose(there, here, atol=1e-6)
    assert np.isfinite(model.transform({"new": {0: weight, 1: weight}})).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_parallel_edges_that_add_up_to_infinity_are_named(sign):
    with pytest.raises(GraphError, match=r"'a', 'b'\] has weight -?inf"):
        lp.from_edges(["a", "a"], ["b", "b"], [sign * 1e308, sign * 1e308])


@pytest.mark.parametrize("weight", [1e101, -1e300])
def test_new_vertices_have_the_same_bound_whatever_their_form(weight):
    ase = lp.AdjacencySpectralEmbedding(2).fit(CLUB)
    row = np.zeros((1, 34))
    row[0, 3] = weight
    for new in ({"x": {3: weight}}, row, sparse.csr_array(row), [("x", 3, weight)]):
        with pytest.raises(LpgraphError, match=r"1e\+100"):
            ase.transform(new)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [1e308, 1e110, 1e-110, 1e-320])
def test_points_whose_products_overflow_or_vanish_are_refused(method, factor):
    points = np.random.default_rng(0).random((30, 3)) * factor
    with pytest.raises(ArgumentError, match=r"X has numbers of up to .*; multiply by a constant"):
        method(n_components=2).fit(points)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [1e-60, 1e60])
def test_points_at_any_other_scale_are_embedded(method, factor):
    points = np.random.default_rng(0).random((40, 3)) * factor
    model = method(n_components=2).fit(points)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(points[:2])).all()
