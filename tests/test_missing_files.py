"""Errors of files that do not exist: the argument, the path, and a similar name in the folder."""

import errno
import pickle

import networkx as nx
import pytest

import lpgraph as lp
from lpgraph._articles import a_type


@pytest.mark.parametrize("read", [lp.read_graph, lp.read_labels, lp.load])
def test_the_error_names_the_path_and_a_similar_file(tmp_path, read):
    (tmp_path / "citations.csv").write_text("a,b\n")
    (tmp_path / "other.csv").write_text("a,b\n")
    wrong = tmp_path / "citatoins.csv"
    with pytest.raises(lp.errors.MissingFileError) as caught:
        read(wrong)
    meant = str(tmp_path / "citations.csv")
    told = f"path={str(wrong)!r}: there is no such file; check its path. Is {meant!r} meant?"
    assert str(caught.value) == told
    assert isinstance(caught.value, FileNotFoundError)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(wrong))
    assert str(pickle.loads(pickle.dumps(caught.value))) == told


def test_names_that_share_only_the_suffix_are_not_proposed(tmp_path):
    (tmp_path / "plain.csv").write_text("a,b\n")
    with pytest.raises(lp.errors.MissingFileError, match=r"check its path\.$"):
        lp.read_graph(tmp_path / "missing.csv")


def test_another_suffix_is_proposed(tmp_path):
    (tmp_path / "edges.tsv").write_text("a\tb\n")
    with pytest.raises(lp.errors.MissingFileError, match=r"Is '.*edges\.tsv' meant"):
        lp.read_graph(tmp_path / "edges.csv")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(lp.errors.MissingFileError, match=r"there is no folder '.*nowhere'"):
        lp.read_graph(tmp_path / "nowhere" / "edges.csv")


def test_the_argument_is_the_one_of_the_caller(tmp_path):
    model = lp.AdjacencySpectralEmbedding(2, align_to=tmp_path / "none.lpg")
    with pytest.raises(lp.errors.MissingFileError, match=r"^align_to="):
        model.fit(nx.karate_club_graph())


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("source,target\n", "it has no edges; add a line"),
        ("from,to,weight\n", "it has no edges; add a line"),
        ("u,v,weight\n", "it has no edges; add a line"),
    ],
)
def test_an_edge_list_with_titles_alone_has_a_remedy(tmp_path, content, told):
    (tmp_path / "edges.csv").write_text(content)
    with pytest.raises(lp.errors.FileFormatError, match=told):
        lp.read_graph(tmp_path / "edges.csv")


def test_a_table_of_labels_with_titles_alone_has_a_remedy(tmp_path):
    (tmp_path / "labels.csv").write_text("vertex,label\n")
    with pytest.raises(lp.errors.FileFormatError, match="a header and no rows; add a row with a name and a label"):
        lp.read_labels(tmp_path / "labels.csv")


def test_a_file_is_not_written_to_a_missing_folder(tmp_path):
    graph = lp.from_edges([0, 1], [1, 2])
    for write in (lp.write_graph, lambda model, path: lp.save(lp.AdjacencySpectralEmbedding(1).fit(model), path)):
        with pytest.raises(lp.errors.MissingFileError, match=r"there is no folder '.*none'; make it first"):
            write(graph, tmp_path / "none" / "graph.npz")


@pytest.mark.parametrize("path", [None, 3, lp.from_edges([0], [1])])
def test_what_is_no_path_is_refused_by_its_argument(path):
    model = lp.AdjacencySpectralEmbedding(1).fit(nx.path_graph(3))
    calls = [lp.read_graph, lp.load, lp.read_labels]
    calls += [lambda path: lp.save(model, path), lambda path: lp.write_graph(nx.path_graph(3), path)]
    for call in calls:
        with pytest.raises(lp.errors.ArgumentTypeError, match=rf"^path is {a_type(path)}; pass the name"):
            call(path)
