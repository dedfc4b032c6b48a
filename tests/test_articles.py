"""Articles of names in messages."""

import pytest

from lpgraph._articles import a_type, with_article


@pytest.mark.parametrize(
    ("article", "names"),
    [
        ("an", "int object ndarray Adjacency EdgeStore Isomap UnusualVertices igraph.Graph SVC ABCMeta"),
        ("a", "str float NoneType KernelPCA DiGraph Graph uint8 UnionType OneStepEmbedding PCA function X"),
    ],
)  # fmt: skip
def test_articles(article, names):
    assert [with_article(name) for name in names.split()] == [f"{article} {name}" for name in names.split()]


def test_types():
    assert [a_type(value) for value in (3, "x", None, [], object())] == [
        "an int", "a str", "a NoneType", "a list", "an object",
    ]  # fmt: skip
