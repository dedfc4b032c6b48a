"""Models as trees of JSON values and a list of arrays, and back.

A value is None, a bool, number or str, a list of values, or an object {kind: content}. Values with a kind are
numbered as they are completed, and {"same": number} refers to one. Only listed classes are made. A class whose
indices compiled loops or searches do not check says by ``index_bounds()`` what they must be below.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import re
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from lpgraph._utils.checks import is_array
from lpgraph.embed.align import stored_positions
from lpgraph.embed.base import NetworkEmbedding
from lpgraph.errors import ArgumentTypeError, StoreError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.files.store import MANIFEST, checksum, open_store
from lpgraph.graph.names import index_of
from lpgraph.graph.observed import stored_pairs
from lpgraph.linalg.csr_check import csr_fault

#: A part of a model, or of its tree: its class is known by its kind only.
Part: TypeAlias = Any

#: Modules of lpgraph whose classes may be part of a model.
_OWN = re.compile(r"lpgraph\.(graph|points|spectral|models|embed|joint|manifold|infer)(\.[a-z_]+)+")
#: Estimators of scikit-learn that consist of arrays and numbers. Trees, forests and kernel machines contain
#: compiled structures, which could read other memory if a file is damaged or malicious.
_SKLEARN = {
    "decomposition": ("PCA",),
    "discriminant_analysis": ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    "dummy": ("DummyClassifier",),
    "frozen": ("FrozenEstimator",),
    "linear_model": ("LogisticRegression", "RidgeClassifier"),
    "mixture": ("GaussianMixture",),
    "naive_bayes": ("GaussianNB",),
    "neighbors": ("KNeighborsClassifier", "NearestCentroid", "RadiusNeighborsClassifier"),
    "pipeline": ("Pipeline",),
    "preprocessing": ("LabelBinarizer", "MinMaxScaler", "Normalizer", "RobustScaler", "StandardScaler"),
    "svm": ("LinearSVC",),
}
SKLEARN = {f"sklearn.{module}:{kind}" for module, kinds in _SKLEARN.items() for kind in kinds}
#: Classifiers that are fitted again to their training data, because their search structures are compiled.
_REFITTED = ("sklearn.neighbors:KNeighborsClassifier", "sklearn.neighbors:RadiusNeighborsClassifier")
_SPARSE: dict[str, type[Part]] = {
    kind.__name__: kind for kind in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix)
}
#: Attributes that hold the names of vertices, which cannot be changed.
_NAMES = ("names", "vertex_names_")
#: Attributes that are computed from others.
_DERIVED = ("_fitted_names", "vertex_index_")
#: Parameters that only another fit needs: one is large and possibly confidential, one the folder of a cache.
_LEFT_OUT = {"covariates", "memory"}


def _name_of(value: object) -> str | None:
    """Return the name under which a value's class is stored, or None if it cannot be stored."""
    module, kind = type(value).__module__, type(value).__name__
    name = f"{module.partition('._')[0] if module.startswith('sklearn.') else module}:{kind}"
    return name if _class_of(name) is type(value) else None


@cache
def _class_of(name: str) -> type[Part] | None:
    """Return the class that is stored under a name, or None if none is: no other is ever made."""
    module, _, kind = name.partition(":")
    if name not in SKLEARN and not _OWN.fullmatch(module):
        return None
    found = vars(importlib.import_module(module)).get(kind)
    if isinstance(found, type) and (name in SKLEARN or found.__module__ == module):
        is_data = dataclasses.is_dataclass(found) or hasattr(found, "_fields") or issubclass(found, BaseEstimator)
        return found if is_data else None
    return None


class Encoder:
    """Encoder of a model as a tree and a list of arrays.

    Attributes
    ----------
    arrays : list of ndarray
        Each array once, even if the model refers to it several times.
    """

    def __init__(self) -> None:
        self.arrays: list[NDArray[np.generic]] = []
        self._seen: dict[int, tuple[int, object]] = {}  # with the values, so that their ids stay unique

    def value(self, value: Part, where: str) -> Part:
        """Return the tree of a value; `where` is its place in the model, for error messages."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.random.Generator | np.random.RandomState):
            return None  # only another fit needs it
        if type(value) is list:
            return [self.value(item, f"{where}[{k}]") for k, item in enumerate(value)]
        if id(value) in self._seen:
            return {"same": self._seen[id(value)][0]}
        kind, content = self._parts(value, where)
        if kind == "dict":
            tree = [[self.value(key, where), self.value(item, f"{where}.{key}")] for key, item in content]
        elif type(content) is list:
            tree = [self.value(item, where) for item in content]
        else:
            tree = self.value(content, where)
        self._seen[id(value)] = len(self._seen), value
        return {kind: tree}

    def _parts(self, value: Part, where: str) -> tuple[str, Part]:
        """Return the kind of a value, and the simpler values from which `Decoder` makes it."""
        if type(value) is tuple:
            return "tuple", list(value)
        if type(value) is dict:
            return "dict", value.items()
        if type(value) is range:
            return "range", [value.start, value.stop, value.step]
        if isinstance(value, np.generic):
            return "scalar", np.asarray(value).reshape(1)
        if type(value) in (np.ndarray, np.memmap):
            if value.dtype != object:
                self.arrays.append(value)
                return "array", len(self.arrays) - 1
            if value.ndim == 1:
                return "objects", value.tolist()
        if type(value) in _SPARSE.values():
            return "sparse", [type(value).__name__, *value.shape, value.data, value.indices, value.indptr]
        name = _name_of(value)
        if name is None:
            raise ArgumentTypeError(
                f"{where} is of type {type(value).__name__}, which cannot be stored; pass a number, an "
                "array, a named choice, or an estimator that the Notes of lpgraph.save list."
            )
        if getattr(value, "store", None) is not None:
            return "store", [str(value.store), checksum(value.store / MANIFEST)]
        return "object", [name, _state(value, name)]


def _state(value: Part, name: str) -> dict[str, Part]:
    """Return what is stored of an object."""
    if dataclasses.is_dataclass(value) and not isinstance(value, BaseEstimator):  # without cached properties
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
    if isinstance(value, tuple):
        return value._asdict()  # type: ignore[attr-defined,no-any-return]  # a named tuple
    if name in _REFITTED:
        state: dict[str, Part] = value.get_params(deep=False)
        if "_fit_X" not in vars(value):
            return state
        labels = np.asarray(value.classes_)[np.asarray(value._y).ravel()]
        return {**state, "_training": (value._fit_X, labels)}
    state = {key: None if key in _LEFT_OUT else held for key, held in vars(value).items() if key not in _DERIVED}
    for key, reduced in (("align_to", stored_positions), ("observed", stored_pairs), ("unobserved", stored_pairs)):
        if key in state:
            state[key] = reduced(state[key])
    return state


class Decoder:
    """Decoder of the tree of a model; what does not fit raises an error, of any type.

    Parameters
    ----------
    archive : ZipFile
        It has the arrays.
    place : path, optional
        Where the edge store of the model is now.
    """

    def __init__(self, archive: zipfile.ZipFile, place: str | os.PathLike[str] | None) -> None:
        self._archive, self._place = archive, place
        self._made: list[Part] = []
        self._makers: dict[str, Callable[[Part], Part]] = {
            "tuple": tuple,
            "dict": dict,
            "range": lambda ends: range(*ends),
            "scalar": lambda array: array[0],
            "array": self._array,
            "objects": partial(np.fromiter, dtype=object),
            "sparse": _sparse,
            "store": self._store,
            "object": self._object,
        }

    def member(self, name: str) -> IO[bytes]:
        """Open a member; zipfile compares its checksum when it has been read."""
        info = self._archive.getinfo(name)
        if info.compress_type != zipfile.ZIP_STORED:  # some bytes could become all of the memory
            raise ValueError(f"{name} is compressed")
        return self._archive.open(info)

    def value(self, tree: Part) -> Part:
        """Return the value of a tree."""
        match tree:
            case list():
                return [self.value(item) if isinstance(item, list | dict) else item for item in tree]
            case dict():
                ((kind, content),) = tree.items()
                if kind == "same":
                    return self._made[content]
                self._made.append(self._makers[kind](self.value(content)))
                return self._made[-1]
        return tree

    def _array(self, number: int) -> NDArray[np.generic]:
        with self.member(f"a{int(number)}.npy") as file:
            array: NDArray[np.generic] = np.lib.format.read_array(file, allow_pickle=False)
            file.read(1)  # at the end, the checksum is compared
        # Compiled code relies on booleans that are 0 or 1.
        return array.view(np.uint8) != 0 if array.dtype.kind == "b" else array

    def _store(self, content: list[str]) -> Adjacency:
        folder, expected = content
        place = Path(folder if self._place is None else self._place)
        if not (place / MANIFEST).is_file() or checksum(place / MANIFEST) != expected:
            raise StoreError(
                f"The model is of the edge store {place}, which is not there, or is another one by now; pass the "
                "folder as load(path, store=...)."
            )
        return open_store(place)

    def _object(self, content: list[Part]) -> Part:
        name, state = content
        kind = _class_of(name)
        if kind is None:
            raise ValueError(f"the class {name!r:.80} cannot be part of a model")
        if name in _REFITTED:
            training, made = state.pop("_training", None), kind(**state)
            return made.fit(*training) if training else made
        made = _estimator(kind, state) if issubclass(kind, BaseEstimator) else kind(**state)
        if hasattr(kind, "index_bounds"):
            for indices, bound in made.index_bounds():
                if np.size(indices) and not (np.min(indices) >= 0 and np.max(indices) < bound):
                    raise ValueError(f"a {kind.__name__} has indices beyond {bound}")
        for key in _NAMES:
            if is_array(state.get(key)):  # one array for a graph and its model
                state[key].setflags(write=False)
                object.__setattr__(made, key, state[key])
        return made


def _estimator(kind: type[Part], state: dict[str, Part]) -> Part:
    parameters = set(kind._get_param_names())
    wrong = [key for key in state if key.startswith("__") or callable(getattr(kind, key, None))]
    if wrong or not parameters <= set(state):
        raise ValueError(f"a {kind.__name__} has other attributes than that of this version")
    if issubclass(kind, NetworkEmbedding) and "vertex_names_" in state:
        state["vertex_index_"] = index_of(state["vertex_names_"])
    model = object.__new__(kind)
    vars(model).update(state, _fitted_names=tuple(set(state) - parameters))
    return model


def _sparse(parts: list[Part]) -> Part:
    kind, rows, columns, data, indices, indptr = parts
    # Compiled code does not check these indices.
    fault = csr_fault(indptr, indices, *((rows, columns) if kind.startswith("csr") else (columns, rows)), data)
    if fault or data.dtype.kind not in "biuf":
        raise ValueError(f"a sparse matrix is not valid: {fault or data.dtype}")
    return _SPARSE[kind]((data, indices, indptr), shape=(rows, columns))
