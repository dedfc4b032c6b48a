"""Clusters of positions that were scaled to unit length."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from lpgraph.infer.features import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Array

__all__ = ["cluster_directions", "directions"]


def directions(sides: Sequence[Array], n_columns: int) -> Array:
    """Return unit vectors from the leading columns, in which both sides of a directed network count equally."""
    leading = [unit_rows(side[:, :n_columns]) for side in sides]
    return leading[0] if len(leading) == 1 else unit_rows(np.hstack(leading))


def cluster_directions(
    vectors: Array, sample: NDArray[np.intp], n_clusters: int, *, n_init: int, seed: int
) -> NDArray[np.intp]:
    """Return the clusters of unit vectors by k-means of a sample; the others get the nearest center."""
    with warnings.catch_warnings():
        # Among equal vectors there may be fewer clusters than asked for.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KMeans(n_clusters, n_init=n_init, max_iter=100, random_state=seed).fit(vectors[sample])
    return np.asarray(fitted.predict(vectors), dtype=np.intp)
