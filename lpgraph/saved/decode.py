"""Decoding of models from trees and arrays; only listed classes are made, from checked values."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph.errors import ModelFileError
from lpgraph.graph.names import index_of
from lpgraph.linalg.csr_check import csr_fault
from lpgraph.saved.classes import REFITTED, class_of
from lpgraph.saved.encode import GENERATORS
from lpgraph.scale.reference import ReferredIndex, ReferredNames, StoreReference
from lpgraph.storage.names import StoredIndex, StoredNames
from lpgraph.storage.read import DTYPES, has_values
from lpgraph.storage.unread import Stored, Unread

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping

    from numpy.typing import NDArray

    from lpgraph.storage.read import StoredArray, StoredFile

__all__ = ["Decoder"]

#: Fields that may stay in the file, in addition to the fields in `stored` of kernel rows.
_MAY_STAY = {"Extension": ("basis",)}
#: Maximum depth of a tree. Models have less than half of it.
_DEPTH = 60
#: Maximum magnitude of an integer, such as in the state of a generator.
_LARGEST = 1 << 128
_SHA256 = re.compile("[0-9a-f]{64}")
#: What is made of arrays, such as matrices that share them, may have this many times the size of the file.
_SHARING = 16


class _Later(Unread):
    """A part of the tree that is decoded on access."""

    def __init__(self, make: Callable[[list[Callable[[Any], None]]], Any]) -> None:
        self._make = make
        self._checks: list[Callable[[Any], None]] = []

    def require(self, check: Callable[[Any], None]) -> None:
        self._checks.append(check)

    def read(self) -> Any:
        return self._make(self._checks)


class Decoder:
    """Decoder of the tree of a file.

    Parameters
    ----------
    file : StoredFile
        The file.
    lazy : bool
        Whether large arrays, of which new vertices need only a part, stay in the file.

    Attributes
    ----------
    references : dict
        The references to edge stores.
    """

    def __init__(self, file: StoredFile, lazy: bool) -> None:
        self.references: dict[tuple[Any, ...], StoreReference] = {}
        self._file, self._lazy = file, lazy
        self._arrays: dict[int, StoredArray] = {}
        self._names: dict[tuple[tuple[str, int], ...], StoredNames] = {}
        self._matrices: dict[tuple[Any, ...], Any] = {}
        self._long: set[int] = set()
        self._depth = 0
        self._left = _SHARING * file.size

    def value(self, tree: Any) -> Any:
        """Return the value of a tree."""
        if type(tree) is int and abs(tree) > _LARGEST:
            raise self._file.error(f"its header has the number {str(tree)[:40]}...")
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if self._depth == _DEPTH:
            raise self._file.error(f"its header is nested to a depth of more than {_DEPTH}")
        self._depth += 1
        try:
            if isinstance(tree, list):
                return [self.value(item) for item in tree]
            if not isinstance(tree, dict) or len(tree) != 1:
                raise self._file.error(f"its header has {_shown(tree)} where a value should be")
            ((kind, content),) = tree.items()
            make = getattr(self, f"_make_{kind}", None) if kind.isidentifier() else None
            if make is None:
                raise self._file.error(f"its header has a value of the kind {kind[:40]!r}")
            return make(content)
        finally:
            self._depth -= 1

    def _array(self, number: Any) -> StoredArray:
        """Return the array of a number, the same one each time."""
        found = self._arrays.get(number) if type(number) is int else None
        if found is None:
            found = self._arrays[number] = self._file.array(number)
        return found

    def _made_of(self, *arrays: StoredArray) -> None:
        """Count the bytes of arrays from which something is made."""
        self._left -= sum(array.nbytes for array in arrays)
        if self._left < 0:
            raise self._file.error("its header refers to the same arrays again and again")

    def _make_array(self, number: Any) -> NDArray[Any]:
        return self._array(number).read()

    def _make_scalar(self, content: Any) -> np.generic:
        return _scalar(*content)

    def _make_objects(self, content: Any) -> NDArray[Any]:
        items = self.value(content)
        result = np.empty(len(items), dtype=object)
        for k, item in enumerate(items):  # at once, numpy would look for the dimensions of nested lists
            result[k] = item
        return result

    def _make_sparse(self, content: Any) -> Any:
        form, is_array, shape, parts = content
        rows, columns = shape
        numbers = [part["array"] for part in parts]
        # Models that share a graph also share it after loading.
        key = form, is_array, rows, columns, *numbers
        if key in self._matrices:
            return self._matrices[key]
        # Every row and every column belongs to an item of the model.
        if not all(type(size) is int and 0 <= size <= self._file.size for size in shape):
            raise self._file.error(f"its header has a matrix of shape {_shown(shape)}")
        kinds = {"csr": (sparse.csr_matrix, sparse.csr_array), "csc": (sparse.csc_matrix, sparse.csc_array)}
        kind = kinds[form][bool(is_array)]
        stored = [self._array(number) for number in numbers]
        self._made_of(*stored)
        data, indices, indptr = (array.read() for array in stored)
        # Compiled code does not check these indices.
        fault = csr_fault(indptr, indices, *((rows, columns) if form == "csr" else (columns, rows)), data)
        if fault is not None or data.dtype.kind not in "biuf" or not len(data) == len(indices) == indptr[-1]:
            raise self._file.error(f"it has no valid sparse matrix: {fault or 'its arrays differ in length'}")
        return self._matrices.setdefault(key, kind((data, indices, indptr), shape=(rows, columns)))

    def _make_tuple(self, content: Any) -> tuple[Any, ...]:
        return tuple(self.value(item) for item in content)

    def _make_dict(self, content: Any) -> dict[Any, Any]:
        return {self.value(key): self.value(item) for key, item in content}

    def _make_range(self, content: Any) -> range:
        start, stop, step = (self.value(item) for item in content)
        found = range(start, stop, step)
        if found and (stop - start) // step > self._file.size:
            raise self._file.error(f"its header has {str(found)[:80]}")
        return found

    def _make_bytes(self, content: Any) -> bytes:
        return bytes.fromhex(content)

    def _make_generator(self, content: Any) -> np.random.Generator:
        state = self.value(content)
        if state["bit_generator"] not in GENERATORS:
            raise self._file.error(f"its header has a generator {_shown(state['bit_generator'])}")
        generator = getattr(np.random, state["bit_generator"])()
        generator.state = state
        return np.random.Generator(generator)

    def _make_long(self, content: Any) -> Any:
        kind, number = content
        # A list is stored once for each place. One that contains itself would never end.
        if number in self._long:
            raise self._file.error(f"its header has the list {_shown(number)} twice")
        self._long.add(number)
        items = self.value(json.loads(self._array(number).read().tobytes()))
        return tuple(items) if kind == "tuple" else items

    def _make_store(self, content: Any) -> StoreReference:
        """Return a reference; the store is not opened."""
        if not isinstance(content, list) or [type(fact) for fact in content] != [str, str, int, bool]:
            raise self._file.error("its header describes no edge store")
        folder, sha256, n, directed = content
        # Every vertex has an entry of an array.
        if not _SHA256.fullmatch(sha256) or not 1 <= n <= self._file.size or "\0" in folder:
            raise self._file.error(f"its header has the edge store {_shown(folder)} of {str(n)[:40]} vertices")
        return self.references.setdefault((folder, sha256, n, directed), StoreReference(*content))

    def _make_names(self, content: Any) -> Any:
        # Names in an edge store stay there, also in a small file.
        return self._names_of_store(content) or self._stored_names(content).read()

    def _names_of_store(self, content: Any) -> ReferredNames | None:
        if not isinstance(content, dict) or "store" not in content:
            return None
        return ReferredNames(self._make_store(content["store"]))

    def _stored_names(self, content: Any) -> StoredNames:
        key = tuple(sorted(content.items()))
        if not all(type(number) is int for _, number in key):
            raise self._file.error("its header describes no names")
        if key not in self._names:
            if "range" not in content:
                self._made_of(*(self._array(number) for _, number in key))
            self._names[key] = StoredNames(self._file, content, parse_name)
        return self._names[key]

    def _make_object(self, content: Any) -> Any:
        name, state = content
        kind: Any = class_of(name)
        if kind is None:
            raise self._file.error(f"it contains the class {_shown(name)}, which is not a part of models")
        if not isinstance(state, dict):
            raise self._file.error(f"its header has no attributes for {name}")
        if dataclasses.is_dataclass(kind) or issubclass(kind, tuple):
            stay = _MAY_STAY.get(name, getattr(kind, "stored", ()))
            fields = set(kind._fields) if issubclass(kind, tuple) else {f.name for f in dataclasses.fields(kind)}
            if set(state) != fields:
                raise self._file.error(f"its {name} has the fields {_shown(sorted(state))}")
            return self._whole(kind, state, stay)
        if name in REFITTED:
            values = {key: self.value(tree) for key, tree in state.items()}
            points, labels = values.pop("_points", None), values.pop("_labels", None)
            if points is None:
                return kind(**values)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # parameters are checked afterwards
                return kind(**values).fit(points, labels)
        return self._estimator(kind, state)

    def _whole(self, kind: Any, state: dict[str, Any], stay: Collection[str]) -> Any:
        """Return a dataclass or named tuple; if lazy, some of its arrays and of its other fields stay unread."""
        later = getattr(kind, "later", ())
        values: dict[str, Any] = {}
        for key, tree in state.items():
            kinds = set(tree) if self._lazy and isinstance(tree, dict) else set()
            if key in later and kinds & {"sparse", "object"}:
                values[key] = self._unread(tree)
            elif "array" in kinds and (key in later or key in stay):
                values[key] = self._array(tree["array"])
            else:
                values[key] = self.value(tree)
        made = kind(**values)
        unread = {key: values[key] for key in later if isinstance(values.get(key), Unread)}
        if unread:
            made.leave(unread)
        return made

    def _estimator(self, kind: Any, state: dict[str, Any]) -> Any:
        # Imported here, because placement without an estimator must not import scikit-learn.
        from lpgraph.embed.base import NetworkEmbedding

        missing = set(kind._get_param_names()) - set(state)
        if missing:
            raise self._file.error(f"its {kind.__name__} has no {', '.join(sorted(missing))}")
        model = kind.__new__(kind)
        vars(model)["_fitted_names"] = tuple(set(state) - set(kind._get_param_names()))
        for key, tree in state.items():
            attribute = getattr(kind, key, None)
            if key.startswith("__") or (callable(attribute) and not isinstance(attribute, Stored)):
                raise self._file.error(f"its {kind.__name__} has an attribute {key[:40]!r} that replaces a method")
            vars(model)[key] = self.stored(tree) if isinstance(attribute, Stored) else self.value(tree)
        if issubclass(kind, NetworkEmbedding) and "vertex_names_" in state:
            vars(model)["vertex_index_"] = self.index(state["vertex_names_"])
            vars(model)["_fitted_names"] += ("vertex_index_",)
        return model

    def index(self, tree: Any) -> Mapping[Any, int]:
        """Return the mapping from vertex name to row."""
        referred = self._names_of_store(tree["names"])
        if referred is not None:
            return ReferredIndex(referred.reference)
        names = self._stored_names(tree["names"])
        return StoredIndex(names) if self._lazy and not names.counted else index_of(names.read())

    def stored(self, tree: Any) -> Any:
        """Return a value that may stay in the file, unread if lazy."""
        if not self._lazy or not isinstance(tree, dict):
            return self.value(tree)
        if "array" in tree:
            return self._array(tree["array"])
        if "names" in tree:
            return self._names_of_store(tree["names"]) or self._stored_names(tree["names"])
        if "object" in tree or "objects" in tree:
            return self._unread(tree)
        return self.value(tree)

    def _unread(self, tree: Any) -> _Later:
        return _Later(lambda checks: self._later(tree, checks))

    def _later(self, tree: Any, checks: list[Callable[[Any], None]]) -> Any:
        with self.guarded():
            value = self.value(tree)
            for check in checks:
                check(value)
            return value

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Raise errors in decoding the contents of an intact file as `ModelFileError`."""
        try:
            with np.errstate(all="ignore"):
                yield
        except ModelFileError:
            raise
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            MemoryError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            raise self._file.error(
                f"its contents are no valid model ({type(error).__name__}: {str(error)[:200]})"
            ) from error


def parse_name(tree: Any) -> Hashable:
    """Return a vertex name from its tree, the inverse of `Encoder.name`."""
    if isinstance(tree, dict) and len(tree) == 1:
        ((kind, content),) = tree.items()
        if kind == "tuple":
            return tuple(map(parse_name, content))
        if kind == "bytes":
            return bytes.fromhex(content)
        if kind == "scalar":
            return _scalar(*content)
    elif tree is None or isinstance(tree, bool | int | float | str):
        return tree
    raise ValueError(f"{_shown(tree)} is no name")


def _scalar(dtype: Any, text: Any) -> np.generic:
    """Return a numpy scalar from its type and its bytes."""
    if not isinstance(dtype, str) or not DTYPES.fullmatch(dtype):
        raise TypeError(f"a number has the type {_shown(dtype)}")
    array = np.frombuffer(bytes.fromhex(text), dtype=dtype)
    if array.shape != (1,) or not has_values(array):
        raise ValueError(f"a number of type {dtype} is {_shown(text)}")
    found: np.generic = array[0]
    return found


def _shown(tree: object) -> str:
    """Return a few characters of a tree, whose whole text may be long."""
    if isinstance(tree, list | dict):
        return f"{a_type(tree)} of {len(tree)}"
    return repr(tree)[:80]
