"""Labels and points with missing, masked, long, lazy and dated values, as pandas and polars have them."""

import datetime

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

CLUB = nx.karate_club_graph()
CLASSES = [int(side == "Officer") for _, side in CLUB.nodes(data="club")]
NAMES = ["c" * (k + 1) for k in CLASSES]


def without_first(values, missing=None):
    return [missing, *values[1:]]


PARTLY = {
    "series": pandas.Series(pandas.array(without_first(CLASSES), dtype="Int64")),
    "booleans": pandas.array(without_first([bool(k) for k in CLASSES]), dtype="boolean"),
    "texts": pandas.array(without_first(NAMES), dtype="string"),
    "categories": pandas.Series(pandas.Categorical(without_first(NAMES), categories=["ccc", "cc", "c"])),
    "polars": polars.Series(without_first(CLASSES)),
    "long": polars.Series(without_first(CLASSES), dtype=polars.Int128),
    "masked": np.ma.masked_array(CLASSES, [True] + [False] * 33),
    "objects": np.array(without_first(CLASSES, pandas.NA), dtype=object),
    "mapping": dict(enumerate(without_first(CLASSES, pandas.NA))),
}


@pytest.mark.parametrize("kind", PARTLY)
def test_labels_of_which_one_is_missing(kind):
    labels = PARTLY[kind]
    model = lp.VertexClassifier(lp.LaplacianSpectralEmbedding(2)).fit(CLUB, labels)
    assert len(model.classes_) == 2
    assert model.classes_.dtype.kind == {"texts": "U", "categories": "U", "booleans": "b"}.get(kind, "i")
    drawn = lp.plot.positions(np.random.default_rng(0).random((34, 2)), labels)
    named = [text.get_text() for text in drawn.get_legend().get_texts()]
    assert sorted(named)[:2] == sorted(map(str, model.classes_.tolist()))
    assert len(named) == 3  # the first has no label


@pytest.mark.parametrize(
    ("labels", "words"),
    [([np.inf, 0.0] * 17, r"y has labels .* such as inf"), (np.array(CLASSES) * 1j, "Complex")],
)
def test_complex_and_infinite_labels(labels, words):
    with pytest.raises(ArgumentError, match=words):
        lp.VertexClassifier().fit(CLUB, labels)


X = np.random.default_rng(0).random((40, 2))


DAYS = [datetime.date(2020, 1, 1 + k % 28) for k in range(40)]
REFUSED = {
    "lazy": (polars.DataFrame(X).lazy(), ArgumentTypeError),
    "dates": (polars.DataFrame({"day": DAYS, "x": X[:, 0]}), ArgumentTypeError),
    "missing": (
        pandas.DataFrame({"a": pandas.array([None, *range(39)], dtype="Int64"), "b": 1.0}),
        ArgumentTypeError,
    ),
    "one title": (pandas.DataFrame(X, columns=["a", "a"]), ArgumentError),
    "mixed titles": (pandas.DataFrame(X, columns=["a", 1]), ArgumentTypeError),
    "ragged": ([[1, 2], [3]], ArgumentError),
    "large": (np.array([["1e4000", "1"], ["2", "1"]], dtype=np.longdouble), ArgumentError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_points_that_are_refused(case):
    if case == "large" and np.finfo(np.longdouble).max == np.finfo(float).max:
        pytest.skip("long doubles are doubles here")
    points, error = REFUSED[case]
    with pytest.raises(error, match="X"):
        lp.manifold.KernelPCA(1).fit(points)
