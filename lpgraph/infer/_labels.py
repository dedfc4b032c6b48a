"""Vertex labels with unknown entries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph.errors import ArgumentError, UnknownVertexError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["known_labels"]


def _is_unknown(label: Any) -> bool:
    if label is None or isinstance(label, str):
        return label is None or label == "-1"
    try:
        return bool(label == -1 or label != label)
    except (TypeError, ValueError):
        return False


def known_labels(y: Any, names: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels of all vertices and which of them are known.

    -1, None, NaN and the text "-1" (to which numpy converts -1 in a list of texts) mean unknown. With a mapping
    from names to labels, labels of vertices that are not in the mapping are unknown.
    """
    if y is None:
        raise ArgumentError(
            "VertexClassifier requires y to be passed, but the target y is None; pass one label for each vertex, "
            "-1 where it is unknown, or a mapping from names to labels."
        )
    if isinstance(y, Mapping):
        known_names = set(names)
        stray = [name for name in y if name not in known_names]
        if stray:
            raise UnknownVertexError(stray, "y has labels for vertices that the graph does not have; drop them.")
        y = [y.get(name) for name in names]
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
    else:
        labels = np.asarray(y)
    if labels.ndim == 2 and labels.size == len(labels):
        from sklearn.exceptions import DataConversionWarning

        what = "A column-vector y was passed when a 1d array was expected; pass y.ravel()."
        warnings.warn(what, DataConversionWarning, stacklevel=3)
        labels = labels.ravel()
    if labels.shape != (len(names),):
        raise ArgumentError(
            f"y has shape {labels.shape} but the graph has {len(names)} vertices; pass one label for each, "
            "-1 where it is unknown, or a mapping from names to labels."
        )
    if labels.dtype.kind in "iu":
        known = labels != -1
    elif labels.dtype.kind == "f":
        known = ~((labels == -1) | np.isnan(labels))
    else:
        known = ~np.fromiter(map(_is_unknown, labels.tolist()), dtype=bool, count=len(labels))
    if not known.any():
        raise ArgumentError("y has no known label: every entry is -1, None or NaN; label some vertices.")
    if labels.dtype.kind == "O":
        # Labels of one type get its dtype: ints stay ints, texts stay texts.
        kept = np.array(labels[known].tolist())
        if kept.ndim == 1 and len({type(label) for label in labels[known]}) == 1:
            result = np.zeros(len(labels), dtype=kept.dtype)
            result[known] = kept
            labels = result
    return labels, known
