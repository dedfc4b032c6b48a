"""Networks with unobserved pairs: how pairs are given, new vertices, and errors beside those of rescaled zeros."""

import networkx as nx
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.pipeline import make_pipeline

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, NotFittedError, UnknownVertexError

KARATE = nx.relabel_nodes(nx.karate_club_graph(), {i: f"m{i}" for i in range(34)})
PAIRS = [("m0", "m33"), ("m5", "m16"), ("m13", "m12"), ("m0", "m1")]
ASE = lp.AdjacencySpectralEmbedding


def symmetric(n, share, seed):
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    return upper | upper.T


@pytest.fixture(scope="module")
def masked():
    """The positions with PAIRS unobserved."""
    return ASE(2, unobserved=PAIRS).fit(KARATE).embedding_


def forms():
    pandas = pytest.importorskip("pandas")
    mask = np.zeros((34, 34), dtype=bool)
    for u, v in PAIRS:
        i, j = int(u[1:]), int(v[1:])
        mask[i, j] = mask[j, i] = True
    frame = pandas.DataFrame(PAIRS, columns=["source", "target"])
    return {
        "reversed": {"unobserved": [pair[::-1] for pair in PAIRS]},
        "both ways, twice": {"unobserved": PAIRS + [pair[::-1] for pair in PAIRS]},
        "lists": {"unobserved": [list(pair) for pair in PAIRS]},
        "set": {"unobserved": set(PAIRS)},
        "graph": {"unobserved": nx.Graph(PAIRS)},
        "directed graph": {"unobserved": nx.DiGraph(PAIRS)},
        "adjacency": {"unobserved": lp.as_adjacency(nx.Graph(PAIRS))},
        "table": {"unobserved": frame},
        "array": {"unobserved": mask.astype(int)},
        "sparse": {"unobserved": sparse.coo_matrix(mask)},
        "observed array": {"observed": ~mask},
        "observed sparse": {"observed": sparse.csc_array(~mask)},
    }


@pytest.mark.parametrize("form", forms())
def test_every_form_of_pairs(form, masked):
    assert np.allclose(ASE(2, **forms()[form]).fit(KARATE).embedding_, masked, atol=1e-10)


def test_edges_of_unobserved_pairs_are_not_used(masked):
    without = KARATE.copy()
    without.remove_edges_from(PAIRS)
    assert np.array_equal(ASE(2, unobserved=PAIRS).fit(without).embedding_, masked)
    assert not np.allclose(ASE(2).fit(without).embedding_, masked, atol=1e-3)


@pytest.mark.parametrize("nothing", [{"unobserved": []}, {"observed": np.ones((34, 34))}])
def test_no_unobserved_pair(nothing):
    model = ASE(2, **nothing).fit(KARATE)
    assert model.completion_ is None
    assert np.array_equal(model.embedding_, ASE(2).fit(KARATE).embedding_)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"unobserved": [("m0", "x")]}, UnknownVertexError, "'x'.*They are in unobserved"),
        ({"unobserved": [("m0", f"m{i}") for i in range(34)]}, ArgumentError, "All pairs of the vertex 'm0'"),
        ({"unobserved": [("m3", f"m{i}") for i in range(34) if i != 3]}, ArgumentError, "All .* vertex 'm3'"),
        ({"observed": np.eye(34)}, ArgumentError, r"vertex 'm0' are unobserved \(34 such"),
        ({"observed": np.eye(34)[:, ::-1] * 0}, ArgumentError, r"'m0' are unobserved \(34 such vertices\)"),
        ({"observed": np.ones((33, 33))}, ArgumentError, r"observed has shape \(33, 33\); pass shape \(34, 34\)"),
        ({"unobserved": np.full((34, 34), 0.5)}, ArgumentError, "has the entry 0.5; pass booleans"),
        ({"unobserved": np.full((34, 34), np.nan)}, ArgumentError, "has the entry nan; pass booleans"),
        ({"unobserved": np.full((34, 34), "x")}, ArgumentTypeError, "has dtype <U1"),
        (
            {"unobserved": np.triu(np.ones((34, 34)), 9)},
            ArgumentError,
            "not symmetric, but the graph is undirected",
        ),
        ({"unobserved": [("m0", "m1", 2)]}, ArgumentError, r"has the entry \('m0', 'm1', 2\); pass pairs"),
        ({"unobserved": "pairs.csv"}, ArgumentTypeError, "pass read_graph"),
        ({"unobserved": 7}, ArgumentTypeError, "int"),
        ({"unobserved": PAIRS, "observed": PAIRS}, ArgumentError, "both passed"),
        ({"unobserved": PAIRS, "n_components": "elbow"}, ArgumentError, "'elbow', but pairs are unobserved"),
        ({"unobserved": PAIRS, "augment_diagonal": True}, ArgumentError, "list the pairs"),
        ({"unobserved": PAIRS, "which": "SM"}, ArgumentError, "which='SM'"),
        ({"unobserved": PAIRS, "tol": -1}, ArgumentError, "tol=-1"),
        ({"unobserved": PAIRS, "n_components": 40}, ArgumentError, "n_components=40"),
    ],
)
def test_wrong_pairs_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        ASE(**{"n_components": 2, **given}).fit(KARATE)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("aligned", [False, True])
def test_training_rows_get_their_positions(directed, weighted, aligned):
    graph = lp.stochastic_block_model([60, 60], [[0.6, 0.1], [0.2, 0.5]], directed=True, random_state=0)
    A = graph.adjacency.toarray()
    A = A if directed else np.triu(A, 1) + np.triu(A, 1).T
    A = A * 2.5 if weighted else A
    rng = np.random.default_rng(1)
    hidden = rng.random((120, 120)) < 0.3 if directed else symmetric(120, 0.3, 1)
    earlier = ASE(2).fit(A) if aligned else None
    model = ASE(2, unobserved=hidden, tol=1e-9, align_to=earlier).fit(A)
    assert np.allclose(model.transform(A, unobserved=hidden), model.embedding_, atol=1e-5)
    assert np.allclose(model.transform(A, observed=~hidden), model.embedding_, atol=1e-5)
    if directed:
        back = model.transform(A.T, direction="in", unobserved=hidden.T)
        assert np.allclose(back, model.embedding_in_, atol=1e-5)


def test_new_vertices_are_placed_by_least_squares_on_observed_pairs():
    model = ASE(3).fit(KARATE)
    new = {"a": ["m0", "m1", "m2", "m33"], "b": ["m5"], "c": ["m7", "m8"]}
    unobserved = {"a": ["m33", "m9"], "b": [f"m{i}" for i in range(6, 30)]}
    found = model.transform(new, unobserved=unobserved)
    design = model.embedding_ * model.signature_
    for position, name in zip(found, new, strict=True):
        kept = [i for i in range(34) if f"m{i}" not in unobserved.get(name, [])]
        row = np.array([f"m{i}" in new[name] for i in kept], dtype=float)
        assert np.allclose(position, np.linalg.lstsq(design[kept], row, rcond=None)[0])
    # Alone, and by a list of pairs, the same bits; without unobserved pairs, the ordinary rule.
    alone = model.transform({"a": new["a"]}, unobserved=[("a", "m33"), ("a", "m9")])
    assert np.array_equal(alone[0], found[0])
    assert np.array_equal(found[2], model.transform(new)[2])
    assert np.array_equal(model.transform(new, unobserved={}), model.transform(new))


NEW = {"a": ["m0", "m1", "m2", "m33"], "b": ["m5"]}
HIDDEN = {"a": ["m33", "m9"], "b": ["m6", "m7", "m8"]}
SIDES = {name: data["club"] for name, data in KARATE.nodes(data=True)}
#: Models with the positions of an adjacency embedding, and the embedding in them.
USERS = {
    "embedding": (ASE(2), lambda model: model),
    "OutOfSample": (lp.OutOfSample(ASE(2)), lambda model: model.fitted_embedding_),
    "classifier": (
        lp.VertexClassifier(ASE(2), features=("unit_rows", "neighbor_labels")),
        lambda model: model.fitted_embedding_,
    ),
    "clustering": (lp.VertexClustering(ASE(2), 2, method="gaussian"), lambda model: model.fitted_embedding_),
}


@pytest.mark.parametrize("name", USERS)
@pytest.mark.parametrize("directed", [False, True])
def test_every_model_with_these_positions_takes_what_it_has_read(name, directed):
    model, inner = USERS[name]
    graph = KARATE.to_directed() if directed else KARATE
    new = nx.DiGraph([(v, u) for v, known in NEW.items() for u in known]) if directed else NEW
    if directed:
        new.add_edge("m4", "a")
    model = sklearn.clone(model).fit(graph, SIDES)
    vertices = model.read_new(new, unobserved=HIDDEN)
    titles = [str(title) for title in model.get_feature_names_out()]
    wanted = inner(model).transform(new, unobserved=HIDDEN)
    assert not np.allclose(wanted, inner(model).transform(new))
    assert np.array_equal(model.transform(vertices), wanted)
    table = model.transform_table(vertices)
    assert np.array_equal(table[titles].to_numpy(), wanted)
    if directed:
        inward = inner(model).transform(new, unobserved=HIDDEN, direction="in")
        assert np.array_equal(table[["ase_in0", "ase_in1"]].to_numpy(), inward)
    if hasattr(model, "predict_table"):
        assert model.predict_table(vertices)["name"].tolist() == ["a", "b"]


def test_predictions_see_the_observed_pairs_only():
    # Two groups; the new vertex has edges to its own, and its pairs with a third of them are unobserved.
    graph = lp.stochastic_block_model([60, 60], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    model = lp.VertexClustering(ASE(2), 2, method="gaussian").fit(graph)
    new, hidden = {"new": range(0, 40, 2)}, {"new": range(40, 60)}
    vertices = model.read_new(new, unobserved=hidden)
    position = model.transform(vertices)
    kept = np.r_[0:40, 60:120]
    design = (model.embedding_ * model.fitted_embedding_.signature_)[kept]
    assert np.allclose(
        position[0], np.linalg.lstsq(design, np.isin(kept, new["new"]).astype(float), rcond=None)[0]
    )
    assert np.array_equal(model.predict_proba(vertices), model.mixture_.predict_proba(position))


def weight_free():
    return ASE(2).fit(lp.as_adjacency(KARATE, weight=None))


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda ase, v: lp.OutOfSample(ase, rule="batch").transform(v), 'rule="batch" needs all pairs'),
        (lambda ase, v: lp.OutOfSample(ase, rule="likelihood").transform(v), 'rule="likelihood" needs all pairs'),
        (lambda ase, v: lp.OutOfSample(ase).covariance(v), "covariances of their positions are not known"),
        (lambda ase, v: lp.infer.same_position(ase, "m3", v), "covariances of their positions are not known"),
        (
            lambda ase, v: lp.VertexClassifier(ASE(2)).fit(KARATE, SIDES).predict(v),
            r"fit with features=\('unit_rows', 'neighbor_labels'\)",
        ),
        (lambda ase, v: lp.VertexClassifier().fit(KARATE, SIDES).predict(v), "LaplacianSpectralEmbedding places"),
        (lambda ase, v: lp.VertexClustering(ASE(2), 2).fit(KARATE).predict(v), 'fit with method="gaussian"'),
        (lambda ase, v: lp.ModularityEmbedding(2).fit(KARATE).transform(v), "ModularityEmbedding places them by"),
        (
            lambda ase, v: (
                lp.VertexClassifier(make_pipeline(ASE(2)), features="positions").fit(KARATE, SIDES).predict(v)
            ),
            "a Pipeline, knows only edges",
        ),
        (lambda ase, v: lp.report(KARATE, new=v), "LaplacianSpectralEmbedding places"),
        (lambda ase, v: ase.transform(NEW, unobserved=[("m1", "m2")]), "no pairs of new and known vertices"),
    ],
)
def test_other_uses_of_unobserved_pairs_are_refused_by_name(use, message):
    ase = weight_free()
    with pytest.raises(ArgumentError, match=message):
        use(ase, ase.read_new(NEW, unobserved=HIDDEN))


def test_pairs_of_known_vertices_are_counted():
    with pytest.warns(LpgraphWarning, match="1 unobserved pairs are of two known vertices and are left out"):
        found = ASE(2).fit(KARATE).transform(NEW, unobserved=[("a", "m33"), ("m1", "m2")])
    assert np.array_equal(found, ASE(2).fit(KARATE).transform(NEW, unobserved={"a": ["m33"]}))


def test_masks_of_new_vertices_are_checked():
    model = ASE(3).fit(KARATE)
    new = {"a": ["m0", "m1"], "b": ["m5"]}
    with pytest.raises(ArgumentError, match="observed pairs of the new vertex 'a' do not determine 3 coordinates"):
        model.transform(new, observed={"a": ["m0", "m1"], "b": [f"m{i}" for i in range(20)]})
    with pytest.raises(ArgumentError, match="All pairs of the new vertex 'b' are unobserved"):
        model.transform(new, observed={"a": ["m0"]})
    with pytest.raises(UnknownVertexError, match=r"'z'.*They are in unobserved"):
        model.transform(new, unobserved={"z": ["m0"]})
    with pytest.raises(ArgumentError, match=r"pass shape \(2, 34\)"):
        model.transform(new, unobserved=np.zeros((3, 34)))
    with pytest.raises(NotFittedError):
        ASE(2).transform(new, unobserved={"a": ["m0"]})


def test_both_directions_of_new_vertices():
    graph = lp.stochastic_block_model([50, 50], [[0.6, 0.1], [0.2, 0.5]], directed=True, random_state=0)
    new = graph.new_vertices(4, random_state=1)
    model = ASE(2).fit(graph)
    both = ASE(2, concat=True).fit(graph)
    hidden = np.random.default_rng(0).random((4, 100)) < 0.3
    sides = [
        model.transform(rows, direction=side, unobserved=hidden)
        for rows, side in ((new.adjacency, "out"), (new.adjacency_in, "in"))
    ]
    assert np.array_equal(both.transform(new, unobserved=hidden), np.hstack(sides))


def test_saved_cloned_and_listed(tmp_path, masked):
    for given in ({"unobserved": PAIRS}, {"observed": ~np.eye(34, dtype=bool)}):
        model = ASE(2, **given).fit(KARATE)
        assert sklearn.clone(model).get_params()["unobserved"] == given.get("unobserved")
        again = sklearn.clone(model).fit(KARATE)
        assert np.array_equal(again.embedding_, model.embedding_)
        lp.save(model, tmp_path / "model.lpg")
        loaded = lp.load(tmp_path / "model.lpg")
        assert repr(loaded.completion_) == repr(model.completion_)
        assert np.array_equal(loaded.completion_.objective, model.completion_.objective)
        new = {"new": ["m0", "m1", "m2"]}
        held = {"new": ["m33"]}
        assert np.array_equal(loaded.transform(new, unobserved=held), model.transform(new, unobserved=held))
        assert np.array_equal(sklearn.clone(loaded).fit(KARATE).embedding_, model.embedding_)


def test_dimensions_are_chosen_by_held_out_edges():
    graph = lp.stochastic_block_model([100, 100], [[0.3, 0.05], [0.05, 0.3]], random_state=0)
    hidden = np.zeros((200, 200), dtype=bool)
    hidden[:60, 100:160] = hidden[100:160, :60] = True
    model = ASE(unobserved=hidden).fit(graph)
    assert model.embedding_.shape == (200, 2)
    assert model.dimension_choice_.rule == "eigenvalue_cv"
    assert ASE(model.dimension_choice_, unobserved=hidden).fit(graph).embedding_.shape == (200, 2)
    earlier = ASE(3).fit(graph)
    assert ASE(unobserved=hidden, align_to=earlier).fit(graph).embedding_.shape == (200, 3)


def ratios(degree, mask, seeds, n=400):
    """Errors of the probabilities as multiples of those of zeros rescaled by the observed share."""
    found = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        P = np.kron([[0.5, 0.1], [0.1, 0.5]], np.ones((n // 2, n // 2))) * degree / (0.3 * n)
        A = np.triu(rng.random((n, n)) < P, 1).astype(float)
        hidden = symmetric(n, 0.3, 1000 + seed)
        if mask == "block":
            hidden[:] = False
            chosen = rng.permutation(n)
            first, second = chosen[: 3 * n // 10], chosen[3 * n // 10 : 6 * n // 10]
            hidden[np.ix_(first, second)] = hidden[np.ix_(second, first)] = True
        A = np.where(hidden, 0, A + A.T)
        fit = ASE(2, unobserved=hidden).fit(A)
        zeros = ASE(2).fit(A / (1 - hidden.mean()))
        errors = [(((X.embedding_ * X.signature_) @ X.embedding_.T - P) ** 2).mean() for X in (fit, zeros)]
        found.append(errors[0] / errors[1])
    return np.array(found)


def test_pairs_hidden_at_random():
    # Theory for large n, with q = 0.7 and p = 0.5 or 0.1: sum p (1 - p) / sum p (1 - q p) = 0.17 / 0.209 = 0.81.
    # A ratio has a standard deviation of 0.02 to 0.03, the mean of four of at most 0.015: four of these.
    assert abs(ratios(120, "random", range(4)).mean() - 0.81) < 0.06


def test_a_hidden_block():
    assert ratios(120, "block", range(2)).max() < 0.5


def test_sparse_networks_are_not_overfitted():
    # At a mean degree of 10 least squares alone has a ratio of about 1 here.
    found = ratios(10, "random", range(4))
    assert found.max() < 1


def test_tests_and_covariances_of_new_vertices_are_refused_with_unobserved_pairs():
    graph = lp.stochastic_block_model([60, 60], [[0.3, 0.1], [0.1, 0.3]], random_state=0)
    model = lp.AdjacencySpectralEmbedding(2, unobserved=[(0, 1), (5, 100)]).fit(graph)
    for compute in (
        lambda: lp.OutOfSample(model).covariance({"new": [0, 1, 2]}),
        lambda: lp.infer.same_position(model, 0, 1),
    ):
        with pytest.raises(ArgumentError, match="fit without observed and unobserved"):
            compute()
    assert model.set_params(unobserved=None).fit(graph).covariances().shape == (120, 3)
