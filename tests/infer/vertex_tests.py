"""What the tests of misfit, drift and same_position share."""

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError

METHODS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]


def without_loops(values, *, directed=False):
    """Return a matrix of weights without a diagonal; the lower triangle mirrors the upper one, unless directed."""
    values = np.array(values, dtype=float)
    if not directed:
        values = np.triu(values, 1) + np.triu(values, 1).T
    np.fill_diagonal(values, 0)
    return values


def check_refused_embeddings(function, matrix, *new):
    """A function of an embedding and new vertices refuses embeddings that have no model of edges."""
    with pytest.raises(ArgumentTypeError, match="ModularityEmbedding"):
        function(lp.ModularityEmbedding(2).fit(matrix), *new)
    with pytest.raises(NotFittedError):
        function(lp.AdjacencySpectralEmbedding(2), *new)
    with pytest.raises(ArgumentError, match="unobserved pairs"):
        function(lp.CompletedEmbedding(lp.AdjacencySpectralEmbedding(2), unobserved=[(0, 1)]).fit(matrix), *new)
