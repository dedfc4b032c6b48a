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
    content = (folder / "model.lpg").read_bytes()
    (folder / "cut.lpg").write_bytes(content[: len(content) // 2])
    (folder / "fake.lpg").write_text("source,target\n")
    files = {
        "empty.csv": "",
        "header.csv": "source,target\n",
        "ragged.csv": "a,b\nb,c,d\n",
        "text.csv": "a,b,heavy\n",
        "loops.csv": "a,a\nb,b\n",
        "one.csv": "source,target\na,b\n",
        "names.csv": "1,2\n2,3\n3,x\n",
        "broken.gml": "graph [ node [ id 0",
        "broken.graphml": "<graphml><graph>",
        "labels.csv": "vertex,label\n0,a\n33,b\n1,a\n32,b\n",
        "single.csv": "vertex,label\n0,a\n33,a\n1,a\n",
        "strangers.csv": "vertex,label\n0,a\n33,b\n99,a\n",
        "twice.csv": "vertex,label\n0,a\n0,b\n",
        "wide.csv": "vertex,age,height\n0,1,2\n",
        "new.csv": "new,0\nnew,1\n",
        "known.csv": "0,5\n",
        "far.csv": "p,q\n",
        "arcs.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 1\n",
        "points.csv": "x,y\n0,0\n1,1\n0,1\n",
        "someone.csv": "vertex,x,y\n0,1,2\n",
        "grid.csv": "x,y\n" + "".join(f"{i % 6},{i // 6}\n" for i in range(36)),
        "line.csv": "x\n" + "1\n" * 34,
        "deep.csv": "vertex,x,y,z\n" + "".join(f"{i},{i},0,1\n" for i in range(34)),
        "signed.csv": "0,1,-1\n1,2,1\n2,0,1\n",
        "inf.csv": "a,b,inf\n",
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
plot points points.csv --neighbors many => --n-neighbors
store build nowhere.csv g.store => nowhere.csv
store build header.csv g.store => edge
store info folder => no edge store
store verify folder => no edge store
embed nowhere.csv => nowhere.csv
embed folder => folder
embed empty.csv => empty.csv
embed header.csv => header.csv
embed ragged.csv => ragged.csv
embed text.csv => text.csv
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
embed karate.csv -d many => n_components
embed karate.csv -o table.xlsx => table.xlsx
embed karate.csv --save model.pkl => save
embed karate.csv --method fourier => method
embed karate.csv --regularizer 2 => or laplacian => --method laplacian
embed karate.csv --method laplacian --unobserved karate.csv => unobserved
embed karate.csv --unobserved karate.csv -d elbow => n_components
embed karate.csv --method out-of-sample => method
embed arcs.mtx --method random-walk => directed
embed karate.csv --method laplacian --regularizer much => regularizer
embed karate.csv -o karate.csv => karate.csv
embed karate.csv -o folder/ => folder/
embed karate.csv -o karate.csv/ => karate.csv/
drift model.lpg known.csv => known.csv
drift model.lpg new.csv --alpha 0 => alpha
drift model.lpg new.csv --alpha 0.001 => alpha
drift model.lpg new.csv --held-out 1 => held_out
drift model.lpg new.csv --measures size => measures
drift points.lpg new.csv => points.lpg
drift directed.lpg new.csv --direction up => --direction
extend model.lpg new.csv -o new.csv => new.csv
classify karate.csv labels.csv -o labels.csv => labels.csv
sample like karate.csv --model rdgp => --model
sample like karate.csv --model rdpg -k 3 => n_blocks
sample rdpg points.csv -o points.csv => points.csv
sample erdos-renyi 100000000 0.5 => edges
plot shepard points.csv --method mds --held-out deep.csv => new
sample mixed-membership 9000000 --alpha 1,1 --probabilities 1,1;1,1 => edges
embed pipes.csv => pipes.csv
info pajek.txt => pajek.txt
info titles.csv --source who => target
info titles.csv --source who --target me => target
info titles.csv --source who --target who => source
info titles.csv --source who --target whom --no-header => source
info titles.csv --source who --target whom => weight='when' => --weight when
info titles.csv --no-header => titles.csv
info wider.csv => source= and target= => --source who --target whom --weight when
info karate.csv --no-header => karate.csv
info karate.txt --header => header
info broken.gml --header => header
info arcs.mtx --source a --target b => source
info fake.npz => fake.npz
extend karate.csv new.csv => karate.csv
extend nowhere.lpg new.csv => nowhere.lpg
extend fake.lpg new.csv => fake.lpg
extend points.lpg new.csv => points.lpg
extend model.lpg known.csv => known.csv
extend model.lpg far.csv => No name in new
extend model.lpg new.csv --rule guess => --rule
extend model.lpg new.csv --direction in => direction="out" => --direction out
classify karate.csv strangers.csv --unknown error => 'warn' => --unknown warn
report karate.csv --labels strangers.csv --unknown error => unknown='warn'
classify karate.csv strangers.csv --unknown maybe => --unknown
classify karate.csv far.csv --unknown ignore => far.csv
classify karate.csv single.csv => y
classify karate.csv twice.csv => twice.csv
classify karate.csv wide.csv => wide.csv
classify karate.csv labels.csv --classifier oracle => --classifier
classify model.lpg new.csv => model.lpg
cluster karate.csv -k 5-2 => n_clusters
cluster karate.csv -k 99 => n_clusters <= 34 => -k 34 --by gaussian -d 2
cluster karate.csv new.csv => NEW
dimension karate.csv --folds 3 => --cross-validation => --cross-validation --max 2
dimension karate.csv --cross-validation --max 99 => max_dimension <= 17 => --max 17
dimension one.csv --cross-validation => folds
sample erdos-renyi 10 1.5 => p
sample sbm --sizes 5,x --probabilities 0.5 => sizes
sample sbm --sizes 5,5 --probabilities 0.5,0.1 => B
sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.1,0.5 --new 3 => new
sample rdpg holes.csv => holes.csv
sample rdpg big.csv => a smaller sparsity => --sparsity 0.1
plot scree karate.csv -o scree.doc => scree.doc
plot embedding karate.csv --axes 1,99 => axes
plot embedding karate.csv --scale log => --scale
plot embedding karate.csv -k 2 --labels labels.csv => labels
plot points points.csv -k 9 => n_neighbors <= 2 => -k 2
plot truth karate.csv points.csv => points.csv
plot truth karate.csv someone.csv => someone.csv
plot truth karate.csv line.csv => axes
plot truth model.lpg deep.csv => model.lpg
plot truth karate.csv line.csv --sparsity 2 => --sparsity
plot truth karate.csv deep.csv --column club => column
plot loss points.csv --method tsne => method
plot loss points.csv --method mds -k 3 => n_neighbors
plot loss points.csv --method isomap --kernel rbf => kernel
embed karate.csv --landmarks many => landmarks
embed karate.csv -d 9 --landmarks 5 => landmarks
embed karate.csv --landmarks 20 --landmark-rule top => --landmark-rule
embed karate.csv --landmark-passes 2 => landmark_rule
embed karate.csv --method modularity --landmarks 9 => landmarks
plot loss points.csv --method lle --landmarks 9 => landmarks
plot loss points.csv --method mds --landmarks 2 => landmarks
plot loss grid.csv --method lle => c
plot loss grid.csv --method ltsa => TangentRows
plot loss points.csv --method kernel-pca --kernel sigmoidal => --kernel
plot loss points.csv --method mds --max 9 => n_components
plot loss points.csv --method mds --held-out deep.csv => X
plot quality points.csv --method mds --held-out deep.csv => new
plot quality islands.csv -k 2 --components error => components='bridge' => --components bridge
plot quality points.csv --method mds -d 1 --seed=-1 => random_state
plot loss holes.csv => holes.csv
plot stability points.csv --method mds --fractions half => fractions
plot stability points.csv --method mds --fractions 0.9 => fractions
plot stability points.csv --method mds --repeats 0 => repeats
plot stability points.csv --method mds => fractions
report karate.csv --column club => column
report karate.csv -o report.pdf => output
demo --picture picture.txt => picture.txt
info arcs.mtx --undirected => directed=True => --directed
embed signed.csv --method laplacian => negative weights
embed inf.csv => inf.csv
classify model.lpg new.csv --method adjacency => model.lpg
classify model.lpg new.csv --largest-component => model.lpg
cluster model.lpg new.csv => model.lpg
classify karate.csv labels.csv --features none => features
classify karate.csv labels.csv --features degree => 'degrees'
embed karate.csv --method Laplace => 'laplacian'
classify karate.csv labels.csv --features unit_rows,positions => features
cluster karate.csv --by colour => --by
dimension karate.csv --cross-validation --folds 1 => folds
convert repeated.csv out.csv --multi-edges error => ='collapse' => --multi-edges collapse
sample erdos-renyi 0 0.5 => n
sample erdos-renyi 10 0.5 --seed -1 => random_state
sample erdos-renyi 10 0.5 -o graph.xyz => path
sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.2,0.5 => directed=True => --directed
sample sbm --sizes 5,5,5 --probabilities 0.5,0.1;0.1,0.5 => sizes
sample sbm --sizes 5,5 --probabilities -1,0.1;0.1,0.5 => B
sample mixed-membership 10 --alpha 0,1 --probabilities 0.5,0.1;0.1,0.5 => alpha
sample rdpg points.csv --sparsity 0 => sparsity
sample gaussian points.csv --sigma 0 => sigma
plot adjacency karate.csv --bins 0 => bins
plot loss points.csv --method isomap -d 9 => n_components
plot loss islands.csv --method isomap -k 2 --components error => n_neighbors=20 => -k 20
plot loss points.csv --method isomap --components maybe => --components
plot stability grid.csv --method isomap --jobs 0 => n_jobs
plot stability grid.csv --method isomap --held-out 0 => n_held_out
extend directed.lpg new.csv --rule batch => rule="least_squares" => --rule least_squares
extend laplacian.lpg new.csv --rule batch => embedding
embed wide.txt => wide.txt
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


def test_every_command_has_wrong_input():
    import typer.main

    from lpgraph.cli import app

    for name, command in typer.main.get_command(app).commands.items():
        for inner in getattr(command, "commands", [""]):
            assert any(f"{line} ".startswith(f"{name} {inner}") for line, *_ in CASES), (name, inner)


def test_a_terminal_is_no_file(monkeypatch, call):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert "pipe a file into it" in call("info -", 2).err


@pytest.mark.parametrize("line", ["cluster loops.csv", "report loops.csv -o page.html", "sample like loops.csv"])
def test_loops_alone(folder, monkeypatch, call, line):
    monkeypatch.chdir(folder)
    assert "No two of the 2 vertices are joined" in call(line, 2).err
