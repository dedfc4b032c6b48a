"""Default dimensions of pictures, and vertices at the origin."""

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import DisconnectedGraphWarning
from lpgraph.plot.scaling import Scaling, default_axes

pytest.importorskip("matplotlib").use("Agg")

PLAIN = Scaling("none")
NONE = np.full(300, -1)


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def cloud(columns=6, seed=0):
    return np.random.default_rng(seed).normal(size=(300, columns))


def test_the_pair_that_separates_classes_is_drawn():
    X, kinds = cloud(), np.repeat([0, 1, 2], 100)
    X[:, 3] += 4 * (kinds == 1)
    X[:, 5] += 4 * (kinds == 2)
    assert default_axes(X, PLAIN, kinds) == (3, 5)

    # By the definition: the trace of inv(W) B.
    def ratio(pair):
        rows = X[:, pair]
        means = np.array([rows[kinds == k].mean(axis=0) for k in range(3)])
        within = sum((rows[kinds == k] - means[k]).T @ (rows[kinds == k] - means[k]) for k in range(3))
        between = 100 * (means - rows.mean(axis=0)).T @ (means - rows.mean(axis=0))
        return np.trace(np.linalg.solve(within, between))

    pairs = [(i, j) for j in range(6) for i in range(j)]
    assert max(pairs, key=ratio) == (3, 5)
    axes = lp.plot.positions(X, kinds)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("dimension 4", "dimension 6")
    assert "dimensions 4 and 6 of 6" in axes.get_title(loc="left")
    chosen = lp.plot.positions(X, kinds, dimensions=(0, 1))
    assert (chosen.get_xlabel(), chosen.get_title(loc="left")) == ("dimension 1", "")


def test_rows_without_labels_do_not_count():
    X, kinds = cloud(), np.repeat([0, 1, 2], 100)
    X[:, 3] += 4 * (kinds == 1)
    X[:, 4] += 9 * (kinds == 2)
    some = [None if kind == 2 else f"class {kind}" for kind in kinds]
    axes = lp.plot.positions(X, some)
    assert "dimension 4" in (axes.get_xlabel(), axes.get_ylabel())
    assert "dimension 5" not in (axes.get_xlabel(), axes.get_ylabel())


def test_the_first_pair_is_kept_if_others_are_hardly_better():
    X, kinds = cloud(), np.repeat([0, 1, 2], 100)
    X[:, 0] += 3.0 * (kinds == 1)
    X[:, 3] += 0.3 * (kinds == 1)
    assert default_axes(X, PLAIN, kinds) == (0, 1)
    assert default_axes(cloud(), PLAIN, NONE) == (0, 1)
    assert default_axes(cloud(), PLAIN, np.zeros(300, dtype=int)) == (0, 1)
    assert default_axes(X[:, :2], PLAIN, kinds) == (0, 1)


def test_a_few_vertices_make_no_spread():
    X = 0.1 * cloud()
    X[:5, :2] = 50.0  # the dimensions of a small component
    X[:, 2:4] *= 3
    assert default_axes(X, PLAIN, NONE) == (2, 3)
    axes = lp.plot.positions(X, scale="none")
    assert "dimensions 3 and 4 of 6, which are most spread" in axes.get_title(loc="left")


def test_vertices_at_the_origin_are_counted():
    large = lp.stochastic_block_model([100, 100], [[0.3, 0.02], [0.02, 0.3]], random_state=0).to_networkx()
    graph = nx.disjoint_union(large, nx.disjoint_union_all([nx.path_graph(2)] * 10))
    with pytest.warns(DisconnectedGraphWarning, match="20 of 220"):
        model = lp.LaplacianSpectralEmbedding(4, tol=1e-3).fit(graph)
    axes = lp.plot.positions(model, scale="unit")
    assert "20 of 220 points at the origin" in axes.get_title(loc="left")
    drawn = np.vstack([points.get_offsets() for points in axes.collections])
    # Rounding errors of their positions are not scaled to unit length.
    assert (np.abs(drawn).max(axis=1) == 0).sum() == 20
    new = lp.plot.positions(model, out_of_sample=[[0.0] * 4, [0.1] * 4, [0.0] * 4])
    assert [text.get_text() for text in new.get_legend().get_texts()][-1] == "new vertex, 2 at origin"
    few = lp.plot.positions(model, out_of_sample=[[0.1] * 4])
    assert [text.get_text() for text in few.get_legend().get_texts()][-1] == "new vertex"


def test_points_on_a_line_have_no_spread():
    # By rounding, the determinant of the covariance of the last pair is negative.
    X = np.column_stack([cloud(2), np.outer(np.arange(300) / 7, [1, 1 / 3])])
    assert any(np.linalg.det(np.cov((X[:, 2:] * scale).T)) < 0 for scale in np.geomspace(0.01, 100, 50))
    for scale in np.geomspace(0.01, 100, 50):
        assert default_axes(X[:, [2, 3, 0]] * scale, PLAIN, NONE) in ((0, 1), (0, 2), (1, 2))
