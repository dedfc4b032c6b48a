"""Decoding of models from trees and arrays; only listed classes are made, from checked values."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph.graph.names import index_of
from lpgraph.saved.classes import REFITTED, class_of
from lpgraph.saved.encode import GENERATORS
from lpgraph.storage.names import StoredIndex, StoredNames
from lpgraph.storage.read import DTYPES
from lpgraph.storage.unread import Stored, Unread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from lpgraph.storage.read import StoredFile

__all__ = ["Decoder"]

#: Fields that may stay in the file, in addition to the fields in `stored` of kernel rows.
_MAY_STAY = {"Extension": ("basis",)}


class _Later(Unread):
    """A part of the tree that is decoded on access."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def read(self) -> Any:
        return self._make()


class Decoder:
    """Decoder of the tree of a file.

    Parameters
    ----------
    file : StoredFile
        The file.
    lazy : bool
        Whether large arrays, of which new vertices need only a part, stay in the file.
    """

    def __init__(self, file: StoredFile, lazy: bool) -> None:
        self._file, self._lazy = file, lazy
        self._names: dict[str, StoredNames] = {}
        self._matrices: dict[str, Any] = {}

    def value(self, tree: Any) -> Any:
        """Return the value of a tree."""
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if isinstance(tree, list):
            return [self.value(item) for item in tree]
        if not isinstance(tree, dict) or len(tree) != 1:
            raise self._file.error(f"its header has {str(tree)[:80]} where a value should be")
        ((kind, content),) = tree.items()
        make = getattr(self, f"_make_{kind}", None) if kind.isidentifier() else None
        if make is None:
            raise self._file.error(f"its header has a value of the kind {kind[:40]!r}")
        return make(content)

    def _make_array(self, number: Any) -> NDArray[Any]:
        return self._file.array(number).read()

    def _make_scalar(self, content: Any) -> np.generic:
        dtype, text = content
        if not isinstance(dtype, str) or not DTYPES.fullmatch(dtype):
            raise self._file.error(f"its header has a number of the type {str(dtype)[:40]}")
        found: np.generic = np.frombuffer(bytes.fromhex(text), dtype=dtype)[0]
        return found

    def _make_objects(self, content: Any) -> NDArray[Any]:
        items = self.value(content)
        result = np.empty(len(items), dtype=object)
        result[:] = items
        return result

    def _make_sparse(self, content: Any) -> Any:
        # Models that share a graph also share it after loading.
        key = json.dumps(content)
        if key in self._matrices:
            return self._matrices[key]
        form, is_array, shape, parts = content
        kinds = {"csr": (sparse.csr_matrix, sparse.csr_array), "csc": (sparse.csc_matrix, sparse.csc_array)}
        data, indices, indptr = (self.value(part) for part in parts)
        matrix = kinds[form][bool(is_array)]((data, indices, indptr), shape=tuple(shape))
        # Compiled code does not check these indices.
        matrix.check_format(full_check=True)
        return self._matrices.setdefault(key, matrix)

    def _make_tuple(self, content: Any) -> tuple[Any, ...]:
        return tuple(self.value(item) for item in content)

    def _make_dict(self, content: Any) -> dict[Any, Any]:
        return {self.value(key): self.value(item) for key, item in content}

    def _make_range(self, content: Any) -> range:
        return range(*content)

    def _make_bytes(self, content: Any) -> bytes:
        return bytes.fromhex(content)

    def _make_generator(self, content: Any) -> np.random.Generator:
        state = self.value(content)
        if state["bit_generator"] not in GENERATORS:
            raise self._file.error(f"its header has a generator {str(state['bit_generator'])[:40]!r}")
        generator = getattr(np.random, state["bit_generator"])()
        generator.state = state
        return np.random.Generator(generator)

    def _make_long(self, content: Any) -> Any:
        kind, number = content
        items = self.value(json.loads(self._file.array(number).read().tobytes()))
        return tuple(items) if kind == "tuple" else items

    def _make_names(self, content: Any) -> Any:
        return self._stored_names(content).read()

    def _stored_names(self, content: Any) -> StoredNames:
        key = json.dumps(content, sort_keys=True)
        if key not in self._names:
            self._names[key] = StoredNames(self._file, content, self.value)
        return self._names[key]

    def _make_object(self, content: Any) -> Any:
        name, state = content
        kind: Any = class_of(name)
        if kind is None:
            raise self._file.error(f"it contains the class {str(name)[:80]!r}, which is not a part of models")
        if not isinstance(state, dict):
            raise self._file.error(f"its header has no attributes for {name}")
        if dataclasses.is_dataclass(kind) or issubclass(kind, tuple):
            stay = _MAY_STAY.get(name, getattr(kind, "stored", ()))
            return kind(
                **{key: self.stored(tree) if key in stay else self.value(tree) for key, tree in state.items()}
            )
        if name in REFITTED:
            values = {key: self.value(tree) for key, tree in state.items()}
            points, labels = values.pop("_points", None), values.pop("_labels", None)
            return kind(**values) if points is None else kind(**values).fit(points, labels)
        return self._estimator(kind, state)

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
            vars(model)["vertex_index_"] = self.index(vars(model), state["vertex_names_"])
            vars(model)["_fitted_names"] += ("vertex_index_",)
        return model

    def index(self, state: dict[str, Any], tree: Any) -> Mapping[Any, int]:
        """Return the mapping from vertex name to row; `state` is checked for consistent sizes."""
        names = self._stored_names(tree["names"])
        self._check_sizes(state, names.n)
        return StoredIndex(names) if self._lazy and not names.counted else index_of(names.read())

    def _check_sizes(self, state: dict[str, Any], n: int) -> None:
        """Raise if the parts of an embedding of a network differ in size."""
        d = state["embedding_"].shape[1]
        placement = state["_placement"]
        parts = {"embedding_": state["embedding_"].shape, "embedding_in_": (n, d)}
        if state["directed_"]:
            parts["embedding_in_"] = state["embedding_in_"].shape
        parts |= {f"extension {side}": extension.basis.shape for side, extension in placement.extensions.items()}
        wrong = [name for name, shape in parts.items() if tuple(shape) != (n, d)]
        rows = placement.new_rows
        wrong += [name for name in rows.stored if tuple(getattr(rows, name).shape) != (n,)]
        if wrong or state["n_features_in_"] != n:
            raise self._file.error(f"its parts are not all of {n} vertices and {d} dimensions")

    def stored(self, tree: Any) -> Any:
        """Return a value that may stay in the file, unread if lazy."""
        if not self._lazy or not isinstance(tree, dict):
            return self.value(tree)
        if "array" in tree:
            return self._file.array(tree["array"])
        if "names" in tree:
            return self._stored_names(tree["names"])
        if "object" in tree or "objects" in tree:
            return _Later(lambda: self._checked(tree))
        return self.value(tree)

    def _checked(self, tree: Any) -> Any:
        from lpgraph.saved import guarded

        with guarded(self._file):
            return self.value(tree)
