"""Local tangent space alignment against its definition, scikit-learn and exact cases."""

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse
from sklearn.manifold import LocallyLinearEmbedding as SklearnLLE

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError, LpgraphWarning
from lpgraph.manifold import LocalTangentSpaceAlignment

RNG = np.random.default_rng(0)


def roll(n, seed=0, dimensions=3):
    """A piece of a cylinder, turned into more dimensions, with its own coordinates."""
    rng = np.random.default_rng(seed)
    flat = rng.uniform(size=(n, 2)) * [3, 2]
    X = np.column_stack([np.cos(flat[:, 0]), np.sin(flat[:, 0]), flat[:, 1]])
    turn = np.linalg.qr(rng.standard_normal((dimensions, 3)))[0]
    return X @ turn.T, flat


def misfit(Y, flat):
    """Residual of the best affine map from an embedding to coordinates, relative to their spread."""
    design = np.column_stack([Y, np.ones(len(Y))])
    fitted = design @ np.linalg.lstsq(design, flat, rcond=None)[0]
    return np.linalg.norm(fitted - flat) / np.linalg.norm(flat - flat.mean(axis=0))


@pytest.mark.parametrize(("n", "k", "dimensions"), [(150, 9, 3), (300, 12, 3), (200, 10, 20)])
def test_the_subspace_is_that_of_scikit_learn(n, k, dimensions):
    X, _ = roll(n, dimensions=dimensions)
    ours = LocalTangentSpaceAlignment(2, n_neighbors=k).fit(X)
    theirs = SklearnLLE(n_components=2, n_neighbors=k, method="ltsa", eigen_solver="dense").fit(X)
    # Both are exact eigenvectors; the angle is of the order of rounding over the gap of eigenvalues.
    assert scipy.linalg.subspace_angles(ours.embedding_, theirs.embedding_).max() < 1e-6


def test_the_alignment_matrix_is_its_definition():
    X, _ = roll(60)
    d, k = 2, 7
    model = LocalTangentSpaceAlignment(d, n_neighbors=k).fit(X)
    expected = np.zeros((60, 60))
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    for i in range(60):
        near = np.argsort(distance[i])[1 : k + 1]
        left = np.linalg.svd(X[near] - X[near].mean(axis=0))[0][:, :d]
        g = np.column_stack([np.full(k, k**-0.5), left])
        expected[np.ix_(near, near)] += np.eye(k) - g @ g.T
    assert np.allclose(model.graph_.toarray(), expected, atol=1e-12)
    assert np.allclose(model.eigenvalues_, np.linalg.eigvalsh(expected)[1:3], atol=1e-12)
    assert np.allclose(model.embedding_.T @ model.embedding_, np.eye(2), atol=1e-9)


@pytest.mark.parametrize("solver", ["auto", "lapack", "lanczos", "inverse"])
def test_points_of_a_plane_are_recovered_exactly(solver):
    flat = RNG.uniform(size=(700, 2))
    X = flat @ RNG.standard_normal((2, 5)) + 3
    model = LocalTangentSpaceAlignment(2, n_neighbors=8, solver=solver).fit(X)
    assert misfit(model.embedding_, flat) < 1e-6
    assert np.abs(model.eigenvalues_).max() < 1e-10
    # The affine extension is exact on the plane, off the training points and outside of their hull.
    new = np.vstack([RNG.uniform(size=(20, 2)), [[1.2, -0.1]]])
    design = np.column_stack([model.embedding_, np.ones(700)])
    to_flat = np.linalg.lstsq(design, flat, rcond=None)[0]
    placed = model.transform(new @ np.linalg.lstsq(flat, X - 3, rcond=None)[0] + 3)
    assert np.allclose(np.column_stack([placed, np.ones(21)]) @ to_flat, new, atol=1e-5)


def test_a_cylinder_is_unrolled_and_new_points_follow():
    X, flat = roll(900, seed=3)
    model = LocalTangentSpaceAlignment(2, n_neighbors=12).fit(X[:800])
    assert misfit(model.embedding_, flat[:800]) < 0.02
    design = np.column_stack([model.embedding_, np.ones(800)])
    to_flat = np.linalg.lstsq(design, flat[:800], rcond=None)[0]
    placed = np.column_stack([model.transform(X[800:]), np.ones(100)]) @ to_flat
    assert np.abs(placed - flat[800:]).max() < 0.15


def test_components_are_refused_or_bridged():
    X, _ = roll(80)
    both = np.vstack([X, X + 50])
    with pytest.raises(GraphError, match="components"):
        LocalTangentSpaceAlignment(1).fit(both)
    assert LocalTangentSpaceAlignment(2, components="largest").fit(both).kept_.tolist() == list(range(80))
    bridged = LocalTangentSpaceAlignment(2, components="bridge").fit(both)
    assert bridged.embedding_.shape == (160, 2)
    assert np.allclose(bridged.transform(both), bridged.embedding_)


def test_sparse_points_give_the_same():
    X, _ = roll(120)
    dense, thin = (LocalTangentSpaceAlignment(2).fit(points) for points in (X, sparse.csr_array(X)))
    assert np.allclose(np.abs(dense.embedding_), np.abs(thin.embedding_), atol=1e-6)
    assert np.allclose(
        np.abs(dense.transform(X[:5] + 0.01)), np.abs(thin.transform(sparse.csr_array(X[:5] + 0.01)))
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_components": 4}, "but X has 3 columns; pass n_components <= 3"),
        ({"n_neighbors": 2}, "pass n_neighbors >= 4"),
        ({"n_neighbors": 60}, "pass n_neighbors <= 59"),
        ({"components": "all"}, "components='all'"),
        ({"solver": "magic"}, "solver='magic'"),
    ],
)
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(ArgumentError, match=message):
        LocalTangentSpaceAlignment(**settings).fit(roll(60)[0])


def test_it_has_no_kernel_and_says_so():
    model = LocalTangentSpaceAlignment(2).fit(roll(60)[0])
    with pytest.raises(ArgumentError, match="no kernel"):
        lp.metrics.reconstruction_loss(model)


def test_arbitrary_coordinates_are_said():
    # Two planes in space joined at one bridge, with too few neighbors to fix the angle between them.
    rng = np.random.default_rng(0)
    sheet = np.column_stack([rng.uniform(size=(60, 2)), np.zeros(60)])
    far = sheet[:, [2, 0, 1]] + [5.0, 0.0, 0.0]
    with pytest.warns(LpgraphWarning, match="arbitrary choice"):
        LocalTangentSpaceAlignment(2, n_neighbors=4, components="bridge").fit(np.vstack([sheet, far]))


@pytest.mark.parametrize(
    "X",
    [
        np.repeat(np.eye(3), 5, axis=0),
        np.vstack([np.ones((11, 3)), np.full(3, 5.0)]),
        np.eye(3)[np.arange(15) % 3],
    ],
)
@pytest.mark.filterwarnings("ignore:The weights reconstruct more")
def test_neighborhoods_without_extent_have_no_tangent_directions(X):
    model = LocalTangentSpaceAlignment(1, n_neighbors=4, components="bridge").fit(X)
    assert np.linalg.eigvalsh(model.graph_.toarray()).min() > -1e-12
    assert np.isfinite(model.embedding_).all()
    # One of several equal points is at the mean of their positions.
    assert np.isfinite(model.transform(X + 0.0)).all()
