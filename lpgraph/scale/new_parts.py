"""New vertices of any number, from files of edges to files of results, bucket by bucket."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import check_fitted, import_extra
from lpgraph._compiled import available
from lpgraph._progress import tell
from lpgraph._warnings import warn
from lpgraph.embed.vertex_results import VertexResults
from lpgraph.errors import ArgumentTypeError, LpgraphWarning, MissingDependencyError
from lpgraph.graph.convert import check_ends, check_weight_name
from lpgraph.graph.names import index_of
from lpgraph.graph.new_edges import NewEdges
from lpgraph.scale.building.columns import Columns
from lpgraph.scale.building.shards import FileShard, as_shards
from lpgraph.scale.dask_client import passed_client
from lpgraph.scale.exchange import Division, bucket_count, divide, exchange, new_vertices
from lpgraph.scale.logs import log
from lpgraph.scale.name_columns import KnownNames
from lpgraph.scale.part_runs import runs_of
from lpgraph.scale.parts import parts_folder, written_parts
from lpgraph.spectral.named_positions import fitted_part

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from distributed import Client

    from lpgraph.scale.parts import PartsFolder, WrittenParts

__all__ = ["in_parts"]

#: New vertices whose results tell models apart.
_PROBED = 256


def in_parts(
    model: VertexResults,
    edges: object,
    output: str | os.PathLike[str],
    what: str,
    table_of: Callable[[NewEdges], Mapping[str, object]],
    *,
    weight: str | None,
    source: str | None,
    target: str | None,
    more: Mapping[str, object],
    client: Client | None,
) -> WrittenParts:
    """Write a table of results for the new vertices in files of edges.

    Parameters
    ----------
    model : estimator
        A fitted model of a network.
    edges, output, weight, source, target, client
        As for `lpgraph.scale.extend`.
    what : str
        The function, for errors.
    table_of : callable
        Returns the columns of some new vertices. It can be pickled.
    more : mapping
        What else results depend on, as JSON.
    """
    import_extra("pyarrow", "scale")
    client = passed_client(client)
    if not available():
        raise MissingDependencyError(f"{what} needs numba; install it, and do not set LPGRAPH_COMPILED=0.")
    if not isinstance(model, VertexResults):
        raise ArgumentTypeError(f"model is {a_type(model)}; pass a fitted model of a network.")
    names = _names(model)
    n, directed = len(names[0]), bool(_directed(model))
    shards = _shards(edges, model)
    columns = Columns(check_ends(source, target), check_weight_name(weight))
    table_of(_nothing(n, directed=directed))  # raises if the model places no vertices by their edges alone
    buckets = bucket_count(shards)
    plan = {
        "function": what,
        "files of edges": [shard.state() for shard in shards],
        "weight": columns.weight,
        "ends": columns.ends,
        "model": _mark(model, table_of, _probe(n, directed=directed)),
        "parts": buckets,
        **more,
    }
    with parts_folder(output, plan, what) as folder:
        if folder is None:
            return written_parts(output)
        division = Division(folder.work, shards, columns, KnownNames(*names), buckets)
        with runs_of(_NewVertices(division, folder, n, directed, table_of), client, folder.work.folder) as runs:
            counts = exchange(division, partial(runs.each, _divide))
            left = folder.missing(buckets)
            for done, (k, _) in enumerate(runs.each(_write, left), buckets - len(left) + 1):
                tell(log, "New vertices, part %d", k, of=(done, buckets))
        parquet = import_extra("pyarrow.parquet", "scale")
        rows = lonely = 0
        for k in range(buckets):
            linked = parquet.read_table(folder.path(k), columns=["has_known_neighbor"]).column(0).to_numpy()
            rows, lonely = rows + len(linked), lonely + int((~linked).sum())
        facts = {"vertices": rows, "edges": counts.linking, "without a known neighbor": lonely}
        folder.finish(plan, facts)
    if counts.between:
        warn(
            f"edges has {counts.between} edges between known vertices, which are left out; fit again to take them "
            "in.",
            LpgraphWarning,
        )
    return written_parts(output)


@dataclass(frozen=True, eq=False)
class _NewVertices:
    """What the parts are made from: their edges, and a function of some new vertices."""

    division: Division
    folder: PartsFolder
    n: int
    directed: bool
    table_of: Callable[[NewEdges], Mapping[str, object]]


def _divide(job: _NewVertices, s: int) -> dict[str, object]:
    return divide(job.division, s)


def _write(job: _NewVertices, k: int) -> None:
    """Write the results of a part."""
    division = job.division
    vertices = new_vertices(division.work, len(division.shards), k, job.n, directed=job.directed)
    table = job.table_of(vertices or _nothing(job.n, directed=job.directed))
    job.folder.write(job.folder.path(k), iter([table]))


def _shards(edges: object, model: object) -> list[FileShard]:
    shards = as_shards(edges, None)
    files = [shard for shard in shards or [] if isinstance(shard, FileShard)]
    if not shards or len(files) < len(shards):
        raise ArgumentTypeError(
            f"edges is {a_type(edges)}; pass paths of files, or a pattern such as 'new/*.parquet'. For "
            f"edges in memory, call the methods of the {type(model).__name__}."
        )
    return files


def _names(model: VertexResults) -> tuple[Sequence[Hashable], Mapping[Hashable, int]]:
    """Return names and index of the known vertices."""
    check_fitted(model, "vertex_names_" if "vertex_names_" in vars(model) else "n_features_in_")
    inside = fitted_part(model)
    own: Sequence[Hashable] | None = getattr(model, "vertex_names_", None)
    names: Sequence[Hashable] = inside.vertex_names_ if own is None else own
    index: Mapping[Hashable, int] | None = getattr(inside, "vertex_index_", None)
    return names, index_of(names) if index is None else index


def _directed(model: VertexResults) -> bool:
    found = getattr(model, "directed_", None)
    return bool(fitted_part(model).directed_ if found is None else found)


def _nothing(n: int, *, directed: bool) -> NewEdges:
    empty = sparse.csr_array((0, n))
    return NewEdges(empty, (), empty.copy() if directed else None, only_rows=True)


def _mark(model: object, table_of: Callable[[NewEdges], Mapping[str, object]], probe: NewEdges) -> list[object]:
    """Return what tells models apart: the class, and a checksum of the results for a probe."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns, found = table_of(probe), 0
    for title in sorted(columns.keys() - {"name"}):
        column = np.asarray(columns[title])
        numbers = column if column.dtype.kind in "biuf" else np.array([repr(value) for value in column.tolist()])
        found = zlib.crc32(np.ascontiguousarray(numbers).tobytes(), found)
    return [type(model).__name__, found]


def _probe(n: int, *, directed: bool) -> NewEdges:
    """Return new vertices with edges to some known ones."""
    places = np.random.default_rng(0).integers(0, n, (_PROBED, 4))
    entries = np.ones(places.size), (np.repeat(np.arange(_PROBED), 4), places.ravel())
    rows = sparse.csr_array(sparse.coo_array(entries, shape=(_PROBED, n)))
    return NewEdges(rows, range(_PROBED), rows.copy() if directed else None, only_rows=True)
