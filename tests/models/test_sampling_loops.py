"""Compiled loops of the sampler and numpy give the same bits, with any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from lpgraph import _threads
from lpgraph._compiled import available
from lpgraph.models import boxes as box_tree
from lpgraph.models import collect, factors
from lpgraph.models.bernoulli import Tuning, sample_edges
from lpgraph.models.boxes import Copies
from lpgraph.models.collect import matrix_of, run_pieces
from lpgraph.models.factors import Categories

needs_numba = pytest.mark.skipif(not available(), reason="numba is not installed")
WEIGHTS = st.lists(
    st.one_of(st.just(0.0), st.floats(1e-3, 1.0), st.sampled_from([1e-300, 1e-12, 1e6])), min_size=1, max_size=80
).filter(any)


@needs_numba
@settings(max_examples=100, deadline=None)
@given(weights=WEIGHTS, seed=st.integers(0, 999), ends=st.tuples(st.integers(0, 80), st.integers(0, 80)))
def test_guide_and_merge_find_what_searchsorted_finds(weights, seed, ends):
    weights = np.array(weights)
    low, high = min(ends) % len(weights), len(weights) - max(ends) % len(weights)
    fast, plain = Categories(weights, 1e9), Categories(weights, 0)
    if low >= high or plain.sums[low] == plain.sums[high]:  # also by rounding: then there is no event
        low, high = 0, len(weights)
    assert fast.guide() is not None
    assert plain.guide() is None
    for name in ("draw", "draw_sorted"):
        found = [getattr(c, name)(200, low, high, np.random.default_rng(seed)) for c in (fast, plain)]
        assert (found[0] == found[1]).all()
        assert found[0].min() >= low
        assert found[0].max() < high
        # nothing of weight 0 is drawn
        assert (weights[found[0]] > 0).all()
    assert (np.diff(found[0]) >= 0).all()


@pytest.mark.parametrize("expected", [0.0, pytest.param(1e9, marks=needs_numba)])
@pytest.mark.parametrize("name", ["draw", "draw_sorted"])
def test_indices_are_drawn_with_their_weights(name, expected):
    # chi-square of 40 000 draws over 15 indices of a range; p-values below 1e-5 happen once in 1e5
    rng = np.random.default_rng(0)
    weights = rng.gamma(0.7, size=20) + 0.05
    drawn = getattr(Categories(weights, expected), name)(40_000, 3, 18, rng)
    share = weights[3:18] / weights[3:18].sum()
    assert stats.chisquare(np.bincount(drawn, minlength=20)[3:18], 40_000 * share).pvalue > 1e-5


@needs_numba
@settings(max_examples=60, deadline=None)
@given(
    n_rows=st.integers(1, 3000),
    n_columns=st.integers(1, 3000),
    sizes=st.lists(st.integers(0, 400), max_size=6),
    kind=st.sampled_from(["rectangle", "hollow", "mirror"]),
    narrow=st.booleans(),
    seed=st.integers(0, 999),
)
def test_buckets_give_the_matrix_of_the_keys(n_rows, n_columns, sizes, kind, narrow, seed):
    rng = np.random.default_rng(seed)
    n_columns = n_columns if kind == "rectangle" else n_rows
    spread = 5 if narrow else 10**9  # few columns: many cells are hit several times
    events = [
        (rng.integers(0, n_rows, size), rng.integers(0, min(n_columns, spread), size).astype(np.int32))
        for size in sizes
    ]
    settings_ = {"hollow": kind != "rectangle", "mirror": kind == "mirror"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collect, "WORTHWHILE", 1)
        fast = matrix_of(events, (n_rows, n_columns), **settings_)
    plain = matrix_of(events, (n_rows, n_columns), **settings_)
    cells = {(int(i), int(j)) for rows, columns in events for i, j in zip(rows, columns, strict=True)}
    if settings_["hollow"]:
        cells = {(i, j) for i, j in cells if i != j}
    if settings_["mirror"]:
        cells |= {(j, i) for i, j in cells}
    for matrix in fast, plain:
        fresh = sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        assert fresh.has_canonical_format
        assert set(zip(*(axis.tolist() for axis in matrix.nonzero()), strict=True)) == cells
        assert (matrix.data == 1).all()
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32


@needs_numba
def test_buckets_of_wide_keys(monkeypatch):
    # 2^22 columns and 2^13 rows a bucket do not fit in 32 bits
    monkeypatch.setattr(collect, "WORTHWHILE", 1)
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, 2**22, 5000), rng.integers(0, 2**22, 5000)
    matrix = matrix_of([(i, j)], (2**22, 2**22), hollow=True, mirror=True)
    rows, columns = matrix.nonzero()
    wanted = np.unique(np.concatenate([i * 2**22 + j, j * 2**22 + i]))
    assert (rows.astype(np.int64) * 2**22 + columns == wanted).all()


@needs_numba
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 9)), min_size=1), st.integers(1, 30)
)
def test_copies_are_the_same_either_way(boxes, size):
    n_a, n_b, events = (np.array(column) for column in zip(*boxes, strict=True))
    start_a, start_b = np.cumsum(n_a) - n_a, np.cumsum(n_b) - n_b
    rng = np.random.default_rng(0)
    for counts in n_a * n_b, events:
        found = []
        for least in 1, 10**9:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(box_tree, "WORTHWHILE", least)
                these = Copies(counts, start_a, start_b, n_a, n_b)
            assert these.many == (least == 1 and counts.sum() > 0)
            parts = [[*these.cells(*ends), *these.thrown(*ends, rng)] for ends in these.cuts(size)]
            found.append([np.concatenate(column) for column in zip(*parts, strict=True)])
            rng = np.random.default_rng(0)
        for one, other in zip(*found, strict=True):
            assert (one == other).all()
        if counts is not events:
            k, i, j = found[0][:3]
            everything = [
                (item, start_a[item] + row, start_b[item] + column)
                for item in range(len(boxes))
                for row in range(n_a[item])
                for column in range(n_b[item])
            ]
            assert list(zip(k.tolist(), i.tolist(), j.tolist(), strict=True)) == everything


@needs_numba
@pytest.mark.parametrize("chunk", [97, 2**15])
def test_the_graph_of_a_seed_needs_no_numba_and_no_number_of_threads(case, chunk, monkeypatch):
    kernel, x, sparsity = case(150, np.random.default_rng(0))

    def graph():
        rng = np.random.default_rng(5)
        return sample_edges(kernel, 0.45 * sparsity, x, None, rng, directed=False, tuning=Tuning(chunk=chunk))

    plain = graph()
    for module in (box_tree, factors, collect):
        monkeypatch.setattr(module, "WORTHWHILE", 1)
    for threads in 1, 3:
        monkeypatch.setattr(_threads, "thread_count", lambda threads=threads: threads)
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


def test_an_error_in_a_piece_is_raised():
    def fail(rng):
        raise ValueError("no such piece")

    with pytest.raises(ValueError, match="no such piece"):
        run_pieces([fail] * 5, np.random.default_rng(0))
