"""Networks with unobserved pairs: forms of pairs, new vertices, and errors beside rescaled zeros."""

import networkx as nx
import numpy as np
import pytest
import sklearn
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError, UnknownVertexError

KARATE = nx.relabel_nodes(nx.karate_club_graph(), {i: f"m{i}" for i in range(34)})
PAIRS = [("m0", "m33"), ("m5", "m16"), ("m13", "m12"), ("m0", "m1")]
SIDES = nx.get_node_attributes(KARATE, "club")
ASE = lp.AdjacencySpectralEmbedding


def completed(d=2, *, observed=None, unobserved=None, **parameters):
    return lp.CompletedEmbedding(ASE(d, **parameters), observed=observed, unobserved=unobserved)


def hidden_pairs(kind, n, seed):
    """Return 30 % of the pairs, or those between two thirds of the vertices."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) < 0.3, 1)
    if kind == "block":
        upper[:] = False
        first, second, _ = np.array_split(rng.permutation(n), 3)
        upper[np.ix_(first, second)] = True
    return upper | upper.T


def test_every_form_of_pairs():
    pandas = pytest.importorskip("pandas")
    masked = completed(unobserved=PAIRS).fit(KARATE).embedding_
    mask = np.zeros((34, 34), dtype=bool)
    for u, v in PAIRS:
        mask[int(u[1:]), int(v[1:])] = mask[int(v[1:]), int(u[1:])] = True
    back, graphs = [pair[::-1] for pair in PAIRS], [nx.Graph(PAIRS), lp.as_adjacency(nx.Graph(PAIRS))]
    tables = [pandas.DataFrame(PAIRS, columns=["source", "target"]), mask.astype(int), sparse.coo_matrix(mask)]
    forms = [{"unobserved": form} for form in (back, PAIRS + back, set(PAIRS), *graphs, *tables)]
    for form in [*forms, {"observed": ~mask}, {"observed": sparse.csc_array(~mask)}]:
        assert np.allclose(completed(**form).fit(KARATE).embedding_, masked, atol=1e-10)
    # Edges of unobserved pairs are not used.
    without = KARATE.copy()
    without.remove_edges_from(PAIRS)
    assert np.array_equal(completed(unobserved=PAIRS).fit(without).embedding_, masked)
    assert not np.allclose(ASE(2).fit(without).embedding_, masked, atol=1e-3)
    known = ASE(2).fit(KARATE)
    for nothing in ({"unobserved": []}, {"observed": np.ones((34, 34))}, {}):
        model = completed(**nothing).fit(KARATE)
        assert model.completion_ is None
        assert np.array_equal(model.embedding_, known.embedding_)
        assert np.array_equal(model.covariances(), known.covariances())


@pytest.mark.parametrize(
    ("given", "error", "word"),
    [
        ({"unobserved": [("m0", "x")]}, UnknownVertexError, "'x'"),
        ({"unobserved": [("m0", f"m{i}") for i in range(34)]}, ArgumentError, "'m0'"),
        ({"observed": np.eye(34)}, ArgumentError, "'m0'"),
        ({"observed": np.ones((33, 33))}, ArgumentError, "observed has shape"),
        ({"unobserved": np.full((34, 34), 0.5)}, ArgumentError, "0.5"),
        ({"unobserved": np.full((34, 34), "x")}, ArgumentTypeError, "unobserved"),
        ({"unobserved": np.triu(np.ones((34, 34)), 9)}, ArgumentError, "symmetric"),
        ({"unobserved": [("m0", "m1"), ("m0",)]}, ArgumentError, "unobserved"),
        ({"unobserved": "pairs.csv"}, ArgumentTypeError, "unobserved"),
        ({"unobserved": PAIRS, "observed": PAIRS}, ArgumentError, "both"),
        ({"unobserved": PAIRS, "d": "elbow"}, ArgumentError, "n_components"),
        ({"unobserved": PAIRS, "augment_diagonal": True}, ArgumentError, "augment_diagonal"),
        ({"unobserved": PAIRS, "which": "SM"}, ArgumentError, "which"),
        ({"unobserved": PAIRS, "d": 40}, ArgumentError, "n_components"),
    ],
)
def test_wrong_pairs_are_refused(given, error, word):
    with pytest.raises(error, match=word):
        completed(**given).fit(KARATE)
    for other in (lp.LaplacianSpectralEmbedding(2), completed(), "ase"):
        with pytest.raises(ArgumentTypeError, match="embedding is"):
            lp.CompletedEmbedding(other, unobserved=PAIRS).fit(KARATE)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("aligned", [False, True])
def test_training_rows_get_their_positions(directed, weighted, aligned):
    graph = lp.stochastic_block_model([60, 60], [[0.6, 0.1], [0.2, 0.5]], directed=True, random_state=0)
    A = graph.adjacency.toarray()
    A = (A if directed else np.triu(A, 1) + np.triu(A, 1).T) * (2.5 if weighted else 1.0)
    hidden = np.random.default_rng(1).random((120, 120)) < 0.3 if directed else hidden_pairs("random", 120, 1)
    earlier = ASE(2).fit(A) if aligned else None
    model = completed(unobserved=hidden, tol=1e-9, align_to=earlier).fit(A)
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
    # By a list of pairs the same; without unobserved pairs, the ordinary rule.
    assert np.array_equal(model.transform({"a": new["a"]}, unobserved=[("a", "m33"), ("a", "m9")])[0], found[0])
    assert np.array_equal(found[2], model.transform(new)[2])
    assert np.array_equal(model.transform(new, unobserved={}), model.transform(new))
    found = model.transform(new, unobserved=[("a", "m33"), ("m1", "m2")])  # pairs of known vertices do not count
    assert np.array_equal(found, model.transform(new, unobserved={"a": ["m33"]}))
    for given, error, word in (
        ({"observed": {"a": ["m0", "m1"], **dict.fromkeys("bc", KARATE)}}, ArgumentError, "'a' do not"),
        ({"observed": {"a": ["m0"]}}, ArgumentError, "'b' are unobserved"),
        ({"unobserved": {"z": ["m0"]}}, UnknownVertexError, "'z'"),
        ({"unobserved": np.zeros((2, 34))}, ArgumentError, "shape"),
        ({"unobserved": [("m1", "m2")]}, ArgumentError, "of new are known"),
    ):
        with pytest.raises(error, match=word):
            model.transform(new, **given)
    with pytest.raises(NotFittedError):
        ASE(2).transform(new, unobserved={"a": ["m0"]})


NEW = {"a": ["m0", "m1", "m2", "m33"], "b": ["m5"]}
HIDDEN = {"a": ["m33", "m9"], "b": ["m6", "m7", "m8"]}
#: Models with the positions of an adjacency embedding.
USERS = [
    ASE(2),
    completed(unobserved=PAIRS),
    lp.OutOfSample(ASE(2)),
    lp.VertexClassifier(ASE(2), features=("unit_rows", "neighbor_labels")),
    lp.VertexClustering(ASE(2), 2, method="gaussian"),
]


@pytest.mark.parametrize("model", USERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("directed", [False, True])
def test_every_model_with_these_positions_takes_what_it_has_read(model, directed):
    graph, new, sides = KARATE, NEW, ["out"]
    if directed:
        arcs = [(v, u) for v, known in NEW.items() for u in known]
        graph, new, sides = KARATE.to_directed(), nx.DiGraph([*arcs, ("m4", "a")]), ["out", "in"]
    model = sklearn.clone(model).fit(graph, SIDES)
    inner, vertices = getattr(model, "fitted_embedding_", model), model.read_new(new, unobserved=HIDDEN)
    wanted = [inner.transform(new, unobserved=HIDDEN, direction=side) for side in sides]
    assert not np.allclose(wanted[0], inner.transform(new))
    assert np.array_equal(model.transform(vertices), wanted[0])
    titles = ["ase0", "ase1", "ase_in0", "ase_in1"][: 2 * len(sides)]
    assert np.array_equal(model.transform_table(vertices)[titles].to_numpy(), np.hstack(wanted))
    if hasattr(model, "mixture_") and not directed:
        assert np.array_equal(model.predict_proba(vertices), model.mixture_.predict_proba(wanted[0]))


@pytest.mark.parametrize(
    ("use", "word"),
    [
        (lambda ase, v: lp.OutOfSample(ase, rule="batch").transform(v), "unobserved"),
        (lambda ase, v: lp.OutOfSample(ase, rule="likelihood").transform(v), "unobserved"),
        (lambda ase, v: lp.infer.same_position(ase, "m3", v), "unobserved"),
        (lambda ase, v: lp.VertexClassifier(ASE(2)).fit(KARATE, SIDES).predict(v), "features="),
        (lambda ase, v: lp.VertexClassifier().fit(KARATE, SIDES).predict(v), "LaplacianSpectralEmbedding"),
        (lambda ase, v: lp.VertexClustering(ASE(2), 2).fit(KARATE).predict(v), "gaussian"),
        (lambda ase, v: lp.ModularityEmbedding(2).fit(KARATE).transform(v), "ModularityEmbedding"),
    ],
)
def test_other_uses_of_unobserved_pairs_are_refused_by_name(use, word):
    ase = ASE(2).fit(lp.as_adjacency(KARATE, weight=None))
    with pytest.raises(ArgumentError, match=word):
        use(ase, ase.read_new(NEW, unobserved=HIDDEN))


def test_dimensions_are_chosen_by_held_out_edges():
    graph = lp.stochastic_block_model([100, 100], [[0.3, 0.05], [0.05, 0.3]], random_state=0)
    hidden = np.zeros((200, 200), dtype=bool)
    hidden[:60, 100:160] = hidden[100:160, :60] = True
    model = completed(None, unobserved=hidden).fit(graph)
    assert model.embedding_.shape == (200, 2)
    assert model.dimension_choice_.rule == "eigenvalue_cv"
    aligned = completed(None, unobserved=hidden, align_to=ASE(3).fit(graph)).fit(graph)
    assert aligned.embedding_.shape == (200, 3)


@pytest.mark.parametrize(
    ("kind", "degree", "low", "high"), [("random", 120, 0.75, 0.87), ("block", 120, 0, 0.5), ("random", 10, 0, 1)]
)
def test_errors_beside_those_of_rescaled_zeros(kind, degree, low, high):
    # Theory for large n, with q = 0.7 and p = 0.5 or 0.1: sum p (1 - p) / sum p (1 - q p) = 0.17 / 0.209 = 0.81.
    # A ratio has a standard deviation of 0.02 to 0.03, the mean of four of at most 0.015: four of these.
    # At a mean degree of 10 least squares alone has a ratio of about 1 here.
    P, found = np.kron([[0.5, 0.1], [0.1, 0.5]], np.ones((200, 200))) * degree / 120, []
    for seed in range(4):
        A = np.triu(np.random.default_rng(seed).random((400, 400)) < P, 1).astype(float)
        hidden = hidden_pairs(kind, 400, 1000 + seed)
        A = np.where(hidden, 0, A + A.T)
        models = completed(unobserved=hidden).fit(A), ASE(2).fit(A / (1 - hidden.mean()))
        errors = [(((X.embedding_ * X.signature_) @ X.embedding_.T - P) ** 2).mean() for X in models]
        found.append(errors[0] / errors[1])
    assert low < np.mean(found) < high
    assert max(found) < 1


def test_covariances_need_all_pairs():
    model = completed(unobserved=PAIRS).fit(KARATE)
    for compute in (
        model.covariances,
        lambda: model.covariances(["m0"]),
        lambda: lp.OutOfSample(model).covariance({"new": ["m0", "m1", "m2"]}),
        lambda: lp.infer.same_position(model, "m0", "m1"),
        lambda: lp.infer.misfit(model),
    ):
        with pytest.raises(ArgumentError, match=r"unobserved pairs.*fit the embedding that it wraps"):
            compute()
