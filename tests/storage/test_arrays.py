"""Arrays in a file, read whole, by rows and by spans; names found by their hash."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import lpgraph.storage.read
from lpgraph.errors import ModelFileError
from lpgraph.saved.decode import parse_name
from lpgraph.saved.encode import Encoder
from lpgraph.storage.layout import BLOCK
from lpgraph.storage.names import StoredIndex, StoredNames, store_names
from lpgraph.storage.read import StoredFile
from lpgraph.storage.write import write_file

DTYPES = st.sampled_from(["?", "i1", "<i2", "<i4", "<i8", "u1", "<u8", "<f4", "<f8", "<f2", "<U3", "S5"])
on_disk = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@on_disk
@given(
    arrays=st.lists(
        DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))),
        max_size=5,
    ),
    column_first=st.booleans(),
)
def test_arrays_come_back_as_they_were(arrays, column_first, tmp_path):
    if column_first:
        arrays = [np.asfortranarray(array) for array in arrays]
    path = tmp_path / "arrays"
    write_file(path, {"more": [1, "x"]}, arrays)
    file = StoredFile(path)
    assert file.tree["more"] == [1, "x"]
    for k, array in enumerate(arrays):
        found = file.array(k).read()
        assert found.dtype == array.dtype
        assert found.shape == array.shape
        assert found.tobytes() == array.tobytes()
        assert found.flags.c_contiguous == array.flags.c_contiguous
        assert found.flags.f_contiguous == array.flags.f_contiguous
        assert found.flags.writeable


def test_bytes_of_the_other_order_are_turned(tmp_path):
    array = np.arange(5, dtype=">f8")
    write_file(tmp_path / "arrays", {}, [array])
    found = StoredFile(tmp_path / "arrays").array(0).read()
    assert found.dtype == np.dtype("<f8")
    assert np.array_equal(found, array)


@pytest.fixture
def many(tmp_path, monkeypatch):
    """Arrays of many blocks with rows of every width, none of them copied whole."""
    monkeypatch.setattr(lpgraph.storage.read, "_LARGE", 0)
    monkeypatch.setattr(lpgraph.storage.read, "_ROWS", 7)
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((n, d)) for n, d in ((60_000, 3), (3000, 32), (900, 100), (40, 5000))]
    arrays += [rng.integers(0, 99, 200_000).astype("U3"), rng.integers(0, 255, 300_001).astype(np.uint8)]
    write_file(tmp_path / "arrays", {}, arrays)
    return tmp_path / "arrays", arrays


def test_rows_are_those_of_the_array_and_few_blocks_are_read(many):
    path, arrays = many
    rng = np.random.default_rng(1)
    for k, array in enumerate(arrays):
        for count in (0, 1, 2, 9):
            file = StoredFile(path)
            stored = file.array(k)
            rows = rng.integers(0, len(array), count)
            rows[:1] = len(array) - 1
            assert np.array_equal(stored.take(rows), array[rows])
            assert stored.take(rows).dtype == array.dtype
            width = array.nbytes // len(array)
            if count * 8 <= array.nbytes // BLOCK:
                assert len(file._kept) <= count * (width // BLOCK + 2)
                assert stored._array is None
        stored = StoredFile(path).array(k)
        everything = rng.permutation(len(array))
        assert np.array_equal(stored.take(everything), array[everything])
        for wrong in ([-1], [0, len(array)]):
            with pytest.raises(ModelFileError, match="are not in an array"):
                StoredFile(path).array(k).take(np.array(wrong))


def test_rows_that_were_asked_for_again_and_again_end_in_one_reading(many):
    path, arrays = many
    stored = StoredFile(path).array(0)
    for _ in range(200):
        assert np.array_equal(stored.take(np.array([5, 59_999])), arrays[0][[5, 59_999]])
    assert stored._array is not None


def test_spans(many):
    path, arrays = many
    for low, high in ((0, 0), (0, 1), (16_380, 16_390), (300_000, 300_001), (5, 300_001)):
        assert np.array_equal(StoredFile(path).array(5).span(low, high), arrays[5][low:high])
    for low, high in ((-1, 2), (3, 2), (0, 300_002)):
        with pytest.raises(ModelFileError, match="are not in an array"):
            StoredFile(path).array(5).span(low, high)


def test_a_damaged_block_is_met_by_those_who_use_it_only(many):
    path, arrays = many
    file = StoredFile(path)
    content = bytearray(path.read_bytes())
    place = file._layout.start + file.array(1)._place + BLOCK * 10 + 5
    content[place] ^= 4
    path.write_bytes(content)
    damaged = (place - file._layout.start) // BLOCK
    hit = np.flatnonzero((file.array(1)._place + np.arange(3000) * 256) // BLOCK == damaged)
    file = StoredFile(path)
    assert np.array_equal(file.array(1).take(hit[:1] - 1), arrays[1][hit[:1] - 1])
    with pytest.raises(ModelFileError, match=r"bytes \d+ to \d+ are damaged"):
        file.array(1).take(hit[:1])
    with pytest.raises(ModelFileError, match="damaged"):
        file.array(1).read()
    with pytest.raises(ModelFileError, match="damaged"):
        file.verify()
    assert np.array_equal(file.array(3).read(), arrays[3])


def test_a_file_that_shrinks_while_it_is_used_is_an_error(many):
    path, _ = many
    file = StoredFile(path)
    with open(path, "r+b") as shrinking:
        shrinking.truncate(file._layout.start + 100)
    with pytest.raises(ModelFileError, match="was truncated while"):
        file.array(1).take(np.array([2999]))
    with pytest.raises(ModelFileError, match="was truncated while"):
        file.array(3).read()


names_of_one_kind = st.one_of(
    st.lists(st.integers(), unique=True, max_size=40),
    st.lists(st.integers(-5, 40), unique=True, max_size=40),
    st.lists(st.text(max_size=6), unique=True, max_size=40),
)
atoms = st.one_of(
    st.text(max_size=3), st.integers(), st.floats(allow_nan=False), st.booleans(), st.binary(max_size=3), st.none()
)
names_of_any_kind = st.lists(
    st.recursive(atoms, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5),
    unique=True,
    max_size=30,
)


@on_disk
@given(names=st.one_of(names_of_one_kind, names_of_any_kind), strangers=names_of_any_kind)
def test_names_are_found_by_what_equals_them(names, strangers, tmp_path):
    encoder = Encoder()
    parts = store_names(names, encoder.add, encoder.name)
    write_file(tmp_path / "names", {"names": parts}, encoder.arrays)
    file = StoredFile(tmp_path / "names")
    stored = StoredNames(file, file.tree["names"], parse_name)
    index = StoredIndex(stored)
    expected = dict(zip(names, range(len(names)), strict=True))
    for name in [*names, *strangers]:
        assert stored.find(name) == expected.get(name, -1)
        assert index.get(name, -1) == expected.get(name, -1)
    assert dict(index) == expected
    assert list(stored.read()) == names
    assert list(map(type, stored.read())) == list(map(type, names))
