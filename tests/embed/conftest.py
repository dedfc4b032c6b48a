"""Networks of every kind that the embeddings accept."""

import networkx as nx
import numpy as np
import pytest
from networks import connected, degree_corrected
from scipy import sparse

DIRECTED = ["directed", "directed weighted"]
KINDS = ["plain", "weighted", "signed", "loops", "large", "heterogeneous", "bipartite", *DIRECTED]


@pytest.fixture(params=KINDS)
def network(request):
    """(matrix, directed) for each kind of network."""
    kind = request.param
    if kind == "large":
        return connected(900, 12, 1), False
    if kind == "heterogeneous":
        return degree_corrected(200, 0), False
    if kind == "loops":
        a = connected(80, 6, 2, weighted=True)
        return sparse.csr_array(a + sparse.diags_array(np.arange(80.0) % 3)), False
    if kind == "bipartite":
        return sparse.csr_array(nx.to_scipy_sparse_array(nx.complete_bipartite_graph(13, 17), dtype=float)), False
    options = {word: True for word in kind.split() if word != "plain"}
    if "signed" in options:
        options["weighted"] = True
    return connected(90, 8, 3, **options), "directed" in options
