"""Evidence on classes against its definitions: labels of neighbors, paths, mean directions, pools, calibration."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import lpgraph as lp
from lpgraph.errors import IsolatedVertexWarning, LpgraphWarning
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.new_vertices import NewEdges
from lpgraph.infer import evidence
from lpgraph.infer.evidence import Calibration, ClassMeans, LabelReach, NeighborLabels
from lpgraph.infer.vertices import arcs_among, known_arcs, new_arcs

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")
N, M = 14, 6


def random_graph(seed, directed, signed):
    """Return a weighted graph with a loop and an isolated vertex, and codes of its labels, some unknown."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 4, (14, 14)) * (rng.random((14, 14)) < 0.25).astype(float)
    if signed:
        matrix *= rng.choice([-1.0, 1.0], matrix.shape)
    if not directed:
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
    matrix[13], matrix[:, 13] = 0.0, 0.0
    matrix[[0, 1, 2], [1, 0, 2]] = [1.0, 1.0, 2.0]
    return as_adjacency(matrix, directed=directed), rng.integers(-1, 3, 14)


def to_one(sums):
    """Return rows divided by their sums; rows of zeros remain."""
    total = sums.sum(axis=-1, keepdims=True)
    return sums / np.where(total > 0, total, 1)


def visits(weights, codes):
    """Return the mean visits in 0 to 20 steps of walks that start at the labels of each class, by degree."""
    degrees = weights.sum(axis=1, keepdims=True)
    places = to_one((codes == np.arange(3)[:, None]) * 1.0).T
    found = np.zeros((len(codes), 3))
    for _ in range(21):
        found += np.where(degrees > 0, places / np.where(degrees > 0, degrees, 1), 0) / 21
        places = to_one(weights).T @ places
    return found


def by_definition(matrix, codes, v, signed):
    """Return the features of a vertex from the definition."""
    matrix = matrix.copy()
    np.fill_diagonal(matrix, 0)
    directed = not np.array_equal(matrix, matrix.T)
    weights = abs(matrix) + (abs(matrix.T) if directed else 0)
    attracting = np.maximum(matrix, 0) + (np.maximum(matrix.T, 0) if directed else 0)
    # The labelled vertices are in folds, one after the other in the order of their classes.
    labelled = sorted(np.flatnonzero(codes >= 0), key=lambda v: codes[v])
    fold = {v: place % 5 for place, v in enumerate(labelled)}
    hidden = np.array([v in fold and fold.get(u) == fold[v] for u in range(len(codes))])
    near = to_one(attracting[v] @ visits(attracting if signed else weights, np.where(hidden, -1, codes)))
    own = np.eye(3)[np.maximum(codes, 0)] * (codes >= 0)[:, None]
    count = ((weights[v] > 0) & (codes >= 0)).sum()
    return to_one(count * to_one(weights[v] @ own) + near)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_features_are_those_of_the_definition(seed, directed, signed):
    graph, codes = random_graph(seed, directed, signed)
    arcs = known_arcs(graph)
    labels, near = NeighborLabels.of(arcs, codes, 3)
    found = labels.features(arcs, near)
    signed = bool((graph.matrix.data < 0).any())
    for v in range(14):
        assert np.allclose(found[v, :3], by_definition(graph.matrix.toarray(), codes, v, signed), atol=1e-12)
    n_kinds = 1 + (2 if directed else 1) * (2 if signed else 1) if directed or signed else 1
    assert found.shape == (14, 3 * n_kinds)


@pytest.mark.parametrize("directed", [False, True])
def test_new_vertex_has_the_features_of_an_unlabelled_known_one(directed):
    graph, codes = random_graph(3, directed, False)
    codes[:5] = -1
    arcs = known_arcs(graph)
    found, _ = NeighborLabels.of(arcs, codes, 3)
    rows = NewEdges(arcs[0][:5], range(5), arcs[1][:5] if directed else None)
    of_new = found.features(new_arcs(rows), found.near_new(new_arcs(rows)))
    assert np.allclose(found.features(arcs, found.near_known(arcs))[:5], of_new, atol=1e-12)


def test_visits_converge_to_poisson_learning(monkeypatch):
    """The solution u of L u = sum over labels of (y_j - mean y) at j, weighted mean 0 (Calder et al. 2020)."""
    graph = nx.gnp_random_graph(30, 0.3, seed=1)
    codes, source = np.array([0, 0, 1, 1] + [-1] * 26), np.array([0.5, 0.5, -0.5, -0.5] + [0] * 26)
    laplacian = nx.laplacian_matrix(graph).toarray().astype(float)
    expected = np.linalg.pinv(laplacian) @ source
    degrees = laplacian.diagonal()
    expected -= degrees @ expected / degrees.sum()
    monkeypatch.setattr("lpgraph.infer.evidence._STEPS", 400)
    found = NeighborLabels.of(known_arcs(as_adjacency(graph)), codes, 2)[0].visits * 401
    # The second eigenvalue of the walk is below 0.6, and 0.6 ** 400 is below 1e-88.
    assert np.allclose(found[:, 0] - found[:, 1], expected, atol=1e-10)


def split(seed, directed):
    """Return a sparse random graph, the graph of its first vertices, and the others as new ones."""
    rng = np.random.default_rng(seed)
    matrix = (rng.random((N + M, N + M)) < 0.06) * rng.choice([-1.0, 1.0, 2.0], (N + M, N + M))
    if not directed:
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
    matrix[0, 1] = matrix[1, 0] = 1.0
    rows = sparse.csr_array(matrix[N:, :N])
    rows_in = sparse.csr_array(matrix[:N, N:].T) if directed else None
    new = NewEdges(rows, range(M), rows_in, sparse.csr_array(matrix[N:, N:]))
    return matrix, as_adjacency(matrix[:N, :N], directed=directed), new


def reachable(joined):
    """Return which pairs of vertices a path of any length joins."""
    return np.linalg.matrix_power(joined | np.eye(len(joined), dtype=bool), len(joined))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_paths_are_those_of_powers_of_the_matrix(seed, directed):
    matrix, graph, new = split(seed, directed)
    labelled = np.random.default_rng(seed).random(N) < 0.2
    joined = (matrix != 0) | (matrix.T != 0)
    known, others = joined[:N, :N], ~np.eye(N, dtype=bool)
    found = LabelReach.of(known_arcs(graph), labelled)
    assert found.others.tolist() == ((reachable(known) & others) @ labelled).tolist()
    assert found.neighbors(known_arcs(graph)).tolist() == ((known & others) * labelled).sum(axis=1).tolist()
    direct = joined[N:, :N] @ reachable(known) @ labelled
    given = np.zeros(len(direct), dtype=bool)
    assert found.of_new(new_arcs(new), None, given).tolist() == direct.tolist()
    # Labels spread from known vertices to new ones and among these, not back.
    expected = reachable(joined[N:, N:]) @ direct
    assert found.of_new(new_arcs(new), arcs_among(new), given).tolist() == expected.tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_labels_spread_among_new_vertices(seed, directed):
    matrix, graph, new = split(seed, directed)
    codes = np.append(0, np.random.default_rng(seed).integers(-1, 3, N - 1))
    labels, arcs = NeighborLabels.of(known_arcs(graph), codes, 3)[0], new_arcs(new)
    features = labels.features(arcs, labels.near_new(arcs))
    among = arcs_among(new)
    assume(among is not None)
    spread = labels.spread(arcs, features, among, np.full(len(features), -1))
    weights = abs(matrix) + (abs(matrix.T) if directed else 0)
    np.fill_diagonal(weights, 0)
    known, joined = weights[N:, :N].sum(axis=1), weights[N:, N:]
    # The fixed point: each vertex has the weighted mean of its own features and of its neighbors' shares. Shares
    # of a component without features are 0, and the others converge, since walks among new vertices end.
    system = np.diag(known + joined.sum(axis=1)) - joined
    limit = np.linalg.lstsq(system, known[:, None] * features[:, :3], rcond=None)[0]
    reached = reachable(joined > 0) @ (known * features[:, :3].sum(axis=1) > 0)
    limit = np.where(reached[:, None], limit, 0.0)
    # A walk among six vertices leaves them with a probability of at least 0.1 in a few steps; 0.9 ** 50 = 0.005.
    np.testing.assert_allclose(spread.shares, to_one(limit), atol=0.02)
    edges, others = (weights[N:, :N] > 0).sum(axis=1), (joined > 0).sum(axis=1)
    np.testing.assert_allclose(spread.alone, np.where(others > 0, edges / (edges + others + 1), 1.0))


def test_a_path_of_new_vertices():
    club = nx.karate_club_graph()
    model = lp.VertexClassifier().fit(club, "club")
    # c and d have no known neighbor; c is joined to b, who is joined to the president.
    new = {"a": [0, 1, 2], "b": [33, 32, 30], "c": ["b"], "d": ["c"], "e": ["f"], "f": []}
    with pytest.warns(IsolatedVertexWarning, match="2 of 6 new vertices.* such as 'e'"):
        table = model.predict_table(new).set_index("name")
    assert table["label"]["a":"d"].tolist() == ["Mr. Hi", "Officer", "Officer", "Officer"]
    assert table["reaches_label"].tolist() == [True] * 4 + [False] * 2
    # All labels that reach c are those of officers, but it is less sure than b, and d than c.
    sure, less = table["probability"], lambda sure: 0.5 + 0.9 * (sure - 0.5)
    assert sure["c":"d"].tolist() == pytest.approx([less(sure["b"]), less(sure["c"])])
    assert table["probability"]["e":"f"].tolist() == [0.5, 0.5]
    shares = lp.VertexClassifier(among_new=False).fit(club, "club").predict_proba(new)
    assert shares[2:].tolist() == [[0.5, 0.5]] * 4
    # Edges to other new vertices change nothing for a vertex without any.
    assert model.predict_proba(new)[0].tolist() == shares[0].tolist()


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("features", ["positions", "neighbor_labels"])
def test_components_without_labels_get_the_class_shares(features):
    graph = nx.disjoint_union(nx.barbell_graph(8, 0), nx.complete_graph(5))
    labels = {0: "a", 1: "a", 2: "a", 12: "b", 13: "b"}
    model = lp.VertexClassifier(lp.LaplacianSpectralEmbedding(4), features=features, select_features=False)
    with pytest.warns(IsolatedVertexWarning, match="5 of 16 unlabelled vertices.* such as 16,.*reaches_label"):
        model.fit(graph, labels)
    table = model.vertex_table()
    assert table["reaches_label"].tolist() == [True] * 16 + [False] * 5
    assert table["labelled_neighbors"][[3, 11, 16]].tolist() == [3, 2, 0]
    np.testing.assert_allclose(model.label_distributions_[16:], [[0.6, 0.4]] * 5)
    assert set(table["label"][16:]) == {"a"}
    with pytest.warns(IsolatedVertexWarning, match="1 of 2"):
        found = model.predict_table({"x": [16, 17], "y": [12, 13]})
    assert found["reaches_label"].tolist() == [False, True]
    assert found["probability"][0] == pytest.approx(0.6)


def test_weights_maximise_the_posterior_density():
    rng = np.random.default_rng(1)
    scores = {"visits": rng.normal(size=(30, 3)), "class shares": rng.normal(size=(30, 3))}
    codes = (2 * scores["visits"] + rng.gumbel(size=(30, 3))).argmax(axis=1)
    # Prior weights 1 and 0.3, divided by 1 + 1/100.
    start = np.log(np.array([1.0, 0.3]) / 1.01)

    def minus_density(logarithms):
        pooled = evidence.log_pool(scores, dict(zip(scores, np.exp(logarithms), strict=True)))
        return ((logarithms - start) ** 2).sum() / (2 * 0.7**2) - pooled[np.arange(30), codes].sum()

    best = minimize(minus_density, start, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    found = evidence.pool_weights(scores, codes, np.array([100, 100, 100]))
    np.testing.assert_allclose(list(found.values()), np.exp(best.x), rtol=1e-4)
    none = {"visits": np.zeros((0, 3)), "features": np.zeros((0, 3))}
    prior = evidence.pool_weights(none, np.zeros(0, dtype=int), np.array([1, 1, 1]))
    assert prior == pytest.approx({"visits": 0.5, "features": 0.1})


@pytest.mark.parametrize("n_sides", [1, 2])
@pytest.mark.parametrize("power", [1, 4])
def test_class_means_are_those_of_the_definition(n_sides, power):
    rng = np.random.default_rng(3)
    sides = [rng.normal(size=(40, 3)) * [3, 2, 1] for _ in range(n_sides)]
    sides[0][7] = sides[-1][7] = 0.0  # a vertex at the origin
    labelled, codes, every = np.arange(0, 20), np.array([0, 1] * 9 + [2, 3]), np.full(40, -1)
    labelled[18] = 7  # the only label of class 2
    every[labelled] = codes
    codes[7] = every[7]
    model, held_out = ClassMeans.of(sides, every, labelled, power)

    rows = []
    for side in sides:
        # The length of a column is the root of its eigenvalue, and coordinates are eigenvectors times this root.
        eigenvalues = np.linalg.norm(side, axis=0) ** 2
        scaled = side / np.sqrt(eigenvalues) * eigenvalues**power
        lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
        rows.append(scaled / np.where(lengths > 0, lengths, 1) / np.sqrt(n_sides))
    rows = np.hstack(rows)

    def score(v, k, without=7):
        """Return the squared distance, up to half of the squared length of the row, which all classes share."""
        mean = rows[[u for u in labelled[codes == k] if u not in (7, without)]].mean(axis=0)
        return 0.5 * rows[v] @ rows[v] - 0.5 * ((rows[v] - mean) ** 2).sum()

    scores = model.scores(sides)
    assert scores[7].tolist() == [0.0] * 4
    for v in set(range(40)) - {7}:
        assert np.allclose(scores[v, [0, 1, 3]], [score(v, k) for k in (0, 1, 3)])
        assert scores[v, 2] <= scores[v].min()
    for place in set(range(18)) - {7}:
        assert held_out[place, codes[place]] == pytest.approx(score(place, codes[place], place))
    # Without its own label, nothing is known of class 3.
    assert held_out[19, 3] <= held_out[19].min()


def test_unlabelled_vertices_count_by_their_probabilities():
    rng = np.random.default_rng(4)
    sides, codes = [rng.normal(size=(30, 2))], np.array([0, 0, 1, 1] + [-1] * 26)
    others = rng.dirichlet([1, 1], 30) * 0.1
    others[:4] = 0.0
    model, _ = ClassMeans.of(sides, codes, np.arange(4), 1, others)
    rows = sides[0] * np.linalg.norm(sides[0], axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = others + np.array([[1, 0], [1, 0], [0, 1], [0, 1]] + [[0, 0]] * 26)
    np.testing.assert_allclose(model.means, weights.T @ rows / weights.sum(axis=0)[:, None])


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
        graph = lp.stochastic_block_model([size] * k, between + (within - between) * np.eye(k), random_state=seed)
        rng = np.random.default_rng(seed)
        known = np.concatenate([rng.choice(size, count, replace=False) + j * size for j in range(k)])
        y = np.where(np.isin(np.arange(k * size), known), graph.labels, -1)
        model = lp.VertexClassifier().fit(graph, y)
        assert (model.transduction_ == graph.labels).mean() > 0.98
        assert model.few_labels_


def test_the_exponents_maximise_the_posterior_density():
    rng = np.random.default_rng(2)
    groups, given = rng.integers(0, 5, 60), rng.dirichlet([0.6, 0.6, 0.6], 60)
    neighbors = np.array([0, 1, 3, 5, 9])[groups]
    true = np.array([1.0, 0.5, 0.8, 1.5, 2.0])[groups, None] * np.log(given)
    codes = (true + rng.gumbel(size=(60, 3))).argmax(axis=1)
    found = Calibration.of(given, neighbors, codes)

    def density(parameters):
        """Return the logarithm of the density of six independent normal variables and the labels."""
        calibrated = Calibration(np.exp(parameters[0] + parameters[1:])).by_neighbors(given, neighbors)
        likelihood = np.log(calibrated[np.arange(60), codes]).sum()
        return likelihood - 50 * parameters[0] ** 2 - 15 * (parameters[1:] ** 2).sum()

    options = {"xatol": 1e-7, "maxiter": 20_000}
    best = minimize(lambda at: -density(at), np.zeros(6), method="Nelder-Mead", options=options)
    np.testing.assert_allclose(found.exponents, np.exp(best.x[0] + best.x[1:]), rtol=2e-3)
    # A class that the folds lack does not count.
    more, none = np.vstack([given, [[0.5, 0.5, 0.0]] * 5]), np.append(codes, np.full(5, 2))
    assert Calibration.of(more, np.append(neighbors, [1] * 5), none).exponents.tolist() == found.exponents.tolist()


def test_groups_of_neighbors():
    calibration = Calibration(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    counts, groups = np.array([0, 1, 2, 3, 4, 7, 8, 100]), np.array([0, 1, 2, 2, 3, 3, 4, 4])
    found = calibration.by_neighbors(np.tile([0.75, 0.25], (8, 1)), counts)[:, 0]
    np.testing.assert_allclose(found, 1 / (1 + 3.0 ** -(groups + 1.0)))


def test_probabilities_with_one_and_with_many_labelled_neighbors():
    gaps, neighbors = {False: [], True: []}, []
    for seed in range(4):
        # Three blocks of mean degree 5 with Pareto degrees.
        rng = np.random.default_rng(seed)
        weights = np.minimum(1 + rng.pareto(1.5, 1500), 0.25 * np.sqrt(1500))
        sums, rates = weights.reshape(3, -1).sum(axis=1), 1 + 4 * np.eye(3)
        rates *= 5 * 1500 / (sums @ rates @ sums)
        graph = lp.degree_corrected_block_model([500] * 3, rates, weights, random_state=seed)
        truth = np.asarray(graph.labels)
        y = np.where(np.random.default_rng(seed).random(1500) < 0.6, truth, -1)
        model = lp.VertexClassifier().fit(graph, y)
        found = model.calibration_
        for calibrated in gaps:
            model.calibration_ = found if calibrated else replace(found, exponents=np.ones(5))
            table = model.vertex_table()[y < 0].query("reaches_label")
            gaps[calibrated].append(table["probability"] - (table["label"] == truth[table.index]))
        neighbors.append(table["labelled_neighbors"])
    before, after, neighbors = (np.concatenate(parts) for parts in (gaps[False], gaps[True], neighbors))
    for group, sign in ((neighbors == 1, 1), (neighbors >= 4, -1)):
        # Shares of right predictions among m vertices have a standard error of at most 0.5 / sqrt(m) = 0.021.
        assert group.sum() > 550
        assert sign * before[group].mean() > 0.1
        assert abs(after[group].mean()) < 0.6 * abs(before[group].mean())


def test_probabilities_of_a_classifier_that_is_passed_remain():
    model = lp.VertexClassifier(classifier=LogisticRegression(), features="neighbor_labels")
    model.fit(nx.karate_club_graph(), "club")
    assert model.calibration_.exponents.tolist() == [1.0] * 5
    new = {"x": [0, 1], "y": [4, 33]}
    arcs = (model.read_new(new).rows,)
    features = model.neighbor_labels_.features(arcs, model.neighbor_labels_.near_new(arcs))
    np.testing.assert_allclose(model.predict_proba(new), model.classifier_.predict_proba(features), atol=1e-12)


def test_given_labels_of_new_vertices():
    model = lp.VertexClassifier().fit(nx.karate_club_graph(), "club")
    new = {"b": [33, 32, 30], "c": ["b"], "d": ["c"], "g": ["h"], "h": ["g"]}
    with pytest.warns(IsolatedVertexWarning, match="2 of 5"):
        alone = model.predict_table(new).set_index("name")
    own = {"d": "Mr. Hi", "g": "Mr. Hi", "h": None}
    with pytest.warns(IsolatedVertexWarning, match="1 of 5 new vertices, such as 'g'"):  # its label is its own
        table = model.predict_table(new, labels={0: "Mr. Hi", 1: "Mr. Hi", 2: "Mr. Hi", **own}).set_index("name")
    assert list(table) == [*alone, "label_given", "predicted_label"]
    assert table["label_given"].tolist() == [False, False, True, True, False]
    assert table["label"].tolist() == ["Officer", "Mr. Hi", "Mr. Hi", "Mr. Hi", "Mr. Hi"]
    assert table["predicted_label"]["d"] == "Officer"
    assert table["probability"]["d"] < 0.5
    assert table["probability"]["h"] == pytest.approx(0.95)
    with pytest.warns(LpgraphWarning, match="1 labels of new vertices are of no known vertex, such as 'Anyone'"):
        model.predict_table(new, labels={"d": "Anyone"})
