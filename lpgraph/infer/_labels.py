"""Vertex labels with unknown entries."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._articles import a_type
from lpgraph._checks import is_missing, without_masked
from lpgraph._html import few
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.names import index_of, listed, names_at
from lpgraph.graph.unknown_labels import UnknownLabels, check_unknown_labels, check_unknown_rule
from lpgraph.graph.unknown_names import alike, difference
from lpgraph.graph.vertex_values import by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.names import Names

__all__ = ["check_are_classes", "check_same_type", "known_labels", "labels_by_name", "warn_of_labels_as_names"]

#: Numbers of classes from which on labels may be ids.
_MANY = 100


#: Texts of unknown labels; numpy writes -1 and NaN so in a list of texts.
_UNKNOWN = ("", "-1", "nan")


def _is_unknown(label: object) -> bool:
    if label is None or isinstance(label, str):
        return label is None or label.strip() in _UNKNOWN
    try:
        return is_missing(label) or bool(label == -1)
    except (TypeError, ValueError):  # arrays and the like are refused as labels that are not classes
        return False


def _as_array(given: Any) -> NDArray[Any]:
    """Return labels as an array; integers and booleans of which some are missing would become floats."""
    dtype = getattr(given, "dtype", None)
    whole = getattr(dtype, "is_integer", None)  # of polars
    nullable = not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "") in tuple("iub")  # of pandas
    if nullable or (whole is not None and whole()):
        listed = given.to_list() if hasattr(given, "to_list") else given.tolist()
        found = np.empty(len(listed), dtype=object)
        found[:] = listed
        return found
    return np.asarray(without_masked(given))


def known_labels(
    y: Any,
    names: Names,
    *,
    unknown: UnknownLabels = "warn",
    argument: str = "y",
    option: str = "unknown={!r}",
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels of all vertices and which of them are known.

    -1, None, NaN, pandas' NA, masked entries, the empty text, and the texts "-1" and "nan" (to which numpy
    converts -1 and NaN in a list of texts) mean unknown. With a mapping from names to labels, or a pandas Series
    whose index has names (see `by_name`), labels of vertices that are not in it are unknown.
    `check_unknown_labels` says what becomes of labels of vertices that the graph does not have, and `option` is
    what the caller passes to choose that.
    """
    check_unknown_rule(unknown)
    if y is None:
        raise ArgumentError(
            f"VertexClassifier requires {argument} to be passed, but the target {argument} is None; pass one "
            "label for each vertex, -1 where it is unknown, or a mapping from names to labels."
        )
    if isinstance(y, str | os.PathLike):
        raise ArgumentTypeError(f"{argument}={str(y)!r} is a path; pass read_labels({str(y)!r}).")
    given = by_name(y, names, argument)
    if isinstance(given, Mapping):
        if not given:
            raise ArgumentError(f"{argument} is an empty mapping; pass the labels of some vertices.")
        _check_strays(given, names, unknown, argument, option)
        given = [given.get(name) for name in listed(names)]
        labels = np.empty(len(given), dtype=object)
        labels[:] = given
    else:
        labels = _as_array(given)
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
        raise ArgumentError(
            f"{argument} has no known label: every entry is -1, empty or missing; label some vertices."
        )
    if labels.dtype.kind == "O":
        # Labels of one type get its dtype: ints stay ints, texts stay texts.
        kept = np.array(labels[known].tolist())
        if kept.ndim == 1 and len({type(label) for label in labels[known]}) == 1:
            result = np.zeros(len(labels), dtype=kept.dtype)
            result[known] = kept
            labels = result
    return labels, known


def labels_by_name(
    labels: Any, names: Names, classes: NDArray[np.generic], unknown: UnknownLabels
) -> dict[Any, object]:
    """Return changed labels by name, None where they are unknown; `classes` are those of the earlier fit."""
    given = by_name(labels, names, "labels")
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"labels is {a_type(labels)}; pass a mapping, or a Series, from names to labels.")
    result: dict[Any, object] = dict.fromkeys(given)
    named = {name: label for name, label in given.items() if not _is_unknown(label)}
    if named:
        option = "VertexClassifier(unknown={!r})"
        found, known = known_labels(named, names, unknown=unknown, argument="labels", option=option)
        check_same_type(found[known], classes, "labels")
        values = found[known]
        if values.dtype.kind in "biuf" and (values.astype(classes.dtype) == values).all():
            values = values.astype(classes.dtype)  # 1.0 is the class 1
        changed = listed(names_at(names, np.flatnonzero(known)))
        result |= dict(zip(changed, values.tolist(), strict=True))
    return result


def check_are_classes(labels: NDArray[np.generic], argument: str) -> None:
    """Refuse known labels that are not classes, or seem to be ids.

    Ids are over 100 classes, with fewer than two labels of each on average.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer._labels import check_are_classes
    >>> check_are_classes(np.array([1, "one"], dtype=object), "y")
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentError: y has labels of the types int and str; pass all of them as texts.
    """
    from sklearn.utils.multiclass import check_classification_targets

    _check_no_ids(labels, argument)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ArgumentError(f"{argument} has the label inf, which is not a class; pass texts or integers.")
    try:
        check_classification_targets(labels)
        np.sort(labels)
    except (TypeError, ValueError) as error:
        raise _not_classes(labels.tolist(), argument, str(error)) from None


def check_same_type(labels: NDArray[np.generic], classes: NDArray[np.generic], argument: str) -> None:
    """Refuse known labels that are texts where the classes of a fit are numbers, or the reverse: none is equal.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer._labels import check_same_type
    >>> check_same_type(np.array([1.0, 2.0]), np.array([1, 2, 3]), "y")
    >>> check_same_type(np.array(["1", "2"]), np.array([1, 2, 3]), "y")
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentError: y has the label '1' (str), but the fit got labels like 1 (int); pass such labels.
    """
    fitted = classes.tolist()[0]
    for label in labels.tolist():
        if isinstance(label, str) != isinstance(fitted, str):
            raise ArgumentError(
                f"{argument} has the label {label!r} ({type(label).__name__}), but the fit got labels like "
                f"{fitted!r} ({type(fitted).__name__}); pass such labels."
            )


def _check_no_ids(labels: NDArray[np.generic], argument: str) -> None:
    try:
        values = set(labels.tolist())
    except TypeError:  # lists and the like are refused as labels that are not classes
        return
    if any(isinstance(value, float) and not value.is_integer() for value in values):
        return  # so are numbers that are not whole
    count = len(values)
    if count > _MANY and 2 * count > len(labels):
        raise ArgumentError(
            f"{argument} has {count} different labels for {len(labels)} labelled vertices; pass the column of "
            "classes, not of ids."
        )


def _not_classes(labels: Sequence[object], argument: str, why: str) -> ArgumentError:
    """Return the error of labels that scikit-learn, or a sort, refuses for the reason `why`."""
    kinds = sorted({type(label).__name__ for label in labels})
    what = f"{argument} has labels that are not classes"
    for label in labels:
        if not isinstance(label, Hashable) or isinstance(label, tuple | frozenset):
            return ArgumentError(f"{what}, such as {label!r}; pass one text or integer for each vertex.")
        if len(kinds) == 1 and isinstance(label, float) and not label.is_integer():
            # The first sentence of scikit-learn is the one that its checks of estimators look for.
            return ArgumentError(f"{what}, such as {label!r}: {why.partition('. ')[0]}; pass texts or integers.")
    if len(kinds) > 1:
        return ArgumentError(
            f"{argument} has labels of the types {' and '.join(kinds)}; pass all of them as texts."
        )
    if isinstance(labels[0], bytes):
        return ArgumentError(f"{what}: {why}")
    return ArgumentError(
        f"{what}, such as {labels[0]!r:.80}, {a_type(labels[0])}: {why.partition('. ')[0].splitlines()[0]}; pass "
        f"texts, such as [str(label) for label in {argument}], or integers below 2**63."
    )


def _check_strays(
    labels: Mapping[Any, object], names: Names, unknown: UnknownLabels, argument: str, option: str
) -> None:
    """Refuse or count labels of vertices that the graph does not have."""
    index = index_of(names)
    if not any(name in index for name in labels):
        hint = difference(list(labels), index)
        if not alike(list(labels), index) and any(
            isinstance(label, Hashable) and label in index for label in labels.values()
        ):
            hint = f"The values of {argument} are vertices: exchange keys and values."
        raise UnknownVertexError(list(labels), f"No label in {argument} is for a vertex of the graph. {hint}")
    given = [name for name, label in labels.items() if not _is_unknown(label)]
    stray = [name for name in given if name not in index]
    check_unknown_labels(unknown, stray, len(given), index, where=argument, option=option)


def warn_of_labels_as_names(names: Names, classes: NDArray[np.generic], argument: str, kind: str) -> None:
    """Warn if all vertices without a label are called like labels: a table of labels was read as a graph."""
    texts = set(map(str, classes.tolist()))
    if 0 < len(names) <= len(texts) and all(isinstance(name, str) and name in texts for name in listed(names)):
        warn(
            f"{argument} has no {kind} except {few(names)}, which are called like the labels. Is it the table of "
            "labels? Pass edges between vertices.",
            LpgraphWarning,
        )
