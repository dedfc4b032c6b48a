"""The backend of networkx: its functions beside networkx's, and networkx's own tests through it."""

import os
import subprocess
import sys
from importlib.metadata import entry_points

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from lpgraph import networkx_backend as ours
from lpgraph.networkx_info import get_info

installed = pytest.mark.skipif(
    "lpgraph" not in entry_points(group="networkx.backends").names,
    reason="needs lpgraph installed: pip install -e .",
)
FUNCTIONS = set(get_info()["functions"])


def original(name):
    module = nx.algorithms.node_classification if name == "harmonic_function" else nx
    return getattr(module, name).orig_func


def through(name, graph, **options):
    weight = options.get("weight", "weight")
    attributes = {weight: 1} if weight and name != "harmonic_function" else None
    return getattr(ours, name)(ours.convert_from_nx(graph, edge_attrs=attributes, name=name), **options)


def weighted(kind):
    """Return a graph of every kind: parallel edges, loops, negative and zero weights, names of all types."""
    graph = kind()
    graph.add_weighted_edges_from(
        [("a", 1, 2.0), (1, (2, 3), -3.0), ((2, 3), "d", 1.5), ("d", "a", 0.5), ("d", 1, 0.0)]
    )
    graph.add_weighted_edges_from([(1, "a", 1.0), ("a", 1, -4.0), ("a", "a", 9.0)])
    graph.add_edge("d", "e")
    return graph


def test_no_other_function_of_networkx_is_taken_for_one_of_the_backend():
    assert {name for name in nx.utils.backends._registered_algorithms if hasattr(ours, name)} == FUNCTIONS


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("weight", ["weight", None, "absent"])
@pytest.mark.parametrize("normalized", [False, True])
def test_vectors_are_those_of_networkx(kind, weight, normalized):
    graph, options = weighted(kind), {"weight": weight, "normalized": normalized}
    value = original("algebraic_connectivity")(graph, seed=np.random.RandomState(0), **options)
    assert through("algebraic_connectivity", graph, **options) == pytest.approx(value)
    theirs = original("fiedler_vector")(graph, seed=np.random.RandomState(0), **options)
    vector = through("fiedler_vector", graph, **options)
    assert abs(theirs @ vector) == pytest.approx(1, abs=1e-6)
    first, second = through("spectral_bisection", graph, **options)
    assert [node in second for node in graph] == (vector >= 0).tolist()
    assert first | second == set(graph)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiDiGraph])
def test_the_order_of_several_components_is_that_of_networkx(kind):
    graph = nx.disjoint_union_all(
        [nx.relabel_nodes(weighted(kind), str), nx.path_graph(2, kind), nx.path_graph(6, kind)]
    )
    theirs = original("spectral_ordering")(graph, seed=np.random.RandomState(0))
    order = through("spectral_ordering", graph)
    assert order[5:7] == theirs[5:7]
    for part in (slice(5), slice(7, 13)):
        assert order[part] in (theirs[part], theirs[part][::-1])


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(2000),
        nx.grid_2d_graph(60, 61),
        nx.random_regular_graph(8, 1100, seed=0),
        nx.barabasi_albert_graph(1000, 5, seed=0),
        nx.barbell_graph(90, 700),
    ],
    ids=["path", "grid", "regular", "heavy-tailed", "barbell"],
)
@pytest.mark.parametrize("normalized", [False, True])
def test_every_shape_has_its_vector_to_the_tolerance(graph, normalized):
    matrix = nx.normalized_laplacian_matrix(graph) if normalized else nx.laplacian_matrix(graph).astype(float)
    vector = through("fiedler_vector", graph, normalized=normalized, seed=1)
    value = through("algebraic_connectivity", graph, normalized=normalized, seed=1)
    norm = 4 * max(1, matrix.diagonal().max())
    assert np.linalg.norm(matrix @ vector - value * vector) <= 1e-8 * max(value, 1e-5 * norm)
    expected = eigsh(matrix.tocsc(), 2, sigma=-1e-3, return_eigenvectors=False).max()
    assert value == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert np.array_equal(vector, through("fiedler_vector", graph, normalized=normalized, seed=1))


def test_methods_and_errors():
    path = nx.path_graph(700)
    vectors = [through("fiedler_vector", path, method=name) for name in ("tracemin", "tracemin_lu", "lobpcg")]
    for vector in vectors:
        assert vector @ vectors[0] == pytest.approx(1)
    with pytest.raises(nx.NetworkXError, match="not finite"):
        through("fiedler_vector", nx.Graph([(0, 1, {"weight": np.nan})]))
    with pytest.raises(nx.NetworkXNotImplemented):
        through("spectral_bisection", nx.DiGraph([(0, 1)]))


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("steps", [1, 3, 30])
def test_harmonic_labels_are_those_of_networkx(kind, steps):
    graph = kind(nx.karate_club_graph())
    graph.add_edge(4, 4, weight=3.0)
    for node, label in ((33, "x"), (0, 7), (5, "y")):
        graph.nodes[node]["kind"] = label
    theirs = original("harmonic_function")(graph, steps, "kind")
    assert through("harmonic_function", graph, max_iter=steps, label_name="kind") == theirs
    with pytest.raises(nx.NetworkXError, match="labeled by 'label'"):
        through("harmonic_function", graph)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("loops", [False, True])
def test_block_models_have_the_frequencies_of_networkx(directed, loops):
    sizes, p, nodes = (
        [40, 0, 60],
        np.array([[0.8, 0.1, 0.05], [0.1, 1, 0.3], [0.05, 0.3, 0.4]]),
        list(range(100, 0, -1)),
    )
    options = {"nodelist": nodes, "seed": np.random.RandomState(0), "directed": directed, "selfloops": loops}
    graph, theirs = (
        f(sizes, p.tolist(), **options) for f in (ours.stochastic_block_model, nx.stochastic_block_model)
    )
    assert list(graph.nodes(data=True)) == list(theirs.nodes(data=True))
    assert graph.graph == theirs.graph
    assert (nx.number_of_selfloops(graph) > 30) == loops
    for block in graph.graph["partition"][::2]:
        counts = [sum(u in block and v not in block for u, v in both.edges) for both in (graph, theirs)]
        assert counts[0] == pytest.approx(counts[1], abs=60)
    assert len(graph.edges) == pytest.approx(len(theirs.edges), rel=0.1)
    with pytest.raises(nx.NetworkXException, match="duplicate"):
        ours.stochastic_block_model([2], [[1]], [0, 0])


def test_soft_graphs_join_near_nodes_with_the_probability_of_their_distance():
    pos = {i: (i / 1000, 0.0) for i in range(1000)}
    graph = ours.soft_random_geometric_graph(1000, 0.3, pos=pos, seed=1, pos_name="at")
    lengths = np.array([abs(u - v) / 1000 for u, v in graph.edges])
    near = np.arange(1, 301) / 1000
    assert lengths.max() <= 0.3
    assert len(lengths) == pytest.approx(((1 - near) * 1000 * np.exp(-near)).sum(), rel=0.01)
    assert graph.nodes[3] == {"at": pos[3]}
    none = ours.soft_random_geometric_graph("abc", 9, dim=3, p=1, p_dist=lambda x: 0.0)
    assert list(none) == ["a", "b", "c"]
    assert not none.edges


def test_a_weight_that_was_not_converted_is_read_from_the_graph():
    graph = weighted(nx.Graph)
    converted = ours.convert_from_nx(graph, edge_attrs={"absent": 1})
    for weight in ("weight", None, "absent", "weight"):
        assert np.allclose(ours.fiedler_vector(converted, weight), through("fiedler_vector", graph, weight=weight))
    assert ours.convert_to_nx(converted) is graph


def networkx_tests(folder, *modules, **environment):
    """Run tests of networkx in a new process; return which failed, and the last line."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", *modules]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=os.environ | environment)
    lines = done.stdout.splitlines()
    return {line.rpartition("::")[2].partition(" ")[0] for line in lines if line.startswith("FAILED")}, lines[-1]


@installed
def test_networkx_finds_the_backend():
    graph = nx.grid_2d_graph(30, 31)
    vector = nx.fiedler_vector(graph, backend="lpgraph")
    assert vector == pytest.approx(through("fiedler_vector", graph), abs=1e-7)
    with pytest.warns(UserWarning, match="cached graph"):
        assert len(nx.spectral_ordering(graph, backend="lpgraph")) == 930
    assert "lpgraph :" in nx.fiedler_vector.__doc__


@installed
@pytest.mark.slow
def test_the_tests_of_networkx_pass(tmp_path):
    linear = (
        "networkx.linalg.tests.test_algebraic_connectivity",
        "networkx.algorithms.tests.test_node_classification",
    )
    failed, last = networkx_tests(
        tmp_path, *linear, NETWORKX_TEST_BACKEND="lpgraph", NETWORKX_FALLBACK_TO_NX="True"
    )
    assert not failed
    assert "passed" in last
    # In that mode networkx compares graphs with its own of the same random stream; here only what tests assert.
    random = ("networkx.generators.tests.test_community", "networkx.generators.tests.test_geometric")
    failed, _ = networkx_tests(tmp_path, *random, NETWORKX_BACKEND_PRIORITY_GENERATORS="lpgraph")
    assert failed == {"test_stochastic_block_model"}  # asserts the number of edges that networkx draws from a seed
