"""An eigensolver that does not converge advises parameters of its caller."""

import re
from dataclasses import replace
from inspect import signature

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ConvergenceError
from lpgraph.infer.validation import cross_validate
from lpgraph.spectral import eigen
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.eigen import eigenpairs, singular_triplets

X = np.random.default_rng(0).standard_normal((40, 3))
GRAPH = sparse.csr_array((X @ X.T > -1).astype(float))
DIRECTED = sparse.csr_array((X @ np.roll(X, 1, axis=1).T > -1).astype(float))


@pytest.fixture
def nothing_converges(monkeypatch):
    measured = eigen.measured
    monkeypatch.setattr(
        eigen, "measured", lambda *given: replace(pairs := measured(*given), residuals=np.ones(len(pairs)))
    )


def named(message):
    """Return the parameters that a message advises to change."""
    words = re.search(r"restarts; pass (.*)\. The pairs found are in error\.result\.$", message)[1]
    found = re.findall(r"(?:larger|smaller|or|as) (?!a )(\w+)|(\w+)=", words)
    return {one or other for one, other in found}


ESTIMATORS = [
    (lp.AdjacencySpectralEmbedding(2), GRAPH),
    (lp.AdjacencySpectralEmbedding("elbow"), GRAPH),
    (lp.AdjacencySpectralEmbedding(2), DIRECTED),
    (lp.LaplacianSpectralEmbedding(2), GRAPH),
    (lp.ModularityEmbedding(2), GRAPH),
    (lp.RandomWalkEmbedding(2), GRAPH),
    (lp.manifold.LocalTangentSpaceAlignment(n_neighbors=20), X),
    (lp.manifold.ClassicalMDS(), X),
    (lp.manifold.KernelPCA(2), X),
    (lp.manifold.KernelPCA(None), X),
    (lp.manifold.Isomap(n_neighbors=20), X),
    (lp.manifold.LaplacianEigenmaps(n_neighbors=20), X),
    (lp.manifold.LaplacianEigenmaps(n_neighbors=20, solver="inverse"), X),
    (lp.manifold.LocallyLinearEmbedding(n_neighbors=20), X),
    (lp.manifold.DiffusionMap(n_neighbors=20), X),
    (lp.manifold.SpectralClustering(3, n_neighbors=20), X),
    (lp.manifold.SemidefiniteEmbedding(n_neighbors=20), X),
]


@pytest.mark.usefixtures("nothing_converges")
@pytest.mark.parametrize(("estimator", "data"), ESTIMATORS, ids=lambda given: type(given).__name__)
def test_an_estimator_advises_its_own_parameters(estimator, data):
    with pytest.raises(ConvergenceError) as caught:
        estimator.fit(data)
    advised = named(str(caught.value))
    assert advised
    assert advised <= estimator.get_params().keys()


@pytest.mark.usefixtures("nothing_converges")
@pytest.mark.parametrize("function", [eigenpairs, singular_triplets, bottom_pairs])
def test_a_function_advises_its_own_parameters(function):
    with pytest.raises(ConvergenceError) as caught:
        function(GRAPH, 2)
    assert named(str(caught.value)) == {"tol", "max_restarts", "k"} <= signature(function).parameters.keys()


@pytest.mark.usefixtures("nothing_converges")
@pytest.mark.parametrize("graph", [GRAPH, DIRECTED])
def test_validation_advises_its_own_parameters(graph):
    with pytest.raises(ConvergenceError) as caught:
        cross_validate(graph)
    assert named(str(caught.value)) <= signature(cross_validate).parameters.keys()


@pytest.mark.usefixtures("nothing_converges")
def test_without_a_remedy_there_is_no_advice():
    with pytest.raises(ConvergenceError, match=r"after 0 restarts\. The pairs found are in error\.result\.$"):
        eigenpairs(GRAPH, 2, remedies="")
