"""``lpgraph plot`` and ``lpgraph report`` draw what the library computes."""

from pathlib import Path

import numpy as np
import pandas as pd
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
        "map graph.csv -k 2 --new new.csv",
        "embedding graph.csv --labels labels.csv --ellipses --new new.csv",
        "embedding graph.csv -d 3 -k 2 --ellipses --pairs --new new.csv",
        "adjacency graph.csv -k 2 --bins 20",
    ],
)
def test_pictures_of_graphs(blocks, call, line):
    for suffix, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        call(f"plot {line} -o picture.{suffix}")
        assert Path(f"picture.{suffix}").read_bytes().startswith(start)


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


def test_a_map_is_drawn_by_default(blocks, call, drawn):
    seen = drawn("map")
    call("plot graph.csv --labels labels.csv --new new.csv --seed 1 -o one.png")
    call("plot map graph.csv --labels labels.csv --new new.csv --seed 1 -o two.png")
    assert Path("one.png").read_bytes() == Path("two.png").read_bytes()
    (network, kinds, new), options = seen[0]
    assert list(kinds) == [lp.read_labels("labels.csv")[name] for name in network.vertex_names_]
    assert isinstance(network, lp.VertexClassifier)
    assert options == {"random_state": 1}
    assert new.n_vertices > 0
    call("plot graph.csv -k 2 -d 3 --new new.csv")
    assert seen[-1][0][0].n_clusters_ == 2
    call("plot scrie graph.csv", 2)


def test_pages_and_maps_of_saved_models(blocks, call, drawn):
    seen = drawn("map")
    call("classify graph.csv labels.csv --save model.lpg -o rest.csv")
    call("plot model.lpg --new new.csv -o picture.png")
    assert isinstance(seen[0][0][0], lp.VertexClassifier)
    call("report model.lpg --new new.csv -o page.html")
    page = Path("page.html").read_text()
    assert "predicted class" in page
    assert "<dt>new vertices</dt><dd>12</dd>" in page
    for line in ("plot model.lpg --labels labels.csv", "report model.lpg -k 2"):
        call(line, 2)


def read(name):
    return pd.read_csv(f"{name}.csv").to_numpy()


def write(name, X):
    pd.DataFrame(X, columns=["x", "y", "z"]).to_csv(f"{name}.csv", index=False)


@pytest.fixture
def points(tmp_path, monkeypatch):
    """A folder with a table of points around a bent line, and another of points between them."""
    monkeypatch.chdir(tmp_path)
    for name, t in (("points", np.linspace(0, 3, 60)), ("others", np.linspace(0.1, 2.9, 9))):
        write(name, np.column_stack([np.cos(t), np.sin(t), 0.1 * np.sin(9 * t)]))


@pytest.mark.parametrize("held_out", [None, "others"])
def test_pictures_of_points_are_the_librarys(points, call, drawn, held_out):
    losses, curves, diagrams = drawn("loss"), drawn("neighbor_curves"), drawn("shepard")
    X, new = read("points"), None if held_out is None else read(held_out)
    model = lp.manifold.Isomap(2, n_neighbors=4).fit(X)
    for line in ("loss points.csv --max 3", "quality points.csv", "shepard points.csv"):
        call(f"plot {line} -k 4 -o picture.svg" + ("" if held_out is None else f" --held-out {held_out}.csv"))
        assert Path("picture.svg").read_bytes().startswith(b"<?xml")
    call("plot points points.csv -k 4")
    expected = lp.metrics.reconstruction_loss(model, new, 3).positive
    assert_array_equal(losses[0][0][0].positive, expected)
    expected = lp.metrics.neighbor_curves(X, model, new=new, random_state=0).continuity
    assert_array_equal(curves[0][0][0].continuity, expected)
    assert_array_equal(diagrams[0][0][0].embedded, lp.metrics.shepard(X, model, new=new, random_state=0).embedded)


def test_stability_is_the_librarys(points, call, drawn):
    seen = drawn("stability")
    call("plot stability points.csv --method mds --fractions 0.05,0.2 --repeats 2 --held-out 5 --seed 3")
    model, shares = lp.manifold.ClassicalMDS(2), [0.05, 0.2]
    expected = lp.metrics.stability(model, read("points"), shares, 2, n_held_out=5, random_state=3)
    assert_array_equal(seen[0][0][0].difference, expected.difference)
    call("plot stability points.csv --method mds --fractions 0.4")  # by default 20 held out, or as many as remain
    assert seen[1][0][0].n_points.tolist() == [12]


@pytest.mark.parametrize(
    "options",
    [
        "loss points.csv --method mds --landmarks 9",
        "loss points.csv --method kernel-pca --kernel rbf --landmarks 9",
        "loss points.csv --method eigenmaps -k 5",
        "loss points.csv --method diffusion -k 5",
        "stability points.csv --method lle -k 6 --components error --fractions 0.1 --held-out 2",
        "stability points.csv --method ltsa -k 8 --fractions 0.1 --held-out 2",
        "loss points.csv --method semidefinite -k 4",
    ],
)
def test_every_method_of_points(points, call, options):
    call(f"plot {options}")


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
