"""Fits that are aligned to an earlier one; `test_every_method.py` has what is common to all methods."""

import copy

import networkx as nx
import numpy as np
import pandas
import pytest
from scipy.linalg import subspace_angles
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, NotFittedError

ASE = lp.AdjacencySpectralEmbedding
#: Two eigenvalues of either sign: groups 0 and 1 attract each other, as do 2 and 3; members of a group do not.
MIXED = np.kron([[1.0, 0.2], [0.2, 0.7]], [[0.1, 0.5], [0.5, 0.05]])
# For positions that are random or shuffled.
pytestmark = pytest.mark.filterwarnings("ignore:.* of . directions of align_to:lpgraph.errors.LpgraphWarning")


def thinned(graph, seed, share=0.9):
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


@pytest.fixture(scope="module")
def earlier():
    return ASE(4).fit(thinned(sampled(), 1))


@pytest.fixture(scope="module")
def graph():
    # Another order of the vertices, some new, some gone.
    found = thinned(sampled(), 2)
    found.remove_nodes_from(["v3", "v303"])
    found.add_edges_from([("new", "v1"), ("new", "v2")])
    mixed = nx.Graph()
    mixed.add_nodes_from(sorted(found))
    mixed.add_edges_from(found.edges)
    return mixed


def frame_of(model):
    return pandas.DataFrame(model.embedding_, index=model.vertex_names_)


def test_every_form_of_earlier_positions(earlier, graph, tmp_path):
    model, plain, path = ASE(align_to=earlier).fit(graph), ASE(4).fit(graph), tmp_path / "earlier.lpg"
    turn = model.alignment_.rotation
    assert not turn[np.not_equal.outer(plain.signature_, model.signature_)].any()
    lp.save(earlier, path)
    for form in [lp.load(path), FrozenEstimator(earlier), lp.OutOfSample(earlier)]:
        found = ASE(align_to=form).fit(graph)
        assert np.allclose(found.embedding_, model.embedding_, atol=1e-9), form
        assert (found.signature_ == earlier.signature_).all()
    wanted = ASE(which="LA", align_to=ASE(4, which="LA").fit(thinned(sampled(), 1))).fit(graph).embedding_
    frame = frame_of(ASE(4, which="LA").fit(thinned(sampled(), 1)))
    by_name = {name: list(row) for name, row in zip(frame.index, frame.to_numpy(), strict=True)}
    for form in [frame, frame.sample(frac=1, random_state=0), by_name]:
        assert np.allclose(ASE(which="LA", align_to=form).fit(graph).embedding_, wanted, atol=1e-9), form


def test_estimates_for_new_vertices_are_rotated_with_the_positions(earlier, graph):
    plain, model = ASE(4).fit(graph), ASE(align_to=earlier).fit(graph)
    turn = model.alignment_.rotation
    new = plain.read_new({"x": ["v1", "v2", "v150"], "y": ["v101", "v350", "v399", "v2"]})
    pair = nx.Graph([("x", "y"), ("x", "v1")])
    # The batch is an iteration with a tolerance of its own.
    for rule, given, atol in (("least_squares", new, 1e-9), ("likelihood", new, 1e-9), ("batch", pair, 1e-5)):
        one, two = (lp.OutOfSample(m, rule=rule).transform(given) for m in (plain, model))
        assert np.allclose(two, one @ turn, atol=atol)
    one, two = (lp.OutOfSample(m).covariance(new) for m in (plain, model))
    assert np.allclose(two, turn.T @ one @ turn, atol=1e-9 * abs(one).max())


def test_directed_positions_by_name():
    first = sampled(directed=True, matrix=[[0.5, 0.1, 0.3], [0.1, 0.4, 0.1], [0.05, 0.2, 0.4]])
    earlier, graph = ASE(3).fit(thinned(first, 1)), thinned(first, 2)
    model = ASE(3, align_to=earlier).fit(graph)
    both = np.hstack([model.embedding_ - earlier.embedding_, model.embedding_in_ - earlier.embedding_in_])
    lengths = dict(zip(model.vertex_names_, np.linalg.norm(both, axis=1), strict=True))
    moved = model.moved(None)
    assert np.allclose(moved["distance"], [lengths[name] for name in moved["name"]])
    # Positions as sources are enough, and rotate nearly alike.
    by_name = ASE(align_to=frame_of(earlier)).fit(graph)
    assert np.abs(by_name.embedding_ - model.embedding_).max() < 0.1 * np.abs(model.embedding_).max()


def test_the_earlier_number_of_each_sign_is_taken(earlier, graph):
    dense, given = np.linalg.eigvalsh(nx.to_numpy_array(graph, weight=None)), copy.copy(earlier)
    for p, q in ((4, 0), (3, 1), (1, 5)):
        given.embedding_ = np.random.default_rng(0).standard_normal((400, p + q))
        given.signature_ = np.repeat([-1, 1], [q, p])
        model = ASE(align_to=given).fit(graph)
        wanted = np.r_[dense[-p:], dense[:q]]
        assert np.allclose(model.eigenvalues_, wanted[np.argsort(-abs(wanted))])
        assert (model.signature_ == given.signature_).all()
    complete = nx.relabel_nodes(nx.complete_graph(9), lambda v: f"v{v}")  # one positive eigenvalue, eight negative
    given.embedding_, given.signature_ = given.embedding_[:, :4], np.array([1, 1, 1, -1])
    with pytest.raises(ArgumentError, match=r"3 positive and 1 negative eigenvalues, .* has 1 and 8"):
        ASE(align_to=given).fit(complete)


def test_inner_embeddings_and_clones_keep_it(earlier, graph):
    labels = {f"v{i}": i // 100 for i in range(0, 400, 4)}
    first = lp.VertexClassifier(ASE(align_to=earlier), features="positions", select_features=False)
    direct = ASE(align_to=earlier, random_state=np.random.default_rng(0))
    copied = clone(direct)
    assert copied.align_to is direct.align_to
    assert copied.random_state is not direct.random_state
    wanted = ASE(align_to=earlier).fit(graph).embedding_
    assert np.array_equal(clone(first).fit(graph, labels).embedding_, wanted)
    assert np.array_equal(lp.OutOfSample(ASE(align_to=lp.OutOfSample(earlier))).fit(graph).embedding_, wanted)
    assert not hasattr(clone(copied.fit(graph)), "embedding_")


@pytest.mark.parametrize("directed", [True, False])
def test_it_is_saved_without_a_chain_of_earlier_models(directed, tmp_path):
    path, sizes, network = tmp_path / "model.lpg", [], sampled(directed)
    model = ASE(3).fit(network)
    for seed in (1, 2):
        model = ASE(align_to=model).fit(thinned(network, seed))
        lp.save(model, path)
        sizes.append(path.stat().st_size)
        loaded = lp.load(path)
        assert np.array_equal(clone(loaded).fit(thinned(network, seed)).embedding_, model.embedding_)
        model = loaded
    assert max(sizes) < 1.05 * min(sizes)
    # Wrappers have the method of what they wrap, and keep its align_to.
    wrapped = lp.CompletedEmbedding(ASE(align_to=model)).fit(network)
    assert ASE(align_to=wrapped).fit(network).moved(1)["ratio"][0] < 1e-3


def test_what_moved_is_first():
    before = sampled(matrix=0.1 + 0.4 * np.eye(4))
    graph, rng = before.copy(), np.random.default_rng(0)
    for name in ("v5", "v17"):  # from the first block to the second
        graph.remove_edges_from(list(graph.edges(name)))
        other = rng.random(400) < np.where(np.arange(400) // 100 == 1, 0.5, 0.1)
        graph.add_edges_from((name, f"v{i}") for i in np.flatnonzero(other))
    earlier = ASE(4).fit(before)
    moved = ASE(align_to=earlier).fit(graph).moved(None)
    assert set(moved["name"][:2]) == {"v5", "v17"}
    assert moved["ratio"][1] > 5 * moved["ratio"][2]
    same = ASE(align_to=earlier).fit(before)
    assert max(same.moved(1)["ratio"]) < 1e-3
    assert np.allclose(same.embedding_, earlier.embedding_, atol=1e-9)


def test_degrees_and_neighbors_that_changed():
    before, graph = sampled(), thinned(sampled(), 1, 0.8)
    graph.remove_node("v8")
    graph.add_weighted_edges_from([("v5", "new", 3.0), ("new", "v6", 1.0)])
    earlier = ASE(4).fit(before)
    moved = ASE(align_to=earlier).fit(graph).moved(None).set_index("name")
    assert len(moved) == 399
    assert moved["degree_change"]["v5"] == graph.degree("v5", weight="weight") - before.degree("v5")
    assert moved["changed_neighbors"]["v5"] == len(set(graph["v5"]) ^ set(before["v5"]))
    by_name = frame_of(ASE(2, which="LA").fit(graph))
    assert list(ASE(which="LA", align_to=by_name).fit(graph).moved().columns) == ["name", "distance", "ratio"]


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
    earlier, later = ASE(3, which="LA").fit(network(one, 0)), network(other, 1)
    with pytest.warns(LpgraphWarning, match=r"1 of 3 directions of align_to .* n_components=2"):
        model = ASE(which="LA", align_to=earlier).fit(later)
    cosines = model.alignment_.cosines
    # Against scipy, on the columns of both sides.
    a, b = (np.vstack([m.embedding_, m.embedding_in_]) if directed else m.embedding_ for m in (model, earlier))
    assert np.allclose(cosines[::-1], np.sort(np.cos(subspace_angles(a, b))), atol=1e-7)
    assert cosines[2] < 0.3 < 0.9 < cosines[1]
    # Most of the squared movement is in the lost direction; the rest is as in two dimensions.
    movement = (model.alignment_.distances**2).sum()
    assert movement < 0.25 * ((a - b) ** 2).sum()
    flat = ASE(which="LA", align_to=ASE(2, which="LA").fit(network(one, 0))).fit(later)
    assert movement == pytest.approx((flat.alignment_.distances**2).sum(), rel=0.25)


def test_wrong_arguments_are_refused(earlier, graph):
    frame = frame_of(earlier)
    flat = pandas.DataFrame(np.repeat(earlier.embedding_[:1], 400, axis=0), index=earlier.vertex_names_)
    cases = [
        ((3, earlier), {}, ArgumentError, "n_components"),
        (("elbow", frame.iloc[:, :1]), {"which": "LA"}, ArgumentError, "n_components"),
        ((4, ASE(4, which="LA").fit(graph)), {}, ArgumentError, "2 eigen.*has 0"),
        ((None, earlier), {"which": "LA"}, ArgumentError, "0 eigen.*has 2"),
        ((None, frame), {}, ArgumentError, "signs of align_to"),
        ((None, lp.LaplacianSpectralEmbedding(4).fit(graph)), {}, ArgumentError, "by Lapl.* of Adj"),
        ((None, frame.set_axis(range(1000, 1400))), {}, ArgumentError, "0 common names"),
        ((None, flat), {"which": "LA"}, ArgumentError, "span 1 of 4"),
        ((None, ASE(2)), {}, NotFittedError, "align_to"),
        ((None, ASE), {}, ArgumentTypeError, "align_to"),
        ((None, frame * np.nan), {}, ArgumentError, "align_to"),
        ((None, "model.lpg"), {}, ArgumentTypeError, "align_to"),
    ]
    for (d, given), options, error, word in cases:
        model = ASE(d, align_to=given, **options)
        with pytest.raises(error, match=word):
            model.fit(graph)
        assert not hasattr(model, "embedding_")
    for model, n, error in ((earlier, 1, ArgumentError), (ASE(), 1, NotFittedError), (None, -1, ArgumentError)):
        with pytest.raises(error):
            (model or ASE(align_to=earlier).fit(graph)).moved(n)
