"""`write_positions`: the positions of a fitted model in a file or a folder, piece by piece."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph._checks import check_fitted, import_extra
from lpgraph._files import written
from lpgraph.embed.vertex_results import side_columns
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.room import empty
from lpgraph.scale.parts import check_client, run_parts, write_parts, write_rows
from lpgraph.spectral.named_positions import fitted_part

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from distributed import Client
    from numpy.typing import NDArray

    from lpgraph.scale.parts import Tables

    Array = NDArray[np.float64]

__all__ = ["write_positions"]

#: Vertices of a row group of Parquet, and of a file of a folder.
_ROWS, _PART = 1 << 16, 1 << 20


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
    check_client(client)
    if path.suffix not in (".parquet", ".npy", ""):
        raise ArgumentError(
            f"output={str(output)!r} has no suffix of positions; name it .parquet or .npy, or name a folder."
        )
    if client is not None and path.suffix:
        raise ArgumentError(
            f"client was passed, and one process writes the file {str(output)!r}; name a folder, without a suffix."
        )
    if not hasattr(model, "get_params") or isinstance(model, type):
        raise ArgumentTypeError(f"model is {model!r:.80}; pass a fitted embedding of a network.")
    inside = fitted_part(model)
    if inside is None or not hasattr(inside, "vertex_names_"):
        check_fitted(model, "embedding_")
        raise ArgumentError(f"model is {a_type(model)} without positions of vertices; pass an embedding.")
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
        sums = [zlib.crc32(np.ascontiguousarray(side).data) for side in sides]
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
    arrow = import_extra("pyarrow", "scale")
    try:
        return arrow.array(names)
    except (arrow.ArrowException, TypeError, OverflowError, UnicodeEncodeError):
        return arrow.array(list(map(str, names)))
