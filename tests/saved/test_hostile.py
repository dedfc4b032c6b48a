"""Changed, damaged and forged files: an error of lpgraph, no crash, no code that runs."""

import io
import json
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from fuzz.zoo import fitted, models

import lpgraph as lp
from lpgraph.errors import LpgraphError, LpgraphWarning, ModelFileError, StoreError

GRAPH = lp.stochastic_block_model([30, 30], [[0.5, 0.1], [0.1, 0.5]], random_state=0)


@pytest.fixture
def path(tmp_path):
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(GRAPH), tmp_path / "model.lpg")
    return tmp_path / "model.lpg"


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def forge(path, content, **options):
    """Write members with their right checksums."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def as_member(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_every_damaged_byte_is_noticed_or_means_nothing(path):
    data, expected = path.read_bytes(), lp.load(path)
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(data), 300):
        path.write_bytes(data[:place] + bytes([data[place] ^ (1 << rng.integers(8))]) + data[place + 1 :])
        try:
            found = lp.load(path)
        except ModelFileError:
            continue
        # Names, times and attributes in the zip's own headers.
        np.testing.assert_array_equal(found.embedding_, expected.embedding_)
    for size in (0, 3, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(ModelFileError):
            lp.load(path)


def mutated(rng, content):
    """Return members of which one array, or a value of the header, is changed."""
    name = str(rng.choice(list(content)))
    if name.endswith(".npy"):
        array = np.load(io.BytesIO(content[name]))
        kind = rng.integers(4)
        if kind == 0 and array.size and array.dtype.kind in "iuf":
            array.flat[rng.integers(array.size)] = rng.choice([-1, 0, 10**9, 2**31 - 1])
        elif kind == 1 and array.ndim:
            array = array[: len(array) // 2]
        elif kind == 2 and array.ndim:
            array = np.concatenate([array, array])
        elif array.dtype.kind in "iufb":
            array = array.astype(rng.choice(["f4", "i8", "u1", "U3", "f8"]), copy=True)
        return {**content, name: as_member(array)}
    text = content[name].decode()
    at = int(rng.choice([k for k, letter in enumerate(text) if letter.isdigit()]))
    new = str(rng.choice(["7", "-1", "1e9", "null", '"x"']))
    return {**content, name: f"{text[:at]}{new}{text[at + 1 :]}".encode()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("each", "count"), [(9, 20), pytest.param(1, 24, marks=pytest.mark.slow)])
def test_forged_files_do_not_crash(tmp_path, each, count):
    rng, path = np.random.default_rng(each), tmp_path / "model.lpg"
    for name in list(models())[::each]:
        model = fitted(name)
        lp.save(model.model, path)
        content = members(path)
        for _ in range(count):
            forge(path, mutated(rng, content))
            loaded = None
            with suppress(ModelFileError):
                loaded = lp.load(path)
            # In use, wrong numbers are not told from right ones.
            anything = LpgraphError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError
            with np.errstate(all="ignore"), suppress(*anything):
                if hasattr(loaded, "transform"):
                    loaded.transform(model.new)


def states(tree, kind):
    """Return the states of the objects of a class in a tree, as lists of pairs."""
    if isinstance(tree, list):
        return [state for item in tree for state in states(item, kind)]
    if not isinstance(tree, dict):
        return []
    own = [tree["object"][1]["dict"]] if tree.get("object", [""])[0].endswith(f":{kind}") else []
    return own + [state for item in tree.values() for state in states(item, kind)]


def change_tree(path, change):
    content = members(path)
    tree = json.loads(content["model.json"])
    change(tree, content)
    forge(path, {**content, "model.json": json.dumps(tree)})


@pytest.mark.parametrize(
    ("name", "kind", "field", "change"),
    [
        # Written outside an array, these ended the process; searched, these never ended.
        ("VertexClustering, undirected", "BlockPartition", "labels", lambda array: array + 10**9),
        ("VertexClustering, undirected", "EdgeRates", "degrees", lambda array: array[:1]),
        ("approximate neighbors", "Cells", "cell", lambda array: array[:0]),
        ("approximate neighbors", "Cells", "probes", lambda count: 0),
        ("approximate neighbors", "Neighborhood", "n_neighbors", lambda count: 10**9),
    ],
)
def test_what_compiled_loops_and_searches_rely_on_is_checked(path, name, kind, field, change):
    lp.save(fitted(name).model, path)

    def forged(tree, content):
        for pair in (pair for state in states(tree, kind) for pair in state if pair[0] == field):
            if isinstance(pair[1], dict):
                member = f"a{pair[1]['array']}.npy"
                content[member] = as_member(change(np.load(io.BytesIO(content[member]))))
            else:
                pair[1] = change(pair[1])

    change_tree(path, forged)
    with pytest.raises(ModelFileError, match=r"indices beyond|numbers of points"):
        lp.load(path)


def put(field, value):
    """Return a change of an attribute of the model."""

    def change(tree, content):
        pairs = tree["model"]["object"][1]["dict"]
        pairs[:] = [pair for pair in pairs if pair[0] != field] + ([] if value is None else [[field, value]])

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda tree, content: tree.update(version=5),
        lambda tree, content: tree.update(model=1.0),
        lambda tree, content: tree["model"].update(object=["os:system", {}]),
        lambda tree, content: tree["model"].update(object=["lpgraph.graph.construct:as_adjacency", {}]),
        lambda tree, content: tree["model"].update(object=["sklearn.svm:SVC", {}]),
        put("tol", None),
        put("fit", 1),
        put("embedding_", {"array": 999}),
    ],
)
def test_what_is_not_a_model_is_refused(path, change):
    change_tree(path, change)
    with pytest.raises(ModelFileError):
        lp.load(path)


def test_another_version_of_scikit_learn_warns_if_its_classes_are_in_the_file(path):
    def older(tree, content):
        tree["sklearn"] = "0.99.1"

    change_tree(path, older)
    lp.load(path)
    lp.save(fitted("VertexClassifier, undirected").model, path)
    change_tree(path, older)
    with pytest.warns(LpgraphWarning, match=r"Pipeline.* of scikit-learn 0\.99\.1"):
        lp.load(path)


def test_compressed_members_are_refused(path):
    content = members(path)
    forge(path, {**content, "model.json": content["model.json"] + b" " * 10**7}, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="compressed"):
        lp.load(path)


def test_a_model_of_a_store_has_its_folder(tmp_path, path):
    store = lp.scale.build_store(GRAPH, tmp_path / "a.store")
    other = lp.scale.build_store(lp.erdos_renyi(60, 0.2, random_state=0), tmp_path / "c.store")
    model = lp.AdjacencySpectralEmbedding(2).fit(store)
    lp.save(model, path)
    loaded = lp.load(path)
    assert loaded.graph_.store == store.store
    np.testing.assert_array_equal(loaded.transform({"x": [1, 2]}), model.transform({"x": [1, 2]}))
    (tmp_path / "a.store").rename(tmp_path / "b.store")
    for folder in (None, other.store):
        with pytest.raises(StoreError, match="store="):
            lp.load(path, store=folder)
    assert lp.load(path, store=tmp_path / "b.store").graph_.n_edges == GRAPH.n_edges
