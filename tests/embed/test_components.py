"""Eigenvectors that components determine: exact, and not searched one by one."""

import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.embed.components import component_pairs

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")

# Three bipartite components, two others, a vertex with a loop only, and two isolated vertices.
PARTS = [nx.karate_club_graph(), nx.path_graph(4), nx.complete_graph(3), nx.star_graph(5), nx.path_graph(2)]
GRAPH = nx.disjoint_union_all([*PARTS, nx.Graph([(0, 0)]), nx.empty_graph(2)])
A = nx.to_numpy_array(GRAPH, weight=None)
ORDERS = {
    "LM": lambda values: values[np.lexsort((-values, -np.abs(values).round(9)))],
    "LA": lambda values: np.sort(values)[::-1],
}


def normalised():
    degrees = A.sum(axis=1)
    roots = np.divide(1, np.sqrt(degrees), out=np.zeros(len(A)), where=degrees > 0)
    return roots[:, None] * A * roots


@pytest.mark.parametrize("which", ["LM", "LA"])
@pytest.mark.parametrize("d", [1, 4, 6, 7, 9, 10, 14])
def test_the_eigenvalues_are_those_of_the_whole_matrix(d, which):
    model = lp.LaplacianSpectralEmbedding(d, regularizer=0.0, which=which).fit(A)
    expected = ORDERS[which](np.linalg.eigvalsh(normalised()))[:d]
    np.testing.assert_allclose(model.eigenvalues_, expected, atol=1e-9)
    assert model.residuals_.max() < 1e-6
    np.testing.assert_allclose(model.transform(A), model.embedding_, atol=1e-12)
    unit = model.embedding_ / np.sqrt(model.singular_values_)
    np.testing.assert_allclose(unit.T @ unit, np.eye(d), atol=1e-6)


def test_each_dimension_of_the_eigenvalue_one_is_a_component_in_the_order_of_volume():
    model = lp.LaplacianSpectralEmbedding(6, regularizer=0.0).fit(A)
    sizes = [len(part) for part in PARTS]
    labels = np.repeat(np.arange(7), [*sizes, 1, 2])
    found = [np.unique(labels[column > 0]).tolist() for column in model.embedding_.T]
    assert found == [[0], [3], [1], [2], [4], [5]]
    assert not model.embedding_[-2:].any()


@pytest.mark.parametrize("d", [1, 5, 6, 12])
def test_the_random_walk_leaves_out_the_constant_vector(d):
    model = lp.RandomWalkEmbedding(d).fit(A)
    expected = ORDERS["LA"](np.linalg.eigvalsh(normalised()))[1 : d + 1]
    np.testing.assert_allclose(model.eigenvalues_, expected, atol=1e-9)
    np.testing.assert_allclose(model.left_embedding_.T @ model.embedding_, np.eye(d), atol=1e-9)
    np.testing.assert_allclose(model.transform(A), model.embedding_, atol=1e-12)
    np.testing.assert_allclose(model.embedding_.T @ A.sum(axis=1), 0, atol=1e-9)


def test_thousands_of_components_cost_no_more_than_one(monkeypatch):
    searched = []
    monkeypatch.setattr("lpgraph.spectral.eigen.lanczos", lambda *given: searched.append(given))
    count = 3000
    source = 3 * np.repeat(np.arange(count), 2) + np.tile([0, 1], count)
    graph = lp.from_edges(source, source + 1)
    for model in lp.LaplacianSpectralEmbedding(20, regularizer=0.0), lp.RandomWalkEmbedding(20):
        assert (model.fit(graph).eigenvalues_ == 1).all()
    assert searched == []


def test_one_component_and_directed_graphs_have_no_closed_form():
    assert component_pairs(lp.as_adjacency(nx.karate_club_graph())) is None
    arcs = sparse.csr_array(np.triu(A, 1))
    assert component_pairs(lp.as_adjacency(arcs, directed=True)) is None


def test_the_warning_names_the_regulariser_where_it_helps():
    with pytest.warns(lp.errors.DisconnectedGraphWarning, match="pass regularizer='mean' to keep small ones"):
        lp.LaplacianSpectralEmbedding(2, regularizer=0.0).fit(GRAPH)
    with pytest.warns(lp.errors.DisconnectedGraphWarning, match=r"at the origin; pass lpgraph.largest_component"):
        lp.LaplacianSpectralEmbedding(2).fit(GRAPH)


@pytest.mark.parametrize("directed", [False, True])
def test_components_are_told_where_they_affect_the_positions(directed):
    def graph(n):
        parts = [nx.gnp_random_graph(300, 0.1, seed=2), nx.complete_graph(n), nx.path_graph(n // 30 + 1)]
        return lp.as_adjacency(nx.disjoint_union_all(parts), directed=directed)

    def fit(graph, **parameters):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = lp.AdjacencySpectralEmbedding(1, **parameters).fit(graph)
        return model, [str(warning.message) for warning in caught]

    # The first eigenvector is that of the largest component unless the clique has the larger mean degree.
    model, said = fit(graph(2))
    assert np.abs(model.embedding_[300:]).max() < 1e-8
    assert said == []  # 3 of 303 vertices are less than 1 %
    said = fit(graph(3))[1]
    assert said[0].startswith(
        "The graph has 3 components: 4 of 304 vertices, such as 300, are at the origin; pass"
    )
    model, said = fit(graph(60))
    assert said[0].startswith("The graph has 3 components: 1 of 1 dimensions belongs to components other than")
    assert "the largest, and 303 of 363 vertices, such as 0, are at the origin" in said[0]
    assert fit(graph(60), align_to=model)[1] == said
