"""Classical scaling: principal components of Euclidean distances, and the negative part of others."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.manifold import ClassicalMDS

IRIS = load_iris(return_X_y=True)[0]


def up_to_sign(a, b):
    return a * np.where((a * b).sum(axis=0) < 0, -1, 1)


def test_euclidean_scaling_is_principal_component_analysis():
    pca = PCA(2).fit(IRIS)
    mds = ClassicalMDS(2).fit(IRIS)
    assert np.allclose(up_to_sign(mds.embedding_, pca.transform(IRIS)), pca.transform(IRIS), atol=1e-10)
    assert np.allclose(np.sqrt(mds.eigenvalues_), pca.singular_values_)
    assert mds.negative_ == 0
    new = IRIS[:20] + 0.3
    sign = np.sign((mds.embedding_ * pca.transform(IRIS)).sum(axis=0))
    assert np.allclose(mds.transform(new) * sign, pca.transform(new), atol=1e-10)


def test_points_distances_and_functions_give_the_same():
    reference = ClassicalMDS(2).fit(IRIS)
    D = np.linalg.norm(IRIS[:, None] - IRIS[None], axis=2)
    given = ClassicalMDS(2, metric="precomputed").fit(D)
    function = ClassicalMDS(2, metric=lambda u, v: np.sqrt(((u - v) ** 2).sum())).fit(IRIS)
    assert np.allclose(given.embedding_, reference.embedding_, atol=1e-8)
    assert np.allclose(function.embedding_, reference.embedding_, atol=1e-8)
    assert given.negative_ == 0
    new = IRIS[:7] + 0.1
    to_train = np.linalg.norm(new[:, None] - IRIS[None], axis=2)
    assert np.allclose(given.transform(to_train), reference.transform(new), atol=1e-8)
    assert not np.allclose(ClassicalMDS(2, metric="manhattan").fit(IRIS).embedding_, reference.embedding_)


def test_scikit_learn_agrees():
    manifold = pytest.importorskip("sklearn.manifold")
    if not hasattr(manifold, "ClassicalMDS"):
        pytest.skip("this scikit-learn has no ClassicalMDS")
    for metric in ("euclidean", "cityblock", "chebyshev"):
        theirs = manifold.ClassicalMDS(n_components=2, metric=metric).fit(IRIS)
        ours = ClassicalMDS(2, metric=metric).fit(IRIS)
        assert np.allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
        assert np.abs(up_to_sign(ours.embedding_, theirs.embedding_) - theirs.embedding_).max() < 1e-6


def test_a_new_point_satisfies_the_kernels_own_definition():
    # Bengio et al. (2004), Eq. (14), written out for one new point and a metric that is not Euclidean.
    X, x = IRIS[:40], IRIS[100]
    d2 = np.abs(X[:, None] - X[None]).sum(axis=2) ** 2
    to = np.abs(x - X).sum(axis=1) ** 2
    row = -0.5 * (to - d2.mean(axis=0) - to.mean() + d2.mean())
    mds = ClassicalMDS(3, metric="manhattan").fit(X)
    v = mds.embedding_ / np.sqrt(mds.eigenvalues_)
    assert np.allclose(mds.transform(x[None])[0], row @ v / np.sqrt(mds.eigenvalues_), atol=1e-10)


def test_the_negative_part_is_reported_and_never_embedded():
    # The shortest paths on a cycle of 6 are no Euclidean distances: eigenvalues of a circulant, by hand.
    i = np.arange(6)
    D = np.minimum((i[:, None] - i) % 6, (i - i[:, None]) % 6).astype(float)
    first = -0.5 * D[0] ** 2
    values = np.sort([(first * np.cos(2 * np.pi * k * i / 6)).sum() for k in range(1, 6)])
    mds = ClassicalMDS(2, metric="precomputed").fit(D)
    assert np.allclose(mds.eigenvalues_, values[:-3:-1])
    assert values[0] < 0
    assert mds.negative_ == pytest.approx(-values[0] / values[-1])
    positive = int((values > 1e-9).sum())
    assert positive < 5
    assert np.isfinite(ClassicalMDS(positive, metric="precomputed").fit(D).embedding_).all()
    with pytest.raises(ArgumentError, match=f"eigenvalues are positive; pass n_components <= {positive}"):
        ClassicalMDS(positive + 1, metric="precomputed").fit(D)


def test_no_more_dimensions_than_the_points_span():
    with pytest.raises(ArgumentError, match="only 4 eigenvalues are positive; pass n_components <= 4"):
        ClassicalMDS(5).fit(IRIS)


def test_far_from_the_origin_nothing_is_lost():
    far = ClassicalMDS(2).fit(IRIS + 1e7)
    near = ClassicalMDS(2).fit(IRIS)
    assert np.allclose(far.embedding_, near.embedding_, atol=1e-6)  # 1e7 has 1e-9 as its last digit
    assert np.allclose(far.transform(IRIS + 1e7), far.embedding_, atol=1e-9)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.arange(9.0).reshape(3, 3), r"X\[1, 1\] is 4.0"),
        (np.array([[0.0, 1, 2], [1, 0, 3], [9, 3, 0]]), "symmetric"),
        (np.zeros((2, 3)), r"shape \(2, 3\)"),
        (np.array([[0.0, -1], [-1, 0]]), "negative"),
    ],
)
def test_what_is_no_distance_matrix_is_refused(X, message):
    with pytest.raises(ArgumentError, match=message):
        ClassicalMDS(1, metric="precomputed").fit(X)


def test_many_points_need_no_square_matrix():
    X = np.random.default_rng(0).standard_normal((100_000, 3)) * [3, 2, 1]
    mds = ClassicalMDS(2).fit(X)  # n x n would be 80 GB
    assert np.allclose(mds.eigenvalues_ / len(X), [9, 4], rtol=0.03)  # relative error sqrt(2 / n) = 0.0045
    assert np.allclose(mds.transform(X[:1000]), mds.embedding_[:1000], atol=1e-10)


def test_the_graph_holds_the_distances():
    mds = lp.manifold.ClassicalMDS(2).fit(IRIS[:10])
    assert np.allclose(mds.graph_, np.linalg.norm(IRIS[:10, None] - IRIS[None, :10], axis=2))
    manhattan = ClassicalMDS(2, metric="manhattan").fit(IRIS[:10])
    assert np.allclose(manhattan.graph_, np.abs(IRIS[:10, None] - IRIS[None, :10]).sum(axis=2))
