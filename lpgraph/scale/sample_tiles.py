"""`sample`: the edges of a large random graph, tile by tile, written to Parquet."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph._checks import check_count, check_integer, import_extra
from lpgraph.errors import ArgumentTypeError
from lpgraph.models.graphs import LatentPositionGraph
from lpgraph.models.latent_position import LatentPositionModel
from lpgraph.models.matrices import Vertices, sample_among, sample_between, upper
from lpgraph.scale.parts import check_client, part_file, run_parts, write_parts

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from distributed import Client

    from lpgraph.scale.parts import Tables, WrittenParts

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
    import_extra("pyarrow", "scale")
    check_client(client)
    model = model.model if isinstance(model, LatentPositionGraph) else model  # type: ignore[assignment]
    if not isinstance(model, LatentPositionModel):
        raise ArgumentTypeError(f"model is {a_type(model)}; pass a LatentPositionModel, or a graph of one.")
    seed = check_integer("random_state", random_state, low=0)
    vertices = model._draw_vertices(None if n is None else check_count("n", n), _stream(seed, _POSITIONS))
    count = len(vertices.positions)
    step = _step(model, vertices, seed)
    plan = {
        "function": "sample",
        "seed": seed,
        "model": [repr(model)[:1000], zlib.crc32(np.ascontiguousarray(vertices.positions).data)],
        "vertices": count,
        "part": step,
    }

    def make(folder: Path) -> dict[str, int]:
        job = _Sampling(model, vertices, [*range(0, count, step), count], seed)
        parts = len(job.cuts) - 1
        run_parts(job.tables_of_vertices, folder, parts, client, "vertices")
        run_parts(job.tables_of_edges, folder, parts, client)
        parquet = import_extra("pyarrow.parquet", "scale")
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
