"""A search that begins with eigenvectors of a part finds the same pairs, in fewer passes."""

import numpy as np
import pytest
from scale.reference_store import write_reference
from scipy import sparse

import lpgraph as lp
from lpgraph.scale import first_block
from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.lanczos import Aim, Sizes
from lpgraph.scale.space import Space
from lpgraph.scale.spectrum import partitioned_pairs
from lpgraph.scale.tiled import TiledPieces
from lpgraph.spectral.order import wanted

CUTS = [0, 350, 950, 1200]


@pytest.fixture(autouse=True)
def _small_matrices_too(monkeypatch):
    monkeypatch.setattr(first_block, "_MANY", 500)


@pytest.fixture
def engines(monkeypatch):
    """Return the list of the engines that are made."""
    made, init = [], LocalEngine.__init__

    def noted(engine, *args, **named):
        init(engine, *args, **named)
        made.append(engine)

    monkeypatch.setattr(LocalEngine, "__init__", noted)
    return made


def graph(seed=0, *, weighted=False, n=1200):
    rng = np.random.default_rng(seed)
    weights = np.minimum(rng.pareto(3.0, n) + 0.5, 4.0)
    B = np.full((3, 3), 0.01) + 0.05 * np.eye(3)
    A = lp.degree_corrected_block_model([n // 3] * 3, B, weights, random_state=seed).adjacency
    if weighted:
        upper = sparse.csr_array(sparse.triu(A, 1))
        upper.data = rng.uniform(-0.5, 2.0, upper.nnz)
        A = sparse.csr_array(upper + upper.T)
    return A


def pairs_of(matrix, k=4, *, which="LM", tol=1e-8, cuts=CUTS, factors=None, memory=1 << 30):
    engine = LocalEngine(Space(1 << 30))
    tiled = TiledPieces.of(matrix, cuts, factors)
    rng = np.random.default_rng(0)
    found = partitioned_pairs(
        tiled, engine, engine.space, k, which, memory=memory, tol=tol, max_restarts=100, rng=rng
    )
    return found, engine.passes


@pytest.mark.parametrize("which", ["LM", "LA", "SA"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
def test_the_pairs_are_those_of_lapack(which, weighted, scaled):
    matrix = graph(weighted=weighted)
    factors = np.random.default_rng(1).uniform(0.5, 2, 1200) if scaled else None
    dense = matrix.toarray() if factors is None else factors[:, None] * matrix.toarray() * factors
    values = np.linalg.eigvalsh(dense)
    order = wanted(values, which)[:4]
    pairs, _ = pairs_of(matrix, which=which, factors=factors)
    # The error of a value is at most its residual; relative to the norm this is tol or less.
    np.testing.assert_allclose(pairs.values, values[order], atol=1e-8 * np.abs(values).max())
    np.testing.assert_allclose(pairs.residuals, 0, atol=1e-8)


def test_there_are_fewer_passes(monkeypatch):
    matrix = graph()
    with_part = pairs_of(matrix, tol=1e-4)[1]
    monkeypatch.setattr(first_block, "_MANY", 10**9)
    assert with_part < pairs_of(matrix, tol=1e-4)[1]


def test_copies_of_an_eigenvalue_that_the_part_does_not_have():
    # The busiest rows are components of their own, whose eigenvalues are negative: no eigenvector of the part has
    # anything of the wanted ones, which are those of four copies of a network.
    one, busy = graph(1, n=150), sparse.csr_array(sparse.block_diag([np.eye(60) - np.ones((60, 60))] * 20))
    matrix = sparse.csr_array(sparse.block_diag([one] * 4 + [busy]))
    largest = np.linalg.eigvalsh(one.toarray())[-1]
    pairs, _ = pairs_of(matrix, 4, which="LA", cuts=[0, 600, 1800])
    np.testing.assert_allclose(pairs.values, largest, rtol=1e-9)


def test_both_sides_of_a_directed_network(tmp_path, engines):
    rng = np.random.default_rng(2)
    A = graph(2)
    A.data = np.where(rng.random(A.nnz) < 0.6, 1.0, 0.0)
    A.eliminate_zeros()
    store = write_reference(lp.as_adjacency(A, directed=True), tmp_path / "s")
    model = lp.AdjacencySpectralEmbedding(3, tol=1e-8).fit(store)
    assert len(engines) == 2  # the second is of the part
    singular = np.linalg.svd(A.toarray(), compute_uv=False)[:3]
    np.testing.assert_allclose(model.singular_values_, singular, rtol=1e-10)


def chosen(matrix, memory=1 << 30, most=None, monkeypatch=None):
    engine = LocalEngine(Space(1 << 30))
    if most is not None:
        monkeypatch.setattr(first_block, "_SURPRISE", most)
    tiled, aim = TiledPieces.of(matrix, CUTS), Aim(4, "LM", 1e-6, 100, np.float64, 4)
    return engine, tiled, first_block.first_block(engine, tiled, engine.space, aim, Sizes(4, 64), memory, 5)


def test_the_block_is_near_the_leading_eigenvectors():
    matrix = graph()
    engine, tiled, block = chosen(matrix)
    columns = np.hstack([engine.columns(block, p) for p in range(tiled.partitions)]).T
    leading = np.linalg.eigh(matrix.toarray())[1][:, -3:]
    cosines = np.linalg.svd(leading.T @ np.linalg.qr(columns)[0], compute_uv=False)
    assert cosines.min() > 0.7  # of random columns: sqrt(4 / 1200) = 0.06


def test_the_part_is_given_up_if_it_is_small_or_too_large(monkeypatch):
    matrix = graph()
    assert chosen(matrix)[2] is not None
    assert chosen(matrix, memory=100_000)[2] is None
    assert chosen(matrix, most=0, monkeypatch=monkeypatch)[2] is None


def test_a_network_without_edges():
    pairs, _ = pairs_of(sparse.csr_array((1200, 1200)))
    np.testing.assert_array_equal(pairs.values, 0)


def test_the_bits_do_not_depend_on_threads(monkeypatch):
    matrix = graph(3)
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "1")
    expected, _ = pairs_of(matrix)
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "3")
    np.testing.assert_array_equal(pairs_of(matrix)[0].vectors, expected.vectors)
