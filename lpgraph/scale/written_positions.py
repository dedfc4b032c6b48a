"""`write_positions`: the positions of a fitted model in a file, piece by piece."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_fitted, import_extra
from lpgraph.embed.vertex_results import side_columns
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.scale.building.work import whole_file
from lpgraph.scale.name_columns import arrow_names
from lpgraph.scale.parts import write_rows
from lpgraph.spectral.named_positions import fitted_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["write_positions"]

#: Vertices that are written at a time: a row group of Parquet.
_ROWS = 1 << 16


def write_positions(model: Any, output: str | os.PathLike[str]) -> Path:
    """Write the positions of the vertices, with their names, without a table of all in memory.

    Parameters
    ----------
    model : estimator
        A fitted embedding of a network, or an estimator that has one.
    output : str or path
        A file that ends in ``.parquet``, or in ``.npy`` for an array without names, which numpy maps with
        ``numpy.load(path, mmap_mode="r")``. It is replaced as a whole or not at all.

    Returns
    -------
    Path
        The file. Parquet has the column ``name``, the coordinates (``ase0``, ...), and for a directed network
        those as targets (``ase_in0``, ...), in row groups of 65,536 vertices. The array has these columns without
        the names. Rows are in the order of `vertex_names_`.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ArgumentError, ArgumentTypeError
        If it has no positions, or `output` has another suffix.
    StoreError
        If the edge store, which has the names, is not where it was.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp, pandas as pd
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "positions.parquet"
    >>> model = lp.AdjacencySpectralEmbedding(1).fit(lp.from_edges(["a", "b", "c"], ["b", "c", "a"]))
    >>> pd.read_parquet(lp.scale.write_positions(model, path))["name"].tolist()
    ['a', 'b', 'c']
    """
    path = Path(os.path.abspath(os.fsdecode(output)))
    if path.suffix not in (".parquet", ".npy"):
        raise ArgumentError(f"output={str(output)!r} has no suffix of positions; name it .parquet or .npy.")
    if not hasattr(model, "get_params") or isinstance(model, type):
        raise ArgumentTypeError(f"model is {model!r:.80}; pass a fitted embedding of a network.")
    inside = fitted_part(model)
    if inside is None or not hasattr(inside, "vertex_names_"):
        check_fitted(model, "embedding_")
        raise ArgumentError(f"model is a {type(model).__name__} without positions of vertices; pass an embedding.")
    inward = getattr(inside, "embedding_in_", None)
    sides = [inside.embedding_] + ([] if inward is None else [inward])
    if path.suffix == ".npy":
        _write_array(path, sides)
        return path
    import_extra("pyarrow", "scale")
    titles = inside.get_feature_names_out()
    write_rows(path, _tables(inside.vertex_names_, titles, sides))
    return path


def _tables(names: Any, titles: NDArray[np.object_], sides: list[Array]) -> Iterator[Mapping[str, object]]:
    for low in range(0, len(sides[0]), _ROWS):
        high = min(low + _ROWS, len(sides[0]))
        columns = side_columns(titles, [np.asarray(side[low:high]) for side in sides])
        pieces = {title: np.ascontiguousarray(column) for title, column in columns.items()}
        yield {"name": arrow_names(names, low, high), **pieces}


def _write_array(path: Path, sides: list[Array]) -> None:
    shape = len(sides[0]), sum(side.shape[1] for side in sides)
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype("<f8")), "fortran_order": False, "shape": shape}
    with whole_file(path) as file:
        np.lib.format.write_array_header_1_0(file, header)
        for low in range(0, shape[0], _ROWS):
            block = np.hstack([side[low : low + _ROWS] for side in sides])
            file.write(np.ascontiguousarray(block, dtype="<f8").data)
