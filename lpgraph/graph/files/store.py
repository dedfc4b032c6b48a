"""`open_store`: a network in a folder, as an ordinary graph over memory-mapped arrays.

The folder has the csr arrays of the adjacency matrix (`indptr.npy`, `indices.npy`, and `weights.npy` if it is
weighted), of a directed network also those of its transpose (`in_indptr.npy`, ...), `names.npy` unless vertices
are called 0 ... n - 1, and `manifest.json`. Anybody can open them with numpy. Above 2^31 entries both index arrays
have 64 bits: one matrix and one compiled product serve for all sizes, and files of twice the size are the price.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from lpgraph._utils.files import is_path
from lpgraph.errors import StoreError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.linalg.csr_check import csr_fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array

MANIFEST, FORMAT, VERSION = "manifest.json", "lpgraph edge store", 2


class _Arrays(NamedTuple):
    indptr: NDArray[np.signedinteger]
    indices: NDArray[np.signedinteger]
    weights: Array


def is_store(path: object) -> bool:
    """Whether a path is a folder with a manifest."""
    return is_path(path) and os.path.isfile(os.path.join(os.fsdecode(path), MANIFEST))


def open_store(folder: str | os.PathLike[str], *, verify: bool = False) -> Adjacency:
    """Open an edge store: a network whose arrays stay on the disk.

    It is an ordinary graph, which every estimator takes. What copies the matrix takes memory for that: 16 bytes an
    entry. `read_graph` opens stores too.

    Parameters
    ----------
    folder : str or path
        The folder, made by `build_store`.
    verify : bool, default False
        Whether to read all files, to compare their checksums and to check the structure of the matrix. Otherwise
        only their sizes are compared: verify stores that you did not make.

    Returns
    -------
    Adjacency
        Its arrays are memory maps, to be read only; `store` is the folder.

    Raises
    ------
    StoreError
        When the folder is no store, or a file is missing, of another size, or damaged.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "graph.store"
    >>> graph = lp.scale.build_store(lp.erdos_renyi(100, 0.1, random_state=0), folder)
    >>> lp.scale.open_store(folder, verify=True)
    Adjacency(100 vertices, 507 edges, undirected)
    """
    path = Path(os.path.abspath(os.fsdecode(folder)))
    manifest = manifest_of(path)
    n, entries = int(manifest["n_vertices"]), int(manifest["n_entries"])
    for name, facts in manifest["files"].items():
        _check_file(path / name, facts, verify=verify)
    sides = []
    for prefix in ("", "in_") if manifest["directed"] else ("",):
        arrays = arrays_of(path, prefix)
        shapes = [array.shape for array in arrays]
        if shapes != [(n + 1,), (entries,), (entries,)] or arrays.weights.dtype != np.float64:
            raise _damaged(path, f"its arrays have another size than {n} vertices and {entries} entries")
        if verify and (wrong := csr_fault(arrays.indptr, arrays.indices, n, n, arrays.weights)):
            raise _damaged(path, wrong)
        sides.append(sparse.csr_array((n, n)))
        sides[-1].indptr, sides[-1].indices, sides[-1].data = arrays  # the constructor would copy them
    names = range(n) if "names.npy" not in manifest["files"] else _mapped(path / "names.npy")
    graph = Adjacency.of_canonical(sides[0], names, bool(manifest["directed"]))
    weights = {key: float(manifest[key]) for key in ("lowest_weight", "highest_weight")}
    transposed = sides[1] if sides[1:] else None
    vars(graph).update(weights, store=path, transposed=transposed, _opened_by=(open_store, (path,)))
    return graph


def arrays_of(folder: Path, prefix: str = "") -> _Arrays:
    """Return the mapped arrays of a matrix; all weights of an unweighted one are the same number."""
    indptr, indices = (_mapped(folder / f"{prefix}{name}.npy") for name in ("indptr", "indices"))
    weights = folder / f"{prefix}weights.npy"
    one = np.broadcast_to(np.float64(1.0), indices.shape)
    return _Arrays(indptr, indices, _mapped(weights) if weights.exists() else one)


def _mapped(path: Path) -> Foreign:
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError) as error:
        raise _damaged(path.parent, f"{path.name} cannot be read ({error})") from None


def manifest_of(folder: Path) -> dict[str, Foreign]:
    """Return what the manifest of a store says.

    Raises
    ------
    StoreError
        When the folder is no store, or of another version.
    """
    if not is_store(folder):
        raise StoreError(f"{folder} is no edge store: it has no {MANIFEST}; make one by build_store.")
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
        kind = found["format"], found["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, f"{MANIFEST} cannot be read ({error})") from None
    if kind != (FORMAT, VERSION):
        raise _damaged(folder, f"{MANIFEST} is of {kind}, not of {(FORMAT, VERSION)}")
    return dict(found)


def _check_file(path: Path, facts: Mapping[str, object], *, verify: bool) -> None:
    size = path.stat().st_size if path.exists() else None
    if size != facts["bytes"]:
        what = "is missing" if size is None else f"has {size} bytes instead of {facts['bytes']}"
        raise _damaged(path.parent, f"{path.name} {what}")
    if verify and checksum(path) != facts["sha256"]:
        raise _damaged(path.parent, f"{path.name} has another checksum than when it was written")


def checksum(path: Path) -> str:
    """Return the SHA-256 checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _damaged(folder: Path, what: str) -> StoreError:
    return StoreError(f"{folder}: {what}; build the store again, or restore it from a copy.")
