"""The HTML report: its numbers, its content security, and its display in a browser."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning
from lpgraph.plot.palette import GREY, colours
from lpgraph.reporting import frame
from lpgraph.reporting.page import json_for_html
from lpgraph.reporting.scree import scree_svg

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

HOSTILE = [
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "<!--",
    "-->",
    "'\"&amp;&",
    "\u2028\u2029",
    "${1+1}`",
    "</title></style></textarea>",
    "\ud800",
    "مرحبا",
    "a" * 500,
]


def hostile():
    """A network of two groups with vertex names that contain HTML and script."""
    names = [f"{name}{i}" for i in range(3) for name in HOSTILE]
    rng = np.random.default_rng(0)
    n, block = len(names), np.arange(len(names)) % 2
    a = np.triu(rng.random((n, n)) < np.where(block[:, None] == block, 0.8, 0.1), 1)
    return lp.as_adjacency((a | a.T).astype(float), names=names), [HOSTILE[b] for b in block]


@pytest.fixture(scope="module")
def page():
    graph, labels = hostile()
    return lp.report(
        graph, labels=labels, title=HOSTILE[0], n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3)
    ).html


def points(page):
    text = re.search(r'<script type="application/json" id="points">(.*?)</script>', page, re.DOTALL)[1]
    return json.loads(text)


def unpack(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_the_points_are_the_embedding():
    graph = lp.stochastic_block_model([40, 30], [[0.6, 0.1], [0.1, 0.6]], random_state=0)
    page = lp.report(graph, labels=graph.labels, n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3)).html
    data = points(page)
    embedding = lp.AdjacencySpectralEmbedding(3).fit(graph)
    np.testing.assert_allclose(
        unpack(data["positions"], "<f4").reshape(70, 3), embedding.embedding_, rtol=1e-6, atol=1e-7
    )
    np.testing.assert_array_equal(unpack(data["degrees"], "<i4"), graph.adjacency.sum(axis=1))
    assert data["columns"] == ["dimension 1", "dimension 2", "dimension 3"]
    assert data["names"] == [str(i) for i in range(70)]
    assert [c["name"] for c in data["colours"]] == ["label", "cluster"]
    np.testing.assert_array_equal(unpack(data["codes"][0], "<i4"), graph.labels)
    assert "1.000 (adjusted Rand index)" in page
    # The table of densities: the measured shares of joined pairs.
    block = graph.adjacency[:40][:, :40].sum() / (40 * 39)
    assert f"<td class=number>{block:.3g}</td>" in page.replace('"number"', "number")
    for residual in embedding.residuals_:
        assert f"{residual:.1e}" in page


def test_the_same_graph_gives_the_same_page(page):
    graph, labels = hostile()
    again = lp.report(
        graph, labels=labels, title=HOSTILE[0], n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3)
    ).html
    assert again == page


def test_nothing_comes_from_elsewhere(page):
    inside = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.DOTALL)
    assert "http://" not in inside
    assert "https://" not in inside
    assert not re.search(r"\b(?:src|srcset|@import)\b\s*=", inside.replace(html.escape(HOSTILE[1]), ""))
    assert re.findall(r'href="([^"]*)"', inside) == ["data:,"]
    script = re.findall(r"<script>(.*?)</script>", inside, re.DOTALL)
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in inside
    assert "default-src 'none'" in inside


def test_hostile_names_stay_text(page):
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "<!--" not in page
    graph, _ = hostile()
    assert points(page)["names"] == [name.encode("utf-8", "replace").decode() for name in graph.names]
    page.encode()  # no lone surrogate is left


@pytest.mark.parametrize("text", HOSTILE)
def test_json_stands_in_html_and_comes_back(text):
    packed = json_for_html([text])
    assert not set("<>&\u2028\u2029") & set(packed)
    assert json.loads(packed) == [text.encode("utf-8", "replace").decode()]


def test_directed_unlabelled_and_few_dimensions(tmp_path):
    graph = lp.erdos_renyi(40, 0.2, directed=True, random_state=0)
    page = lp.report(graph, tmp_path / "page.html", embedding=lp.AdjacencySpectralEmbedding(1), n_clusters=1).html
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert points(page)["columns"] == ["dimension 1", "degree"]
    assert "singular value" in page
    partly = lp.report(nx.karate_club_graph(), labels={0: "a", 33: "b"}, n_clusters=2).html
    assert points(partly)["colours"][0]["levels"] == ["a", "b", "unknown"]


def test_labels_have_the_order_and_the_colours_of_the_plots():
    graph = lp.stochastic_block_model([20] * 12, np.full((12, 12), 0.05) + 0.6 * np.eye(12), random_state=0)
    page = lp.report(graph, labels=graph.labels, n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3)).html
    label = points(page)["colours"][0]
    assert label["levels"] == [str(k) for k in range(12)]  # and not 0, 1, 10, 11, 2
    assert label["shades"] == [to_hex(colour) for colour in colours(12)]
    partly = lp.report(
        graph, labels={0: "b", 1: "a"}, n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3)
    ).html
    assert points(partly)["colours"][0]["shades"][-1] == GREY


def test_rows_of_a_network_with_hubs_are_scaled_at_first():
    graph = lp.as_adjacency(nx.barabasi_albert_graph(400, 2, seed=0))
    data = points(lp.report(graph, n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(5)).html)
    # The first dimension of unit rows is not drawn.
    assert (data["scale"], data["axes"], data["dimensions"]) == ("unit", [1, 2], 5)
    data = points(lp.report(graph, n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(2)).html)
    assert (data["scale"], data["axes"]) == ("ranks", [0, 1])
    plain = lp.stochastic_block_model([40, 30], [[0.6, 0.1], [0.1, 0.6]], random_state=0)
    data = points(lp.report(plain, n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3)).html)
    assert (data["scale"], data["axes"]) == ("none", [0, 1])


def test_of_a_large_graph_some_points_are_drawn_and_the_page_says_so():
    graph = lp.stochastic_block_model([300, 300], [[0.1, 0.01], [0.01, 0.1]], random_state=0)
    page = lp.report(graph, n_clusters=2, max_points=100).html
    assert points(page)["count"] == 100
    assert "100 of 600 vertices are drawn" in page


def test_scree_marks_what_is_used():
    svg = scree_svg(np.array([9.0, -8.0, 1.0, 0.5]), 2, 3, directed=False)
    assert svg.count("<circle") == 4
    assert svg.count('class="negative"') == 1
    assert "elbow 3" in svg
    assert "estimate" not in svg
    said = scree_svg(np.array([9.0, 1.0]), 1, 1, directed=False, estimated=True)
    assert "Scree: estimated magnitudes of eigenvalues" in said
    assert "estimates from the edges that were not held out.</p>" in said
    assert "2 used" in svg
    # The line of the used ones lies between the second and the third point.
    x = [float(v) for v in re.findall(r'<circle class="\w+" cx="([\d.]+)"', svg)]
    line = float(re.search(r'<line class="used" x1="([\d.]+)"', svg)[1])
    assert x[1] < line < x[2]


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"labels": ["a"]}, ArgumentError, "34 vertices"),
        ({"embedding": object()}, ArgumentTypeError, "LaplacianSpectralEmbedding"),
        ({"title": 3}, ArgumentTypeError, "pass a string"),
        ({"max_points": 0}, ArgumentError, "max_points >= 1"),
        ({"path": "/"}, ArgumentError, "is a folder"),
    ],
)
def test_what_cannot_be_reported(options, error, match):
    with pytest.raises(error, match=match):
        lp.report(nx.karate_club_graph(), n_clusters=1, **options)


def browse(path, *options):
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", *options]
    done = subprocess.run([*command, f"file://{path}"], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def probed(tmp_path, page, probe, width):
    """Return what a probe, added to a copy of the page with its hash allowed there, writes into the title."""
    digest = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    allowed = page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    path = tmp_path / "page.html"
    path.write_text(allowed.replace("</body>", f"<script>{probe}</script></body>"), encoding="utf-8")
    dom = browse(path, "--dump-dom", f"--window-size={width},900")
    return json.loads(html.unescape(re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1]))


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_a_browser_shows_it(tmp_path, page):
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    dom = browse(path, "--dump-dom")
    assert f'data-drawn="{3 * len(HOSTILE)}"' in dom  # the script ran to its end
    title = re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1]
    assert html.unescape(title) == HOSTILE[0]  # and no name took the title
    legend = re.search(r'<ul id="legend".*?</ul>', dom, re.DOTALL)[0]
    assert legend.count("<li>") == 2
    assert "<img" not in legend


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize("width", [500, 1280])
def test_nothing_overflows_its_window(tmp_path, page, width):
    probe = (
        "addEventListener('load',()=>setTimeout(()=>{const e=document.documentElement;"
        "const find=document.getElementById('find');find.value='</SCRIPT';"
        "find.dispatchEvent(new Event('input'));document.getElementById('theme').click();"
        "document.getElementById('canvas').dispatchEvent(new KeyboardEvent('keydown',{key:'ArrowRight'}));"
        "document.title=JSON.stringify([e.scrollWidth,e.clientWidth,document.getElementById('said').textContent,"
        "e.dataset.theme])},200))"
    )
    measured = probed(tmp_path, page, probe, width)
    assert measured[0] <= measured[1]
    assert "degree" in measured[2]  # search and arrow keys show a vertex
    assert measured[3] == "dark"


@pytest.mark.parametrize("k", [12, 13])
def test_the_page_says_why_there_is_no_table_of_densities(k):
    graph = lp.as_adjacency(nx.barabasi_albert_graph(200, 2, seed=0))
    page = lp.report(graph, n_clusters=k, embedding=lp.AdjacencySpectralEmbedding(5)).html
    why = f"The fractions of joined pairs are shown for at most 12 clusters, and there are {k}."
    assert (why in page) is (k > 12)
    assert ("Fraction of joined pairs, by cluster" in page) is (k <= 12)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_page_says_how_positions_were_scaled(tmp_path):
    graph = lp.as_adjacency(nx.barabasi_albert_graph(400, 2, seed=0))
    page = lp.report(graph, n_clusters=3, embedding=lp.AdjacencySpectralEmbedding(5)).html
    probe = (
        "addEventListener('load',()=>setTimeout(()=>{const by=(id)=>document.getElementById(id),seen=[];"
        "for(const kind of ['unit','ranks','none']){by('scale').value=kind;"
        "by('scale').dispatchEvent(new Event('change'));seen.push(by('scaled').textContent)}"
        "by('none').click();seen.push(document.querySelectorAll('#legend input:checked').length);"
        "by('all').click();seen.push(document.querySelectorAll('#legend input:checked').length);"
        "document.title=JSON.stringify(seen)},200))"
    )
    unit, ranks, plain, hidden, shown = probed(tmp_path, page, probe, 1280)
    assert unit.startswith("Rows are scaled to unit length.")
    assert ranks == "Positions are the ranks of the coordinates."
    assert "The axes end at the 0.5 % and 99.5 % quantiles" in plain
    assert (hidden, shown) == (0, 3)


class Frame(HTMLParser):
    def handle_starttag(self, tag, attrs):
        self.tag, self.attributes = tag, dict(attrs)


def framed(report):
    parser = Frame()
    parser.feed(report._repr_html_())
    assert parser.tag == "iframe"
    return parser.attributes


def test_a_notebook_shows_the_page_in_a_frame_without_rights():
    graph, labels = hostile()
    report = lp.report(
        graph, labels=labels, title=HOSTILE[0], n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3)
    )
    attributes = framed(report)
    assert attributes["sandbox"] == "allow-scripts"  # and not allow-same-origin
    assert attributes["srcdoc"] == report.html
    assert report._repr_html_().count("<") == 2  # the frame and its end: everything else is an attribute
    assert "100%" in attributes["style"]
    assert report.title == HOSTILE[0]


def test_a_frame_of_a_large_network_is_small(monkeypatch):
    graph = lp.stochastic_block_model([300, 300], [[0.1, 0.01], [0.01, 0.1]], random_state=0)
    report = lp.report(graph, n_clusters=2)
    monkeypatch.setattr(frame, "_FRAMED", 100)
    assert points(framed(report)["srcdoc"])["count"] == 100
    assert points(report.html)["count"] == 600
    monkeypatch.setattr(frame, "_LARGEST", 1000)
    assert "too large for a notebook" in report._repr_html_()
    assert "iframe" not in report._repr_html_()


def test_a_report_is_saved_and_opened(tmp_path, monkeypatch):
    report = lp.report(nx.karate_club_graph(), n_clusters=2)
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    path = report.open()
    assert opened == [path.as_uri()]
    assert path.read_text(encoding="utf-8") == report.html
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    with pytest.warns(LpgraphWarning, match="No browser"):
        report.open()
    for wrong, error in ((3, ArgumentTypeError), ("/", ArgumentError)):
        with pytest.raises(error, match=r"pass|is a folder"):
            report.save(wrong)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_a_browser_runs_the_page_in_its_frame(tmp_path):
    graph, labels = hostile()
    report = lp.report(graph, labels=labels, title="x", n_clusters=2, embedding=lp.AdjacencySpectralEmbedding(3))
    # The page tells its parent what it has drawn; its own policy allows this script by hash.
    probe = "addEventListener('load',()=>parent.postMessage(document.documentElement.outerHTML.length,'*'))"
    digest = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    page = report.html.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    page = page.replace("</body>", f"<script>{probe}</script></body>")
    outer = report._repr_html_().replace(html.escape(report.html, quote=True), html.escape(page, quote=True))
    listen = (
        "onmessage=(e)=>{let inside='no access';try{inside=frames[0].document.title}catch(x){}"
        "document.title=JSON.stringify([e.data>0,inside])}"
    )
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>-</title><script>{listen}</script>{outer}", encoding="utf-8")
    # In one process, whose virtual time waits for the frame.
    dom = browse(path, "--dump-dom", "--virtual-time-budget=20000", "--disable-features=IsolateSandboxedIframes")
    title = html.unescape(re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1])
    assert json.loads(title) == [True, "no access"]


@pytest.mark.parametrize("labelled", [False, True])
def test_new_vertices_are_placed_drawn_and_listed(labelled):
    karate = nx.karate_club_graph()
    new = [("x<y>", 0), ("x<y>", 1), ("x<y>", 2), ("second", 33), ("second", 32), ("third", "second")]
    labels = dict(karate.nodes(data="club")) if labelled else None
    with pytest.warns(LpgraphWarning, match="1 of 3 vertices have no edge to a vertex of the graph"):
        page = lp.report(karate, labels=labels, n_clusters=2, new=new)
    clustering = lp.VertexClustering(n_clusters=2).fit(karate)
    with pytest.warns(LpgraphWarning):
        expected = clustering.predict_table(new)
    points = json.loads(html.unescape(re.search(r'id="points">(.*?)</script>', page.html)[1]))
    assert (points["count"], points["total"], points["names"][34:]) == (37, 37, ["x<y>", "second", "third"])
    codes = [np.frombuffer(base64.b64decode(part), dtype="<i4") for part in points["codes"]]
    names = [part["name"] for part in points["colours"]]
    assert names == (["label"] if labelled else []) + ["cluster", "known or new"]
    assert codes[names.index("cluster")][34:].tolist() == expected["cluster"].tolist()
    assert codes[-1].tolist() == [0] * 34 + [1] * 3
    # Crosses are the points after the known ones, and only classes have names in the picture.
    assert points["known"] == 34
    assert [part["classes"] for part in points["colours"]] == ([2] if labelled else []) + [2, 0]
    if labelled:
        assert points["colours"][0]["levels"][codes[0][34]] == "new vertex"
    degrees = np.frombuffer(base64.b64decode(points["degrees"]), dtype="<i4")
    assert degrees[34:].tolist() == [3, 2, 0]
    assert "<dt>new vertices</dt><dd>3, 1 without a known neighbor</dd>" in page.html
    assert '<th scope="row">x&lt;y&gt;</th>' in page.html
    assert "x<y>" not in page.html


def test_new_vertices_of_a_directed_network_count_arcs_of_both_directions():
    ring = nx.DiGraph([(f"v{i}", f"v{(i + k) % 40}") for i in range(40) for k in (1, 2, 3)])
    page = lp.report(ring, n_clusters=2, new=[("new", "v0"), ("v1", "new"), ("v2", "new")])
    points = json.loads(html.unescape(re.search(r'id="points">(.*?)</script>', page.html)[1]))
    assert np.frombuffer(base64.b64decode(points["degrees"]), dtype="<i4")[-1] == 3


def test_the_warning_of_new_vertices_without_known_neighbors_names_a_column_of_the_report():
    with pytest.warns(lp.errors.IsolatedVertexWarning, match="by their 0 known neighbors") as told:
        page = lp.report(nx.karate_club_graph(), new={"ann": [0, 1], "bob": []}).html
    assert "known neighbors</th>" in page
    assert not any("predict_table" in str(warning.message) for warning in told)


def test_of_many_clusters_the_largest_are_shown():
    """One cluster for each of 300 pairs and one for the rest: 64 rows and colours, and the others are one."""
    graph = nx.disjoint_union_all([nx.gnm_random_graph(60, 200, seed=0), *[nx.complete_graph(2)] * 300])
    page = lp.report(graph).html
    clusters = next(c for c in points(page)["colours"] if c["name"] == "cluster")
    assert clusters["levels"][-2:] == ["63", "smaller clusters"]
    assert len(clusters["levels"]) == len(clusters["shades"]) == 65
    assert re.search(r"The 64 largest of \d+ clusters\.", page)
