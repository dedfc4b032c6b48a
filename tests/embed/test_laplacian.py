"""Laplacian spectral embedding: its matrix, extension with different degrees, multiple eigenvalues."""

import numpy as np
import pytest
from networks import connected, degree_corrected
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, DisconnectedGraphWarning, GraphError


def dense_laplacian(a, tau=0.0):
    out, into = a.sum(axis=1) + tau, a.sum(axis=0) + tau
    return a / np.sqrt(np.outer(out, into))


@pytest.mark.parametrize("regularizer", [0.0, 3.5, "mean"])
@pytest.mark.parametrize("directed", [False, True])
def test_it_embeds_the_normalised_laplacian(regularizer, directed):
    a = connected(90, 8, 1, weighted=True, directed=directed)
    lse = lp.LaplacianSpectralEmbedding(4, regularizer=regularizer, tol=1e-10).fit(a)
    tau = a.sum() / 90 if regularizer == "mean" else regularizer
    assert lse.regularizer_ == pytest.approx(tau)
    u, s, vt = np.linalg.svd(dense_laplacian(a.toarray(), tau))
    assert np.allclose(lse.singular_values_, s[:4])
    other = lse.embedding_in_ if directed else lse.embedding_ * lse.signature_
    assert np.allclose(lse.embedding_ @ other.T, (u[:, :4] * s[:4]) @ vt[:4], atol=1e-8)


@pytest.mark.parametrize("regularizer", [0.0, 5.0])
def test_extension_is_exact_under_degree_heterogeneity(regularizer):
    a, _ = degree_corrected(400, 0)
    degrees = a.sum(axis=1)
    assert degrees.max() > 8 * degrees[degrees > 0].min()
    lse = lp.LaplacianSpectralEmbedding(2, regularizer=regularizer).fit(a)
    gap = np.abs(lse.transform(a) - lse.embedding_).max() / np.abs(lse.embedding_).max()
    assert gap <= 1e-8


def test_a_graph_of_sixty_components_converges():
    blocks = [connected(25, 8, seed) for seed in range(60)]
    graph = sparse.block_diag(blocks, format="csr")
    with pytest.warns(DisconnectedGraphWarning, match="60 components"):
        lse = lp.LaplacianSpectralEmbedding(20, regularizer=0.0).fit(graph)
    assert np.abs(lse.eigenvalues_ - 1).max() <= 1e-8
    assert lse.residuals_.max() <= 1e-6
    # The span is that of the components' indicators: within one, positions are sqrt(degree) times one vector.
    root = np.sqrt(np.asarray(graph.sum(axis=1)).ravel())
    direction = lse.embedding_ / root[:, None]
    assert np.allclose(direction.reshape(60, 25, 20), direction.reshape(60, 25, 20)[:, :1], atol=1e-6)


def test_wrong_input_is_refused():
    a = connected(20, 6, 0)
    with pytest.raises(ArgumentError, match="regularizer=-1"):
        lp.LaplacianSpectralEmbedding(2, regularizer=-1.0).fit(a)
    with pytest.raises(ArgumentTypeError, match="regularizer='median'"):
        lp.LaplacianSpectralEmbedding(2, regularizer="median").fit(a)
    lse = lp.LaplacianSpectralEmbedding(2).fit(a)
    with pytest.raises(GraphError, match="negative weight"):
        lse.transform(-np.ones((1, 20)))
