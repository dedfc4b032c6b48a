"""The loss of Bengio et al. (2004), Section 5, compared with its definition and its limit."""

import numpy as np
import pytest
from scipy.special import ive
from sklearn.datasets import make_s_curve

import lpgraph as lp
from lpgraph.errors import ArgumentError, NotFittedError
from lpgraph.metrics import reconstruction_loss

X = make_s_curve(120, random_state=0)[0]
NEW = make_s_curve(30, random_state=1)[0]
FITTED = lp.manifold.ClassicalMDS(2).fit(X)

MODELS = [
    *(lp.manifold.ClassicalMDS(2, metric="chebyshev", landmarks=m) for m in (None, 40)),
    *(lp.manifold.KernelPCA(2, kernel="rbf", landmarks=m) for m in (None, 40)),
    *(lp.manifold.Isomap(2, n_neighbors=7, landmarks=m) for m in (None, 40)),
    *(lp.manifold.DiffusionMap(2, solver=solver) for solver in ("auto", "inverse")),
    *(lp.manifold.LaplacianEigenmaps(2), lp.manifold.SpectralClustering(2), lp.manifold.ClassicalMDS(2)),
    lp.manifold.LocallyLinearEmbedding(2, n_neighbors=8, c=4.0),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_loss_is_its_definition(model):
    model = model.fit(X)
    kernel = model.kernel_rows_
    n = kernel.operator.shape[0]
    K, R = kernel.operator @ np.eye(n), kernel.kernel_rows(NEW) @ np.eye(n)
    if kernel.trivial is not None:
        away = np.eye(n) - np.outer(kernel.trivial, kernel.trivial)
        K, R = away @ K @ away, R @ away
    values, vectors = np.linalg.eigh(K)
    trained, new = reconstruction_loss(model, n_components=2), reconstruction_loss(model, NEW, 2)
    for order, name in [(np.argsort(-values), "positive"), (np.argsort(-np.abs(values)), "magnitude")]:
        for m in range(3):
            l, v = values[order[:m]], vectors[:, order[:m]]
            # The eigenfunctions of a new point by Nystrom's formula, as the definition has them.
            for loss, rows in ((trained, K), (new, R)):
                expected = np.mean((rows - (rows @ v / l) @ np.diag(l) @ v.T) ** 2)
                assert getattr(loss, name)[m] == pytest.approx(expected, rel=1e-8)
    assert (trained.held_out, new.held_out) == (False, True)


def test_the_optimum_orders_by_magnitude_and_embeddings_do_not():
    # Shortest paths on a cycle: a large negative eigenvalue, which no embedding can use and the optimum does.
    i = np.arange(12)
    D = np.minimum((i[:, None] - i) % 12, (i - i[:, None]) % 12).astype(float)
    model = lp.manifold.ClassicalMDS(2, metric="precomputed").fit(D)
    loss = reconstruction_loss(model, n_components=4)
    assert (np.diff(loss.positive) < 0).all()
    assert (loss.magnitude <= loss.positive + 1e-12).all()
    assert loss.magnitude[4] < 0.9 * loss.positive[4]
    assert loss.relative[0] == 1


def test_the_monte_carlo_loss_converges_for_a_gaussian_kernel_on_the_circle():
    # Uniform points on a circle: exp(-g |x - y|^2) has the eigenvalues exp(-2 g) I_k(2 g), twice each for k >= 1;
    # centring takes out k = 0. I_k scaled by exp(-z) is scipy's ive.
    g = 1.5
    squares = np.repeat(ive(np.arange(1, 30), 2 * g) ** 2, 2)
    expected = squares[::-1].cumsum()[::-1][:5]
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, (2, 1500))
    points, new = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    model = lp.manifold.KernelPCA(4, kernel="rbf", gamma=g).fit(points)
    # Some percent of chance at n = 1500 (1 / sqrt(n) = 0.026), more for the small tail.
    assert np.allclose(reconstruction_loss(model).positive, expected, rtol=0.15)
    assert np.allclose(reconstruction_loss(model, new).positive, expected, rtol=0.15)


@pytest.mark.parametrize(
    ("error", "name", "arguments"),
    [
        (ArgumentError, "c=None", (lp.manifold.LocallyLinearEmbedding(2, n_neighbors=8).fit(X),)),
        (NotFittedError, "fit", (lp.manifold.ClassicalMDS(2),)),
        (ArgumentError, "n_components=4.*<= 3", (FITTED, None, 4)),
        (ArgumentError, "n_components=200", (FITTED, None, 200)),
        (ArgumentError, "X", (FITTED, X[:0])),
    ],
)
def test_wrong_arguments(error, name, arguments):
    with pytest.raises(error, match=name):
        reconstruction_loss(*arguments)
