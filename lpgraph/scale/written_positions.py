"""`write_positions`: the positions of a fitted model in a file or a folder, piece by piece."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph._checks import check_fitted, import_extra
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.scale.building.work import whole_file
from lpgraph.scale.dask_client import passed_client
from lpgraph.scale.parts import write_rows
from lpgraph.scale.position_parts import ROWS, Positions, tables, write_folder
from lpgraph.spectral.named_positions import fitted_part

if TYPE_CHECKING:
    from distributed import Client
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["write_positions"]


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
        stopped, another call goes on; files that are complete are kept.
    client : distributed.Client, optional
        A Dask cluster, whose workers then write the files of a folder, with the same content. They must see it,
        and the edge store of the model, if it has one, under the same path. The positions are written to the
        folder once, for as long as the call takes. By default, all is done in this process.

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
        If the edge store, which has the names, is not where it was, or if the folder has other files or positions.
    ClusterError
        When workers die of a part, or all are gone.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp, pandas as pd
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "positions.parquet"
    >>> model = lp.AdjacencySpectralEmbedding(1).fit(lp.from_edges(["a", "b", "c"], ["b", "c", "a"]))
    >>> pd.read_parquet(lp.scale.write_positions(model, path))["name"].tolist()
    ['a', 'b', 'c']
    """
    path = Path(os.path.abspath(os.fsdecode(output)))
    client = passed_client(client)
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
    if path.suffix == ".npy":
        _write_array(path, sides)
        return path
    import_extra("pyarrow", "scale")
    positions = Positions(inside.vertex_names_, list(map(str, inside.get_feature_names_out())), sides)
    if path.suffix:
        write_rows(path, tables(positions, 0, len(sides[0])))
    else:
        write_folder(positions, path, client)
    return path


def _write_array(path: Path, sides: list[Array]) -> None:
    shape = len(sides[0]), sum(side.shape[1] for side in sides)
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype("<f8")), "fortran_order": False, "shape": shape}
    with whole_file(path) as file:
        np.lib.format.write_array_header_1_0(file, header)
        for low in range(0, shape[0], ROWS):
            block = np.hstack([side[low : low + ROWS] for side in sides])
            file.write(np.ascontiguousarray(block, dtype="<f8").data)
