"""What notebooks show: tables with all text escaped, quickly, and good text without HTML."""

import re
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest
from sklearn import config_context

import lpgraph as lp
from lpgraph.graph.new_vertices import NewEdges

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&amp;'\"`",
    "\ud800",
    "a" * 10_000,
    "--><!--",
]
GRAPH = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
ARCS = lp.erdos_renyi(40, 0.2, directed=True, random_state=0)
POINTS = np.random.default_rng(0).normal(size=(40, 3))
ASE = lp.AdjacencySpectralEmbedding(2).fit(GRAPH)
MDS = lp.manifold.ClassicalMDS(2)


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes = [], set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def table(html):
    """Return the facts of a table as a dict."""
    return dict(re.findall(r"<th[^>]*>(.*?)</th><td[^>]*>(.*?)</td>", html))


RESULTS = [
    lp.as_adjacency(GRAPH),
    ASE.read_new(GRAPH.new_vertices(5, random_state=1)),
    lp.datasets.karate(),
    lp.datasets.Dataset("p", "d", "c", "l", "s", points=POINTS),
    lp.infer.dimension.cross_validate(GRAPH, 4),
    lp.AdjacencySpectralEmbedding().fit(GRAPH).dimension_choice_,
    lp.infer.misfit(ASE, [0, 1]),
    lp.infer.drift(ASE, GRAPH.new_vertices(5, random_state=1)),
    lp.metrics.stability(MDS, POINTS, [0.1, 0.2], random_state=0),
    lp.metrics.neighbor_measure(POINTS, POINTS[:, :2]),
    lp.metrics.neighbor_curves(POINTS, POINTS[:, :2]),
    lp.metrics.shepard(POINTS, POINTS[:, :2], max_pairs=99),
    lp.metrics.reconstruction_loss(lp.manifold.ClassicalMDS(2).fit(POINTS)),
    lp.infer.same_position(ASE, 0, [1, 2]),
    lp.infer.two_sample_test(GRAPH, GRAPH, method="density"),
    lp.fit_block_model(GRAPH, GRAPH.labels),
    lp.infer.mixture.choose_mixture(POINTS, [1, 2]),
]
#: Results whose text is a table or has arrays.
TEXTS = [
    lp.summary(GRAPH),
    lp.fit_erdos_renyi(GRAPH).compare(2),
    lp.seedless_procrustes(POINTS, POINTS),
]


@pytest.mark.parametrize("shown", RESULTS + TEXTS, ids=lambda shown: type(shown).__name__)
def test_every_result_is_a_table_and_one_line_of_text(shown):
    page = Tags(shown._repr_html_())
    assert page.tags.count("table") == 1
    assert page.tags.count("tr") >= 2
    assert set(page.tags) <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert page.attributes <= {"style", "scope", "class", "border"}
    assert shown in TEXTS or ("\n" not in repr(shown) and len(repr(shown)) < 200)


def test_facts_are_those_of_the_object():
    found = lp.infer.dimension.cross_validate(GRAPH, 4)
    means = re.findall(r"<tr>\s*<td>\d</td>\s*<td>([\d.]+)</td>", found._repr_html_())
    assert [float(mean) for mean in means] == pytest.approx(found.mean, abs=1e-3)


def test_hostile_names_stay_text():
    graph = lp.as_adjacency(nx.relabel_nodes(nx.cycle_graph(len(HOSTILE)), dict(enumerate(HOSTILE))))
    attributed = lp.Adjacency(graph.matrix, graph.names, vertex_attributes={HOSTILE[0]: list(range(len(HOSTILE)))})
    dataset = lp.datasets.Dataset(*HOSTILE[:5], graph=graph, labels=np.array(HOSTILE, dtype=object))
    edges = NewEdges(graph.matrix[:2], [HOSTILE[1], HOSTILE[3]])
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2))
    model.fit(graph, {graph.names[0]: HOSTILE[0], graph.names[3]: HOSTILE[1]})
    assert "&lt;script&gt;" in model._fitted_html()
    for html in (*(shown._repr_html_() for shown in (attributed, dataset, edges)), model._fitted_html()):
        html.encode()  # no lone surrogate is left
        assert set(Tags(html).tags) <= {"div", "table", "caption", "tbody", "tr", "th", "td", "img"}
        assert len(re.sub(r"base64,[^\"]*", "", html)) < 5_000


@pytest.mark.parametrize(
    ("fit", "facts"),
    [
        (lambda: lp.AdjacencySpectralEmbedding(2).fit(ARCS), {"arcs": str(ARCS.matrix.nnz), "dimensions": "2"}),
        (lambda: lp.OutOfSample(ASE), {"vertices": "100", "dimensions": "2"}),
        (lambda: lp.VertexClassifier().fit(GRAPH, GRAPH.labels), {"classes": "2: 0, 1"}),
        (lambda: lp.VertexClustering(ASE, 2).fit(GRAPH), {"clusters": "2", "vertices": "100"}),
        (lambda: lp.manifold.ClassicalMDS(2).fit(POINTS), {"dimensions": "2"}),
    ],
)
def test_a_fitted_model_is_scikit_learns_diagram_and_a_table(fit, facts):
    model = fit()
    html, found = model._repr_html_(), table(model._fitted_html())
    assert "sk-top-container" in html
    assert facts.items() <= found.items()
    assert html.endswith(model._fitted_html())
    # The other way a notebook asks; it may name its elements anew.
    assert model._repr_mimebundle_()["text/html"].endswith(model._fitted_html())
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
