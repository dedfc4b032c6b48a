"""What notebooks show: tables with all text escaped, quickly, and good text without HTML."""

import re
import time
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lpgraph as lp
from lpgraph.graph.new_edges import NewEdges

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&amp;'\"`",
    "\ud800",
    "a" * 10_000,
    "--><!--",
]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    parser = Tags()
    parser.feed(html)
    parser.close()
    return parser


def table(shown):
    """Return the facts of a table as a dict."""
    cells = re.findall(r"<th[^>]*>(.*?)</th><td[^>]*>(.*?)</td>", shown._repr_html_())
    return dict(cells)


def networks():
    graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    arcs = lp.erdos_renyi(40, 0.2, directed=True, random_state=0)
    return graph, arcs


def points():
    return np.random.default_rng(0).normal(size=(40, 3))


def results():
    graph, arcs = networks()
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    return {
        "graph": lp.as_adjacency(graph),
        "sampled": graph,
        "arcs": arcs,
        "new": graph.new_vertices(5, random_state=1),
        "new_arcs": arcs.new_vertices(5, random_state=1),
        "read": ase.read_new(graph.new_vertices(5, random_state=1)),
        "dataset": lp.datasets.karate(),
        "points": lp.datasets.Dataset("p", "d", "c", "l", "s", points=points()),
        "validation": lp.infer.dimension.cross_validate(graph, 4),
        "choice": lp.AdjacencySpectralEmbedding().fit(graph).dimension_choice_,
        "misfit": lp.infer.misfit(ase, [0, 1]),
        "drift": lp.infer.drift(ase, graph.new_vertices(5, random_state=1)),
        "stability": lp.metrics.stability(lp.manifold.ClassicalMDS(2), points(), [0.1, 0.2], random_state=0),
        "trust": lp.metrics.neighbor_measure(points(), points()[:, :2]),
        "trust of a sample": lp.metrics.neighbor_measure(points(), points()[:, :2], max_points=9),
        "curves": lp.metrics.neighbor_curves(points(), points()[:, :2]),
        "shepard": lp.metrics.shepard(points(), points()[:, :2], max_pairs=99),
        "paths": lp.metrics.geodesic_correlation(points(), points()[:, :2]),
        "loss": lp.metrics.reconstruction_loss(lp.manifold.ClassicalMDS(2).fit(points())),
    }


@pytest.mark.parametrize("name", results())
def test_every_result_is_a_table_and_one_line_of_text(name):
    shown = results()[name]
    parser = read(shown._repr_html_())
    assert parser.tags.count("table") == 1
    assert parser.tags.count("tr") >= 2
    assert set(parser.tags) <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert {key for key, _ in parser.attributes} <= {"style", "scope"}
    assert "\n" not in repr(shown)
    assert len(repr(shown)) < 200


def test_facts_are_those_of_the_object():
    graph, arcs = networks()
    assert table(graph) | {"names": "0, 1, 2, …"} == {
        "vertices": "100",
        "edges": f"{int(graph.matrix.nnz / 2):,}",
        "kind": "undirected",
        "mean degree": f"{graph.matrix.nnz / 100:.4g}",
        "kernel": "BlockMatrix",
        "positions": "100 x 1",
        "sparsity": "1",
        "labels": "one for each vertex",
        "names": "0, 1, 2, …",
    }
    weighted = table(lp.from_edges(["a", "b", "b"], ["b", "c", "c"]))
    assert (weighted["weights"], weighted["names"], weighted["edges"]) == ("1 to 2", "a, b, c", "2")
    assert table(arcs)["arcs"] == str(arcs.matrix.nnz)
    found = lp.infer.dimension.cross_validate(graph, 4)
    rows = re.findall(r"<tr><td>(\d)</td><td>([\d.]+)</td><td>[\d.]+</td><td>(.*?)</td>", found._repr_html_())
    assert [float(mean) for _, mean, _ in rows] == pytest.approx(found.mean, abs=1e-4)
    assert [int(d) for d, _, note in rows if "best" in note] == [found.best]
    assert [int(d) for d, _, note in rows if "smallest good" in note] == [found.smallest_good]
    assert repr(graph.new_vertices(3, random_state=0)).startswith("NewVertices(3 vertices, ")


def test_hostile_names_stay_text():
    ring = nx.relabel_nodes(nx.cycle_graph(len(HOSTILE)), dict(enumerate(HOSTILE)))
    graph = lp.as_adjacency(ring)
    attributed = lp.Adjacency(graph.matrix, graph.names, vertex_attributes={HOSTILE[0]: list(range(len(HOSTILE)))})
    dataset = lp.datasets.Dataset(*HOSTILE[:5], graph=graph, labels=np.array(HOSTILE, dtype=object))
    ends = [graph.names[0], graph.names[3]]
    edges = NewEdges(graph.matrix[:2], [HOSTILE[1], HOSTILE[3]])
    labels = np.array(HOSTILE[:2], dtype=object)
    classifier = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(
        graph, dict(zip(ends, labels, strict=True))
    )
    for shown in (attributed, dataset, edges):
        html = shown._repr_html_()
        html.encode()  # no lone surrogate is left
        assert set(read(html).tags) <= {"div", "table", "caption", "tbody", "tr", "th", "td"}
        assert len(html) < 5_000
    html = classifier._fitted_html()
    assert "&lt;script&gt;" in html
    assert set(read(html).tags) <= {"div", "table", "caption", "tbody", "tr", "th", "td"}


def fitted():
    graph, arcs = networks()
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    return {
        "embedding": (ase, {"vertices": "100", "kind": "undirected", "dimensions": "2"}),
        "directed": (
            lp.AdjacencySpectralEmbedding(2).fit(arcs),
            {"arcs": str(arcs.matrix.nnz), "kind": "directed"},
        ),
        "chosen": (
            lp.AdjacencySpectralEmbedding().fit(graph),
            {"dimensions": "2, chosen by cross-validated eigenvalues"},
        ),
        "extension": (lp.OutOfSample(ase), {"vertices": "100", "signature": "2 positive, 0 negative"}),
        "classifier": (lp.VertexClassifier().fit(graph, graph.labels), {"classes": "2: 0, 1"}),
        "clusters": (lp.VertexClustering(ase, 2).fit(graph), {"clusters": "2", "vertices": "100"}),
        "manifold": (
            lp.NetworkManifold().fit(graph),
            {"vertices": "100", "embeddings": "AdjacencySpectralEmbedding and Isomap"},
        ),
        "points": (lp.manifold.ClassicalMDS(2).fit(points()), {"coordinates of a point": "3", "dimensions": "2"}),
    }


@pytest.mark.parametrize("name", fitted())
def test_a_fitted_model_is_scikit_learns_diagram_and_a_table(name):
    model, facts = fitted()[name]
    html = model._repr_html_()
    assert "sk-top-container" in html
    found = dict(re.findall(r"<th[^>]*>([^<]*)</th><td[^>]*>([^<]*)</td>", model._fitted_html()))
    assert facts.items() <= found.items()
    assert html.endswith(model._fitted_html())
    # The other way a notebook asks; it may name its elements anew.
    assert model._repr_mimebundle_()["text/html"].endswith(model._fitted_html())
    if hasattr(model, "residuals_"):
        assert found["largest residual"] == f"{model.residuals_.max():.1e}"
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_a_model_that_is_not_fitted_has_no_table():
    for model in (lp.AdjacencySpectralEmbedding(), lp.VertexClustering(), lp.manifold.Isomap(), lp.OutOfSample(3)):
        assert model._fitted_html() == ""
    pipeline = make_pipeline(StandardScaler(), lp.manifold.ClassicalMDS(2)).fit(points())
    assert "sk-top-container" in pipeline._repr_html_()


def test_a_loaded_model_shows_what_is_in_memory(tmp_path):
    graph, _ = networks()
    model = lp.AdjacencySpectralEmbedding(2).fit(graph)
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    unread = {name: value for name, value in vars(loaded).items() if type(value).__name__ != "ndarray"}
    assert "vertices" in loaded._fitted_html()
    assert {name: vars(loaded)[name] for name in unread} == unread  # nothing large was read


def test_a_large_graph_is_shown_at_once():
    n = 1_000_000
    rows = np.arange(n)
    graph = lp.from_edges(rows, np.roll(rows, 1))
    began = time.perf_counter()
    graph._repr_html_()
    assert time.perf_counter() - began < 0.5
