"""Models as trees of JSON values and a list of arrays.

A value is None, a bool, int, float or str, a list, or an object with one key, which says its kind:

==============================  ========================================================================
key                             value
==============================  ========================================================================
``array``                       number of the array
``scalar``                      dtype and bytes of a numpy scalar
``objects``                     list of an array of objects
``sparse``                      format, whether it is an array, shape, and three arrays
``tuple``, ``dict``, ``range``  items; pairs; start, stop and step
``bytes``, ``generator``        hexadecimal text; state of a numpy generator
``long``                        number of an array with the JSON of a long list or tuple
``names``                       vertex names, see `lpgraph.storage.names`; or those of a store
``store``                       an edge store: folder, checksum of its manifest, size and direction
``object``                      the class's name, and its attributes or fields
==============================  ========================================================================
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type, with_article
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.network import NetworkElsewhere
from lpgraph.points.rows import PointRows
from lpgraph.saved.classes import REFITTED, SKLEARN_NAMES, model_fits, name_of, stored_attributes
from lpgraph.scale.names_file import FileNames
from lpgraph.scale.reference import ReferredNames, StoreReference
from lpgraph.storage.names import store_names
from lpgraph.storage.read import DTYPES
from lpgraph.storage.unread import Unread, held_fields

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GENERATORS", "NAMES", "Encoder", "refit_state"]

#: Attributes that hold vertex names.
NAMES = {"vertex_names_": None, "names": ("Adjacency", "NamedPositions", *model_fits())}
#: Bit generators whose state consists of numbers; those with a position in a buffer would not check it.
GENERATORS = ("PCG64", "PCG64DXSM", "SFC64")
#: Longer lists are stored as arrays of text, not in the header.
_LONG = 100
_PLAIN = (bool, int, float, str)


class Encoder:
    """Encoder of a model as a tree and a list of arrays.

    Attributes
    ----------
    arrays : list of ndarray
        Each array once, even if the model refers to it several times.
    """

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._numbers: dict[int, int] = {}
        self._names: dict[int, dict[str, Any]] = {}
        self._references: dict[str, StoreReference] = {}
        self._maps: dict[int, NDArray[Any]] = {}
        self._kept: list[Any] = []  # keeps objects alive, so that their ids stay unique

    def add(self, array: NDArray[Any]) -> int:
        """Store an array and return its number."""
        if id(array) not in self._numbers:
            self._kept.append(array)
            self._numbers[id(array)] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[id(array)]

    def value(self, value: Any, where: str) -> Any:
        """Return the tree of a value; `where` is its place in the model, for error messages."""
        if isinstance(value, StoreReference):
            return {"store": value.facts}
        if isinstance(value, Unread):
            value = value.read()
        if isinstance(value, NetworkElsewhere):
            return {"store": self._reference(value, where).facts}
        if value is None or type(value) in _PLAIN:
            return value
        if isinstance(value, PointRows) and value.is_double:
            value = value.doubles()  # as if it had been an array
        if isinstance(value, np.memmap):  # a view of it would be another array each time
            self._kept.append(value)
            value = self._maps.setdefault(id(value), np.asarray(value))
        if isinstance(value, np.ndarray) and not np.ma.isMaskedArray(value):
            return self._array(np.asarray(value), where)
        if isinstance(value, np.generic):
            content = np.asarray(value, value.dtype.newbyteorder("<")).tobytes().hex()
            return {"scalar": [_dtype(value.dtype, where), content]}
        if sparse.issparse(value):
            return self._sparse(value, where)
        if type(value) in (list, tuple):
            return self._sequence(value, where)
        if type(value) is dict:
            pairs = [[self.value(k, f"{where}: key"), self.value(v, f"{where}[{k!r}]")] for k, v in value.items()]
            return {"dict": pairs}
        if type(value) is range:
            return {"range": [value.start, value.stop, value.step]}
        if type(value) is bytes:
            return {"bytes": value.hex()}
        if isinstance(value, np.random.Generator) and type(value.bit_generator).__name__ in GENERATORS:
            return {"generator": self.value(value.bit_generator.state, where)}
        name = name_of(value)
        if name is None:
            raise _refused(value, where)
        return {"object": [name, self._state(value, name, where)]}

    def name(self, name: Any) -> Any:
        """Return the tree of a vertex name."""
        if type(name) is tuple:
            return {"tuple": [self.name(part) for part in name]}
        if name is None or type(name) in _PLAIN or type(name) is bytes or isinstance(name, np.generic):
            return self.value(name, "name")
        raise ArgumentTypeError(
            f"The vertex name {name!r} is {a_type(name)}, which cannot be stored without pickle; "
            "rename the vertices to str, int, float, bool, bytes or tuples of these, and fit again."
        )

    def _array(self, array: NDArray[Any], where: str) -> Any:
        if array.dtype.kind == "O":
            if array.ndim != 1:
                raise ArgumentTypeError(
                    f"{where} is an array of objects of shape {array.shape}; only one dimension can be stored."
                )
            return {"objects": self.value(array.tolist(), where)}
        _dtype(array.dtype, where)
        return {"array": self.add(array)}

    def _sparse(self, matrix: Any, where: str) -> Any:
        if matrix.format not in ("csr", "csc"):
            raise ArgumentTypeError(
                f"{where} is a sparse matrix of the format {matrix.format}; csr and csc can be stored."
            )
        parts = [self._array(part, where) for part in (matrix.data, matrix.indices, matrix.indptr)]
        return {"sparse": [matrix.format, isinstance(matrix, sparse.sparray), list(matrix.shape), parts]}

    def _sequence(self, items: Any, where: str) -> Any:
        tree = [self.value(item, f"{where}[{k}]") for k, item in enumerate(items)]
        if len(tree) > _LONG:
            text = json.dumps(tree, separators=(",", ":")).encode("ascii")
            content = np.frombuffer(text, dtype=np.uint8)
            return {"long": [type(items).__name__, self.add(content)]}
        return {"tuple": tree} if type(items) is tuple else tree

    def _state(self, value: Any, name: str, where: str) -> dict[str, Any]:
        if dataclasses.is_dataclass(value):
            # Fields only; cached properties are computed again.
            state = held_fields(value, [field.name for field in dataclasses.fields(value)])
        elif isinstance(value, tuple):
            state = value._asdict()  # type: ignore[attr-defined]  # a named tuple
        elif name in REFITTED:
            state = refit_state(value, where)
        else:
            state = stored_attributes(value)
        if name == "Pipeline" and state.get("memory") is not None:
            raise ArgumentError(
                f"{where} has memory={state['memory']!r}; call set_params(memory=None) before saving."
            )
        tree = {}
        for key, item in state.items():
            if key in NAMES and name in (NAMES[key] or (name,)):
                tree[key] = {"names": self._vertex_names(item)}
            else:
                tree[key] = self.value(item, f"{where}.{key}")
        return tree

    def _reference(self, network: NetworkElsewhere, where: str) -> StoreReference:
        """Return the reference to an edge store."""
        from lpgraph.scale.store import EdgeStore

        if not isinstance(network, EdgeStore):
            raise _refused(network, where)
        folder = str(network.folder)
        if folder not in self._references:
            self._references[folder] = StoreReference.of(network)
        return self._references[folder]

    def _vertex_names(self, names: Any) -> dict[str, Any]:
        if isinstance(names, ReferredNames):
            return {"store": names.reference.facts}
        if isinstance(names, FileNames):
            from lpgraph.scale.store import EdgeStore

            return {"store": self._reference(EdgeStore(names.path.parent), "vertex_names_").facts}
        names = names.read() if isinstance(names, Unread) else names
        if id(names) not in self._names:
            self._kept.append(names)
            self._names[id(names)] = store_names(names, self.add, self.name)
        return self._names[id(names)]


def refit_state(model: Any, where: str) -> dict[str, Any]:
    """Return the parameters and training data of a nearest-neighbor classifier."""
    state: dict[str, Any] = model.get_params(deep=False)
    if "_fit_X" not in vars(model):
        return state
    if isinstance(model.classes_, list):
        raise ArgumentError(f"{where} is {a_type(model)} of several labels; fit one to each label.")
    labels = np.asarray(model.classes_)[np.asarray(model._y).ravel()]
    return {**state, "_points": model._fit_X, "_labels": labels}


def _dtype(dtype: np.dtype[Any], where: str) -> str:
    found = dtype.newbyteorder("<").str
    if not DTYPES.fullmatch(found):
        raise ArgumentTypeError(f"{where} has dtype {dtype}; pass booleans, integers, floats or texts.")
    return found


def _refused(value: object, where: str) -> ArgumentTypeError:
    kind = type(value)
    if hasattr(value, "best_estimator_"):
        return ArgumentTypeError(f"{where} is {with_article(kind.__name__)}; save its best_estimator_.")
    what, remedy = with_article(f"{kind.__module__}.{kind.__name__}"), ""
    if hasattr(value, "get_params"):
        remedy = f" These estimators of scikit-learn can be saved: {', '.join(SKLEARN_NAMES)}."
    elif callable(value):
        what = f"the function {getattr(value, '__name__', kind.__name__)!r}"
        remedy = " Fit with a number or a named choice instead."
    return ArgumentTypeError(f"{where} is {what}, which cannot be stored without pickle.{remedy}")
