"""Multigrid cycles and Davidson's method: against LAPACK, and against what defines them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

import lpgraph as lp
from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.points.affinities import binary_affinity
from lpgraph.points.neighborhood import neighbor_graph
from lpgraph.spectral import multigrid
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.multigrid import Multigrid, aggregates


def grid(side: int, *, closed: bool = False) -> sparse.csr_array:
    """Return the Laplacian of a square grid, or of a torus."""
    path = sparse.diags_array([np.ones(side - 1)] * 2, offsets=[-1, 1]).tolil()
    if closed:
        path[0, side - 1] = path[side - 1, 0] = 1.0
    graph = sparse.csr_array(sparse.kronsum(path, path))
    laplacian = sparse.csr_array(sparse.diags_array(graph.sum(axis=1)) - graph)
    laplacian.sort_indices()
    return laplacian


def levels(matrix: sparse.csr_array, smooth: np.ndarray | None = None) -> Multigrid:
    smooth = np.ones(matrix.shape[0]) if smooth is None else smooth
    return Multigrid.of(matrix, smooth, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(5))
def test_every_vertex_is_within_two_steps_of_one_root(seed):
    rng = np.random.default_rng(seed)
    half = sparse.random_array((300, 300), density=0.004, rng=rng)
    graph = sparse.csr_array(half + half.T + sparse.eye_array(300))
    place = aggregates(graph, rng)
    steps = shortest_path(graph, unweighted=True)
    assert set(place.tolist()) == set(range(place.max() + 1))
    for aggregate in range(place.max() + 1):
        inside = np.flatnonzero(place == aggregate)
        nearest = steps[np.ix_(np.arange(300), inside)]
        # Some member, the root, has all of its neighbors in the aggregate and the others two steps away.
        roots = [i for i in inside if steps[i, inside].max() <= 2 and (place[steps[i] <= 1] == aggregate).all()]
        assert roots, nearest


@pytest.mark.parametrize("side", [40, 120])
def test_a_cycle_reduces_every_error_whatever_the_size(side):
    matrix = grid(side)
    n = side * side
    cycle = levels(matrix)
    rng = np.random.default_rng(1)
    error = rng.standard_normal((n, 1))
    error -= error.mean()
    energy = [float(error[:, 0] @ (matrix @ error)[:, 0])]
    for _ in range(20):
        error -= cycle @ (matrix @ error)
        energy.append(float(error[:, 0] @ (matrix @ error)[:, 0]))
    # Two smoothing steps on either side; unsmoothed aggregation has 0.9 and more for the larger grid.
    assert (energy[20] / energy[10]) ** (1 / 20) < 0.6


def test_relaxation_converges_on_few_close_vertices_too():
    """Their largest eigenvalue of A / diagonal is nearly 2, which ten steps of the power method would not find."""
    matrix = sparse.lil_array(grid(60))
    for i in (100, 1700, 2345):
        for a, b, change in ((i, i, 50.0), (i + 1, i + 1, 50.0), (i, i + 1, -50.0), (i + 1, i, -50.0)):
            matrix[a, b] += change
    matrix = sparse.csr_array(matrix)
    cycle = levels(matrix)
    error = np.zeros((3600, 1))
    error[[100, 101], 0] = 1.0, -1.0
    for _ in range(30):
        error -= cycle @ (matrix @ error)
    # Up to a constant, 0.6 to the power of 30 would be 2e-7.
    assert np.ptp(error) < 1e-5


def test_a_cycle_is_symmetric_and_positive():
    matrix = grid(45)
    cycle = levels(matrix)
    rng = np.random.default_rng(2)
    block = rng.standard_normal((matrix.shape[0], 5))
    inner = block.T @ (cycle @ block)
    assert np.allclose(inner, inner.T, atol=1e-10 * np.abs(inner).max())
    assert np.linalg.eigvalsh((inner + inner.T) / 2).min() > 0
    assert cycle.shape == matrix.shape


def test_a_small_matrix_is_its_own_level():
    matrix = grid(12)
    cycle = levels(matrix)
    right = np.random.default_rng(0).standard_normal((144, 2))
    right -= right.mean(axis=0)
    assert not cycle.levels
    assert cycle.shape == (144, 144)
    assert np.allclose(matrix @ (cycle @ right), right)


def test_no_levels_where_nothing_is_put_together():
    # Without edges every vertex is its own root.
    assert levels(sparse.csr_array(sparse.eye_array(1000))) is None
    loose = sparse.block_diag([grid(40), np.zeros((1, 1))], format="csr")
    assert levels(sparse.csr_array(loose)) is None


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("k", [1, 4, 9])
def test_pairs_with_their_multiplicity_are_those_of_lapack(closed, k):
    """A square has pairs of equal eigenvalues, a torus fours."""
    matrix = grid(36, closed=closed)
    n = matrix.shape[0]
    constant = np.full(n, n**-0.5)
    found = bottom_pairs(
        matrix, k, inverse_of=matrix, smooth=constant, origin=0.0, without=constant, solver="multigrid"
    )
    exact = np.linalg.eigvalsh(matrix.toarray())[1 : k + 1]
    assert found.solver == "multigrid"
    # Residuals up to 1e-6 of a value change it by their square, or by themselves where k cuts a multiple one.
    assert np.allclose(found.values, exact, rtol=1e-6)
    gap = np.linalg.norm(matrix @ found.vectors - found.vectors * found.values, axis=0)
    assert (gap <= 1e-6 * np.maximum(found.values, 1e-5)).all()
    assert np.allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-12)
    assert np.allclose(constant @ found.vectors, 0, atol=1e-12)


def roll(n: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([angle * np.cos(angle), 21 * rng.uniform(size=n), angle * np.sin(angle)])


@pytest.mark.parametrize(
    "model",
    [
        lp.manifold.LaplacianEigenmaps(3),
        lp.manifold.LaplacianEigenmaps(2, affinity="gaussian"),
        lp.manifold.LaplacianEigenmaps(2, diagonal="drop"),
        lp.manifold.DiffusionMap(2),
    ],
    ids=["binary", "gaussian", "dropped", "diffusion"],
)
def test_methods_agree_with_the_factorisation(model):
    X = roll(3000)
    grids = model.set_params(solver="multigrid").fit(X)
    values, positions = grids.eigenvalues_.copy(), grids.embedding_.copy()
    direct = model.set_params(solver="inverse", tol=1e-10).fit(X)
    assert np.allclose(1 - values, 1 - direct.eigenvalues_, rtol=1e-6)
    # The sine of the angle is at most the residual, 1e-6 of the value, over the gap, here at least half of it.
    assert np.allclose(positions, direct.embedding_, atol=1e-5 * np.abs(direct.embedding_).max())


def test_separate_components_have_the_eigenvalue_of_the_trivial_vector():
    X = np.vstack([roll(1500), roll(1500) + 500.0])
    model = lp.manifold.SpectralClustering(2, solver="multigrid", random_state=0).fit(X)
    assert len(np.unique(model.labels_[:1500])) == len(np.unique(model.labels_[1500:])) == 1
    assert model.labels_[0] != model.labels_[-1]


def test_same_bits_in_any_number_of_threads(monkeypatch):
    X = roll(30_000)  # above the size from which loops are compiled and run in threads
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        found.append(lp.manifold.LaplacianEigenmaps(2, solver="multigrid").fit(X).embedding_)
    assert np.array_equal(*found)


def test_auto_takes_multigrid_for_many_points_of_a_surface():
    model = lp.manifold.LaplacianEigenmaps(2).fit(roll(25_000))
    assert (model.residuals_ <= 1e-6).all()
    values = 1 - model.eigenvalues_
    # Neumann's eigenvalues of a strip: the first two modes run along it, so that the second value is four times
    # the first; sampling changes each by some percent.
    assert values[1] / values[0] == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize("k", [60, 200])
def test_many_pairs(k):
    matrix = grid(30)
    found = bottom_pairs(matrix, k, inverse_of=matrix, smooth=np.ones(900), origin=0.0, solver="multigrid")
    assert found.solver == "multigrid"
    assert np.allclose(found.values, np.linalg.eigvalsh(matrix.toarray())[:k], rtol=1e-6, atol=1e-11)
    few = bottom_pairs(matrix, 400, inverse_of=matrix, smooth=np.ones(900), origin=0.0, solver="multigrid")
    assert few.solver == "lapack"


def test_what_multigrid_needs():
    matrix = grid(30)
    with pytest.raises(ArgumentError, match="pass 'auto'"):
        bottom_pairs(matrix, 1, solver="multigrid")
    with pytest.raises(ArgumentError, match="all pairs are similar"):
        lp.manifold.LaplacianEigenmaps(
            2, n_neighbors=None, affinity="gaussian", sigma=1.0, solver="multigrid"
        ).fit(roll(50))
    alone = sparse.csr_array(sparse.eye_array(1000))
    with pytest.raises(ConvergenceError, match="pass solver='auto'"):
        bottom_pairs(alone, 1, inverse_of=alone, smooth=np.ones(1000), origin=0.0, solver="multigrid")


@pytest.mark.parametrize("dimension", [2, 8])
def test_entries_of_a_smaller_matrix_are_predicted(dimension):
    points = np.random.default_rng(0).uniform(size=(6000, dimension))
    laplacian = sparse.csr_array(sparse.csgraph.laplacian(binary_affinity(neighbor_graph(points, n_neighbors=10))))
    inverse = 1 / laplacian.diagonal()
    up = multigrid._interpolation(laplacian, inverse, 2.0, np.ones(6000), np.random.default_rng(0))[0]
    entries = (up.T @ laplacian @ up).nnz
    # 64 rows, whose counts differ by at most half of their mean: the mean is within 6 percent, times three.
    assert multigrid._expected_entries(laplacian, up) == pytest.approx(entries, rel=0.2)
