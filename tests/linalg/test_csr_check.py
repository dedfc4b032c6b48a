"""The check of sparse structure: against the definition, compiled and not, at every entrance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.linalg.csr_check import csr_fault, entries_of
from lpgraph.spectral.operators import as_operator

PARTS = "data", "indices", "indptr"


def raw(kind, **parts):
    """A scipy matrix whose arrays are replaced after it was made, as a caller may do."""
    for name, value in parts.items():
        setattr(kind, name, value)
    return kind


def sound(indptr, indices, rows, columns):
    """The definition, entry by entry, in Python's integers."""
    ends = [int(k) for k in indptr]
    if len(ends) != rows + 1 or ends[0] != 0 or ends[-1] > len(indices):
        return False
    if any(low > high for low, high in itertools.pairwise(ends)):
        return False
    return all(0 <= int(k) < columns for k in indices[: ends[-1]])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_it_finds_what_the_definition_finds(dtype):
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(400):
        rows, columns = rng.integers(1, 200), rng.integers(1, 9)
        indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 4, size=rows))]).astype(dtype)
        indices = rng.integers(columns, size=indptr[-1] + rng.integers(2)).astype(dtype)
        for part in (indptr, indices):
            if rng.random() < 0.4 and part.size:
                part[rng.integers(part.size)] = rng.choice([-1, 0, 1, columns, 1000, np.iinfo(dtype).max])
        expected = sound(indptr, indices, rows, columns)
        refused += not expected
        assert (csr_fault(indptr, indices, rows, columns, indices) is None) == expected
    assert 100 < refused < 300


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_what_it_says_of_the_entries_is_what_scipy_and_numpy_say(seed):
    rng = np.random.default_rng(seed)
    m, n, k = rng.integers(1, 150), rng.integers(1, 12), rng.integers(0, 100)
    places = rng.integers(m, size=k), rng.integers(n, size=k)
    rows = sparse.csr_array(sparse.coo_array((rng.standard_normal(k), places), shape=(m, n)))
    if seed % 3 == 0 and rows.nnz > 1:
        rows = sparse.csr_array((rows.data, rows.indices[::-1].copy(), rows.indptr), shape=(m, n))
    found = entries_of("matrix", rows)
    assert found.canonical == rows.has_canonical_format
    if rows.nnz:
        assert (found.least, found.most) == (rows.data.min(), rows.data.max())
        rows.data[rng.integers(rows.nnz)] = rng.choice([np.nan, np.inf, -np.inf])
    assert entries_of("matrix", rows).finite == (rows.nnz == 0)


@pytest.mark.parametrize(
    ("matrix", "error"),
    [
        (sparse.csr_matrix(np.ones((3, 3), dtype=complex)), ArgumentError),
        (sparse.csr_array(np.triu(np.ones((3, 3)))), GraphError),
        (sparse.csr_array(np.full((3, 3), np.nan)), GraphError),
        (raw(sparse.csr_array(np.ones((3, 3))), indices=np.full(9, 9, np.int32)), ArgumentError),
    ],
)
def test_a_network_made_by_hand_is_checked(matrix, error):
    assert lp.Adjacency(sparse.csr_matrix(np.ones((3, 3), dtype=np.int64)), range(3)).n_edges == 6
    with pytest.raises(error):
        lp.Adjacency(matrix, range(3))


def broken():
    """Matrices of every format whose arrays contradict each other."""
    csr, bsr = sparse.csr_array, sparse.bsr_array
    yield raw(csr(np.eye(3)), indices=np.array([0, 1000, 2], np.int32))
    yield raw(csr(np.eye(3)), indices=np.array([0, -5, 2], np.int32))
    yield raw(csr(np.eye(3)), indices=np.array([0, 1, 2], np.uint32))
    yield raw(csr(np.eye(3)), indptr=np.array([0, -(2**31) + 1, 2**31 - 1, 3], np.int32))
    yield raw(csr(np.eye(3)), indptr=np.array([0, 1, 2], np.int32))
    yield raw(csr(np.eye(3)), indptr=np.array([1, 1, 2, 3], np.int32))
    yield raw(csr(np.eye(3)), indptr=np.array([0, 1, 2, 9], np.int32))
    yield raw(csr(np.eye(3)), data=np.array([1.0]))
    yield raw(sparse.csc_array(np.eye(3)), indices=np.array([0, 7, 2], np.int32))
    yield raw(bsr(np.eye(3), blocksize=(3, 3)), indices=np.array([4], np.int32))
    yield raw(bsr(np.eye(3), blocksize=(3, 3)), data=np.ones((1, 2, 2)))
    yield raw(sparse.coo_array(np.eye(3)), coords=(np.array([0, 8, 2]), np.array([0, 1, 2])))
    yield raw(sparse.dia_array(np.eye(3)), offsets=np.array([0, 1, 2]))
    lil = sparse.lil_array(np.eye(3))
    lil.data[0] = [1.0, 2.0, 3.0]
    yield lil


@pytest.mark.parametrize("matrix", list(broken()))
def test_every_entrance_refuses_them(matrix):
    ase = lp.AdjacencySpectralEmbedding(1).fit(np.ones((3, 3)))
    points = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 0.5, 0.0], [3.0, 1.0, 0.0]])
    pca = lp.manifold.KernelPCA(1, kernel="linear").fit(sparse.csr_array(points))
    entrances = [lp.as_adjacency, ase.transform, ase.read_new, pca.transform, as_operator]
    entrances += [lp.AdjacencySpectralEmbedding(1).fit, lp.LaplacianSpectralEmbedding(1).fit]
    entrances += [lp.manifold.ClassicalMDS(1).fit, lp.neighbor_graph, lp.geodesic_distances]
    entrances.append(lambda given: lp.extend_bottom(given, [0], [[0.0]]))
    for entrance in entrances:
        with pytest.raises((ArgumentError, ArgumentTypeError, GraphError)):
            entrance(matrix)


@pytest.mark.parametrize("estimator", [lp.AdjacencySpectralEmbedding(2), lp.LaplacianSpectralEmbedding(2)])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_of_any_canonical_form_give_the_same_and_stay_as_they_are(estimator, index):
    model = estimator.fit(lp.datasets.karate().graph)
    dense = np.eye(3, 34) + np.eye(3, 34, 5)
    rows, spare = sparse.csr_array(dense), sparse.csr_array(dense)
    spare.indptr, spare.indices = spare.indptr.astype(index), np.append(spare.indices, [0, 1]).astype(index)
    spare.data = np.append(spare.data, [np.nan, 1e300])  # behind the last row, as scipy allows
    before = [getattr(spare, part).copy() for part in PARTS]
    np.testing.assert_array_equal(model.transform(spare), model.transform(dense))
    np.testing.assert_array_equal(model.transform(rows), model.transform(dense))
    for old, part in zip(before, PARTS, strict=True):
        np.testing.assert_array_equal(getattr(spare, part), old)
