"""Files in the wrong places: every order of three files, tables of labels as graphs, and no false alarms."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.cli._roles import Listed
from lpgraph.cli.run import run
from lpgraph.errors import LpgraphWarning

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")

ROLES = ("graph.csv", "labels.csv", "new.csv")


@pytest.fixture(params=["texts", "numbers"])
def files(request, tmp_path, monkeypatch):
    """Files of a block model with 50 known and 12 new vertices; names and labels are texts, or numbers."""
    monkeypatch.chdir(tmp_path)
    texts = request.param == "texts"
    rng = np.random.default_rng(0)
    name, label = ("n{}".format, "xy".__getitem__) if texts else ("{}".format, str)
    edges = [(u, v) for u in range(62) for v in range(u) if rng.random() < (0.5 if u % 2 == v % 2 else 0.1)]
    Path("graph.csv").write_text("".join(f"{name(u)},{name(v)}\n" for u, v in edges if u < 50))
    Path("new.csv").write_text("".join(f"{name(u)},{name(v)}\n" for u, v in edges if u >= 50 > v))
    Path("labels.csv").write_text("".join(f"{name(u)},{label(u % 2)}\n" for u in range(50)))
    return tmp_path


@pytest.mark.parametrize("order", [*itertools.permutations(ROLES)])
def test_every_order_of_three_files(files, capsys, order):
    if order == ROLES:
        assert run(["classify", *order, "-o", "out.csv"]) == 0
        assert "The order is" not in capsys.readouterr().err
    else:
        assert run(["classify", *order, "-o", "out.csv"]) == 2
        told = capsys.readouterr().err.splitlines()[-1]
        assert told.endswith("The order is: lpgraph classify graph.csv labels.csv new.csv.")
        assert "--unknown" not in told
        assert all(path in told for path in order)


@pytest.mark.parametrize(
    "order",
    [
        ("graph.csv", "new.csv", "labels.csv"),
        ("labels.csv", "graph.csv", "new.csv"),
        ("labels.csv", "new.csv", "graph.csv"),
    ],
)
@pytest.mark.parametrize("options", [["--weight", "amount"], ["--weight", "amount", "--directed"]])
def test_other_columns_do_not_hide_the_order(files, capsys, order, options):
    for path in ("graph.csv", "new.csv"):
        Path(path).write_text("payer,payee,amount\n" + Path(path).read_text().replace("\n", ",2.5\n"))
    assert run(["classify", *ROLES, *options, "-o", "out.csv"]) == 0
    assert run(["classify", *order, *options, "-o", "out.csv"]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.endswith("The order is: lpgraph classify graph.csv labels.csv new.csv.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("classify labels.csv graph.csv", "The order is: lpgraph classify graph.csv labels.csv."),
        ("report labels.csv --labels graph.csv", "The order is: graph.csv --labels labels.csv."),
        ("extend labels.csv new.csv", "seems to be a table of labels, with 2 different labels; pass a model"),
        ("extend new.csv model.lpg", "The order is: lpgraph extend model.lpg new.csv."),
        ("classify new.csv model.lpg", "The order is: lpgraph classify model.lpg new.csv."),
        ("classify graph.csv graph.csv", "graph.csv is given as the labels and as the graph; pass two files."),
        ("classify graph.csv new.csv", "new.csv seems to be a list of edges: names have several values"),
        ("classify new.csv graph.csv", "graph.csv seems to be a list of edges: names have several values"),
        ("cluster new.csv model.lpg", "The order is: lpgraph cluster model.lpg new.csv."),
    ],
)
def test_two_files(files, capsys, words, told):
    Path("model.lpg").write_bytes(b"")
    assert run(words.split()) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("words", ["embed", "cluster", "info", "extend model.lpg"])
def test_a_table_of_labels_as_a_graph(files, capsys, words):
    with warnings.catch_warnings():
        warnings.simplefilter("always", LpgraphWarning)
        if "extend" in words:
            assert run(["embed", "graph.csv", "-d", "2", "--save", "model.lpg", "-o", "e.csv"]) == 0
        run([*words.split(), "labels.csv"])
    assert "labels.csv has each name once, and 2 different values beside them: is it a table of" in (
        capsys.readouterr().err
    )


def test_a_table_of_labels_as_new_vertices_of_a_classifier(files, capsys):
    assert run(["classify", "graph.csv", "labels.csv", "--save", "sides.lpg", "-o", "out.csv"]) == 0
    if (
        "n0" not in Path("labels.csv").read_text()
    ):  # the classes are also names: these are edges between known vertices
        assert run(["classify", "sides.lpg", "labels.csv", "-o", "out.csv"]) == 2
        assert "all its 50 vertices are in the model" in capsys.readouterr().err
        return
    Path("more.csv").write_text(Path("labels.csv").read_text().replace("n1,", "other,"))
    for table in ("labels.csv", "more.csv"):
        assert run(["classify", "sides.lpg", table, "-o", "out.csv"]) == 2
        assert f"{table} seems to be a table of labels" in (told := capsys.readouterr().err)
        assert "2 of its 2 different labels are classes of sides.lpg; pass edges of new vertices." in told
    assert run(["classify", "sides.lpg", "new.csv", "-o", "out.csv"]) == 0


def test_new_vertices_that_join_each_other(files, capsys):
    """A tenth of the end points in new.csv may be no vertices of the graph: it is still a list of edges."""
    with Path("new.csv").open("a") as file:
        known = Path("new.csv").read_text().count("\n")
        file.write("".join(f"{900 + i},{800 + i}\n" for i in range(known // 4)))
    for order in itertools.permutations(ROLES):
        assert run(["classify", *order, "-o", "out.csv"]) == (0 if order == ROLES else 2)
        if order != ROLES:
            told = capsys.readouterr().err.splitlines()[-1]
            assert told.endswith("The order is: lpgraph classify graph.csv labels.csv new.csv.")


def listed(graph):
    """What is known of a file with these edges."""
    seen = []
    pairs = [(str(u), str(v)) for u, v in graph]
    Path("listed.csv").write_text("".join(f"{u},{v}\n" for u, v in pairs))
    from lpgraph.graph.assemble import Rules
    from lpgraph.graph.files import load_graph

    options = {"directed": None, "weight": "weight", "source": None, "target": None, "header": False}
    read = load_graph("listed.csv", None, Rules(), listen=seen.append, **options)
    return Listed("listed.csv", read, seen[0])


@pytest.mark.parametrize(
    "edges",
    [
        nx.karate_club_graph().edges,
        [(f"child{u}", f"child{v}") for u, v in nx.random_labeled_rooted_tree(200, seed=0).edges],
        [(u, v) for u, v in nx.bfs_tree(nx.balanced_tree(2, 6), 0).reverse().edges],  # child, parent
        [(f"u{u}", f"v{v}") for u, v in nx.bipartite.random_graph(60, 20, 0.2, seed=0).edges],
        [(f"p{i}", "hub") for i in range(50)],  # a star
        [(f"p{i}", f"q{i}") for i in range(50)],  # a matching
        [("a", "x"), ("b", "y"), ("c", "x")],
    ],
    ids=["karate", "tree", "binary tree", "bipartite", "star", "matching", "path"],
)
def test_graphs_are_no_tables_of_labels(tmp_path, monkeypatch, edges):
    monkeypatch.chdir(tmp_path)
    assert listed(edges).n_classes(10) == 0


@pytest.mark.parametrize("unknown", ["warn", "ignore"])
def test_more_new_vertices_than_known_ones_and_their_labels_are_no_exchange(tmp_path, monkeypatch, unknown):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    edges = [(u, v) for u in range(200) for v in range(u) if rng.random() < (0.3 if u % 2 == v % 2 else 0.05)]
    Path("graph.csv").write_text("".join(f"n{u},n{v}\n" for u, v in edges if u < 40))
    Path("new.csv").write_text("".join(f"n{u},n{v}\n" for u, v in edges if u >= 40 > v))
    Path("labels.csv").write_text("".join(f"n{u},{'xy'[u % 2]}\n" for u in range(75)))
    command = ["classify", "graph.csv", "labels.csv", "new.csv", "--unknown", unknown, "-o", "out.csv"]
    assert run(command) == 0


def test_new_vertices_with_one_edge_each_are_no_table_of_labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = lp.datasets.flights().graph
    lp.write_graph(graph, "graph.csv")
    Path("labels.csv").write_text(
        "".join(f"{name},{label}\n" for name, label in zip(graph.names, lp.datasets.flights().labels, strict=True))
    )
    Path("new.csv").write_text("".join(f"new{i},{('ATL', 'SEA')[i % 2]}\n" for i in range(40)))
    assert run(["classify", "graph.csv", "labels.csv", "new.csv", "-o", "out.csv"]) == 0


@pytest.mark.parametrize("more", ["", "third,n1\nthird,n3\n"], ids=["alone", "in company"])
def test_new_vertices_that_cite_unknown_names_alone_and_in_company(tmp_path, monkeypatch, capsys, more):
    monkeypatch.chdir(tmp_path)
    Path("graph.csv").write_text("".join(f"n{u},n{v}\n" for u, v in nx.karate_club_graph().edges))
    Path("new.csv").write_text("x,y\n" + more)
    assert run(["embed", "graph.csv", "-d", "2", "--save", "model.lpg", "-o", "e.csv"]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", LpgraphWarning)
        assert run(["extend", "model.lpg", "new.csv", "--no-header", "-o", "out.csv"]) == 0
    assert "2 of" in capsys.readouterr().err
    assert Path("out.csv").read_text().count("False") == 2


def test_loops_of_new_vertices_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("graph.csv").write_text("".join(f"n{u},n{v}\n" for u, v in nx.karate_club_graph().edges))
    Path("new.csv").write_text("x,x\nx,n1\n")
    Path("labels.csv").write_text("name,side\nn1,a\nn2,b\n")
    assert run(["embed", "graph.csv", "-d", "2", "--save", "model.lpg", "-o", "e.csv"]) == 0
    for command, used in (
        ("extend model.lpg new.csv", "used by --rule=batch alone"),
        ("classify graph.csv labels.csv new.csv -d 2", "not used"),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("always", LpgraphWarning)
            assert run([*command.split(), "-o", "out.csv"]) == 0
        told = capsys.readouterr().err
        assert f"new.csv joins 1 of the new vertices to themselves; these edges are {used}." in told


def starry(n):
    """Write new vertices that are each joined to one of three hubs of the graph, as new.csv."""
    Path("new.csv").write_text("".join(f"m{i},n{i % 3}\n" for i in range(n)))


@pytest.mark.parametrize("n", [10, 60])
@pytest.mark.filterwarnings("error::lpgraph.errors.LpgraphWarning")
def test_new_vertices_of_few_hubs_are_not_asked_about(tmp_path, monkeypatch, n):
    monkeypatch.chdir(tmp_path)
    graph = lp.stochastic_block_model([25, 25], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    u, v, _ = lp.as_adjacency(graph).edge_list()
    Path("graph.csv").write_text("".join(f"n{i},n{j}\n" for i, j in zip(u, v, strict=True)))
    Path("labels.csv").write_text("".join(f"n{i},{'xy'[i // 25]}\n" for i in range(50)))
    starry(n)
    assert run(["embed", "graph.csv", "-d", "2", "--save", "e.lpg", "-o", "e.csv"]) == 0
    assert run(["cluster", "graph.csv", "-k", "2", "--save", "c.lpg", "-o", "c.csv"]) == 0
    for words in (
        "classify graph.csv labels.csv new.csv --save y.lpg",
        "classify y.lpg new.csv",
        "cluster c.lpg new.csv",
        "extend e.lpg new.csv",
    ):
        assert run([*words.split(), "-o", "out.csv"]) == 0
        assert len(Path("out.csv").read_text().splitlines()) == n + 1
    assert run(["plot", "embedding", "graph.csv", "--new", "new.csv", "-o", "out.png"]) == 0


def test_labels_of_strangers_and_another_order(files, capsys):
    """The error comes without a warning about labels of vertices that another file does not have."""
    name = "z{}" if "n0" in Path("labels.csv").read_text() else "9{}"
    with Path("labels.csv").open("a") as file:
        file.write("".join(f"{name.format(i)},{Path('labels.csv').read_text()[-2]}\n" for i in range(3)))
    for order in itertools.permutations(ROLES):
        with warnings.catch_warnings():
            warnings.simplefilter("always", LpgraphWarning)
            code = run(["classify", *order, "-o", "out.csv"])
        told = capsys.readouterr().err.splitlines()
        if order == ROLES:
            assert code == 0
            assert any("labels of 3 vertices that the graph does not have" in line for line in told)
        else:
            assert code == 2
            assert len(told) == 1
            assert told[0].endswith("The order is: lpgraph classify graph.csv labels.csv new.csv.")
