"""`EdgeStore`: a network in a folder, as memory-mapped tiles of its adjacency matrix."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lpgraph._cached import cached_property
from lpgraph._html import Shown, few
from lpgraph._progress import tell
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.names import index_of
from lpgraph.graph.network import NetworkElsewhere
from lpgraph.linalg.sparse_structure import index_dtype
from lpgraph.scale.layout import NAMES, Direction, Manifest
from lpgraph.scale.logs import log
from lpgraph.scale.names_file import FileNames
from lpgraph.scale.part import StorePart, mapped
from lpgraph.scale.part_of_store import PartOfStore
from lpgraph.scale.resources import Resources
from lpgraph.scale.room import check_memory, gigabytes
from lpgraph.scale.store_matrix import StoreMatrix

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["EdgeStore"]

_READ = 1 << 24


class EdgeStore(Shown, NetworkElsewhere):
    """A network on disk: tiles of its adjacency matrix, made by `build_store`.

    Opening reads the manifest and compares the sizes of the files. The structure of a tile is checked when it is
    first used in a process; `verify` compares checksums.

    Parameters
    ----------
    folder : str or path
        The folder.

    Attributes
    ----------
    folder : Path
        The folder.
    manifest : Manifest
        Sizes, grid, files and source.

    Raises
    ------
    StoreError
        When the folder is no store, or files are missing or of another size.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "graph.store"
    >>> _ = lp.scale.build_store(lp.erdos_renyi(100, 0.1, random_state=0), folder)
    >>> store = lp.scale.EdgeStore(folder)
    >>> store.n_vertices, store.directed
    (100, False)
    >>> store.rows([0, 5]).shape
    (2, 100)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(os.path.abspath(os.fsdecode(folder)))
        self.resources = Resources.of(None, None)
        self.manifest = Manifest.read(self.folder)
        for name, facts in self.manifest.files.items():
            self._check_size(name, facts.bytes)

    def _check_size(self, name: str, expected: int) -> None:
        path = self.folder / name
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            raise StoreError(f"{path} is missing; build the store again, or restore it from a copy.") from None
        if size != expected:
            raise StoreError(
                f"{path} has {size} bytes instead of {expected}; build the store again, or restore it from a copy."
            )

    def __repr__(self) -> str:
        kind = f"{'directed' if self.directed else 'undirected'}{', weighted' if self.weighted else ''}"
        return f"EdgeStore({self.n_vertices} vertices, {self.n_edges} edges, {kind})"

    def __reduce__(self) -> tuple[Callable[..., EdgeStore], tuple[str, Resources]]:
        return _opened, (str(self.folder), self.resources)

    def using(
        self,
        *,
        memory: str | int | None = None,
        scratch: str | os.PathLike[str] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        engine: str | None = None,
        client: Client | None = None,
    ) -> EdgeStore:
        """Return the same store, with limits for computations on it, and where they run.

        Parameters
        ----------
        memory : str, int or None
            What arrays of a computation may take, such as "1.5GB"; larger ones are memory-mapped files. None is
            half of the machine's memory.
        scratch : path or None
            An existing folder for these files; None is the system's temporary folder.
        checkpoint : path or None
            A folder for the state of a fit after each pass, made if it does not exist. A fit that was interrupted
            goes on from there when it is called again, and has the same result; a complete one removes the files.
        engine : {"local", "dask"}, optional
            Whether eigenvectors are found by threads of this process, or by the workers of a Dask cluster, which
            must see the store's folder under the same path. Results are the same for any number of workers, to
            the last bit on one type of processor, and agree with "local" to the tolerance. "dask" by default if a
            client is passed, else "local".
        client : distributed.Client, optional
            The cluster; the current client by default. A copy of the store in another process uses the current
            client there.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            When `memory` is no size or too little, `scratch` or `checkpoint` is no folder, `engine` is unknown, or
            there is no client.
        MissingDependencyError
            When `engine` is "dask" and distributed is not installed.
        """
        return _opened(str(self.folder), Resources.of(memory, scratch, checkpoint, engine, client))

    def _facts(self) -> list[tuple[str, str]]:
        kind = f"{'directed' if self.directed else 'undirected'}, {'weighted' if self.weighted else 'unweighted'}"
        facts = [
            ("folder", str(self.folder)),
            ("vertices", f"{self.n_vertices:,}"),
            ("arcs" if self.directed else "edges", f"{self.n_edges:,}"),
            ("kind", kind),
            ("mean degree", f"{self.manifest.n_entries / self.n_vertices:.4g}"),
            ("names", few(self.names)),
            ("on disk", gigabytes(self.n_bytes)),
            ("tiles", f"{self.manifest.n_parts} x {len(self.manifest.panels) - 1}"),
        ]
        if self.weighted:
            facts.insert(4, ("weights", f"{self.lowest_weight:.4g} to {self.highest_weight:.4g}"))
        return facts

    @property
    def n_bytes(self) -> int:
        """Size of all files."""
        return sum(facts.bytes for facts in self.manifest.files.values())

    @property
    def n_bytes_in_memory(self) -> int:
        """What `to_adjacency` takes: 12 bytes for each entry, 16 for each vertex, and 80 for one with a name."""
        names = 0 if isinstance(self.names, range) else 80
        return 12 * self.n_entries + (16 + names) * self.n_vertices

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.manifest.n_vertices

    @property
    def n_edges(self) -> int:
        """Number of arcs or of undirected edges; a loop is one edge."""
        return self.manifest.n_edges

    @property
    def n_entries(self) -> int:
        """Number of entries of the adjacency matrix."""
        return self.manifest.n_entries

    @property
    def directed(self) -> bool:
        """Whether edges are arcs."""
        return self.manifest.directed

    @property
    def weighted(self) -> bool:
        """Whether an edge has a weight other than 1."""
        return self.manifest.weighted

    @property
    def lowest_weight(self) -> float:
        """The lowest edge weight; 0 without edges."""
        return self.manifest.lowest_weight

    @property
    def highest_weight(self) -> float:
        """The highest edge weight; 0 without edges."""
        return self.manifest.highest_weight

    @cached_property
    def names(self) -> Sequence[Hashable]:
        """Names of the vertices, in increasing order; read from the disk as they are asked for."""
        n = self.n_vertices
        return range(n) if self.manifest.names == "integers" else FileNames(self.folder / NAMES, n)

    @cached_property
    def index(self) -> Mapping[Hashable, int]:
        """The mapping from a vertex's name to its row, by bisection of the names."""
        return index_of(self.names)

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Row sums of the adjacency matrix, as a memory map."""
        return self._of_vertices("degrees.npy")

    @property
    def in_degrees(self) -> NDArray[np.float64]:
        """Column sums of the adjacency matrix, as a memory map."""
        return self._of_vertices("in_degrees.npy") if self.directed else self.degrees

    @cached_property
    def diagonal(self) -> NDArray[np.float64]:
        """Weights of the loops."""
        loops = "diagonal.npy" in self.manifest.files
        return self._of_vertices("diagonal.npy") if loops else np.zeros(self.n_vertices)

    @cached_property
    def components(self) -> NDArray[np.signedinteger]:
        """Connected component of each vertex, weakly if directed; 0 is the largest."""
        found = self._mapped("components.npy")
        if found.dtype.kind != "i":
            raise self._damaged("components.npy", found)
        return found  # type: ignore[return-value]  # integers by now

    def _of_vertices(self, name: str) -> NDArray[np.float64]:
        found = self._mapped(name)
        if found.dtype != np.float64:
            raise self._damaged(name, found)
        return found  # type: ignore[return-value]  # by now

    def _mapped(self, name: str) -> NDArray[np.generic]:
        found = mapped(self.folder / name)
        if found.shape != (self.n_vertices,):
            raise self._damaged(name, found)
        return found

    def _damaged(self, name: str, found: NDArray[np.generic]) -> StoreError:
        return StoreError(
            f"{self.folder / name} has dtype {found.dtype} and shape {found.shape} for {self.n_vertices} "
            "vertices; build the store again, or restore it from a copy."
        )

    @property
    def product(self) -> StoreMatrix:
        """The adjacency matrix, for the spectral core."""
        return StoreMatrix(self, self.resources)

    def parts(self, direction: Direction = "out") -> list[StorePart]:
        """Return the partitions: rows of the adjacency matrix ("out") or of its transpose ("in").

        An undirected network has the same for both.
        """
        if direction not in ("out", "in"):
            raise ArgumentError(f"direction={direction!r}; pass 'out' or 'in'.")
        kind: Direction = direction if self.directed else "out"
        found = self.manifest
        return [
            StorePart(
                self.folder,
                kind,
                number,
                found.cuts,
                found.panels,
                weighted=found.weighted,
                directed=found.directed,
            )
            for number in range(found.n_parts)
        ]

    def rows_in(self, index: NDArray[np.intp] | Sequence[int]) -> sparse.csr_array:
        """Return some rows of the transpose of the adjacency matrix, in memory."""
        return self._rows(index, self.parts("in"))

    def rows(self, index: NDArray[np.intp] | Sequence[int]) -> sparse.csr_array:
        """Return some rows of the adjacency matrix, in memory."""
        return self._rows(index, self.parts())

    def _rows(self, index: NDArray[np.intp] | Sequence[int], parts: list[StorePart]) -> sparse.csr_array:
        wanted = np.asarray(index, dtype=np.intp)
        n = self.n_vertices
        if wanted.ndim != 1:
            raise ArgumentError(f"index has shape {wanted.shape}; pass one dimension.")
        if wanted.size and not (-n <= wanted.min() and wanted.max() < n):
            raise IndexError(f"index goes from {wanted.min()} to {wanted.max()} for {n} rows.")
        wanted = np.where(wanted < 0, wanted + n, wanted)
        of_part = np.searchsorted(self.manifest.cuts, wanted, side="right") - 1
        sizes = np.zeros(len(wanted), dtype=np.int64)
        for number in np.unique(of_part).tolist():
            here, part = np.flatnonzero(of_part == number), parts[number]
            own = wanted[here] - part.low
            for tile in part.tiles:
                sizes[here] += _lengths(tile.indptr, own)
        count = int(sizes.sum())
        check_memory(12 * count, f"{len(wanted)} rows with {count} entries", "ask for fewer rows at a time")
        dtype = index_dtype((max(len(wanted), 1), n), count)
        indptr = np.zeros(len(wanted) + 1, dtype=dtype)
        np.cumsum(sizes, out=indptr[1:])
        indices = np.empty(count, dtype=dtype)
        data = np.ones(count)
        place = indptr[:-1].astype(np.int64)
        for number in np.unique(of_part).tolist():
            here, part = np.flatnonzero(of_part == number), parts[number]
            own = wanted[here] - part.low
            for tile in part.tiles:
                lengths = _lengths(tile.indptr, own)
                source = _ranges(tile.indptr[own].astype(np.int64), lengths)
                target = _ranges(place[here], lengths)
                indices[target] = tile.indices[source]
                if tile.weights is not None:
                    data[target] = tile.weights[source]
                place[here] += lengths
        return sparse.csr_array((data, indices, indptr), shape=(len(wanted), n))

    def split(self, low: float, high: float, seed: int) -> tuple[PartOfStore, StoreMatrix]:
        """Return the network of the edges that are kept, and the matrix of those that are held out."""
        kept, held_out = self.product.split(low, high, seed)
        return PartOfStore(self, kept), held_out

    def with_signs(self, seed: int) -> StoreMatrix:
        """Return the adjacency matrix with a random sign for each edge."""
        return self.product.with_signs(seed)

    def with_diagonal(self, diagonal: NDArray[np.float64]) -> NoReturn:
        """Raise: the loops of a store cannot be replaced."""
        raise ArgumentError(
            "An edge store keeps the loops that it was built with; leave augment_diagonal out, or call "
            "store.to_adjacency() if it fits in memory."
        )

    def to_adjacency(self) -> Adjacency:
        """Return the network in memory; refused with its size if it does not fit."""
        n, entries = self.n_vertices, self.n_entries
        what = f"A network of {n} vertices and {entries} entries"
        check_memory(self.n_bytes_in_memory, what, "use the store itself")
        matrix = self.rows(np.arange(n))
        names = self.names if isinstance(self.names, range) else tuple(self.names)
        return Adjacency.of_canonical(matrix, names, self.directed)

    def verify(self) -> None:
        """Compare the checksums of all files and check the structure of all tiles; raise if one is damaged."""
        files = self.manifest.files
        for k, (name, facts) in enumerate(files.items()):
            tell(log, "Checksum of %s", name, of=(k, len(files)))
            self._check_size(name, facts.bytes)
            if checksum(self.folder / name) != facts.sha256:
                raise StoreError(
                    f"{self.folder / name} has another checksum than when it was built; build the store again, or "
                    "restore it from a copy."
                )
        for direction in self.manifest.directions:
            count = 0
            for part in self.parts(direction):
                count += part.n_entries
            if count != self.n_entries:
                raise StoreError(
                    f"{self.folder} has {count} entries and its manifest says {self.n_entries}; build it again."
                )


def _opened(folder: str, resources: Resources) -> EdgeStore:
    """Return a store with resources."""
    store = EdgeStore(folder)
    store.resources = resources
    return store


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_READ):
            found.update(block)
    return found.hexdigest()


def _lengths(indptr: NDArray[np.unsignedinteger], rows: NDArray[np.intp]) -> NDArray[np.int64]:
    return (indptr[rows + 1] - indptr[rows]).astype(np.int64)


def _ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ranges from `starts` of some lengths, one after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
