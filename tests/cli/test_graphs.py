"""``lpgraph info``, ``convert``, ``dimension``, ``sample`` and ``store``: graphs, their files and models."""

from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.scale import open_store


def test_info_adds_up_what_is_merged(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("arcs.csv").write_text("a,b\nb,a\nb,a\nb,c\nb,c\nb,c\nc,c\nd,a\n")
    Path("signed.csv").write_text("source,target,weight\na,b,-3\na,b,9\nb,c,0\nc,d,1\nd,d,2\n")
    nx.write_graphml(nx.DiGraph([(0, 1), (1, 0), (1, 2)]), "arcs.graphml")
    lp.write_graph(nx.path_graph(3), "path.npz")  # a matrix lists no edge twice
    counts = {"vertices": 4, "edges": 4, "loops": 1, "weighted": True}
    for line, found in (
        ("arcs.csv", counts),
        ("arcs.csv --directed", {"edges": 5, "loops": 1}),
        ("arcs.csv --unweighted", {"weighted": False}),
        ("arcs.graphml --undirected", {"edges": 2}),
        ("path.npz", {"edges": 2, "density": 2 / 3}),
        ("signed.csv", {"loops": 1, "weighted": True}),
    ):
        facts = call(f"info {line} --json").facts
        assert {key: facts.get(key) for key in found} == found, line
    assert "vertices" in call("info path.npz").out


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "parquet", "npz", "csv.gz"])
def test_every_format_converts_and_back(blocks, call, suffix):
    call(f"convert graph.csv other.{suffix}")
    call(f"convert other.{suffix} back.csv")
    assert Path("back.csv").read_bytes() == Path("graph.csv").read_bytes()


def test_convert_has_rules(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("g.csv").write_text("source,target,weight\na,b,1\na,b,2\nb,b,1\nb,c,1\n")
    assert call("convert g.csv - --to txt --multi-edges collapse --loops drop").out.endswith("a b 2\nb c 1\n")


def test_dimension(blocks, call):
    facts = call("dimension graph.csv --cross-validation --json").facts
    assert facts["elbows"][0] == facts["cross_validation"] == facts["eigenvalue_cv"] == 2
    assert (facts["of_several_splits"], facts["by_mean_z_of_splits"]) == ([2] * 5, 2)
    assert len(facts["loss_by_dimension"]) == 21
    assert facts["at_cap"] is False
    assert call("dimension graph.csv --splits 4").out.endswith("--dimension 2.\n")
    for rule in ("eigenvalue_cv", "sign_flips"):
        assert call(f"embed graph.csv -d {rule} --json").facts["dimension"] == 2


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
def test_samples_are_those_of_the_library(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).dirichlet([1, 1, 1], 30)
    pd.DataFrame(X, columns=list("abc")).to_csv("points.csv", index=False)
    options = {"sparsity": 0.5, "random_state": 2}
    for line, expected in (("rdpg points.csv --sparsity 0.5", lp.random_dot_product_graph(X, **options)),):
        call(f"sample {line} --seed 2 -o g.npz")
        assert (lp.read_graph("g.npz").matrix != expected.adjacency).nnz == 0, line
    assert call("sample rdpg points.csv").out.startswith("source,target\n")


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_new_vertices_are_drawn_and_a_table_counts_what_it_lacks(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    sparse = "sample sbm --sizes 60,40 --probabilities 0.02,0.004;0.004,0.02 --directed"
    said = call(f"{sparse} --new 60 --new-output new.csv --labels labels.csv -o graph.csv")
    frame, graph = pd.read_csv("graph.csv"), lp.read_graph("graph.csv", directed=True)
    assert list(frame.columns) == ["source", "target"]
    assert f"{100 - graph.n_vertices} of 100 vertices" in said.err
    assert len(pd.read_csv("labels.csv")) == 100
    new = lp.stochastic_block_model([60, 40], [[0.02, 0.004], [0.004, 0.02]], directed=True, random_state=0)
    assert len(frame) == new.n_edges
    new = new.new_vertices(60, random_state=np.random.default_rng([0, 1]))
    assert len(pd.read_csv("new.csv")) == new.adjacency.nnz + new.among.nnz + new.adjacency_in.nnz


def test_stores_are_built_shown_and_verified(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("source,target,w\nx,y,1\ny,z,2\n")
    Path("b.csv").write_text("source,target,w\nz,x,3\nx,y,5\n")
    found = call("store build a.csv b.csv g.store --weight w --json").facts
    assert (found["vertices"], found["edges"], found["weights"]) == (3, 3, [2.0, 6.0])
    assert call("store info g.store --json").facts == found
    assert call("store info g.store --verify --json").facts == found
    call("store build a.csv b.csv h.store --unweighted --directed --multi-edges collapse")
    assert open_store("h.store").n_edges == 3
    assert "x, y, z" in call("store info h.store").out
    path = Path("g.store/indices.npy")
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    assert "checksum" in call("store info g.store --verify", 2).err


@pytest.mark.parametrize("prefix", ["v", ""])
def test_a_store_is_embedded_extended_and_classified(tmp_path, monkeypatch, call, prefix):
    monkeypatch.chdir(tmp_path)
    graph = lp.stochastic_block_model([60, 60], [[0.3, 0.05], [0.05, 0.3]], random_state=0)
    for name, new in (("graph", False), ("new", True)):
        edges = [pair for pair in graph.to_networkx().edges if any(54 < v < 65 for v in pair) == new]
        Path(f"{name}.csv").write_text("source,target\n" + "".join(f"{prefix}{u},{prefix}{v}\n" for u, v in edges))
    call("store build graph.csv graph.store")
    call("embed graph.store -d 2 --save model.lpg -o all.parquet")
    store = open_store("graph.store")
    names = list(map(str, store.names))
    expected = lp.AdjacencySpectralEmbedding(2).fit(store).vertex_table()
    pd.testing.assert_frame_equal(pd.read_parquet("all.parquet"), expected)
    assert [row["name"] for row in call("embed graph.store -d 2").rows] == names
    assert call("info graph.store --json").facts["vertices"] == store.n_vertices
    for line in ("embed graph.store -d 2 --largest-component", "convert graph.store a.csv", "report graph.store"):
        call(line)
    call("extend model.lpg new.csv -o new.parquet")
    expected = lp.load("model.lpg").transform_table(lp.read_graph("new.csv"))
    found, expected = (t.set_index("name").sort_index() for t in (pd.read_parquet("new.parquet"), expected))
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)
    for line in ("convert graph.store b.csv --loops drop", "embed graph.store --directed"):
        call(line, 2)
    labels = ["low" if k < len(names) // 2 else "high" for k in range(len(names))]
    pd.DataFrame({"name": names, "label": labels})[::2].to_csv("labels.csv", index=False)
    predicted = call("classify graph.store labels.csv --save classes.lpg").rows
    assert [row["name"] for row in predicted] == names[1::2]
    both = call("classify graph.store labels.csv new.csv --known").rows
    without = [{title: row[title] for title in predicted[0]} for row in both if row["label_given"] == "False"]
    assert without == predicted + call("classify classes.lpg new.csv").rows
    Path("graph.store").rename("moved.store")
    assert "not there" in call("extend model.lpg new.csv", 2).err
