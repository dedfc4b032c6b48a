"""The HTML report: its numbers, its content security, and its display in a browser."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, IsolatedVertexWarning, LpgraphWarning
from lpgraph.plot.layout import network_layout
from lpgraph.plot.palette import GREY, hex_colours

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
ASE = lp.AdjacencySpectralEmbedding

HOSTILE = [
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "<!--",
    "-->",
    "'\"&amp;&",
    "\u2028\u2029",
    "${1+1}`{{ 1 }}{% raw %}",
    "</title></style></textarea>",
    "\ud800",
    "مرحبا",
    "a" * 500,
]


def hostile():
    """Return the report of two groups with vertex names that contain HTML and script, and the names."""
    names = [f"{name}{i}" for i in range(3) for name in HOSTILE]
    block = np.arange(len(names)) % 2
    joined = np.random.default_rng(0).random([len(names)] * 2) < np.where(block[:, None] == block, 0.8, 0.1)
    graph = lp.as_adjacency(np.triu(joined, 1) | np.triu(joined, 1).T, names=names)
    return lp.report(
        graph, labels=[HOSTILE[b] for b in block], title=HOSTILE[0], n_clusters=2, embedding=ASE(3)
    ), names


@pytest.fixture(scope="module")
def page():
    return hostile()[0].html


def points(page):
    return json.loads(re.search(r'<script type="application/json" id="points">(.*?)</script>', page, re.DOTALL)[1])


def unpack(text, kind="<i4"):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def blocks(sizes=(40, 30), within=0.6, between=0.1):
    k = len(sizes)
    return lp.stochastic_block_model(sizes, between + (within - between) * np.eye(k), random_state=0)


def test_the_points_are_the_embedding():
    graph = blocks()
    page = lp.report(graph, labels=graph.labels, n_clusters=2, embedding=ASE(3)).html
    data, embedding = points(page), ASE(3).fit(graph)
    shown = unpack(data["positions"], "<f4").reshape(70, 3)
    np.testing.assert_allclose(shown, embedding.embedding_, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(unpack(data["degrees"]), graph.adjacency.sum(axis=1))
    assert data["names"] == [str(i) for i in range(70)]
    label, cluster = data["colours"]
    assert (label["name"], cluster["name"]) == ("label", "cluster")
    assert (label["levels"], label["shades"]) == (["0", "1"], hex_colours(2))
    np.testing.assert_array_equal(unpack(data["codes"][0]), graph.labels)
    # The table of densities: the measured shares of joined pairs.
    assert f"{graph.adjacency[:40][:, :40].sum() / (40 * 39):.3g}</td>" in page
    assert all(f"{residual:.1e}" in page for residual in embedding.residuals_)


def test_nothing_comes_from_elsewhere(page):
    inside = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.DOTALL)
    assert not re.search(r"https?://", inside)
    plain = re.sub("&lt;img.*?&gt;", "", inside)
    assert not re.search(r"\b(?:src|srcset|@import)\b\s*=", plain)
    assert re.findall(r'href="([^"]*)"', inside) == ["data:,"]
    (script,) = re.findall(r"<script>(.*?)</script>", inside, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in inside
    assert "default-src 'none'" in inside


def test_hostile_names_stay_text(page):
    report, names = hostile()
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search("<img|<!--", page)
    assert points(page)["names"] == [name.encode("utf-8", "replace").decode() for name in names]
    page.encode()  # no lone surrogate is left
    assert framed(report) == page


def test_directed_unlabelled_and_few_dimensions():
    graph = lp.erdos_renyi(40, 0.2, directed=True, random_state=0)
    page = lp.report(graph, embedding=ASE(1), n_clusters=1).html
    assert points(page)["columns"] == ["dimension 1", "degree"]
    partly = lp.report(nx.karate_club_graph(), labels={0: "a", 33: "b"}, n_clusters=2).html
    assert points(partly)["colours"][0]["levels"] == ["a", "b", "unknown"]
    assert points(partly)["colours"][0]["shades"][-1] == GREY


def test_the_map_is_that_of_the_plots():
    hubs = lp.as_adjacency(nx.barabasi_albert_graph(400, 2, seed=0))
    data = points(lp.report(hubs, n_clusters=2, embedding=ASE(5), new={"new": [0, 1]}).html)
    model = ASE(5).fit(hubs)
    expected = np.vstack(network_layout(hubs, model, model.read_new({"new": [0, 1]}))[:2])
    np.testing.assert_allclose(unpack(data["map"], "<f4").reshape(-1, 2), expected, rtol=1e-5, atol=1e-5)
    edges = np.column_stack(sparse.triu(hubs.matrix).coords)
    assert {*map(tuple, unpack(data["edges"]).reshape(-1, 2))} == {*map(tuple, edges)}


def test_fitted_models():
    graph = blocks()
    known = {i: "ab"[k] for i, k in enumerate(graph.labels) if i % 3}
    model = lp.VertexClassifier().fit(graph, known)
    new = {"x": range(30), "y": range(50, 70)}
    page = lp.report(model, new=new).html
    sections = re.findall(r'section id="section-(\w+)', page)
    assert sections == ["facts", "scatter", "clusters", "unusual", "new", "scree", "residuals", "settings"]
    predicted, label = points(page)["colours"]
    assert (predicted["name"], label["name"], label["levels"]) == ("class", "label", ["a", "b", "unknown"])
    assert "Predicted classes" in page
    assert "Worst fit to the classes" in page
    texts = [*model.transduction_, *model.predict(new)]
    assert [predicted["levels"][code] for code in unpack(points(page)["codes"][0])] == texts
    assert f"<td>{texts[-2]}</td>" in page
    clustering = lp.VertexClustering(n_clusters=3).fit(graph)
    with pytest.raises(ArgumentError, match="fitted model"):
        lp.report(clustering, n_clusters=2)
    with pytest.raises(ArgumentError, match="several networks"):
        lp.report(lp.VertexClustering(lp.joint.UnfoldedEmbedding(2), 2, method="gaussian").fit([graph, graph]))


def test_numbers_and_loops():
    club = nx.karate_club_graph()
    club.add_edges_from((i, i) for i in range(20))
    page = lp.report(club, n_clusters=2).html
    assert f"{lp.summary(club).degrees['mean']:.4g}" in page
    graph = blocks()
    label = points(lp.report(graph, labels=np.linspace(0, 1, 70), n_clusters=2).html)["colours"][0]
    assert (label["classes"], len(label["levels"]), label["levels"][0][:5]) == (0, 8, "0 to ")


def test_scree_marks_what_is_used():
    model = ASE("elbow").fit(blocks([50, 50, 50]))
    page = lp.report(blocks([50, 50, 50]), n_clusters=3, embedding=ASE("elbow")).html
    x = [float(v) for v in re.findall(r'<circle class="\w+" cx="([\d.]+)"', page)]
    line = float(re.search(r'<line class="used" x1="([\d.]+)"', page)[1])
    assert len(x) == len(model.scree_)
    assert x[model.embedding_.shape[1] - 1] < line < x[model.embedding_.shape[1]]


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("labels", ["a"]),
        ("embedding", object()),
        ("max_points", 0),
        ("new_covariates", [1]),
    ],
)
def test_wrong_arguments(argument, value):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=argument.removesuffix("_covariates")):
        lp.report(nx.karate_club_graph(), n_clusters=1, **{argument: value})


def test_of_many_clusters_the_largest_are_shown():
    """One cluster for each of 300 pairs and one for the rest: 64 rows and colours, and the others are one."""
    graph = nx.disjoint_union_all([nx.gnm_random_graph(60, 200, seed=0), *[nx.complete_graph(2)] * 300])
    page = lp.report(graph).html
    clusters = next(c for c in points(page)["colours"] if c["name"] == "cluster")
    assert clusters["levels"][-2:] == ["63", "others"]
    assert len(clusters["levels"]) == len(clusters["shades"]) == 65


@pytest.mark.parametrize("labelled", [False, True])
def test_new_vertices_are_placed_drawn_and_listed(labelled):
    karate = nx.karate_club_graph()
    new = [("x<y>", 0), ("x<y>", 1), ("x<y>", 2), ("second", 33), ("second", 32), ("third", "second")]
    labels = dict(karate.nodes(data="club")) if labelled else None
    with pytest.warns(IsolatedVertexWarning):
        page = lp.report(karate, labels=labels, n_clusters=2, new=new).html
    with pytest.warns(LpgraphWarning):
        expected = lp.VertexClustering(n_clusters=2).fit(karate).predict_table(new)
    data = points(page)
    assert (data["count"], data["total"], data["known"]) == (37, 37, 34)
    assert data["names"][34:] == ["x<y>", "second", "third"]
    codes, names = [unpack(part) for part in data["codes"]], [part["name"] for part in data["colours"]]
    assert names == (["label"] if labelled else []) + ["cluster"]
    assert codes[names.index("cluster")][34:].tolist() == expected["cluster"].tolist()
    assert not labelled or data["colours"][0]["levels"][codes[0][34]] == "unknown"
    assert unpack(data["degrees"])[34:].tolist() == [3, 2, 0]
    assert "x<y>" not in page


def framed(report):
    """Return the page in the frame that a notebook shows."""
    shown = report._repr_html_()
    assert shown.count("<") == 2  # the frame and its end: everything else is an attribute
    assert 'sandbox="allow-scripts"' in shown  # and not allow-same-origin
    return html.unescape(re.search('srcdoc="([^"]*)"', shown)[1])


def test_a_sample_of_a_large_network_is_drawn(monkeypatch):
    graph = blocks((300, 300), 0.1, 0.01)
    page = lp.report(graph, n_clusters=2, max_points=100).html
    assert points(page)["count"] == 100
    assert "100 of 600 vertices are drawn" in page
    report = lp.report(graph, n_clusters=2)
    module = sys.modules[lp.reporting.Report.__module__]
    monkeypatch.setattr(module, "_FRAMED", 100)
    assert (points(framed(report))["count"], points(report.html)["count"]) == (100, 600)


def test_a_report_is_saved_and_opened(monkeypatch):
    report, opened = lp.report(nx.karate_club_graph(), n_clusters=2), []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = report.open()
    assert opened == [path.as_uri()]
    assert path.read_text(encoding="utf-8") == report.html


def allowed(page, probe):
    """Return a page with another script whose hash is allowed."""
    digest = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    page = page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    return page.replace("</body>", f"<script>{probe}</script></body>")


def browse(path, page, *options):
    """Return the page as a browser leaves it, and its title."""
    path.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom"]
    run = [*command, *options, path.as_uri()]
    dom = subprocess.run(run, capture_output=True, text=True, timeout=120, check=True).stdout
    return dom, html.unescape(re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1])


PROBE = """
addEventListener('load', () => setTimeout(() => {
  const by = (id) => document.getElementById(id), e = document.documentElement, seen = {};
  by('find').value = '</SCRIPT'; by('find').dispatchEvent(new Event('input'));
  by('theme').click();
  by('canvas').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
  seen.said = by('said').textContent; seen.theme = e.dataset.theme; seen.size = [e.scrollWidth, e.clientWidth];
  for (const kind of ['unit', 'ranks', 'map']) {
    by('scale').value = kind; by('scale').dispatchEvent(new Event('change'));
    seen[kind] = by('scaled').textContent;
  }
  seen.checked = ['none', 'all'].map((id) => {
    by(id).click(); return document.querySelectorAll('#legend input:checked').length;
  });
  document.title = JSON.stringify(seen);
}, 200))
"""


@in_a_browser
@pytest.mark.parametrize("width", [500, 1280])
def test_a_browser_shows_it_without_overflow(tmp_path, page, width):
    dom, title = browse(tmp_path / "page.html", page)
    assert f'data-drawn="{3 * len(HOSTILE)}"' in dom  # the script ran to its end
    assert title == HOSTILE[0]  # and no name took the title
    seen = json.loads(browse(tmp_path / "page.html", allowed(page, PROBE), f"--window-size={width},900")[1])
    assert seen["size"][0] <= seen["size"][1]
    assert "degree" in seen["said"]  # search and arrow keys show a vertex
    assert (seen["theme"], seen["checked"]) == ("dark", [0, 2])
    assert seen["unit"].startswith("Rows are scaled to unit length.")
    assert seen["map"].startswith("Vertices of like edges are near")
    assert seen["ranks"] == "Positions are the ranks of the coordinates."


@in_a_browser
def test_a_browser_runs_the_page_in_its_frame(tmp_path):
    report, _ = hostile()
    # The page tells its parent what it has drawn; its own policy allows this script by hash.
    probe = "addEventListener('load',()=>parent.postMessage(document.documentElement.outerHTML.length,'*'))"
    inner = html.escape(allowed(report.html, probe), quote=True)
    outer = report._repr_html_().replace(html.escape(report.html, quote=True), inner)
    listen = (
        "onmessage=(e)=>{let inside='no access';try{inside=frames[0].document.title}catch(x){}"
        "document.title=JSON.stringify([e.data>0,inside])}"
    )
    page = f"<!doctype html><title>-</title><script>{listen}</script>{outer}"
    # In one process, whose virtual time waits for the frame.
    options = "--virtual-time-budget=20000", "--disable-features=IsolateSandboxedIframes"
    assert json.loads(browse(tmp_path / "notebook.html", page, *options)[1]) == [True, "no access"]


def months(m=5):
    """Return a joint embedding; vertex "v0" is absent from the second network."""
    graphs = {}
    for k in range(m):
        matrix = blocks((20, 15)).adjacency if k % 2 else blocks((20, 15), 0.4).adjacency
        graphs[f"<b>{k}"] = nx.relabel_nodes(nx.from_scipy_sparse_array(matrix), "v{}".format)
    graphs["<b>1"].remove_node("v0")
    return lp.joint.UnfoldedEmbedding(2).fit(graphs)


def test_positions_in_several_networks():
    model = months()
    report = lp.report(model, labels={"v0": "a", "v20": "b"}, title="Months")
    data = points(report.html)
    shown = unpack(data["positions"], "<f4").reshape(5, 35, 2)
    present = model.graphs_.present
    np.testing.assert_allclose(shown[present], model.embeddings_[present], rtol=1e-6, atol=1e-7)
    assert np.isnan(shown[~present]).all()
    assert (data["networks"], data["names"][0]) == ([f"<b>{k}" for k in range(5)], "v0")
    assert data["colours"][0]["levels"] == ["a", "b", "unknown"]
    degrees = unpack(data["degrees"]).reshape(5, 35)
    assert degrees.sum(axis=1).tolist() == [2 * graph.n_edges for graph in model.graphs_]
    assert "<b>" not in re.sub(r"<script type=.*?</script>", "", report.html, flags=re.DOTALL)
    assert 'id="section-clusters"' not in report.html
    assert all(f"{value:.6g}</td>" in report.html for value in model.singular_values_)
    few = points(lp.report(model, max_points=50).html)
    assert (few["count"], few["total"], few["colours"][0]["levels"]) == (10, 35, ["vertex"])


@pytest.mark.parametrize("model", ["OmnibusEmbedding", "MultipleEmbedding"])
def test_every_joint_embedding_has_a_report(model):
    ring = nx.DiGraph([(i, (i + k) % 40) for i in range(40) for k in (1, 2, 3)])
    data = points(lp.report(getattr(lp.joint, model)(1).fit([ring, ring])).html)
    assert data["columns"] == ["dimension 1", "degree"]
    assert set(unpack(data["degrees"])) == {6}
    with pytest.raises(ArgumentError, match="n_clusters, names"):
        lp.report(getattr(lp.joint, model)(1).fit([ring]), n_clusters=2, names=list(map(str, range(40))))


SLIDE = """
addEventListener('load', () => setTimeout(() => {
  const by = (id) => document.getElementById(id), e = document.documentElement, seen = {};
  const slide = (k) => { by('network').value = k; by('network').dispatchEvent(new Event('input')); };
  const say = () => {
    by('find').value = 'v0'; by('find').dispatchEvent(new Event('input')); return by('said').textContent;
  };
  slide(1); seen.absent = say();
  slide(4); seen.there = say(); seen.key = by('key').textContent;
  seen.size = [e.scrollWidth, e.clientWidth];
  document.title = JSON.stringify(seen);
}, 200))
"""


@in_a_browser
def test_a_browser_moves_through_the_networks(tmp_path):
    page = allowed(lp.report(months()).html, SLIDE)
    seen = json.loads(browse(tmp_path / "page.html", page, "--window-size=500,900")[1])
    assert seen["absent"] == "v0, label vertex, absent"
    assert re.fullmatch("v0, label vertex, degree [1-9][0-9]*", seen["there"])
    assert seen["key"] == "<b>4"
    assert seen["size"][0] <= seen["size"][1]
