"""Results written to Parquet in parts: `write_positions`, `extend`, `classify` and `sample`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_count, check_integer, import_extra, is_array, type_of
from lpgraph._utils.estimators import check_fitted
from lpgraph._utils.files import replace_file, written
from lpgraph._utils.progress import collected, warn
from lpgraph.embed.procrustes import fitted_part
from lpgraph.embed.vertex_results import VertexResults, side_columns
from lpgraph.errors import ArgumentError, ArgumentTypeError, IsolatedVertexWarning, LpgraphWarning, StoreError
from lpgraph.graph.assemble import real_csr
from lpgraph.graph.construct import check_ends, check_weight_name
from lpgraph.graph.names import as_names
from lpgraph.graph.new_vertices import NewEdges
from lpgraph.infer.classify import VertexClassifier
from lpgraph.infer.cluster import VertexClustering
from lpgraph.linalg.room import empty
from lpgraph.models.latent_position import (
    LatentPositionGraph,
    LatentPositionModel,
    Vertices,
    sample_among,
    sample_between,
    upper,
)
from lpgraph.scale.dask import as_client
from lpgraph.scale.parts import SHARD, part_file, run_parts, write_parts, write_rows
from lpgraph.scale.shards import as_shards
from lpgraph.scale.text_edges import Columns

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client
    from numpy.typing import NDArray

    from lpgraph.scale.parts import Tables, WrittenParts
    from lpgraph.scale.shards import Shard
    from lpgraph.scale.text_edges import Batch

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
parquet = import_extra("pyarrow.parquet", "scale")

#: Vertices of a row group of positions, and of a file.
_ROWS, _PART = 1 << 16, 1 << 20
#: Bytes of the files of edges for each part of new vertices, and the most parts.
_BYTES, _MOST_PARTS = 1 << 25, 4096
#: Batches of edges that are divided at a time, and new vertices whose results tell models apart.
_TOGETHER, _PROBED = 4, 256
#: Expected edges of a tile, bounds of the vertices of a part, and pairs from which edges are estimated.
_EDGES, _LEAST, _MOST, _PAIRS = 1 << 22, 1 << 12, 1 << 20, 1 << 12
#: What streams of random numbers are for.
_POSITIONS, _ESTIMATE, _TILE = 0, 1, 2


def write_positions(model: object, output: str | os.PathLike[str], *, client: Client | None = None) -> Path:
    """Write the positions of the vertices, with their names, without a table of all in memory.

    Parameters
    ----------
    model : estimator
        A fitted embedding of a network, or an estimator that has one.
    output : str or path
        A file that ends in ``.parquet``, or in ``.npy`` for an array without names, which numpy maps with
        ``numpy.load(path, mmap_mode="r")``. It is replaced as a whole or not at all. Or, without a suffix, a
        folder, which is made: it gets the files ``part-00000.parquet``, ... of 1,048,576 vertices each. If that is
        stopped, another call continues; files that are complete are kept.
    client : distributed.Client, optional
        A Dask cluster, whose workers then write the files of a folder, with the same content. They must see the
        folder, and a store that the model was fitted to, under the same path. The positions are written to the
        folder once, for the time of the call. By default, all is done in this process.

    Returns
    -------
    Path
        The file or folder. Parquet has the column ``name``, the coordinates (``ase0``, ...), and for a directed
        network those as targets (``ase_in0``, ...), in row groups of 65,536 vertices. The array has these columns
        without the names. Rows are in the order of `vertex_names_`.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ArgumentError, ArgumentTypeError
        If it has no positions, `output` has another suffix, or a client was passed and it is no folder.
    StoreError
        If the folder has other files or positions, another process writes it, or the disk is full.
    ClusterError
        When workers die of a part, or none is there for two minutes.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp, pandas as pd
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "positions.parquet"
    >>> model = lp.AdjacencySpectralEmbedding(1).fit(lp.from_edges(["a", "b", "c"], ["b", "c", "a"]))
    >>> pd.read_parquet(lp.scale.write_positions(model, path))["name"].tolist()
    ['a', 'b', 'c']
    """
    path = Path(os.path.abspath(os.fsdecode(output)))
    client = None if client is None else as_client(client)
    if path.suffix not in (".parquet", ".npy", ""):
        raise ArgumentError(f"output={str(output)!r} does not end in .parquet or .npy; name it so, or a folder.")
    if client is not None and path.suffix:
        raise ArgumentError(f"output={str(output)!r} is one file; leave client out, or name a folder.")
    if not hasattr(model, "get_params") or isinstance(model, type):
        raise ArgumentTypeError(f"model is {model!r:.80}; pass a fitted embedding of a network.")
    inside = fitted_part(model)
    if inside is None or not hasattr(inside, "vertex_names_"):
        check_fitted(model, "embedding_")
        raise ArgumentError(f"model is {type_of(model)} without positions of vertices; pass an embedding.")
    inward = getattr(inside, "embedding_in_", None)
    sides = [inside.embedding_] + ([] if inward is None else [inward])
    n, titles = len(sides[0]), list(map(str, inside.get_feature_names_out()))
    job = _Positions(inside.vertex_names_, titles, sides)
    if path.suffix == ".npy":
        out = empty((n, sum(side.shape[1] for side in sides))) if len(sides) > 1 else None
        with written(path) as file:
            np.save(file, sides[0] if out is None else np.concatenate(sides, axis=1, out=out))
    elif path.suffix:
        write_rows(path, job.tables(0, n))
    else:
        sums = [crc32(np.ascontiguousarray(side).data) for side in sides]
        mark = [titles, repr((job.names[0], job.names[n - 1])), sums]
        plan = {"function": "write_positions", "model": mark, "vertices": n, "part": _PART}

        def make(folder: Path) -> dict[str, int]:
            run_parts(job.part, folder, -(-n // _PART), client)
            return {"vertices": n}

        write_parts(path, plan, make)
    return path


@dataclass(frozen=True, eq=False)
class _Positions:
    """Positions with names; of a directed network also those as targets."""

    names: Sequence[Hashable]
    titles: list[str]
    sides: list[Array]

    def part(self, _: Path, k: int) -> Tables:
        """Yield the tables of a part."""
        return self.tables(k * _PART, min((k + 1) * _PART, len(self.sides[0])))

    def tables(self, low: int, high: int) -> Tables:
        """Yield the tables of vertices low ... high - 1, of so many vertices as a row group has."""
        for first in range(low, high, _ROWS):
            some = slice(first, min(first + _ROWS, high))
            columns = side_columns(self.titles, [np.asarray(side[some]) for side in self.sides])
            pieces = {title: np.ascontiguousarray(column) for title, column in columns.items()}
            yield {"name": _in_arrow(self.names[some]), **pieces}


def _in_arrow(names: Sequence[Hashable]) -> object:
    """Return names as a column; those of several types as texts."""
    try:
        return arrow.array(names)
    except (arrow.ArrowException, TypeError, OverflowError, UnicodeEncodeError):
        return arrow.array(list(map(str, names)))


def extend(
    model: VertexResults,
    edges: object,
    output: str | os.PathLike[str],
    *,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
    client: Client | None = None,
) -> WrittenParts:
    r"""Place the new vertices in files of edges of any size, in bounded memory.

    The edges of a vertex may be in any files and in any order: they are first divided by vertex, into a part for
    each 32 MB of edges. If the process is stopped, another call continues; complete files are kept. The
    result does not depend on the number of threads and workers. Its positions are those of ``model.transform``.

    Parameters
    ----------
    model : estimator
        A fitted embedding of a network, `OutOfSample`, `VertexClassifier` or `VertexClustering`. The names of its
        vertices are all integers or all texts.
    edges : path, or list of paths
        Files of edges between new and known vertices, or a pattern such as ``"new/*.parquet"``, in the formats of
        `build_store`. Vertices whose names are not known are new. Edges between two new vertices only say that
        these exist.
    output : str or path
        A folder, which is made.
    weight : str or None
        Title of the column of weights, if there is one. None: an edge weighs as often as it is listed.
    source, target : str, optional
        Titles of the columns of end points, if they are not found as in `as_adjacency`.
    client : distributed.Client, optional
        A Dask cluster, whose workers then divide the edges and write the files. They must see the files of edges,
        `output`, and a store that the model was fitted to, under the same path. The model is pickled to a file in
        `output` for the time of the call, and each worker holds a copy. By default, all is done in this process.

    Returns
    -------
    WrittenParts
        The files ``part-00000.parquet``, ... with the columns of ``transform_table``: ``name``, the coordinates,
        and ``has_known_neighbor``. Rows are in the order of the names within each file.

    Raises
    ------
    StoreError
        When the folder has other files, or results of another call, another process writes them, a file of edges
        has changed meanwhile, or the disk is full.
    ArgumentError, ArgumentTypeError, GraphError, FileFormatError
        When the model cannot place vertices by their edges alone, no name is known, or a file is missing, damaged,
        or has a missing name or weight.
    ClusterError
        When workers die of a part, or none is there for two minutes, also if all are lost during the call.

    Warns
    -----
    LpgraphWarning
        When there are edges between known vertices, which are left out.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp, pyarrow.parquet
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "new.csv").write_text("source,target\nx,a\ny,b\nx,b\n")
    >>> model = lp.AdjacencySpectralEmbedding(1).fit(lp.from_edges(["a", "b", "c"], ["b", "c", "a"]))
    >>> lp.scale.extend(model, folder / "new.csv", folder / "positions").facts
    {'vertices': 2, 'edges': 3, 'without a known neighbor': 0}
    >>> pyarrow.parquet.read_table(folder / "positions").column("name").to_pylist()
    ['x', 'y']
    """
    columns = Columns(check_ends(source, target), check_weight_name(weight))
    job = _Job(model, {"function": "extend"}, partial(_positions, model))
    return _in_parts(job, edges, columns, output, client)


def classify(
    model: VertexClassifier | VertexClustering,
    edges: object,
    output: str | os.PathLike[str],
    *,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
    probabilities: bool = False,
    client: Client | None = None,
) -> WrittenParts:
    """Classify, or assign to clusters, the new vertices in files of edges of any size, in bounded memory.

    Each vertex is classified by its edges to known vertices, as with ``among_new=False``: labels do not spread
    along edges between new vertices, which may be in different parts.

    Parameters
    ----------
    model : VertexClassifier or VertexClustering
        A fitted model. The names of its vertices are all integers or all texts.
    edges, output, weight, source, target, client
        As for `extend`, which also describes how a stopped call continues.
    probabilities : bool, default False
        Whether to write the probability of each label or cluster, in the columns ``p_`` and its name.

    Returns
    -------
    WrittenParts
        The files ``part-00000.parquet``, ... with the columns of ``predict_table``. Rows are in the order of the
        names within each file.

    Raises
    ------
    StoreError, ArgumentError, ArgumentTypeError, GraphError, FileFormatError, ClusterError
        As by `extend`.

    Warns
    -----
    LpgraphWarning
        When there are edges between known vertices, which are left out.
    IsolatedVertexWarning
        When new vertices have no edge to a known vertex, or none of their neighbors reaches a label.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp, pandas as pd
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> pd.DataFrame({"source": [100, 100, 101], "target": [0, 1, 70]}).to_parquet(folder / "new.parquet")
    >>> graph = lp.stochastic_block_model([40, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> model = lp.VertexClassifier().fit(graph, ["cat"] * 40 + ["dog"] * 40)
    >>> _ = lp.scale.classify(model, folder / "new.parquet", folder / "labels")
    >>> pd.read_parquet(folder / "labels")[["name", "label"]]
       name label
    0   100   cat
    1   101   dog
    """
    if not isinstance(model, VertexClassifier | VertexClustering):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass a fitted VertexClassifier or VertexClustering.")
    alone = copy(model)
    if isinstance(alone, VertexClassifier):
        alone.among_new = False
    columns = Columns(check_ends(source, target), check_weight_name(weight))
    plan: dict[str, object] = {"function": "classify", "probabilities": probabilities}
    job = _Job(alone, plan, partial(_predictions, alone, probabilities))
    found = _in_parts(job, edges, columns, output, client)
    lonely = found.facts["without a known neighbor"]
    if lonely:
        which = f"{lonely} of {found.facts['vertices']} new vertices have no edge to a known vertex"
        warn(f"{which}. The column has_known_neighbor says which.", IsolatedVertexWarning)
    return found


def _positions(model: VertexResults, vertices: NewEdges) -> dict[str, object]:
    vertices = model.read_new(vertices)
    columns = side_columns(model.get_feature_names_out(), model._placed(vertices))
    return {"name": vertices.names, **columns, "has_known_neighbor": vertices.has_known_neighbor}


def _predictions(
    model: VertexClassifier | VertexClustering, probabilities: bool, vertices: NewEdges
) -> dict[str, object]:
    """Return the columns of predictions; vertices without neighbors are counted later, for all parts."""
    with collected() as told:
        found = model._predict(model.read_new(vertices))
    for message, category in told:
        if not issubclass(category, IsolatedVertexWarning):
            warn(message, category)
    return dict(found.columns(all_shares=probabilities))


class _Job(NamedTuple):
    """A fitted model, what is written as JSON, and a function that returns the results for some new vertices."""

    model: VertexResults
    plan: dict[str, object]
    table_of: Callable[[NewEdges], dict[str, object]]


def _in_parts(
    job: _Job, edges: object, columns: Columns, output: str | os.PathLike[str], client: Client | None
) -> WrittenParts:
    """Write a table of results for the new vertices in files of edges."""
    model = job.model
    client = None if client is None else as_client(client)
    if not isinstance(model, VertexResults):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass a fitted model of a network.")
    check_fitted(model, "n_features_in_")
    inside = fitted_part(model)
    known = _known(getattr(model, "vertex_names_", inside.vertex_names_))
    shards = as_shards(edges) or []
    states = [shard.state() for shard in shards]
    if not shards or not all("size" in state for state in states):
        raise ArgumentTypeError(f"edges is {type_of(edges)}; pass files, or call the methods of the model itself.")
    buckets = min(max(-(-sum(int(state["size"]) for state in states) // _BYTES), 1), _MOST_PARTS)
    directed = bool(getattr(model, "directed_", inside.directed_))
    new = _NewVertices(shards, states, columns, known, buckets, directed, job.table_of)
    plan = job.plan | {
        "files of edges": states,
        "weight": columns.weight,
        "ends": columns.ends,
        "model": [type(model).__name__, new.mark()],
        "parts": buckets,
    }

    def make(folder: Path) -> dict[str, int]:
        run_parts(new.divide, folder, len(shards), client, SHARD)
        counts = [json.loads(_counts_file(folder, s).read_bytes()) for s in range(len(shards))]
        total, linking, between = np.sum(counts, axis=0).tolist()
        if total and not linking and not between:
            raise ArgumentError(f"edges has no known vertex; pass edges to those such as {known[0].as_py()!r}.")
        if between:
            message = f"edges has {between} edges between known vertices, which are left out; fit again with them."
            warn(message, LpgraphWarning)
        run_parts(new.results, folder, buckets, client)
        tables = [parquet.read_table(part_file(folder, k), columns=["has_known_neighbor"]) for k in range(buckets)]
        linked = np.concatenate([table["has_known_neighbor"].to_numpy() for table in tables])
        return {"vertices": len(linked), "edges": linking, "without a known neighbor": int((~linked).sum())}

    return write_parts(output, plan, make)


def _known(names: Sequence[Hashable] | NDArray[np.generic]) -> pa.Array:
    """Return the names of the known vertices; raise unless all are integers, or all are texts."""
    if isinstance(names, range):
        return arrow.array(np.arange(len(names)), arrow.int64())
    names = names.tolist() if is_array(names) else names
    for kind, column in ((int, arrow.int64()), (str, arrow.large_string())):
        if all(type(name) is kind for name in names):
            return arrow.array(names, column)
    raise ArgumentError(f"model has vertex names such as {names[0]!r}; fit one with only integers, or only texts.")


class _Ends(NamedTuple):
    """Ends of edges: the known vertex or -1, the weight, and whether the edge leads to the new vertex."""

    row: Ints
    weight: NDArray[np.float64]
    inward: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _NewVertices:
    """New vertices in shards of edges: those whose names have the same hash form a bucket, and then a part."""

    shards: Sequence[Shard]
    states: Sequence[dict[str, str | int]]
    columns: Columns
    known: pa.Array
    buckets: int
    directed: bool
    table_of: Callable[[NewEdges], dict[str, object]]

    def mark(self) -> int:
        """Return a checksum of the results for some vertices, which tells models apart."""
        k = np.arange(4 * _PROBED)
        row = np.random.default_rng(0).integers(0, len(self.known), len(k))
        ends = _Ends(row, np.ones(len(k)), k % 2 > 0)
        with collected():
            table = self.table_of(self.new_edges(range(_PROBED), k % _PROBED, ends))
        return crc32(repr({title: np.asarray(column).tolist() for title, column in table.items()}).encode())

    def divide(self, folder: Path, s: int) -> Tables:
        """Yield the edges of new vertices in a shard, a table for each bucket; write how many edges there are."""
        shard, counts, nothing = self.shards[s], np.zeros(3, dtype=np.int64), self.known[:0]
        batches = shard.tables(self.columns)
        if shard.is_text:  # its integers may be meant as texts
            kind = self.known.type
            batches = (
                (*(end if str(kind) == "int64" else end.cast(kind) for end in batch[:2]), batch[2])
                for batch in batches
            )
        batches = chain([(nothing, nothing, None)], batches)  # a file has at least one table
        while some := list(islice(batches, _TOGETHER)):
            ends, more = self._new_ends(shard.name, some)
            counts += more
            cuts = np.searchsorted(ends["bucket"], np.arange(self.buckets + 1))
            for low, high in pairwise(cuts.tolist()):
                yield {title: column[low:high] for title, column in ends.items()}
        if shard.state() != self.states[s]:
            raise StoreError(f"{shard.name} changed while it was read; write to another folder.")
        replace_file(_counts_file(folder, s), json.dumps(counts.tolist()).encode())

    def _new_ends(self, shard: str, batches: list[Batch]) -> tuple[dict[str, pa.Array], list[int]]:
        """Return the columns of new ends of edges by bucket, and counts of edges."""
        sources, targets, _ = zip(*batches, strict=True)
        wrong = next((column.type for column in sources + targets if column.type != self.known.type), None)
        if wrong is not None:
            kinds = ["integers" if kind == arrow.int64() else "texts" for kind in (wrong, self.known.type)]
            raise ArgumentError(
                f"{shard} has names that are {kinds[0]}; write them as {kinds[1]}, as in the model."
            )
        names = arrow.concat_arrays(sources + targets)
        rows = compute.index_in(names, value_set=self.known).fill_null(-1).to_numpy().astype(np.int64)
        u, v = np.split(rows, 2)
        counts = [len(u), int(((u < 0) != (v < 0)).sum()), int(((u >= 0) & (v >= 0)).sum())]
        weight = np.concatenate([np.ones(len(one[0])) if one[2] is None else one[2] for one in batches])
        new = np.flatnonzero(rows < 0)
        # The hash is that of the text of a name: crc32 is the same in all processes and versions.
        encoded = names.take(arrow.array(new)).dictionary_encode()
        texts = encoded.dictionary.cast(arrow.large_string()).cast(arrow.large_binary()).to_pylist()
        hashes = np.array([crc32(text) % self.buckets for text in texts], dtype=np.int64)
        bucket = hashes[encoded.indices]
        order = np.argsort(bucket, kind="stable")
        chosen = new[order]
        ends = {
            "bucket": bucket[order],
            "name": names.take(arrow.array(chosen)),
            "row": np.concatenate((v, u))[chosen],
            "weight": np.tile(weight, 2)[chosen],
            "inward": chosen >= len(u),
        }
        return ends, counts

    def results(self, folder: Path, k: int) -> Tables:
        """Yield the results for the vertices of a bucket, in the order of their names."""
        paths = [part_file(folder, s, SHARD) for s in range(len(self.shards))]
        table = arrow.concat_tables([parquet.read_table(path, filters=[("bucket", "==", k)]) for path in paths])
        encoded = table["name"].combine_chunks().dictionary_encode()
        order = compute.array_sort_indices(encoded.dictionary)
        names = encoded.dictionary.take(order)
        ends = _Ends(*(table[title].to_numpy() for title in _Ends._fields))
        vertices = self.new_edges(names.to_pylist(), np.argsort(order)[encoded.indices], ends)
        yield {**self.table_of(vertices), "name": names}

    def new_edges(self, names: Sequence[Hashable], vertex: Ints, ends: _Ends) -> NewEdges:
        """Return new vertices by the ends of their edges; between new vertices, `row` is -1."""
        sides, inward = [], ends.inward & self.directed
        for side in (~inward, inward):
            chosen = np.flatnonzero(side & (ends.row >= 0))
            places = vertex[chosen], ends.row[chosen]
            found = sparse.coo_array((ends.weight[chosen], places), shape=(len(names), len(self.known)))
            sides.append(real_csr(found.tocsr(), "edges", new=True))
        return NewEdges(sides[0], as_names(names), sides[1] if self.directed else None, only_rows=True)


def _counts_file(folder: Path, s: int) -> Path:
    return part_file(folder, s, SHARD).with_suffix(".json")


def sample(
    model: LatentPositionModel | LatentPositionGraph,
    n: int | None,
    output: str | os.PathLike[str],
    *,
    random_state: int,
    client: Client | None = None,
) -> WrittenParts:
    """Sample a graph of any number of edges, in memory for its positions and some millions of edges.

    The pairs of vertices are divided into tiles, each of which has a stream of random numbers of its own. If the
    process is stopped, another call continues; complete files are kept. The same seed gives the same files,
    with any number of threads and workers; the graph is another one than that of ``model.sample``, of the same
    distribution.

    Parameters
    ----------
    model : LatentPositionModel or LatentPositionGraph
        The model, or a graph that was sampled from it.
    n : int or None
        The number of vertices; None if the model's positions have it.
    output : str or path
        A folder, which is made.
    random_state : int
        The seed. It has no default, since a call that continues needs the same one.
    client : distributed.Client, optional
        A Dask cluster, whose workers then draw the edges and write the files. They must see `output` under the
        same path. By default, all is done in this process.

    Returns
    -------
    WrittenParts
        The files ``part-00000.parquet``, ... with the edges of a range of vertices to these and to following ones,
        for a directed graph to all: ``source``, ``target``, and ``weight`` if the model draws weights. Vertices
        are 0 ... n-1. The files ``vertices-00000.parquet``, ... have each ``vertex``, its ``label`` if there are
        labels, and its position, ``x0``, ...

    Raises
    ------
    ArgumentError, ArgumentTypeError, ProbabilityError
        As by `LatentPositionModel.sample`.
    StoreError
        When the folder has other files, or another graph, another process writes them, or the disk is full.
    ClusterError
        When workers die of a part, or none is there for two minutes.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> model = lp.LatentPositionModel(lp.kernels.DotProduct(), lp.positions.Dirichlet([1.0, 1.0, 1.0]))
    >>> written = lp.scale.sample(model, 500, folder / "graph", random_state=0)
    >>> store = lp.scale.build_store(written.paths, folder / "graph.store")
    >>> store.n_edges == written.facts["edges"]
    True
    """
    client = None if client is None else as_client(client)
    model = model.model if isinstance(model, LatentPositionGraph) else model
    if not isinstance(model, LatentPositionModel):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass a LatentPositionModel, or a graph of one.")
    seed = check_integer("random_state", random_state, low=0)
    vertices = model._draw_vertices(None if n is None else check_count("n", n), _stream(seed, _POSITIONS))
    count = len(vertices.positions)
    step = _step(model, vertices, seed)
    plan = {
        "function": "sample",
        "seed": seed,
        "model": [repr(model)[:1000], crc32(np.ascontiguousarray(vertices.positions).data)],
        "vertices": count,
        "part": step,
    }

    def make(folder: Path) -> dict[str, int]:
        job = _Sampling(model, vertices, [*range(0, count, step), count], seed)
        parts = len(job.cuts) - 1
        run_parts(job.tables_of_vertices, folder, parts, client, "vertices")
        run_parts(job.tables_of_edges, folder, parts, client)
        edges = sum(parquet.read_metadata(part_file(folder, k)).num_rows for k in range(parts))
        return {"vertices": count, "edges": edges}

    return write_parts(output, plan, make)


@dataclass(frozen=True, eq=False)
class _Sampling:
    """What the files are made from."""

    model: LatentPositionModel
    vertices: Vertices
    cuts: list[int]
    seed: int

    def piece(self, k: int) -> Vertices:
        """Return the vertices of a part."""
        chosen = slice(self.cuts[k], self.cuts[k + 1])
        labels = None if self.vertices.labels is None else self.vertices.labels[chosen]
        return Vertices(self.vertices.positions[chosen], labels)

    def tables_of_vertices(self, _: Path, k: int) -> Tables:
        """Yield the vertices of a part."""
        some = self.piece(k)
        labels = {} if some.labels is None else {"label": some.labels}
        columns = {f"x{d}": np.ascontiguousarray(column) for d, column in enumerate(some.positions.T)}
        yield {"vertex": np.arange(self.cuts[k], self.cuts[k + 1]), **labels, **columns}

    def tables_of_edges(self, _: Path, k: int) -> Tables:
        """Yield the edges from a range of vertices to each range."""
        model, own = self.model, self.piece(k)
        for q, column in enumerate(self.cuts[:-1]):
            if q < k and not model.directed:
                continue
            rng = _stream(self.seed, _TILE, k, q)
            if q == k:
                among = sample_among(model, own, rng)
                found = (among if model.directed else upper(among)).tocoo()
            else:
                found = sample_between(model, own, self.piece(q), rng).tocoo()
            source, target = found.coords
            table = {"source": source.astype(np.int64) + self.cuts[k], "target": target.astype(np.int64) + column}
            yield table if model.edge_weights is None else {**table, "weight": found.data}


def _stream(*key: int) -> np.random.Generator:
    """Return the random numbers of a seed, a purpose, and a tile."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(key[0], spawn_key=key[1:])))


def _step(model: LatentPositionModel, vertices: Vertices, seed: int) -> int:
    """Return the vertices of a part, a power of 2, so that a tile has some millions of edges."""
    n = len(vertices.positions)
    rng = _stream(seed, _ESTIMATE)
    some = vertices.positions[rng.integers(0, n, min(n, _PAIRS))]
    # The kernel takes all pairs of two sets.
    side = max(1, int(len(some) ** 0.5))
    mean = model.sparsity * float(np.mean(model.kernel(some[:side], some[-side:])))
    wanted = (_EDGES / max(mean, 1e-300)) ** 0.5
    return 1 << int(np.log2(min(max(wanted, _LEAST), _MOST)))
