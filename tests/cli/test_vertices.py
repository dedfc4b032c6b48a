"""``lpgraph embed`` and ``extend`` give the results of the library."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lpgraph as lp

#: Half a unit of the last of ten digits, relative to the smallest number that has them.
DIGITS = 5e-10
told = pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")

METHODS = {
    "adjacency": lp.AdjacencySpectralEmbedding,
    "laplacian": lp.LaplacianSpectralEmbedding,
    "modularity": lp.ModularityEmbedding,
    "one-step": lp.OneStepEmbedding,
    "random-walk": lp.RandomWalkEmbedding,
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_networks(blocks, call, new_of_blocks, method):
    said = call(f"embed graph.csv -d 2 --method {method} --save model.lpg")
    model = lp.load("model.lpg")
    assert_array_equal(model.embedding_, METHODS[method](2).fit(lp.read_graph("graph.csv")).embedding_)
    names = model.get_feature_names_out()
    assert_allclose(list(said.positions(*names).values()), model.embedding_, rtol=DIGITS)
    placed = call("extend model.lpg new.csv").positions(*names)
    assert_allclose([placed[f"new{i}"] for i in range(12)], model.transform(new_of_blocks), rtol=DIGITS)
    for line in ("cluster graph.csv -k 2", "report graph.csv", "classify graph.csv labels.csv new.csv -o p.csv"):
        call(f"{line} --method {method} -d 2")
    assert lp.read_labels("p.csv") == lp.read_labels("truth.csv")


def test_unobserved_pairs(blocks, call):
    graph, ase = lp.read_graph("graph.csv"), lp.AdjacencySpectralEmbedding(2)
    a, b, c = graph.names[:3]
    Path("pairs.csv").write_text(f"source,target\n{a},{b}\n{a},{c}\n")
    said = call("embed graph.csv -d 2 --unobserved pairs.csv --save model.lpg")
    model = lp.CompletedEmbedding(ase, unobserved=[(a, b), (c, a)]).fit(graph)
    assert_allclose(list(said.positions("ase0", "ase1").values()), model.embedding_, rtol=DIGITS)
    assert lp.load("model.lpg").completion_.share == model.completion_.share


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "parquet"])
def test_every_table(blocks, call, suffix):
    call(f"embed graph.csv -o table.{suffix}")
    read = {"json": pd.read_json, "parquet": pd.read_parquet, "tsv": partial(pd.read_csv, sep="\t")}
    rows = read.get(suffix, pd.read_csv)(f"table.{suffix}")
    assert rows["name"].tolist() == list(range(100))
    expected = lp.AdjacencySpectralEmbedding().fit(lp.read_graph("graph.csv")).embedding_
    if suffix in ("csv", "tsv"):
        expected = np.vectorize(lambda value: float(f"{value:.10g}"))(expected)
    assert_allclose(rows[["ase0", "ase1"]], expected, rtol=DIGITS if suffix == "json" else 0)


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
def test_directed_graphs_have_two_positions(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    drawn = "--directed -o g.csv --new 3 --new-output n.csv"
    call(f"sample sbm --sizes 60,40 --probabilities 0.5,0.1;0.1,0.5 {drawn}")
    said = call("embed g.csv --directed -d 2 --save m.lpg --method laplacian --regularizer mean")
    model = lp.load("m.lpg")
    found = np.array(list(said.positions("lse0", "lse1", "lse_in0", "lse_in1").values()))
    assert_allclose(found, np.hstack([model.embedding_, model.embedding_in_]), rtol=DIGITS)
    new = lp.read_graph("n.csv", directed=True)
    new = replace(new, names=np.array([n if n.startswith("new") else int(n) for n in new.names], dtype=object))
    for direction in ("out", "in"):
        placed = call(f"extend m.lpg n.csv --direction {direction}").positions("lse0", "lse1")
        assert_allclose(list(placed.values()), model.transform(new, direction=direction), rtol=DIGITS)


def test_unobserved_pairs_of_new_vertices(blocks, call):
    call("embed graph.csv -d 2 --save model.lpg -o e.csv")
    model = lp.load("model.lpg")
    edges = pd.read_csv("new.csv", dtype=str).to_numpy().tolist()
    new = [(max(pair, key=len), int(min(pair, key=len))) for pair in edges if min(pair, key=len).isdecimal()]
    pairs = [(f"new{i}", k) for i in range(12) for k in range(5 * i, 5 * i + 20)]
    Path("pairs.csv").write_text("\n".join(["source,target", *(f"{u},{v}" for u, v in pairs)]))
    placed = call("extend model.lpg new.csv --unobserved pairs.csv").positions("ase0", "ase1")
    vertices = model.read_new(new, unobserved=pairs)
    assert_allclose([placed[name] for name in vertices.names], model.transform(vertices), rtol=DIGITS)
    fit = "classify graph.csv labels.csv new.csv --method adjacency"
    p = call(f"{fit} --save classes.lpg --unobserved pairs.csv").out
    again = call("classify classes.lpg new.csv --unobserved pairs.csv").out
    assert p == again != call("classify classes.lpg new.csv").out
    call("cluster graph.csv -k 2 --method adjacency --by gaussian --save k.lpg -o c.csv")
    call("cluster k.lpg new.csv --unobserved pairs.csv -o k.csv")
    assert "NEW" in call("classify graph.csv labels.csv --unobserved pairs.csv", 2).err


def test_covariates_of_vertices(blocks, call, new_of_blocks):
    values = np.random.default_rng(0).random((112, 2)).round(6)
    names = [*range(100), *(f"new{i}" for i in range(12))]
    lines = [f"{name},{x},{y}" for name, (x, y) in zip(names, values, strict=True)]
    Path("ages.csv").write_text("\n".join(["name,age,height", *lines]))
    chosen = "--method covariate-assisted --covariates ages.csv"
    call(f"embed graph.csv -d 2 {chosen} --save model.lpg -o e.csv")
    expected = lp.CovariateAssistedEmbedding(2, covariates=values[:100]).fit(lp.read_graph("graph.csv"))
    model = lp.load("model.lpg")
    assert_allclose(model.embedding_, expected.embedding_, atol=1e-12)
    assert model.covariate_names_.tolist() == ["age", "height"]
    placed = call("extend model.lpg new.csv --covariates ages.csv").positions("case0", "case1")
    positions = expected.transform(new_of_blocks, covariates=values[100:])
    assert_allclose([placed[f"new{i}"] for i in range(12)], positions, rtol=DIGITS)
    predicted = call(f"classify graph.csv labels.csv new.csv {chosen} --save classes.lpg").out
    assert predicted == call("classify classes.lpg new.csv --covariates ages.csv").out
    for line in (
        f"cluster graph.csv -k 2 {chosen} --alpha 0.001 --save k.lpg",
        "cluster k.lpg new.csv --covariates ages.csv",
        f"report graph.csv --new new.csv -k 2 {chosen} -o page.html",
        f"plot embedding graph.csv --new new.csv -d 2 {chosen} -o e.png",
    ):
        call(line)
    assert "new11" in Path("page.html").read_text()
    for line in ("extend model.lpg new.csv", "embed graph.csv --method covariate-assisted"):
        assert "covariates" in call(line, 2).err
    # A missing number is refused by the name of its vertex, and so are two rows of one.
    ages = Path("ages.csv").read_text()
    for wrong in (ages.replace(lines[7], "7, NA ,1"), f"{ages}\n{lines[7]}\n"):
        Path("ages.csv").write_text(wrong)
        assert "7" in call(f"embed graph.csv {chosen}", 2).err


@pytest.mark.parametrize("directed", [False, True])
def test_embed_is_aligned_to_an_earlier_model(tmp_path, monkeypatch, call, directed):
    monkeypatch.chdir(tmp_path)
    kind = "--directed" if directed else "--undirected"
    graph = lp.stochastic_block_model([40, 40], [[0.5, 0.1], [0.1, 0.4]], directed=directed, random_state=0)
    edges = list(graph.to_networkx().edges)
    for name, part in (("monday.csv", edges[20:]), ("tuesday.csv", [*edges[:-20], (3, 999)])):
        Path(name).write_text("source,target\n" + "".join(f"n{u},n{v}\n" for u, v in part))
    call(f"embed monday.csv {kind} -d 2 --save monday.lpg -o monday.json")
    aligned = f"embed tuesday.csv {kind} --align-to monday.lpg --save tuesday.lpg -o out.csv --json"
    facts = call(f"{aligned} --moved moved.parquet").facts
    assert (facts["dimension"], facts["aligned_vertices"], facts["new_vertices"]) == (2, 80, 1)
    tuesday = lp.read_graph("tuesday.csv", directed=directed)
    wanted = lp.AdjacencySpectralEmbedding(align_to=lp.load("monday.lpg")).fit(tuesday)
    assert_array_equal(lp.load("tuesday.lpg").embedding_, wanted.embedding_)
    assert facts["cosines"] == pytest.approx(wanted.alignment_.cosines)
    assert list(facts["moved_most"]) == wanted.moved()["name"].tolist()
    pd.testing.assert_frame_equal(pd.read_parquet("moved.parquet"), wanted.moved(None))
    for line, argument in (
        (f"{aligned} --moved out.csv", "out.csv"),
        (f"{aligned} --save monday.lpg", "monday.lpg"),
        ("embed tuesday.csv --moved moved.csv -o out.csv", "moved"),
    ):
        assert argument in call(line, 2).err


@pytest.mark.parametrize("kind", ["ints", "texts"])
def test_known_vertices_are_found_however_the_file_writes_them(tmp_path, monkeypatch, call, kind):
    # "5" is an integer in a file of numbers, and a text in a file with "x"; the names of the model decide.
    monkeypatch.chdir(tmp_path)
    graph = nx.karate_club_graph()
    if kind == "texts":
        graph = nx.relabel_nodes(graph, {i: f"0{i}" if i == 7 else str(i) for i in graph})
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(graph), "model.lpg")
    expected = lp.load("model.lpg").transform({"new": [0, 1, 2] if kind == "ints" else ["0", "1", "2"]})[0]
    for name in ("99", "new one"):
        Path("new.csv").write_text(f"{name},0\n{name},1\n{name},2\n")
        assert_allclose(call("extend model.lpg new.csv").positions("ase0", "ase1")[name], expected)


@told
@pytest.mark.parametrize(
    ("edges", "message", "rows"),
    [
        ("new,n0\nnew,n1\nn2,n3\n", "between known vertices", 1),
        ("a,n1\na,n2\nb,c\n", "2 of 3 new vertices", 3),
        ("a,b\na,c\n", "None of the 3 names", 3),
        ("source,target\n", "no new vertices", 0),
    ],
)
def test_edges_that_do_not_place_a_vertex_are_told(karate, call, edges, message, rows):
    call("embed graph.csv -d 2 --save model.lpg -o e.csv")
    Path("new.csv").write_text(edges)
    for rule in ("batch", "least_squares"):
        said = call(f"extend model.lpg new.csv --rule {rule}")
        assert message in said.err
        assert len(said.rows) == rows
    assert all((float(row["ase0"]) == 0) is (row["has_known_neighbor"] == "False") for row in said.rows)


@told
def test_titles_of_new_edges_are_found_by_the_model(blocks, call):
    call("embed graph.csv -d 2 --save model.lpg")
    first, second = lp.read_graph("graph.csv").names[:2]
    edges = f"new,{first}\nnew,{second}\n"
    for titles, rows in (("", 1), (f"x,{second}\n", 2), ("new1,new2\n", 3), ("7001,7002\n", 3)):
        Path("two.csv").write_text(titles + edges)
        assert len(call("extend model.lpg two.csv").rows) == rows
    Path("two.csv").write_text("student,friend\n" + edges)
    said = call("extend model.lpg two.csv")
    assert len(said.rows) == 1
    assert "the first line was read as titles; pass --no-header" in said.err
