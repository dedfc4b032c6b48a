"""Labels of the points that a model of the largest component keeps."""

from __future__ import annotations

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.manifold import Isomap

pandas = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def model():
    # 30 points far from 50 others, which come later.
    points = np.random.default_rng(0).normal(size=(80, 3)) + np.repeat([0, 100], [30, 50])[:, None]
    return Isomap(2, n_neighbors=5, components="largest").fit(points)


@pytest.mark.parametrize("kind", [list, np.array, pandas.Series])
def test_labels_of_all_points_are_refused(model, kind):
    labels = kind(["a", "b"] * 40)
    with pytest.raises(
        ArgumentError, match=r"80 values and the model has positions of 50 points.*\[model.kept_\]"
    ):
        lp.plot.positions(model, labels)


@pytest.mark.parametrize("kind", [np.array, pandas.Series])
def test_the_remedy_works(model, kind):
    given = np.repeat(["a", "b", "c"], [30, 20, 30])
    picture = lp.plot.positions(model, kind(given)[model.kept_])
    _, sizes = np.unique(picture.collections[0].get_facecolor(), axis=0, return_counts=True)
    assert sorted(sizes) == [20, 30]
