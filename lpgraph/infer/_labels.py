"""Vertex labels with unknown entries."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lpgraph._checks import check_choice
from lpgraph._html import few
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.names import index_of
from lpgraph.graph.unknown_names import alike, difference
from lpgraph.graph.vertex_values import by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["known_labels", "warn_of_labels_as_names"]


def _is_unknown(label: object) -> bool:
    if label is None or isinstance(label, str):
        return label is None or label == "-1"
    try:
        return bool(label == -1 or label != label)
    except (TypeError, ValueError):  # pandas' NA compares to nothing
        return type(label).__name__ == "NAType"


def known_labels(
    y: Any,
    names: Sequence[Any],
    *,
    unknown: Literal["error", "ignore"] = "error",
    argument: str = "y",
    option: str | None = None,
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels of all vertices and which of them are known.

    -1, None, NaN and the text "-1" (to which numpy converts -1 in a list of texts) mean unknown. With a mapping
    from names to labels, or a pandas Series whose index has names (see `by_name`), labels of vertices that are not
    in it are unknown. Labels of vertices that the graph does not have are an error, or are ignored with a warning;
    `option` is what the caller can pass to ignore them.
    """
    check_choice("unknown", unknown, ("error", "ignore"))
    if y is None:
        raise ArgumentError(
            f"VertexClassifier requires {argument} to be passed, but the target {argument} is None; pass one "
            "label for each vertex, -1 where it is unknown, or a mapping from names to labels."
        )
    if isinstance(y, str | os.PathLike):
        raise ArgumentTypeError(f"{argument}={str(y)!r} is a path; pass read_labels({str(y)!r}).")
    given = by_name(y, names, argument)
    if isinstance(given, Mapping):
        _check_strays(given, names, unknown, argument, option)
        given = [given.get(name) for name in names]
        labels = np.empty(len(given), dtype=object)
        labels[:] = given
    else:
        labels = np.asarray(given)
    if labels.ndim == 2 and labels.size == len(labels):
        from sklearn.exceptions import DataConversionWarning

        what = "A column-vector y was passed when a 1d array was expected; pass y.ravel()."
        warnings.warn(what, DataConversionWarning, stacklevel=3)
        labels = labels.ravel()
    if labels.shape != (len(names),):
        raise ArgumentError(
            f"{argument} has shape {labels.shape} but the graph has {len(names)} vertices; pass one label for "
            "each, -1 where it is unknown, or a mapping from names to labels."
        )
    if labels.dtype.kind in "iu":
        known = labels != -1
    elif labels.dtype.kind == "f":
        known = ~((labels == -1) | np.isnan(labels))
    else:
        known = ~np.fromiter(map(_is_unknown, labels.tolist()), dtype=bool, count=len(labels))
    if not known.any():
        raise ArgumentError(f"{argument} has no known label: every entry is -1, None or NaN; label some vertices.")
    if labels.dtype.kind == "O":
        # Labels of one type get its dtype: ints stay ints, texts stay texts.
        kept = np.array(labels[known].tolist())
        if kept.ndim == 1 and len({type(label) for label in labels[known]}) == 1:
            result = np.zeros(len(labels), dtype=kept.dtype)
            result[known] = kept
            labels = result
    return labels, known


def _check_strays(
    labels: Mapping[Any, object],
    names: Sequence[Any],
    unknown: Literal["error", "ignore"],
    argument: str,
    option: str | None,
) -> None:
    """Refuse or count labels of vertices that the graph does not have."""
    index = index_of(names)
    stray = [name for name in labels if name not in index]
    if not stray:
        return
    if len(stray) == len(labels):
        hint = difference(stray, index)
        if not alike(stray, index) and any(
            isinstance(label, Hashable) and label in index for label in labels.values()
        ):
            hint = f"The values of {argument} are vertices: exchange keys and values."
        raise UnknownVertexError(stray, f"No label in {argument} is for a vertex of the graph. {hint}")
    hint = alike(stray, index)
    hint = f" {hint}" if hint else ""
    if unknown == "error":
        remedy = "correct or drop them, or add their edges" + ("" if option is None else f", or pass {option}")
        raise UnknownVertexError(
            stray,
            f"{argument} has {len(labels)} vertices, and the graph lacks {len(stray)} of them; {remedy}.{hint}",
        )
    plural = "vertex" if len(stray) == 1 else "vertices"
    warn(
        f"{argument} has labels for {len(stray)} {plural} that the graph does not have, such as {stray[0]!r}; "
        f"they are ignored.{hint}",
        LpgraphWarning,
    )


def warn_of_labels_as_names(names: Sequence[Any], classes: NDArray[np.generic], argument: str, kind: str) -> None:
    """Warn if all vertices without a label are called like labels: a table of labels was read as a graph."""
    texts = set(map(str, classes.tolist()))
    if 0 < len(names) <= len(texts) and all(isinstance(name, str) and name in texts for name in names):
        warn(
            f"{argument} has no {kind} except {few(names)}, which are called like the labels. Is it the table of "
            "labels? Pass edges between vertices.",
            LpgraphWarning,
        )
