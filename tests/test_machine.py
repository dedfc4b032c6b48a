"""Machine code that is kept in files: made once, verified, loaded without numba."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lpgraph import _machine
from lpgraph._compiled import available, compiled

pytestmark = pytest.mark.skipif(not (available() and _machine.supported()), reason="no machine code is kept here")


def add(array, weights, factor, low, high):
    for i in range(low, high):
        array[i] += factor * weights[0] + weights[1] * i


def total(array, found):
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            found[0] += array[i, j]


def allocates(array):
    array[0] = np.ones(len(array)).sum()


def raises(array, step):
    for i in range(0, len(array), step):
        array[i] = 1.0


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(_machine, "_folders", lambda function: iter([tmp_path]))
    return tmp_path


def test_arrays_numbers_and_tuples_arrive(folder):
    array = np.zeros(6)
    loop = compiled(add)
    loop(array, (1.0, 2.0), 0.5, 1, 5)
    expected = [0, 2.5, 4.5, 6.5, 8.5, 0]
    assert array.tolist() == expected
    loop.over([1, 3, 5], array, (1.0, 2.0), np.float64(0.5))
    assert array.tolist() == [2 * value for value in expected]
    for dtype in np.float32, np.int64, np.uint32, np.uint8:
        found = np.zeros(1)
        compiled(total)(np.arange(6, dtype=dtype).reshape(2, 3), found)
        assert found[0] == 15
    with pytest.raises(TypeError):
        compiled(add)(array, (1.0, 2.0), 0.5, "1", 5)
    compiled(add)(array, (0.0, 0.0), np.float32(1.0), np.int32(0), np.True_)
    assert array.tolist() == [2 * value for value in expected]


def test_arrays_that_lie_otherwise_give_the_same(folder):
    array = np.arange(24.0).reshape(4, 6)
    unaligned = np.frombuffer(b"x" + array.tobytes(), dtype=np.float64, offset=1).reshape(4, 6)
    for other in array[:, ::2], array.T, np.asfortranarray(array), unaligned, array[::-1]:
        found = np.zeros(1)
        compiled(total)(other, found)
        assert found[0] == other.sum()
    with pytest.raises(Exception, match=r"(?i)byte|endian|unsupported"):
        compiled(total)(array.astype(">f8"), np.zeros(1))


def test_what_is_kept_is_loaded_and_not_made_again(folder, monkeypatch):
    found = np.zeros(1)
    compiled(total)(np.ones((2, 3)), found)
    (file,) = folder.iterdir()
    assert "test_machine.total-" in file.name
    monkeypatch.setattr(_machine, "_made", None)
    compiled(total)(np.ones((2, 3)), found)
    assert found[0] == 12
    # other types are other code
    with pytest.raises(TypeError):
        compiled(total)(np.ones((2, 3), dtype=np.float32), found)


@pytest.mark.parametrize(
    "harm",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:64],
        lambda content: content[:-40] + bytes([content[-40] ^ 1]) + content[-39:],
        lambda content: bytes(32) + content[32:],  # of another source
    ],
    ids=["empty", "short", "head", "flipped", "older"],
)
def test_what_is_damaged_or_older_is_made_again(folder, harm):
    found = np.zeros(1)
    compiled(total)(np.ones((2, 3)), found)
    (file,) = folder.iterdir()
    sound = file.read_bytes()
    file.write_bytes(harm(sound))
    compiled(total)(np.ones((2, 3)), found)
    assert found[0] == 12
    assert [path.name for path in folder.iterdir()] == [file.name]
    head = 2 * _machine._DIGEST
    assert file.read_bytes()[:32] == sound[:32]
    assert _machine._digest(file.read_bytes()[head:]) == file.read_bytes()[32:head]


def test_where_nothing_can_be_written_it_is_made_all_the_same(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    for folders in [], [tmp_path / "file"]:
        monkeypatch.setattr(_machine, "_folders", lambda function, folders=folders: iter(folders))
        found = np.zeros(1)
        compiled(total)(np.ones((2, 3)), found)
        assert found[0] == 6


@pytest.mark.parametrize(("loop", "more"), [(allocates, ()), (raises, (2,))])
def test_a_loop_that_needs_more_than_the_processor_is_left_to_numba(folder, loop, more):
    with pytest.raises(_machine.NotFreeStandingError, match=loop.__name__):
        _machine.load(loop, ("float64[1]", *["int64"] * len(more)), reassociate=False)
    assert not list(folder.iterdir())
    array, expected = np.zeros(4), np.zeros(4)
    compiled(loop)(array, *more)
    loop(expected, *more)
    assert (array == expected).all()
    assert not list(folder.iterdir())


JOB = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import lpgraph as lp
from lpgraph import _machine
from lpgraph.linalg import basis, checked_product, matvec, sparse_structure
matvec.WORTHWHILE = basis.WORTHWHILE = checked_product.WORTHWHILE = sparse_structure.WORTHWHILE = 1
if "elsewhere" in sys.argv:
    _machine.supported = lambda: False
graph = lp.stochastic_block_model([1000, 1000], [[0.02, 0.004], [0.004, 0.02]], random_state=0)
model = lp.AdjacencySpectralEmbedding(3).fit(graph)
placed = model.transform(graph)
np.save(sys.argv[1], np.vstack([model.embedding_, placed]))
print("numba" in sys.modules)
"""


def run(tmp_path: Path, name: str, *arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", JOB, str(tmp_path / name), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
    )
    return result.stdout.strip()


def test_a_second_process_needs_no_numba_and_one_elsewhere_gives_the_same(tmp_path):
    run(tmp_path, "first.npy")
    assert run(tmp_path, "second.npy") == "False"
    assert run(tmp_path, "other.npy", "elsewhere") == "True"
    first, second, other = (np.load(tmp_path / f"{name}.npy") for name in ("first", "second", "other"))
    assert (first == second).all()
    assert np.abs(first - other).max() <= 1e-10
