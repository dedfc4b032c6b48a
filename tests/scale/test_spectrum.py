"""Eigenpairs of matrices in partitions agree with LAPACK, and depend neither on threads nor on memory."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from lpgraph._progress import listen
from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.lanczos import Aim, Search, Sizes
from lpgraph.scale.space import Space
from lpgraph.scale.spectrum import partitioned_pairs
from lpgraph.scale.tiled import TiledPieces
from lpgraph.spectral.order import wanted


def random_graph(n, degree, seed=0):
    rng = np.random.default_rng(seed)
    upper = sparse.coo_array(
        (rng.normal(size=n * degree // 2), rng.integers(0, n, (2, n * degree // 2))), shape=(n, n)
    )
    return sparse.csr_array(upper + upper.T)


def pairs_of(
    matrix, k, *, which="LM", tol=1e-9, cuts=None, factors=None, memory=1 << 30, space=1 << 30, folder=None
):
    n = matrix.shape[0]
    tiled = TiledPieces.of(matrix, [0, n // 3, n // 2, n] if cuts is None else cuts, factors)
    return partitioned_pairs(
        tiled,
        LocalEngine(Space(space, folder)),
        Space(space, folder),
        k,
        which,
        memory=memory,
        tol=tol,
        max_restarts=300,
        rng=np.random.default_rng(0),
    )


def check_against_lapack(pairs, dense, which, tol):
    values = np.linalg.eigvalsh(dense)
    values = values[wanted(values, which)][: len(pairs)]
    # The error of an eigenvalue is at most the residual.
    np.testing.assert_allclose(pairs.values, values, atol=tol * np.abs(values).max())
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(len(pairs)), atol=1e-12)
    np.testing.assert_allclose(pairs.images, dense @ pairs.vectors, atol=1e-9 * np.abs(values).max())
    gaps = np.linalg.norm(dense @ pairs.vectors - pairs.vectors * pairs.values, axis=0)
    np.testing.assert_allclose(
        pairs.residuals, gaps / np.maximum(np.abs(pairs.values), pairs.norm / 1000), atol=1e-12
    )
    assert pairs.residuals.max() <= tol


@pytest.mark.parametrize("which", ["LM", "LA"])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_pairs_are_those_of_lapack(which, k):
    matrix = random_graph(1200, 12)
    check_against_lapack(pairs_of(matrix, k, which=which), matrix.toarray(), which, 1e-9)


def test_factors_of_rows_and_columns():
    matrix, factors = random_graph(1000, 8), np.random.default_rng(1).uniform(0.2, 2, 1000)
    dense = factors[:, None] * matrix.toarray() * factors
    check_against_lapack(pairs_of(matrix, 4, factors=factors), dense, "LM", 1e-9)


def test_few_columns_of_memory_take_more_restarts():
    matrix = random_graph(1500, 10)
    little = pairs_of(matrix, 3, memory=1500 * 4 * 8, tol=1e-6)
    check_against_lapack(little, matrix.toarray(), "LM", 1e-6)
    assert little.iterations > pairs_of(matrix, 3, tol=1e-6).iterations


@pytest.mark.parametrize("copies", [5, 30])
def test_multiple_eigenvalues_are_complete(copies):
    one = random_graph(1800 // copies, 20, seed=3)
    matrix = sparse.csr_array(sparse.block_diag([one] * copies))
    k = copies + 2
    dense = matrix.toarray()
    pairs = pairs_of(matrix, k, which="LA")
    check_against_lapack(pairs, dense, "LA", 1e-9)
    np.testing.assert_allclose(pairs.values[:copies], pairs.values[0])
    assert pairs.values[copies] < pairs.values[0] * (1 - 1e-6)


def test_values_that_are_near_are_told_apart_without_a_check():
    # Ten networks of one model: their leading eigenvalues are within some percent, nearer than 30 tolerances.
    matrix = sparse.csr_array(sparse.block_diag([abs(random_graph(300, 16, seed=s)) for s in range(10)]))
    engines = []
    for tol in 1e-2, 1e-5:
        engine = LocalEngine(Space(1 << 30))
        tiled = TiledPieces.of(matrix, [0, 1000, 3000])
        rng = np.random.default_rng(0)
        partitioned_pairs(
            tiled, engine, engine.space, 10, "LA", memory=1 << 30, tol=tol, max_restarts=300, rng=rng
        )
        engines.append(engine)
    assert engines[0].passes <= engines[1].passes  # a check alone takes 16


def test_a_matrix_of_low_rank_ends_early():
    factor = np.random.default_rng(2).normal(size=(900, 4))
    matrix = sparse.csr_array(factor @ factor.T)
    pairs = pairs_of(matrix, 6)
    check_against_lapack(pairs, matrix.toarray(), "LM", 1e-9)
    np.testing.assert_allclose(pairs.values[4:], 0, atol=1e-9 * pairs.norm)


def test_the_bits_depend_neither_on_threads_nor_on_where_blocks_are(monkeypatch, tmp_path):
    matrix = random_graph(60_000, 10, seed=4)
    cuts = np.linspace(0, 60_000, 6).astype(int).tolist()
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "1")
    expected = pairs_of(matrix, 4, tol=1e-3, cuts=cuts)
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "3")
    for found in (
        pairs_of(matrix, 4, tol=1e-3, cuts=cuts),
        pairs_of(matrix, 4, tol=1e-3, cuts=cuts, space=1, folder=tmp_path),
    ):
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.vectors, expected.vectors)
        np.testing.assert_array_equal(found.images, expected.images)
    assert isinstance(found.vectors, np.memmap)
    assert not list(tmp_path.iterdir())  # files of mapped arrays have no name


@pytest.mark.parametrize(
    ("reach", "weighted", "overhead", "width"),
    [(10**6, False, 0, 4), (10**6, True, 0, 12), (10**7, False, 0, 12), (10**6, False, 10, 12)],
)
def test_blocks_are_wide_where_a_pass_is_slow(reach, weighted, overhead, width):
    # 2 * 10^8 entries have 0.8 GB, and with weights 2.4 GB, which do not stay in the page cache beside 1 GB.
    tiled = SimpleNamespace(n=5 * 10**6, entries=2 * 10**8, weighted=weighted, reach=reach)
    assert Sizes.of(tiled, 10, 10**9, overhead=overhead).width == width


def test_single_precision_reaches_the_tolerance():
    matrix = random_graph(60_000, 10, seed=5)
    pairs = pairs_of(matrix, 2, tol=1e-6)
    gaps = np.linalg.norm(matrix @ pairs.vectors - pairs.vectors * pairs.values, axis=0)
    assert (gaps <= 1e-6 * np.abs(pairs.values)).all()


def test_small_matrices_are_left_to_the_solver_in_memory():
    assert pairs_of(random_graph(120, 8), 3) is None


def test_the_relation_of_lanczos_holds_after_restarts():
    matrix = random_graph(1200, 8, seed=6)
    tiled, engine = TiledPieces.of(matrix, [0, 500, 1200]), LocalEngine(Space(1 << 30))
    search = Search(engine, tiled, Aim(3, "LM", 1e-12, 4, np.float64, 4), Sizes(4, 24), seed=1)
    search.run()

    def dense(block):
        return np.hstack([engine.columns(block, p) for p in range(2)]).T

    before, last = np.hstack([dense(block) for block in search.basis[:-1]]), dense(search.basis[-1])
    assert search.cycle == 4
    np.testing.assert_allclose(before.T @ before, np.eye(before.shape[1]), atol=1e-12)
    np.testing.assert_allclose(before.T @ last, 0, atol=1e-12)
    np.testing.assert_allclose(
        matrix @ before, before @ search.projection + last @ search.coupling, atol=1e-10 * search.norm
    )


def test_the_number_of_passes_is_predicted():
    told = []
    with listen(lambda step: told.append(step.text)):
        pairs_of(random_graph(1500, 10, seed=7), 3, tol=1e-9)
    predicted = [re.search(r"pass (\d+) of about (\d+)", text) for text in told]
    numbers = [tuple(map(int, found.groups())) for found in predicted if found]
    passes = int(re.match(r"pass (\d+)", told[-1])[1]) + 1
    # Residuals fall about geometrically: in the second half the number is right to a third.
    late = [expected for done, expected in numbers if done > passes / 2]
    assert late
    assert all(abs(expected - passes) <= passes / 3 for expected in late)
    assert numbers[-1] == (passes - 1, passes)
