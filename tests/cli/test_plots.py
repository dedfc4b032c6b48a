"""``lpgraph plot`` and ``lpgraph report`` draw what the library computes."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lpgraph as lp


@pytest.fixture
def drawn(monkeypatch):
    """A function that records the calls of a function of lpgraph.plot."""

    def record(name):
        seen, draw = [], getattr(lp.plot, name)
        monkeypatch.setattr(
            lp.plot, name, lambda *args, **named: seen.append((args, named)) or draw(*args, **named)
        )
        return seen

    return record


@pytest.mark.parametrize(
    "line",
    [
        "scree graph.csv --cross-validation",
        "embedding graph.csv --labels labels.csv --ellipses --new new.csv",
        "embedding graph.csv -d 3 -k 2 --ellipses --pairs --new new.csv",
        "adjacency graph.csv -k 2 --bins 20",
    ],
)
def test_pictures_of_graphs(blocks, call, line):
    for suffix, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        call(f"plot {line} -o picture.{suffix}")
        assert Path(f"picture.{suffix}").read_bytes().startswith(start)
    import matplotlib.pyplot as plt

    plt.close("all")


def test_an_embedding_is_that_of_a_clustering_and_new_vertices_have_colours(blocks, call, drawn):
    seen = drawn("positions")
    call("plot embedding graph.csv")
    expected = lp.VertexClustering().fit(lp.read_graph("graph.csv")).embedding_
    assert_array_equal(seen.pop()[0][0].embedding_, expected)
    call("classify graph.csv labels.csv new.csv -o predictions.csv")
    picture = "plot embedding graph.csv --labels labels.csv -o picture.png"
    call(f"{picture} --new new.csv --new-labels predictions.csv")
    assert seen[0][1]["out_labels"].tolist() == list(lp.read_labels("predictions.csv").values())
    assert len(seen[0][1]["out_of_sample"]) == 12
    call(f"{picture} --new-labels predictions.csv", 2)


def test_the_rows_of_a_heavy_tailed_network_are_scaled(tmp_path, monkeypatch, call, drawn):
    monkeypatch.chdir(tmp_path)
    lp.write_graph(nx.barabasi_albert_graph(500, 2, seed=0), "hubs.csv")
    seen = drawn("positions")
    call("plot embedding hubs.csv --clusters 2 --ellipses")
    call("plot embedding hubs.csv --scale ranks --axes 1,2")
    assert [(given["scale"], given["dimensions"]) for _, given in seen] == [("auto", None), ("ranks", (0, 1))]
    assert seen[0][1]["ellipse"] == "classes"
    lp.write_graph(nx.star_graph(6), "star.csv")  # two eigenvalues are not 0
    call("plot embedding star.csv")


@pytest.mark.parametrize("form", ["in order", "by name", "model"])
def test_truth_is_turned_onto_the_positions(tmp_path, monkeypatch, call, drawn, form):
    monkeypatch.chdir(tmp_path)
    seen = drawn("truth")
    X = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    rows = [",".join(map(repr, row)) for row in X.tolist()]
    Path("x.csv").write_text("a,b,c\n" + "\n".join(rows) + "\n")
    named = [f"{i},{row}" for i, row in enumerate(rows)][::-1]  # the row of each vertex is found
    Path("named.csv").write_text("vertex,x0,x1,x2\n" + "\n".join(named) + "\n")
    call("sample rdpg x.csv --sparsity 0.5 -o graph.npz")
    call("embed graph.npz -d 3 --save model.lpg -o e.csv")
    files = {"in order": "graph.npz x.csv", "by name": "graph.npz named.csv", "model": "model.lpg named.csv"}
    call(f"plot truth {files[form]} --sparsity 0.5 --axes 2,3")
    (estimate, real, kinds), options = seen[0]
    assert_array_equal(real, X)
    model = lp.AdjacencySpectralEmbedding(3).fit(lp.read_graph("graph.npz"))
    assert_array_equal(estimate, model.embedding_ / np.sqrt(0.5))
    assert (kinds, options) == (None, {"dimensions": (1, 2)})


@pytest.fixture
def points(tmp_path, monkeypatch):
    """A folder with a table of points around a bent line, and another of points between them."""
    monkeypatch.chdir(tmp_path)
    for name, t in (("points", np.linspace(0, 3, 60)), ("others", np.linspace(0.1, 2.9, 9))):
        rows = np.column_stack([np.cos(t), np.sin(t), 0.1 * np.sin(9 * t)])
        Path(f"{name}.csv").write_text("x,y,z\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows.tolist()))


def read(name):
    return np.loadtxt(f"{name}.csv", delimiter=",", skiprows=1)


@pytest.mark.parametrize("held_out", [None, "others"])
def test_pictures_of_points_are_the_librarys(points, call, drawn, held_out):
    losses, curves, diagrams = drawn("loss"), drawn("neighbor_curves"), drawn("shepard")
    rest = "-k 4" if held_out is None else f"-k 4 --held-out {held_out}.csv"
    X, new = read("points"), None if held_out is None else read(held_out)
    model = lp.manifold.Isomap(2, n_neighbors=4).fit(X)
    for line in ("loss points.csv --max 3", "quality points.csv", "shepard points.csv", "points points.csv"):
        call(f"plot {line} {rest if 'points points' not in line else '-k 4'} -o picture.svg")
        assert Path("picture.svg").read_bytes().startswith(b"<?xml")
    loss = lp.metrics.reconstruction_loss(model, new, 3)
    assert_array_equal(losses[0][0][0].positive, loss.positive)
    assert_array_equal(
        curves[0][0][0].continuity, lp.metrics.neighbor_curves(X, model, new=new, random_state=0).continuity
    )
    assert_array_equal(diagrams[0][0][0].embedded, lp.metrics.shepard(X, model, new=new, random_state=0).embedded)


def test_stability_is_the_librarys(points, call, drawn):
    seen = drawn("stability")
    options = "--method mds --fractions 0.05,0.2 --repeats 2 --held-out 5 --seed 3"
    call(f"plot stability points.csv {options}")
    model, shares = lp.manifold.ClassicalMDS(2), [0.05, 0.2]
    expected = lp.metrics.stability(model, read("points"), shares, 2, n_held_out=5, random_state=3)
    assert_array_equal(seen[0][0][0].difference, expected.difference)
    for share, number in (("0.05", 20), ("0.4", 12)):  # by default 20, or as many as remain
        call(f"plot stability points.csv --method mds --fractions {share}")
        assert seen.pop()[0][0].n_points.tolist() == [number]


def test_components_of_points_are_joined(points, call, drawn):
    curves = drawn("neighbor_curves")
    X = np.vstack([read("points"), read("points") + 300])
    np.savetxt("two.csv", X, delimiter=",", header="x,y,z", comments="")
    call("plot quality two.csv -k 4")
    model = lp.manifold.Isomap(2, n_neighbors=4, components="bridge").fit(X)
    assert_array_equal(curves[0][0][0].continuity, lp.metrics.neighbor_curves(X, model).continuity)


@pytest.mark.parametrize(
    "options",
    [
        "mds --landmarks 9",
        "kernel-pca --kernel rbf --landmarks 9",
        "eigenmaps -k 5",
        "diffusion -k 5",
        "lle -k 6 --components error",
        "ltsa -k 8",
        "semidefinite -k 4",
    ],
)
def test_every_method_of_points(points, call, options):
    kind = "stability" if options.startswith(("lle", "ltsa")) else "loss"
    rest = " --fractions 0.1 --held-out 2" if kind == "stability" else ""
    call(f"plot {kind} points.csv --method {options}{rest}")


def test_reports(blocks, call):
    call(["report", "graph.csv", "--labels", "labels.csv", "-k", "2", "--title", "A & B"])
    assert "<title>A &amp; B</title>" in Path("report.html").read_text()
    Path("few.csv").write_text("source,target\nfirst,0\nfirst,1\nsecond,33\n")
    # A list of arcs has those of both directions, though the default embedding has none: no warning.
    for direction in (" --directed", ""):
        call(f"report graph.csv -k 2 --new few.csv{direction}")
        assert "<dt>new vertices</dt><dd>2</dd>" in Path("report.html").read_text()
    graph = lp.read_graph("graph.csv")
    page = call("report graph.csv -d 2 --method adjacency -o -").out
    assert page == lp.report(graph, embedding=lp.AdjacencySpectralEmbedding(2), title="graph.csv").html


@pytest.mark.slow
def test_demo(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    assert "karate club" in call("demo --picture demo.svg").out
    assert "<svg" in Path("demo.svg").read_text()
