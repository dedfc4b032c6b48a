"""Every writer: regular files replaced with their mode, devices and pipes written to, no drafts left."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from unittest.mock import patch

import pytest

import lpgraph as lp
from lpgraph._utils.files import replace_file, written
from lpgraph.cli.run import run
from lpgraph.demo import DemoResult, draw
from lpgraph.errors import ArgumentError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and permissions are not POSIX's")
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")

GRAPH = lp.from_edges([0, 1, 2, 0], [1, 2, 3, 3])
MODEL = lp.AdjacencySpectralEmbedding(1).fit(GRAPH)

#: Each writes a file whose name ends in its suffix.
WRITERS = {
    ".lpg": lambda path: lp.save(MODEL, path),
    ".csv": lambda path: lp.write_graph(GRAPH, path),
    ".csv.gz": lambda path: lp.write_graph(GRAPH, path),
    ".html": lambda path: lp.report(GRAPH, n_clusters=1).save(path),
    ".table.csv": lambda path: cli("embed", GRAPH, "-d", "1", "-o", path),
    ".json": lambda path: cli("embed", GRAPH, "-d", "1", "-o", path),
    ".png": lambda path: cli("plot", "scree", GRAPH, "-d", "1", "-o", path),
    ".demo.png": lambda path: draw(DemoResult("two", 0.0, 0.0, 0.1, MODEL, GRAPH.matrix[:1]), path),
}


def cli(*arguments):
    path = arguments[-1].with_name("input.csv")
    lp.write_graph(GRAPH, path)
    code = run([str(path) if word is GRAPH else str(word) for word in arguments])
    path.unlink()
    if code:
        raise OSError(code, "the command failed")


@pytest.fixture(params=WRITERS)
def writer(request, tmp_path):
    return WRITERS[request.param], tmp_path / f"file{request.param}"


def assert_no_drafts(folder):
    assert [name for name in os.listdir(folder) if name.startswith(".")] == []


def test_mode_stays(writer):
    write, path = writer
    umask = os.umask(0o027)
    write(path)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    content = path.read_bytes()
    path.write_bytes(b"old")
    path.chmod(0o600)
    before = path.stat()
    write(path)
    after = path.stat()
    assert path.read_bytes() == content
    assert before.st_ino != after.st_ino  # a new file: a reader of the old one is not disturbed
    assert stat.S_IMODE(after.st_mode) == 0o600
    assert_no_drafts(path.parent)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root")
def test_group_stays(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    os.chown(path, -1, 12345)
    replace_file(path, b"new")
    assert (path.stat().st_gid, stat.S_IMODE(path.stat().st_mode)) == (12345, 0o640)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root")
def test_a_device_is_written_to(writer):
    write, path = writer
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # as /dev/null
    before = path.stat()
    write(path)
    after = path.stat()
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)
    assert_no_drafts(path.parent)


def test_a_pipe_is_written_to(writer):
    write, path = writer
    write(path)
    expected = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    found = path.with_name("read.lpg")
    reader = threading.Thread(target=lambda: found.write_bytes(path.read_bytes()))
    reader.start()
    write(path)
    reader.join(60)
    assert stat.S_ISFIFO(path.stat().st_mode)
    if path.suffix == ".lpg":  # a zip in a pipe has sizes after its members
        assert lp.load(found) is not None
    else:
        assert found.read_bytes() == expected


@needs_proc
def test_standard_output_is_continued(tmp_path):
    target = tmp_path / "out.csv"
    target.write_bytes(b"kept\n")
    lp.write_graph(GRAPH, tmp_path / "graph.csv")
    with open(target, "ab") as file:
        command = [sys.executable, "-m", "lpgraph", "convert", str(tmp_path / "graph.csv"), "/dev/stdout"]
        subprocess.run([*command, "--to", "csv"], stdout=file, check=True)
    assert target.read_bytes() == b"kept\n" + (tmp_path / "graph.csv").read_bytes()


def test_a_folder_is_refused(writer):
    write, path = writer
    path.mkdir()
    with pytest.raises((ArgumentError, OSError)):
        write(path)
    assert_no_drafts(path.parent)


def test_models_are_loaded_from_regular_files_only(tmp_path):
    os.mkfifo(tmp_path / "pipe.lpg")
    with pytest.raises(ArgumentError, match="is no regular file"):
        lp.load(tmp_path / "pipe.lpg")


def test_graphs_are_read_from_pipes(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"0,1\n1,2\n"))
    writer.start()
    assert lp.read_graph(pipe).n_edges == 2
    writer.join(60)


def test_a_draft_is_never_open_to_more_users_than_the_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"secret")
    for mode in (0o600, 0o640, 0o400):
        path.chmod(mode)
        with written(path) as file:
            file.write(b"secret")
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize(("name", "number"), [("fsync", errno.ENOSPC), ("open", errno.EACCES)])
def test_an_error_leaves_the_old_file_and_no_draft(tmp_path, name, number):
    path, error = tmp_path / "file", OSError(number, os.strerror(number))
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="in the block"), written(path):
        raise RuntimeError("in the block")
    with patch.object(os, name, side_effect=error), pytest.raises(OSError, match=rf"{error.strerror}: '.*file'"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert_no_drafts(tmp_path)


def test_a_long_name_and_a_dangling_link(tmp_path):
    replace_file(tmp_path / ("a" * 250), b"1")
    (tmp_path / "link").symlink_to("target")
    replace_file(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"2"
