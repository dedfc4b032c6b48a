"""`sample`: the edges of a large random graph, tile by tile, written to Parquet."""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_count, check_integer, import_extra
from lpgraph._progress import tell
from lpgraph.errors import ArgumentTypeError
from lpgraph.models.graphs import LatentPositionGraph
from lpgraph.models.latent_position import LatentPositionModel
from lpgraph.models.matrices import Vertices, sample_among, sample_between, upper
from lpgraph.scale.logs import log
from lpgraph.scale.parts import parts_folder, write_rows, written_parts

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.scale.parts import WrittenParts

__all__ = ["sample"]

#: Expected edges of a tile, bounds of the vertices of a part, and pairs from which edges are estimated.
_EDGES, _LEAST, _MOST, _PAIRS = 1 << 22, 1 << 12, 1 << 20, 1 << 12
#: What streams of random numbers are for.
_POSITIONS, _ESTIMATE, _TILE = 0, 1, 2


def sample(
    model: LatentPositionModel | LatentPositionGraph,
    n: int | None,
    output: str | os.PathLike[str],
    *,
    random_state: int,
) -> WrittenParts:
    """Sample a graph of any number of edges, in memory for its positions and some millions of edges.

    The pairs of vertices are divided into tiles, each of which has a stream of random numbers of its own. If the
    process is stopped, another call goes on; files that are complete are kept. The same seed gives the same files,
    with any number of threads; the graph is another one than that of ``model.sample``, of the same distribution.

    Parameters
    ----------
    model : LatentPositionModel or LatentPositionGraph
        The model, or a graph that was sampled from it.
    n : int or None
        The number of vertices; None if the model's positions have it.
    output : str or path
        A folder, which is made.
    random_state : int
        The seed. It has no default, since a call that goes on needs the same one.

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
    import_extra("pyarrow", "scale")
    model = model.model if isinstance(model, LatentPositionGraph) else model  # type: ignore[assignment]
    if not isinstance(model, LatentPositionModel):
        raise ArgumentTypeError(
            f"model is a {type(model).__name__}; pass a LatentPositionModel, or a graph of one."
        )
    seed = check_integer("random_state", random_state, low=0)
    vertices = model._draw_vertices(None if n is None else check_count("n", n), _stream(seed, _POSITIONS))
    count = len(vertices.positions)
    step = _step(model, vertices, seed)
    cuts = [*range(0, count, step), count]
    plan = {
        "function": "sample",
        "model": [repr(model)[:1000], zlib.crc32(np.ascontiguousarray(vertices.positions).data)],
        "vertices": count,
        "seed": seed,
        "part": step,
    }
    with parts_folder(output, plan, "sample") as folder:
        if folder is None:
            return written_parts(output)
        for k in folder.missing(len(cuts) - 1, "vertices"):
            write_rows(folder.path(k, "vertices"), iter([_table(vertices, cuts[k], cuts[k + 1])]))
        left = folder.missing(len(cuts) - 1)
        for k in left:
            tell(log, "Edges, part %d", k, of=(k, len(cuts) - 1))
            write_rows(folder.path(k), _tiles(model, vertices, cuts, k, seed))
        parquet = import_extra("pyarrow.parquet", "scale")
        edges = sum(parquet.read_metadata(folder.path(k)).num_rows for k in range(len(cuts) - 1))
        folder.finish(plan, {"vertices": count, "edges": edges})
    return written_parts(output)


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


def _piece(vertices: Vertices, low: int, high: int) -> Vertices:
    labels = None if vertices.labels is None else vertices.labels[low:high]
    return Vertices(vertices.positions[low:high], labels)


def _tiles(
    model: LatentPositionModel, vertices: Vertices, cuts: Sequence[int], k: int, seed: int
) -> Iterator[Mapping[str, object]]:
    """Yield the edges from a range of vertices to each range."""
    own = _piece(vertices, cuts[k], cuts[k + 1])
    for q, (low, high) in enumerate(pairwise(cuts)):
        if q < k and not model.directed:
            continue
        rng = _stream(seed, _TILE, k, q)
        if q == k:
            among = sample_among(model, own, rng)
            found = among if model.directed else upper(among)
        else:
            found = sample_between(model, own, _piece(vertices, low, high), rng)
        yield _edges(found, cuts[k], low, weighted=model.edge_weights is not None)


def _edges(matrix: sparse.csr_array, row: int, column: int, *, weighted: bool) -> dict[str, NDArray[np.generic]]:
    entries = matrix.tocoo()
    source, target = entries.coords
    found: dict[str, NDArray[np.generic]] = {
        "source": source.astype(np.int64) + row,
        "target": target.astype(np.int64) + column,
    }
    return {**found, "weight": entries.data} if weighted else found


def _table(vertices: Vertices, low: int, high: int) -> dict[str, object]:
    some = _piece(vertices, low, high)
    labels = {} if some.labels is None else {"label": some.labels}
    columns = {f"x{k}": np.ascontiguousarray(column) for k, column in enumerate(some.positions.T)}
    return {"vertex": np.arange(low, high), **labels, **columns}
