"""Commands give the results of the library, with files, pipes and signals."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas
import pyarrow.parquet
import pytest

import lpgraph as lp
from lpgraph.cli.run import run

#: Half a unit of the last of ten digits, relative to the smallest number that has them.
DIGITS = 5e-10

BLOCKS = ["--sizes", "60,40", "--probabilities", "0.5,0.1;0.1,0.5"]


def lpgraph(*arguments, **options):
    """Run the command in a new process."""
    return subprocess.run(
        [sys.executable, "-m", "lpgraph", *map(str, arguments)], capture_output=True, check=False, **options
    )


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a sampled network, its labels, and new vertices."""
    monkeypatch.chdir(tmp_path)
    drawn = ["--new", "12", "--new-output", "new.csv", "--new-labels", "truth.csv"]
    assert run(["sample", "sbm", *BLOCKS, "-o", "graph.csv", "--labels", "labels.csv", *drawn]) == 0
    return tmp_path


def test_a_strangers_path(here, capsys):
    # One command: csv of edges and csv of labels, to predictions for new vertices.
    assert run(["classify", "graph.csv", "labels.csv", "new.csv"]) == 0
    predicted = {row["name"]: int(row["label"]) for row in table(capsys.readouterr().out)}
    assert predicted == lp.read_labels("truth.csv")
    assert len(predicted) == 12


def test_the_readmes_command_says_what_its_python_says(tmp_path, monkeypatch):
    root = Path(__file__).parents[2]
    if not (root / "README.md").exists():
        pytest.skip("needs the repository")
    text = (root / "README.md").read_text()
    (command,) = [line for line in text.splitlines() if line.startswith("lpgraph classify ")]
    monkeypatch.chdir(root)
    assert run(command.replace("predictions.csv", str(tmp_path / "p.csv")).split()[1:]) == 0
    first = [
        (
            row["name"],
            row["label"],
            f"{float(row['probability']):.2f}",
            row["labelled_neighbors"],
            row["reaches_label"],
        )
        for row in table((tmp_path / "p.csv").read_text())
    ]
    for k, values in enumerate(first[:3]):
        assert re.search(rf"^{k} +{' +'.join(values)}$", text, re.MULTILINE), values


def test_the_everyday_stream(here, capsys):
    assert run(["embed", "graph.csv", "--save", "model.lpg", "-o", "embedding.csv"]) == 0
    assert run(["extend", "model.lpg", "new.csv"]) == 0
    rows = table(capsys.readouterr().out)
    model = lp.AdjacencySpectralEmbedding().fit(lp.read_graph("graph.csv"))
    embedded = table((here / "embedding.csv").read_text())
    assert [row["name"] for row in embedded] == [str(i) for i in range(100)]
    np.testing.assert_allclose(
        [[float(r["ase0"]), float(r["ase1"])] for r in embedded], model.embedding_, rtol=DIGITS
    )
    new = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0).new_vertices(
        12, random_state=np.random.default_rng([0, 1])
    )
    expected = {f"new{i}": row for i, row in enumerate(model.transform(new))}
    assert {row["name"] for row in rows} == set(expected)
    for row in rows:
        np.testing.assert_allclose([float(row["ase0"]), float(row["ase1"])], expected[row["name"]], rtol=DIGITS)


def test_landmarks(here, capsys):
    options = ["-d", "2", "--landmarks", "0.4", "--landmark-rule", "uniform", "--landmark-passes", "2"]
    assert run(["embed", "graph.csv", *options, "--save", "model.lpg", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    model = lp.AdjacencySpectralEmbedding(2, landmarks=0.4, landmark_rule="uniform", landmark_passes=2)
    model.fit(lp.read_graph("graph.csv"))
    assert facts["landmarks"] == len(model.landmarks_) == 40
    assert np.isclose(facts["nystrom_error"], model.nystrom_error_)
    assert np.array_equal(lp.load("model.lpg").embedding_, model.embedding_)


def test_unobserved_pairs(here, capsys):
    graph = lp.read_graph("graph.csv")
    first = [graph.names[i] for i in range(3)]
    with open("pairs.csv", "w", encoding="utf-8") as file:
        file.write(f"source,target\n{first[0]},{first[1]}\n{first[0]},{first[2]}\n")
    assert run(["embed", "graph.csv", "-d", "2", "--unobserved", "pairs.csv", "--save", "model.lpg"]) == 0
    rows = table(capsys.readouterr().out)
    model = lp.AdjacencySpectralEmbedding(2, unobserved=[(first[0], first[1]), (first[2], first[0])]).fit(graph)
    found = [[float(row["ase0"]), float(row["ase1"])] for row in rows]
    np.testing.assert_allclose(found, model.embedding_, rtol=DIGITS)
    assert lp.load("model.lpg").completion_.share == model.completion_.share


def test_unobserved_pairs_of_new_vertices(here, capsys):
    assert run(["embed", "graph.csv", "-d", "2", "--save", "model.lpg", "-o", "e.csv"]) == 0
    model, lines = lp.load("model.lpg"), table(Path("new.csv").read_text())
    ends = [sorted(row.values(), key=str.isdecimal) for row in lines]
    new = [(u, int(v)) for u, v in ends if v.isdecimal()]
    pairs = [(f"new{i}", k) for i in range(12) for k in range(5 * i, 5 * i + 20)]
    Path("pairs.csv").write_text("\n".join(["new,known", *(f"{u},{v}" for u, v in pairs)]))
    capsys.readouterr()
    assert run(["extend", "model.lpg", "new.csv", "--unobserved", "pairs.csv"]) == 0
    placed = {row["name"]: [float(row["ase0"]), float(row["ase1"])] for row in table(capsys.readouterr().out)}
    vertices = model.read_new(new, unobserved=pairs)
    wanted = model.transform(vertices)
    np.testing.assert_allclose([placed[name] for name in vertices.names], wanted, rtol=DIGITS)
    assert not np.allclose(wanted, model.transform(new), rtol=1e-3)
    parts = ["--method", "adjacency", "--features", "unit_rows,neighbor_labels"]
    learnt = ["classify", "graph.csv", "labels.csv", "new.csv", *parts, "--unobserved", "pairs.csv"]
    assert run([*learnt, "--save", "classes.lpg", "-o", "p.csv"]) == 0
    assert run(["classify", "classes.lpg", "new.csv", "--unobserved", "pairs.csv", "-o", "again.csv"]) == 0
    assert Path("p.csv").read_text() == Path("again.csv").read_text()
    assert run(["classify", "classes.lpg", "new.csv", "-o", "all.csv"]) == 0
    assert Path("p.csv").read_text() != Path("all.csv").read_text()
    mixture = ["cluster", "graph.csv", "-k", "2", "--method", "adjacency", "--by", "gaussian", "--save", "k.lpg"]
    assert run([*mixture, "-o", "c.csv"]) == 0
    assert run(["cluster", "k.lpg", "new.csv", "--unobserved", "pairs.csv", "-o", "k.csv"]) == 0
    capsys.readouterr()
    for order, words in (
        ("extend model.lpg new.csv --unobserved pairs.csv --rule batch", "pass --rule=least_squares"),
        ("classify graph.csv labels.csv new.csv --unobserved pairs.csv", "needs a model of --method adjacency"),
        ("classify graph.csv labels.csv --unobserved pairs.csv", "pass NEW, or leave it out"),
        (
            "classify graph.csv labels.csv new.csv --method adjacency --unobserved pairs.csv",
            "fit with --features=unit_rows,neighbor_labels",
        ),
    ):
        assert run(order.split()) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize("method", ["adjacency", "laplacian", "modularity", "one-step", "random-walk"])
def test_every_method_of_networks(here, capsys, method):
    kinds = {
        "modularity": lp.ModularityEmbedding,
        "one-step": lp.OneStepEmbedding,
        "random-walk": lp.RandomWalkEmbedding,
    }
    assert run(["embed", "graph.csv", "-d", "2", "--method", method, "--save", "model.lpg"]) == 0
    rows = table(capsys.readouterr().out)
    model = lp.load("model.lpg")
    if method in kinds:
        assert type(model) is kinds[method]
    names = model.get_feature_names_out()
    np.testing.assert_allclose(
        [[float(row[name]) for name in names] for row in rows], model.embedding_, rtol=DIGITS
    )
    assert run(["extend", "model.lpg", "new.csv"]) == 0
    rows = table(capsys.readouterr().out)
    new = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0).new_vertices(
        12, random_state=np.random.default_rng([0, 1])
    )
    expected = {f"new{i}": row for i, row in enumerate(model.transform(new))}
    assert len(rows) == 12
    for row in rows:
        np.testing.assert_allclose([float(row[name]) for name in names], expected[row["name"]], rtol=DIGITS)
    for command in ("classify graph.csv labels.csv new.csv", "cluster graph.csv -k 2", "report graph.csv"):
        assert run([*command.split(), "--method", method, "-d", "2"]) == 0
    predicted = run(
        ["classify", "graph.csv", "labels.csv", "new.csv", "--method", method, "-d", "2", "-o", "p.csv"]
    )
    assert predicted == 0
    assert lp.read_labels("p.csv") == lp.read_labels("truth.csv")


def test_covariates_of_vertices(here, capsys):
    new = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0).new_vertices(
        12, random_state=np.random.default_rng([0, 1])
    )
    values = np.random.default_rng(0).random((112, 2)).round(6)
    names = [*range(100), *(f"new{i}" for i in range(12))]
    lines = [f"{name},{x},{y}" for name, (x, y) in zip(names, values, strict=True)]
    Path("ages.csv").write_text("\n".join(["name,age,height", *lines]))
    chosen = ["--method", "covariate-assisted", "--covariates", "ages.csv"]
    assert run(["embed", "graph.csv", "-d", "2", *chosen, "--save", "model.lpg", "-o", "e.csv"]) == 0
    expected = lp.CovariateAssistedEmbedding(2, covariates=values[:100]).fit(lp.read_graph("graph.csv"))
    model = lp.load("model.lpg")
    np.testing.assert_allclose(model.embedding_, expected.embedding_, atol=1e-12)
    assert model.covariate_names_.tolist() == ["age", "height"]
    capsys.readouterr()
    assert run(["extend", "model.lpg", "new.csv", "--covariates", "ages.csv"]) == 0
    placed = {row["name"]: [float(row["case0"]), float(row["case1"])] for row in table(capsys.readouterr().out)}
    positions = expected.transform(new, covariates=values[100:])
    np.testing.assert_allclose([placed[f"new{i}"] for i in range(12)], positions, rtol=DIGITS)
    # Without the option, of the default method, and of another model.
    for order, words in (
        ("extend model.lpg new.csv", "no covariates, and the known ones have 2; pass --covariates"),
        ("embed graph.csv --covariates ages.csv", "pass --method covariate-assisted"),
        ("embed graph.csv --method covariate-assisted", "--covariates is None"),
        ("embed graph.csv --method covariate-assisted --covariates ages.csv --alpha best", "balance or kmeans"),
    ):
        assert run(order.split()) == 2
        assert words in capsys.readouterr().err
    labelled = ["classify", "graph.csv", "labels.csv", "new.csv", *chosen, "--save", "classes.lpg", "-o", "p.csv"]
    assert run(labelled) == 0
    assert run(["classify", "classes.lpg", "new.csv", "--covariates", "ages.csv", "-o", "again.csv"]) == 0
    assert Path("p.csv").read_text() == Path("again.csv").read_text()
    assert run(["cluster", "graph.csv", "-k", "2", *chosen, "--alpha", "0.001", "--save", "k.lpg"]) == 0
    assert run(["cluster", "k.lpg", "new.csv", "--covariates", "ages.csv"]) == 0
    report = ["report", "graph.csv", "--new", "new.csv", "-k", "2", *chosen, "-o", "page.html"]
    assert run(report) == 0
    assert "new11" in Path("page.html").read_text()
    assert run(["plot", "embedding", "graph.csv", "--new", "new.csv", "-d", "2", *chosen, "-o", "e.png"]) == 0
    # A missing number is refused by the name of its vertex.
    ages = Path("ages.csv").read_text()
    for missing in ("", " NA "):
        Path("ages.csv").write_text(ages.replace(lines[7], f"7 ,{missing},1.5"))
        capsys.readouterr()
        assert run(["embed", "graph.csv", *chosen]) == 2
        assert "nan in column 'age' for 7" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["ints", "texts"])
def test_known_vertices_are_found_however_the_file_writes_them(tmp_path, monkeypatch, capsys, kind):
    # "5" is an integer in a file of numbers, and a text in a file with "x"; the names of the model decide.
    monkeypatch.chdir(tmp_path)
    graph = nx.karate_club_graph()
    if kind == "texts":
        graph = nx.relabel_nodes(graph, {i: f"0{i}" if i == 7 else str(i) for i in graph})
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(graph), "model.lpg")
    for name in ("99", "new one"):
        (tmp_path / "new.csv").write_text(f"{name},0\n{name},1\n{name},2\n")
        assert run(["extend", "model.lpg", "new.csv"]) == 0
        (row,) = table(capsys.readouterr().out)
        assert row["name"] == name
        known = [0, 1, 2] if kind == "ints" else ["0", "1", "2"]
        expected = lp.load("model.lpg").transform({"new": known})[0]
        np.testing.assert_allclose([float(row["ase0"]), float(row["ase1"])], expected)


@pytest.mark.filterwarnings("default::lpgraph.errors.LpgraphWarning")
def test_edges_between_known_vertices_are_told(here, capsys):
    run(["embed", "graph.csv", "--save", "model.lpg", "-o", "e.csv"])
    (here / "more.csv").write_text("new,0\nnew,1\n2,3\n")
    assert run(["extend", "model.lpg", "more.csv"]) == 0
    out, err = capsys.readouterr()
    assert len(table(out)) == 1
    told = "lpgraph: warning: more.csv has 1 edge between known vertices, which is left out; fit again"
    assert err.startswith(told)
    assert err.count("\n") == 1


@pytest.mark.parametrize("classifier", ["lda", "knn", "logistic"])
def test_classify_and_its_model(here, capsys, classifier):
    labels = (here / "labels.csv").read_text().splitlines()
    (here / "half.csv").write_text("\n".join(labels[:1] + labels[1::2]) + "\n")
    options = ["--classifier", classifier, "--save", "c.lpg", "--probabilities"]
    assert run(["classify", "graph.csv", "half.csv", *options]) == 0
    rows = table(capsys.readouterr().out)
    truth = {name: str(label) for name, label in lp.read_labels("labels.csv").items()}
    assert len(rows) == 50
    assert np.mean([row["label"] == truth[int(row["name"])] for row in rows]) > 0.95
    assert all(abs(float(row["p_0"]) + float(row["p_1"]) - 1) < 2e-6 for row in rows)
    assert run(["classify", "c.lpg", "new.csv"]) == 0
    predicted = {row["name"]: int(row["label"]) for row in table(capsys.readouterr().out)}
    assert predicted == lp.read_labels("truth.csv")


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_columns_and_header_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letters.csv").write_text("id;who;whom;letters\n1;ann;bob;3\n2;bob;cem;1\n")
    columns = ["--source", "who", "--target", "whom"]
    assert run(["info", "letters.csv", *columns, "--weight", "letters", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["first_vertices"] == ["ann", "bob", "cem"]
    assert facts["weights"] == [1.0, 3.0]
    (tmp_path / "texts.csv").write_text("who,whom\nann,bob\nbob,cem\n")
    for options, vertices in ((["--header"], 3), (["--no-header"], 5), ([], 3)):
        assert run(["info", "texts.csv", "--json", *options]) == 0
        assert json.loads(capsys.readouterr().out)["vertices"] == vertices


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_labels_of_other_vertices_are_counted(here, capsys):
    expected = lp.read_labels("labels.csv")
    with open("labels.csv", "a") as file:
        file.write("998,0\n999,1\n")
    for command in (
        "classify graph.csv labels.csv new.csv -d 2",
        "report graph.csv --labels labels.csv -k 2",
        "plot embedding graph.csv --labels labels.csv",
        "plot adjacency graph.csv --labels labels.csv",
    ):
        assert run([*command.split(), "--unknown", "error"]) == 2
        assert "pass --unknown=warn" in capsys.readouterr().err
        assert run([*command.split(), "--unknown", "ignore"]) == 0
        assert "does not have" not in capsys.readouterr().err
        assert run(command.split()) == 0
        assert "labels of 2 vertices that the graph does not have, such as '998', '9" in capsys.readouterr().err
    with pytest.warns(lp.errors.LpgraphWarning, match="labels of 2 vertices"):
        assert lp.read_labels("labels.csv", lp.read_graph("graph.csv")) == expected


def test_cluster_and_its_model(here, capsys):
    assert run(["cluster", "graph.csv", "-k", "1-4", "--save", "k.lpg", "--json", "-o", "clusters.parquet"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["clusters"], facts["sizes"], facts["output"]) == (2, [60, 40], "clusters.parquet")
    assert pyarrow.parquet.read_table("clusters.parquet").to_pydict()["cluster"] == [0] * 60 + [1] * 40
    assert run(["cluster", "k.lpg", "new.csv", "--probabilities"]) == 0
    predicted = {row["name"]: int(row["cluster"]) for row in table(capsys.readouterr().out)}
    assert predicted == lp.read_labels("truth.csv")


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_a_dimension_that_may_be_wrong(here, capsys):
    lp.write_graph(nx.path_graph(100), here / "path.csv")
    assert run(["dimension", "path.csv"]) == 0
    told = capsys.readouterr().out
    assert "\nNo dimension is significant" in told
    assert "weights" not in told  # the network has none
    assert run(["embed", "path.csv", "-o", "positions.csv"]) == 0
    told = capsys.readouterr().err
    assert "warning: No dimension is significant" in told
    assert "weights" not in told
    weighted = nx.path_graph(100)
    weighted.edges[0, 1]["weight"] = 2.0
    lp.write_graph(weighted, here / "path.csv")
    assert run(["embed", "path.csv", "-o", "positions.csv"]) == 0
    assert "In networks with weights, few large ones" in capsys.readouterr().err
    lp.write_graph(nx.convert_node_labels_to_integers(nx.grid_2d_graph(25, 25)), here / "ring.csv")
    assert run(["embed", "ring.csv", "-o", "positions.csv"]) == 0
    assert "64 is the largest number of dimensions that is tried" in capsys.readouterr().err


def test_dimension(here, capsys):
    assert run(["dimension", "graph.csv", "--cross-validation", "--max", "6", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["elbows"][0] == facts["cross_validation"] == facts["eigenvalue_cv"] == 2
    assert facts["of_several_splits"] == [2] * 5
    assert facts["by_mean_z_of_splits"] == 2
    assert len(facts["z_by_dimension"]) >= 3
    assert facts["at_cap"] is False
    assert len(facts["loss_by_dimension"]) == 7
    assert "sign_flips" not in facts
    assert run(["dimension", "graph.csv"]) == 0
    assert capsys.readouterr().out.endswith("\nUse the dimension by the mean of the splits: --dimension 2.\n")
    assert run(["dimension", "graph.csv", "--sign-flips", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["sign_flips"], facts["signature"]) == (2, [2, 0])
    assert facts["scree"][1] > facts["threshold"] > facts["scree"][2]
    for rule in ("eigenvalue_cv", "sign_flips"):
        assert run(["embed", "graph.csv", "-d", rule, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["dimension"] == 2


def test_splits_show_how_far_the_dimension_depends_on_them(tmp_path, monkeypatch, capsys):
    # Blocks that are hardly detectable, so that the splits disagree.
    monkeypatch.chdir(tmp_path)
    graph = lp.stochastic_block_model([250] * 6, np.full((6, 6), 0.006) + 0.02 * np.eye(6), random_state=2)
    lp.write_graph(graph, "graph.csv")
    assert run(["dimension", "graph.csv", "--splits", "4", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    choices = [
        lp.AdjacencySpectralEmbedding("eigenvalue_cv", random_state=seed).fit(graph).dimension_choice_
        for seed in range(4)
    ]
    assert facts["eigenvalue_cv"] == choices[0].n_components
    assert facts["of_several_splits"] == sorted(choice.n_components for choice in choices)
    assert len(set(facts["of_several_splits"])) > 1
    tested = min(len(choice.z) for choice in choices)
    mean = sum(choice.z[:tested] for choice in choices) / 4
    assert facts["by_mean_z_of_splits"] == max((k + 1 for k in range(tested) if mean[k] > 3.09), default=1)
    assert run(["dimension", "graph.csv", "--splits", "0"]) == 2
    assert "--splits=0; pass a number of at least 1" in capsys.readouterr().err


def test_info(here, capsys):
    assert run(["info", "graph.csv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    graph = lp.read_graph("graph.csv")
    assert (facts["vertices"], facts["edges"]) == (100, graph.n_edges)
    assert facts["density"] == pytest.approx(graph.n_edges / 4950)
    assert facts["degree"]["most"] == graph.degrees.max()
    assert run(["info", "graph.csv"]) == 0
    assert f"edges              {graph.n_edges}\n" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "parquet", "graphml", "gml", "mtx", "npz", "csv.gz"])
def test_every_format_converts_and_back(here, suffix):
    assert run(["convert", "graph.csv", f"other.{suffix}"]) == 0
    assert run(["convert", f"other.{suffix}", "back.csv"]) == 0
    assert (here / "back.csv").read_bytes() == (here / "graph.csv").read_bytes()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "parquet"])
def test_every_table(here, suffix):
    assert run(["embed", "graph.csv", "-o", f"table.{suffix}"]) == 0
    if suffix == "parquet":
        rows = pyarrow.parquet.read_table("table.parquet").to_pylist()
    elif suffix == "json":
        rows = json.loads((here / "table.json").read_text())
    else:
        text = (here / f"table.{suffix}").read_text()
        rows = list(csv.DictReader(io.StringIO(text), delimiter="\t" if suffix == "tsv" else ","))
    expected = lp.AdjacencySpectralEmbedding().fit(lp.read_graph("graph.csv")).embedding_
    found = [[float(r["ase0"]), float(r["ase1"])] for r in rows]
    np.testing.assert_allclose(found, expected, rtol=0 if suffix == "parquet" else DIGITS)


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_directed_graphs_have_two_positions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert (
        run(
            [
                "sample",
                "sbm",
                *BLOCKS,
                "--directed",
                "-o",
                "g.csv",
                "--new",
                "3",
                "--new-output",
                "n.csv",
            ]
        )
        == 0
    )
    laplacian = ["--method", "laplacian", "--regularizer", "mean"]
    assert run(["embed", "g.csv", "--directed", "-d", "2", "--save", "m.lpg", *laplacian]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert head == "name,lse0,lse1,lse_in0,lse_in1"
    both = []
    for direction in ("out", "in"):
        assert run(["extend", "m.lpg", "n.csv", "--direction", direction]) == 0
        both.append(capsys.readouterr().out)
    assert both[0] != both[1]


def test_points_and_kernels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    points = np.random.default_rng(0).dirichlet([1, 1, 1], 30)
    rows = "\n".join(",".join(map(repr, row)) for row in points.tolist())
    (tmp_path / "points.csv").write_text("a,b,c\n" + rows + "\n")
    for command in (
        ["rdpg", "points.csv"],
        ["rdpg", "points.csv", "--signature", "3,0"],
        ["gaussian", "points.csv", "--sigma", "0.5"],
    ):
        assert run(["sample", *command, "-o", "g.mtx"]) == 0
        assert lp.read_graph("g.mtx").n_vertices == 30
    alpha = ["--alpha", "0.5,0.5", "--probabilities", "0.9,0.1;0.1,0.9"]
    assert run(["sample", "mixed-membership", "50", *alpha, "--positions", "x.csv", "-o", "g.npz"]) == 0
    assert len(table((tmp_path / "x.csv").read_text())) == 50
    assert run(["sample", "erdos-renyi", "20", "0.3"]) == 0
    assert capsys.readouterr().out.startswith("source,target\n")
    assert run(["plot", "points", "points.csv", "-k", "4", "-o", "points.png"]) == 0


@pytest.mark.parametrize(
    "command",
    [
        "scree graph.csv --cross-validation",
        "embedding graph.csv --labels labels.csv --ellipses --new new.csv",
        "embedding graph.csv -d 3 -k 2 --ellipses --pairs",
        "embedding graph.csv -d 3 --labels labels.csv --pairs --new new.csv",
        "adjacency graph.csv -k 2",
        "adjacency graph.csv --labels labels.csv --bins 20",
    ],
)
def test_pictures(here, command):
    for suffix, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        assert run(["plot", *command.split(), "-o", f"picture.{suffix}"]) == 0
        assert (here / f"picture.{suffix}").read_bytes().startswith(start)
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def points(tmp_path, monkeypatch):
    """A folder with a table of points around a bent line, and another of points between them."""
    monkeypatch.chdir(tmp_path)
    for name, t in (("points", np.linspace(0, 3, 60)), ("others", np.linspace(0.1, 2.9, 9))):
        rows = np.column_stack([np.cos(t), np.sin(t), 0.1 * np.sin(9 * t)])
        (tmp_path / f"{name}.csv").write_text("x,y,z\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows.tolist()))
    return tmp_path


def drawn(monkeypatch, name):
    """Record the calls of one function of lpgraph.plot by a command."""
    seen = []
    draw = getattr(lp.plot, name)
    monkeypatch.setattr(
        lp.plot, name, lambda *args, **kwargs: seen.append((args, kwargs)) or draw(*args, **kwargs)
    )
    return seen


def test_the_rows_of_a_heavy_tailed_network_are_scaled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = nx.barabasi_albert_graph(500, 2, seed=0)
    lp.write_graph(lp.as_adjacency(graph), "hubs.csv")
    seen = drawn(monkeypatch, "positions")
    assert run(["plot", "embedding", "hubs.csv", "--clusters", "2", "--ellipses", "-o", "hubs.png"]) == 0
    assert run(["plot", "embedding", "hubs.csv", "--scale", "ranks", "--axes", "1,2", "-o", "hubs.png"]) == 0
    assert [(given["scale"], given["dimensions"]) for _, given in seen] == [("unit", None), ("ranks", (0, 1))]
    assert seen[0][1]["ellipse"] == "classes"
    assert run(["plot", "embedding", "hubs.csv", "--pairs", "-o", "hubs.png"]) == 0
    # A star has two eigenvalues that are not 0, and two dimensions.
    lp.write_graph(lp.as_adjacency(nx.star_graph(6)), "star.csv")
    assert run(["plot", "embedding", "star.csv", "-o", "star.png"]) == 0


def test_loss_is_the_librarys(points, monkeypatch):
    seen = drawn(monkeypatch, "loss")
    assert (
        run(
            [
                "plot",
                "loss",
                "points.csv",
                "--method",
                "isomap",
                "--neighbors",
                "4",
                "--max",
                "3",
                "-o",
                "loss.svg",
            ]
        )
        == 0
    )
    assert (
        run(
            [
                "plot",
                "loss",
                "points.csv",
                "--method",
                "isomap",
                "--neighbors",
                "4",
                "--max",
                "3",
                "--held-out",
                "others.csv",
            ]
        )
        == 0
    )
    X, others = (np.loadtxt(f"{name}.csv", delimiter=",", skiprows=1) for name in ("points", "others"))
    model = lp.manifold.Isomap(2, n_neighbors=4).fit(X)
    for ((found,), _), held_out in zip(seen, (None, others), strict=True):
        expected = lp.metrics.reconstruction_loss(model, held_out, 3)
        np.testing.assert_array_equal(found.positive, expected.positive)
        assert found.held_out == (held_out is not None)
    assert (points / "loss.svg").read_bytes().startswith(b"<?xml")
    assert (points / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_stability_is_the_librarys(points, monkeypatch):
    seen = drawn(monkeypatch, "stability")
    line = "plot stability points.csv --method mds --fractions 0.05,0.2 --repeats 2 --held-out 5 --seed 3"
    assert run(line.split()) == 0
    X = np.loadtxt("points.csv", delimiter=",", skiprows=1)
    expected = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], 2, n_held_out=5, random_state=3)
    np.testing.assert_array_equal(seen[0][0][0].difference, expected.difference)
    assert (points / "stability.png").read_bytes().startswith(b"\x89PNG")


def test_stability_leaves_out_some_points_by_default(points, monkeypatch):
    seen = drawn(monkeypatch, "stability")
    X = np.random.default_rng(0).normal(size=(60, 3))
    np.savetxt("more.csv", X, delimiter=",")
    for shares, expected in (("0.05", 20), ("0.4", 12)):
        assert run(["plot", "stability", "more.csv", "--method", "mds", "--fractions", shares]) == 0
        assert seen.pop()[0][0].n_points.tolist() == [expected]


@pytest.mark.filterwarnings("always")
def test_pictures_of_points_join_the_components_of_their_graph(points, monkeypatch, capsys):
    curves = drawn(monkeypatch, "neighbor_curves")
    X = np.loadtxt("points.csv", delimiter=",", skiprows=1)
    X = np.vstack([X, X + 100 * np.ptp(X)])
    np.savetxt("two.csv", X, delimiter=",", header="x,y", comments="")
    few = ["--held-out", "2", "--fractions", "0.1"]
    for kind, rest in (("quality", []), ("shepard", []), ("loss", []), ("stability", few)):
        assert run(["plot", kind, "two.csv", "-k", "4", *rest]) == 0
        told = capsys.readouterr().err
        assert "2 components, of 60, 60 points, which are joined by their shortest bridges" in told
    model = lp.manifold.Isomap(2, n_neighbors=4, components="bridge").fit(X)
    np.testing.assert_array_equal(curves[0][0][0].continuity, lp.metrics.neighbor_curves(X, model).continuity)


@pytest.mark.parametrize("held_out", [None, "others.csv"])
def test_quality_and_shepard_are_the_librarys(points, monkeypatch, held_out):
    curves, diagrams = drawn(monkeypatch, "neighbor_curves"), drawn(monkeypatch, "shepard")
    rest = ["--method", "isomap", "-k", "4", *([] if held_out is None else ["--held-out", held_out])]
    for kind in ("quality", "shepard"):
        assert run(["plot", kind, "points.csv", *rest]) == 0
        assert (points / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
    X, others = (np.loadtxt(f"{name}.csv", delimiter=",", skiprows=1) for name in ("points", "others"))
    new = None if held_out is None else others
    model = lp.manifold.Isomap(2, n_neighbors=4).fit(X)
    expected = lp.metrics.neighbor_curves(X, model, new=new)
    np.testing.assert_array_equal(curves[0][0][0].continuity, expected.continuity)
    np.testing.assert_array_equal(diagrams[0][0][0].embedded, lp.metrics.shepard(X, model, new=new).embedded)


@pytest.mark.parametrize(
    "options",
    [
        "mds -d 1",
        "mds --landmarks 9",
        "kernel-pca --kernel rbf --landmarks 9",
        "eigenmaps -k 5",
        "diffusion -k 5",
        "lle -k 6 --components error",
        "ltsa -k 8",
        "semidefinite -k 4",
    ],
)
def test_every_method_of_points(points, options):
    kind = "stability" if options.startswith(("lle", "ltsa")) else "loss"
    rest = ["--fractions", "0.1", "--held-out", "2"] if kind == "stability" else []
    assert run(["plot", kind, "points.csv", "--method", *options.split(), *rest]) == 0


def test_names_of_points_are_no_coordinates(points, monkeypatch):
    # As in a table that `lpgraph embed` wrote.
    seen = drawn(monkeypatch, "loss")
    rows = (points / "points.csv").read_text().splitlines()
    (points / "named.csv").write_text(
        "\n".join(["vertex," + rows[0], *(f"{i},{r}" for i, r in enumerate(rows[1:]))])
    )
    for name in ("points", "named"):
        assert run(["plot", "loss", f"{name}.csv", "--method", "mds"]) == 0
    np.testing.assert_array_equal(seen[0][0][0].positive, seen[1][0][0].positive)


@pytest.mark.parametrize("form", ["in order", "by name", "model"])
def test_truth_is_turned_onto_the_positions(tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    seen = drawn(monkeypatch, "truth")
    X = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    rows = [",".join(map(repr, row)) for row in X.tolist()]
    (tmp_path / "x.csv").write_text("a,b,c\n" + "\n".join(rows) + "\n")
    # By name, in any order: the row of each vertex is found.
    named = [f"{i},{row}" for i, row in enumerate(rows)][::-1]
    (tmp_path / "named.csv").write_text("vertex,x0,x1,x2\n" + "\n".join(named) + "\n")
    assert run(["sample", "rdpg", "x.csv", "--sparsity", "0.5", "-o", "graph.npz"]) == 0
    assert run(["embed", "graph.npz", "-d", "3", "--save", "model.lpg", "-o", "e.csv"]) == 0
    words = {"in order": "graph.npz x.csv", "by name": "graph.npz named.csv", "model": "model.lpg named.csv"}
    assert run(f"plot truth {words[form]} --sparsity 0.5 --axes 2,3".split()) == 0
    (estimate, real, kinds), options = seen[0]
    np.testing.assert_array_equal(real, X)
    model = lp.AdjacencySpectralEmbedding(3).fit(lp.read_graph("graph.npz"))
    np.testing.assert_array_equal(estimate, model.embedding_ / np.sqrt(0.5))
    assert (kinds, options) == (None, {"dimensions": (1, 2)})
    assert (tmp_path / "truth.png").read_bytes().startswith(b"\x89PNG")


def test_reports(here):
    assert run(["report", "graph.csv", "--labels", "labels.csv", "-k", "2", "--title", "A & B"]) == 0
    page = (here / "report.html").read_text()
    assert "<title>A &amp; B</title>" in page
    (here / "few.csv").write_text("source,target\nfirst,0\nfirst,1\nsecond,33\n")
    # A list of arcs has those of both directions, though the default embedding has none: no warning.
    assert run(["report", "graph.csv", "-k", "2", "--directed", "--new", "few.csv"]) == 0
    assert run(["report", "graph.csv", "-k", "2", "--new", "few.csv"]) == 0
    assert "<dt>new vertices</dt><dd>2</dd>" in (here / "report.html").read_text()


@pytest.mark.slow
def test_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--picture", "demo.svg"]) == 0
    assert "karate club" in capsys.readouterr().out
    assert "<svg" in (tmp_path / "demo.svg").read_text()


def test_pipes(here, capfdbinary):
    # Standard input and output in one pipe; nothing but the table, no colours, no progress.
    made = lpgraph("convert", "graph.csv", "-", "--to", "graphml")
    found = lpgraph("embed", "-", "--format", "graphml", input=made.stdout)
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.startswith(b"name,ase0,ase1\n0,")
    assert b"\x1b" not in found.stdout
    capfdbinary.readouterr()
    assert run(["plot", "scree", "graph.csv", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"\x89PNG")


@pytest.mark.posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_whoever_reads_may_stop_reading(tmp_path, unbuffered):
    lp.write_graph(lp.erdos_renyi(3000, 0.02, random_state=0), tmp_path / "graph.csv")
    command = f"{sys.executable} -m lpgraph convert graph.csv - --to csv | head -n 1; echo ${{PIPESTATUS[0]}}"
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "source,target"
    assert done.stdout.splitlines()[1] == "141"
    assert done.stderr == ""


@pytest.mark.posix
def test_interrupted(tmp_path):
    fifo = tmp_path / "graph.csv"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [sys.executable, "-m", "lpgraph", "info", str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with open(fifo, "wb") as pipe:  # opens once the command has begun to read
        pipe.write(b"a,b\n")
        pipe.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert (out, err) == (b"", b"")


def test_a_computation_that_fails_is_no_wrong_input(here, monkeypatch, capsys):
    def fail(*_, **__):
        raise lp.errors.ConvergenceError("it did not converge;\n  raise tol.")

    monkeypatch.setattr(lp.AdjacencySpectralEmbedding, "fit", fail)
    assert run(["embed", "graph.csv"]) == 1
    assert capsys.readouterr().err == "lpgraph: it did not converge; raise tol.\n"


def test_help_has_an_example_for_every_command(capsys):
    import typer.main

    from lpgraph.cli import app

    def leaves(command, path):
        for name, sub in getattr(command, "commands", {}).items():
            yield from leaves(sub, [*path, name])
        if not getattr(command, "commands", None):
            yield path

    paths = list(leaves(typer.main.get_command(app), []))
    assert len(paths) == 28
    for path in paths:
        assert run([*path, "--help"]) == 0
        text = capsys.readouterr().out
        lines = text[text.index("Example:") :].splitlines()
        assert lines[1].strip().startswith(f"lpgraph {' '.join(path)} "), path
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"{lp.__version__}\n"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from lpgraph.cli.run import run; run(['--help']); "
        "heavy = 'numpy', 'scipy', 'sklearn', 'matplotlib', 'rich'; "
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_missing_file_is_told_before_anything_heavy_is_imported(tmp_path):
    commands = [
        *("info", "embed", "cluster", "dimension", "report", "classify", "drift", "extend", "sample like"),
        *("plot scree", "plot embedding", "plot adjacency", "plot truth", "plot points", "plot loss"),
        *("plot stability", "plot quality", "plot shepard"),
    ]
    code = (
        "import sys; from lpgraph.cli.run import run\n"
        f"for command in {commands}:\n"
        "    first = 'missing.lpg' if command in ('drift', 'extend') else 'missing.csv'\n"
        "    two = command in ('drift', 'extend', 'classify', 'plot truth')\n"
        "    files = [first, 'other.csv'] if two else [first]\n"
        "    code = run([*command.split(), *files])\n"
        "    heavy = [m for m in ('scipy.stats', 'sklearn', 'matplotlib.pyplot') if m in sys.modules]\n"
        "    assert (code, heavy) == (2, []), (command, code, heavy)\n"
    )
    options = {"capture_output": True, "text": True, "cwd": tmp_path}
    done = subprocess.run([sys.executable, "-c", code], check=False, **options)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("there is no such file; check its path") == len(commands)


@pytest.mark.parametrize("directed", [False, True])
def test_embed_is_aligned_to_an_earlier_model(tmp_path, monkeypatch, capsys, directed):
    monkeypatch.chdir(tmp_path)
    kind = ["--directed"] if directed else ["--undirected"]
    graph = lp.stochastic_block_model([40, 40], [[0.5, 0.1], [0.1, 0.4]], directed=directed, random_state=0)
    edges = list(graph.to_networkx().edges)
    for name, part in (("monday.csv", edges[20:]), ("tuesday.csv", [*edges[:-20], (3, 999)])):
        Path(name).write_text("source,target\n" + "".join(f"n{u},n{v}\n" for u, v in part))
    assert run(["embed", "monday.csv", *kind, "-d", "2", "--save", "monday.lpg", "-o", "monday.json"]) == 0
    capsys.readouterr()
    aligned = ["embed", "tuesday.csv", *kind, "--align-to", "monday.lpg", "--save", "tuesday.lpg"]
    assert run([*aligned, "-o", "tuesday.csv.tsv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["dimension"], facts["aligned_vertices"], facts["new_vertices"]) == (2, 80, 1)
    model = lp.load("tuesday.lpg")
    network = lp.read_graph("tuesday.csv", directed=directed)
    wanted = lp.AdjacencySpectralEmbedding(align_to="monday.lpg").fit(network)
    np.testing.assert_array_equal(model.embedding_, wanted.embedding_)
    assert facts["cosines"] == pytest.approx(wanted.alignment_.cosines)
    assert list(facts["moved_most"]) == wanted.moved()["name"].tolist()
    said = []
    monkeypatch.setattr("lpgraph.cli._outputs.say", said.append)  # shown on a terminal only
    assert run([*aligned, "-o", "out.csv"]) == 0
    assert f"moved most        {wanted.moved()['name'][0]}: " in said[0]
    assert run([*aligned, "-o", "out.csv", "--moved", "moved.parquet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["moved"] == "moved.parquet"
    pandas.testing.assert_frame_equal(pandas.read_parquet("moved.parquet"), wanted.moved(None))
    for options, message in (
        ("--align-to monday.lpg --moved -", "--moved=- has no suffix of a table"),
        ("--moved moved.csv", "--moved=moved.csv but there is no earlier model; pass --align-to"),
        ("--align-to monday.lpg --moved out.csv", "out.csv is named for two outputs"),
    ):
        assert run(["embed", "tuesday.csv", "-o", "out.csv", *options.split()]) == 2
        assert message in capsys.readouterr().err
    assert run([*aligned, "-d", "3", "-o", "out.csv"]) == 2
    assert "--dimension=3, but --align-to has 2 dimensions" in capsys.readouterr().err
    assert run(["embed", "tuesday.csv", "--align-to", "monday.csv", "-o", "out.csv"]) == 2
    assert "does not end in .lpg" in capsys.readouterr().err
    assert run(["embed", "tuesday.csv", "--align-to", "monday.lpg", "--save", "monday.lpg", "-o", "out.csv"]) == 2
    assert "would be replaced" in capsys.readouterr().err


@pytest.mark.parametrize(("common", "told"), [(19, True), (20, False)])
def test_alignment_by_few_common_vertices_is_told(tmp_path, monkeypatch, capsys, common, told):
    monkeypatch.chdir(tmp_path)
    edges = list(nx.gnp_random_graph(40, 0.5, seed=0).edges)
    Path("monday.csv").write_text("".join(f"n{u},n{v}\n" for u, v in edges))
    Path("tuesday.csv").write_text("".join(f"n{u + 40 - common},n{v + 40 - common}\n" for u, v in edges))
    assert run(["embed", "monday.csv", "-d", "1", "--save", "monday.lpg", "-o", "out.csv"]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(["embed", "tuesday.csv", "--align-to", "monday.lpg", "-o", "out.csv"]) == 0
    found = f"Only {common} of the 40 vertices of monday.lpg are in the graph" in capsys.readouterr().err
    assert found is told


def test_new_vertices_have_the_colours_of_their_predictions(here, capsys, monkeypatch):
    drawn = {}
    real = lp.plot.positions
    monkeypatch.setattr(lp.plot, "positions", lambda *given, **named: drawn.update(named) or real(*given, **named))
    assert run(["classify", "graph.csv", "labels.csv", "new.csv", "-o", "predictions.csv"]) == 0
    picture = ["plot", "embedding", "graph.csv", "--labels", "labels.csv", "-o", "picture.png"]
    assert run([*picture, "--new", "new.csv", "--new-labels", "predictions.csv"]) == 0
    assert drawn["out_labels"].tolist() == list(lp.read_labels("predictions.csv").values())
    assert len(drawn["out_of_sample"]) == 12
    capsys.readouterr()
    assert run([*picture, "--new-labels", "predictions.csv"]) == 2
    assert "--new-labels=predictions.csv but there are no new vertices; pass --new NEW" in capsys.readouterr().err


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_a_drawn_graph_is_a_plain_table_that_says_what_it_lacks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sparse_blocks = ["--sizes", "60,40", "--probabilities", "0.02,0.004;0.004,0.02", "--directed"]
    drawn = ["--new", "60", "--new-output", "new.csv", "--labels", "labels.csv"]
    assert run(["sample", "sbm", *sparse_blocks, *drawn, "-o", "graph.csv"]) == 0
    first, second = capsys.readouterr().err.splitlines()
    assert run(["sample", "sbm", *sparse_blocks, "-o", "graph.npz"]) == 0
    frame, whole = pandas.read_csv("graph.csv"), lp.read_graph("graph.npz")
    assert list(frame.columns) == ["source", "target"]
    assert list(zip(frame["source"], frame["target"], strict=True)) == [
        *zip(*(ends.tolist() for ends in whole.edge_list()[:2]), strict=True)
    ]
    alone = 100 - len({*frame["source"], *frame["target"]})
    assert alone > 0
    new = pandas.read_csv("new.csv")
    names = {str(name) for name in (*new["source"], *new["target"])}
    lacking = 60 - sum(name.startswith("new") for name in names)
    assert lacking > 0
    assert first == (
        f"lpgraph: warning: A csv table lists edges only: {alone} of 100 vertices have no edge and are left out, "
        "and the direction of edges is lost unless it is read as directed. Write npz, parquet or graphml to keep "
        "all."
    )
    assert f"{lacking} of {len(names) + lacking} vertices have no edge" in second
    assert len(pandas.read_csv("labels.csv")) == 100
    assert lp.read_graph("graph.csv", directed=True).n_edges == whole.n_edges == whole.matrix.nnz
