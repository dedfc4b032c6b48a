"""`build_store`: an edge store from files, tables or a graph, in bounded memory; it goes on after a stop."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lpgraph._checks import check_choice, check_flag, import_extra
from lpgraph._compiled import available
from lpgraph._interrupts import surely
from lpgraph._progress import tell
from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning, MissingDependencyError, StoreError
from lpgraph.graph.assemble import MultiEdgeRule
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.convert import check_ends, check_weight_name
from lpgraph.graph.files.missing import MISSING
from lpgraph.scale.building.buckets import bucket_chunks, find_grid
from lpgraph.scale.building.columns import Columns
from lpgraph.scale.building.finish import finish
from lpgraph.scale.building.graph_input import list_graph
from lpgraph.scale.building.number import CollisionError, drop_ids, number_chunks
from lpgraph.scale.building.partition import Task, write_parts
from lpgraph.scale.building.read import read_shards
from lpgraph.scale.building.shards import FileShard, Shard, as_shards, can_be_read_again
from lpgraph.scale.building.work import FULL, Work, locked
from lpgraph.scale.layout import MANIFEST
from lpgraph.scale.logs import log
from lpgraph.scale.names_file import FileNames
from lpgraph.scale.room import as_bytes
from lpgraph.scale.store import EdgeStore

__all__ = ["build_store"]

#: The least memory, and what the interpreter and its packages take of it.
_LEAST, _OWN = 800 * 10**6, 350 * 10**6
_BUILDING, _LOCK, _PLAN = "building", ".lock", "plan.json"
#: What a build writes into the folder of the store.
_OWN_FILES = re.compile(
    r"((out|in)-[0-9]{5}\.(indptr|indices|weights)\.npy|(degrees|in_degrees|diagonal|components)\.npy|names\.parquet)"
    r"(\.draft)?|\.lpgraph-[0-9a-f]{16}"
)
#: Attempts with other hashes, after two names had the same.
_ATTEMPTS = 5


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
) -> EdgeStore:
    r"""Build an edge store: sorted tiles of the adjacency matrix in a folder, from edges of any number.

    A build from files or a Dask DataFrame that was stopped, also by ``kill -9`` or a full disk, goes on if it is
    called again in the same way; the store is the same to the last byte. A finished store of the same files is
    opened.

    Parameters
    ----------
    edges : path, list of paths, table or graph
        - Files of edges: a path, a pattern such as ``"edges/*.parquet"``, or a list of them. Parquet, Arrow and
          Feather, csv, tsv and txt, the last three also gzipped.
        - pandas or polars DataFrame, pyarrow Table or RecordBatchReader: one edge a row.
        - Dask DataFrame: one edge a row. Partitions are computed one at a time, by the current Dask client if
          there is one, and each must fit in memory. A build that was stopped goes on if Dask gives them the same
          keys, as it does if the same operations are applied to the same files. A partition that depends on all
          others, as after a shuffle, would compute them all: call `persist` first, or write files of Parquet.
        - Any other graph that `as_adjacency` takes; its vertices without edges are kept.
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
        How much memory the process may take, such as "2GB".
    temporary : str or path, optional
        A folder for temporary files, by default the folder of the store. They take up to 16 bytes for each listed
        edge without weights and 32 with them, and the names.

    Returns
    -------
    EdgeStore
        Vertices are in increasing order of their names. Names are integers, or texts: those of text files are
        integers if all are, in their usual form and within 64 bits.

    Raises
    ------
    StoreError
        When the folder has other files or another store, another process builds it, a file has changed since a
        stopped build read it, the disk is full, or `memory` is too little.
    ArgumentError, ArgumentTypeError, GraphError, FileFormatError
        When a file is missing, damaged, or has a missing name or weight; the message names file and row. Correct
        it, and call again: the build goes on with that file.

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
    EdgeStore(3 vertices, 2 edges, undirected, weighted)
    >>> list(store.names), store.index["c"]
    (['a', 'b', 'c'], 2)
    >>> store.to_adjacency().matrix.toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """
    import_extra("pyarrow", "scale")
    if not available():
        raise MissingDependencyError(
            "build_store needs numba; install it, and do not set LPGRAPH_COMPILED=0 in the environment."
        )
    check_choice("multi_edges", multi_edges, ("sum", "collapse"))
    columns = Columns(
        check_ends(source, target),
        check_weight_name(weight),
        None if header is None else check_flag("header", header),
    )
    budget = as_bytes("memory", memory, low=_LEAST) - _OWN
    build = _Build(
        Path(os.path.abspath(os.fsdecode(folder))),
        columns,
        None if directed is None else check_flag("directed", directed),
        multi_edges,
        budget,
        None if temporary is None else Path(os.path.abspath(os.fsdecode(temporary))),
    )
    shards = as_shards(edges, format)
    if build.store.exists() and not build.store.is_dir():
        raise StoreError(f"{build.store} is a file, and a store is a folder; pass a path that does not exist.")
    try:
        build.store.mkdir(parents=True, exist_ok=True)
        with locked(build.store / _LOCK):
            try:
                if not build.is_finished(shards):
                    build.run(edges, shards)
            finally:
                surely(build.tidy)
    except OSError as error:
        if isinstance(error, StoreError) or error.errno not in FULL:
            raise
        raise StoreError(
            f"There is no space for {error.filename or build.work_folder}: {error.strerror}. Free some, and call "
            "build_store again: it goes on."
        ) from None
    store = EdgeStore(build.store)
    _warn_of_missing(store)
    return store


def _warn_of_missing(store: EdgeStore) -> None:
    """Warn if a vertex is called as programs write a missing name."""
    if isinstance(store.names, FileNames) and isinstance(store.names[0], str):
        name = next((name for name in sorted(MISSING) if name in store.index), None)
        if name is not None:
            warn(
                f"{store.folder}: a vertex is called {name!r}, as programs write a missing name. If it is "
                "missing, drop its edges, and build again.",
                LpgraphWarning,
            )


@dataclass(frozen=True)
class _Build:
    """One call of `build_store`."""

    store: Path
    columns: Columns
    directed: bool | None
    multi_edges: str
    memory: int
    temporary: Path | None

    @property
    def work_folder(self) -> Path:
        """The folder of the unfinished build."""
        if self.temporary is None:
            return self.store / _BUILDING
        mark = hashlib.sha256(os.fsencode(self.store)).hexdigest()[:16]
        return self.temporary / f"{self.store.name}-{mark}"

    def plan(self, shards: Sequence[Shard]) -> dict[str, object]:
        """Return what must be the same when a build goes on."""
        return {
            "directed": bool(self.directed),
            "ends": None if self.columns.ends is None else list(self.columns.ends),
            "weight": self.columns.weight,
            "header": self.columns.header,
            "multi_edges": self.multi_edges,
            "shards": [shard.name for shard in shards],
            "formats": [shard.form for shard in shards if isinstance(shard, FileShard)],
        }

    def is_finished(self, shards: Sequence[Shard] | None) -> bool:
        """Whether the folder has the store of these shards; raise if it has another one."""
        if not (self.store / MANIFEST).exists():
            return False
        source = EdgeStore(self.store).manifest.source
        if shards is not None and can_be_read_again(shards):
            states = [_shown(shard.state() or {}) for shard in shards]
            if source.get("plan") == self.plan(shards) and source.get("shards") == states:
                if self.work_folder.exists():
                    Work(self.work_folder).remove()
                return True
        raise StoreError(
            f"{self.store} has a store of other edges, or built with other options; name another folder, or "
            "delete it."
        )

    def tidy(self) -> None:
        """Delete the lock, and the folder of a build that has read nothing."""
        if self.work_folder.exists() and not any(self.work_folder.glob("chunk-*")):
            Work(self.work_folder).remove()
        (self.store / _LOCK).unlink(missing_ok=True)
        with suppress(OSError):
            self.store.rmdir()  # if nothing is in it

    def run(self, edges: object, shards: Sequence[Shard] | None) -> None:
        """Build the store, or what is left of it."""
        work = self._work(shards)
        for attempt in range(_ATTEMPTS):
            try:
                task = self._listed(work, edges) if shards is None else self._numbered(work, shards)
                break
            except CollisionError:
                if attempt == _ATTEMPTS - 1:
                    raise
                self._begin(work)
        bucket_chunks(work, task.grid, directed=task.directed, weighted=task.weighted)
        parts = write_parts(task)
        finish(task, parts, self._source(work, shards))
        work.remove()

    def _work(self, shards: Sequence[Shard] | None) -> Work:
        """Return the folder of the unfinished build; raise if it is that of another one."""
        work = Work(self.work_folder)
        plan = self.plan(shards) if shards is not None and can_be_read_again(shards) else None
        before = work.load(_PLAN)
        if before is None or plan is None:
            self._begin(work)
            if plan is not None:
                work.save(_PLAN, plan)
        elif before != plan:
            key = next(key for key in plan if before.get(key) != plan[key])
            raise StoreError(
                f"A build of {self.store} was begun with {key}={before.get(key)!r:.200}, not {plan[key]!r:.200}; "
                f"call it as before, or delete {work.folder} to begin again."
            )
        else:
            tell(log, "Going on with a build that was stopped")
        return work

    def _begin(self, work: Work) -> None:
        """Delete what is left of a build that cannot go on; raise if the folder has other files."""
        plan = work.load(_PLAN)
        own = [path for path in self.store.iterdir() if path.name not in (_LOCK, _BUILDING)]
        for path in own:
            if not _OWN_FILES.fullmatch(path.name):
                raise StoreError(f"{self.store} has other files, such as {path.name}; name a folder of its own.")
        for path in own:
            path.unlink()
        work.clear()
        if plan is not None:
            work.save(_PLAN, plan)

    def _numbered(self, work: Work, shards: Sequence[Shard]) -> Task:
        listing = read_shards(work, shards, self.columns, self.memory)
        n = number_chunks(work, self.store, listing, self.memory)
        drop_ids(work)
        return self._task(work, n, directed=bool(self.directed), weighted=listing.weighted)

    def _listed(self, work: Work, edges: object) -> Task:
        rule: MultiEdgeRule = "sum" if self.multi_edges == "sum" else "collapse"
        graph = as_adjacency(edges, directed=self.directed, weight=self.columns.weight, multi_edges=rule)
        n = list_graph(work, self.store, graph)
        return self._task(work, n, directed=graph.directed, weighted=graph.weighted)

    def _task(self, work: Work, n: int, *, directed: bool, weighted: bool) -> Task:
        rule = "sum" if self.multi_edges == "sum" and self.columns.weight is not None else "largest"
        return Task(
            work, self.store, find_grid(work, n, directed=directed), n, directed, weighted, rule, self.memory
        )

    def _source(self, work: Work, shards: Sequence[Shard] | None) -> dict[str, object]:
        """Return what the manifest says of the source; raise if a shard has changed meanwhile."""
        found: dict[str, object] = {"builder": lpgraph_version()}
        if shards is not None and can_be_read_again(shards):
            states: list[dict[str, object]] = (work.load("shards.json") or {})["states"]  # type: ignore[assignment]
            found |= {"plan": self.plan(shards), "shards": [_shown(state) for state in states]}
        return found


def lpgraph_version() -> str:
    """Return the version of this library."""
    from importlib.metadata import version

    return version("lpgraph")


def _shown(state: Mapping[str, object]) -> dict[str, object]:
    """Return what the manifest says of a shard."""
    return {key: value for key, value in state.items() if key != "ends"}
