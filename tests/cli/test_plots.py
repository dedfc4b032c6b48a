"""``lpgraph plot`` and ``lpgraph report`` draw what the library computes."""

from pathlib import Path

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
        "adjacency graph.csv -k 2",
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
    assert seen[0][1]["out_labels"] == list(lp.read_labels("predictions.csv").values())
    assert len(seen[0][1]["out_of_sample"]) == 12
    call(f"{picture} --new-labels predictions.csv", 2)


def test_maps_of_graphs(blocks, call, drawn):
    seen = drawn("map")
    call("plot map graph.csv --labels labels.csv --new new.csv --seed 1 -o two.png")
    (network, kinds, new), options = seen[0]
    assert kinds == {name: lp.read_labels("labels.csv")[name] for name in network.names}
    assert options == {"random_state": 1}
    assert new.n_vertices > 0
    call("plot map graph.csv -k 2 -d 3 --new new.csv")
    assert seen[-1][0][0].n_clusters_ == 2


def test_pages_and_maps_of_saved_models(blocks, call, drawn):
    seen = drawn("map")
    call("classify graph.csv labels.csv --save model.lpg -o rest.csv")
    call("plot map model.lpg --new new.csv -o picture.png")
    assert isinstance(seen[0][0][0], lp.VertexClassifier)
    call("report model.lpg --new new.csv -o page.html")
    page = Path("page.html").read_text()
    assert "Predicted classes" in page
    assert "<dt>new vertices</dt><dd>12</dd>" in page
    for line in ("plot map model.lpg --labels labels.csv", "report model.lpg -k 2"):
        call(line, 2)


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
