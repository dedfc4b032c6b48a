"""What a plain table of edges does not hold of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning
from lpgraph.graph.files.common import integer_names

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["warn_of_unwritten"]


def warn_of_unwritten(
    graph: Adjacency,
    names: Sequence[Hashable],
    ends: tuple[NDArray[np.integer], NDArray[np.integer]],
    form: str,
) -> None:
    """Warn if reading a table of edges would not give the graph back, except for the order of its vertices.

    Parameters
    ----------
    graph : Adjacency
        The graph.
    names : sequence of int or str
        Its names as they are written.
    ends : pair of ndarray of shape (m,)
        The end points of the edges, by position.
    form : {"csv", "tsv"}
        The format.

    Warns
    -----
    LpgraphWarning
        If vertices have no edge, if the graph is directed, or if all names are texts of integers.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.files.unwritten import warn_of_unwritten
    >>> graph = lp.from_edges(["a"], ["b"])
    >>> warn_of_unwritten(graph, graph.names, graph.edge_list()[:2], "csv")  # the table holds all of it
    """
    joined = np.zeros(graph.n_vertices, dtype=bool)
    for end in ends:
        joined[end] = True
    alone = graph.n_vertices - int(np.count_nonzero(joined))
    lost = []
    if alone:
        lost.append(f"{alone} of {graph.n_vertices} vertices have no edge and are left out")
    if graph.directed:
        lost.append("the direction of edges is lost unless it is read as directed")
    texts = [name for name in names if isinstance(name, str)] if not isinstance(names, range) else []
    if texts and integer_names(texts) is not None:
        lost.append(f"names such as {texts[0]!r} are read as integers")
    if lost:
        what = ", and ".join(lost)
        warn(
            f"A {form} table lists edges only: {what}. Write npz, parquet or graphml to keep all.", LpgraphWarning
        )
