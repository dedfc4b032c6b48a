"""Rules for the number of dimensions that hold out edges of a store, or flip their signs."""

import os

import numpy as np
import pytest
from scale.small_stores import KINDS, N, StopError

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.scale import build_store, edge_numbers
from lpgraph.scale.edge_numbers import DerivedWeights, EdgeFactors
from lpgraph.scale.lanczos import Search
from lpgraph.scale.resources import Resources

BLOCKS = 5  # of all networks


def numbers(u, v, seed=0, order="lower"):
    return edge_numbers.edge_numbers(np.asarray(u), np.asarray(v), seed, order)


def test_numbers_of_edges_do_not_depend_on_the_direction():
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, 2**40, (2, 1000))
    np.testing.assert_array_equal(numbers(u, v), numbers(v, u))
    np.testing.assert_array_equal(numbers(u, v, order="row"), numbers(v, u, order="column"))
    assert np.abs(numbers(u, v, order="row") - numbers(v, u, order="row")).min() > 0


@pytest.mark.parametrize(
    ("u", "v"),
    [
        (np.repeat(np.arange(200), 500), np.tile(np.arange(200, 700), 200)),
        (np.zeros(100_000, dtype=int), np.arange(100_000)),
        (np.arange(100_000), np.arange(100_000) + 1),
        (np.arange(100_000) * 4096, np.arange(100_000) * 4096),
    ],
    ids=["block", "hub", "path", "loops"],
)
def test_numbers_of_regular_edges_are_uniform_and_independent(u, v):
    first, second = numbers(u, v, 0), numbers(u, v, 1)
    counts = np.histogram2d(first, second, bins=10, range=[[0, 1], [0, 1]])[0]
    # chi-squared with 99 degrees of freedom exceeds 170 with a probability of 1e-5.
    assert ((counts - 1000) ** 2 / 1000).sum() < 170
    # The correlation of successive numbers has the standard deviation 0.003.
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.015


@pytest.mark.parametrize("order", ["lower", "row", "column"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("squares", [False, True])
def test_derived_weights_are_those_of_the_numbers(order, weighted, squares, monkeypatch):
    monkeypatch.setattr(edge_numbers, "_PIECE", 7)
    rng = np.random.default_rng(0)
    lengths = np.r_[0, 0, rng.integers(0, 12, 40), 0]
    indptr = (5 + np.r_[0, np.cumsum(lengths)]).astype(np.uint32)  # a second tile of a partition
    indices = rng.integers(0, 50_000, int(indptr[-1])).astype(np.uint32)
    stored = rng.random(len(indices)) if weighted else np.empty(0)
    factors = EdgeFactors(11, 0.2, 0.6, -1.5, 2.0)
    row, place, found = 1000, 5, []
    for low, own, columns, weights in DerivedWeights(stored, row, order, factors, squares).pieces(indptr, indices):
        assert own[0] == 0
        assert own[-1] == len(columns) == len(weights)
        assert indptr[low] == place
        np.testing.assert_array_equal(columns, indices[place : place + len(columns)])
        place += len(columns)
        found.append(weights)
    assert place == indptr[-1]
    assert len(found) > 5
    rows = row + np.repeat(np.arange(len(lengths)), lengths)
    number = numbers(rows, indices[5:], 11, order)
    expected = np.where((number >= 0.2) & (number < 0.6), -1.5, 2.0) * (stored[5:] if weighted else 1.0)
    np.testing.assert_array_equal(np.concatenate(found), expected**2 if squares else expected)


@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_a_store_are_disjoint_and_together_the_whole(networks, kind):
    graph, store = networks[kind]
    every = np.arange(N)
    held_out = []
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 1.0)):
        kept, test = store.split(low, high, 3)
        held_out.append(test.restricted(every))
        share = high - low
        # Each entry is held out with this probability: five standard deviations of the number of edges.
        edges, slack = held_out[-1].nnz, 5 * np.sqrt(2 * store.n_entries * share * (1 - share))
        assert abs(edges - share * store.n_entries) < slack
        if share < 1:
            both = kept.product.restricted(every) * (1 - share) + held_out[-1]
            assert abs(both - graph.matrix).max() < 1e-12
        if not graph.directed:
            assert (held_out[-1] != held_out[-1].T).nnz == 0
    assert (sum(held_out) != graph.matrix).nnz == 0
    assert sum(part.nnz for part in held_out) == store.n_entries


@pytest.mark.parametrize("kind", KINDS)
def test_products_of_parts_are_those_of_their_matrices(networks, kind):
    _, store = networks[kind]
    every, block = np.arange(N), np.random.default_rng(0).standard_normal((N, 3))
    kept, test = store.split(0.0, 0.1, 3)
    for matrix in (kept.product, test, kept.product.squared(), store.with_signs(5), store.product.squared()):
        expected = matrix.restricted(every)
        np.testing.assert_allclose(matrix @ block, expected @ block, atol=1e-10)
        np.testing.assert_allclose(matrix.T @ block, expected.T @ block, atol=1e-10)
    part = kept.product.restricted(every)
    np.testing.assert_allclose(kept.degrees, part.sum(axis=1), atol=1e-10)
    np.testing.assert_allclose(kept.in_degrees, part.sum(axis=0), atol=1e-10)
    signs = store.with_signs(5).restricted(every)
    assert abs(abs(signs) - store.product.restricted(every)).max() == 0
    assert abs((signs.data < 0).mean() - 0.5) < 5 * 0.5 / np.sqrt(store.n_edges / 2)


def test_loops_of_a_part_are_held_out_like_other_edges(tmp_path):
    graph = lp.as_adjacency(np.ones((60, 60)))
    kept, test = build_store(graph, tmp_path / "loops").split(0.0, 0.3, 0)
    loops = kept.product.restricted(np.arange(60)).diagonal()
    np.testing.assert_allclose(kept.diagonal, loops)
    np.testing.assert_allclose(0.7 * loops + test.restricted(np.arange(60)).diagonal(), 1.0)
    assert 0 < (loops == 0).sum() < 40
    with pytest.raises(ArgumentError, match="An edge store keeps the loops"):
        kept.with_diagonal(np.zeros(60))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("memory", "power_of_squares", "single"), [(10**9, 2, True), (1000, 0, False)])
def test_quadratic_forms_of_a_store(networks, kind, memory, power_of_squares, single):
    graph, store = networks[kind]
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal(((2 if graph.directed else 1) * N, 6))
    scales = rng.random(N), rng.random(N)
    if not graph.directed:
        scales = scales[0], scales[0]
    store = store.using()
    store.resources = Resources(memory)  # of 1000 bytes, four columns are multiplied at a time
    _, test = store.split(0.0, 0.1, 3)
    found = test.forms(
        store.product.squared(), scales, vectors, two_sided=graph.directed, power=power_of_squares, single=single
    )
    held_out, squares = test.restricted(np.arange(N)), graph.matrix.multiply(graph.matrix).tocsr()
    for matrix, power, squared, of_form in (
        (held_out, 1, 1, found[0]),
        (squares, power_of_squares, 2, found[1]),
    ):
        x = vectors**power
        left, right = scales[0] ** squared, scales[1] ** squared
        scaled = matrix.multiply(left[:, None]).multiply(right).tocsr()
        sides = (2 * x[:N], x[N:]) if graph.directed else (x, x)
        np.testing.assert_allclose(
            of_form, (sides[0] * (scaled @ sides[1])).sum(axis=0), rtol=1e-5 if single else 1e-10
        )


METHODS = {
    "adjacency": (lp.AdjacencySpectralEmbedding, KINDS, BLOCKS),
    "laplacian": (lp.LaplacianSpectralEmbedding, KINDS, BLOCKS),
    "modularity": (lp.ModularityEmbedding, ["undirected", "weighted"], BLOCKS - 1),
    "walk": (lp.RandomWalkEmbedding, ["undirected"], BLOCKS - 1),
}


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, (_, kinds, _) in METHODS.items() for kind in kinds]
)
def test_the_default_number_of_dimensions_is_that_of_the_blocks(networks, name, kind):
    graph, store = networks[kind]
    method, _, count = METHODS[name]
    found = method().fit(store)
    assert found.dimension_choice_.rule == "eigenvalue_cv"
    assert found.embedding_.shape == (N, count)
    in_memory = [method(random_state=seed).fit(graph).dimension_choice_ for seed in range(6)]
    assert {choice.n_components for choice in in_memory} == {count}
    z, others = found.dimension_choice_.z, np.array([choice.z[:count] for choice in in_memory])
    # Of equal eigenvalues the basis is arbitrary: sums are compared, within six standard errors of one split.
    assert abs(z[:count].sum() - others.sum(axis=1).mean()) < 6 * max(others.sum(axis=1).std(ddof=1), 1.0)
    assert z[count:].max() < 4


@pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="needs LPGRAPH_DATA")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["cora", "email_eu"])
def test_the_rule_is_that_in_memory_on_real_networks(tmp_path, name):
    graph = lp.largest_component(getattr(lp.datasets, name)().graph)
    store, joint = build_store(graph, tmp_path / name), []
    for network in (graph, store):
        fits = [lp.AdjacencySpectralEmbedding(random_state=seed).fit(network) for seed in range(4)]
        joint.append(lp.infer.dimension.joint_dimension([fit.dimension_choice_ for fit in fits]))
    # The mean statistic of four splits has half the standard deviation of one: a few vectors are near the limit.
    assert abs(joint[0] - joint[1]) <= max(1, 0.25 * joint[0])


def test_the_rule_holds_its_level_without_structure(tmp_path):
    graph = lp.erdos_renyi(3000, 0.01, random_state=0)
    found = lp.AdjacencySpectralEmbedding().fit(build_store(graph, tmp_path / "store"))
    assert found.embedding_.shape == (3000, 1)
    assert np.abs(found.dimension_choice_.z[1:]).max() < 5


def test_many_blocks_take_several_looks(tmp_path):
    groups = 12
    probabilities = 0.005 + np.diag(np.linspace(0.15, 0.35, groups))
    graph = lp.stochastic_block_model([250] * groups, probabilities, random_state=0)
    found = lp.AdjacencySpectralEmbedding().fit(build_store(graph, tmp_path / "store"))
    assert found.embedding_.shape == (3000, groups)
    assert len(found.dimension_choice_.z) > 16


@pytest.mark.parametrize("edges_in_all", [1500, 6000], ids=["ten parts", "five parts"])
def test_small_stores_are_divided_as_networks_in_memory(tmp_path, edges_in_all):
    n = 500
    p = 2 * edges_in_all / n**2
    graph = lp.stochastic_block_model([n // 2] * 2, [[1.8 * p, 0.2 * p], [0.2 * p, 1.8 * p]], random_state=0)
    found = lp.LaplacianSpectralEmbedding().fit(build_store(graph, tmp_path / "store"))
    assert found.embedding_.shape == (n, 2)
    np.testing.assert_allclose(
        found.dimension_choice_.z[:2],
        lp.LaplacianSpectralEmbedding().fit(graph).dimension_choice_.z[:2],
        rtol=0.15,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["undirected", "directed"])
def test_sign_flips_of_a_store(networks, kind):
    graph, store = networks[kind]
    found = lp.AdjacencySpectralEmbedding("sign_flips").fit(store).dimension_choice_
    expected = lp.AdjacencySpectralEmbedding("sign_flips").fit(graph).dimension_choice_
    assert found.n_components == expected.n_components == BLOCKS
    np.testing.assert_allclose(found.edges.mean(), expected.edges.mean(), rtol=0.02)


def test_residuals_are_not_tested_out_of_memory(networks):
    _, store = networks["undirected"]
    with pytest.raises(ArgumentError, match=r"not an adjacency matrix in memory.*'eigenvalue_cv'"):
        lp.AdjacencySpectralEmbedding("residual_subsampling").fit(store)


def test_the_choice_does_not_depend_on_threads_or_memory(networks, monkeypatch, tmp_path):
    _, store = networks["directed"]
    bits = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        bits.append(lp.LaplacianSpectralEmbedding().fit(store).dimension_choice_.z)
    np.testing.assert_array_equal(bits[0], bits[1])
    limited = store.using(scratch=tmp_path)
    limited.resources = Resources(8 * 4 * 4 * 2 * N, tmp_path)
    assert lp.LaplacianSpectralEmbedding().fit(limited).embedding_.shape == (N, BLOCKS)


@pytest.mark.parametrize("rule", [None, "elbow"])
def test_a_fit_with_a_rule_goes_on_from_its_checkpoint(networks, tmp_path, monkeypatch, rule):
    _, store = networks["undirected"]
    method = lp.AdjacencySpectralEmbedding(rule)
    step, ran = Search.step, []

    def counted(self):
        ran.append(1)
        step(self)

    monkeypatch.setattr(Search, "step", counted)
    expected, whole = method.fit(store).embedding_, len(ran)
    saving = store.using(checkpoint=tmp_path / "state")

    def stopped(self):
        if len(list((tmp_path / "state").glob("block-*-0.npy"))) == 5:
            raise StopError
        counted(self)

    monkeypatch.setattr(Search, "step", stopped)
    with pytest.raises(StopError):
        method.fit(saving)
    monkeypatch.setattr(Search, "step", counted)
    ran.clear()
    np.testing.assert_array_equal(method.fit(saving).embedding_, expected)
    assert len(ran) == whole - 4  # the number of dimensions is chosen again
    assert not (tmp_path / "state").exists()
