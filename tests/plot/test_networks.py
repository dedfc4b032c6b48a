"""Plots of networks, of eigenvalues, and of graphs of points agree with the data."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse
from scipy.stats import poisson

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.plot.networks import binned


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def curves(axes):
    """Return the drawn points by label."""
    return {line.get_label(): line.get_xydata() for line in axes.get_lines()}


@pytest.mark.parametrize("directed", [False, True])
def test_binned_adjacency_counts_every_edge_once(directed):
    matrix = connected(103, 8, 0, directed=directed, weighted=True)
    graph = lp.as_adjacency(matrix, directed=directed)
    order = np.random.default_rng(0).permutation(103)
    np.testing.assert_array_equal(binned(graph, order, 103), (matrix.toarray() != 0)[np.ix_(order, order)])
    sizes = np.bincount(np.arange(103) * 10 // 103)
    assert (binned(graph, order, 10) * np.outer(sizes, sizes)).sum() == pytest.approx(matrix.nnz)


def test_sorted_adjacency_shows_the_blocks():
    B = np.array([[0.5, 0.1], [0.1, 0.3]])
    graph = lp.stochastic_block_model([600, 400], B, random_state=0)
    shuffled = np.random.default_rng(0).permutation(1000)
    axes = lp.plot.adjacency(graph.adjacency[shuffled][:, shuffled], graph.labels[shuffled])
    image = np.asarray(axes.images[0].get_array())
    # Within a block vertices are sorted by degree; blocks' means are B to the noise of 10^5 pairs.
    for i, rows in enumerate((slice(0, 300), slice(300, 500))):
        for j, columns in enumerate((slice(0, 300), slice(300, 500))):
            assert abs(image[rows, columns].mean() - B[i, j]) < 0.01
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1"]


def test_degrees_are_the_complementary_distribution():
    graph = nx.barabasi_albert_graph(300, 2, seed=0)
    degrees = np.array([d for _, d in graph.degree])
    axes = lp.plot.degrees(graph)
    points = axes.get_lines()[0].get_xydata()
    np.testing.assert_allclose(points[:, 1], [(degrees >= x).mean() for x in points[:, 0]])
    assert points[-1, 0] == degrees.max()
    reference = curves(axes)["Poisson distribution of the same mean"]
    np.testing.assert_allclose(reference[:, 1], poisson.sf(reference[:, 0] - 1, degrees.mean()))
    # Another graph has another colour.
    lp.plot.degrees(nx.gnm_random_graph(200, 400, seed=0), label="sampled", ax=axes)
    assert len({line.get_color() for line in axes.lines}) == 2


def test_scree_marks_elbow_and_choice():
    graph = lp.stochastic_block_model([80, 80, 80], np.full((3, 3), 0.1) + 0.3 * np.eye(3), random_state=0)
    found = lp.infer.dimension.cross_validate(graph, 6, folds=4)
    axes = lp.plot.scree(lp.AdjacencySpectralEmbedding().fit(graph), validation=found)
    names = " ".join(entries(axes))
    assert all(word in names for word in ("embedding: ", "elbow: ", f"cross-validation: {found.smallest_good}"))
    np.testing.assert_array_equal(axes.figure.axes[1].lines[0].get_ydata(), found.mean[1:])
    # Only a number of dimensions that was chosen by cross-validation has estimates as its scree.
    few = lp.plot.scree(lp.AdjacencySpectralEmbedding(3).fit(graph))
    assert ["estimated" in one.get_ylabel() for one in (axes, few)] == [True, False]


def test_drift_is_relative_to_its_limits_and_marks_the_alarm():
    graph = lp.stochastic_block_model([150, 150], [[0.4, 0.1], [0.1, 0.4]], random_state=0)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    rows = graph.new_vertices(60, random_state=1).adjacency.toarray()
    batch = lp.plot.drift(lp.infer.drift(ase, rows))
    assert [bar.get_height() <= 0 for bar in batch.patches] == [True] * 5
    rows[30:] = np.random.default_rng(0).random((30, 300)) < 0.25
    found = lp.infer.drift(
        ase, {f"v{i}": np.flatnonzero(row).tolist() for i, row in enumerate(rows)}, ordered=True
    )
    axes = lp.plot.drift(found)
    assert entries(axes)[-1] == f"alarm at v{found.alarm_after - 1}"
    line = axes.lines[list(found.paths).index(found.alarm_measure)]
    assert line.get_ydata()[found.alarm_after - 1] > 0


def test_point_graph_draws_every_edge_once_and_cuts_heavy_tails():
    X = np.random.default_rng(0).random((100, 2))
    graph = lp.neighbor_graph(X, n_neighbors=4)
    axes = lp.plot.point_graph(graph, X)
    lengths = [np.linalg.norm(a - b) for a, b in axes.collections[0].get_segments()]
    np.testing.assert_allclose(np.sort(lengths), np.sort(sparse.triu(graph).data))
    far = np.random.default_rng(0).standard_t(1.5, (3000, 2))
    axes = lp.plot.point_graph(lp.neighbor_graph(far, n_neighbors=3), far)
    axes.figure.canvas.draw()
    assert axes.get_aspect() == 1.0
    assert np.ptp(far[:, 0]) > 5 * np.ptp(axes.get_xlim())


OF_RESULTS = ("drift", "loss", "neighbor_curves", "samples", "shepard", "stability")


@pytest.mark.parametrize(
    ("function", "name", "arguments"),
    [
        (lp.plot.adjacency, "labels", (np.eye(3), ["a"])),
        (lp.plot.point_graph, "graph", (np.eye(3), np.eye(3))),
        (lp.plot.point_graph, "points", (sparse.csr_array((3, 3)),)),
        (lp.plot.point_graph, "points", (sparse.csr_array((3, 3)), np.eye(4))),
        (lp.plot.dimension, "choice", (lp.AdjacencySpectralEmbedding(2),)),
        (lp.plot.degrees, "no edge", (lp.from_edges([], [], vertices=3),)),
        (
            partial(lp.plot.scree, validation=3),
            "validation",
            (lp.AdjacencySpectralEmbedding(2).fit(nx.path_graph(5)),),
        ),
        *[(getattr(lp.plot, name), "result", (np.eye(3),)) for name in OF_RESULTS],
    ],
)
def test_wrong_arguments(function, name, arguments):
    with pytest.raises((ArgumentError, ArgumentTypeError, GraphError), match=name):
        function(*arguments)
