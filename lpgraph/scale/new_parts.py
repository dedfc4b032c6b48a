"""New vertices of any number, from files of edges to files of results, bucket by bucket."""

from __future__ import annotations

import warnings
import zlib
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

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
from lpgraph.scale.exchange import bucket_count, exchange, new_vertices
from lpgraph.scale.logs import log
from lpgraph.scale.name_columns import KnownNames
from lpgraph.scale.parts import parts_folder, write_rows, written_parts
from lpgraph.spectral.named_positions import fitted_part

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Any

    from lpgraph.scale.parts import WrittenParts

__all__ = ["in_parts"]

#: New vertices whose results tell models apart.
_PROBED = 256


def in_parts(
    model: Any,
    edges: object,
    output: str | os.PathLike[str],
    what: str,
    table_of: Callable[[NewEdges], Mapping[str, object]],
    *,
    weight: str | None,
    source: str | None,
    target: str | None,
    more: Mapping[str, object],
) -> WrittenParts:
    """Write a table of results for the new vertices in files of edges.

    Parameters
    ----------
    model : estimator
        A fitted model of a network.
    edges, output, weight, source, target
        As for `lpgraph.scale.extend`.
    what : str
        The function, for errors.
    table_of : callable
        Returns the columns of some new vertices.
    more : mapping
        What else results depend on, as JSON.
    """
    import_extra("pyarrow", "scale")
    if not available():
        raise MissingDependencyError(f"{what} needs numba; install it, and do not set LPGRAPH_COMPILED=0.")
    if not isinstance(model, VertexResults):
        raise ArgumentTypeError(f"model is a {type(model).__name__}; pass a fitted model of a network.")
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
        counts = exchange(folder.work, shards, columns, KnownNames(*names), buckets)
        left = folder.missing(buckets)
        for k in left:
            tell(log, "New vertices, part %d", k, of=(buckets - len(left) + left.index(k), buckets))
            vertices = new_vertices(folder.work, len(shards), k, n, directed=directed)
            write_rows(folder.path(k), iter([table_of(vertices or _nothing(n, directed=directed))]))
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


def _shards(edges: object, model: object) -> list[FileShard]:
    shards = as_shards(edges, None)
    files = [shard for shard in shards or [] if isinstance(shard, FileShard)]
    if not shards or len(files) < len(shards):
        raise ArgumentTypeError(
            f"edges is a {type(edges).__name__}; pass paths of files, or a pattern such as 'new/*.parquet'. For "
            f"edges in memory, call the methods of the {type(model).__name__}."
        )
    return files


def _names(model: Any) -> tuple[Any, Any]:
    """Return names and index of the known vertices."""
    check_fitted(model, "vertex_names_" if "vertex_names_" in vars(model) else "n_features_in_")
    inside = fitted_part(model)
    names = getattr(model, "vertex_names_", None)
    names = inside.vertex_names_ if names is None else names
    index = getattr(inside, "vertex_index_", None)
    return names, index_of(names) if index is None else index


def _directed(model: Any) -> bool:
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
