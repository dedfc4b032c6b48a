"""Networks on Dask workers: the bits of memory with any number of workers, and after one is lost."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from scale.conftest import KINDS
from scale.dask_clusters import cluster

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, ClusterError
from lpgraph.scale import dask as on_workers
from lpgraph.scale import on_dask
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.lanczos import WIDE, Lanczos
from lpgraph.spectral.operators import Bipartite, Matrix

ASE = lp.AdjacencySpectralEmbedding


@pytest.fixture(scope="module")
def client():
    with cluster(2, default=False) as found:
        yield found


@pytest.fixture(autouse=True)
def _several_panels(monkeypatch):
    monkeypatch.setattr(on_workers, "_ENTRIES", 20_000)


def source_of(network, form):
    """The graph, or the folder of its store."""
    graph, store = network
    return graph if form == "memory" else store.store


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["store", "memory"])
def test_any_number_of_workers_gives_the_bits_of_memory(networks, kind, form):
    graph, _ = networks[kind]
    operator = (Bipartite if graph.directed else Matrix)(graph.matrix)
    # Products in double precision: scipy's, which sums a row in the order of its entries, as workers do.
    expected = eigenpairs(operator, 5, "largest" if graph.directed else "magnitude", solver=Lanczos(width=WIDE))
    for workers in (1, 3):
        with cluster(workers) as client:
            network = on_dask(source_of(networks[kind], form), client)
            for fact in ("n_vertices", "n_edges", "weighted", "degrees", "in_degrees", "diagonal"):
                np.testing.assert_array_equal(getattr(network, fact), getattr(graph, fact))
            model = ASE(5, solver="lanczos").fit(network)
            np.testing.assert_array_equal(model.singular_values_, np.abs(expected.values))
            side = expected.vectors[: graph.n_vertices] * np.sqrt(2 if graph.directed else 1)
            cosines = (side * model.embedding_).sum(axis=0) / np.sqrt(model.singular_values_)
            np.testing.assert_allclose(cosines, 1, rtol=1e-9)


def test_methods_that_take_it_agree_with_memory(networks, client):
    graph, store = networks["weighted"]
    network = on_dask(store.store, client)
    for method in (lp.LaplacianSpectralEmbedding, lp.ModularityEmbedding, lp.RandomWalkEmbedding):
        here, there = method(4, tol=1e-8).fit(graph), method(4, tol=1e-8).fit(network)
        # Residuals of 1e-8, and gaps of 1/20 of the eigenvalue or more after the fourth pair.
        projector = [np.linalg.qr(model.embedding_)[0] for model in (here, there)]
        assert np.linalg.svd(projector[0].T @ projector[1])[1].min() > 1 - 1e-10
        assert there.transform({"new": [1, 2]}).shape == (1, 4)


@pytest.mark.parametrize("kinds", [("undirected", "weighted"), ("directed", "directed")])
def test_several_networks_agree_with_memory(networks, client, kinds):
    graphs = [networks[kind][0] for kind in kinds]
    there = [on_dask(networks[kind][1].store, client) for kind in kinds]
    models = [lp.joint.UnfoldedEmbedding(3), lp.joint.UnfoldedEmbedding(3, matrix="laplacian")]
    models += [] if graphs[0].directed else [lp.joint.OmnibusEmbedding(3), lp.joint.MultipleEmbedding(3)]
    for model in models:
        found, expected = (model.fit(some).embeddings_ for some in (graphs, there))
        signs = np.sign((found * expected).sum(axis=(0, 1)))
        np.testing.assert_allclose(found * signs, expected, atol=1e-4 * np.abs(expected).max())
    assert model.transform({0: [("new", 1), (2, "new")], 1: [("new", 3)]}).shape == (2, 1, 3)
    for call in (lp.joint.UnfoldedEmbedding().fit, lp.VertexClassifier(lp.joint.UnfoldedEmbedding(2)).fit):
        with pytest.raises(ArgumentError, match="only products and degrees are known"):
            call(there, {0: "a", 1: "b"})
    for others in ({"weight": None}, {"directed": not graphs[0].directed}):
        with pytest.raises(ArgumentError, match="only products and degrees are known"):
            lp.as_graphs(there, **others)


def test_what_needs_more_than_products_says_so(networks, client):
    network = on_dask(networks["undirected"][1].store, client)
    models = [lp.VertexClassifier(), lp.VertexClustering(), lp.OneStepEmbedding(2)]
    for model in (*models, ASE(2, augment_diagonal=True)):
        with pytest.raises(ArgumentError, match="only products and degrees are known"):
            model.fit(network, {0: "a", 1: "b"})
    with pytest.raises(ArgumentError, match="open_store"):
        lp.as_adjacency(network)


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("form", ["store", "memory"])
@pytest.mark.parametrize(("workers", "at"), [(2, 3), (1, 5)])
def test_a_killed_worker_changes_nothing(networks, form, workers, at, tmp_path, monkeypatch):
    expected = ASE(5, solver="lanczos")
    with cluster(2) as client:
        expected.fit(on_dask(networks["undirected"][0], client))
    products = []
    multiply = on_workers.DaskMatrix.__matmul__

    def counted(matrix, block):
        products.append(block)
        if len(products) == at:
            os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)  # before the scheduler knows of it
        return multiply(matrix, block)

    with cluster(workers, processes=True, local_directory=str(tmp_path)) as client:
        network = on_dask(source_of(networks["undirected"], form), client)
        before = set(client.run(os.getpid).values())
        monkeypatch.setattr(on_workers.DaskMatrix, "__matmul__", counted)
        model = ASE(5, solver="lanczos").fit(network)
        client.wait_for_workers(workers)
        assert set(client.run(os.getpid).values()) != before
    np.testing.assert_array_equal(model.embedding_, expected.embedding_)


def test_a_cluster_without_workers_is_an_error_and_no_endless_wait(networks, monkeypatch):
    monkeypatch.setattr(on_workers, "WAIT", 1)
    with cluster(1) as client:
        network = on_dask(networks["undirected"][0], client)
        client.cluster.scale(0)
        with pytest.raises(ClusterError, match="start workers"):
            ASE(2).fit(network)


def test_wrong_clients(networks):
    graph = networks["undirected"][0]
    with pytest.raises(ArgumentError, match=r"distributed\.Client\(\)"):
        on_dask(graph)
    with pytest.raises(ArgumentTypeError, match="str"):
        on_dask(graph, "tcp://127.0.0.1:1")
    with cluster(1) as client:
        pass
    with pytest.raises(ArgumentError, match="closed"):
        on_dask(graph, client)


def test_dask_is_not_imported_unless_it_is_asked_for():
    code = "import sys, lpgraph as lp; lp.scale.on_dask; assert not {'dask', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
