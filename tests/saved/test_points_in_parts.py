"""Large saved models of points: new points are placed without reading what they do not need."""

import copy
import pickle

import numpy as np
import pytest
from fuzz.zoo import models

import lpgraph as lp
import lpgraph.saved
from lpgraph.errors import ModelFileError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.points.rows import PointRows
from lpgraph.points.search import cells
from lpgraph.storage.read import StoredArray, StoredFile
from lpgraph.storage.unread import ReadLater
from lpgraph.storage.write import write_file

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")

RNG = np.random.default_rng(0)
#: Fields that placement reads after all: in all pairs, with finite c, and bridges for new points at their ends.
NEEDED = {
    "LocallyLinearEmbedding({'n_neighbors': 8, 'c': 3.0})": {"W"},
    "SpectralClustering({'n_neighbors': None, 'sigma': 0.8})": {"points"},
    "LaplacianEigenmaps({'n_neighbors': 2, 'components': 'bridge', 'n_components': 1)": {"bridges"},
}


@pytest.fixture(autouse=True)
def large(monkeypatch):
    monkeypatch.setattr(lpgraph.saved, "_SMALL", 0)


def parts_of(value):
    """Return the parts of a model that have fields to be read later."""
    found, left = [], [value]
    while left:
        part = left.pop()
        if isinstance(part, ReadLater):
            found.append(part)
            left += [held for key, held in vars(part).items() if key != "_unread"]
    return found


def read_later(part):
    return {key for key in vars(part).get("_unread", ()) if key in vars(part)}


@pytest.mark.parametrize("name", [name for name in models() if name.split("(")[0] in dir(lp.manifold)])
def test_placement_reads_no_lists_of_neighbors(name, tmp_path):
    fitted = models()[name]()
    assert isinstance(fitted.model, PointsEmbedding)
    lp.save(fitted.model, tmp_path / "model.lpg")
    model = lp.load(tmp_path / "model.lpg")
    new = fitted.new[:1] + (0.0 if "precomputed" in name else 0.01)
    expected = fitted.model.transform(new)
    parts = parts_of(model._placement.new_rows)
    np.testing.assert_array_equal(model.transform(new), expected)
    # Radii are always needed by the two-sided rule.
    read = set().union(*map(read_later, parts)) - {"radii"}
    assert read <= NEEDED.get(name, set())
    np.testing.assert_array_equal(model.transform(fitted.new), fitted.model.transform(fitted.new))


def fitted(method=lp.manifold.LaplacianEigenmaps, dtype=np.float32, **options):
    X = RNG.uniform(size=(400, 6)).astype(dtype)
    return method(2, n_neighbors=10, **options).fit(X)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_cells_read_the_points_of_some_cells_only(dtype, tmp_path, monkeypatch):
    monkeypatch.setattr("lpgraph.points.find_neighbors._MANY", 0)
    monkeypatch.setattr(cells, "_SHARE", np.inf)
    # Rows are read singly from arrays of any size.
    monkeypatch.setattr("lpgraph.storage.read._LARGE", 0)
    plane = RNG.uniform(size=(4000, 2))
    X = (250 * np.hstack([plane, plane[:, ::-1], plane**2])).astype(dtype)
    model = lp.manifold.LaplacianEigenmaps(2, neighbors="approximate").fit(X)
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    values = loaded._placement.new_rows.kernel.neighbors.hood.points.values
    assert isinstance(values, StoredArray)
    assert values.dtype == dtype
    new = X[:1] // 2 if dtype == "uint8" else X[:1] / 2
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    assert 0 < values._fetched < 2000
    np.testing.assert_array_equal(loaded.transform(X[:50]), model.transform(X[:50]))


@pytest.mark.parametrize("landmarks", [None, 300])
def test_isomap_reads_the_lengths_of_neighbors_only(landmarks, tmp_path, monkeypatch):
    monkeypatch.setattr("lpgraph.storage.read._LARGE", 0)
    model = fitted(lp.manifold.Isomap, landmarks=landmarks, components="largest")
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    lengths = loaded._placement.new_rows.lengths
    assert isinstance(lengths, StoredArray)
    assert lengths.shape == (400, landmarks or 400)
    new = RNG.uniform(size=(1, 6))
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    assert 0 < lengths._fetched < 50
    assert lengths._array is None
    new = RNG.uniform(size=(300, 6))
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    assert loaded.reconstruction_error() == model.reconstruction_error()
    assert loaded.negative_ == model.negative_


@pytest.mark.parametrize("through", [pickle.loads, copy.deepcopy, lp.save], ids=["pickle", "deepcopy", "save"])
def test_a_model_in_parts_can_be_copied(through, tmp_path):
    model, path = fitted(), tmp_path / "model.lpg"
    lp.save(model, path)
    loaded = lp.load(path)
    loaded.transform(np.ones((1, 6)))
    if through is lp.save:
        lp.save(loaded, tmp_path / "again.lpg")
        assert (tmp_path / "again.lpg").read_bytes() == path.read_bytes()
        other = lp.load(tmp_path / "again.lpg")
    else:
        other = through(pickle.dumps(loaded) if through is pickle.loads else loaded)
    path.unlink()
    assert (other.graph_ != model.graph_).nnz == 0
    hood = other._placement.new_rows.kernel.neighbors.hood
    assert isinstance(hood.points, PointRows)
    np.testing.assert_array_equal(hood.radii, model._placement.new_rows.kernel.neighbors.hood.radii)
    new = RNG.uniform(size=(5, 6))
    np.testing.assert_array_equal(other.transform(new), model.transform(new))


def forged(path, change):
    """Write a file again with changed arrays and correct checksums."""
    file = StoredFile(path)
    arrays = [np.array(file.array(k).read()) for k in range(len(file.tree["arrays"]))]
    change(file.tree["model"]["object"][1]["_placement"]["object"][1]["new_rows"]["object"][1], arrays)
    tree = {key: value for key, value in file.tree.items() if key != "arrays"}
    write_file(path, tree, arrays)


def weights(rows, arrays):
    return arrays[rows["weights"]["sparse"][3][0]["array"]]


def columns(rows, arrays):
    return arrays[rows["weights"]["sparse"][3][1]["array"]]


def coordinates(rows, arrays):
    hood = rows["kernel"]["object"][1]["neighbors"]["object"][1]["hood"]["object"][1]
    return arrays[hood["points"]["object"][1]["values"]["array"]]


@pytest.mark.parametrize(
    ("part", "value", "use"),
    [
        (weights, np.nan, lambda model: model.graph_),
        (weights, -1.0, lambda model: model.graph_),
        (columns, 10**6, lambda model: model.graph_),
        (columns, -1, lambda model: model.graph_),
        (coordinates, np.nan, lambda model: model.transform(np.ones((1, 6)))),
        (coordinates, 1e30, lambda model: model.transform(np.ones((1, 6)))),
    ],
)
def test_parts_are_checked_when_they_are_read(part, value, use, tmp_path):
    path = tmp_path / "model.lpg"
    lp.save(fitted(), path)

    def change(rows, arrays):
        part(rows, arrays)[7] = value

    forged(path, change)
    if value == 1e30:  # in range: a point far away
        assert np.isfinite(use(lp.load(path))).all()
        return
    model = lp.load(path)
    with pytest.raises(ModelFileError):
        use(model)
    lpgraph.saved._SMALL = 1 << 25  # in small files all parts are checked at once
    with pytest.raises(ModelFileError):
        lp.load(path)


def test_points_that_are_texts_or_of_other_columns_are_refused(tmp_path):
    path = tmp_path / "model.lpg"
    for wrong in (
        np.array([["a"] * 6] * 400),
        np.zeros((400, 6), dtype="S3"),
        np.zeros((400, 5), dtype=np.float32),
    ):
        lp.save(fitted(), path)

        def change(rows, arrays, wrong=wrong):
            hood = rows["kernel"]["object"][1]["neighbors"]["object"][1]["hood"]["object"][1]
            arrays[hood["points"]["object"][1]["values"]["array"]] = wrong

        forged(path, change)
        with pytest.raises(ModelFileError):
            lp.load(path)


def test_a_damaged_list_of_neighbors_is_found_when_it_is_read(tmp_path):
    path = tmp_path / "model.lpg"
    lp.save(fitted(lp.manifold.LocallyLinearEmbedding), path)
    number = StoredFile(path).tree["model"]["object"][1]["_placement"]["object"][1]["new_rows"]["object"][1]["W"]
    place = StoredFile(path).array(number["sparse"][3][0]["array"])._place
    content = bytearray(path.read_bytes())
    content[StoredFile(path)._layout.start + place + 9] ^= 1
    path.write_bytes(content)
    model = lp.load(path)
    assert np.isfinite(model.transform(np.full((1, 6), 0.5))).all()
    with pytest.raises(ModelFileError, match="checksum"):
        model.graph_  # noqa: B018 - it is read
    with pytest.raises(ModelFileError, match="checksum"):
        lp.load(path, verify=True)
