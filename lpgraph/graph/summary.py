"""Summary of a graph: size, components, degrees and weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.estimators import Shown, shortened

from .construct import as_adjacency
from .names import name_at
from .preprocess import connected_components, neighbor_counts

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from .adjacency import Adjacency

#: Vertices whose degrees are listed by name.
_NAMED = 5


@dataclass(frozen=True)
class GraphSummary(Shown):
    """What `summary` found.

    Attributes
    ----------
    n_vertices, n_edges : int
        Number of vertices, and of arcs or undirected edges; a loop is one edge.
    directed, weighted : bool
        Whether edges are arcs, and whether a weight is not 1.
    loops : int
        Number of loops. Degrees do not count them.
    density : float
        Share of the pairs of different vertices that are joined; of ordered pairs in a directed graph.
    reciprocity : float or None
        Share of the arcs, without loops, whose reverse is an arc; None if the graph is undirected.
    components, largest_component, isolated_vertices : int
        Number of (weak) components, number of vertices of the largest, and number of vertices without an edge to
        another vertex.
    degrees : dict of str to float
        "min", "25%", "median", "mean", "75%", "99%" and "max" of the numbers of edges of the vertices, or of arcs
        from them, without loops: an isolated vertex has degree 0.
    in_degrees : dict of str to float, or None
        The same of arcs to the vertices; None if the graph is undirected.
    weights : dict of str to float, or None
        The same of the weights of the edges; None without edges.
    largest_degrees : dict of vertex name to int
        The five vertices of largest degree, in both directions together, without those of degree 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.summary(lp.from_edges(["a", "b"], ["b", "c"])).to_dict()["density"]
    0.6666666666666666
    """

    n_vertices: int
    n_edges: int
    directed: bool
    weighted: bool
    loops: int
    density: float
    reciprocity: float | None
    components: int
    largest_component: int
    isolated_vertices: int
    degrees: dict[str, float]
    in_degrees: dict[str, float] | None
    weights: dict[str, float] | None
    largest_degrees: dict[Hashable, int]

    def to_dict(self) -> dict[str, object]:
        """Return the attributes as a dict of numbers and dicts, which JSON can store; vertex names are texts."""
        return asdict(self) | {"largest_degrees": {str(name): k for name, k in self.largest_degrees.items()}}

    def __str__(self) -> str:
        import pandas as pd

        kind = f"{'directed' if self.directed else 'undirected'}, {'' if self.weighted else 'un'}weighted"
        lines = [
            f"{self.n_vertices} vertices, {self.n_edges} edges ({kind})",
            f"density {self.density:.3g}, loops {self.loops}"
            + ("" if self.reciprocity is None else f", reciprocity {self.reciprocity:.3g}"),
            f"components {self.components}, largest component {self.largest_component}, "
            f"isolated vertices {self.isolated_vertices}",
        ]
        rows = {"out-degree" if self.directed else "degree": self.degrees, "in-degree": self.in_degrees}
        rows["weight"] = self.weights if self.weighted else None
        table = pd.DataFrame({title: values for title, values in rows.items() if values}).T
        lines.append(table.to_string(float_format="{:.4g}".format))
        if self.largest_degrees:
            shown = ", ".join(f"{shortened(name)} {value}" for name, value in self.largest_degrees.items())
            lines.append(f"largest degrees: {shown}")
        return "\n".join(lines)

    __repr__ = __str__


def summary(graph: object) -> GraphSummary:
    """Return size, components, degrees and weights of a graph.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`.

    Returns
    -------
    GraphSummary
        It is printed as a table; its attributes are the numbers.

    See Also
    --------
    lpgraph.plot.degrees : the distribution of the degrees.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> found = lp.summary(nx.karate_club_graph())
    >>> print(found)
    34 vertices, 78 edges (undirected, weighted)
    density 0.139, loops 0
    components 1, largest component 34, isolated vertices 0
            min  25%  median  mean  75%   99%  max
    degree    1    2       3 4.588    5 16.67   17
    weight    1    2       3 2.962    4  6.23    7
    largest degrees: 33 17, 0 16, 32 12, 2 10, 1 9
    >>> found.degrees["median"]
    3.0
    """
    adjacency = as_adjacency(graph)
    n, loops = adjacency.n_vertices, int(np.count_nonzero(adjacency.diagonal))
    components, labels = connected_components(adjacency)
    pairs = n * (n - 1) / (1 if adjacency.directed else 2)
    both = neighbor_counts(adjacency)
    out = np.diff(adjacency.matrix.indptr) - (adjacency.diagonal != 0) if adjacency.directed else both
    leading = np.argsort(-both, kind="stable")[:_NAMED]
    weights = adjacency.edge_list()[2]
    return GraphSummary(
        n_vertices=n,
        n_edges=adjacency.n_edges,
        directed=adjacency.directed,
        weighted=adjacency.weighted,
        loops=loops,
        density=(adjacency.n_edges - loops) / pairs if pairs else 0.0,
        reciprocity=reciprocity(adjacency) if adjacency.directed else None,
        components=int(components),
        largest_component=int(np.bincount(labels).max()),
        isolated_vertices=int((both == 0).sum()),
        degrees=_spread(out),
        in_degrees=_spread(both - out) if adjacency.directed else None,
        weights=_spread(weights) if len(weights) else None,
        largest_degrees={name_at(adjacency.names, i): int(both[i]) for i in leading if both[i] > 0},
    )


def _spread(values: NDArray[np.generic]) -> dict[str, float]:
    """Return quantiles and mean of values."""
    import pandas as pd

    found = pd.Series(values).describe([0.25, 0.5, 0.75, 0.99]).rename({"50%": "median"})
    return {key: float(found[key]) for key in ("min", "25%", "median", "mean", "75%", "99%", "max")}


def reciprocity(graph: Adjacency) -> float:
    """Return the share of the arcs, without loops, whose reverse is an arc."""
    weights, loops = abs(graph.matrix), int(np.count_nonzero(graph.diagonal))
    arcs = weights.nnz - loops
    return (weights.minimum(weights.T.tocsr()).nnz - loops) / arcs if arcs else 0.0
