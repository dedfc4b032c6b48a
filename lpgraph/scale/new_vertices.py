"""`extend` and `classify`: results for new vertices in files of edges of any size, written to Parquet."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import check_fitted, import_extra
from lpgraph._files import replace_file
from lpgraph._warnings import collected, warn
from lpgraph.embed.vertex_results import VertexResults, side_columns
from lpgraph.errors import ArgumentError, ArgumentTypeError, IsolatedVertexWarning, LpgraphWarning, StoreError
from lpgraph.graph.assemble import real_csr
from lpgraph.graph.convert import check_ends, check_weight_name
from lpgraph.graph.names import as_names
from lpgraph.graph.new_edges import NewEdges
from lpgraph.infer.classify import VertexClassifier
from lpgraph.infer.cluster import VertexClustering
from lpgraph.scale.parts import SHARD, check_client, part_file, run_parts, write_parts
from lpgraph.scale.shards import Columns, as_shards
from lpgraph.spectral.named_positions import fitted_part

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from distributed import Client
    from numpy.typing import NDArray

    from lpgraph.scale.parts import Tables, WrittenParts
    from lpgraph.scale.shards import Shard
    from lpgraph.scale.text_edges import Batch

    Ints = NDArray[np.int64]

__all__ = ["classify", "extend"]

#: Bytes of the files of edges for each part, and the most parts.
_BYTES, _MOST = 1 << 25, 4096
#: Batches of edges that are divided at a time, and new vertices whose results tell models apart.
_TOGETHER, _PROBED = 4, 256


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
        `output` for the time of the call. By default, all is done in this process.

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
        When workers die of a part, or none is there for two minutes.

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
    return _in_parts(model, edges, columns, output, {"function": "extend"}, partial(_positions, model), client)


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
        raise ArgumentTypeError(
            f"model is {a_type(model)}; pass a fitted VertexClassifier or VertexClustering, or call "
            "extend for positions."
        )
    alone = copy(model)
    if isinstance(alone, VertexClassifier):
        alone.among_new = False
    columns = Columns(check_ends(source, target), check_weight_name(weight))
    plan: dict[str, object] = {"function": "classify", "probabilities": probabilities}
    found = _in_parts(alone, edges, columns, output, plan, partial(_predictions, alone, probabilities), client)
    lonely = found.facts["without a known neighbor"]
    if lonely:
        warn(
            f"{lonely} of {found.facts['vertices']} new vertices have no edge to a known vertex. The column "
            "has_known_neighbor says which.",
            IsolatedVertexWarning,
        )
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


def _in_parts(
    model: VertexResults,
    edges: object,
    columns: Columns,
    output: str | os.PathLike[str],
    plan: dict[str, object],
    table_of: Callable[[NewEdges], dict[str, object]],
    client: Client | None,
) -> WrittenParts:
    """Write a table of results for the new vertices in files of edges; `table_of` returns it for some of them."""
    parquet = import_extra("pyarrow.parquet", "scale")
    check_client(client)
    if not isinstance(model, VertexResults):
        raise ArgumentTypeError(f"model is {a_type(model)}; pass a fitted model of a network.")
    check_fitted(model, "n_features_in_")
    inside = fitted_part(model)
    known = _known(getattr(model, "vertex_names_", inside.vertex_names_))
    shards = as_shards(edges) or []
    states = [shard.state() for shard in shards]
    if not shards or not all("size" in state for state in states):
        raise ArgumentTypeError(
            f"edges is {a_type(edges)}; pass paths of files, or a pattern such as 'new/*.parquet'. For "
            f"edges in memory, call the methods of the {type(model).__name__}."
        )
    buckets = min(max(-(-sum(int(state["size"]) for state in states) // _BYTES), 1), _MOST)
    directed = bool(getattr(model, "directed_", inside.directed_))
    job = _NewVertices(shards, states, columns, known, buckets, directed, table_of)
    plan |= {
        "files of edges": states,
        "weight": columns.weight,
        "ends": columns.ends,
        "model": [type(model).__name__, job.mark()],
        "parts": buckets,
    }

    def make(folder: Path) -> dict[str, int]:
        run_parts(job.divide, folder, len(shards), client, SHARD)
        counts = [json.loads(_counts_file(folder, s).read_bytes()) for s in range(len(shards))]
        total, linking, between = np.sum(counts, axis=0).tolist()
        if total and not linking and not between:
            raise ArgumentError(
                f"No name in the edges is known; the known ones are called like {known[0].as_py()!r}. Pass edges "
                "between new vertices and known ones."
            )
        if between:
            warn(
                f"edges has {between} edges between known vertices, which are left out; fit again with them.",
                LpgraphWarning,
            )
        run_parts(job.results, folder, buckets, client)
        written_tables = [
            parquet.read_table(part_file(folder, k), columns=["has_known_neighbor"]) for k in range(buckets)
        ]
        linked = np.concatenate([table["has_known_neighbor"].to_numpy() for table in written_tables])
        return {"vertices": len(linked), "edges": linking, "without a known neighbor": int((~linked).sum())}

    return write_parts(output, plan, make)


def _known(names: Sequence[Hashable] | NDArray[Any]) -> pa.Array:
    """Return the names of the known vertices; raise unless all are integers, or all are texts."""
    arrow = import_extra("pyarrow", "scale")
    names = names.tolist() if isinstance(names, np.ndarray) else names
    for kind, column in ((int, arrow.int64()), (str, arrow.large_string())):
        if isinstance(names, range) or all(type(name) is kind for name in names):
            return arrow.array(np.arange(len(names)) if isinstance(names, range) else names, column)
    raise ArgumentError(
        f"The model has vertex names such as {names[0]!r}, and files of edges have integers or texts; fit a "
        "network whose names are all integers, or all texts."
    )


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
        ends = {"row": row, "weight": np.ones(len(k)), "inward": k % 2 > 0}
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

    def _new_ends(self, shard: str, batches: list[Batch]) -> tuple[dict[str, Any], list[int]]:
        """Return the columns of new ends of edges by bucket, and counts of edges."""
        arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
        sources, targets, _ = zip(*batches, strict=True)
        wrong = next((column.type for column in sources + targets if column.type != self.known.type), None)
        if wrong is not None:
            kinds = ["integers" if kind == arrow.int64() else "texts" for kind in (wrong, self.known.type)]
            raise ArgumentError(
                f"{shard} has names that are {kinds[0]} and those of the model are {kinds[1]}, such as "
                f"{self.known[0].as_py()!r}; write them as {kinds[1]}."
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
        arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
        parquet = import_extra("pyarrow.parquet", "scale")
        paths = [part_file(folder, s, SHARD) for s in range(len(self.shards))]
        table = arrow.concat_tables([parquet.read_table(path, filters=[("bucket", "==", k)]) for path in paths])
        encoded = table["name"].combine_chunks().dictionary_encode()
        order = compute.array_sort_indices(encoded.dictionary)
        names = encoded.dictionary.take(order)
        ends = {title: table[title].to_numpy() for title in ("row", "weight", "inward")}
        vertices = self.new_edges(names.to_pylist(), np.argsort(order)[encoded.indices], ends)
        yield {**self.table_of(vertices), "name": names}

    def new_edges(self, names: Sequence[Hashable], vertex: Ints, ends: Mapping[str, NDArray[Any]]) -> NewEdges:
        """Return new vertices by the ends of their edges; between new vertices, `row` is -1."""
        sides, inward = [], ends["inward"] & self.directed
        for side in (~inward, inward):
            chosen = np.flatnonzero(side & (ends["row"] >= 0))
            places = vertex[chosen], ends["row"][chosen]
            found = sparse.coo_array((ends["weight"][chosen], places), shape=(len(names), len(self.known)))
            sides.append(real_csr(found.tocsr(), "edges", new=True))
        return NewEdges(sides[0], as_names(names), sides[1] if self.directed else None, only_rows=True)


def _counts_file(folder: Path, s: int) -> Path:
    return part_file(folder, s, SHARD).with_suffix(".json")
