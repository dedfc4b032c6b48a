"""Vertex labels with unknown entries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from lpgraph._utils.checks import check_choice, is_missing, type_of, without_masked
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import index_of, listed, names_at
from lpgraph.graph.vertex_values import UnknownLabels, by_name, check_unknown_labels

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Flags
    from lpgraph.graph.names import Names

    Values = NDArray[np.generic]

#: Texts of unknown labels; numpy writes -1 and NaN so in a list of texts.
_UNKNOWN = ("", "-1", "nan")


def _is_unknown(label: object) -> bool:
    if isinstance(label, str):
        return label.strip() in _UNKNOWN
    try:
        return is_missing(label) or bool(label == -1)
    except (TypeError, ValueError):  # arrays and the like are refused as labels that are not classes
        return False


def _as_array(given: Foreign) -> Values:
    """Return labels as an array; integers and booleans of which some are missing would become floats."""
    if isinstance(given, np.ndarray | list | tuple):
        return np.asarray(without_masked(given))
    listed = getattr(given, "to_list", None) or getattr(given, "tolist", None)
    return np.asarray(without_masked(given)) if listed is None else np.fromiter(listed(), dtype=object)


def known_labels(
    y: object, names: Names, *, unknown: UnknownLabels = "warn", argument: str = "y"
) -> tuple[Values, Flags]:
    """Return the labels of all vertices and which of them are known.

    -1, None, NaN, pandas' NA, masked entries, the empty text, and the texts "-1" and "nan" (to which numpy
    converts -1 and NaN in a list of texts) mean unknown. With a mapping from names to labels, or a pandas Series
    whose index has names (see `by_name`), labels of vertices that are not in it are unknown.
    `check_unknown_labels` says what becomes of labels of vertices that the graph does not have.
    """
    check_choice("unknown", unknown, get_args(UnknownLabels))
    if y is None:
        # The first words are those that scikit-learn's checks of estimators look for.
        problem = f"VertexClassifier requires {argument} to be passed, but the target {argument} is None"
        raise ArgumentError(f"{problem}; pass one label for each vertex, or a mapping from names to labels.")
    given = by_name(y, names, argument)
    if isinstance(given, Mapping):
        index, labelled = index_of(names), [name for name, label in given.items() if not _is_unknown(label)]
        stray = [name for name in labelled if name not in index]
        check_unknown_labels(unknown, stray, len(labelled), index, where=argument)
        labels: Values = np.fromiter(map(given.get, listed(names)), dtype=object)
    else:
        labels = _as_array(given)
    if labels.ndim == 2 and labels.size == len(labels):
        what = "A column-vector y was passed when a 1d array was expected; pass y.ravel()."
        warnings.warn(what, DataConversionWarning, stacklevel=3)
        labels = labels.ravel()
    if labels.shape != (len(names),):
        problem = f"{argument} has shape {labels.shape} but the graph has {len(names)} vertices"
        raise ArgumentError(f"{problem}; pass one label for each, -1 where it is unknown, or a mapping by names.")
    known = ~np.fromiter(map(_is_unknown, labels.tolist()), dtype=bool)
    if not known.any():
        raise ArgumentError(f"{argument} has no known label of a vertex; label some vertices.")
    if labels.dtype.kind == "O" and len(set(map(type, labels[known]))) == 1:
        # Labels of one type get its dtype: ints stay ints, texts stay texts.
        kept = np.array(labels[known].tolist())
        if kept.ndim == 1:
            labels = np.zeros(len(labels), dtype=kept.dtype)
            labels[known] = kept
    return labels, known


def labels_by_name(
    labels: object, names: Names, classes: Values, unknown: UnknownLabels
) -> dict[Hashable, object]:
    """Return changed labels by name, None where they are unknown; `classes` are those of the earlier fit."""
    given = by_name(labels, names, "labels")
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"labels is {type_of(labels)}; pass a mapping, or a Series, from names to labels.")
    result: dict[Hashable, object] = dict.fromkeys(given)
    if all(map(_is_unknown, given.values())):
        return result
    found, known = known_labels(given, names, unknown=unknown, argument="labels")
    values = found[known]
    check_same_type(values, classes, "labels")
    if values.dtype.kind in "biuf" and (values.astype(classes.dtype) == values).all():
        values = values.astype(classes.dtype)  # 1.0 is the class 1
    changed = listed(names_at(names, np.flatnonzero(known)))
    return result | dict(zip(changed, values.tolist(), strict=True))


def check_are_classes(labels: Values, argument: str) -> None:
    """Refuse known labels that are not classes.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer._labels import check_are_classes
    >>> check_are_classes(np.array([0.5, 1.5]), "y")
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentError: y has labels that are no classes, such as 0.5: Unknown label type: ...
    """
    try:
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("They are not finite")
        check_classification_targets(np.sort(labels))
    except (TypeError, ValueError) as error:
        # The first sentence of scikit-learn is the one that its checks of estimators look for.
        why = str(error).partition(". ")[0].splitlines()[0]
        problem = f"{argument} has labels that are no classes, such as {labels.item(0)!r:.80}: {why}"
        raise ArgumentError(f"{problem}; pass texts or integers.") from None


def check_same_type(labels: Values, classes: Values, argument: str) -> None:
    """Refuse known labels that are texts where the classes of a fit are numbers, or the reverse: none is equal.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer._labels import check_same_type
    >>> check_same_type(np.array([1.0, 2.0]), np.array([1, 2, 3]), "y")
    >>> check_same_type(np.array(["1", "2"]), np.array([1, 2, 3]), "y")
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentError: y has the label '1', but the fit got labels like 1; pass such labels.
    """
    fitted = classes.item(0)
    for label in labels.tolist():
        if isinstance(label, str) != isinstance(fitted, str):
            problem = f"{argument} has the label {label!r}, but the fit got labels like {fitted!r}"
            raise ArgumentError(f"{problem}; pass such labels.")
