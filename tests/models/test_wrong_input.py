"""Wrong arguments of models, kernels, positions and weights: the type of the error, and what its message names."""

import numpy as np
import pytest
from scipy import stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, ProbabilityError

K, P, W, LPM = lp.kernels, lp.positions, lp.weights, lp.LatentPositionModel
B = [[0.5, 0.2], [0.2, 0.4]]
SKEW = [[0.1, 0.2], [0.3, 0.1]]
X = np.random.default_rng(0).random((20, 2))
MODEL = LPM(K.Gaussian(1.0), P.GaussianMixture([[1, 1], [-1, -1]], 1.0), sparsity=0.5)
DOT = K.DotProduct()


def rng():
    return np.random.default_rng(0)


def drawn(**options):
    return LPM(DOT, [0.5] * 9).sample(random_state=0).new_vertices(random_state=0, **options)


def weights(function):
    return lp.erdos_renyi(5, 1.0, edge_weights=function)


VALUES = [
    ("n=0", lambda: lp.erdos_renyi(0, 0.5)),
    ("p=1.2", lambda: lp.erdos_renyi(5, 1.2)),
    ("p=None and n_edges=None", lambda: lp.erdos_renyi(5)),
    ("p=0.5 and n_edges=3", lambda: lp.erdos_renyi(5, 0.5, n_edges=3)),
    ("n_edges=11", lambda: lp.erdos_renyi(5, n_edges=11)),
    ("n=10000000000", lambda: lp.erdos_renyi(10**10, n_edges=2)),
    ("sizes", lambda: lp.stochastic_block_model([5], B)),
    ("directed=True", lambda: lp.stochastic_block_model([5, 5], SKEW)),
    ("alpha", lambda: lp.mixed_membership_block_model(5, [1, 1, 1], B)),
    ("p + q", lambda: lp.generalized_random_dot_product_graph(X, (2, 1))),
    ("rho=1.1", lambda: MODEL.sample_pair(1.1, 9)),
    ("sparsity=0.0", lambda: LPM(DOT, [1.0], sparsity=0.0)),
    ("kernel is not symmetric", lambda: LPM(K.BlockMatrix(SKEW), [0, 1])),
    ("kernel is not symmetric", lambda: LPM(lambda x, y: 0.3 + 0.1 * (x > y.T), [0.0, 1.0]).sample()),
    ("n <= 2", lambda: LPM(DOT, [0.5, 0.5]).sample(3)),
    ("n=None", lambda: MODEL.sample()),
    ("m=None", lambda: drawn()),
    ("positions has 2 columns", lambda: drawn(positions=[[1.0, 1.0]])),
    ("m=2 but positions", lambda: drawn(m=2, positions=[[0.5]])),
    ("sigma=0.0", lambda: K.Gaussian(0.0)),
    ("alpha=-1", lambda: K.Binomial(-1.0)),
    ("c=0.0", lambda: K.InverseMultiquadric(0.0, 1.0)),
    ("beta=inf", lambda: K.InverseMultiquadric(1.0, np.inf)),
    ("p=-1", lambda: K.IndefiniteDotProduct(-1, 2)),
    ("p + q", lambda: K.IndefiniteDotProduct(0, 0)),
    ("high=nan", lambda: K.ClippedDotProduct(1, high=np.nan)),
    (
        "last column of positions[1, 1]",
        lambda: K.ClippedDotProduct(1, two_sided=True).prepare([[-1, 0, -1, 0], [-1, 0, -1, -0.1]]),
    ),
    ("B has shape (1, 2)", lambda: K.BlockMatrix([[0.1, 0.2]])),
    ("B[0, 0] is nan", lambda: K.BlockMatrix([[np.nan]])),
    ("x[0] is label 3", lambda: K.BlockMatrix(B)([3], [0])),
    ("x has 3 columns", lambda: K.BlockMatrix(B)([[1, 0, 0]], [[1, 0, 0]])),
    ("x[0, 1] is -1", lambda: K.BlockMatrix(B)([[1, -1.0]], [[1, 0]])),
    ("x[0, 1] is -2", lambda: K.DegreeCorrectedBlockMatrix(B)([[1, -2]], [[1, 1]])),
    ("x has 2 columns but y has 1", lambda: DOT([[1.0, 2.0]], [[1.0]])),
    ("x[0, 0] is nan", lambda: DOT([[np.nan]], [[1.0]])),
    ("x has shape (1, 1, 1)", lambda: DOT(np.zeros((1, 1, 1)), [1])),
    ("return (1, 2)", lambda: K.FunctionKernel(lambda x, y: x)([1], [1, 2])),
    ("m=3; pass m <= 2", lambda: P.Fixed(np.ones(5)).more(3, 3, rng())),
    ("positions[0, 0] is inf", lambda: P.Fixed([[np.inf]])),
    ("positions has shape (0, 2)", lambda: P.Fixed(np.zeros((0, 2)))),
    ("labels has shape (1,)", lambda: P.Fixed([1.0, 2.0], labels=[0])),
    ("(4, p)", lambda: P.as_positions(stats.wishart(3, np.eye(2))).initial(4, rng())),
    ("labels", lambda: P.as_positions(lambda n, rng: (np.ones(n), [1])).initial(4, rng())),
    ("alpha", lambda: P.Dirichlet([1.0])),
    ("covariances has shape (3, 3)", lambda: P.GaussianMixture([[0, 0]], np.eye(3))),
    ("covariances", lambda: P.GaussianMixture([[0, 0]], [[1, 2], [2, 1]])),
    ("sum 1.1", lambda: P.GaussianMixture([[0], [1]], 1.0, [0.5, 0.6])),
    ("sizes[1]=-1", lambda: P.BlockLabels([3, -1])),
    ("sizes=[0, 0]", lambda: P.BlockLabels([0, 0])),
    ("n=5", lambda: P.BlockLabels([2, 2]).initial(5, rng())),
    ("weights has 3 entries", lambda: P.BlockWeights([2, 2], [1, 1, 1])),
    ("weights[1] is -1", lambda: P.BlockWeights([1, 1], [1, -1])),
    ("mean", lambda: W.Poisson(1e300)),
    ("mean has shape (2,)", lambda: W.Normal([1, 2], 1)),
    ("std has entries from -2", lambda: W.Normal(0, -2)),
    ("edge_weights is not symmetric", lambda: lp.stochastic_block_model([5, 5], B, edge_weights=W.Poisson(SKEW))),
    ("mean has 1 rows", lambda: lp.stochastic_block_model([5, 5], B, edge_weights=W.Poisson([[1.0]]))),
    ("labels", lambda: weights(W.Poisson(B))),
    ("shape (1,)", lambda: weights(lambda e, r: [1.0])),
    ("nan", lambda: weights(lambda e, r: np.full(10, np.nan))),
    ("d <= 2", lambda: lp.feature_map(DOT, np.column_stack([X, X[:, 0]]), 3)),
    ("positive eigenvalue", lambda: lp.feature_map(K.IndefiniteDotProduct(0, 2), X, 1)),
    ("d=21", lambda: lp.feature_map(DOT, X, 21)),
    ("weights has 1 entries", lambda: lp.feature_map(DOT, X, 1, weights=[1.0])),
    ("not symmetric", lambda: lp.feature_map(K.BlockMatrix([[0, 1], [0, 0]]), [0, 1], 1)),
]
TYPES = [
    ("n_edges=2.0", lambda: lp.erdos_renyi(5, n_edges=2.0)),
    ("loops='yes'", lambda: lp.erdos_renyi(5, 0.5, loops="yes")),
    ("edge_weights='poisson'", lambda: weights("poisson")),
    ("pass an instance", lambda: weights(W.Poisson)),
    ("real numbers", lambda: weights(lambda e, r: ["a"] * 10)),
    ("rho='1'", lambda: MODEL.sample_pair("1", 9)),
    ("directed=1", lambda: LPM(DOT, [1.0], directed=1)),
    ("kernel='dot'", lambda: LPM("dot", [1.0])),
    ("random_state='seed'", lambda: MODEL.sample(3, random_state="seed")),
    ("dtype <U1", lambda: K.FunctionKernel(lambda x, y: np.array([["a"]]))([1], [1])),
    ("freeze it", lambda: P.as_positions(stats.beta)),
    ("positions='uniform'", lambda: P.as_positions("uniform")),
    ("Dirichlet", lambda: P.as_positions(P.Dirichlet)),
    ("neither rvs nor sample", lambda: P.Distribution(3)),
    ("sizes[1]", lambda: P.BlockLabels([3, 1.5])),
]
PROBABILITIES = [
    ("is 1.1", lambda: lp.stochastic_block_model([5, 5], [[0.1, 0.2], [0.2, 1.1]])),
    ("is 2.7", lambda: lp.degree_corrected_block_model([1, 1], [[0.5, 0.1], [0.1, 0.3]], [3.0, 9.0])),
    ("is 1.5", lambda: drawn(positions=[[3.0]])),
    ("B[0, 1] is -0.2", lambda: K.BlockMatrix([[0.1, -0.2], [0.2, 0.1]])),
    ("is inf", lambda: LPM(K.Binomial(1.0), [[1.0], [1.1], [0.0]], sparsity=0.1).sample(random_state=0)),
    ("inf for pair (1, 1)", lambda: lp.feature_map(K.Binomial(1.0), [[0.1], [2.0]], 1)),
]
CASES = [
    *((ArgumentError, *case) for case in VALUES),
    *((ArgumentTypeError, *case) for case in TYPES),
    *((ProbabilityError, *case) for case in PROBABILITIES),
]


@pytest.mark.parametrize(("error", "words", "make"), CASES)
def test_the_error_names_what_is_wrong(error, words, make):
    with pytest.raises(error) as told:
        make()
    assert words in str(told.value)
