"""Data sets: known facts, verification of files, and clear errors without a network."""

import functools
import hashlib
import http.server
import os
import sys
import threading
import zipfile

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.datasets.sets import Remote, content_digest
from lpgraph.errors import ArgumentError, DatasetError, MissingDependencyError

needs_data = pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="LPGRAPH_DATA is not set")

# name, vertices or points, edges or coordinates, classes (0: none)
FACTS = [
    ("karate", 34, 78, 2),
    ("les_miserables", 77, 254, 0),
    ("florentine", 15, 20, 0),
    ("southern_women", 32, 89, 2),
    ("digits", 1797, 64, 10),
    ("iris", 150, 4, 3),
    ("drosophila", 209, 7425, 4),
    ("drosophila right", 213, 7536, 4),
    ("flights", 305, 5366, 5),
]
REMOTE = [("abalone", 4177, 7, 28), ("polblogs", 1490, 19022, 2)]


def check(source, name, size, width, classes):
    name, *options = name.split()
    data = getattr(source, name)(*options)
    assert data.name.startswith(name)
    assert all(option in data.name for option in options)
    if data.graph is None:
        assert data.points.shape == (size, width)
        assert data.points.dtype == np.float64
    else:
        assert (data.graph.n_vertices, data.graph.n_edges) == (size, width)
    assert (data.labels is None) == (classes == 0)
    assert data.labels is None or (len(data.labels), len(np.unique(data.labels))) == (size, classes)
    assert all(len(text) > 3 for text in (data.description, data.citation, data.licence, data.source))


@pytest.mark.parametrize("facts", [*FACTS, *(pytest.param(facts, marks=needs_data) for facts in REMOTE)])
def test_facts(facts):
    check(lp.datasets, *facts)
    assert {name.split()[0] for name, *_ in FACTS + REMOTE} == set(lp.datasets.__all__) - {"Dataset"}


def test_known_facts_of_the_networks():
    data = lp.datasets.southern_women()
    women = data.labels == "woman"
    assert women.sum() == 18
    assert data.graph.matrix[women][:, women].nnz == data.graph.matrix[~women][:, ~women].nnz == 0
    assert lp.datasets.drosophila().graph.matrix.sum() == 25_322  # synapses
    flights = lp.datasets.flights()
    assert flights.graph.directed
    assert flights.graph.matrix.sum() == 7_009_728  # all flights of 2008
    assert flights.labels[flights.graph.index["ATL"]] == "South"
    with pytest.raises(ArgumentError, match="side"):
        lp.datasets.drosophila("top")


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A folder with a table and a zip of it, the address of its server on this machine, and an empty cache."""
    monkeypatch.delenv("LPGRAPH_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "table.csv").write_bytes(b"a,1\nb,2\n")
    with zipfile.ZipFile(tmp_path / "table.zip", "w") as archive:
        archive.write(tmp_path / "table.csv", "table.csv")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield tmp_path, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def remote(served, name="table.csv", **changes):
    folder, host = served
    facts = {
        "folder": "toy",
        "names": ("table.csv",),
        "content": content_digest((folder / "table.csv").read_bytes()),
        "page": "https://example.org",
        "url": f"{host}/{name}",
        "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
    }
    return Remote(**(facts | changes))


@pytest.mark.parametrize("name", ["table.csv", "table.zip"])
def test_fetched_once_and_kept(served, name):
    file = remote(served, name)
    assert file.read() == b"a,1\nb,2\n"
    (served[0] / name).write_bytes(b"gone")  # the second time the cache answers
    assert file.read() == b"a,1\nb,2\n"


@pytest.mark.parametrize(("name", "value"), [("sha256", "0" * 64), ("url", "http://no.such.host.invalid")])
def test_a_failed_download_says_what_to_do(served, name, value):
    with pytest.raises(DatasetError, match=r"copy table.csv from https://example.org to toy/ in .* LPGRAPH_DATA"):
        remote(served, **{name: value}).read()


def test_the_folder_comes_first_and_is_verified(served, monkeypatch):
    file = remote(served, url="http://127.0.0.1:9")
    monkeypatch.setenv("LPGRAPH_DATA", str(served[0]))
    (served[0] / "toy").mkdir()
    (served[0] / "toy" / "table.csv").write_bytes(b"a,1\r\nb,2")  # other line ends, the same content
    assert file.read() == b"a,1\r\nb,2"
    (served[0] / "toy" / "table.csv").write_bytes(b"a,1\nb,3\n")
    with pytest.raises(DatasetError, match="another checksum"):
        file.read()


def test_without_pooch_the_error_names_the_extra(served, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingDependencyError, match=r"lpgraph\[data\]"):
        lp.datasets.abalone()
