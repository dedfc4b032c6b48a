"""Changed, damaged and forged files: an error of lpgraph, no crash, no code that runs."""

import io
import json
import zipfile

import numpy as np
import pytest
from fuzz.zoo import fitted, models

import lpgraph as lp
from lpgraph.errors import ArgumentError, LpgraphError, ModelFileError, StoreError


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "model.lpg"
    graph = lp.stochastic_block_model([30, 30], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(graph), found)
    return found


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def forge(path, content, **options):
    """Write members with their right checksums."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, data in content.items():
            archive.writestr(name, data)


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
            array = array.copy()
            array.flat[rng.integers(array.size)] = rng.choice([-1, 0, 10**9, 2**31 - 1])
        elif kind == 1 and array.ndim:
            array = array[: len(array) // 2]
        elif kind == 2 and array.ndim:
            array = np.concatenate([array, array])
        elif array.dtype.kind in "iufb":
            array = array.astype(rng.choice(["f4", "i8", "u1", "U3", "f8"]), copy=True)
        file = io.BytesIO()
        np.save(file, array)
        return {**content, name: file.getvalue()}
    text = content[name].decode()
    spots = [k for k, letter in enumerate(text) if letter in "0123456789"]
    at = int(rng.choice(spots))
    return {
        **content,
        name: (text[:at] + str(rng.choice(["7", "-1", "1e9", "null", '"x"'])) + text[at + 1 :]).encode(),
    }


def trials(tmp_path, names, count, seed):
    rng = np.random.default_rng(seed)
    path = tmp_path / "model.lpg"
    for name in names:
        model = fitted(name)
        lp.save(model.model, path)
        content = members(path)
        for _ in range(count):
            forge(path, mutated(rng, content))
            try:
                with np.errstate(all="ignore"):
                    loaded = lp.load(path)
                    if hasattr(loaded, "transform"):
                        loaded.transform(model.new)
            except LpgraphError:
                continue
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                continue  # in use: wrong numbers are not told from right ones


@pytest.mark.filterwarnings("ignore")
def test_forged_files_do_not_crash(tmp_path):
    trials(tmp_path, list(models())[::9], 20, 0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_many_forged_files_do_not_crash(tmp_path):
    trials(tmp_path, models(), 24, 1)


def parts(tree, kind):
    """Return the fields of the objects of a class in a tree."""
    if isinstance(tree, list):
        return [part for item in tree for part in parts(item, kind)]
    if not isinstance(tree, dict):
        return []
    own = [tree["object"][1]] if tree.get("object", [""])[0].endswith(f":{kind}") else []
    return own + [part for item in tree.values() for part in parts(item, kind)]


@pytest.mark.parametrize(
    ("name", "kind", "field", "change"),
    [
        # Written outside an array, these ended the process; searched, these never ended.
        ("VertexClustering, undirected", "BlockPartition", "labels", lambda array: array - 1),
        ("VertexClustering, undirected", "BlockPartition", "labels", lambda array: array + 10**9),
        ("VertexClustering, undirected", "EdgeRates", "degrees", lambda array: array[:1]),
        ("approximate neighbors", "Cells", "cell", lambda array: array[:0]),
        ("approximate neighbors", "Cells", "cell", lambda array: np.tile(array, 2)),
        ("approximate neighbors", "Cells", "probes", lambda count: 0),
        ("approximate neighbors", "Neighborhood", "n_neighbors", lambda count: 10**9),
    ],
)
def test_what_compiled_loops_and_searches_rely_on_is_checked(tmp_path, name, kind, field, change):
    path = tmp_path / "model.lpg"
    lp.save(fitted(name).model, path)
    content = members(path)
    tree = json.loads(content["model.json"])
    for part in parts(tree, kind):
        if isinstance(part[field], dict):
            member = f"a{part[field]['array']}.npy"
            file = io.BytesIO()
            np.save(file, change(np.load(io.BytesIO(content[member]))))
            content[member] = file.getvalue()
        else:
            part[field] = change(part[field])
    forge(path, {**content, "model.json": json.dumps(tree)})
    with pytest.raises(ModelFileError, match=r"indices beyond|numbers of points"):
        lp.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree.update(version=4),
        lambda tree: tree.update(format="other"),
        lambda tree: tree["model"].update(object=["os:system", {}]),
        lambda tree: tree["model"].update(object=["lpgraph.cli.run:run", {}]),
        lambda tree: tree["model"].update(object=["lpgraph.graph.construct:as_adjacency", {}]),
        lambda tree: tree["model"]["object"][1].pop("tol"),
        lambda tree: tree["model"]["object"][1].update(fit=None),
        lambda tree: tree["model"]["object"][1].update(embedding_={"array": 999}),
        lambda tree: tree["model"]["object"][1].update(vertex_names_={"range": [0, 10**12, 1]}),
        lambda tree: tree["model"]["object"][1].update(vertex_names_={"range": [0, 59, 1]}),
        lambda tree: tree["model"]["object"][1].update(scree_={"value": 1}),
    ],
)
def test_what_is_no_model_is_refused(path, change):
    content = members(path)
    tree = json.loads(content["model.json"])
    change(tree)
    forge(path, {**content, "model.json": json.dumps(tree)})
    with pytest.raises(ModelFileError):
        lp.load(path)


def test_compressed_members_are_refused(path):
    content = members(path)
    forge(path, {**content, "model.json": content["model.json"] + b" " * 10**7}, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="claims"):
        lp.load(path)


def test_files_of_before_are_refused_with_the_version_that_reads_them(path):
    path.write_bytes(b"\x89LPG\r\n\x1a\n" + bytes(1000))
    with pytest.raises(ModelFileError, match=r"lpgraph 0\.2, which reads it"):
        lp.load(path)


def test_a_stopped_save_leaves_the_old_file(path, monkeypatch):
    before, model = path.read_bytes(), lp.load(path)

    def stop(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", stop)
    with pytest.raises(KeyboardInterrupt):
        lp.save(model, path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["model.lpg"]


def test_a_model_of_a_store_has_its_folder(tmp_path):
    graph = lp.stochastic_block_model([30, 30], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    store = lp.scale.build_store(graph, tmp_path / "a.store")
    model = lp.AdjacencySpectralEmbedding(2).fit(store)
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    assert loaded.graph_.store == store.store
    np.testing.assert_array_equal(loaded.transform({"x": [1, 2]}), model.transform({"x": [1, 2]}))
    (tmp_path / "a.store").rename(tmp_path / "b.store")
    with pytest.raises(StoreError, match="store="):
        lp.load(tmp_path / "model.lpg")
    assert lp.load(tmp_path / "model.lpg", store=tmp_path / "b.store").graph_.n_edges == graph.n_edges
    other = lp.scale.build_store(lp.erdos_renyi(60, 0.2, random_state=0), tmp_path / "c.store")
    with pytest.raises(StoreError, match="another edge store"):
        lp.load(tmp_path / "model.lpg", store=other.store)
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(graph), tmp_path / "model.lpg")
    with pytest.raises(ArgumentError, match="has no store"):
        lp.load(tmp_path / "model.lpg", store=other.store)
