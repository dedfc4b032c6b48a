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

ASE = lp.AdjacencySpectralEmbedding
TURN = ortho_group.rvs(4, random_state=1)
RNG = np.random.default_rng(0)


def test_it_is_the_rotation_of_scipy_within_each_sign():
    a, b = RNG.standard_normal((2, 50, 4))
    assert np.allclose(lp.procrustes(a, a @ TURN), TURN)
    assert np.allclose(lp.procrustes(a, b), orthogonal_procrustes(a, b)[0])
    signs = np.array([1, -1, 1, -1])
    w = lp.procrustes(a, b, signature=signs)
    for sign in (1, -1):
        k = np.flatnonzero(signs == sign)
        assert np.allclose(w[np.ix_(k, k)], orthogonal_procrustes(a[:, k], b[:, k])[0])
    assert np.allclose(w.T * signs @ w, np.diag(signs))
    order = np.argsort(-signs, kind="stable")
    assert np.allclose(lp.procrustes(a[:, order], b[:, order], signature=(2, 2)), w[np.ix_(order, order)])
    assert np.allclose(lp.procrustes(a, b, signature=(4, 0)), lp.procrustes(a, b))


def test_rows_are_matched_by_name():
    a = pandas.DataFrame(RNG.standard_normal((9, 3)), index=list("abcdefghi"))
    b = pandas.DataFrame(RNG.standard_normal((8, 3)), index=list("xihgfedc"))
    common = list("cdefghi")
    wanted = orthogonal_procrustes(a.loc[common], b.loc[common])[0]
    assert np.allclose(lp.procrustes(a, b), wanted)
    assert np.allclose(lp.procrustes(dict(zip(a.index, a.to_numpy(), strict=True)), b), wanted)


@pytest.mark.parametrize("directed", [False, True])
def test_fitted_models_bring_names_and_signs(directed):
    graph = nx.karate_club_graph().to_directed() if directed else nx.karate_club_graph()
    less = graph.copy()
    less.remove_node(11)
    one, two = (ASE(4).fit(g) for g in (graph, less))
    w, rows = lp.procrustes(one, two), [one.vertex_index_[name] for name in two.vertex_names_]
    if directed:
        a = np.vstack([one.embedding_[rows], one.embedding_in_[rows]])
        assert np.allclose(w, orthogonal_procrustes(a, np.vstack([two.embedding_, two.embedding_in_]))[0])
    else:
        assert set(one.signature_) == {1, -1}
        assert np.allclose(w, lp.procrustes(one.embedding_[rows], two.embedding_, signature=one.signature_))
        with pytest.raises(ArgumentError, match="A has 2 negative eigenvalues but B has 0"):
            lp.procrustes(one, ASE(4, which="LA").fit(less))


def test_points_that_moved_have_no_influence_if_robust():
    a = RNG.standard_normal((60, 4))
    b = a @ TURN
    b[:20] += 5.0
    assert np.allclose(lp.procrustes(a, b, robust=True), TURN, atol=1e-8)
    assert not np.allclose(lp.procrustes(a, b), TURN, atol=1e-2)
    assert np.allclose(lp.procrustes(a, a @ TURN, robust=True), TURN)


def test_distances_are_relative_to_the_root_of_the_length_and_to_the_median():
    a = np.array([[1.0, 0], [4.0, 0], [0, 9.0], [0, 0]])
    b = a + np.array([[0.1, 0], [0.2, 0], [0, 0.9], [0, 0]])
    expected = np.append(np.array([0.1, 0.2, 0.9]) / np.sqrt([1.05, 4.1, 9.45]), 0)
    assert np.allclose(relative_distances(a, b), expected / np.median(expected))
    assert np.array_equal(relative_distances(a, a), np.zeros(4))


A = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "word"),
    [
        ((np.ones((3, 2)), np.ones((3, 1))), {}, ArgumentError, r"\(3, 2\).*\(3, 1\)"),
        ((pandas.DataFrame(A, index=list("abc")), A), {}, ArgumentError, "common name"),
        ((A, A), {"signature": (1, 2)}, ArgumentError, "signature"),
        ((A, A), {"signature": "LM"}, ArgumentTypeError, "signature"),
        ((ASE(2), A), {}, NotFittedError, "A is"),
        (("text", A), {}, ArgumentTypeError, "A "),
    ],
)
def test_wrong_arguments_are_refused(arguments, options, error, word):
    with pytest.raises(error, match=word):
        lp.procrustes(*arguments, **options)
