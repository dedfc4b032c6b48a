"""Wrong input at the command line: one line on standard error, exit code 2, no traceback, and no file."""

import io
import sys
import warnings

import networkx as nx
import pytest

import lpgraph as lp


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrong")
    graph = nx.karate_club_graph()
    lp.write_graph(graph, folder / "karate.csv")
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(graph), folder / "model.lpg")
    arcs = nx.gnp_random_graph(40, 0.2, seed=0, directed=True)
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(arcs), folder / "directed.lpg")
    lp.save(lp.manifold.ClassicalMDS(2).fit([[0.0, 0], [1, 0], [0, 2]]), folder / "points.lpg")
    files = {
        "fake.lpg": "source,target\n",
        "loops.csv": "a,a\nb,b\n",
        "broken.gml": "graph [ node [ id 0",
        "labels.csv": "vertex,label\n0,a\n33,b\n1,a\n32,b\n",
        "strangers.csv": "vertex,label\n0,a\n33,b\n99,a\n",
        "new.csv": "new,0\nnew,1\n",
        "known.csv": "0,5\n",
        "arcs.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 1\n",
        "points.csv": "x,y\n0,0\n1,1\n0,1\n",
        "weighted.csv": "a,b,2\nb,c,3\nc,d,1\n",
        "holes.csv": "x,y\n0,0\n1,\n",
        "big.csv": "x,y\n2,2\n1,1\n",
        "pipes.csv": "a|b\nb|c\n",
        "titles.csv": "who,whom,when\na,b,1\nb,c,2\n",
        "wider.csv": "id,who,whom,when\n0,a,b,1\n1,b,c,2\n",
        "latin.csv": "\x81,b\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="latin-1")
    (folder / "folder").mkdir()
    return folder


# Each: the command line; the argument, the file or the remedy that its message names; and options that remedy it.
WRONG = """
embed => GRAPH
emebd karate.csv => emebd
embed karate.csv --colour red => --colour
store build karate.csv => EDGES
store build karate.csv g --memory 1MB => memory
store build karate.csv karate.csv => karate.csv
embed karate.csv --method covariate-assisted --covariates points.csv -o points.csv => points.csv
classify karate.csv labels.csv --method covariate-assisted --covariates points.csv -o points.csv => points.csv
store info folder => no edge store
embed nowhere.csv => nowhere.csv
embed folder => folder
embed latin.csv => latin.csv
info broken.gml => broken.gml
info karate.csv --format excel => --format
convert karate.csv karate.xyz => format= => --to npz
convert karate.csv nowhere/karate.npz => output
embed karate.csv -d 0 => n_components >= 1 => -d 1
embed karate.csv -o table.xlsx => table.xlsx
embed karate.csv --save model.pkl => save
embed karate.csv --regularizer 2 => regularizer => --method laplacian
embed karate.csv --method laplacian --unobserved karate.csv => embedding
embed karate.csv -o karate.csv => karate.csv
embed pipes.csv => pipes.csv
info titles.csv --source who --target whom --no-header => source
info titles.csv --source who --target whom => 'when' => --weight when
info wider.csv => source= and target= => --source who --target whom --weight when
extend fake.lpg new.csv => fake.lpg
extend points.lpg new.csv => points.lpg
extend model.lpg known.csv => known.csv
extend model.lpg new.csv --direction in => direction="out" => --direction out
classify karate.csv strangers.csv --unknown error => 'warn' => --unknown warn
classify model.lpg new.csv => model.lpg
cluster karate.csv -k 5-2 => n_clusters
cluster karate.csv new.csv => NEW
sample sbm --sizes 5,x --probabilities 0.5 => sizes
sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.1,0.5 --new 3 => new
sample rdpg holes.csv => holes.csv
sample rdpg big.csv => a smaller sparsity => --sparsity 0.1
plot embedding karate.csv --axes 1,99 => dimensions
plot embedding karate.csv -k 2 --labels labels.csv => labels
report karate.csv -o report.pdf => output
demo --picture picture.txt => picture.txt
info arcs.mtx --undirected => directed=True => --directed
classify model.lpg new.csv --method adjacency => model.lpg
embed karate.csv --method Laplace => 'laplacian'
sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.2,0.5 => directed=True => --directed
extend directed.lpg new.csv --rule batch => rule="least_squares" => --rule least_squares
cluster loops.csv => joined
"""
CASES = [line.split(" => ") for line in WRONG.strip().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_wrong_input(folder, monkeypatch, call, case):
    line, said, *remedy = case
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    found = call(line, 2)
    assert found.out == ""
    assert found.err.startswith("error: ")
    assert found.err.count("\n") == 1
    assert said in found.err
    assert sorted(folder.iterdir()) == before  # nothing was left behind
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for options in remedy:  # the last of an option counts
            call(f"{line} {options}")


def test_a_terminal_is_no_file(monkeypatch, call):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert "pipe a file into it" in call("info -", 2).err
