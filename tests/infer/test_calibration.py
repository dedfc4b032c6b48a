"""Calibrated class probabilities: recovered exponents, the search for them, and honest groups on networks."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import lpgraph as lp
from lpgraph.infer.calibration import Calibration, to_powers

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")

RNG = np.random.default_rng(0)
COUNTS = np.array([0, 1, 2, 3, 4, 7, 8, 100])
GROUPS = np.array([0, 1, 2, 2, 3, 3, 4, 4])


def labelled(exponents, m, seed):
    """Return probabilities whose powers are the true ones, numbers of neighbors, and classes drawn from those."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 5, m)
    neighbors = np.array([0, 1, 3, 5, 9])[groups]
    given = rng.dirichlet([0.6, 0.6, 0.6], m)
    true = to_powers(given, np.asarray(exponents)[groups])
    codes = (rng.random((m, 1)) > np.cumsum(true, axis=1)).sum(axis=1)
    return given, neighbors, np.minimum(codes, 2)


def test_exponents_are_recovered():
    true = np.array([1.0, 0.5, 0.8, 1.5, 2.0])
    given, neighbors, codes = labelled(true, 20_000, seed=1)
    found = Calibration.of(given, neighbors, codes)
    # A group has 4000 labels. The Fisher information of the logarithm of an exponent is the variance of b log p
    # under the true classes, at least 0.18 here: a standard error below 1 / sqrt(4000 * 0.18) = 0.037.
    for group, exponent in enumerate(true):
        variance = information(given[neighbors == [0, 1, 3, 5, 9][group]], exponent)
        assert variance > 0.18
        assert abs(np.log(found.exponents[group] / exponent)) < 4 * 0.037


def information(given, exponent):
    """Return the mean variance of exponent * log p under the true classes."""
    true, logs = to_powers(given, np.full(len(given), exponent)), exponent * np.log(np.maximum(given, 1e-300))
    return float(((true * logs**2).sum(axis=1) - (true * logs).sum(axis=1) ** 2).mean())


def test_the_exponents_maximise_the_posterior_density():
    given, neighbors, codes = labelled([1.0, 0.5, 0.8, 1.5, 2.0], 60, seed=2)
    found = Calibration.of(given, neighbors, codes)
    groups = np.digitize(neighbors, [1, 2, 4, 8])

    def density(parameters):
        """Return the logarithm of the density of six independent normal variables and the labels."""
        calibrated = to_powers(given, np.exp(parameters[0] + parameters[1:])[groups])
        likelihood = np.log(calibrated[np.arange(60), codes]).sum()
        return likelihood - 50 * parameters[0] ** 2 - 15 * (parameters[1:] ** 2).sum()

    best = minimize(
        lambda at: -density(at), np.zeros(6), method="Nelder-Mead", options={"xatol": 1e-7, "maxiter": 20_000}
    )
    np.testing.assert_allclose(found.exponents, np.exp(best.x[0] + best.x[1:]), rtol=2e-3)


def test_few_labels_change_probabilities_little():
    given = np.array([[0.9, 0.1]] * 4)
    wrong = Calibration.of(given, np.full(4, 3), np.ones(4, dtype=int))
    assert 0.7 < wrong.exponents[2] < 0.95
    assert abs(np.log(wrong.exponents[[0, 1, 3, 4]])).max() < 0.1
    assert Calibration.none().exponents.tolist() == [1.0] * 5


def test_a_class_that_the_folds_lack_does_not_count():
    given, neighbors, codes = labelled(np.ones(5), 50, seed=3)
    more = np.vstack([given, [[0.5, 0.5, 0.0]] * 5])
    found = Calibration.of(more, np.append(neighbors, [1] * 5), np.append(codes, np.full(5, 2))).exponents
    assert found.tolist() == Calibration.of(given, neighbors, codes).exponents.tolist()


def test_groups_of_neighbors():
    calibration = Calibration(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    given = np.tile([0.75, 0.25], (8, 1))
    np.testing.assert_allclose(calibration.by_neighbors(given, COUNTS)[:, 0], 1 / (1 + 3.0 ** -(GROUPS + 1.0)))


@pytest.mark.parametrize("k", [2, 3, 18, 42])
def test_powers_of_rows(k):
    given = RNG.dirichlet(np.full(k, 0.2), 300)
    given[5, 0] = 0.0
    given /= given.sum(axis=1, keepdims=True)
    exponents = RNG.choice([0.3, 1.0, 1.7], 300)
    found = to_powers(given, exponents)
    expected = given ** exponents[:, None]
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)
    assert found[exponents == 1.0].tolist() == given[exponents == 1.0].tolist()
    assert found.argmax(axis=1).tolist() == given.argmax(axis=1).tolist()
    for i in range(300):  # the same bits alone and in any batch
        assert found[i].tolist() == to_powers(given[i : i + 1], exponents[i : i + 1])[0].tolist()
        assert found[i:].tolist() == to_powers(given[i:], exponents[i:]).tolist()


def sparse_blocks(seed):
    """Return a sparse block model in which a sixth of the neighbors are of other blocks, and its labels."""
    p = 0.0007 + (0.011 - 0.0007) * np.eye(3)
    graph = lp.as_adjacency(lp.stochastic_block_model([400] * 3, p, random_state=seed))
    return graph, np.repeat([0, 1, 2], 400)


def heavy_tailed_blocks(seed, n=1500):
    """Return three blocks of mean degree 5 with Pareto degrees, and the labels."""
    weights = np.minimum(1 + np.random.default_rng(seed).pareto(1.5, n), 0.25 * np.sqrt(n))
    sums = weights.reshape(3, -1).sum(axis=1)
    rates = 1 + 4 * np.eye(3)
    rates *= 5 * n / (sums @ rates @ sums)
    graph = lp.degree_corrected_block_model([n // 3] * 3, rates, weights, random_state=seed)
    return lp.as_adjacency(graph), np.asarray(graph.labels)


def test_probabilities_with_one_and_with_many_labelled_neighbors():
    gaps = {False: [], True: []}
    for seed in range(4):
        graph, truth = heavy_tailed_blocks(seed)
        y = np.where(np.random.default_rng(seed).random(1500) < 0.6, truth, -1)
        model = lp.VertexClassifier().fit(graph, y)
        found = model.calibration_
        for calibrated in gaps:
            model.calibration_ = found if calibrated else replace(found, exponents=np.ones(5))
            table = model.vertex_table()
            unlabelled = (y < 0) & table["reaches_label"].to_numpy()
            gap = (table["probability"] - (table["label"] == truth)).to_numpy()
            gaps[calibrated].append(np.column_stack([gap, table["labelled_neighbors"]])[unlabelled])
    before, after = (np.concatenate(gaps[calibrated]) for calibrated in (False, True))
    for low, high, sign in ((1, 1, 1), (4, np.inf, -1)):
        group = (before[:, 1] >= low) & (before[:, 1] <= high)
        # Shares of right predictions among m vertices have a standard error of at most 0.5 / sqrt(m) = 0.021.
        assert group.sum() > 550
        assert sign * before[group, 0].mean() > 0.1
        assert abs(after[group, 0].mean()) < 0.6 * abs(before[group, 0].mean())


def test_labels_do_not_depend_on_the_calibration():
    graph, truth = sparse_blocks(1)
    y = np.where(np.arange(1200) % 3, truth, -1)
    model = lp.VertexClassifier().fit(graph, y)
    assert (model.calibration_.exponents != 1.0).any()
    predicted = model.classes_[model.label_distributions_.argmax(axis=1)]
    assert predicted[y < 0].tolist() == model.transduction_[y < 0].tolist()
    table = model.vertex_table()
    assert table["predicted_label"].tolist() == predicted.tolist()
    assert table["label_given"].tolist() == (y >= 0).tolist()
    assert table["label"][y >= 0].tolist() == truth[y >= 0].tolist()
    # The probability is that of the label, which is the given one.
    expected = model.label_distributions_[np.arange(1200), model.transduction_]
    assert table["probability"].tolist() == expected.tolist()


def test_a_wrong_label_is_found():
    graph = lp.stochastic_block_model([40, 40], [[0.4, 0.05], [0.05, 0.4]], random_state=0)
    y = np.repeat(["cat", "dog"], 40)
    y[7] = "dog"
    row = lp.VertexClassifier().fit(graph, y).vertex_table().iloc[7]
    assert (row["label"], row["label_given"], row["predicted_label"]) == ("dog", True, "cat")
    assert row["probability"] < 0.5


def test_probabilities_of_a_classifier_that_is_passed_remain():
    graph, truth = sparse_blocks(2)
    model = lp.VertexClassifier(classifier=LogisticRegression(), features="neighbor_labels").fit(graph, truth)
    assert model.calibration_.exponents.tolist() == [1.0] * 5
    new = {"x": [0, 1], "y": [400, 800]}
    arcs = (model.read_new(new).rows,)
    features = model.neighbor_labels_.of_new(arcs, model.neighbor_labels_.near_new(arcs))
    np.testing.assert_allclose(model.predict_proba(new), model.classifier_.predict_proba(features), atol=1e-12)


def test_the_calibration_is_saved(tmp_path):
    graph, truth = sparse_blocks(3)
    model = lp.VertexClassifier().fit(graph, np.where(np.arange(1200) % 2, truth, -1))
    lp.save(model, tmp_path / "model.lpg")
    again = lp.load(tmp_path / "model.lpg")
    assert again.calibration_.exponents.tolist() == model.calibration_.exponents.tolist()
    new = {f"n{i}": [i, i + 1, i + 400] for i in range(20)} | {"apart": ["n3"]}
    assert again.predict_proba(new).tolist() == model.predict_proba(new).tolist()
