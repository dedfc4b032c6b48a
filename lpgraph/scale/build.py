"""`build_store`: an edge store from files, in bounded memory and also after a stop, or from a graph in memory.

Edges are read once, shard by shard, and written as chunks of end points. Then the distinct names are sorted, the
ends numbered, and the entries of the matrix divided into buckets of rows, sorted, and written. After a stop,
shards that were read are not read again; numbering, and each of the two matrices of a directed network, are
repeated.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from lpgraph._utils.checks import check_choice, check_flag, import_extra, is_array
from lpgraph._utils.files import replace_file, written
from lpgraph._utils.progress import tell
from lpgraph.errors import GraphError, StoreError
from lpgraph.graph.construct import as_adjacency, check_ends, check_weight_name
from lpgraph.graph.files.store import FORMAT, MANIFEST, VERSION, checksum, manifest_of, open_store
from lpgraph.linalg.room import as_bytes, gigabytes
from lpgraph.scale.csr_files import Entries, write_csr
from lpgraph.scale.parts import alone, check_same, log
from lpgraph.scale.shards import as_shards, name_column
from lpgraph.scale.text_edges import Columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import MultiEdgeRule
    from lpgraph.scale.shards import Shard

    #: What a step has saved as JSON.
    Facts: TypeAlias = dict[str, Any]
    #: The numbers of the ends of each chunk.
    Rows: TypeAlias = Iterator[NDArray[np.int64]]

arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
feather = import_extra("pyarrow.feather", "scale")

#: The least memory, and what the interpreter and its packages take of it.
_LEAST, _OWN = 800 * 10**6, 350 * 10**6
#: Names that are written at a time.
_WRITTEN = 1 << 18
#: What a build writes into the folder of the store.
_OWN_FILES = r"((in_)?(indptr|indices|weights)|names)\.npy|\.lpgraph-.*"


def build_store(
    edges: object,
    folder: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
    header: bool | None = None,
    format: str | None = None,  # noqa: A002 - as in read_graph
    multi_edges: MultiEdgeRule = "sum",
    memory: str | int = "2GB",
) -> Adjacency:
    r"""Build an edge store: the csr arrays of an adjacency matrix in a folder, from edges of any number.

    A build from files that was stopped, also by ``kill -9`` or a full disk, continues if it is
    called again in the same way: shards that were read are not read again. The store is the same to the last byte.
    A finished store of the same files is opened.

    Parameters
    ----------
    edges : path, list of paths, table or graph
        - Files of edges: a path, a pattern such as ``"edges/*.parquet"``, or a list of them. Parquet, Arrow and
          Feather, csv, tsv and txt, the last three also gzipped.
        - A graph or table in memory that `as_adjacency` takes; its vertices without edges are kept. Write larger
          tables to Parquet first, as by ``to_parquet`` of Dask.
    folder : str or path
        The folder of the store, which is made; nothing else may be in it. Temporary files there take up to 32
        bytes for each listed edge without weights and 56 with them, and the names.
    directed : bool or None
        Whether an edge is an arc from source to target. With None, files and tables are undirected, and a graph
        keeps its direction.
    weight : str or None
        Title of the column of weights. None: every edge has weight 1, however often it is listed.
    source, target : str, optional
        Titles of the columns of end points, if they are not found as in `as_adjacency`.
    header : bool or None
        For text: whether the first line has titles. None: as in `read_graph`, by the first MB of each file.
    format : {"csv", "tsv", "txt", "parquet", "feather"}, optional
        None: by the suffix.
    multi_edges : {"sum", "collapse"}
        What an edge listed several times weighs: the sum of its weights, or the largest. (u, v) and (v, u) are
        the same edge of an undirected network: a list that has every edge in both directions wants "collapse".
    memory : str or int
        How much memory the process may take, such as "2GB". Texts as names take about 100 bytes for each vertex.

    Returns
    -------
    Adjacency
        As by `open_store`. Vertices are in increasing order of their names. Names are integers if all are, those
        of text files in their usual form and within 64 bits; otherwise all are texts.

    Raises
    ------
    StoreError
        When the folder has other files or another store, another process builds it, a file has changed since a
        stopped build read it, the disk is full, or `memory` is too little.
    ArgumentError, ArgumentTypeError, GraphError, FileFormatError
        When a file is missing, damaged, or has a missing name or weight; the message names file and row. Correct
        it, and call again.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.csv").write_text("source,target\nb,a\nc,b\nb,c\n")
    >>> store = lp.scale.build_store(folder / "edges.csv", folder / "graph.store")
    >>> store
    Adjacency(3 vertices, 2 edges, undirected, weighted)
    >>> store.names.tolist(), store.index["c"]
    (['a', 'b', 'c'], 2)
    >>> store.matrix.toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """
    check_choice("multi_edges", multi_edges, ("sum", "collapse"))
    columns = Columns(
        check_ends(source, target),
        check_weight_name(weight),
        None if header is None else check_flag("header", header),
    )
    budget = as_bytes("memory", memory, low=_LEAST) - _OWN
    store = Path(os.path.abspath(os.fsdecode(folder)))
    if store.exists() and not store.is_dir():
        raise StoreError(f"{store} is a file, and a store is a folder; pass a path that does not exist.")
    shards, graph = as_shards(edges, format), None
    if shards is None:
        graph = as_adjacency(
            edges, directed=directed, weight=weight, source=source, target=target, multi_edges=multi_edges
        )
    work = store / "building"
    arcs = directed is not None and check_flag("directed", directed)
    summed = multi_edges == "sum" and weight is not None
    build = _Build(store, work, columns, arcs, "sum" if summed else "largest", budget)
    try:
        with alone(work, "build_store"):
            store.mkdir(parents=True, exist_ok=True)
            _build(build, graph, shards or [])
    except Exception:
        if not any(work.glob("chunk-*")):  # nothing has been read
            shutil.rmtree(work, ignore_errors=True)
        with suppress(OSError):  # there is none, or it has files
            store.rmdir()
        raise
    shutil.rmtree(work)
    return open_store(store)


def _build(build: _Build, graph: Adjacency | None, shards: Sequence[Shard]) -> None:
    """Build the store, or what is left of it; raise if the folder has something else."""
    plan = build.plan(shards)
    if (build.store / MANIFEST).exists():
        if graph is not None:
            raise StoreError(f"{build.store} has a store, perhaps of other edges; name another folder.")
        check_same(build.store, manifest_of(build.store)["source"].get("plan", {}), plan)
        return
    before = build.load("plan.json")
    own = "building" if before is None else f"building|{_OWN_FILES}"
    others = [path.name for path in build.store.iterdir() if not re.fullmatch(own, path.name)]
    if others:
        raise StoreError(f"{build.store} has other files, such as {others[0]}; name a folder of its own.")
    if graph is not None:
        _of_graph(build, graph)
        return
    if before is None:
        build.save("plan.json", plan)
    else:
        check_same(build.work, before, plan)
    read = [_read(build, k, shard) for k, shard in enumerate(shards)]
    kinds = {facts["weighted"] for facts in read if facts["batches"]}
    if len(kinds) > 1:
        raise GraphError("Some files have weights and others have none; pass weight=None, or add the column.")
    numbered = build.load("numbered.json") or _number(build, read)
    n = numbered["n"]
    sides = ("out", "in") if build.directed else ("both",)
    found = [Entries(*(build.load(f"{side}.json") or _written(build, side, read, n))) for side in sides]
    _finish(build, found[0], n, plan)


@dataclass(frozen=True)
class _Build:
    """One call of `build_store`."""

    store: Path
    work: Path
    columns: Columns
    directed: bool
    rule: str
    memory: float

    def plan(self, shards: Sequence[Shard]) -> Facts:
        """Return what must be the same when a build continues."""
        options = [list(self.columns.ends or ()), self.columns.weight, self.columns.header, self.rule]
        return {"directed": self.directed, "options": options, "shards": [shard.state() for shard in shards]}

    def load(self, name: str) -> Facts | None:
        """Return what a step has saved; None if it has not ended."""
        path = self.work / name
        return json.loads(path.read_bytes()) if path.exists() else None

    def save(self, name: str, value: object) -> None:
        """Say that a step has ended."""
        replace_file(self.work / name, json.dumps(value).encode())

    def chunks(self, read: Sequence[Facts]) -> list[Path]:
        """Return the paths of the chunks without a suffix."""
        batches = [(k, batch) for k, facts in enumerate(read) for batch in range(facts["batches"])]
        return [self.work / f"chunk-{k:05d}-{batch:06d}" for k, batch in batches]


def _read(build: _Build, k: int, shard: Shard) -> Facts:
    """Read a shard once; return the number of its batches, and what kind of names and weights it has."""
    done = build.load(f"shard-{k:05d}.json")
    if done is not None:
        return done
    state, batches, weighted, texts = shard.state(), 0, False, False
    for source, target, weight in shard.tables(build.columns):
        if not len(source):
            continue
        path = build.work / f"chunk-{k:05d}-{batches:06d}"
        ends, names = _coded(source, target)
        np.save(path.with_suffix(".npy"), ends.reshape(2, -1))
        table = arrow.table({"names": names})
        feather.write_feather(table, path.with_suffix(".names"), compression="uncompressed")
        if weight is not None:
            np.save(path.with_suffix(".weights.npy"), weight.to_numpy())
        texts |= names.type != arrow.int64()
        weighted, batches = weight is not None, batches + 1
        tell(log, "Read %s", shard.path)
    if shard.state() != state:
        raise StoreError(f"{shard.path} was changed while it was read; call build_store again.")
    done = {"batches": batches, "texts": texts, "weighted": weighted}
    build.save(f"shard-{k:05d}.json", done)
    return done


def _number(build: _Build, read: Sequence[Facts]) -> Facts:
    """Give the end points numbers, and write the names; return the number of vertices."""
    chunks = build.chunks(read)
    if not chunks:
        raise GraphError("There is no edge; pass at least one.")
    whole = not any(facts["texts"] for facts in read)
    names, rows = _sorted_names(chunks, arrow.int64() if whole else arrow.large_string(), build.memory)
    n = len(names)
    kind = np.int32 if n < 2**31 else np.int64
    for path, numbers in zip(chunks, rows, strict=True):
        np.save(path.with_suffix(".rows.npy"), numbers.astype(kind))
    _write_names(build.store / "names.npy", names)
    build.save("numbered.json", {"n": n})
    for path in chunks:
        path.with_suffix(".npy").unlink()
        path.with_suffix(".names").unlink()
    tell(log, "Numbered %d vertices", n)
    return {"n": n}


def _coded(source: pa.Array, target: pa.Array) -> tuple[NDArray[np.int32], pa.Array]:
    """Return the ends of a batch as places in the list of their distinct names, and that list."""
    if source.type == target.type == arrow.int64():
        places, names = pd.factorize(np.concatenate([source.to_numpy(), target.to_numpy()]), sort=True)
        return places.astype(np.int32), arrow.array(names)
    texts = arrow.chunked_array([column.cast(arrow.large_string()) for column in (source, target)])
    found = texts.combine_chunks().dictionary_encode()
    return found.indices.to_numpy(), found.dictionary


def _sorted_names(chunks: Sequence[Path], kind: pa.DataType, memory: float) -> tuple[pa.Array, Rows]:
    """Return the distinct names in order, of integers or of code points, and the place of each end."""
    names, whole = arrow.array([], kind), kind == arrow.int64()  # Arrow's tables of integers take 200 bytes each
    for some in _groups(chunks, kind, memory):
        listed = arrow.chunked_array([names, *some.values()])
        names = arrow.array(pd.unique(listed.to_numpy())) if whole else compute.unique(listed)
        if 6 * names.nbytes > memory:
            count = f"{len(names)} names or more do not fit into {gigabytes(memory)}"
            raise StoreError(f"{count}; pass a larger memory=.")
    names = names.take(compute.sort_indices(names))

    def rows() -> Rows:
        for some in _groups(chunks, kind, memory):
            listed = arrow.chunked_array(some.values())
            if whole:
                found = np.searchsorted(names.to_numpy(), listed.to_numpy())
            else:
                found = compute.index_in(listed, value_set=names).to_numpy().astype(np.int64)
            cuts = np.cumsum([len(one) for one in some.values()])[:-1]
            for path, places in zip(some, np.split(found, cuts), strict=True):
                yield places[np.load(path.with_suffix(".npy"))]

    return names, rows()


def _groups(chunks: Sequence[Path], kind: pa.DataType, memory: float) -> Iterator[dict[Path, pa.Array]]:
    """Yield the distinct names of some chunks at a time: a table of all names is made for each group."""
    group: dict[Path, pa.Array] = {}
    held = 0
    for path in chunks:
        group[path] = feather.read_table(path.with_suffix(".names"))["names"].combine_chunks().cast(kind)
        held += group[path].nbytes
        if held >= memory / 12 or path is chunks[-1]:  # all names, and a table of them, need the rest
            yield group
            group, held = {}, 0
            arrow.default_memory_pool().release_unused()  # tables of the last group


def _write_names(path: Path, names: pa.Array) -> None:
    """Write the names of vertices, unless they are 0 ... n - 1."""
    n = len(names)
    if names.type == arrow.int64():
        path.unlink(missing_ok=True)
        if n and (names[0].as_py(), names[-1].as_py()) != (0, n - 1):
            with written(path) as file:
                np.save(file, names.to_numpy())
        return
    if compute.any(compute.ends_with(names, "\0")).as_py():
        raise GraphError("A vertex has a name that ends in the character NUL, which arrays of texts do not keep.")
    width = compute.max(compute.utf8_length(names)).as_py()
    with written(path) as file:
        header = {"descr": f"<U{width}", "fortran_order": False, "shape": (n,)}
        np.lib.format.write_array_header_1_0(file, header)
        for low in range(0, n, _WRITTEN):
            file.write(np.array(names.slice(low, _WRITTEN).to_pylist(), dtype=f"<U{width}").tobytes())


def _written(build: _Build, side: str, read: Sequence[Facts], n: int) -> tuple[float, ...]:
    """Write the arrays of a matrix."""
    weighted = any(facts["weighted"] for facts in read)
    found = write_csr(build.chunks(read), n, build.store, side, build.rule, weighted, build.memory)
    build.save(f"{side}.json", list(found))
    return found


def _finish(build: _Build, found: Entries, n: int, plan: Facts) -> None:
    """Write the manifest."""
    weighted = (found.least, found.most) != (1.0, 1.0) and found.entries > 0
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": checksum(path)}
        for path in sorted(build.store.glob("*.npy"))
    }
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "lpgraph": version("lpgraph"),
        "n_vertices": n,
        "n_edges": found.entries if build.directed else (found.entries + found.loops) // 2,
        "n_entries": found.entries,
        "directed": build.directed,
        "weighted": weighted,
        "lowest_weight": found.least,
        "highest_weight": found.most,
        "files": files,
        "source": {"plan": plan},
    }
    replace_file(build.store / MANIFEST, json.dumps(manifest, indent=1).encode())


def _of_graph(build: _Build, graph: Adjacency) -> None:
    """Write the store of a graph in memory."""
    from scipy import sparse

    if is_array(graph.names):
        names = name_column(graph.names)
        order = compute.sort_indices(names)
        graph = graph.take(order.to_numpy().astype(np.intp))
        _write_names(build.store / "names.npy", names.take(order))
    for prefix in ("", "in_") if graph.directed else ("",):
        matrix = sparse.csr_array(graph.matrix.T) if prefix else graph.matrix
        matrix.sort_indices()
        parts = {"indptr": matrix.indptr, "indices": matrix.indices, "weights": matrix.data}
        if not graph.weighted:
            del parts["weights"]
        for name, array in parts.items():
            with written(build.store / f"{prefix}{name}.npy") as file:
                np.save(file, array)
    loops = int(np.count_nonzero(graph.diagonal))
    found = Entries(graph.matrix.nnz, loops, graph.lowest_weight, graph.highest_weight)
    _finish(replace(build, directed=bool(graph.directed)), found, graph.n_vertices, {})
