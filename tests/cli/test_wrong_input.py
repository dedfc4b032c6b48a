"""Wrong input at the command line: one line on standard error, exit code 2, a remedy, no traceback."""

import io
import re
import sys

import networkx as nx
import pytest

import lpgraph as lp
from lpgraph.cli.run import run


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


# Each: the command line, and what its one line must say: what is wrong, and the remedy.
WRONG = [
    ("embed", ["Missing argument", "see lpgraph embed --help"]),
    ("emebd karate.csv", ["No such command", "see lpgraph --help"]),
    ("embed karate.csv --colour red", ["No such option", "see lpgraph embed --help"]),
    (
        "plot points points.csv --neighbors many",
        ["--neighbors", "valid integer", "see lpgraph plot points --help"],
    ),
    ("store build nowhere.csv g.store", ["EDGES=nowhere.csv: there is no such file; check its path"]),
    ("store build header.csv g.store", ["There is no edge"]),
    ("store info folder", ["folder is no edge store"]),
    ("store verify folder", ["folder is no edge store"]),
    ("embed nowhere.csv", ["nowhere.csv", "no such file; check its path"]),
    ("embed folder", ["folder is a folder; name a file"]),
    ("embed folder --format csv", ["folder is a folder; name a file"]),
    ("embed empty.csv", ["empty.csv", "no edges"]),
    ("embed header.csv", ["header.csv", "no edges"]),
    ("embed ragged.csv", ["ragged.csv, line 2", "the number of columns is 3 here and 2 before"]),
    ("embed text.csv", ["line 1", "'heavy' is not a finite number; correct or drop"]),
    ("embed latin.csv", ["latin.csv, line 1", "neither UTF-8 nor Windows-1252 text; save it as UTF-8"]),
    ("embed notgz.csv.gz", ["not gzipped; rename it"]),
    ("info broken.gml", ["broken.gml"]),
    ("info broken.graphml", ["broken.graphml"]),
    ("info missing.mtx", ["missing.mtx"]),
    (
        "info karate.csv --weight dollars",
        ["--weight=dollars is no column", "pass --weight=weight if that has the weights, or --unweighted"],
    ),
    ("info karate.csv --format excel", ["--format=excel", "pass one of 'csv'"]),
    (
        "convert karate.csv karate.xyz",
        ["karate.xyz has no suffix", "name a file that ends in .csv", "or pass --to"],
    ),
    ("convert karate.csv nowhere/karate.gml", ["no folder nowhere; make it first"]),
    ("convert loops.csv out.csv --loops error", ["loops.csv", "pass --loops=keep or --loops=drop"]),
    ("convert karate.csv out.csv --loops maybe", ["--loops=maybe", "pass one of 'keep', 'drop', 'error'"]),
    ("embed karate.csv -d 0", ["--dimension=0", "pass --dimension >= 1"]),
    ("embed karate.csv -d 99", ["--dimension=99", "the matrix has rank 27", "pass --dimension <= 27"]),
    ("embed karate.csv -d many", ["--dimension=many", "eigenvalue_cv"]),
    ("embed karate.csv -o table.xlsx", ["table.xlsx", ".parquet"]),
    ("embed karate.csv --save model.pkl", ["model.pkl", ".lpg"]),
    (
        "embed karate.csv --method fourier",
        [
            "--method=fourier",
            "pass one of adjacency, covariate-assisted, laplacian, modularity, one-step, random-walk",
        ],
    ),
    ("embed karate.csv --regularizer 2", ["--regularizer=2", "--method covariate-assisted or laplacian"]),
    ("embed karate.csv --method modularity --regularizer 2", ["--regularizer=2 is not for --method modularity"]),
    (
        "embed karate.csv --method laplacian --unobserved karate.csv",
        ["--unobserved=karate.csv is not for --method laplacian", "pass --method adjacency"],
    ),
    ("embed karate.csv --unobserved karate.csv -d elbow", ["--dimension=elbow, but pairs are unobserved"]),
    ("embed karate.csv --method out-of-sample", ["--method=out-of-sample", "pass one of adjacency"]),
    (
        "embed arcs.mtx --method random-walk",
        ["--method=random-walk is for undirected graphs", "pass --undirected, or use --method=adjacency"],
    ),
    ("embed karate.csv --method laplacian --regularizer much", ["--regularizer=much", "pass a number"]),
    ("embed karate.csv -o karate.csv", ["karate.csv is read by this command", "name another file"]),
    ("embed karate.csv -o folder/", ["no suffix of a table"]),
    ("embed karate.csv -o karate.csv/", ["karate.csv/: this is a folder; name a file"]),
    ("drift model.lpg known.csv", ["known.csv: all its 2 vertices are in the model"]),
    (
        "drift model.lpg new.csv --alpha 0",
        ["--alpha=0 is too small for --draws=999", "pass --alpha=0.005 or more"],
    ),
    ("drift model.lpg new.csv --alpha 0.001", ["pass --draws=4999 or more"]),
    ("drift model.lpg new.csv --held-out 1", ["--held-out=1.0 holds out 34 of 34 vertices"]),
    ("drift model.lpg new.csv --measures size", ["--measures=size; pass degree, residual, closure"]),
    ("drift points.lpg new.csv", ["ClassicalMDS"]),
    ("drift directed.lpg new.csv --direction up", ["--direction=up", "'both'"]),
    ("extend model.lpg new.csv -o new.csv", ["new.csv is read by this command", "name another file"]),
    ("classify karate.csv labels.csv -o labels.csv", ["labels.csv is read by this command"]),
    ("classify karate.csv labels.csv labels.csv", ["labels.csv is given as the labels and as the new vertices"]),
    ("sample like karate.csv --model rdgp", ["--model=rdgp", "Did you mean rdpg?"]),
    ("sample like karate.csv --model rdpg -k 3", ["--blocks=3 is for --model=dcsbm", "leave it out for rdpg"]),
    ("sample rdpg points.csv -o points.csv", ["points.csv is read by this command"]),
    ("sample erdos-renyi 100000000 0.5", ["about 2.5e+15 edges, more than 1e+09", "pass fewer vertices"]),
    (
        "sample sbm --sizes 9000000,9000000 --probabilities 0.5,0.1;0.1,0.5",
        ["about 4.9e+13 edges", "lower probabilities"],
    ),
    ("sample mixed-membership 9000000 --alpha 1,1 --probabilities 1,1;1,1", ["about 4e+13 edges"]),
    ("embed pipes.csv", ["it has 1 column;", "separated by commas"]),
    (
        "info pajek.txt",
        ["pajek.txt, line 1", "pass --format=pajek"],
    ),
    ("info titles.csv --source who", ["--source is passed without --target"]),
    ("info titles.csv --source who --target me", ["--target=me is no column of titles.csv", "pass the title"]),
    ("info titles.csv --source who --target who", ["--source and --target are both 'who'"]),
    ("info titles.csv --source who --target whom --no-header", ["--source=who is a title but --no-header"]),
    (
        "info titles.csv --source who --target whom",
        ["No column of titles.csv is called weight: ['who',", "pass --weight=when", "or --unweighted"],
    ),
    ("info titles.csv --no-header", ["line 1", "the weight 'when' is not a finite number"]),
    ("info wider.csv", ["wider.csv", "pass --source and --target"]),
    ("info karate.csv --no-header", ["karate.csv, line 1: the weight 'weight' is not a finite number"]),
    (
        "info karate.txt --header",
        ["--header is passed but karate.txt has no header; leave it out"],
    ),
    ("info broken.gml --header", ["--header is for text tables"]),
    ("info arcs.mtx --source a --target b", ["--source is for edge lists"]),
    ("info fake.npz", ["fake.npz", "write it by lpgraph convert"]),
    ("extend karate.csv new.csv", ["does not end in .lpg", "lpgraph embed karate.csv --save"]),
    ("extend nowhere.lpg new.csv", ["nowhere.lpg", "no such file"]),
    ("extend fake.lpg new.csv", ["fake.lpg", "model file"]),
    ("extend cut.lpg new.csv", ["cut.lpg", "no whole and unchanged"]),
    ("extend points.lpg new.csv", ["ClassicalMDS", "lpgraph embed --save"]),
    ("extend model.lpg known.csv", ["known.csv", "pass edges of new vertices"]),
    ("extend model.lpg far.csv", ["No name in new is known", "the new like 'p'"]),
    ("extend model.lpg new.csv --rule guess", ["--rule=guess", "'likelihood'"]),
    ("extend model.lpg new.csv --direction in", ["--direction=in", "undirected", "pass --direction=out"]),
    ("classify karate.csv strangers.csv --unknown error", ["99", "add their edges, or pass --unknown=warn"]),
    ("report karate.csv --labels strangers.csv --unknown error", ["99", "or pass --unknown=warn"]),
    ("classify karate.csv strangers.csv --unknown maybe", ["--unknown=maybe", "pass warn, error or ignore"]),
    ("classify karate.csv far.csv --unknown ignore", ["far.csv", "is in the graph", "called like"]),
    ("classify karate.csv single.csv", ["single.csv has one class", "pass labels of at least two classes"]),
    ("classify karate.csv twice.csv", ["twice.csv, line 3", "label"]),
    ("classify karate.csv wide.csv", ["wide.csv", "pass --column to say"]),
    ("classify karate.csv labels.csv --classifier oracle", ["--classifier=oracle", "pass logistic, lda or knn"]),
    ("classify model.lpg new.csv", ["AdjacencySpectralEmbedding", "save one by lpgraph classify --save"]),
    ("cluster karate.csv -k 5-2", ["--clusters=5-2", "such as 2-8"]),
    ("cluster karate.csv -k 99", ["--clusters=99", "pass --clusters <= 34"]),
    ("cluster karate.csv new.csv", ["is no model", "--save clusters.lpg"]),
    ("dimension karate.csv --folds 3", ["--cross-validation", "pass that too"]),
    ("dimension karate.csv --cross-validation --max 99", ["--max=99", "pass --max <= 17"]),
    (
        "dimension one.csv --cross-validation",
        ["--folds=10 but only 1 edges", "pass a graph with two edges or more"],
    ),
    ("sample erdos-renyi 10 1.5", ["P=1.5", "pass a finite number in [0, 1]"]),
    ("sample sbm --sizes 5,x --probabilities 0.5", ["--sizes=5,x", "such as 60,40"]),
    ("sample sbm --sizes 5,5 --probabilities 0.5,0.1", ["--probabilities=0.5,0.1", "rows of a square matrix"]),
    ("sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.1,0.5 --new 3", ["--new-output", "pass both"]),
    ("sample rdpg holes.csv", ["holes.csv", "'' in row 2, column 'y'", "correct it"]),
    ("sample rdpg big.csv", ["is 4", "pass a smaller --sparsity"]),
    ("plot scree karate.csv -o scree.doc", ["scree.doc", ".png, .svg or .pdf"]),
    ("plot embedding karate.csv --axes 1,99", ["--axes=1,99", "pass -d 99"]),
    ("plot embedding karate.csv --scale log", ["--scale=log", "auto, none, unit or ranks"]),
    ("plot embedding karate.csv -k 2 --labels labels.csv", ["--labels and --clusters", "pass one of them"]),
    ("plot points points.csv -k 9", ["--neighbors=9", "only 3 points", "pass --neighbors <= 2"]),
    (
        "plot truth karate.csv points.csv",
        ["points.csv has 3 rows for 34 vertices", "call the first column vertex"],
    ),
    ("plot truth karate.csv someone.csv", ["no row for the vertex 1", "add it"]),
    ("plot truth karate.csv line.csv", ["--axes=1,2", "line.csv has 1 column", "pass two"]),
    ("plot truth model.lpg deep.csv", ["model.lpg has 2 dimensions", "deep.csv 3", "--dimension 3"]),
    ("plot truth points.lpg line.csv", ["ClassicalMDS", "lpgraph embed --save"]),
    ("plot truth karate.csv line.csv --sparsity 2", ["--sparsity=2.0", "pass a number in (0, 1]"]),
    ("plot truth karate.csv deep.csv --column club", ["--column=club", "--labels; pass that too"]),
    (
        "plot loss points.csv --method tsne",
        ["--method=tsne", "pass one of diffusion, eigenmaps, isomap, kernel-pca, lle, ltsa, mds"],
    ),
    ("plot loss points.csv --method clustering", ["--method=clustering", "pass one of diffusion"]),
    ("plot loss points.csv --method mds -k 3", ["--neighbors=3 is not for --method mds", "leave it out"]),
    ("plot loss points.csv --method isomap --kernel rbf", ["--kernel=rbf is not for --method isomap"]),
    ("embed karate.csv --landmarks many", ["--landmarks=many", "or a share such as 0.1"]),
    ("embed karate.csv -d 9 --landmarks 5", ["--landmarks=5", "--dimension=9", "pass at least 9 landmarks"]),
    ("embed karate.csv --landmarks 20 --landmark-rule top", ["--landmark-rule=top", "pass degree, uniform"]),
    ("embed karate.csv --landmark-passes 2", ["--landmark-passes=2", "pass --landmarks M"]),
    ("embed karate.csv --method modularity --landmarks 9", ["--landmarks=9 is not for --method modularity"]),
    ("plot loss points.csv --method lle --landmarks 9", ["--landmarks=9 is not for --method lle", "mds"]),
    ("plot loss points.csv --method mds --landmarks 2", ["--landmarks", "pass --landmarks >= 3"]),
    ("plot loss grid.csv --method lle", ["--method=lle", "pass another method"]),
    ("plot loss grid.csv --method ltsa", ["--method=ltsa", "pass another method"]),
    ("plot loss points.csv --method kernel-pca --kernel sigmoidal", ["--kernel=sigmoidal", "pass linear, rbf"]),
    ("plot loss points.csv --method mds --max 9", ["--max=9", "pass --max <= 2"]),
    ("plot loss points.csv --method mds --held-out deep.csv", ["deep.csv has 3 columns", "points.csv 2"]),
    ("plot quality points.csv --method mds --held-out deep.csv", ["deep.csv has 3 columns", "points.csv 2"]),
    ("plot shepard points.csv --method mds --held-out deep.csv", ["deep.csv has 3 columns", "points.csv 2"]),
    ("plot quality islands.csv -k 2 --components error", ["2 components", "--components"]),
    ("plot quality points.csv --method mds -d 1 --seed=-1", ["--seed=-1"]),
    ("plot loss holes.csv", ["holes.csv", "'' in row 2, column 'y'", "correct it"]),
    ("plot stability points.csv --method mds --fractions half", ["--fractions=half", "such as 0.02,0.1"]),
    ("plot stability points.csv --method mds --fractions 0.9", ["--fractions=0.9", "between 0 and 0.5"]),
    ("plot stability points.csv --method mds --repeats 0", ["--repeats=0", "pass --repeats >= 1"]),
    ("plot stability points.csv --method mds", ["fractions", "more points"]),
    ("report karate.csv --column club", ["--column=club", "--labels; pass that too"]),
    ("report karate.csv -o report.pdf", ["report.pdf", "ends in .html"]),
    ("demo --picture picture.txt", ["picture.txt", ".png"]),
    ("info arcs.mtx --undirected", ["--undirected but", "pass --directed."]),
    ("embed signed.csv --method laplacian", ["negative weights", "use --method=adjacency"]),
    ("embed inf.csv", ["inf.csv"]),
    ("extend model.lpg new.csv --format dot", ["--format=dot"]),
    ("classify model.lpg new.csv --method adjacency", ["model.lpg is fitted already", "classify MODEL NEW"]),
    ("classify model.lpg new.csv --largest-component", ["model.lpg is fitted already"]),
    ("cluster model.lpg new.csv", ["model.lpg holds a model of class", "lpgraph cluster --save"]),
    ("classify karate.csv labels.csv --features none", ["--features=none", "'unit_rows', 'positions'"]),
    ("classify karate.csv labels.csv --features degree", ["pass one of", "Did you mean 'degrees'?"]),
    ("classify karate.csv labels.csv --classifier logit", ["pass logistic, lda or knn. Did you mean logistic?"]),
    ("embed karate.csv --method Laplace", ["random-walk. Did you mean laplacian?"]),
    ("embed karate.csv -d elbo", ["--dimension=elbo; pass a number, eigenvalue_cv,", "Did you mean elbow?"]),
    (
        "classify karate.csv labels.csv --features unit_rows,positions",
        ["--features=unit_rows,positions", "only one"],
    ),
    ("cluster karate.csv --by colour", ["--by=colour", "'directions', 'gaussian'"]),
    ("dimension karate.csv --cross-validation --folds 1", ["--folds=1", "pass --folds >= 2"]),
    ("convert karate.csv karate.gml --to excel", ["--to=excel", "pass one of 'csv'"]),
    (
        "convert repeated.csv out.csv --multi-edges error",
        ["given 2 times", "pass --multi-edges=sum to add weights up, or --multi-edges=collapse"],
    ),
    ("sample erdos-renyi 0 0.5", ["N=0; pass N >= 1"]),
    ("sample erdos-renyi 10 0.5 --seed -1", ["--seed=-1; pass --seed >= 0"]),
    ("sample erdos-renyi 10 0.5 -o graph.xyz", ["graph.xyz has no suffix", ".npz, .parquet"]),
    (
        "sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.2,0.5",
        ["--probabilities is not symmetric", "pass --directed or a symmetric --probabilities"],
    ),
    (
        "sample sbm --sizes 5,5,5 --probabilities 0.5,0.1;0.1,0.5",
        ["--sizes has 3 blocks", "row of --probabilities"],
    ),
    (
        "sample sbm --sizes 5,5 --probabilities -1,0.1;0.1,0.5",
        ["--probabilities[0, 0] is -1", "pass entries >= 0"],
    ),
    ("sample mixed-membership 10 --alpha 0,1 --probabilities 0.5,0.1;0.1,0.5", ["--alpha=0.,1.", "all > 0"]),
    ("sample rdpg points.csv --sparsity 0", ["--sparsity=0.0", "pass a finite number in (0, 1]"]),
    ("sample gaussian points.csv --sigma 0", ["--sigma=0.0"]),
    ("plot adjacency karate.csv --bins 0", ["--bins=0; pass --bins >= 1"]),
    ("plot loss points.csv --method isomap -d 9", ["--dimension=9", "pass --dimension <= 2"]),
    (
        "plot loss islands.csv --method isomap -k 2 --components error",
        ["2 components", "pass --neighbors=20, or --components=bridge to join them"],
    ),
    (
        "plot loss points.csv --method isomap --components maybe",
        ["--components=maybe; pass error, largest or bridge"],
    ),
    ("plot stability grid.csv --method isomap --jobs 0", ["--jobs=0; pass --jobs >= 1, or --jobs=-1"]),
    ("plot stability grid.csv --method isomap --held-out 0", ["--held-out=0", "pass --held-out >= 1"]),
    ("extend model.lpg new.csv --direction up", ["--direction=up", "'out', 'in'"]),
    (
        "extend directed.lpg new.csv --rule batch",
        ["--rule=batch needs an undirected graph", "pass --rule=least_squares"],
    ),
    ("extend laplacian.lpg new.csv --rule batch", ["use --rule=least_squares"]),
    ("embed wide.txt", ["columns"]),
    ("report karate.csv --labels labels.csv --unknown maybe", ["--unknown=maybe; pass warn, error or ignore"]),
    (
        "embed karate.csv --method laplacian --regularizer -1",
        ["--regularizer=-1", "pass a finite number in [0, inf)"],
    ),
]


#: What only Python has: a parameter with a value, a name of the library or in snake case, a call, an attribute.
PYTHON = re.compile(
    r"(?<![\w.\-])[a-z_]\w*=|\blp\.|\blpgraph\.|\b[a-z]+(?:_[a-z]+)+\b|\w\((?!s\))|\w\.T\b|None|True|False"
)
#: Values of options.
VALUES = re.compile(
    "least_squares|eigenvalue_cv|sign_flips|residual_subsampling|(second|third)_elbow|unit_rows|neighbor_labels|has_known_neighbor|has_position|reaches_label"
)


def python_in(message):
    """Names of Python in a message, but for code that is said to be of Python."""
    message = re.sub(r"convert it in Python: .*", "", message)
    message = re.sub(r"(?<![\w=])'[^']*'", "''", message)  # names of vertices and columns
    return PYTHON.findall(VALUES.sub("", message))


@pytest.mark.parametrize(
    "message", ["pass weight=None", "use lp.save", "n_components", "call fit(graph)", "is None", "n_components=3"]
)
def test_python_is_recognised(message):
    assert python_in(message)


def test_every_command_has_wrong_input():
    import typer.main

    from lpgraph.cli import app

    def leaves(command, path):
        inner = getattr(command, "commands", None) or {}
        return [path] if not inner else [leaf for name in inner for leaf in leaves(inner[name], f"{path}{name} ")]

    for path in leaves(typer.main.get_command(app), ""):
        assert any(f"{line} ".startswith(path) for line, _ in WRONG), path


def test_there_are_at_least_thirty():
    assert len({line for line, _ in WRONG}) == len(WRONG) >= 30


@pytest.mark.parametrize(("line", "said"), WRONG, ids=[line for line, _ in WRONG])
def test_wrong_input(folder, monkeypatch, capsys, line, said):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    code = run(line.split(" "))
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.startswith("lpgraph: ")
    assert err.count("\n") == 1
    for words in said:
        assert words in err
    assert "Traceback" not in err
    assert not python_in(err)
    assert sorted(folder.iterdir()) == before  # nothing was left behind


def test_a_terminal_is_no_file(monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert run(["info", "-"]) == 2
    assert "pipe a file into it" in capsys.readouterr().err


@pytest.mark.filterwarnings("default::lpgraph.errors.LpgraphWarning")
def test_nothing_to_predict_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lp.write_graph(nx.karate_club_graph(), "karate.csv")
    (tmp_path / "labels.csv").write_text("vertex,label\n" + "".join(f"{i},{'ab'[i > 16]}\n" for i in range(34)))
    assert run(["classify", "karate.csv", "labels.csv", "-d", "2"]) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert "Every vertex of karate.csv has a label in labels.csv, so that there is nothing to predict." in err
    assert run(["classify", "karate.csv", "labels.csv", "-d", "2", "--save", "model.lpg"]) == 0
    assert "nothing to predict" not in capsys.readouterr().err


@pytest.mark.parametrize("line", ["cluster loops.csv", "report loops.csv -o page.html", "sample like loops.csv"])
def test_loops_alone(folder, monkeypatch, capsys, line):
    monkeypatch.chdir(folder)
    assert run(line.split()) == 2
    assert (
        "lpgraph: No two of the 2 vertices are joined: the graph has no edge, or only loops."
        in capsys.readouterr().err
    )
