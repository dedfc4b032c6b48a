"""Models from trees of values and arrays, the inverse of `lpgraph.saved.encode`; what does not fit is refused."""

from __future__ import annotations

import dataclasses
import os
import warnings
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph.embed.base import NetworkEmbedding
from lpgraph.errors import ModelFileError, StoreError
from lpgraph.graph.files.store import MANIFEST, checksum, open_store
from lpgraph.graph.names import index_of
from lpgraph.linalg.csr_check import csr_fault
from lpgraph.saved.classes import REFITTED, class_of
from lpgraph.saved.encode import GENERATORS, KINDS, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["Decoder"]

#: Of classes whose indices compiled loops do not check: these indices and their bounds.
_FITTING: dict[str, Callable[[Any], list[tuple[Any, int]]]] = {
    "BlockPartition": lambda part: [
        (part.labels, len(rates.degrees)) for rates in (part.positive, part.negative) if rates is not None
    ],
    "Cells": lambda part: [(part.cell, len(part.centres)), (part.probes - 1, len(part.centres))],
    "LocalNeighbors": lambda part: [
        (part.indices, part.hood.points.shape[0]),
        (part.bridges, part.hood.points.shape[0]),
        (part.place, part.hood.points.shape[0]),
    ],
    "Neighborhood": lambda part: [(part.n_neighbors or 0, part.points.shape[0])],
    "RigidPairs": lambda part: [(part.first, part.n), (part.second, part.n)],
    "Distinct": lambda part: [(part.origin, part.hood.points.shape[0]), (part.first, len(part.origin))],
}
#: Of classes that search: the numbers of points by their parts, which are the same.
_SAME: dict[str, Callable[[Any], list[int]]] = {
    "Neighborhood": lambda part: [
        part.points.shape[0],
        len(part.radii),
        *part.distances.shape,
        *([] if part.cells is None else [len(part.cells.cell)]),
    ],
}
#: Attributes of estimators of vertices that have a row for each.
_BY_VERTEX = {"embedding_", "embedding_in_", "left_embedding_", "labels_", "transduction_", "has_position_"}


class Decoder:
    """Decoder of the tree of a model.

    Parameters
    ----------
    path : path
        The file, for errors.
    archive : ZipFile
        It has the arrays.
    store : path, optional
        Where the edge store of the model is now.
    """

    def __init__(
        self, path: str | os.PathLike[str], archive: zipfile.ZipFile, store: str | os.PathLike[str] | None
    ) -> None:
        self._path, self._archive, self._place = os.fspath(path), archive, store
        self._size = os.path.getsize(path)
        self._arrays: dict[object, Any] = {}
        self._objects: dict[int, Any] = {}
        self._checked: dict[str, Adjacency] = {}

    def error(self, what: str) -> ModelFileError:
        """Return the error of the file."""
        return ModelFileError(f"{self._path}: {what}; save the model again, or restore the file from a copy.")

    def member(self, name: str) -> IO[bytes]:
        """Open a member; zipfile compares its checksum when it has been read."""
        info = self._archive.getinfo(name)
        if info.file_size > self._size or info.compress_type != zipfile.ZIP_STORED:
            raise self.error(f"its {name} claims {info.file_size} bytes")
        return self._archive.open(info)

    @property
    def used_store(self) -> bool:
        """Whether the model has an edge store."""
        return bool(self._checked)

    def value(self, tree: Any) -> Any:
        """Return the value of a tree."""
        if not isinstance(tree, dict):
            return [self.value(item) for item in tree] if isinstance(tree, list) else tree
        (kind, content), *more = tree.items()
        if kind == "same":
            return self._objects[content]
        made = getattr(self, f"_make_{kind}")(content)
        if more:
            self._objects[more[0][1]] = made
        return made

    def _make_tuple(self, items: Any) -> tuple[Any, ...]:
        return tuple(self.value(item) for item in items)

    def _make_dict(self, pairs: Any) -> dict[Any, Any]:
        return {self.value(key): self.value(item) for key, item in pairs}

    def _make_range(self, ends: Any) -> range:
        found = range(*ends)
        if len(found) > self._size:
            raise self.error(f"it has {found} names")
        return found

    def _make_bytes(self, text: Any) -> bytes:
        return bytes.fromhex(text)

    def _make_scalar(self, number: Any) -> Any:
        (found,) = self._array(number)
        return found

    def _make_generator(self, tree: Any) -> np.random.Generator:
        state = self.value(tree)
        if state["bit_generator"] not in GENERATORS:
            raise self.error("it has an unknown generator of random numbers")
        generator = getattr(np.random, state["bit_generator"])()
        generator.state = state
        return np.random.Generator(generator)

    def _make_array(self, content: Any) -> Any:
        if isinstance(content, int):
            return self._array(content)
        if isinstance(content, dict):
            return self._texts(content["texts"])
        found = np.empty(len(content), dtype=object)
        found[:] = [self.value(item) for item in content]
        return found

    def _texts(self, text: int) -> Any:
        if ("texts", text) not in self._arrays:
            data, cuts = self._array(text).tobytes(), [0, *self._array(text + 1).tolist()]
            found = np.empty(len(cuts) - 1, dtype=object)
            found[:] = [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(cuts)]
            self._arrays["texts", text] = found
        return self._arrays["texts", text]

    def _array(self, number: int) -> Any:
        """Return an array."""
        if number not in self._arrays:
            with self.member(f"a{int(number)}.npy") as file:
                version = np.lib.format.read_magic(file)
                read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
                shape, by_columns, dtype = read[version](file)
                data = bytearray(file.read())
            if dtype.kind not in KINDS or not dtype.itemsize:
                raise self.error(f"its array {number} has dtype {dtype}")
            found = np.frombuffer(data, dtype)
            limit = {"b": (np.uint8, 1), "U": (np.uint32, 0x10FFFF)}.get(dtype.kind)
            if limit is not None and np.frombuffer(data, limit[0]).max(initial=0) > limit[1]:
                raise self.error(f"its array {number} has values that do not exist")
            self._arrays[number] = found.reshape(shape, order="F" if by_columns else "C")
        return self._arrays[number]

    def _make_sparse(self, content: Any) -> Any:
        form, is_array, (rows, columns), parts = content
        data, indices, indptr = map(self._array, parts)
        kinds: dict[Any, Callable[..., Any]] = {
            ("csr", True): sparse.csr_array,
            ("csr", False): sparse.csr_matrix,
            ("csc", True): sparse.csc_array,
            ("csc", False): sparse.csc_matrix,
        }
        # Compiled code does not check these indices.
        fault = csr_fault(indptr, indices, *((rows, columns) if form == "csr" else (columns, rows)), data)
        if fault is not None or data.dtype.kind not in "biuf" or not len(data) == len(indices) == indptr[-1]:
            raise self.error(f"it has no valid sparse matrix: {fault or 'its arrays differ in length'}")
        return kinds[form, is_array]((data, indices, indptr), shape=(rows, columns))

    def _make_store(self, content: Any) -> Adjacency:
        folder, expected = content
        place = Path(folder if self._place is None else self._place)
        if folder not in self._checked:
            remedy = "pass the folder as load(path, store=...)"
            if not (place / MANIFEST).is_file():
                raise StoreError(
                    f"{self._path} is a model of the edge store {place}, which is not there; {remedy}."
                )
            if checksum(place / MANIFEST) != expected:
                raise StoreError(f"{self._path} is a model of another edge store than that in {place}; {remedy}.")
            self._checked[folder] = open_store(place)
        return self._checked[folder]

    def _make_object(self, content: Any) -> Any:
        name, trees = content
        kind: Any = class_of(name)
        if kind is None:
            raise self.error(f"it has the class {name!r:.80}, which is no part of models")
        state = {key: self.value(tree) for key, tree in trees.items()}
        if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
            made = kind(**state)
            for key in NAMES:  # one array for a graph and its model
                if isinstance(state.get(key), np.ndarray):
                    state[key].setflags(write=False)
                    object.__setattr__(made, key, state[key])
            for indices, bound in _FITTING.get(kind.__name__, lambda part: [])(made):
                if np.size(indices) and not (np.min(indices) >= 0 and np.max(indices) < bound):
                    raise self.error(f"its {kind.__name__} has indices beyond {bound}")
            if len(set(_SAME.get(kind.__name__, lambda part: [])(made))) > 1:
                raise self.error(f"its {kind.__name__} has parts of several numbers of points")
            return made
        if name in REFITTED:
            points, labels = state.pop("_points", None), state.pop("_labels", None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return kind(**state) if points is None else kind(**state).fit(points, labels)
        return self._estimator(kind, state)

    def _estimator(self, kind: Any, state: dict[str, Any]) -> Any:
        parameters = set(kind._get_param_names())
        wrong = [key for key in state if key.startswith("__") or callable(getattr(kind, key, None))]
        if wrong or not parameters <= set(state):
            raise self.error(f"its {kind.__name__} has other attributes than that of this version")
        if issubclass(kind, NetworkEmbedding) and "vertex_names_" in state:
            state["vertex_index_"] = index_of(state["vertex_names_"])
        n = len(state.get("vertex_names_", ()))
        for key in _BY_VERTEX & set(state) if n else ():
            if len(state[key]) != n:
                raise self.error(f"its {key} has {len(state[key])} rows for {n} vertices")
        model = kind.__new__(kind)
        vars(model).update(state, _fitted_names=tuple(set(state) - parameters))
        for key in NAMES:
            if isinstance(state.get(key), np.ndarray):
                state[key].setflags(write=False)
        return model
