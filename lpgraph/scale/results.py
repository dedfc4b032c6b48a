"""Results written to Parquet in parts: `write_positions`, `extend`, `classify` and `sample`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_count, check_integer, import_extra, type_of
from lpgraph._utils.compiled import slices
from lpgraph._utils.estimators import check_fitted
from lpgraph._utils.progress import warn
from lpgraph.embed.procrustes import fitted_part
from lpgraph.embed.vertex_results import EmbeddedVertices, VertexResults, side_columns, sides_of
from lpgraph.errors import ArgumentError, ArgumentTypeError, StoreError
from lpgraph.graph.assemble import real_csr
from lpgraph.graph.construct import check_titles
from lpgraph.graph.files.source import Source
from lpgraph.graph.new_vertices import NewEdges
from lpgraph.infer.classify import VertexClassifier
from lpgraph.infer.cluster import VertexClustering
from lpgraph.models.latent_position import (
    LatentPositionGraph,
    LatentPositionModel,
    Vertices,
    sample_among,
    sample_between,
    upper,
)

from .parts import TEMPORARY, part_file, write_parts, write_rows
from .shards import as_shards, name_column

if TYPE_CHECKING:
    import pyarrow as pa

    from .parts import Tables, WrittenParts
    from .shards import Shard

arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
dataset, parquet = import_extra("pyarrow.dataset", "scale"), import_extra("pyarrow.parquet", "scale")

#: Vertices of a row group of positions.
_ROWS = 1 << 16
#: Bytes of the files of edges for each part of new vertices, and the most parts.
_BYTES, _MOST_PARTS = 1 << 25, 4096
#: New vertices whose results tell models apart.
_PROBED = 1024
#: Expected edges of a tile, bounds of the vertices of a part, and pairs from which edges are estimated.
_EDGES, _LEAST, _MOST, _PAIRS = 1 << 22, 1 << 12, 1 << 20, 1 << 12
#: What streams of random numbers are for.
_POSITIONS, _ESTIMATE, _TILE = 0, 1, 2


def write_positions(model: object, output: str | os.PathLike[str]) -> Path:
    """Write the positions of the vertices, with their names, without a table of all in memory.

    Parameters
    ----------
    model : estimator
        A fitted embedding of a network, or an estimator that has one.
    output : str or path
        A file that ends in ``.parquet``, which is replaced as a whole or not at all.

    Returns
    -------
    Path
        The file. It has the column ``name``, the coordinates (``ase0``, ...), and for a directed network those as
        targets (``ase_in0``, ...), in row groups of 65,536 vertices. Rows are in the order of `vertex_names_`,
        which must be integers only or texts only.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ArgumentError, ArgumentTypeError
        If it has no positions, or `output` has another suffix.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp, pandas as pd
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "positions.parquet"
    >>> model = lp.AdjacencySpectralEmbedding(1).fit(lp.from_edges(["a", "b", "c"], ["b", "c", "a"]))
    >>> pd.read_parquet(lp.scale.write_positions(model, path))["name"].tolist()
    ['a', 'b', 'c']
    """
    path = Path(os.path.abspath(output))
    if path.suffix != ".parquet":
        remedy = "a file that ends in .parquet, or call numpy.save(path, model.embedding_)"
        raise ArgumentError(f"output={str(output)!r}; name {remedy}.")
    if not hasattr(model, "get_params") or isinstance(model, type):
        raise ArgumentTypeError(f"model is {model!r:.80}; pass a fitted embedding of a network.")
    inside = fitted_part(model)
    if inside is None or not hasattr(inside, "vertex_names_"):
        check_fitted(model, "embedding_")
        raise ArgumentError(f"model is {type_of(model)} without positions of vertices; pass an embedding.")
    names, columns = inside.vertex_names_, side_columns(inside.get_feature_names_out(), sides_of(inside))
    parts = (
        {"name": name_column(names[some]), **{title: column[some] for title, column in columns.items()}}
        for some in slices(len(names), _ROWS)
    )
    write_rows(path, parts)
    return path


def extend(
    model: VertexResults,
    edges: object,
    output: str | os.PathLike[str],
    *,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
) -> WrittenParts:
    r"""Place the new vertices in files of edges of any size, in bounded memory.

    The edges of a vertex may be in any files and in any order: they are first divided by vertex, into a part for
    each 32 MB of edges. If the process is stopped, another call continues; complete files are kept. The
    result does not depend on the number of threads. Its positions are those of ``model.transform``.

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
    options = Source("", b"", weight=weight, ends=check_titles(weight, source, target))
    return _in_parts(model, edges, options, output)


def classify(
    model: VertexClassifier | VertexClustering,
    edges: object,
    output: str | os.PathLike[str],
    *,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
    probabilities: bool = False,
) -> WrittenParts:
    """Classify, or assign to clusters, the new vertices in files of edges of any size, in bounded memory.

    Each vertex is classified by its edges to known vertices, as with ``among_new=False``: labels do not spread
    along edges between new vertices, which may be in different parts.

    Parameters
    ----------
    model : VertexClassifier or VertexClustering
        A fitted model. The names of its vertices are all integers or all texts.
    edges, output, weight, source, target
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
    StoreError, ArgumentError, ArgumentTypeError, GraphError, FileFormatError
        As by `extend`.

    Warns
    -----
    LpgraphWarning
        When there are edges between known vertices, which are left out.

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
    options = Source("", b"", weight=weight, ends=check_titles(weight, source, target))
    return _in_parts(alone, edges, options, output, probabilities)


def _in_parts(
    model: VertexResults,
    edges: object,
    options: Source,
    output: str | os.PathLike[str],
    probabilities: bool | None = None,
) -> WrittenParts:
    """Write the positions of new vertices, or their predictions if `probabilities` is not None."""
    if not isinstance(model, VertexResults):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass a fitted model of a network.")
    check_fitted(model, "n_features_in_")
    inside = fitted_part(model)
    known = name_column(getattr(model, "vertex_names_", inside.vertex_names_))
    shards = as_shards(edges, options)
    if shards is None:
        raise ArgumentTypeError(f"edges is {type_of(edges)}; pass files, or call the methods of the model itself.")
    states = [shard.state() for shard in shards]
    size = sum(os.path.getsize(shard.source.path) for shard in shards)
    parts = min(max(-(-size // _BYTES), 1), _MOST_PARTS)
    directed = getattr(model, "directed_", inside.directed_)
    new = _NewVertices(model, probabilities, shards, known, directed, parts, Path(os.path.abspath(output)))
    plan = {
        "function": "extend" if probabilities is None else "classify",
        "probabilities": probabilities,
        "files of edges": states,
        "model": [type(model).__name__, new.mark()],
        "parts": parts,
    }
    shares = zip(new.temporary, shards, states, strict=True)
    files = {path: partial(new.divide, shard, state) for path, shard, state in shares}
    files |= {path: partial(new.results, k) for k, path in enumerate(new.written)}
    return write_parts(new.folder, plan, files, new.count)


@dataclass(frozen=True, eq=False)
class _NewVertices:
    """New vertices in shards of edges: those whose names have the same hash are in the same part."""

    model: VertexResults
    probabilities: bool | None
    shards: Sequence[Shard]
    known: pa.Array
    directed: bool
    parts: int
    folder: Path

    @property
    def temporary(self) -> list[Path]:
        """A file for each shard, with the ends of its edges that are new vertices."""
        return [part_file(self.folder, s, TEMPORARY) for s in range(len(self.shards))]

    @property
    def written(self) -> list[Path]:
        """The files of the results."""
        return [part_file(self.folder, k) for k in range(self.parts)]

    def mark(self) -> int:
        """Return a checksum of the results for vertices with one neighbor each, which tells models apart."""
        n = len(self.known)
        known = np.random.default_rng(0).permutation(n)[:_PROBED]
        rows = sparse.csr_array((np.ones(len(known)), known, np.arange(len(known) + 1)), shape=(len(known), n))
        table = self.table(*[rows] * (1 + self.directed))
        return crc32(repr({title: np.asarray(column).tolist() for title, column in table.items()}).encode())

    def table(self, rows: sparse.csr_array, inward: sparse.csr_array | None = None) -> Mapping[str, object]:
        """Return the results for new vertices; those without a known neighbor are counted at the end."""
        new = self.model.read_new(NewEdges(rows, range(rows.shape[0]), inward, only_rows=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.probabilities is None or not isinstance(self.model, EmbeddedVertices):
                return dict(self.model.transform_table(new))
            return self.model._predict(new).columns(all_shares=self.probabilities)

    def divide(self, shard: Shard, state: Mapping[str, object]) -> Tables:
        """Yield the ends of a shard's edges that are new vertices, a table for each part."""
        between, nothing, path = 0, self.known[:0], shard.source.path
        for source, target, weight in chain([(nothing, nothing, None)], shard.tables()):  # at least one table
            ends = arrow.concat_arrays(
                [self._like_known(end, path) for end in (source, target)]
            ).dictionary_encode()
            place, names = ends.indices.to_numpy(), ends.dictionary
            known = compute.index_in(names, value_set=self.known).fill_null(-1).to_numpy()
            texts = names.filter(known < 0).cast(arrow.large_string()).cast(arrow.large_binary()).to_pylist()
            parts = np.zeros(len(names), dtype=np.int64)
            # crc32 of a text is the same in all processes and versions.
            parts[known < 0] = [crc32(text) % self.parts for text in texts]
            u, v = np.split(known[place], 2)
            between += int(((u >= 0) & (v >= 0)).sum())
            new = np.flatnonzero(np.concatenate((u, v)) < 0)
            new = new[np.argsort(parts[place[new]], kind="stable")]
            table = {
                "part": parts[place[new]],
                "name": names.take(arrow.array(place[new])),
                "row": np.concatenate((v, u))[new],
                "weight": np.tile(np.ones(len(u)) if weight is None else weight, 2)[new],
                "inward": new >= len(u),
            }
            for low, high in pairwise(np.searchsorted(table["part"], np.arange(self.parts + 1)).tolist()):
                yield {title: column[low:high] for title, column in table.items()}
        if shard.state() != state:
            raise StoreError(f"{path} changed while it was read; write to another folder.")
        if between:
            message = f"{path} has {between} edges between known vertices, which are left out"
            warn(f"{message}; fit again with them.")

    def _like_known(self, ends: pa.Array, path: str) -> pa.Array:
        """Return ends of edges in the type of the known names: integers may be meant as texts."""
        if ends.type != self.known.type and ends.type != arrow.int64():
            raise ArgumentError(f"{path} has names that are texts; write them as integers, as in the model.")
        return ends.cast(self.known.type)

    def results(self, k: int) -> Tables:
        """Yield the results for the vertices of a part, in the order of their names."""
        table = parquet.read_table(self.temporary, filters=[("part", "==", k)])
        encoded = table["name"].combine_chunks().dictionary_encode()
        order = compute.array_sort_indices(encoded.dictionary)
        names, vertex = encoded.dictionary.take(order), np.argsort(order)[encoded.indices]
        known, weight, inward = (table[title].to_numpy() for title in ("row", "weight", "inward"))
        sides = []
        for side in range(1 + self.directed):
            chosen = (known >= 0) & ((inward & self.directed) == side)
            places = vertex[chosen], known[chosen]
            found = sparse.coo_array((weight[chosen], places), shape=(len(names), len(self.known)))
            sides.append(real_csr(found.tocsr(), "edges", new=True))
        yield {**self.table(*sides), "name": names}

    def count(self) -> dict[str, int]:
        """Return the numbers of vertices and edges."""
        ends, found = dataset.dataset(self.temporary), dataset.dataset(self.written)
        vertices, edges = found.count_rows(), ends.count_rows(filter=compute.field("row") >= 0)
        if vertices and not edges:
            raise ArgumentError(
                f"edges has no known vertex; pass edges to those such as {self.known[0].as_py()!r}."
            )
        lonely = found.count_rows(filter=~compute.field("has_known_neighbor"))
        return {"vertices": vertices, "edges": edges, "without a known neighbor": lonely}


def sample(
    model: LatentPositionModel | LatentPositionGraph,
    n: int | None,
    output: str | os.PathLike[str],
    *,
    random_state: int,
) -> WrittenParts:
    """Sample a graph of any number of edges, in memory for its positions and some millions of edges.

    The pairs of vertices are divided into tiles, each of which has a stream of random numbers of its own. If the
    process is stopped, another call continues; complete files are kept. The same seed gives the same files,
    with any number of threads; the graph is another one than that of ``model.sample``, of the same
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
    model = model.model if isinstance(model, LatentPositionGraph) else model
    if not isinstance(model, LatentPositionModel):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass a LatentPositionModel, or a graph of one.")
    seed, folder = check_integer("random_state", random_state, low=0), Path(os.path.abspath(output))
    vertices = model._draw_vertices(None if n is None else check_count("n", n), _stream(seed, _POSITIONS))
    count, step = len(vertices.positions), _step(model, vertices, seed)
    mark = [repr(model)[:1000], crc32(np.ascontiguousarray(vertices.positions).data)]
    plan = {"function": "sample", "seed": seed, "model": mark, "vertices": count, "part": step}
    labels, cuts = vertices.labels, slices(count, step)
    pieces = [Vertices(vertices.positions[cut], None if labels is None else labels[cut]) for cut in cuts]
    files = {part_file(folder, k, "vertices"): partial(_vertices, one, k * step) for k, one in enumerate(pieces)}
    edges = {part_file(folder, k): partial(_edges, model, pieces, step, seed, k) for k in range(len(pieces))}

    def counted() -> dict[str, int]:
        return {"vertices": count, "edges": dataset.dataset(list(edges)).count_rows()}

    return write_parts(folder, plan, files | edges, counted)


def _vertices(piece: Vertices, start: int) -> Tables:
    """Yield the vertices of a part."""
    columns = {f"x{d}": column for d, column in enumerate(piece.positions.T)}
    numbers = np.arange(start, start + len(piece.positions))
    yield {"vertex": numbers, **({} if piece.labels is None else {"label": piece.labels}), **columns}


def _edges(model: LatentPositionModel, pieces: Sequence[Vertices], step: int, seed: int, k: int) -> Tables:
    """Yield the edges from the vertices of a part to those of each part."""
    for q in range(0 if model.directed else k, len(pieces)):
        rng = _stream(seed, _TILE, k, q)
        if q == k:
            among = sample_among(model, pieces[k], rng)
            found = (among if model.directed else upper(among)).tocoo()
        else:
            found = sample_between(model, pieces[k], pieces[q], rng).tocoo()
        source, target = (ends.astype(np.int64) for ends in found.coords)
        table = {"source": source + k * step, "target": target + q * step}
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
