"""Models as trees of JSON values and a list of arrays.

A value is None, a bool, number or str, a list, or an object with one key, which says its kind; see
`Encoder.value`. What occurs twice is stored once.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from scipy import sparse

from lpgraph.embed.align import stored_positions
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.files.store import MANIFEST, checksum
from lpgraph.graph.observed import stored_pairs
from lpgraph.saved.classes import REFITTED, SKLEARN_NAMES, name_of

__all__ = ["GENERATORS", "KINDS", "NAMES", "Encoder"]

#: Attributes that hold the names of vertices.
NAMES = ("names", "vertex_names_")
#: Attributes that are computed from others, and not stored.
_DERIVED = ("_fitted_names", "vertex_index_")
#: Kinds of the types of arrays.
KINDS = "biufcSU"
#: Bit generators whose state consists of numbers; those with a position in a buffer would not check it.
GENERATORS = ("PCG64", "PCG64DXSM", "SFC64")


class Encoder:
    """Encoder of a model as a tree and a list of arrays.

    Attributes
    ----------
    arrays : list of ndarray
        Each array once, even if the model refers to it several times.
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []  # keeps objects alive, so that their ids stay unique

    def value(self, value: Any, where: str) -> Any:
        """Return the tree of a value; `where` is its place in the model, for error messages."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return [self.value(item, f"{where}[{k}]") for k, item in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": [self.value(item, f"{where}[{k}]") for k, item in enumerate(value)]}
        if type(value) is dict:
            items = value.items()
            return {"dict": [[self.value(k, f"{where}: key"), self.value(v, f"{where}[{k!r}]")] for k, v in items]}
        if type(value) is range:
            return {"range": [value.start, value.stop, value.step]}
        if type(value) is bytes:
            return {"bytes": value.hex()}
        if isinstance(value, np.generic):
            return {"scalar": self._once(np.asarray(value).reshape(1), where)}
        if isinstance(value, np.random.Generator) and type(value.bit_generator).__name__ in GENERATORS:
            return {"generator": self.value(value.bit_generator.state, where)}
        if isinstance(value, np.ndarray) and not np.ma.isMaskedArray(value):
            return {"array": self._once(value, where)}
        if id(value) in self._numbers:
            return {"same": self._numbers[id(value)]}
        self._kept.append(value)
        tree: dict[str, Any] = self._sparse(value, where) if sparse.issparse(value) else self._object(value, where)
        self._numbers[id(value)] = len(self._numbers)
        return {**tree, "number": self._numbers[id(value)]}

    def _once(self, array: np.ndarray[Any, Any], where: str) -> Any:
        """Return the number of an array, or the list of an array of objects."""
        if array.dtype.kind == "O":
            if array.ndim != 1:
                raise ArgumentTypeError(
                    f"{where} is an array of objects of shape {array.shape}; pass one dimension."
                )
            texts = array.tolist()
            if not texts or not all(type(text) is str for text in texts):
                return [self.value(item, f"{where}[{k}]") for k, item in enumerate(texts)]
            if id(array) not in self._numbers:
                parts = [text.encode("utf-8", "surrogatepass") for text in texts]
                self._add(np.frombuffer(b"".join(parts), np.uint8), array)
                self.arrays.append(np.cumsum([len(part) for part in parts]))
            return {"texts": self._numbers[id(array)]}  # and the next array: where each text ends
        if array.dtype.kind not in KINDS:
            raise ArgumentTypeError(f"{where} has dtype {array.dtype}; pass booleans, integers, floats or texts.")
        return self._add(array, array)

    def _add(self, array: np.ndarray[Any, Any], shared: object) -> int:
        if id(shared) not in self._numbers:
            self._kept.append(shared)
            self._numbers[id(shared)] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[id(shared)]

    def _sparse(self, matrix: Any, where: str) -> dict[str, Any]:
        if matrix.format not in ("csr", "csc"):
            raise ArgumentTypeError(
                f"{where} is a sparse matrix of the format {matrix.format}; csr and csc can be."
            )
        parts = [self._once(np.asarray(part), where) for part in (matrix.data, matrix.indices, matrix.indptr)]
        return {"sparse": [matrix.format, isinstance(matrix, sparse.sparray), list(matrix.shape), parts]}

    def _object(self, value: Any, where: str) -> dict[str, Any]:
        name = name_of(value)
        if name is None:
            raise _refused(value, where)
        store = getattr(value, "store", None)
        if store is not None:
            return {"store": [str(store), checksum(store / MANIFEST)]}
        if name.endswith(":ProductNetwork"):
            raise ArgumentError(
                f"{where} is {value!r}, whose edges are on other machines; fit to a store, and save."
            )
        if dataclasses.is_dataclass(value):
            # Fields only; cached properties are computed again.
            state = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        elif isinstance(value, tuple):
            state = value._asdict()  # type: ignore[attr-defined]  # a named tuple
        else:
            state = _refit_state(value, where) if name in REFITTED else _stored(value)
        for key in NAMES:
            names = state.get(key)
            if (
                isinstance(names, np.ndarray)
                and names.dtype.kind == "O"
                and not all(type(one) is str for one in names)
            ):
                raise ArgumentTypeError(
                    f"{where}.{key} has names such as {names[0]!r}, and a file keeps texts or integers; rename "
                    "the vertices, as by names=list(map(str, names)), and fit again."
                )
        if name == "Pipeline" and state.get("memory") is not None:
            raise ArgumentError(
                f"{where} has memory={state['memory']!r}; call set_params(memory=None) before saving."
            )
        return {"object": [name, {key: self.value(item, f"{where}.{key}") for key, item in state.items()}]}


def _stored(estimator: Any) -> dict[str, Any]:
    """Return the attributes of an estimator that are stored."""
    state = {key: held for key, held in vars(estimator).items() if key not in _DERIVED}
    for key, reduced in (("align_to", stored_positions), ("observed", stored_pairs), ("unobserved", stored_pairs)):
        if key in state:
            state[key] = reduced(state[key])
    if "covariates" in state:  # large, possibly confidential, and needed by another fit only
        state["covariates"] = None
    return state


def _refit_state(model: Any, where: str) -> dict[str, Any]:
    """Return the parameters and training data of a nearest-neighbor classifier."""
    state: dict[str, Any] = model.get_params(deep=False)
    if "_fit_X" not in vars(model):
        return state
    if isinstance(model.classes_, list):
        raise ArgumentError(f"{where} has several labels; fit one to each label.")
    labels = np.asarray(model.classes_)[np.asarray(model._y).ravel()]
    return {**state, "_points": model._fit_X, "_labels": labels}


def _refused(value: object, where: str) -> ArgumentTypeError:
    kind = type(value)
    if hasattr(value, "best_estimator_"):
        return ArgumentTypeError(f"{where} is of type {kind.__name__}; save its best_estimator_.")
    what, remedy = f"of type {kind.__module__}.{kind.__name__}", ""
    if hasattr(value, "get_params"):
        remedy = f" These estimators of scikit-learn can be saved: {', '.join(SKLEARN_NAMES)}."
    elif callable(value):
        what = f"the function {getattr(value, '__name__', kind.__name__)!r}"
        remedy = " Fit with a number or a named choice instead."
    return ArgumentTypeError(f"{where} is {what}, which cannot be stored without pickle.{remedy}")
