"""Fits that are aligned to an earlier one."""

import copy
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lpgraph as lp
import lpgraph.saved
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, ModelFileError, NotFittedError

pandas = pytest.importorskip("pandas")

CLASSES = [
    lp.AdjacencySpectralEmbedding,
    lp.LaplacianSpectralEmbedding,
    lp.ModularityEmbedding,
    lp.RandomWalkEmbedding,
]
#: Dimensions with structure: the first one of the adjacency matrix is that of the degrees.
DIMENSION = dict(zip(CLASSES, (4, 4, 3, 2), strict=True))
#: Two eigenvalues of either sign: groups 0 and 1 attract each other, as do 2 and 3; members of a group do not.
MIXED = np.kron([[1.0, 0.2], [0.2, 0.7]], [[0.1, 0.5], [0.5, 0.05]])


def thinned(graph, share, seed):
    """A network of text names without some edges."""
    edges = list(graph.edges)
    kept = np.random.default_rng(seed).random(len(edges)) < share
    result = nx.DiGraph() if graph.is_directed() else nx.Graph()
    result.add_nodes_from(graph)
    result.add_edges_from(edge for edge, keep in zip(edges, kept, strict=True) if keep)
    return result


def sampled(directed=False, matrix=MIXED, n=100, seed=0):
    graph = lp.stochastic_block_model([n] * len(matrix), matrix, directed=directed, random_state=seed)
    return nx.relabel_nodes(graph.to_networkx(), lambda v: f"v{v}")


#: For positions that are random or shuffled, and for the second dimension of random walks, which is noise.
lost = pytest.mark.filterwarnings("ignore:.* of . directions of align_to:lpgraph.errors.LpgraphWarning")


@pytest.fixture(scope="module")
def earlier_graph():
    return thinned(sampled(), 0.9, 1)


@pytest.fixture(scope="module")
def graph():
    # Another order of the vertices, some new, some gone.
    found = thinned(sampled(), 0.9, 2)
    found.remove_nodes_from(["v3", "v303"])
    found.add_edges_from([("new", "v1"), ("new", "v2")])
    mixed = nx.Graph()
    mixed.add_nodes_from(sorted(found))
    mixed.add_edges_from(found.edges)
    return mixed


def rows_of(graph, names):
    return nx.to_scipy_sparse_array(graph, nodelist=list(names), format="csr", dtype=float)


@lost
@pytest.mark.parametrize("cls", CLASSES)
def test_an_aligned_fit_is_a_rotation_within_the_signs_and_stays_consistent(cls, earlier_graph, graph):
    d = DIMENSION[cls]
    earlier, plain = cls(d).fit(earlier_graph), cls(d).fit(graph)
    model = cls(align_to=earlier).fit(graph)
    turn = model.alignment_.rotation
    assert np.allclose(turn @ turn.T, np.eye(d), atol=1e-12)
    assert np.allclose(model.embedding_, plain.embedding_ @ turn, atol=1e-12)
    assert (model.signature_ == earlier.signature_).all()
    np.testing.assert_array_equal((turn != 0) <= np.equal.outer(plain.signature_, model.signature_), True)
    for name in ("eigenvalues_", "singular_values_", "residuals_", "scree_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(plain, name))
    A = rows_of(graph, model.vertex_names_)
    assert np.allclose(model.transform(A), model.embedding_, atol=1e-10)
    products = (plain.embedding_ * plain.signature_) @ plain.embedding_.T
    assert np.allclose((model.embedding_ * model.signature_) @ model.embedding_.T, products, atol=1e-10)
    if cls is lp.RandomWalkEmbedding:
        assert np.allclose(model.left_embedding_.T @ model.embedding_, np.eye(d), atol=1e-10)
    new = {"another": ["v1", "v2", "v250"]}
    assert np.allclose(model.transform(new), plain.transform(new) @ turn, atol=1e-12)


def test_it_is_the_best_rotation_of_the_common_vertices(earlier_graph, graph):
    from scipy.optimize import minimize

    earlier = lp.AdjacencySpectralEmbedding(4).fit(earlier_graph)
    plain = lp.AdjacencySpectralEmbedding(4).fit(graph)
    turn = lp.procrustes(plain, earlier)
    common = [name for name in plain.vertex_names_ if name in set(earlier.vertex_names_)]
    assert len(common) == 398
    a = plain.embedding_[[plain.vertex_index_[name] for name in common]]
    b = earlier.embedding_[[earlier.vertex_index_[name] for name in common]]
    # Rotations by one angle in each block, with or without a reflection: a general minimiser finds no better.
    blocks = [(np.flatnonzero(plain.signature_ == s), np.flatnonzero(earlier.signature_ == s)) for s in (1, -1)]
    for here, there in blocks:
        assert len(here) == 2

        def error(angle, mirror, here=here, there=there):
            c, s = np.cos(angle[0]), np.sin(angle[0])
            return np.linalg.norm(a[:, here] @ [[c, s], [-mirror * s, mirror * c]] - b[:, there])

        best = min(minimize(error, [t], (m,)).fun for m in (1, -1) for t in (0.0, 2.0, 4.0))
        assert np.linalg.norm((a @ turn - b)[:, there]) == pytest.approx(best, rel=1e-6)


def test_estimates_for_new_vertices_are_rotated_with_the_positions(earlier_graph, graph):
    earlier = lp.AdjacencySpectralEmbedding(4).fit(earlier_graph)
    plain = lp.AdjacencySpectralEmbedding(4).fit(graph)
    model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(graph)
    turn = model.alignment_.rotation
    new = plain.read_new({"x": ["v1", "v2", "v150"], "y": ["v101", "v350", "v399", "v2"]})
    for rule in ("least_squares", "likelihood"):
        one, two = (lp.OutOfSample(m, rule=rule).transform(new) for m in (plain, model))
        assert np.allclose(two, one @ turn, atol=1e-9)
    pair = nx.Graph([("x", "y"), ("x", "v1")])
    batch = [lp.OutOfSample(m, rule="batch").transform(pair) for m in (plain, model)]
    assert np.allclose(batch[1], batch[0] @ turn, atol=1e-5)  # an iteration with a tolerance of its own
    one, two = (lp.OutOfSample(m).covariance(new) for m in (plain, model))
    assert np.allclose(two, turn.T @ one @ turn, atol=1e-9 * abs(one).max())
    found = []
    for m in (plain, model):
        probabilities = EdgeProbabilities.of_embedding(m, "out")
        estimates = probabilities.estimates(new.rows, m.transform(new))
        found.append((probabilities.by_positions(estimates), probabilities.weights(estimates)))
    for a, b in zip(*found, strict=True):
        assert np.allclose(a, b, atol=1e-9)


@pytest.mark.parametrize("cls", CLASSES[:2])
def test_a_directed_graph_has_one_rotation_for_both_directions(cls):
    first = sampled(directed=True, matrix=[[0.5, 0.1, 0.3], [0.1, 0.4, 0.1], [0.05, 0.2, 0.4]])
    earlier = cls(3).fit(thinned(first, 0.9, 1))
    graph = thinned(first, 0.9, 2)
    plain, model = cls(3).fit(graph), cls(align_to=earlier).fit(graph)
    turn = model.alignment_.rotation
    assert np.allclose(model.embedding_, plain.embedding_ @ turn)
    assert np.allclose(model.embedding_in_, plain.embedding_in_ @ turn)
    assert np.allclose(model.embedding_ @ model.embedding_in_.T, plain.embedding_ @ plain.embedding_in_.T)
    A = rows_of(graph, model.vertex_names_)
    assert np.allclose(model.transform(A), model.embedding_, atol=1e-10)
    assert np.allclose(model.transform(A.T.tocsr(), direction="in"), model.embedding_in_, atol=1e-10)
    both = np.hstack([model.embedding_ - earlier.embedding_, model.embedding_in_ - earlier.embedding_in_])
    lengths = dict(zip(model.vertex_names_, np.linalg.norm(both, axis=1), strict=True))
    moved = model.moved(None)
    assert np.allclose(moved["distance"], [lengths[name] for name in moved["name"]])
    assert not hasattr(model, "signature_")
    columns = [f"ase{k}" for k in range(3)] + [f"ase{k}_in" for k in range(3)]
    values = np.hstack([earlier.embedding_, earlier.embedding_in_])
    table = pandas.DataFrame(values, columns=columns, index=earlier.vertex_names_)
    assert np.allclose(cls(align_to=table).fit(graph).embedding_, model.embedding_)
    with pytest.raises(ArgumentError, match=r"3 columns of targets.* and 2 others"):
        cls(align_to=table.iloc[:, 1:]).fit(graph)
    with pytest.raises(ArgumentError, match=r"is undirected, but .* was directed"):
        cls(align_to=table).fit(graph.to_undirected())
    # Positions as sources are enough, and rotate nearly alike.
    by_name = cls(align_to=dict(zip(earlier.vertex_names_, earlier.embedding_, strict=True))).fit(graph)
    assert np.abs(by_name.embedding_ - model.embedding_).max() < 0.1 * np.abs(model.embedding_).max()


@lost
@pytest.mark.parametrize("cls", CLASSES)
def test_every_form_of_the_earlier_positions(cls, earlier_graph, graph, tmp_path):
    earlier = cls(DIMENSION[cls]).fit(earlier_graph)
    lp.save(earlier, tmp_path / "earlier.lpg")
    wanted = cls(align_to=earlier).fit(graph).embedding_
    frame = pandas.DataFrame(earlier.embedding_, index=earlier.vertex_names_)
    forms = [
        tmp_path / "earlier.lpg",
        str(tmp_path / "earlier.lpg"),
        frame,
        frame.sample(frac=1, random_state=0),
        {name: list(row) for name, row in zip(earlier.vertex_names_, earlier.embedding_, strict=True)},
        FrozenEstimator(earlier),
        lp.OutOfSample(earlier),
    ]
    for form in forms:
        found = cls(align_to=form).fit(graph)
        assert np.allclose(found.embedding_, wanted, atol=1e-9), form
        assert (found.signature_ == earlier.signature_).all()


@lost
def test_the_earlier_number_of_each_sign_is_taken(earlier_graph, graph):
    dense = np.linalg.eigvalsh(rows_of(graph, list(graph)).toarray())
    for p, q in ((4, 0), (3, 1), (1, 5)):
        earlier = lp.AdjacencySpectralEmbedding(4).fit(earlier_graph)
        positions = np.random.default_rng(0).standard_normal((400, p + q))
        earlier.embedding_, earlier.signature_ = positions, np.repeat([-1, 1], [q, p])
        model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(graph)
        wanted = np.r_[dense[-p:], dense[:q]]
        assert np.allclose(model.eigenvalues_, wanted[np.argsort(-abs(wanted))])
        assert (model.signature_ == earlier.signature_).all()
    complete = nx.relabel_nodes(nx.complete_graph(9), lambda v: f"v{v}")  # one positive eigenvalue, eight negative
    earlier.embedding_, earlier.signature_ = positions[:, :4], np.array([1, 1, 1, -1])
    with pytest.raises(ArgumentError, match=r"takes 3 positive and 1 negative eigenvalues .* has 1 and 8"):
        lp.AdjacencySpectralEmbedding(align_to=earlier).fit(complete)


def test_columns_of_named_positions_may_be_in_another_order(earlier_graph, graph):
    earlier = lp.AdjacencySpectralEmbedding(4).fit(earlier_graph)
    wanted = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(graph).embedding_
    order = [3, 1, 0, 2]
    frame = pandas.DataFrame(earlier.embedding_[:, order], index=earlier.vertex_names_)
    found = lp.AdjacencySpectralEmbedding(align_to=frame).fit(graph)
    assert np.allclose(found.embedding_, wanted[:, order], atol=1e-9)
    assert (found.signature_ == earlier.signature_[order]).all()
    turned = frame @ np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    with pytest.raises(
        ArgumentError, match=r"2 of 4 eigenvalues are negative.*pass the earlier model or its file"
    ):
        lp.AdjacencySpectralEmbedding(align_to=turned).fit(graph)


def test_inner_embeddings_are_aligned(earlier_graph, graph):
    labels = {f"v{i}": i // 100 for i in range(0, 400, 3) if i not in (3, 303)}
    first = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(4), features="positions", select_features=False)
    first.fit(earlier_graph, {name: labels[name] for name in labels if name in earlier_graph})
    second = clone(first).set_params(embedding__align_to=first).fit(graph, labels)
    direct = lp.AdjacencySpectralEmbedding(align_to=first.fitted_embedding_).fit(graph)
    assert np.array_equal(second.embedding_, direct.embedding_)
    extended = lp.OutOfSample(lp.AdjacencySpectralEmbedding(align_to=first)).fit(graph)
    assert np.array_equal(extended.embedding_, direct.embedding_)


def test_it_survives_scikit_learn(earlier_graph, graph):
    earlier = lp.AdjacencySpectralEmbedding(4).fit(earlier_graph)
    model = lp.AdjacencySpectralEmbedding(align_to=earlier, random_state=np.random.default_rng(0))
    copied = clone(model)
    assert copied.align_to is earlier
    assert copied.random_state is not model.random_state
    assert model.get_params(deep=False)["align_to"] is earlier
    assert "embedding_" in vars(clone(make_pipeline(model, StandardScaler()))[0].align_to)
    wanted = copied.fit(graph).embedding_
    assert not hasattr(clone(copied), "embedding_")
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(other.fit(graph).embedding_, wanted)
    model.set_params(align_to=None)
    assert model.fit(graph).alignment_ is None


@lost
def test_a_parameter_search_keeps_it():
    graph = lp.stochastic_block_model([40, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    A, y = graph.adjacency.toarray(), graph.labels
    earlier = lp.AdjacencySpectralEmbedding(2).fit(A)
    base = lp.VertexClassifier(
        lp.AdjacencySpectralEmbedding(align_to=earlier), features="positions", select_features=False
    )
    search = GridSearchCV(base, {"embedding__align_to": [FrozenEstimator(earlier), None]}, cv=2)
    search.fit(A, y)
    assert (search.cv_results_["mean_test_score"] > 0.8).all()
    search = GridSearchCV(base, {"embedding__tol": [1e-6, 1e-8]}, cv=2).fit(A, y)
    assert search.best_estimator_.fitted_embedding_.alignment_ is not None


@pytest.mark.parametrize("directed", [True, False])
def test_it_is_saved_without_a_chain_of_earlier_models(directed, tmp_path):
    path, sizes = tmp_path / "model.lpg", []
    model = lp.AdjacencySpectralEmbedding(3).fit(thinned(sampled(directed), 0.9, 0))
    for seed in (1, 2):
        model = lp.AdjacencySpectralEmbedding(align_to=model).fit(thinned(sampled(directed), 0.9, seed))
        lp.save(model, path)
        sizes.append(path.stat().st_size)
        loaded = lp.load(path)
        assert loaded.moved(5)["name"].tolist() == model.moved(5)["name"].tolist()
        for name in vars(model.alignment_):
            np.testing.assert_array_equal(getattr(loaded.alignment_, name), getattr(model.alignment_, name))
        again = clone(loaded).fit(thinned(sampled(directed), 0.9, seed))
        assert np.array_equal(again.embedding_, model.embedding_)
        lp.save(loaded, tmp_path / "again.lpg")
        assert (tmp_path / "again.lpg").read_bytes() == path.read_bytes()
        model = loaded
    assert max(sizes) < 1.05 * min(sizes)
    model = lp.AdjacencySpectralEmbedding(align_to=path).fit(thinned(sampled(directed), 0.9, 5))
    lp.save(model, tmp_path / "next.lpg")
    assert lp.load(tmp_path / "next.lpg").align_to == str(path)
    classifier = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(align_to=model))
    classifier.fit(thinned(sampled(directed), 0.9, 6), {f"v{i}": i // 100 for i in range(400)})
    lp.save(classifier, path)
    np.testing.assert_array_equal(lp.load(path).embedding_, classifier.embedding_)


def test_what_moved_is_first():
    earlier_graph = sampled(matrix=0.1 + 0.4 * np.eye(4))
    graph = earlier_graph.copy()
    rng = np.random.default_rng(0)
    for name in ("v5", "v17"):  # from the first block to the second
        graph.remove_edges_from(list(graph.edges(name)))
        other = rng.random(400) < np.where(np.arange(400) // 100 == 1, 0.5, 0.1)
        graph.add_edges_from((name, f"v{i}") for i in np.flatnonzero(other))
    earlier = lp.AdjacencySpectralEmbedding(4).fit(earlier_graph)
    model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(graph)
    moved = model.moved(2)
    assert set(moved["name"]) == {"v5", "v17"}
    columns = ["name", "distance", "ratio", "degree_change", "changed_neighbors"]
    assert model.moved(1, backend="polars").columns == columns
    rest = model.moved(None)
    assert len(rest["name"]) == len(rest["ratio"]) == 400
    assert rest["ratio"][1] > 5 * rest["ratio"][2]
    assert (np.diff(rest["ratio"]) <= 0).all()
    assert np.median(rest["ratio"]) == pytest.approx(1.0)
    same = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(earlier_graph)
    assert max(same.moved(1)["ratio"]) < 1e-3
    assert np.allclose(same.embedding_, earlier.embedding_, atol=1e-9)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("form", ["model", "file", "positions"])
def test_what_moved_has_the_changes_of_its_neighbors(directed, form, tmp_path):
    earlier_graph, graph = sampled(directed), thinned(sampled(directed), 0.8, 1)
    graph.remove_node("v8")
    graph.add_edges_from([("v5", "new"), ("new", "v6")])
    graph["v5"]["new"]["weight"] = 3.0
    shuffled = graph.__class__()
    shuffled.add_nodes_from(sorted(graph))
    shuffled.add_edges_from(graph.edges(data=True))
    earlier = lp.AdjacencySpectralEmbedding(4).fit(earlier_graph)
    lp.save(earlier, tmp_path / "earlier.lpg")
    frame = pandas.DataFrame(earlier.embedding_, earlier.vertex_names_)
    if directed:
        frame[[f"in_in{k}" for k in range(4)]] = earlier.embedding_in_
    align_to = {"model": earlier, "file": tmp_path / "earlier.lpg", "positions": frame}[form]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LpgraphWarning)  # one graph has a weight
        moved = lp.AdjacencySpectralEmbedding(align_to=align_to).fit(shuffled).moved(None)
    if form == "positions":
        assert list(moved.columns) == ["name", "distance", "ratio"]
        return
    assert len(moved) == 399
    for name, change, count in zip(moved["name"], moved["degree_change"], moved["changed_neighbors"], strict=True):
        wanted, both = 0.0, 0
        for side in ("succ", "pred") if directed else ("adj",):
            now, before = (getattr(network, side)[name] for network in (shuffled, earlier_graph))
            wanted += sum(edge.get("weight", 1) for edge in now.values()) - len(before)
            both += len(set(now) ^ set(before))
        assert (change, count) == (wanted, both)


@pytest.mark.parametrize("directed", [False, True])
def test_a_direction_that_only_one_fit_has_is_reported_and_not_counted_as_movement(directed):
    # Two groups in both; within the first a split, which only the earlier network has, and within the second one
    # that only the later network has. The third eigenvector is another one.
    def network(split, seed):
        matrix = np.full((4, 4), 0.05)
        matrix[:2, :2] = matrix[2:, 2:] = 0.4
        matrix[split, split] += 0.2 * np.array([[1, -1], [-1, 1]])
        return sampled(directed, matrix, seed=seed)

    one, other = slice(0, 2), slice(2, 4)
    earlier = lp.AdjacencySpectralEmbedding(3, which="LA").fit(network(one, 0))
    later = network(other, 1)
    with pytest.warns(LpgraphWarning, match=r"1 of 3 directions of align_to is not .* it out. .* n_components=2 "):
        model = lp.AdjacencySpectralEmbedding(which="LA", align_to=earlier).fit(later)
    cosines = model.alignment_.cosines
    # Against scipy, on the columns of both sides.
    a, b = (np.vstack([m.embedding_, m.embedding_in_]) if directed else m.embedding_ for m in (model, earlier))
    assert np.allclose(cosines[::-1], np.sort(np.cos(subspace_angles(a, b))), atol=1e-7)
    assert cosines[1] > 0.9
    assert cosines[2] < 0.3
    # Most of the squared movement in all coordinates is that in the lost direction.
    movement = (model.alignment_.distances**2).sum()
    assert movement < 0.25 * ((a - b) ** 2).sum()
    # As in two dimensions, which both fits have.
    pair = lp.AdjacencySpectralEmbedding(2, which="LA").fit(network(one, 0))
    flat = lp.AdjacencySpectralEmbedding(which="LA", align_to=pair).fit(later)
    assert flat.alignment_.cosines.min() > 0.9
    assert movement == pytest.approx((flat.alignment_.distances**2).sum(), rel=0.25)
    # A change of one vertex in a common direction is still first.
    moving = later.copy()
    moving.remove_edges_from(list(moving.edges("v5")))
    moving.add_edges_from(("v5", f"v{i}") for i in range(200, 400, 2))
    if directed:
        moving.remove_edges_from(list(moving.in_edges("v5")))
        moving.add_edges_from((f"v{i}", "v5") for i in range(200, 400, 2))
    with pytest.warns(LpgraphWarning, match="1 of 3 directions"):
        model.fit(moving)
    assert model.moved(1)["name"].tolist() == ["v5"]


@pytest.mark.filterwarnings("ignore:The graph has:lpgraph.errors.DisconnectedGraphWarning")
def test_fits_without_a_common_direction():
    earlier = lp.AdjacencySpectralEmbedding(1).fit(lp.from_edges(["a", "b"], ["b", "c"], vertices=list("abcdef")))
    later = lp.from_edges(["d", "e"], ["e", "f"], vertices=list("abcdef"))
    with pytest.warns(LpgraphWarning, match=r"1 of 1 directions .*angles: 0.00\); positions cannot be compared"):
        model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(later)
    assert len(model.moved(None)) == 6
    assert model.alignment_.distances.max() > 0.5


def test_vertices_that_moved_do_not_spoil_the_rotation():
    # A tenth of the vertices moves to the first block. The differences from the best rotation of the others, as
    # shares of the distances that it leaves, are at most 0.036 on ten other seeds, and at least 0.15 by plain
    # least squares.
    matrix = 0.03 + np.diag([0.12, 0.1, 0.09, 0.11])
    for seed in range(3):
        rng = np.random.default_rng(seed)
        labels = rng.integers(4, size=800)
        later = labels.copy()
        later[rng.choice(800, 80, replace=False)] = 0
        stays = labels == later
        found = []
        for blocks in (labels, later):
            A = np.triu(rng.random((800, 800)) < matrix[blocks][:, blocks], 1).astype(float)
            found.append(lp.AdjacencySpectralEmbedding(4, which="LA").fit(A + A.T))
        earlier, model = (one.embedding_ for one in found)
        best = model @ lp.procrustes(model[stays], earlier[stays])
        noise = np.linalg.norm((best - earlier)[stays])
        errors = [
            np.linalg.norm((model @ lp.procrustes(*found[::-1], robust=robust) - best)[stays]) / noise
            for robust in (False, True)
        ]
        assert errors[1] < 0.05
        assert errors[0] > 0.1


def test_results_do_not_depend_on_threads():
    from threadpoolctl import threadpool_limits

    graphs = [thinned(sampled(n=300), 0.9, seed) for seed in (0, 1)]
    earlier = lp.AdjacencySpectralEmbedding(4).fit(graphs[0])
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(lp.AdjacencySpectralEmbedding(align_to=earlier).fit(graphs[1]).embedding_)
    assert np.array_equal(*found)


def test_wrong_arguments_are_refused_with_both_values(earlier_graph, graph, tmp_path):
    ase = lp.AdjacencySpectralEmbedding
    earlier = ase(4).fit(earlier_graph)
    frame = pandas.DataFrame(earlier.embedding_, index=earlier.vertex_names_)
    moved = pandas.DataFrame(earlier.embedding_, index=range(1000, 1400))
    flat = pandas.DataFrame(np.repeat(earlier.embedding_[:1], 400, axis=0), index=earlier.vertex_names_)
    few = frame.iloc[:3]
    cases = [
        (ase(3, align_to=earlier), ArgumentError, "n_components=3, but align_to has 4 dimensions; pass n_comp"),
        (ase("elbow", align_to=frame.iloc[:, :1]), ArgumentError, "n_components=.*, but align_to has 1 dim"),
        (ase(4, align_to=ase(4, which="LA").fit(earlier_graph)), ArgumentError, "2 positive.*4 positive"),
        (
            ase(which="LA", align_to=earlier),
            ArgumentError,
            "4 positive.*2 positive.*n_components=",
        ),
        (
            ase(align_to=lp.LaplacianSpectralEmbedding(4).fit(graph)),
            ArgumentError,
            "by Lapl.*this is Adj",
        ),
        (ase(align_to=ase(4).fit(sampled(directed=True))), ArgumentError, "is undirected, but .* was directed"),
        (ase(align_to=moved), ArgumentError, r"0 common names \(the first ones are 'new' and 1000\)"),
        (ase(align_to=few), ArgumentError, "3 common names, too few for the 4 dimensions"),
        (ase(which="LA", align_to=flat), ArgumentError, "span 1 of 4 dimensions"),
        (ase(align_to=ase(2)), NotFittedError, "align_to is an AdjacencySpectralEmbedding without a fitted"),
        (ase(align_to=ase), ArgumentTypeError, "align_to is the class"),
        (ase(align_to=3), ArgumentError, "align_to has 0 dimensions"),
        (ase(align_to=frame.astype(str)), ArgumentTypeError, "align_to has the entry"),
        (ase(align_to=frame * np.nan), ArgumentError, "align_to.* is nan"),
        (ase(align_to={}), ArgumentError, "align_to has"),
        (ase(align_to={"a": [1.0], "b": [1.0, 2.0]}), ArgumentError, "align_to is not a rectangular"),
        (ase(align_to=pandas.concat([frame, frame])), ArgumentError, "index has .* twice"),
        (ase(align_to=str(tmp_path / "none.lpg")), FileNotFoundError, "none.lpg"),
    ]
    for model, error, message in cases:
        with pytest.raises(error, match=message):
            model.fit(graph)
        assert not hasattr(model, "embedding_")
    (tmp_path / "text.lpg").write_text("text")
    with pytest.raises(ModelFileError):
        ase(align_to=tmp_path / "text.lpg").fit(graph)
    with pytest.raises(ArgumentError, match="fitted without align_to"):
        earlier.moved()
    with pytest.raises(NotFittedError):
        ase().moved()
    with pytest.raises(ArgumentError, match="n=-1"):
        ase(align_to=earlier).fit(graph).moved(-1)


def test_a_warning_of_many_lost_directions_shows_a_few():
    graphs = [lp.erdos_renyi(120, 0.1, random_state=seed) for seed in (0, 1)]
    earlier = lp.AdjacencySpectralEmbedding(20, which="LA").fit(graphs[0])
    with pytest.warns(
        LpgraphWarning, match=r"of 20 directions .* \(the 5 least cosines of the principal"
    ) as caught:
        later = lp.AdjacencySpectralEmbedding(20, which="LA", align_to=earlier).fit(graphs[1])
    shown = ", ".join(f"{cosine:.2f}" for cosine in sorted(later.alignment_.cosines)[:5])
    message = next(str(each.message) for each in caught if "directions" in str(each.message))
    assert f": {shown});" in message
