"""A remedy that a message names works: it is applied, and the message is gone."""

import warnings

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.cli.run import run

KARATE = nx.karate_club_graph()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remedies")
    lp.write_graph(KARATE, folder / "karate.csv")
    two = nx.disjoint_union(KARATE, nx.cycle_graph(6))
    lp.write_graph(two, folder / "two.csv")
    arcs = nx.gnp_random_graph(40, 0.2, seed=0, directed=True)
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(KARATE), folder / "model.lpg")
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(arcs), folder / "directed.lpg")
    signed = nx.Graph()
    signed.add_weighted_edges_from((u, v, -1.0 if u == 0 else 1.0) for u, v in KARATE.edges)
    lp.write_graph(signed, folder / "signed.csv")
    lp.write_graph(arcs, folder / "arcs.gml")
    labels = "".join(f"{i},{KARATE.nodes[i]['club']}\n" for i in range(0, 34, 2))
    files = {
        "labels.csv": "vertex,label\n" + labels,
        "most.csv": "vertex,label\n0,a\n33,b\n" + "".join(f"{name},a\n" for name in range(90, 99)),
        "strangers.csv": "vertex,label\n" + labels + "99,Officer\n",
        "wide.csv": "vertex,age,side\n" + "".join(f"{i},{i},{'ab'[i % 2]}\n" for i in range(34)),
        "titles.csv": "who,whom,when\na,b,1\nb,c,2\nc,a,1\n",
        "wider.csv": "id,who,whom,when\n0,a,b,1\n1,b,c,2\n",
        "repeated.csv": "a,b\na,b\nb,c\n",
        "loops.csv": "a,a\na,b\nb,c\n",
        "new.csv": "new,0\nnew,1\n",
        "new_arcs.csv": "new,0\nnew,1\n3,new\n",
        "big.csv": "x,y\n2,2\n1,1\n",
        "points.csv": "x,y\n" + "".join(f"{i % 6},{i // 6 + 0.1 * i}\n" for i in range(36)),
        "islands.csv": "x,y\n" + "".join(f"{i % 5 + 90 * (i // 20)},{i // 5}\n" for i in range(40)),
        "arcs.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 1\n",
        "graph.dat": "a,b\nb,c\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


# Each: a command, the remedy that its message names, and the command with this remedy.
ADVISED = [
    ("embed karate.csv -d 0", "pass --dimension >= 1", "embed karate.csv -d 1"),
    (
        "embed karate.csv --regularizer 2",
        "pass --method covariate-assisted or laplacian",
        "embed karate.csv --regularizer 2 --method laplacian",
    ),
    (
        "embed arcs.gml --method random-walk",
        "pass --undirected",
        "embed arcs.gml --method random-walk --undirected",
    ),
    ("embed arcs.gml --method modularity", "use --method=adjacency", "embed arcs.gml --method=adjacency"),
    ("embed signed.csv --method laplacian", "use --method=adjacency", "embed signed.csv --method=adjacency"),
    ("info arcs.mtx --undirected", "pass --directed", "info arcs.mtx --directed"),
    ("info graph.dat", "pass --format", "info graph.dat --format csv"),
    (
        "info titles.csv --source who --target whom",
        "pass --weight=when",
        "info titles.csv --source who --target whom --weight=when",
    ),
    (
        "info titles.csv --source who --target whom",
        "or --unweighted",
        "info titles.csv --source who --target whom --unweighted",
    ),
    ("info wider.csv", "pass --source and --target", "info wider.csv --source who --target whom --weight when"),
    ("convert karate.csv karate.xyz", "pass --to", "convert karate.csv karate.xyz --to gml"),
    (
        "convert repeated.csv out.csv --multi-edges error",
        "--multi-edges=collapse",
        "convert repeated.csv out.csv --multi-edges=collapse",
    ),
    ("convert loops.csv out.csv --loops error", "pass --loops=keep", "convert loops.csv out.csv --loops=keep"),
    (
        "classify karate.csv strangers.csv --unknown error",
        "pass --unknown=warn",
        "classify karate.csv strangers.csv --unknown=warn",
    ),
    (
        "report karate.csv --labels most.csv",
        "pass --unknown=ignore",
        "report karate.csv --labels most.csv --unknown=ignore",
    ),
    ("classify karate.csv wide.csv", "pass --column", "classify karate.csv wide.csv --column side"),
    ("cluster karate.csv -k 99", "pass --clusters <= 34", "cluster karate.csv -k 34 --by gaussian -d 2"),
    (
        "dimension karate.csv --cross-validation --max 99",
        "pass --max <= 17",
        "dimension karate.csv --cross-validation --max 17",
    ),
    (
        "dimension karate.csv --cross-validation --folds 99",
        "pass --folds <= 78",
        "dimension karate.csv --cross-validation --folds 78 --max 2",
    ),
    (
        "dimension karate.csv --folds 3",
        "--cross-validation; pass that too",
        "dimension karate.csv --folds 3 --cross-validation",
    ),
    (
        "extend model.lpg new.csv --direction in",
        "pass --direction=out",
        "extend model.lpg new.csv --direction=out",
    ),
    (
        "extend directed.lpg new_arcs.csv --rule batch",
        "pass --rule=least_squares",
        "extend directed.lpg new_arcs.csv --rule=least_squares",
    ),
    (
        "sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.2,0.5",
        "pass --directed",
        "sample sbm --sizes 5,5 --probabilities 0.5,0.1;0.2,0.5 --directed",
    ),
    ("sample rdpg big.csv", "pass a smaller --sparsity", "sample rdpg big.csv --sparsity 0.1"),
    ("plot embedding karate.csv --axes 1,20", "pass -d 20", "plot embedding karate.csv --axes 1,20 -d 20"),
    ("plot embedding karate.csv -d 1", "pass --dimension 2 or more", "plot embedding karate.csv --dimension 2"),
    ("plot points points.csv -k 99", "pass --neighbors <= 35", "plot points points.csv -k 35"),
    (
        "plot loss islands.csv -k 2 --components error",
        "--components=largest",
        "plot loss islands.csv -k 2 --components=largest",
    ),
    (
        "plot loss islands.csv -k 2 --components error",
        "--components=bridge",
        "plot loss islands.csv -k 2 --components=bridge",
    ),
    (
        "plot loss islands.csv -k 2 --components error",
        "pass --neighbors=20, or",
        "plot loss islands.csv -k 20 --components error",
    ),
    (
        "plot loss points.csv --method mds --max 99",
        "pass --max <= 35",
        "plot loss points.csv --method mds --max 2",
    ),
    (
        "plot stability points.csv --method mds --jobs 0 --held-out 1 --fractions 0.1",
        "--jobs=-1",
        "plot stability points.csv --method mds --jobs=-1 --held-out 1 --fractions 0.1",
    ),
]
#: The same of warnings.
WARNED = [
    ("embed two.csv", "pass --largest-component", "embed two.csv --largest-component"),
    (
        "embed two.csv --method laplacian --regularizer 0",
        "pass --largest-component",
        "embed two.csv --method laplacian --regularizer 0 --largest-component",
    ),
    (
        "embed two.csv --method modularity",
        "pass --largest-component",
        "embed two.csv --method modularity --largest-component",
    ),
    ("dimension two.csv", "pass --largest-component", "dimension two.csv --largest-component"),
    ("plot scree two.csv", "pass --largest-component", "plot scree two.csv --largest-component"),
    ("plot embedding two.csv", "pass --largest-component", "plot embedding two.csv --largest-component"),
    (
        "classify two.csv labels.csv --method adjacency",
        "pass --largest-component",
        "classify two.csv labels.csv --method adjacency --largest-component",
    ),
    (
        "cluster two.csv --method adjacency -d 2",
        "pass --largest-component",
        "cluster two.csv --method adjacency -d 2 --largest-component",
    ),
    (
        "report two.csv --method adjacency -d 2",
        "pass --largest-component",
        "report two.csv --method adjacency -d 2 --largest-component",
    ),
]


@pytest.mark.parametrize(("line", "remedy", "better"), ADVISED)
def test_a_remedy_of_the_command_line_works(folder, monkeypatch, capsys, line, remedy, better):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")  # --jobs=-1 starts no processes
    assert run(line.split(" ")) == 2
    assert remedy in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(better.split(" ")) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
@pytest.mark.parametrize(("line", "remedy", "better"), WARNED)
def test_a_remedy_of_a_warning_works(folder, monkeypatch, capsys, line, remedy, better):
    monkeypatch.chdir(folder)
    assert run(line.split(" ")) == 0
    assert remedy in capsys.readouterr().err
    assert run(better.split(" ")) == 0
    assert remedy not in capsys.readouterr().err


def test_the_first_dimensions_are_kept_from_small_components(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(warnings, "filters", [("always", None, Warning, None, 0)])
    assert (
        run(["embed", "two.csv", "--method", "laplacian", "--regularizer", "0", "-d", "2", "-o", "plain.csv"]) == 0
    )
    assert "pass --regularizer=mean to keep small ones from the first dimensions" in capsys.readouterr().err
    assert (
        run(["embed", "two.csv", "--method", "laplacian", "--regularizer=mean", "-d", "2", "-o", "mean.csv"]) == 0
    )
    cycle = {}
    for name in ("plain.csv", "mean.csv"):
        rows = (folder / name).read_text().splitlines()[1:]
        cycle[name] = np.array([[float(cell) for cell in row.split(",")[1:]] for row in rows[34:]])
    # The second dimension is the one of the small component alone, or describes the large one.
    assert (np.abs(cycle["plain.csv"][:, 1]) > 0.1).all()
    assert (np.abs(cycle["mean.csv"]) < 1e-9).all()


TWO = nx.disjoint_union(KARATE, nx.cycle_graph(6))
ARCS = nx.gnp_random_graph(40, 0.2, seed=0, directed=True)
SIGNED = -np.ones((4, 4))
GRID = np.array([[i % 6, i // 6 + 0.1 * i] for i in range(36)], dtype=float)
ISLANDS = np.array([[i % 5 + 90 * (i // 20), i // 5] for i in range(40)], dtype=float)
FITTED = lp.AdjacencySpectralEmbedding(2).fit(KARATE)
CLUBS = nx.get_node_attributes(KARATE, "club")

# Each: a call, the remedy that its message names, and the call with this remedy.
IN_PYTHON = [
    (
        lambda: lp.AdjacencySpectralEmbedding(0).fit(KARATE),
        "n_components >= 1",
        lambda: lp.AdjacencySpectralEmbedding(1).fit(KARATE),
    ),
    (
        lambda: lp.AdjacencySpectralEmbedding(2).fit(TWO),
        "pass lpgraph.largest_component(graph)",
        lambda: lp.AdjacencySpectralEmbedding(2).fit(lp.largest_component(TWO)),
    ),
    (
        lambda: lp.RandomWalkEmbedding(2).fit(ARCS),
        "pass as_adjacency(graph, directed=False)",
        lambda: lp.RandomWalkEmbedding(2).fit(lp.as_adjacency(ARCS, directed=False)),
    ),
    (
        lambda: lp.RandomWalkEmbedding(2).fit(ARCS),
        "use AdjacencySpectralEmbedding",
        lambda: lp.AdjacencySpectralEmbedding(2).fit(ARCS),
    ),
    (
        lambda: lp.LaplacianSpectralEmbedding(1).fit(SIGNED),
        "pass abs(A)",
        lambda: lp.LaplacianSpectralEmbedding(1).fit(abs(SIGNED)),
    ),
    (
        lambda: lp.as_adjacency(np.triu(np.ones((3, 3))), directed=False),
        "pass (graph + graph.T) / 2",
        lambda: lp.as_adjacency((np.triu(np.ones((3, 3))) + np.triu(np.ones((3, 3))).T) / 2, directed=False),
    ),
    (
        lambda: lp.as_adjacency([("a", "b"), ("b", "c")]),
        "pass lpgraph.from_edges(*zip(*edges))",
        lambda: lp.from_edges(*zip(*[("a", "b"), ("b", "c")], strict=True)),
    ),
    (
        lambda: lp.VertexClassifier().fit(KARATE, {**CLUBS, **dict.fromkeys(range(50, 99), "x")}),
        "pass VertexClassifier(unknown='ignore')",
        lambda: lp.VertexClassifier(unknown="ignore").fit(KARATE, {**CLUBS, **dict.fromkeys(range(50, 99), "x")}),
    ),
    (
        lambda: lp.VertexClustering(n_clusters=99).fit(KARATE),
        "n_clusters <= 34",
        lambda: lp.VertexClustering(lp.AdjacencySpectralEmbedding(2), 34, method="gaussian").fit(KARATE),
    ),
    (
        lambda: lp.VertexClustering(covariance="full").fit(KARATE),
        'pass method="gaussian"',
        lambda: lp.VertexClustering(covariance="full", method="gaussian").fit(KARATE),
    ),
    (
        lambda: FITTED.transform({"x": [0]}, direction="in"),
        'pass direction="out"',
        lambda: FITTED.transform({"x": [0]}, direction="out"),
    ),
    (lambda: FITTED.transform({"x": [99]}), "leave them out", lambda: FITTED.transform({"x": []})),
    (
        lambda: lp.OutOfSample(FITTED, rule="batch").transform(np.ones((1, 34))),
        'rule="least_squares"',
        lambda: lp.OutOfSample(FITTED, rule="least_squares").transform(np.ones((1, 34))),
    ),
    (
        lambda: lp.manifold.Isomap(2, n_neighbors=2).fit(ISLANDS),
        "components='largest'",
        lambda: lp.manifold.Isomap(2, n_neighbors=2, components="largest").fit(ISLANDS),
    ),
    (
        lambda: lp.manifold.Isomap(2, n_neighbors=2).fit(ISLANDS),
        "components='bridge'",
        lambda: lp.manifold.Isomap(2, n_neighbors=2, components="bridge").fit(ISLANDS),
    ),
    (
        lambda: lp.manifold.Isomap(2, n_neighbors=99).fit(GRID),
        "n_neighbors <= 35",
        lambda: lp.manifold.Isomap(2, n_neighbors=35).fit(GRID),
    ),
    (
        lambda: lp.manifold.Isomap(2, n_neighbors=5, radius=1.0).fit(GRID),
        "pass None for one of them",
        lambda: lp.manifold.Isomap(2, n_neighbors=None, radius=9.0).fit(GRID),
    ),
    (
        lambda: lp.manifold.ClassicalMDS(36).fit(GRID),
        "n_components <= 35",
        lambda: lp.manifold.ClassicalMDS(2).fit(GRID),
    ),
    (
        lambda: lp.stochastic_block_model([5, 5], [[0.5, 0.1], [0.2, 0.5]]),
        "pass directed=True",
        lambda: lp.stochastic_block_model([5, 5], [[0.5, 0.1], [0.2, 0.5]], directed=True),
    ),
    (
        lambda: lp.random_dot_product_graph([[2.0], [0.75]]),
        "pass a smaller sparsity",
        lambda: lp.random_dot_product_graph([[2.0], [0.75]], sparsity=0.2),
    ),
    (
        lambda: lp.infer.dimension.cross_validate(KARATE, folds=99),
        "folds <= 78",
        lambda: lp.infer.dimension.cross_validate(KARATE, 2, folds=78),
    ),
    (
        lambda: lp.AdjacencySpectralEmbedding(2).transform({"x": [0]}),
        "call fit",
        lambda: lp.AdjacencySpectralEmbedding(2).fit(KARATE).transform({"x": [0]}),
    ),
]


@pytest.mark.parametrize(("call", "remedy", "better"), IN_PYTHON, ids=[remedy for _, remedy, _ in IN_PYTHON])
def test_a_remedy_of_the_library_works(call, remedy, better):
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.errors.LpgraphWarning)
        with pytest.raises((lp.errors.LpgraphError, lp.errors.LpgraphWarning)) as caught:
            call()
        assert remedy in str(caught.value)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.errors.DisconnectedGraphWarning)
        better()
