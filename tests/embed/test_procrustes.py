"""Rotations between embeddings."""

import networkx as nx
import numpy as np
import pandas
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

import lpgraph as lp
from lpgraph.embed.procrustes import relative_distances
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError


def test_a_rotation_is_recovered_and_nothing_beats_it():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((50, 4))
    turn = ortho_group.rvs(4, random_state=1)
    assert np.allclose(lp.procrustes(a, a @ turn), turn)
    b = a @ turn + 0.3 * rng.standard_normal((50, 4))
    w = lp.procrustes(a, b)
    assert np.allclose(w @ w.T, np.eye(4))
    assert np.allclose(w, orthogonal_procrustes(a, b)[0])
    for seed in range(20):
        other = ortho_group.rvs(4, random_state=seed)
        assert np.linalg.norm(a @ w - b) <= np.linalg.norm(a @ other - b)


def test_columns_of_different_signs_are_not_mixed():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 50, 5))
    signs = np.array([1, -1, 1, 1, -1])
    w = lp.procrustes(a, b, signature=signs)
    for sign in (1, -1):
        k = np.flatnonzero(signs == sign)
        assert np.allclose(w[np.ix_(k, k)], orthogonal_procrustes(a[:, k], b[:, k])[0])
    assert np.allclose(w.T * signs @ w, np.diag(signs))
    order = np.argsort(-signs, kind="stable")
    assert np.allclose(lp.procrustes(a[:, order], b[:, order], signature=(3, 2)), w[np.ix_(order, order)])
    assert np.allclose(lp.procrustes(a, b, signature=(5, 0)), lp.procrustes(a, b))


def test_rows_are_matched_by_name():
    rng = np.random.default_rng(0)
    a = pandas.DataFrame(rng.standard_normal((9, 3)), index=list("abcdefghi"))
    b = pandas.DataFrame(rng.standard_normal((8, 3)), index=list("xihgfedc"))
    common = list("cdefghi")
    wanted = orthogonal_procrustes(a.loc[common], b.loc[common])[0]
    assert np.allclose(lp.procrustes(a, b), wanted)
    assert np.allclose(lp.procrustes(dict(zip(a.index, a.to_numpy(), strict=True)), b), wanted)


@pytest.mark.parametrize("directed", [False, True])
def test_fitted_models_bring_names_and_signs(directed):
    karate = nx.karate_club_graph()
    graph = nx.DiGraph(karate.edges) if directed else karate
    less = graph.copy()
    less.remove_node(11)
    one, two = (lp.AdjacencySpectralEmbedding(4).fit(g) for g in (graph, less))
    w = lp.procrustes(one, two)
    rows = [one.vertex_index_[name] for name in two.vertex_names_]
    if directed:
        both = [np.vstack([one.embedding_[rows], one.embedding_in_[rows]])]
        both.append(np.vstack([two.embedding_, two.embedding_in_]))
        assert np.allclose(w, orthogonal_procrustes(*both)[0])
    else:
        assert (one.signature_ == two.signature_).all()
        assert set(one.signature_) == {1, -1}
        assert np.allclose(w, lp.procrustes(one.embedding_[rows], two.embedding_, signature=one.signature_))
        with pytest.raises(ArgumentError, match="A has 2 negative eigenvalues but B has 0"):
            lp.procrustes(one, lp.AdjacencySpectralEmbedding(4, which="LA").fit(less))


def test_points_that_moved_have_no_influence_if_robust():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((60, 3))
    turn = ortho_group.rvs(3, random_state=1)
    b = a @ turn
    b[:20] += 5.0
    assert np.allclose(lp.procrustes(a, b, robust=True), turn, atol=1e-8)
    assert not np.allclose(lp.procrustes(a, b), turn, atol=1e-2)
    assert np.allclose(lp.procrustes(a, a @ turn, robust=True), turn)


def test_distances_are_relative_to_the_root_of_the_length_and_to_the_median():
    a = np.array([[1.0, 0], [4.0, 0], [0, 9.0], [0, 0]])
    b = a + np.array([[0.1, 0], [0.2, 0], [0, 0.9], [0, 0]])
    r = np.array([0.1, 0.2, 0.9]) / np.sqrt([1.05, 4.1, 9.45])
    expected = np.append(r, 0) / np.median(np.append(r, 0))
    assert np.allclose(relative_distances(a, b), expected)
    assert np.array_equal(relative_distances(a, a), np.zeros(4))


def test_wrong_arguments_are_refused():
    a = np.arange(6.0).reshape(3, 2)
    named = pandas.DataFrame(a, index=list("abc"))
    cases = [
        ((np.ones((3, 2)), np.ones((3, 1))), {}, ArgumentError, r"\(3, 2\).*\(3, 1\)"),
        ((a, a[:2]), {}, ArgumentError, r"\(3, 2\).*\(2, 2\)"),
        ((named, a), {}, ArgumentError, "no common name"),
        ((a, a), {"signature": (1, 2)}, ArgumentError, r"signature=\(1, 2\) but there are 2 columns"),
        ((a, a), {"signature": np.array([1, 1, -1])}, ArgumentError, "3 signs but there are 2 columns"),
        ((a, a), {"signature": [2, -1]}, ArgumentError, "signature="),
        ((a, a), {"signature": "LM"}, ArgumentTypeError, "signature"),
        ((a, a), {"robust": 1}, ArgumentTypeError, "robust=1"),
        ((lp.AdjacencySpectralEmbedding(2), a), {}, NotFittedError, "A is an Adjacency"),
        (("text", a), {}, ArgumentTypeError, "A has dtype"),
    ]
    for arguments, options, error, message in cases:
        with pytest.raises(error, match=message):
            lp.procrustes(*arguments, **options)
