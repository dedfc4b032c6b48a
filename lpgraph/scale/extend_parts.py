"""`extend`: positions of new vertices in files of edges, written to Parquet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lpgraph.embed.vertex_results import side_columns
from lpgraph.scale.new_parts import in_parts

if TYPE_CHECKING:
    import os

    from distributed import Client

    from lpgraph.embed.vertex_results import VertexResults
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.scale.parts import WrittenParts

__all__ = ["extend"]


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
    each 32 MB of edges. If the process is stopped, another call goes on; files that are complete are kept. The
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
        `output` and the edge store of the model, if it has one, under the same path. The model is written to
        `output` once, for as long as the call takes. By default, all is done in this process.

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
        When workers die of a part, or all are gone.

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
    return in_parts(
        model,
        edges,
        output,
        "extend",
        partial(_positions, model),
        weight=weight,
        source=source,
        target=target,
        more={},
        client=client,
    )


def _positions(model: VertexResults, vertices: NewEdges) -> dict[str, object]:
    vertices = model.read_new(vertices)
    columns = side_columns(model.get_feature_names_out(), model._placed(vertices))
    return {"name": list(vertices.names), **columns, "has_known_neighbor": vertices.has_known_neighbor}
