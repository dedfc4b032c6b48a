"""`build_store`: an edge store from files, in bounded memory and also after a stop, or from a graph in memory.

Edges are read once, shard by shard, and written as chunks of end points. Then the distinct names are sorted, the
ends numbered, and the entries of the matrix divided into buckets of rows, sorted, and written. After a stop,
shards that were read are not read again; what follows is repeated.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_flag, import_extra, is_array
from lpgraph._utils.compiled import slices
from lpgraph._utils.files import replace_file
from lpgraph._utils.progress import tell
from lpgraph.errors import GraphError, StoreError
from lpgraph.graph.construct import as_adjacency, check_titles
from lpgraph.graph.files.source import Source
from lpgraph.graph.files.store import FORMAT, MANIFEST, VERSION, checksum, manifest_of, open_store
from lpgraph.linalg.room import as_bytes, gigabytes

from .csr_files import Entries, growing, write_csr
from .parts import alone, check_same, log
from .shards import as_shards, name_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import MultiEdgeRule

    from .shards import Shard

    #: Values of JSON.
    Facts: TypeAlias = dict[str, Foreign]

arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
feather = import_extra("pyarrow.feather", "scale")

#: The least memory, and what the interpreter and its packages take of it.
_LEAST, _OWN = 800 * 10**6, 350 * 10**6
#: Names that are written at a time.
_WRITTEN = 1 << 18
#: What a build writes into the folder of the store.
_OWN_FILES = r"building|((in_)?(indptr|indices|weights)|names)\.npy|\.lpgraph-.*"


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
    options = Source("", b"", weight=weight, ends=check_titles(weight, source, target), header=header)
    budget = as_bytes("memory", memory, low=_LEAST) - _OWN
    store = Path(os.path.abspath(os.fsdecode(folder)))
    if store.exists() and not store.is_dir():
        raise StoreError(f"{store} is a file, and a store is a folder; pass a path that does not exist.")
    shards, work = as_shards(edges, options, format), store / "building"
    plan: Facts = {"directed": directed is not None and check_flag("directed", directed)}
    if shards is None:
        graph = as_adjacency(
            edges, directed=directed, weight=weight, source=source, target=target, multi_edges=multi_edges
        )
    else:
        summed = multi_edges == "sum" and weight is not None
        plan |= {"rule": "sum" if summed else "largest", "shards": [shard.state() for shard in shards]}
    try:
        with alone(work, "build_store"):
            if _is_built(store, plan):
                pass
            elif shards is None:
                _write_graph(store, graph)
            else:
                _write_shards(store, shards, plan, budget)
    except Exception:
        if not any(work.glob("chunk-*")):  # nothing has been read
            shutil.rmtree(work, ignore_errors=True)
        with suppress(OSError):  # there is none, or it has files
            store.rmdir()
        raise
    shutil.rmtree(work)
    return open_store(store)


def _is_built(store: Path, plan: Facts) -> bool:
    """Whether the store is there already; raise if the folder has something else."""
    if (store / MANIFEST).exists():
        if "shards" not in plan:
            raise StoreError(f"{store} has a store, perhaps of other edges; name another folder.")
        check_same(store, manifest_of(store)["source"].get("plan", {}), plan)
        return True
    own = _OWN_FILES if any(store.glob("building/shard-*")) else "building"
    others = [path.name for path in store.iterdir() if not re.fullmatch(own, path.name)]
    if others:
        raise StoreError(f"{store} has other files, such as {others[0]}; name a folder of its own.")
    return False


def _write_shards(store: Path, shards: Sequence[Shard], plan: Facts, memory: float) -> None:
    """Write the store of files of edges, or what is left of it."""
    work = store / "building"
    read = [_read(work, k, shard) for k, shard in enumerate(shards)]
    chunks = [work / name for facts in read for name in facts["chunks"]]
    if not chunks:
        raise GraphError("There is no edge; pass at least one.")
    weighted, *mixed = {facts["weighted"] for facts in read if facts["chunks"]}
    if mixed:
        raise GraphError("Some files have weights and others have none; pass weight=None, or add the column.")
    texts = any(facts["texts"] for facts in read)
    names = _number(chunks, arrow.large_string() if texts else arrow.int64(), memory)
    _write_names(store / "names.npy", names)
    sides = ("out", "in") if plan["directed"] else ("both",)
    found = [write_csr(chunks, len(names), store, side, plan["rule"], weighted, memory) for side in sides]
    _finish(store, found[0], len(names), plan)


def _read(work: Path, k: int, shard: Shard) -> Facts:
    """Read a shard once; return the names of its chunks, and what kind of names and weights it has."""
    record, path = work / f"shard-{k:05d}.json", shard.source.path
    if not record.exists():
        facts: Facts = {"state": shard.state(), "chunks": [], "texts": False, "weighted": False}
        for source, target, weight in shard.tables():
            if len(source):
                chunk = work / f"chunk-{k:05d}-{len(facts['chunks']):06d}"
                ends, names = _coded(source, target)
                np.save(chunk.with_suffix(".npy"), ends.reshape(2, -1))
                table = arrow.table({"names": names})
                feather.write_feather(table, chunk.with_suffix(".names"), compression="uncompressed")
                if weight is not None:
                    np.save(chunk.with_suffix(".weights.npy"), weight.to_numpy())
                facts["chunks"].append(chunk.name)
                facts["texts"] |= names.type != arrow.int64()
                facts["weighted"] = weight is not None
                tell(log, "Read %s", path)
        replace_file(record, json.dumps(facts).encode())
    found: Facts = json.loads(record.read_bytes())
    if found["state"] != shard.state():
        problem = f"{path} was read in another way, or has changed since it was read"
        raise StoreError(f"{problem}; delete {work}, and call build_store again.")
    return found


def _coded(source: pa.Array, target: pa.Array) -> tuple[NDArray[np.integer], pa.Array]:
    """Return the ends of a batch as places in the list of their distinct names, and that list."""
    if source.type == target.type == arrow.int64():
        places, names = pd.factorize(arrow.concat_arrays([source, target]).to_numpy(), sort=True)
        return places.astype(np.int32), arrow.array(names)
    texts = arrow.concat_arrays([column.cast(arrow.large_string()) for column in (source, target)])
    found = texts.dictionary_encode()
    return found.indices.to_numpy(), found.dictionary


def _number(chunks: Sequence[Path], kind: pa.DataType, memory: float) -> pa.Array:
    """Write the number of each end; return the distinct names in order, of integers or of code points."""
    names, whole = arrow.array([], kind), kind == arrow.int64()  # Arrow's tables of integers take 200 bytes each
    for group in _groups(chunks, kind, memory):
        listed = arrow.concat_arrays([names, *group.values()])
        names = arrow.array(pd.unique(listed.to_numpy())) if whole else compute.unique(listed)
        if 6 * names.nbytes > memory:
            count = f"{len(names)} names or more do not fit into {gigabytes(memory)}"
            raise StoreError(f"{count}; pass a larger memory=.")
    names = names.take(compute.sort_indices(names))
    number = np.int32 if len(names) < 2**31 else np.int64
    for group in _groups(chunks, kind, memory):
        listed = arrow.concat_arrays(group.values())
        if whole:
            found = np.searchsorted(names.to_numpy(), listed.to_numpy())
        else:
            found = compute.index_in(listed, value_set=names).to_numpy()
        cuts = np.cumsum([len(one) for one in group.values()])[:-1]
        for path, numbers in zip(group, np.split(found.astype(number), cuts), strict=True):
            np.save(path.with_suffix(".rows.npy"), numbers[np.load(path.with_suffix(".npy"))])
    tell(log, "Numbered %d vertices", len(names))
    return names


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
            np.save(path, names.to_numpy())
        return
    if compute.any(compute.ends_with(names, "\0")).as_py():
        raise GraphError("A vertex has a name that ends in the character NUL, which arrays of texts do not keep.")
    with growing(path, f"<U{compute.max(compute.utf8_length(names))}") as add:
        for some in slices(n, _WRITTEN):
            add(np.array(names[some].to_pylist()))


def _finish(store: Path, found: Entries, n: int, plan: Facts) -> None:
    """Write the manifest."""
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "lpgraph": version("lpgraph"),
        "n_vertices": n,
        "n_entries": found.entries,
        "directed": plan["directed"],
        "lowest_weight": found.least,
        "highest_weight": found.most,
        "files": {
            path.name: {"bytes": path.stat().st_size, "sha256": checksum(path)}
            for path in sorted(store.glob("*.npy"))
        },
        "source": {"plan": plan},
    }
    replace_file(store / MANIFEST, json.dumps(manifest, indent=1).encode())


def _write_graph(store: Path, graph: Adjacency) -> None:
    """Write the store of a graph in memory."""
    if is_array(graph.names):
        names = name_column(graph.names)
        order = compute.sort_indices(names)
        graph = graph.take(order.to_numpy().astype(np.intp))
        _write_names(store / "names.npy", names.take(order))
    for prefix in ("", "in_") if graph.directed else ("",):
        matrix = sparse.csr_array(graph.matrix.T) if prefix else graph.matrix
        matrix.sort_indices()
        np.save(store / f"{prefix}indptr.npy", matrix.indptr)
        np.save(store / f"{prefix}indices.npy", matrix.indices)
        if graph.weighted:
            np.save(store / f"{prefix}weights.npy", matrix.data)
    found = Entries(graph.matrix.nnz, graph.lowest_weight, graph.highest_weight)
    _finish(store, found, graph.n_vertices, {"directed": graph.directed})
