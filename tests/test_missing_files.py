"""Errors of files that do not exist: the argument, the path, and the folder."""

import errno
import pickle

import networkx as nx
import pytest

import lpgraph as lp
from lpgraph._utils.checks import type_of


@pytest.mark.parametrize("read", [lp.read_graph, lp.read_labels, lp.load])
def test_the_error_names_the_path(tmp_path, read):
    wrong = tmp_path / "citatoins.csv"
    with pytest.raises(lp.errors.MissingFileError) as caught:
        read(wrong)
    told = str(caught.value)
    assert told.startswith(f"path={str(wrong)!r}")
    assert isinstance(caught.value, FileNotFoundError)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(wrong))
    assert str(pickle.loads(pickle.dumps(caught.value))) == told


def test_a_file_is_not_written_to_a_missing_folder(tmp_path):
    graph = lp.from_edges([0, 1], [1, 2])
    for write in (lp.write_graph, lambda model, path: lp.save(lp.AdjacencySpectralEmbedding(1).fit(model), path)):
        with pytest.raises(lp.errors.MissingFileError, match=r"there is no folder '.*none'"):
            write(graph, tmp_path / "none" / "graph.npz")


@pytest.mark.parametrize("path", [None, 3, lp.from_edges([0], [1])])
def test_what_is_no_path_is_refused_by_its_argument(path):
    model = lp.AdjacencySpectralEmbedding(1).fit(nx.path_graph(3))
    calls = [lp.read_graph, lp.load, lp.read_labels]
    calls += [lambda path: lp.save(model, path), lambda path: lp.write_graph(nx.path_graph(3), path)]
    for call in calls:
        with pytest.raises(lp.errors.ArgumentTypeError, match=rf"^path is {type_of(path)}; pass the name"):
            call(path)
