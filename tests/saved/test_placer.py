"""New vertices placed from a model's file: equal to the model, to the last bit, without scikit-learn."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
import lpgraph.saved
from lpgraph.errors import ArgumentError, ModelFileError
from lpgraph.saved.classes import network_embeddings
from lpgraph.saved.placer import load_placer
from lpgraph.storage.read import StoredFile
from lpgraph.storage.write import write_file

MODELS = {
    "adjacency": lp.AdjacencySpectralEmbedding(2),
    "laplacian": lp.LaplacianSpectralEmbedding(2, regularizer="mean"),
    "classifier": lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)),
    "clustering": lp.VertexClustering(lp.LaplacianSpectralEmbedding(2), 2),
    "fitted rule": lp.OutOfSample(lp.AdjacencySpectralEmbedding(2)),
    "modularity": lp.ModularityEmbedding(2),
    "random walk": lp.RandomWalkEmbedding(2),
}


@pytest.fixture(params=["small", "large"])
def path(request, monkeypatch, tmp_path):
    """Path of a model file that is verified in full on loading, or in parts on first use."""
    if request.param == "large":
        monkeypatch.setattr(lpgraph.saved, "_SMALL", 0)
    return tmp_path / "model.lpg"


def embedding_of(model):
    inside = getattr(model, "fitted_embedding_", getattr(model, "embedding_", None))
    return inside if hasattr(inside, "transform") else model


@pytest.mark.parametrize("names", [None, "texts"])
@pytest.mark.parametrize("kind", MODELS)
def test_as_the_model_would_to_the_last_bit(path, kind, names):
    network = nx.karate_club_graph()
    if names is not None:
        network = nx.relabel_nodes(network, lambda i: f"member {i}")
    known = dict(network.nodes(data="club"))
    model = MODELS[kind].fit(network, known) if kind == "classifier" else MODELS[kind].fit(network)
    lp.save(model, path)
    first, second, third = list(network)[:3]
    new = {"x": [first, second], "y": {third: 2.0}, "z": []}
    found, positions = load_placer(path)(new)
    assert list(found) == ["x", "y", "z"]
    expected = embedding_of(model).transform(new)
    assert positions.dtype == expected.dtype
    assert positions.tobytes() == expected.tobytes()
    assert load_placer(path).columns == embedding_of(model).get_feature_names_out().tolist()


@pytest.mark.parametrize("direction", ["out", "in"])
def test_directed(path, direction):
    blocks = [[0.5, 0.1], [0.3, 0.4]]
    graph = lp.stochastic_block_model([40, 30], blocks, directed=True, random_state=0)
    model = lp.LaplacianSpectralEmbedding(2).fit(graph)
    lp.save(model, path)
    new = graph.new_vertices(5, random_state=1)
    positions = load_placer(path)(new, direction=direction)[1]
    assert positions.tobytes() == model.transform(new, direction=direction).tobytes()
    with pytest.raises(ArgumentError, match="direction='up'"):
        load_placer(path)(new, direction="up")


def test_what_embeds_no_network_places_nothing(path):
    lp.save(lp.manifold.ClassicalMDS(2).fit([[0.0, 0], [1, 0], [0, 2]]), path)
    assert load_placer(path) is None


@pytest.mark.parametrize("name", sorted(network_embeddings() - {"CovariateAssistedEmbedding"}))
def test_names_of_columns_are_the_estimators_own(name, path):
    model = getattr(lp, name)(2).fit(lp.as_adjacency(nx.karate_club_graph(), weight=None))
    lp.save(model, path)
    placer = load_placer(path)
    assert placer.columns == model.get_feature_names_out().tolist()
    new = {"new": [0, 5, 33], "other": [2]}
    assert placer(new)[1].tobytes() == model.transform(new).tobytes()


def test_covariates_of_new_vertices(path):
    """Edges that were read with covariates are placed; others are refused."""
    covariates = np.random.default_rng(0).random((34, 3))
    model = lp.CovariateAssistedEmbedding(2, covariates=covariates).fit(nx.karate_club_graph())
    lp.save(model, path)
    placer, new = load_placer(path), model.read_new({"new": [0, 5, 33]}, covariates=covariates[:1])
    assert placer.columns == model.get_feature_names_out().tolist()
    assert placer(new)[1].tobytes() == model.transform(new).tobytes()
    with pytest.raises(ArgumentError, match="no covariates, and the known ones have 3"):
        placer({"new": [0, 5, 33]})


def forge(path, change):
    """Write the file again with a changed tree and correct checksums."""
    file = StoredFile(path)
    tree = file.tree
    arrays = [np.array(file.array(k).read()) for k in range(len(tree["arrays"]))]
    del tree["arrays"]
    change(tree["model"]["object"][1])
    write_file(path, tree, arrays)


def placed(state):
    """The fields of the placement."""
    return state["_placement"]["object"][1]


FORGED = {
    "no placement": lambda state: state.pop("_placement"),
    "placement is a list": lambda state: state.update(_placement=[1, 2]),
    "rows are a list": lambda state: placed(state).update(new_rows=[1, 2]),
    "rows are of another kind": lambda state: placed(state).update(
        new_rows={"object": ["Bound", {"lower": 0.0, "upper": 1.0}]}
    ),
    "extensions are a number": lambda state: placed(state).update(extensions=3),
    "extensions are none": lambda state: placed(state).update(extensions={"dict": []}),
    "extensions are texts": lambda state: placed(state).update(extensions={"dict": [["out", "here"]]}),
    "extension of another kind": lambda state: placed(state).update(
        extensions={"dict": [["out", placed(state)["new_rows"]]]}
    ),
    "prefix is a number": lambda state: placed(state).update(prefix=3),
    "other size": lambda state: state.update(n_features_in_=35),
    "no embedding": lambda state: state.pop("embedding_"),
    "no names": lambda state: state.pop("vertex_names_"),
    "names of nobody": lambda state: state.update(vertex_names_={"names": {"range": 33}}),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_forged_files_are_refused(path, change):
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph()), path)
    forge(path, change)
    with pytest.raises(ModelFileError, match=r"model\.lpg"):
        load_placer(path)


def test_the_command_needs_no_scikit_learn(path, tmp_path):
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph()), path)
    (tmp_path / "new.csv").write_text("new,0\nnew,1\n")
    code = (  # older versions of scipy.sparse import scipy.linalg
        "import sys, scipy.sparse; before = set(sys.modules); "
        "from lpgraph.cli.run import run; code = run(['extend', 'model.lpg', 'new.csv']); "
        "heavy = 'sklearn', 'scipy.stats', 'scipy.linalg', 'pandas', 'numba', 'matplotlib', 'networkx'; "
        "print(code, [m for m in heavy if m in sys.modules and m not in before], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "0 []"
    assert done.stdout.startswith("name,ase0,ase1,has_known_neighbor\nnew,")


def test_other_rules_are_the_models_own(path, tmp_path, monkeypatch, capsys):
    from lpgraph.cli.run import run

    monkeypatch.chdir(tmp_path)
    model = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    unweighted = lp.AdjacencySpectralEmbedding(2).fit(lp.as_adjacency(nx.karate_club_graph(), weight=None))
    (tmp_path / "new.csv").write_text("new,0\nnew,1\n")
    for fitted, rule in ((model, "least_squares"), (unweighted, "likelihood"), (unweighted, "batch")):
        lp.save(fitted, path)
        assert run(["extend", "model.lpg", "new.csv", "--rule", rule]) == 0
        shown = capsys.readouterr().out.splitlines()[1].split(",")[1:-1]
        expected = lp.OutOfSample(fitted, rule=rule).transform({"new": [0, 1]})[0]
        assert [float(number) for number in shown] == pytest.approx(expected.tolist(), rel=1e-9)


def test_new_vertices_are_read_once(path):
    model = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    lp.save(model, path)
    placer = load_placer(path)
    new = placer.read_new({"x": [0, 1], "y": {2: 2.0}})
    assert list(new.names) == ["x", "y"]
    assert placer.read_new(new) is new
    assert placer(new)[1].tobytes() == model.transform(new).tobytes()
    with pytest.raises(ArgumentError, match="the graph is undirected"):
        placer.read_new(new, direction="in")
