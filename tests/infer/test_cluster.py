"""Vertex clustering: recovered blocks, numbered by size, the same in each run."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError
from lpgraph.infer.mixture import choose_mixture

B = np.full((3, 3), 0.05) + np.diag([0.45, 0.4, 0.35])


@pytest.fixture(scope="module")
def sampled():
    """Three blocks of unequal size."""
    # The elbow keeps two of three dimensions, and in one draw of five BIC then splits the largest block.
    graph = lp.stochastic_block_model([60, 150, 100], B, random_state=1)
    return graph, graph.new_vertices(120, random_state=2)


def test_blocks_are_found_and_new_vertices_join_them(sampled):
    graph, new = sampled
    model = lp.VertexClustering(n_clusters=range(1, 7), n_init=1).fit(graph)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(graph.labels, model.labels_) > 0.97
    assert np.bincount(model.labels_).tolist() == sorted(np.bincount(model.labels_), reverse=True)
    assert adjusted_rand_score(new.labels, model.predict(new)) > 0.95
    proba = model.predict_proba(new)
    assert np.array_equal(proba.argmax(axis=1), model.predict(new))
    assert min(model.bic_, key=model.bic_.get) == (model.n_clusters_, model.covariance_)
    again = lp.VertexClustering(n_clusters=range(1, 7), n_init=1).fit(graph)
    assert np.array_equal(again.labels_, model.labels_)


def test_choice_does_not_depend_on_the_scale_of_the_positions(sampled):
    graph, _ = sampled
    z = lp.AdjacencySpectralEmbedding(3).fit_transform(graph)
    large = choose_mixture(z, range(1, 6), n_init=1)
    small = choose_mixture(1e-4 * z, range(1, 6), n_init=1)
    assert (small.n_clusters, small.covariance) == (large.n_clusters, large.covariance)
    assert np.array_equal(small.predict(1e-4 * z), large.predict(z))


def test_covariance_model_is_read_off_the_data():
    rng = np.random.default_rng(0)
    wide = np.vstack([rng.normal(0, [3, 0.2], (200, 2)), rng.normal(8, [0.2, 3], (200, 2))])
    assert choose_mixture(wide, 2).covariance in ("diag", "full")
    round_ = np.vstack([rng.normal(0, 1, (200, 2)), rng.normal(8, 1, (200, 2))])
    assert choose_mixture(round_, 2).covariance in ("spherical", "tied")


def test_wrong_input_is_refused(sampled):
    graph, new = sampled
    for n_clusters, error, words in (
        (0, ArgumentError, "n_clusters=0"),
        (311, ArgumentError, "n_clusters=311 but only 310"),
        ([], ArgumentError, "empty"),
        ("three", ArgumentTypeError, "three"),
        (2.5, ArgumentTypeError, "2.5"),
    ):
        with pytest.raises(error, match=words):
            lp.VertexClustering(lp.AdjacencySpectralEmbedding(2), n_clusters).fit(graph)
    with pytest.raises(ArgumentError, match="covariance='round'"):
        lp.VertexClustering(covariance="round").fit(graph)
    with pytest.raises(NotFittedError):
        lp.VertexClustering().predict(new)
    with pytest.raises(ArgumentError, match="1 positions are distinct"):
        choose_mixture(np.ones((10, 2)), 2)
