"""Pools of evidence on classes: weights, class means without own rows, and few labels on networks."""

import numpy as np
import pytest
from scipy.optimize import minimize

import lpgraph as lp
from lpgraph.infer.class_means import ClassMeans
from lpgraph.infer.pooling import log_pool, pool_weights

COUNTS = np.array([100, 100, 100])


def drawn(weights, m, seed):
    """Return scores of two kinds of evidence, and classes drawn from their pool."""
    rng = np.random.default_rng(seed)
    scores = {"visits": rng.normal(size=(m, 3)), "class shares": rng.normal(size=(m, 3))}
    p = np.exp(log_pool(scores, dict(zip(scores, weights, strict=True))))
    return scores, np.minimum((rng.random((m, 1)) > np.cumsum(p, axis=1)).sum(axis=1), 2)


def test_weights_are_recovered():
    scores, codes = drawn([2.0, 0.5], 20_000, seed=0)
    found = pool_weights(scores, codes, COUNTS)
    # The Fisher information of a weight is the variance of its scores under the pool, above 0.3 for normal scores
    # and these weights: a standard error below 1 / sqrt(20000 * 0.3) = 0.013.
    assert found["visits"] == pytest.approx(2.0, abs=4 * 0.013)
    assert found["class shares"] == pytest.approx(0.5, abs=4 * 0.013)


def test_weights_maximise_the_posterior_density():
    scores, codes = drawn([2.0, 0.5], 30, seed=1)
    # Prior weights 1 and 0.3, divided by 1 + 1/100.
    start = np.log(np.array([1.0, 0.3]) / 1.01)

    def minus_density(logarithms):
        pooled = log_pool(scores, dict(zip(scores, np.exp(logarithms), strict=True)))
        return ((logarithms - start) ** 2).sum() / (2 * 0.7**2) - pooled[np.arange(30), codes].sum()

    best = minimize(minus_density, start, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    np.testing.assert_allclose(list(pool_weights(scores, codes, COUNTS).values()), np.exp(best.x), rtol=1e-4)


def test_without_labels_weights_are_the_prior_ones():
    none = {"visits": np.zeros((0, 3)), "features": np.zeros((0, 3))}
    found = pool_weights(none, np.zeros(0, dtype=int), np.array([1, 1, 1]))
    assert found == pytest.approx({"visits": 0.5, "features": 0.1})


def test_pools_of_rows_do_not_depend_on_the_batch():
    scores, _ = drawn([1.0, 1.0], 50, seed=2)
    weights = {"visits": 0.7, "class shares": 1.3}
    every = log_pool(scores, weights)
    assert np.allclose(np.exp(every).sum(axis=1), 1)
    for i in range(50):
        alone = log_pool({name: each[i : i + 1] for name, each in scores.items()}, weights)
        assert every[i].tolist() == alone[0].tolist()


@pytest.mark.parametrize("n_sides", [1, 2])
@pytest.mark.parametrize("power", [1, 4])
def test_class_means_are_those_of_the_definition(n_sides, power):
    rng = np.random.default_rng(3)
    sides = [rng.normal(size=(40, 5)) * [3, 2, 1, 0.5, 0.2] for _ in range(n_sides)]
    sides[0][7] = sides[-1][7] = 0.0  # a vertex at the origin
    labelled, codes = np.arange(0, 20), np.array([0, 1] * 9 + [2, 3])
    labelled[18] = 7  # the only label of class 2
    model, held_out = ClassMeans.of(sides, labelled, codes, 4, power, 3)

    rows = []
    for side in sides:
        # The length of a column is the root of its eigenvalue, and coordinates are eigenvectors times this root.
        eigenvalues = np.linalg.norm(side[:, :3], axis=0) ** 2
        scaled = side[:, :3] / np.sqrt(eigenvalues) * eigenvalues**power
        lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
        rows.append(scaled / np.where(lengths > 0, lengths, 1) / np.sqrt(n_sides))
    rows = np.hstack(rows)
    placed = labelled != 7
    means = {k: rows[labelled[(codes == k) & placed]].mean(axis=0) for k in (0, 1, 3)}
    scores = model.scores(sides)
    for v in range(40):
        if v == 7:
            assert scores[v].tolist() == [0.0] * 4
            continue
        # Squared distances up to half of the squared length of the row, which all classes share.
        own = 0.5 * rows[v] @ rows[v]
        expected = [own - 0.5 * ((rows[v] - means[k]) ** 2).sum() for k in means]
        assert np.allclose(scores[v, [0, 1, 3]], expected)
        assert scores[v, 2] <= scores[v].min()
    for place in range(18):
        v, k = labelled[place], codes[place]
        if v != 7:
            others = labelled[(codes == k) & placed & (labelled != v)]
            expected = 0.5 * rows[v] @ rows[v] - 0.5 * ((rows[v] - rows[others].mean(axis=0)) ** 2).sum()
            assert held_out[place, k] == pytest.approx(expected)
    # Without its own label, nothing is known of class 3.
    assert held_out[19, 3] <= held_out[19].min()


def test_unlabelled_vertices_count_by_their_probabilities():
    rng = np.random.default_rng(4)
    sides, labelled, codes = [rng.normal(size=(30, 4))], np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1])
    others = rng.dirichlet([1, 1], 30) * 0.1
    others[:4] = 0.0
    model, _ = ClassMeans.of(sides, labelled, codes, 2, 1, 4, others)
    lengths = np.linalg.norm(sides[0], axis=0)
    rows = sides[0] * lengths / lengths.max()
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = others + np.array([[1, 0], [1, 0], [0, 1], [0, 1]] + [[0, 0]] * 26)
    np.testing.assert_allclose(model.means, weights.T @ rows / weights.sum(axis=0)[:, None])


def blocks(k, size, within, between, seed):
    p = between + (within - between) * np.eye(k)
    return lp.stochastic_block_model([size] * k, p, random_state=seed)


def few_labels(truth, count, seed):
    rng = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for k in np.unique(truth):
        y[rng.permutation(np.flatnonzero(truth == k))[:count]] = k
    return y


@pytest.mark.parametrize(
    ("k", "size", "within", "between"), [(2, 200, 0.1, 0.01), (4, 100, 0.17, 0.02), (2, 200, 0.02, 0.1)]
)
@pytest.mark.parametrize("count", [1, 3])
def test_one_label_a_class_names_the_blocks(k, size, within, between, count):
    """Blocks whose eigenvalues exceed the noise by a factor of 1.5 are found by all but few vertices.

    The second eigenvalues are size * (within - between) = 18, 15 and -16, and noise reaches 2 sqrt(mean degree),
    which is 9.4, 9.6 and 9.8. The third model is disassortative.
    """
    for seed in range(3):
        graph = blocks(k, size, within, between, seed)
        y = few_labels(graph.labels, count, seed)
        model = lp.VertexClassifier().fit(graph, y)
        assert (model.transduction_ == graph.labels).mean() > 0.98
        assert model.few_labels_
        assert "(few)" in model._repr_html_()


def test_unequal_numbers_of_labels():
    recalls = []
    for seed in range(4):
        graph = blocks(4, 100, 0.17, 0.02, seed)
        y = few_labels(graph.labels, 20, seed)
        y[np.flatnonzero(y == 3)[1:]] = -1
        model = lp.VertexClassifier().fit(graph, y)
        hidden = y < 0
        recalls += [(model.transduction_ == k)[hidden & (graph.labels == k)].mean() for k in range(4)]
    assert min(recalls) > 0.9


@pytest.mark.parametrize(("count", "least"), [(2, -0.25), (5, -0.12)])
def test_probabilities_with_few_labels_are_not_too_high(count, least):
    gaps = []
    for seed in range(10):
        graph = blocks(4, 60, 0.2, 0.08, seed)
        y = few_labels(graph.labels, count, seed)
        model = lp.VertexClassifier().fit(graph, y)
        hidden = y < 0
        right = (model.transduction_ == graph.labels)[hidden].mean()
        gaps.append(model.label_distributions_[hidden].max(axis=1).mean() - right)
    # Accuracies of ten networks vary by about 0.15 from one to another: a standard error of 0.05. With two labels
    # for each class, six held-out ones tell little, and the prior weights give low probabilities.
    assert least < np.mean(gaps) < 0.05


def test_many_labels_are_not_few():
    graph = blocks(2, 60, 0.3, 0.05, 0)
    model = lp.VertexClassifier().fit(graph, graph.labels)
    assert not model.few_labels_
    assert "(few)" not in model._repr_html_()


def test_features_alone_are_used_when_there_is_no_other_evidence():
    graph = blocks(2, 60, 0.3, 0.05, 0)
    model = lp.VertexClassifier(features="degrees").fit(graph, few_labels(graph.labels, 5, 0))
    assert model.pool_.weights == {"features": 1.0}
    new = graph.new_vertices(3, random_state=1)
    rows = model.read_new(new).rows
    degrees = np.log1p(np.asarray(rows.sum(axis=1)).reshape(-1, 1))
    given = model.classifier_.predict_proba(degrees)
    calibrated = model.calibration_.by_neighbors(given, model.label_reach_.neighbors((rows,)))
    # 1e-4 is added to the probabilities before their logarithms are taken.
    np.testing.assert_allclose(model.predict_proba(new), calibrated, atol=1e-3)
