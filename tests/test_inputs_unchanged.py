"""No function changes the matrix that it is passed: negative weights, stored zeros, loops and repeats."""

import contextlib
import warnings

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import LpgraphError

N = 40
LABELS = np.repeat([0, 1], N // 2)
OTHER = lp.erdos_renyi(N, 0.3, random_state=0)


def _matrices():
    rng = np.random.default_rng(0)
    joined = rng.random((N, N)) < np.where(LABELS[:, None] == LABELS, 0.5, 0.1)
    upper = np.triu(joined * rng.integers(1, 5, (N, N)), 1)
    weighted = (upper + upper.T).astype(float)
    signs = np.triu(np.where(rng.random((N, N)) < 0.2, -1.0, 1.0), 1)
    zeros = sparse.csr_array(weighted)
    zeros.data[zeros.data == 4] = 0
    once = sparse.csr_array(weighted)
    twice = sparse.csr_array((np.repeat(once.data, 2), np.repeat(once.indices, 2), 2 * once.indptr), shape=(N, N))
    plain = zeros.copy()
    plain.data = (plain.data > 0).astype(float)
    return {
        "without weights, stored zeros": plain,
        "signed": sparse.csr_array(weighted * (signs + signs.T)),
        "signed and directed": sparse.csr_array(np.where(rng.random((N, N)) < 0.5, weighted, -weighted)),
        "stored zeros": zeros,
        "loops": sparse.csr_array(weighted + np.eye(N)),
        "entries twice": twice,
        "dense": weighted * (signs + signs.T),
    }


USES = {
    "adjacency": lambda A: lp.AdjacencySpectralEmbedding().fit(A).transform(A),
    "diagonal": lambda A: lp.AdjacencySpectralEmbedding(2, augment_diagonal=True).fit(A),
    "unobserved": lambda A: lp.CompletedEmbedding(
        lp.AdjacencySpectralEmbedding(2), unobserved=[(0, 1), (2, 30)]
    ).fit(A),
    "covariances": lambda A: lp.AdjacencySpectralEmbedding(2).fit(A).covariances(),
    "batch": lambda A: lp.OutOfSample(lp.AdjacencySpectralEmbedding(2).fit(A), rule="batch").transform(
        {"new": [0, 1]}
    ),
    "laplacian": lambda A: lp.LaplacianSpectralEmbedding().fit(A),
    "random walk": lambda A: lp.RandomWalkEmbedding(2).fit(A),
    "modularity": lambda A: lp.ModularityEmbedding(2).fit(A),
    "one-step": lambda A: lp.OneStepEmbedding(2).fit(A),
    "covariates": lambda A: lp.CovariateAssistedEmbedding(2, covariates=A).fit(OTHER),
    "classifier": lambda A: lp.VertexClassifier().fit(A, LABELS).predict_proba(A),
    "clustering": lambda A: lp.VertexClustering().fit(A).predict(A),
    "mixture": lambda A: lp.VertexClustering(method="gaussian").fit(A),
    "report": lp.report,
    "ranks": lp.pass_to_ranks,
    "symmetrize": lp.symmetrize,
    "augment": lp.augment_diagonal,
    "to_laplacian": lp.to_laplacian,
    "component": lp.largest_component,
    "summary": lp.summary,
}


def _held(matrix):
    parts = (matrix,) if isinstance(matrix, np.ndarray) else (matrix.data, matrix.indices, matrix.indptr)
    return [part.copy() for part in parts]


@pytest.mark.parametrize("use", USES)
def test_the_matrix_stays_as_it_was(use):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accepted = 0
        for kind, matrix in _matrices().items():
            before = _held(matrix)
            with contextlib.suppress(LpgraphError):  # not every matrix is allowed everywhere
                USES[use](matrix)
                accepted += 1
            for held, now in zip(before, _held(matrix), strict=True):
                assert np.array_equal(held, now), kind
        assert accepted
