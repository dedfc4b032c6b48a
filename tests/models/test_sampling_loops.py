"""Parts of the sampler: pairs of boxes, compiled loops against numpy, streams of pieces, limits of memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import lpgraph as lp
from lpgraph._utils.compiled import available
from lpgraph.errors import ArgumentError
from lpgraph.models import collect, factors
from lpgraph.models.bernoulli import sample_edges
from lpgraph.models.boxes import BoxTree, split_pairs
from lpgraph.models.collect import matrix_of, run_pieces

needs_numba = pytest.mark.skipif(not available(), reason="numba is not installed")


@needs_numba
@settings(max_examples=60, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 3000), st.integers(1, 3000)),
    sizes=st.lists(st.integers(0, 400), max_size=6),
    mirror=st.booleans(),
    narrow=st.booleans(),
    seed=st.integers(0, 999),
)
def test_buckets_give_the_matrix_of_scipy(shape, sizes, mirror, narrow, seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = (shape[0], shape[0]) if mirror else shape
    spread = min(n_columns, 5 if narrow else 10**9)  # few columns: many cells are hit several times
    events = [(rng.integers(0, n_rows, size), rng.integers(0, spread, size).astype(np.int32)) for size in sizes]
    plain = matrix_of([*events], (n_rows, n_columns), mirror=mirror)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collect, "WORTHWHILE", 1)
        fast = matrix_of([*events], (n_rows, n_columns), mirror=mirror)
    wanted = np.zeros((n_rows, n_columns), bool)
    for rows, columns in events:
        wanted[rows, columns] = True
        if mirror:
            wanted[columns, rows] = True
    for matrix in fast, plain:
        fresh = sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        assert fresh.has_canonical_format
        assert (fresh.toarray() == wanted).all()
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32


@needs_numba
def test_buckets_of_wide_keys(monkeypatch):
    # 2^22 columns and 2^13 rows a bucket do not fit in 32 bits
    monkeypatch.setattr(collect, "WORTHWHILE", 1)
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, 2**22, 5000), rng.integers(0, 2**22, 5000)
    matrix = matrix_of([(i, j)], (2**22, 2**22), mirror=True)
    rows, columns = matrix.nonzero()
    wanted = np.unique(np.concatenate([i * 2**22 + j, j * 2**22 + i]))
    assert (rows.astype(np.int64) * 2**22 + columns == wanted).all()


@needs_numba
@pytest.mark.parametrize("chunk", [97, 2**15])
def test_the_graph_of_a_seed_needs_no_numba_and_no_number_of_threads(case, chunk, monkeypatch):
    kernel, x, sparsity = case(150, np.random.default_rng(0))

    def graph():
        rng = np.random.default_rng(5)
        return sample_edges(kernel, 0.45 * sparsity, (x, None), rng, directed=False)

    for name in "bernoulli._CHUNK", "factors._PIECE":
        monkeypatch.setattr(f"lpgraph.models.{name}", chunk)
    plain = graph()
    for module in (factors, collect):
        monkeypatch.setattr(module, "WORTHWHILE", 1)
    for threads in 1, 3:
        monkeypatch.setattr("lpgraph._utils.compiled.thread_count", lambda threads=threads: threads)
        fast = graph()
        assert (fast.indptr == plain.indptr).all()
        assert (fast.indices == plain.indices).all()


def test_pieces_have_streams_of_their_own():
    drawn = run_pieces([lambda rng: rng.random(1000)] * 20, np.random.default_rng(0))
    again = run_pieces([lambda rng: rng.random(1000)] * 20, np.random.default_rng(0))
    assert (np.array(drawn) == again).all()
    # 190 correlations of N(0, 1/1000): the largest |z| passes 5 with probability 1e-4
    assert np.abs(np.corrcoef(drawn)[np.triu_indices(20, 1)]).max() * np.sqrt(1000) < 5
    assert run_pieces([], np.random.default_rng(0)) == []


POINTS = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 40), st.integers(1, 3)),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-1e300, 1e300)),
)


@given(POINTS, POINTS, st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_pairs_cover_every_cell_once(points, others, square, seed):
    rng = np.random.default_rng(seed)
    one = BoxTree(points)
    other = one if square else BoxTree(np.resize(others, (len(others), points.shape[1])))
    a = b = np.zeros(1, dtype=np.intp)
    times = np.zeros((len(one.points), len(other.points)))
    while len(a):
        split = (rng.random(len(a)) < 0.8) & ((one.width[a] > 0) | (other.width[b] > 0))
        for node_a, node_b in zip(a[~split], b[~split], strict=True):
            rows = one.order[one.start[node_a] : one.stop[node_a]]
            columns = other.order[other.start[node_b] : other.stop[node_b]]
            times[np.ix_(rows, columns)] += 1
            if square and node_a != node_b:
                times[np.ix_(columns, rows)] += 1
        a, b = split_pairs(one, other, a[split], b[split], unordered=square)
    assert (times == 1).all()


@pytest.mark.parametrize(
    "draw",
    [
        lambda p: lp.erdos_renyi(3000, p, random_state=0),  # evaluated cell by cell above 1/2, thrown below
        lambda p: lp.stochastic_block_model([1500, 1500], np.full((2, 2), p), random_state=0),
        lambda p: lp.random_dot_product_graph(np.full((3000, 1), np.sqrt(p)), random_state=0),
        lambda p: lp.LatentPositionModel(
            lp.kernels.Gaussian(100.0), np.random.default_rng(0).random((3000, 2)), sparsity=p
        ).sample(3000, random_state=0),
    ],
)
def test_more_edges_than_memory_holds_are_refused(monkeypatch, draw):
    monkeypatch.setattr(collect, "installed_memory", lambda otherwise: 1e7)  # 3 10^5 edges
    for p in (0.9, 0.2):  # 4.0 10^6 and 9 10^5 edges
        with pytest.raises(ArgumentError, match="fewer vertices"):
            draw(p)
    assert 10_000 < draw(0.005).adjacency.nnz / 2 < 30_000
