"""Properties of a network beside those of samples of a fitted model."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.infer.sample_comparison import compare_samples

mpl.use("Agg")


def example(directed=False):
    weights = np.random.default_rng(0).uniform(0.2, 1, 90)
    return lp.as_adjacency(
        lp.degree_corrected_block_model(
            [50, 40], [[0.6, 0.1], [0.1, 0.5]], weights, directed=directed, loops=True, random_state=1
        )
    )


@pytest.mark.parametrize("directed", [False, True])
def test_properties_agree_with_networkx(directed):
    graph = example(directed)
    found = compare_samples(graph, [graph, graph])
    plain = graph.to_networkx()
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    undirected = nx.Graph(plain)
    values = dict(zip(found.quantities, found.network, strict=True))
    assert values["edges"] == graph.n_edges
    assert values["triangles"] == sum(nx.triangles(undirected).values()) / 3
    assert values["clustering"] == pytest.approx(nx.transitivity(undirected))
    assert values["components"] == nx.number_connected_components(undirected)
    assert values["largest component"] == max(map(len, nx.connected_components(undirected)))
    sides = [("out-degree", plain.out_degree), ("in-degree", plain.in_degree)] if directed else []
    for side, degrees in sides or [("degree", plain.degree)]:
        numbers = [degree for _, degree in degrees()]
        assert values[f"maximum {side}"] == max(numbers)
        assert values[f"{side}, upper quartile"] == np.quantile(numbers, 0.75)
    dense = graph.matrix.toarray()
    if directed:
        assert values["reciprocity"] == pytest.approx(nx.overall_reciprocity(plain))
        exact = np.linalg.svd(dense, compute_uv=False)
    else:
        exact = np.sort(np.abs(np.linalg.eigvalsh(dense)))[::-1]
    leading = [value for name, value in values.items() if name.split(" ")[0] in ("singular", "eigenvalue")]
    assert np.allclose(leading, exact[:5], rtol=1e-3)
    # Samples that are the network itself: nothing differs.
    assert not found.z.any()
    assert not found.standard_deviation.any()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    "fit",
    [
        lp.fit_erdos_renyi,
        lambda graph: lp.fit_block_model(graph, n_blocks=2),
        lambda graph: lp.fit_degree_corrected_block_model(graph, n_blocks=2),
        lambda graph: lp.fit_random_dot_product_graph(graph, 2),
    ],
)
def test_every_fit_is_compared(fit, directed):
    graph = example(directed)
    fitted = fit(graph)
    found = fitted.compare(6, random_state=3)
    assert found.samples.shape == (6, len(found.quantities))
    rows = compare_samples(graph, fitted.sample(n_graphs=6, random_state=3))
    assert np.array_equal(found.samples, rows.samples)
    assert np.array_equal(found.network, rows.network)
    # About 1000 edges with a standard deviation of 25.
    assert abs(found.z[found.quantities.index("edges")]) < 6
    with pytest.raises(ArgumentError, match="n_graphs=1; pass n_graphs >= 2"):
        fitted.compare(1)


def test_a_property_that_the_model_lacks_is_seen():
    # 40 disjoint triangles: an Erdos-Renyi graph of 120 vertices with mean degree 2 has 4/3 triangles on average.
    graph = lp.as_adjacency(nx.disjoint_union_all([nx.complete_graph(3)] * 40))
    found = lp.fit_erdos_renyi(graph).compare(random_state=0)
    table = found.table(backend="pandas").set_index("quantity")
    assert table.loc["triangles", "network"] == 40
    assert table.loc["triangles", "z"] > 20
    assert 0 < table.loc["triangles", "mean"] < 3
    assert table.loc["clustering", "network"] == 1
    assert abs(table.loc["edges", "z"]) < 4
    assert table.loc["components", "5%"] <= table.loc["components", "mean"] <= table.loc["components", "95%"]
    assert found.table(backend="polars").shape == table.reset_index().shape
    row = next(line for line in repr(found).splitlines() if line.startswith("triangles"))
    assert row.split()[1] == "40"
    assert "<th" in found._repr_html_()
    assert "triangles" in found._repr_html_()


def test_without_edges():
    found = lp.fit_block_model(nx.empty_graph(5), [0, 0, 0, 1, 1]).compare(3)
    assert not found.z.any()
    assert found.network.tolist() == [0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0, 0, 0]


def test_infinite_z():
    # All samples of the complete graph are complete; a path is another value of the same property.
    complete, path = lp.as_adjacency(nx.complete_graph(4)), lp.as_adjacency(nx.path_graph(4))
    found = compare_samples(path, [complete, complete])
    assert found.z[0] == -np.inf
    assert "-inf" in repr(found)


def test_the_picture():
    graph = lp.as_adjacency(nx.disjoint_union_all([nx.complete_graph(3)] * 40))
    found = lp.fit_erdos_renyi(graph).compare(random_state=0)
    axes = lp.plot.samples(found)
    rows = list(found.quantities)
    assert [text.get_text() for text in axes.get_yticklabels()] == rows
    low, high = np.quantile(found.samples, [0.05, 0.95], axis=0)
    outside = {name for name, x, a, b in zip(rows, found.network, low, high, strict=True) if not a <= x <= b}
    assert {"triangles", "clustering"} <= outside
    assert "edges" not in outside
    drawn = {rows[round(y)] for _, y in axes.collections[-1].get_offsets()}
    assert drawn == outside
    # A ratio below 1/16 is drawn there.
    at = dict(
        zip(
            (rows[round(y)] for _, y in axes.collections[-1].get_offsets()),
            axes.collections[-1].get_offsets()[:, 0],
            strict=True,
        )
    )
    assert at["triangles"] == 1 / 16
    plt.close("all")
