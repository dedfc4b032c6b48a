"""`build_store`: an edge store from files, tables or a graph, in bounded memory; it continues after a stop.

Edges are read once, shard by shard, and written as chunks of end points. Then the distinct names are sorted, the
ends numbered, and the entries of the matrix divided into buckets of rows, sorted, and written. After a stop,
shards that were read are not read again; numbering, and each of the two matrices of a directed network, are
repeated.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.checks import check_choice, check_flag, import_extra, is_array
from lpgraph._utils.files import replace_file, written
from lpgraph._utils.progress import tell, warn
from lpgraph.errors import GraphError, LpgraphWarning, StoreError
from lpgraph.graph.construct import as_adjacency, check_ends, check_weight_name
from lpgraph.graph.files.store import FORMAT, MANIFEST, VERSION, checksum, manifest_of, open_store
from lpgraph.graph.files.tables import MISSING
from lpgraph.linalg.room import as_bytes, gigabytes
from lpgraph.scale.csr_files import Entries, Form, write_csr
from lpgraph.scale.parts import alone, log
from lpgraph.scale.shards import as_shards
from lpgraph.scale.text_edges import Columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import MultiEdgeRule
    from lpgraph.scale.parts import Facts
    from lpgraph.scale.shards import Shard

    Array = NDArray[np.float64]

    #: End points of a batch, sources before targets: integers, or places in a dictionary of texts.
    Ends: TypeAlias = "tuple[NDArray[np.signedinteger], pa.Array | None]"

arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
feather = import_extra("pyarrow.feather", "scale")

#: The least memory, and what the interpreter and its packages take of it.
_LEAST, _OWN = 800 * 10**6, 350 * 10**6
#: Integers that are merged together, and names that are written at a time.
_TOGETHER, _WRITTEN = 1 << 24, 1 << 18
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
    multi_edges: str = "sum",
    memory: str | int = "2GB",
    temporary: str | os.PathLike[str] | None = None,
) -> Adjacency:
    r"""Build an edge store: the csr arrays of an adjacency matrix in a folder, from edges of any number.

    A build from files or a Dask DataFrame that was stopped, also by ``kill -9`` or a full disk, continues if it is
    called again in the same way: shards that were read are not read again. The store is the same to the last byte.
    A finished store of the same files is opened.

    Parameters
    ----------
    edges : path, list of paths, table or graph
        - Files of edges: a path, a pattern such as ``"edges/*.parquet"``, or a list of them. Parquet, Arrow and
          Feather, csv, tsv and txt, the last three also gzipped.
        - pandas or polars DataFrame, pyarrow Table or RecordBatchReader: one edge a row.
        - Dask DataFrame: one edge a row. Partitions are computed one at a time, by the current Dask client if
          there is one, and each must fit in memory. A build that was stopped continues if Dask gives them the same
          keys, as it does if the same operations are applied to the same files. A partition that depends on all
          others, as after a shuffle, would compute them all: call `persist` first, or write files of Parquet.
        - Another graph that `as_adjacency` takes; its vertices without edges are kept.
    folder : str or path
        The folder of the store, which is made; nothing else may be in it.
    directed : bool or None
        Whether an edge is an arc from source to target. With None, files and tables are undirected, and a graph
        keeps its direction.
    weight : str or None
        Title of the column of weights. None: every edge has weight 1, however often it is listed.
    source, target : str, optional
        Titles of the columns of end points, if they are not found as in `as_adjacency`.
    header : bool or None
        For text: whether the first line has titles. None: as in `read_graph`, by the first MB of a file.
    format : {"csv", "tsv", "txt", "parquet", "feather"}, optional
        None: by the suffix.
    multi_edges : {"sum", "collapse"}
        What an edge listed several times weighs: the sum of its weights, or the largest. (u, v) and (v, u) are
        the same edge of an undirected network: a list that has every edge in both directions wants "collapse".
    memory : str or int
        How much memory the process may take, such as "2GB". Texts as names take about 100 bytes for each vertex.
    temporary : str or path, optional
        A folder for temporary files, by default the folder of the store. They take up to 32 bytes for each listed
        edge without weights and 56 with them, and the names.

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

    Warns
    -----
    LpgraphWarning
        When a vertex is called as programs write a missing name, such as "NA".

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
    shards = as_shards(edges, format)
    summed: MultiEdgeRule = "sum" if multi_edges == "sum" else "collapse"
    graph = as_adjacency(edges, directed=directed, weight=weight, multi_edges=summed) if shards is None else None
    work = store / "building"
    if temporary is not None:
        mark = hashlib.sha256(os.fsencode(store)).hexdigest()[:16]
        work = Path(os.path.abspath(os.fsdecode(temporary))) / f"{store.name}-{mark}"
    arcs = directed is not None and check_flag("directed", directed)
    rule = "sum" if multi_edges == "sum" and weight is not None else "largest"
    build = _Build(store, work, columns, arcs, rule, budget)
    try:
        with alone(work, "build_store"):
            store.mkdir(parents=True, exist_ok=True)
            _build(build, graph, shards)
    except Exception:
        if work.exists() and not any(path.name.startswith("chunk-") for path in work.iterdir()):
            shutil.rmtree(work)  # nothing has been read
        if store.exists() and not any(store.iterdir()):
            store.rmdir()
        raise
    shutil.rmtree(work)
    found = open_store(store)
    _warn_of_missing(found)
    return found


def _warn_of_missing(store: Adjacency) -> None:
    """Warn if a vertex is called as programs write a missing name."""
    if not is_array(store.names) or store.names.dtype.kind != "U":
        return
    found = np.intersect1d(store.names[np.searchsorted(store.names[:-1], sorted(MISSING))], sorted(MISSING))
    if len(found):
        message = (
            f"{store.store}: a vertex is called {str(found[0])!r}; if that is a missing name, drop its edges."
        )
        warn(message, LpgraphWarning)


def _build(build: _Build, graph: Adjacency | None, shards: Sequence[Shard] | None) -> None:
    """Build the store, or what is left of it; raise if the folder has something else."""
    plan = build.plan(shards)
    if (build.store / MANIFEST).exists():
        if plan is None or manifest_of(build.store)["source"].get("plan") != plan:
            raise StoreError(f"{build.store} has a store of other edges or other options; name another folder.")
        return
    before = build.load("plan.json")
    own = re.compile("building|lock" if before is None else f"building|lock|{_OWN_FILES}")
    others = [path.name for path in build.store.iterdir() if not own.fullmatch(path.name)]
    if others:
        raise StoreError(f"{build.store} has other files, such as {others[0]}; name a folder of its own.")
    if shards is None:
        _of_graph(build, as_adjacency(graph))
        return
    if before is None or plan is None:
        build.clear()
        build.save("plan.json", plan or {})
    elif before != plan:
        key = next(key for key in plan if before.get(key) != plan[key])
        was = f"{build.work} has a build with {key}={before.get(key)!r:.200}, not {plan[key]!r:.200}"
        raise StoreError(f"{was}; call it as before, or delete that folder.")
    read = [_read(build, k, shard) for k, shard in enumerate(shards)]
    kinds = {facts["weighted"] for facts in read if facts["batches"]}
    if len(kinds) > 1:
        raise GraphError("Some files have weights and others have none; pass weight=None, or add the column.")
    numbered = build.load("numbered.json") or _number(build, read)
    n = int(numbered["n"])
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

    def plan(self, shards: Sequence[Shard] | None) -> Facts | None:
        """Return what must be the same when a build continues; None if the edges cannot be read again."""
        states = [shard.state() for shard in shards or []]
        if not states or not all(states):
            return None
        options = [list(self.columns.ends or ()), self.columns.weight, self.columns.header, self.rule]
        return {"directed": self.directed, "options": options, "shards": states}

    def load(self, name: str) -> Facts | None:
        """Return what a step has saved; None if it has not ended."""
        path = self.work / name
        return json.loads(path.read_bytes()) if path.exists() else None

    def save(self, name: str, value: object) -> None:
        """Say that a step has ended."""
        replace_file(self.work / name, json.dumps(value).encode())

    def clear(self) -> None:
        """Delete what is left of a build that cannot be continued."""
        for path in self.work.iterdir():
            if path.name != "lock":
                path.unlink()

    def chunks(self, read: Sequence[Facts]) -> Iterator[tuple[Path, bool]]:
        """Yield the paths of the chunks without a suffix, and whether they have weights."""
        for k, facts in enumerate(read):
            for batch in range(facts["batches"]):
                yield self.work / f"chunk-{k:05d}-{batch:06d}", facts["weighted"]


def _read(build: _Build, k: int, shard: Shard) -> Facts:
    """Read a shard once; return the number of its batches, and what kind of names and weights it has."""
    done = build.load(f"shard-{k:05d}.json")
    if done is not None:
        return done
    state, batches, weighted, low, high = shard.state(), 0, False, 0, 0
    kinds: set[str] = set()
    for source, target, weight in shard.tables(build.columns):
        if not len(source):
            continue
        path = build.work / f"chunk-{k:05d}-{batches:06d}"
        ends, texts = _coded(source, target)
        np.save(path.with_suffix(".npy"), ends.reshape(2, -1))
        if texts is None:
            low = min(int(ends.min()), low if kinds else int(ends.min()))
            high = max(int(ends.max()), high if kinds else int(ends.max()))
        else:
            table = arrow.table({"texts": texts})
            feather.write_feather(table, path.with_suffix(".texts"), compression="uncompressed")
        if weight is not None:
            np.save(path.with_suffix(".weights.npy"), weight.to_numpy())
        kinds.add("integers" if texts is None else "texts")
        weighted, batches = weight is not None, batches + 1
        tell(log, "Read %s", shard.name)
    if shard.state() != state:
        raise StoreError(f"{shard.name} was changed while it was read; call build_store again.")
    done = {"batches": batches, "kinds": sorted(kinds), "weighted": weighted, "low": low, "high": high}
    build.save(f"shard-{k:05d}.json", done)
    return done


def _number(build: _Build, read: Sequence[Facts]) -> Facts:
    """Give the end points numbers, and write the names; return the number of vertices."""
    chunks = [path for path, _ in build.chunks(read)]
    if not chunks:
        raise GraphError("There is no edge; pass at least one.")
    if all(facts["kinds"] in ([], ["integers"]) for facts in read):
        some = [facts for facts in read if facts["kinds"]]
        low, high = min(facts["low"] for facts in some), max(facts["high"] for facts in some)
        names, table = _distinct_integers(map(_ends, chunks), low, high, build.memory)
        for path in chunks:
            ends = _ends(path)
            rows = np.searchsorted(names, ends) if table is None else table[ends - np.int64(low)]
            _save_rows(path, rows, len(names))
    else:
        names, places = _distinct_texts(lambda: _dictionaries(chunks), build.memory)
        for path, place in zip(chunks, places, strict=True):
            ends = _ends(path)
            integers = None if path.with_suffix(".texts").exists() else np.unique(ends)
            _save_rows(path, place[ends if integers is None else np.searchsorted(integers, ends)], len(names))
    n = len(names)
    _write_names(build.store / "names.npy", names)
    build.save("numbered.json", {"n": n})
    for path in chunks:
        path.with_suffix(".npy").unlink()
        path.with_suffix(".texts").unlink(missing_ok=True)
    tell(log, "Numbered %d vertices", n)
    return {"n": n}


def _ends(path: Path) -> NDArray[np.signedinteger]:
    return np.load(path.with_suffix(".npy"))  # type: ignore[no-any-return]  # as saved


def _save_rows(path: Path, rows: NDArray[np.int64], n: int) -> None:
    np.save(path.with_suffix(".rows.npy"), rows.astype(np.int32 if n < 2**31 else np.int64))


def _dictionaries(chunks: Sequence[Path]) -> Iterator[pa.Array]:
    """Yield the distinct names of each chunk as texts."""
    for path in chunks:
        if path.with_suffix(".texts").exists():
            yield feather.read_table(path.with_suffix(".texts")).column("texts").combine_chunks()
        else:
            yield arrow.array(np.unique(_ends(path)).astype(np.int64)).cast(arrow.large_string())


def _coded(source: pa.Array, target: pa.Array) -> Ends:
    """Return the ends of a batch as integers, or as places in the dictionary of their distinct texts."""
    if source.type == target.type == arrow.int64():
        ends = np.concatenate([source.to_numpy(), target.to_numpy()])
        small = not len(ends) or (ends.min() >= -(2**31) and ends.max() < 2**31)
        return ends.astype(np.int32) if small else ends, None
    texts = arrow.chunked_array([column.cast(arrow.large_string()) for column in (source, target)])
    found = texts.combine_chunks().dictionary_encode()
    return found.indices.to_numpy(), found.dictionary


def _distinct_integers(
    batches: Iterable[NDArray[np.signedinteger]], low: int, high: int, memory: float
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return the distinct integers in order, and the place of each from `low` on if a table of these fits."""
    if 9 * (high - low + 1) <= memory / 2:
        there = np.zeros(high - low + 1, dtype=bool)
        for ends in batches:
            there[ends - np.int64(low)] = True
        return np.flatnonzero(there) + low, np.cumsum(there) - 1
    names, waiting, count = np.empty(0, dtype=np.int64), [], 0
    for ends in batches:
        waiting.append(np.unique(ends).astype(np.int64))
        count += len(waiting[-1])
        if count > max(_TOGETHER, len(names)):
            names, waiting, count = np.unique(np.concatenate([names, *waiting])), [], 0
        if 40 * (len(names) + count) > memory:
            raise _too_many(len(names), memory)
    return np.unique(np.concatenate([names, *waiting])), None


def _distinct_texts(
    dictionaries: Callable[[], Iterable[pa.Array]], memory: float
) -> tuple[pa.Array, Iterator[NDArray[np.int64]]]:
    """Return the distinct texts in the order of their code points, and each dictionary's places there."""
    together = memory / 12  # bytes of texts in a group: the names, and a table of them, need the rest
    names = arrow.array([], arrow.large_string())
    for some in _groups(dictionaries(), together):
        names = compute.unique(arrow.chunked_array([names, *some]))
        if 6 * names.nbytes > memory:
            raise _too_many(len(names), memory)
    names = names.take(compute.sort_indices(names))

    def places() -> Iterator[NDArray[np.int64]]:
        for some in _groups(dictionaries(), together):
            found = compute.index_in(arrow.chunked_array(some), value_set=names).to_numpy().astype(np.int64)
            yield from np.split(found, np.cumsum([len(one) for one in some])[:-1])

    return names, places()


def _groups(dictionaries: Iterable[pa.Array], size: float) -> Iterator[list[pa.Array]]:
    """Yield dictionaries of so many bytes at a time: a table of all names is made for each group."""
    group: list[pa.Array] = []
    held = 0
    for one in dictionaries:
        group.append(one)
        held += one.nbytes
        if held >= size:
            yield group
            group, held = [], 0
            arrow.default_memory_pool().release_unused()  # tables of the last group
    if group:
        yield group


def _write_names(path: Path, names: NDArray[np.int64] | pa.Array) -> None:
    """Write the names of vertices, unless they are 0 ... n - 1."""
    n = len(names)
    if is_array(names):
        path.unlink(missing_ok=True)
        if not n or names[0] != 0 or names[-1] != n - 1:
            with written(path) as file:
                np.save(file, names)
    elif compute.any(compute.ends_with(names, "\0")).as_py():
        raise GraphError("A vertex has a name that ends in the character NUL, which arrays of texts do not keep.")
    else:
        width = compute.max(compute.utf8_length(names)).as_py()
        with written(path) as file:
            header = {"descr": f"<U{width}", "fortran_order": False, "shape": (n,)}
            np.lib.format.write_array_header_1_0(file, header)
            for low in range(0, n, _WRITTEN):
                file.write(np.array(names.slice(low, _WRITTEN).to_pylist(), dtype=f"<U{width}").tobytes())


def _too_many(count: int, memory: float) -> StoreError:
    return StoreError(f"{count} names or more do not fit into {gigabytes(memory)}; pass a larger memory=.")


def _written(build: _Build, side: str, read: Sequence[Facts], n: int) -> tuple[float, ...]:
    """Write the arrays of a matrix."""
    prefix = "in_" if side == "in" else ""

    def edges() -> Iterator[tuple[NDArray[np.signedinteger], Array | None]]:
        for path, weighted in build.chunks(read):
            yield (
                np.load(path.with_suffix(".rows.npy")),
                np.load(path.with_suffix(".weights.npy")) if weighted else None,
            )

    found = write_csr(
        edges,
        n,
        build.work,
        lambda name: build.store / f"{prefix}{name}.npy",
        Form(side, build.rule, any(facts["weighted"] for facts in read)),
        build.memory,
    )
    build.save(f"{side}.json", list(found))
    return found


def _finish(build: _Build, found: Entries, n: int, plan: Facts | None) -> None:
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
        "source": {} if plan is None else {"plan": plan},
    }
    replace_file(build.store / MANIFEST, json.dumps(manifest, indent=1).encode())


def _of_graph(build: _Build, graph: Adjacency) -> None:
    """Write the store of a graph in memory."""
    from scipy import sparse

    names = graph.names
    if is_array(names):
        kinds = {type(name) for name in names.tolist()}
        texts = np.array(names.tolist() if kinds in ({int}, {str}) else [])
        if texts.tolist() != names.tolist():  # also if a text ends in NUL
            raise GraphError(f"A vertex is called {names.tolist()[0]!r}; rename all to integers or texts.")
        order = np.argsort(texts, kind="stable")
        graph, names = graph.take(order), texts[order]
    for prefix in ("", "in_") if graph.directed else ("",):
        matrix = sparse.csr_array(graph.matrix.T) if prefix else graph.matrix
        matrix.sort_indices()
        parts = {"indptr": matrix.indptr, "indices": matrix.indices}
        for name, array in (parts | ({"weights": matrix.data} if graph.weighted else {})).items():
            with written(build.store / f"{prefix}{name}.npy") as file:
                np.save(file, array)
    if is_array(names):
        with written(build.store / "names.npy") as file:
            np.save(file, names)
    loops = int(np.count_nonzero(graph.diagonal))
    found = Entries(graph.matrix.nnz, loops, graph.lowest_weight, graph.highest_weight)
    _finish(replace(build, directed=bool(graph.directed)), found, graph.n_vertices, None)
