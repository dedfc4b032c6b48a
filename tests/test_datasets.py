"""Data sets: known facts, verification of files, and clear errors without a network."""

import gzip
import hashlib
import http.server
import os
import threading
import zipfile

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.datasets import fetched, folder_networks, folder_points
from lpgraph.datasets.fetch import Remote, content_digest, sha256
from lpgraph.errors import ArgumentError, DatasetError, MissingDependencyError

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
LARGE = [
    ("abalone", 4177, 7, 28),
    ("polblogs", 1490, 19022, 2),
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
FOLDER_ONLY = folder_networks.__all__ + folder_points.__all__


def check(name, size, width, classes):
    name, *options = name.split()
    data = getattr(lp.datasets, name)(*options)
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


@pytest.mark.parametrize(("name", "size", "width", "classes"), FACTS)
def test_shipped(name, size, width, classes):
    check(name, size, width, classes)


@pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="needs LPGRAPH_DATA")
@pytest.mark.parametrize(("name", "size", "width", "classes"), LARGE)
def test_from_the_folder(name, size, width, classes):
    check(name, size, width, classes)


def test_every_data_set_is_tested():
    assert {name.split()[0] for name, *_ in FACTS + LARGE} == set(lp.datasets.__all__) - {"Dataset"}


def test_sides_of_the_southern_women_never_meet():
    data = lp.datasets.southern_women()
    women = data.labels == "woman"
    assert women.sum() == 18
    assert data.graph.matrix[women][:, women].nnz == data.graph.matrix[~women][:, ~women].nnz == 0


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
    content = path.with_suffix(".csv").read_bytes()
    facts = {
        "folder": "toy",
        "names": ("table.csv",),
        "content": content_digest(content),
        "page": "https://example.org",
        "url": f"{host}/{path.name}",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    return Remote(**(facts | changes))


@pytest.mark.parametrize("name", ["table.csv", "table.zip"])
def test_fetched_once_and_kept(server, cache, name):
    root, url = server
    file = remote(url, root / name, member="table.csv" if name.endswith("zip") else None)
    assert file.read() == b"a,1\nb,2\n"
    (root / name).write_bytes(b"gone")  # the second time the cache answers
    assert file.read() == b"a,1\nb,2\n"


def test_what_was_changed_is_refused(server, cache):
    root, url = server
    with pytest.raises(DatasetError, match="does not have the expected checksum"):
        remote(url, root / "table.csv", sha256="0" * 64).read()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no.such.host.invalid"])
def test_without_a_network_the_error_says_what_to_do(server, cache, url):
    root, _ = server
    with pytest.raises(DatasetError, match=r"could not be downloaded .*check the network, or copy table.csv from"):
        remote(url, root / "table.csv").read()


def test_a_cache_that_cannot_be_written_is_named(server, cache, monkeypatch):
    root, url = server
    (cache / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache / "file"))
    words = r"file/lpgraph cannot be written \(.*\); set XDG_CACHE_HOME to another folder, or copy table.csv"
    with pytest.raises(DatasetError, match=words):
        remote(url, root / "table.csv").read()


def test_a_missing_page_is_no_data(server, cache):
    root, url = server
    with pytest.raises(DatasetError, match="HTTPError"):
        remote(url, root / "table.csv", url=f"{url}/nothing.csv").read()


def test_the_folder_comes_first_and_is_verified(server, cache, monkeypatch):
    root, _ = server
    file = remote("http://127.0.0.1:9", root / "table.csv")
    monkeypatch.setenv("LPGRAPH_DATA", str(cache))
    (cache / "toy").mkdir()
    (cache / "toy" / "table.csv").write_bytes(b"a,1\r\nb,2")  # other line ends, the same content
    assert file.read() == b"a,1\r\nb,2"
    (cache / "toy" / "table.csv").write_bytes(b"a,1\nb,3\n")
    with pytest.raises(DatasetError, match="modified or is another version"):
        file.read()


@pytest.mark.parametrize("name", FOLDER_ONLY)
def test_what_is_not_fetched_says_where_it_is(cache, monkeypatch, name):
    for folder in (None, str(cache)):
        if folder is not None:
            monkeypatch.setenv("LPGRAPH_DATA", folder)
        with pytest.raises(
            DatasetError, match=r"cannot be downloaded, .*; copy .* from .* in the folder named by LPGRAPH_DATA"
        ):
            getattr(lp.datasets, name)()


@pytest.mark.parametrize("call", [lambda: lp.datasets.drosophila("top"), lambda: lp.datasets.usps("all")])
def test_parts_that_do_not_exist(call):
    with pytest.raises(ArgumentError, match="pass one of"):
        call()


def test_packed_files_are_verified_by_what_is_in_them(cache, monkeypatch):
    monkeypatch.setenv("LPGRAPH_DATA", str(cache))
    (cache / "toy").mkdir()
    path, content = cache / "toy" / "table.tsv.gz", b"0\t1\n1\t2\n"
    file = Remote("toy", ("table.tsv.gz",), content_digest(content), "https://example.org")
    for level in (1, 9):
        path.write_bytes(gzip.compress(content, level))
        assert file.read() == content
    for wrong in (gzip.compress(b"0\t1\n1\t3\n"), gzip.compress(content)[:-9], b"0\t1\n"):
        path.write_bytes(wrong)
        with pytest.raises(DatasetError, match="modified or is another version"):
            file.read()


def test_of_files_of_numbers_every_byte_counts(cache, monkeypatch):
    monkeypatch.setenv("LPGRAPH_DATA", str(cache))
    (cache / "toy").mkdir()
    file = Remote("toy", ("table.bin",), sha256(b"\x20\x0a\x0a"), "https://example.org", digest=sha256)
    (cache / "toy" / "table.bin").write_bytes(b"\x20\x0a\x0a")
    assert file.read() == b"\x20\x0a\x0a"
    (cache / "toy" / "table.bin").write_bytes(b"\x09\x0a\x0a")  # the same fields, had it been a text
    with pytest.raises(DatasetError, match="modified"):
        file.read()


@pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="needs LPGRAPH_DATA")
def test_known_facts_of_the_folders_sets():
    worm = lp.datasets.celegans()
    kinds, counts = np.unique(worm.labels, return_counts=True)
    assert dict(zip(kinds.tolist(), counts.tolist(), strict=True)) == {"sensory": 86, "inter": 86, "motor": 107}
    assert worm.graph.names[0] == "IL2DL"
    assert lp.largest_component(lp.datasets.cora().graph).n_vertices == 2485
    faces = lp.datasets.faces()
    assert faces.parameters.shape == (698, 3)
    # Images with similar light and pose are close: the nearest neighbors have similar parameters.
    distances = np.linalg.norm(faces.points[:, None, ::16] - faces.points[None, :, ::16], axis=2)
    np.fill_diagonal(distances, np.inf)
    gaps = np.linalg.norm(faces.parameters - faces.parameters[distances.argmin(axis=1)], axis=1)
    shuffled = np.linalg.norm(faces.parameters - faces.parameters[::-1], axis=1)
    assert np.median(gaps) < np.median(shuffled) / 4
    views = lp.datasets.teapots().points
    distances = np.linalg.norm(views[:, None] - views[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    steps = (distances.argmin(axis=1) - np.arange(100)) % 100
    assert set(steps.tolist()) == {1, 99}


def test_known_facts_of_the_included_networks():
    fly = lp.datasets.drosophila()
    assert dict(zip(*np.unique(fly.labels, return_counts=True), strict=True)) == {
        "I": 21,
        "K": 101,
        "O": 29,
        "P": 58,
    }
    assert fly.graph.matrix.sum() == 25_322  # synapses
    flights = lp.datasets.flights()
    assert flights.graph.directed
    assert flights.graph.matrix.sum() == 7_009_728  # all flights of 2008
    assert list(flights.graph.names[:2]) == ["ABE", "ABI"]
    assert flights.labels[flights.graph.index["ATL"]] == "South"
    degrees = np.diff(flights.graph.matrix.indptr)
    assert degrees.max() > 20 * np.median(degrees)  # a heavy tail


def test_without_pooch_the_error_names_the_extra(cache, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingDependencyError, match=r"lpgraph\[data\]"):
        lp.datasets.abalone()


def test_pins_are_whole():
    values = [value for module in (fetched, folder_networks, folder_points) for value in vars(module).values()]
    files = [value for value in values if isinstance(value, Remote)]
    assert len(files) == 13
    for file in files:
        assert len(bytes.fromhex(file.content)) == 32
        assert (file.url is None) == (file.sha256 is None)
        assert file.url is None or len(bytes.fromhex(file.sha256)) == 32
