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
    lp.write_graph(graph, folder / "karate.txt")
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(graph), folder / "model.lpg")
    arcs = nx.gnp_random_graph(40, 0.2, seed=0, directed=True)
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(arcs), folder / "directed.lpg")
    lp.save(lp.LaplacianSpectralEmbedding(2).fit(graph), folder / "laplacian.lpg")
    lp.save(lp.manifold.ClassicalMDS(2).fit([[0.0, 0], [1, 0], [0, 2]]), folder / "points.lpg")
    (folder / "fake.lpg").write_text("source,target\n")
    files = {
        "empty.csv": "",
        "header.csv": "source,target\n",
        "loops.csv": "a,a\nb,b\n",
        "one.csv": "source,target\na,b\n",
        "broken.gml": "graph [ node [ id 0",
        "broken.graphml": "<graphml><graph>",
        "labels.csv": "vertex,label\n0,a\n33,b\n1,a\n32,b\n",
        "single.csv": "vertex,label\n0,a\n33,a\n1,a\n",
        "strangers.csv": "vertex,label\n0,a\n33,b\n99,a\n",
        "new.csv": "new,0\nnew,1\n",
        "known.csv": "0,5\n",
        "far.csv": "p,q\n",
        "arcs.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 1\n",
        "points.csv": "x,y\n0,0\n1,1\n0,1\n",
        "grid.csv": "x,y\n" + "".join(f"{i % 6},{i // 6}\n" for i in range(36)),
        "line.csv": "x\n" + "1\n" * 34,
        "deep.csv": "vertex,x,y,z\n" + "".join(f"{i},{i},0,1\n" for i in range(34)),
        "signed.csv": "0,1,-1\n1,2,1\n2,0,1\n",
        "repeated.csv": "a,b\na,b\nb,c\n",
        "wide.txt": " ".join("0" * 3000) + "\n",
        "islands.csv": "x,y\n" + "".join(f"{i % 5 + 100 * (i // 20)},{i // 5}\n" for i in range(40)),
        "holes.csv": "x,y\n0,0\n1,\n",
        "big.csv": "x,y\n2,2\n1,1\n",
        "missing.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "pipes.csv").write_text("a|b\nb|c\n")
    (folder / "pajek.txt").write_text("*vertices 2\n*edges\n1 2\n")
    (folder / "titles.csv").write_text("who,whom,when\na,b,1\nb,c,2\n")
    (folder / "wider.csv").write_text("id,who,whom,when\n0,a,b,1\n1,b,c,2\n")
    (folder / "fake.npz").write_bytes(b"PK")
    (folder / "latin.csv").write_bytes(b"\x81,b\n")
    (folder / "notgz.csv.gz").write_text("a,b\n")
    (folder / "folder").mkdir()
    return folder


# Each: the command line; the argument, the file or the remedy that its message names; and options that remedy it.
WRONG = """
embed => GRAPH
emebd karate.csv => emebd
embed karate.csv --colour red => --colour
store build nowhere.csv g.store => nowhere.csv
store build karate.csv => EDGES
store build karate.csv g --source source => target
store build karate.csv g --weight w => weight
store build karate.csv g --memory 1MB => memory
store build karate.csv karate.csv => karate.csv
extend model.lpg new.csv -o parts/ --direction in => --direction
extend model.lpg - -o parts/ => NEW
store build header.csv g.store => edge
store info folder => no edge store
store verify folder => no edge store
embed nowhere.csv => nowhere.csv
embed folder => folder
embed empty.csv => empty.csv
embed header.csv => header.csv
embed latin.csv => latin.csv
embed notgz.csv.gz => notgz.csv.gz
info broken.gml => broken.gml
info broken.graphml => broken.graphml
info missing.mtx => missing.mtx
info karate.csv --weight dollars => weight
info karate.csv --format excel => --format
convert karate.csv karate.xyz => format= => --to gml
convert karate.csv nowhere/karate.gml => output
convert loops.csv out.csv --loops error => loops='keep' => --loops keep
convert karate.csv out.csv --loops maybe => --loops
embed karate.csv -d 0 => n_components >= 1 => -d 1
embed karate.csv -d 99 => n_components
embed karate.csv -o table.xlsx => table.xlsx
embed karate.csv --save model.pkl => save
embed karate.csv --method fourier => method
embed karate.csv --regularizer 2 => or laplacian => --method laplacian
embed karate.csv --method laplacian --unobserved karate.csv => embedding
embed karate.csv --unobserved karate.csv -d elbow => n_components
embed arcs.mtx --method random-walk => directed
embed karate.csv -o karate.csv => karate.csv
embed karate.csv -o folder/ => folder
drift model.lpg known.csv => known.csv
drift model.lpg new.csv --alpha 0 => alpha
drift points.lpg new.csv => points.lpg
extend model.lpg new.csv -o new.csv => new.csv
classify karate.csv labels.csv -o labels.csv => labels.csv
sample like karate.csv --model rdgp => --model
sample like karate.csv --model rdpg -k 3 => n_blocks
sample rdpg points.csv -o points.csv => points.csv
sample erdos-renyi 100000000 0.5 => edges
sample gaussian points.csv --sigma 0 => sigma
plot adjacency karate.csv --bins 0 => bins
sample mixed-membership 9000000 --alpha 1,1 --probabilities 1,1;1,1 => edges
plot shepard points.csv --method mds --held-out deep.csv => new
embed pipes.csv => pipes.csv
info pajek.txt => pajek.txt
info titles.csv --source who => target
info titles.csv --source who --target whom --no-header => source
info titles.csv --source who --target whom => weight='when' => --weight when
info wider.csv => source= and target= => --source who --target whom --weight when
info karate.txt --header => weight
info fake.npz => fake.npz
extend karate.csv new.csv => karate.csv
extend nowhere.lpg new.csv => nowhere.lpg
extend fake.lpg new.csv => fake.lpg
extend points.lpg new.csv => points.lpg
extend model.lpg known.csv => known.csv
extend model.lpg far.csv => new
extend model.lpg new.csv --direction in => direction="out" => --direction out
classify karate.csv strangers.csv --unknown error => 'warn' => --unknown warn
classify karate.csv far.csv --unknown ignore => far.csv
classify karate.csv single.csv => y
classify karate.csv labels.csv --classifier oracle => --classifier
classify model.lpg new.csv => model.lpg
cluster karate.csv -k 5-2 => n_clusters
cluster karate.csv -k 99 => n_clusters <= 34 => -k 34 --by gaussian -d 2
cluster karate.csv new.csv => NEW
dimension karate.csv --folds 3 => --cross-validation => --cross-validation --max 2
dimension karate.csv --cross-validation --max 99 => max_dimension <= 17 => --max 17
dimension one.csv --cross-validation => folds
sample sbm --sizes 5,x --probabilities 0.5 => sizes
sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.1,0.5 --new 3 => new
sample rdpg holes.csv => holes.csv
sample rdpg big.csv => a smaller sparsity => --sparsity 0.1
plot embedding karate.csv --axes 1,99 => axes
plot embedding karate.csv -k 2 --labels labels.csv => labels
plot points points.csv -k 9 => n_neighbors <= 2 => -k 2
plot truth karate.csv points.csv => points.csv
plot truth karate.csv line.csv => axes
plot truth model.lpg deep.csv => model.lpg
plot truth karate.csv deep.csv --column club => column
plot loss points.csv --method tsne => method
plot loss points.csv --method isomap --kernel rbf => kernel
embed karate.csv --landmarks many => landmarks
embed karate.csv --landmark-passes 2 => landmark_rule
embed karate.csv --method modularity --landmarks 9 => embedding
plot loss grid.csv --method ltsa => TangentRows
plot loss points.csv --method mds --held-out deep.csv => X
plot quality islands.csv -k 2 --components error => components='bridge' => --components bridge
plot quality points.csv --method mds -d 1 --seed=-1 => random_state
plot loss holes.csv => holes.csv
plot stability points.csv --method mds --fractions half => fractions
report karate.csv --column club => column
report karate.csv -o report.pdf => output
demo --picture picture.txt => picture.txt
info arcs.mtx --undirected => directed=True => --directed
embed signed.csv --method laplacian => negative weights
classify model.lpg new.csv --method adjacency => model.lpg
classify model.lpg new.csv --largest-component => model.lpg
cluster model.lpg new.csv => model.lpg
classify karate.csv labels.csv --features degree => 'degrees'
embed karate.csv --method Laplace => 'laplacian'
convert repeated.csv out.csv --multi-edges error => 'collapse' => --multi-edges collapse
sample erdos-renyi 10 0.5 -o graph.xyz => path
sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.2,0.5 => directed=True => --directed
plot loss islands.csv --method isomap -k 2 --components error => n_neighbors=20 => -k 20
plot stability grid.csv --method isomap --jobs 0 => n_jobs
extend directed.lpg new.csv --rule batch => rule="least_squares" => --rule least_squares
extend laplacian.lpg new.csv --rule batch => rule
embed wide.txt => wide.txt
cluster loops.csv => joined
report loops.csv => joined
sample like loops.csv => joined
embed karate.csv --method laplacian --regularizer -1 => regularizer
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
