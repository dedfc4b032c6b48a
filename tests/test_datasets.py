"""Data sets: known facts, verification of files, and clear errors without a network."""

import hashlib
import http.server
import os
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.datasets.sets import Remote, content_digest
from lpgraph.errors import ArgumentError, DatasetError, MissingDependencyError

BENCHMARKS = Path(lp.__file__).parent.parent / "benchmarks"
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
#: Those of `benchmarks/_folder_data.py`.
FOLDER = [
    ("email_eu", 1005, 24929, 42),
    ("celegans", 279, 2194, 3),
    ("cora", 2708, 5278, 7),
    ("football", 115, 613, 12),
    ("dblp", 326_186, 807_700, 0),
    ("faces", 698, 1024, 0),
    ("teapots", 100, 1900, 0),
    ("usps", 7291, 256, 10),
    ("usps test", 2007, 256, 10),
]


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
    if classes:
        assert data.labels.shape == (size,)
        assert len(np.unique(data.labels)) == classes
    else:
        assert data.labels is None
    assert all(len(text) > 3 for text in (data.description, data.citation, data.licence, data.source))


@pytest.mark.parametrize("facts", [*FACTS, *(pytest.param(facts, marks=needs_data) for facts in REMOTE)])
def test_facts(facts):
    check(lp.datasets, *facts)


@needs_data
@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="the benchmarks are not here")
@pytest.mark.parametrize("facts", FOLDER)
def test_facts_of_the_benchmarks_data(facts, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import _folder_data

    check(_folder_data, *facts)


def test_every_data_set_is_tested():
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


def test_content_is_the_same_whatever_the_line_ends():
    text = b"1 2\n3\t4  5\n"
    assert content_digest(text) == hashlib.sha256(b"1 2\n3 4 5\n").hexdigest()
    for other in (b"1 2\r\n3 4 5", b"1\t2\r\r\n\n3 4 5\n\n", b"\n1 2\n3 4 5 "):
        assert content_digest(other) == content_digest(text)
    assert content_digest(b"12\n3 4 5\n") != content_digest(text)


@pytest.fixture
def server(tmp_path_factory):
    """A server on this machine, with a table and a zip of it."""
    root = tmp_path_factory.mktemp("served")
    (root / "table.csv").write_bytes(b"a,1\nb,2\n")
    with zipfile.ZipFile(root / "table.zip", "w") as archive:
        archive.write(root / "table.csv", "table.csv")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(root))

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield root, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("LPGRAPH_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def remote(host, path, **changes):
    facts = {
        "folder": "toy",
        "names": ("table.csv",),
        "content": content_digest(path.with_suffix(".csv").read_bytes()),
        "page": "https://example.org",
        "url": f"{host}/{path.name}",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    return Remote(**(facts | changes))


@pytest.mark.parametrize("name", ["table.csv", "table.zip"])
def test_fetched_once_and_kept(server, cache, name):
    root, url = server
    file = remote(url, root / name)
    assert file.read() == b"a,1\nb,2\n"
    (root / name).write_bytes(b"gone")  # the second time the cache answers
    assert file.read() == b"a,1\nb,2\n"


@pytest.mark.parametrize(("name", "value"), [("sha256", "0" * 64), ("url", "http://no.such.host.invalid")])
def test_a_failed_download_says_what_to_do(server, cache, name, value):
    root, host = server
    with pytest.raises(DatasetError, match=r"copy table.csv from https://example.org to toy/ in .* LPGRAPH_DATA"):
        remote(host, root / "table.csv", **{name: value}).read()


def test_a_cache_that_cannot_be_written_is_named(server, cache, monkeypatch):
    root, url = server
    (cache / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache / "file"))
    with pytest.raises(DatasetError, match=r"file/lpgraph .*copy table.csv"):
        remote(url, root / "table.csv").read()


def test_the_folder_comes_first_and_is_verified(server, cache, monkeypatch):
    root, _ = server
    file = remote("http://127.0.0.1:9", root / "table.csv")
    monkeypatch.setenv("LPGRAPH_DATA", str(cache))
    (cache / "toy").mkdir()
    (cache / "toy" / "table.csv").write_bytes(b"a,1\r\nb,2")  # other line ends, the same content
    assert file.read() == b"a,1\r\nb,2"
    (cache / "toy" / "table.csv").write_bytes(b"a,1\nb,3\n")
    with pytest.raises(DatasetError, match="another checksum"):
        file.read()


def test_without_pooch_the_error_names_the_extra(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingDependencyError, match=r"lpgraph\[data\]"):
        lp.datasets.abalone()
