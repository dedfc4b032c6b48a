import numpy as np
import pytest
from scipy import stats

import lpgraph as lp
from lpgraph.errors import ProbabilityError

K, P, LPM = lp.kernels, lp.positions, lp.LatentPositionModel
MODEL = LPM(K.Gaussian(1.0), P.GaussianMixture([[1, 1], [-1, -1]], 1.0), sparsity=0.5)


def test_seeds_reproduce_graph_and_new_vertices():
    one, two, other = (MODEL.sample(100, random_state=seed) for seed in (3, np.random.default_rng(3), 4))
    assert (one.adjacency != two.adjacency).nnz == 0
    assert (one.positions == two.positions).all()
    assert (one.adjacency != other.adjacency).nnz > 0
    new, again = (graph.new_vertices(20, random_state=5) for graph in (one, two))
    assert (new.adjacency != again.adjacency).nnz == 0
    assert (new.among != again.among).nnz == 0


@pytest.mark.parametrize("directed", [False, True])
def test_new_vertices_have_their_probabilities(directed):
    # the columns of chi-square sums over 25 groups of cells: p-values of 3 matrices, each above 1e-5
    B = np.array([[0.8, 0.3], [0.1, 0.5]]) if directed else np.array([[0.8, 0.2], [0.2, 0.5]])
    model = LPM(K.BlockMatrix(B), P.BlockLabels([60, 40]), directed=directed)
    graph = model.sample(random_state=0)
    at, rng, repetitions = np.repeat([0, 1], [10, 15]), np.random.default_rng(1), 20
    sums = [0, 0, 0]
    for _ in range(repetitions):
        new = graph.new_vertices(random_state=rng, positions=at)
        assert (new.adjacency_in is None) == (not directed)
        inward = new.adjacency if new.adjacency_in is None else new.adjacency_in
        for k, part in enumerate((new.adjacency, inward, new.among)):
            sums[k] = sums[k] + part.toarray()
        assert not new.among.toarray().diagonal().any()
        assert directed or (new.among != new.among.T).nnz == 0
    to_known, to_new = np.ix_(at, graph.labels), np.ix_(at, at)
    cells = np.ones((25, 100), bool)
    among = ~np.eye(25, dtype=bool) if directed else np.triu(np.ones((25, 25), bool), 1)
    for total, p, kept in zip(sums, (B[to_known], B.T[to_known], B[to_new]), (cells, cells, among), strict=True):
        statistic = 0.0
        for value in np.unique(p[kept]):
            for group in np.array_split(rng.permutation(np.flatnonzero((p == value) & kept)), 5):
                mean = repetitions * value * len(group)
                statistic += (total.ravel()[group].sum() - mean) ** 2 / (mean * (1 - value))
        assert stats.chi2.sf(statistic, 5 * len(np.unique(p[kept]))) > 1e-5


def test_new_vertices_take_the_rows_that_follow():
    rows = np.linspace(0.1, 0.9, 10)
    model = LPM(K.DotProduct(), rows)
    graph = model.sample(6, random_state=0)
    new = graph.new_vertices(3, random_state=1)
    assert new.positions.ravel().tolist() == rows[6:9].tolist()
    assert new.adjacency.shape == (3, 6)
    assert set(model.sample(random_state=0).new_vertices(50, random_state=1).positions.ravel()) <= set(rows)


def test_probabilities_keep_the_kernel_on_the_diagonal():
    model = LPM(K.DotProduct(), [[2.0], [0.4]], sparsity=0.5)
    np.testing.assert_allclose(model.probabilities([[2.0], [0.4]]), [[2.0, 0.4], [0.4, 0.08]])
    np.testing.assert_allclose(model.probabilities([1.0], [0.1, 0.2]), [[0.05, 0.1]])
    with pytest.raises(ProbabilityError, match=r"pair \(0, 0\).* is 2"):
        model.probabilities([2.0], [2.0])


@pytest.mark.parametrize("directed", [False, True])
def test_conversions(directed):
    graph = lp.stochastic_block_model([6, 5], [[0.7, 0.2], [0.2, 0.7]], directed=directed, random_state=0)
    converted = graph.to_networkx(), graph.to_igraph()
    for other, attributes in zip(
        converted, (converted[0].nodes[10], converted[1].vs[10].attributes()), strict=True
    ):
        assert (lp.as_adjacency(other).matrix != graph.adjacency).nnz == 0
        assert attributes == {"position": (1.0,), "label": 1}
    assert "label" not in lp.erdos_renyi(3, 0.5, random_state=0).to_networkx().nodes[0]


def test_directed_functions_need_not_be_symmetric():
    graph = LPM(lambda x, y: (x < y.T) * 1.0, np.arange(5.0), directed=True).sample()
    assert (graph.adjacency.toarray() == np.triu(np.ones((5, 5)), 1)).all()
    new = graph.new_vertices(positions=[2.5])
    assert new.adjacency.toarray().tolist() == [[0, 0, 0, 1, 1]]
    assert new.adjacency_in.toarray().tolist() == [[1, 1, 1, 0, 0]]


B = [[0.5, 0.1], [0.1, 0.3]]
X = np.random.default_rng(0).dirichlet([1, 1, 1], 50)
Y = np.column_stack([np.linspace(0.5, 0.7, 40), np.linspace(-0.5, 0.5, 40)])
W = np.linspace(0.2, 1.2, 60)

# each named model, and the latent position model it is
SAME = [
    (lp.erdos_renyi, (50, 0.2), K.BlockMatrix([[0.2]]), np.zeros(50)),
    (lp.stochastic_block_model, ([30, 20], B), K.BlockMatrix(B), P.BlockLabels([30, 20])),
    (
        lp.degree_corrected_block_model,
        ([35, 25], B, W),
        K.DegreeCorrectedBlockMatrix(B),
        P.BlockWeights([35, 25], W),
    ),
    (lp.mixed_membership_block_model, (50, [0.3, 0.4], B), K.BlockMatrix(B), P.Dirichlet([0.3, 0.4])),
    (lp.random_dot_product_graph, (X,), K.DotProduct(), X),
    (lp.generalized_random_dot_product_graph, (Y, (1, 1)), K.IndefiniteDotProduct(1, 1), Y),
]


@pytest.mark.parametrize(("named", "arguments", "kernel", "positions"), SAME)
@pytest.mark.parametrize("directed", [False, True])
def test_a_named_model_is_a_latent_position_model(named, arguments, kernel, positions, directed):
    options = {"directed": directed} if named is lp.erdos_renyi else {"directed": directed, "sparsity": 0.3}
    graph = named(*arguments, **options, random_state=7)
    n = 50 if named is lp.mixed_membership_block_model else None
    expected = LPM(kernel, positions, **options).sample(n, random_state=7)
    assert (graph.adjacency != expected.adjacency).nnz == 0
    assert graph.directed == directed
    np.testing.assert_array_equal(graph.positions, expected.positions)
    np.testing.assert_array_equal(graph.labels, expected.labels)


def test_labels():
    assert lp.stochastic_block_model([2, 0, 1], np.full((3, 3), 0.5)).labels.tolist() == [0, 0, 2]
    mixed = lp.mixed_membership_block_model(20, [1.0, 1.0], B)
    assert (mixed.labels == mixed.positions.argmax(axis=1)).all()
    assert lp.erdos_renyi(3, 0.5).labels is None
