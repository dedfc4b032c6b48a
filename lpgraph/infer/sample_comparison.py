"""Properties of a graph, and of graphs drawn from a model that was fitted to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._frames import data_frame
from lpgraph._html import columns_html
from lpgraph.graph.components import connected_components
from lpgraph.graph.summary import reciprocity
from lpgraph.spectral.eigen import eigenpairs, singular_triplets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lpgraph._frames import Backend, DataFrame
    from lpgraph.graph.adjacency import Adjacency

    Array = NDArray[np.float64]

__all__ = ["SampleComparison", "compare_samples"]

#: Leading eigenvalues that are compared, and the bound of their residuals: their errors are of the order of 1e-4.
_VALUES, _TOL = 5, 1e-2
_QUARTILES = "lower quartile", "median", "upper quartile"


@dataclass(frozen=True, eq=False, repr=False)
class SampleComparison:
    """What samples of a fitted model share with the network, and what not, from `lpgraph.infer.ModelFit.compare`.

    Attributes
    ----------
    quantities : tuple of q str
        Names of the properties. Degrees do not count loops. Triangles, clustering (three times the triangles, per
        pair of edges that meet in a vertex) and components are those of the graph without directions. Eigenvalues,
        of a directed graph singular values, are the five of largest magnitude, without their signs.
    network : ndarray of shape (q,)
        Values of the network.
    samples : ndarray of shape (n_graphs, q)
        Values of the samples.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
    >>> found = lp.fit_erdos_renyi(club).compare()
    >>> dict(zip(found.quantities, found.z.round(1).tolist()))["maximum degree"]
    6.5
    """

    quantities: tuple[str, ...]
    network: Array
    samples: Array

    @property
    def mean(self) -> Array:
        """Mean of the samples, of shape (q,)."""
        return np.asarray(self.samples.mean(axis=0))

    @property
    def standard_deviation(self) -> Array:
        """Standard deviation of the samples, of shape (q,)."""
        return np.asarray(self.samples.std(axis=0, ddof=1))

    @property
    def z(self) -> Array:
        """Network minus mean in standard deviations, of shape (q,); infinite if all samples have another value.

        Magnitudes above 3 are properties that the model does not describe.
        """
        difference, spread = self.network - self.mean, self.standard_deviation
        alike = np.where(np.abs(difference) > 1e-9 * np.abs(self.network), np.copysign(np.inf, difference), 0.0)
        return np.divide(difference, spread, out=alike, where=spread > 0)

    def table(self, *, backend: Backend | None = None) -> DataFrame:
        """Return a data frame with a row for each property.

        Parameters
        ----------
        backend : {"pandas", "polars"}, optional
            The library. Default: pandas.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns are "quantity", "network", "mean", "standard deviation", "5%" and "95%" (quantiles of the
            samples), and "z".

        Raises
        ------
        MissingDependencyError
            If the library is not installed.

        Examples
        --------
        >>> import lpgraph as lp
        >>> found = lp.fit_erdos_renyi(lp.from_edges([0, 1, 2, 2], [1, 2, 0, 3])).compare()
        >>> found.table(backend="pandas")["quantity"].tolist()[:2]
        ['edges', 'degree, lower quartile']
        """
        low, high = np.quantile(self.samples, [0.05, 0.95], axis=0)
        columns = {
            "quantity": self.quantities,
            "network": self.network,
            "mean": self.mean,
            "standard deviation": self.standard_deviation,
            "5%": low,
            "95%": high,
            "z": self.z,
        }
        return data_frame(self, columns, backend)

    def _rows(self) -> list[tuple[str, ...]]:
        numbers = zip(self.network, self.mean, self.standard_deviation, strict=True)
        shown = ([f"{value:.6g}", f"{mean:.6g}", f"{spread:.3g}"] for value, mean, spread in numbers)
        return [(name, *row, f"{z:.1f}") for name, row, z in zip(self.quantities, shown, self.z, strict=True)]

    def __repr__(self) -> str:
        head = f"{len(self.samples)} samples", "network", "mean", "sd", "z"
        return "\n".join(
            f"{name:24}{''.join(f'{cell:>13}' for cell in row)}" for name, *row in [head, *self._rows()]
        )

    def _repr_html_(self) -> str:
        head = "", "network", "mean", "standard deviation", "z"
        return columns_html(f"Network and {len(self.samples)} samples", head, self._rows())


def compare_samples(graph: Adjacency, samples: Iterable[Adjacency]) -> SampleComparison:
    """Return the properties of a graph and of samples with the same vertices, which are drawn one at a time."""
    values = _values(graph)
    drawn = np.array([list(_values(sample).values()) for sample in samples])
    return SampleComparison(tuple(values), np.array(list(values.values())), drawn)


def _values(graph: Adjacency) -> dict[str, float]:
    """Return the properties of a graph by name."""
    own = graph.diagonal
    sides = {"out-degree": graph.degrees - own, "in-degree": graph.in_degrees - own}
    if not graph.directed:
        sides = {"degree": graph.degrees - own}
    found: dict[str, float] = {"edges": graph.n_edges}
    for side, degrees in sides.items():
        quartiles = np.quantile(degrees, [0.25, 0.5, 0.75]).tolist()
        found |= {f"{side}, {name}": value for name, value in zip(_QUARTILES, quartiles, strict=True)}
        found[f"maximum {side}"] = float(degrees.max())
    if graph.directed:
        found["reciprocity"] = reciprocity(graph)
    found["triangles"], found["clustering"] = _triangles(graph)
    count, labels = connected_components(graph)
    found["components"] = int(count)
    found["largest component"] = int(np.bincount(labels).max())
    kind = "singular value" if graph.directed else "eigenvalue"
    return found | {f"{kind} {k + 1}": value for k, value in enumerate(_leading(graph))}


def _triangles(graph: Adjacency) -> tuple[int, float]:
    """Return the number of triangles, and the clustering coefficient, without directions."""
    import igraph

    ends = np.column_stack(graph.edge_list()[:2])
    plain = igraph.Graph(n=graph.n_vertices, edges=ends).simplify()
    degrees = np.array(plain.degree(), dtype=np.float64)
    clustering = float(plain.transitivity_undirected(mode="zero"))
    return round(clustering * float((degrees * (degrees - 1)).sum()) / 6), clustering


def _leading(graph: Adjacency) -> list[float]:
    """Return the magnitudes of the leading eigenvalues, of a directed graph singular values; 0 without edges."""
    k = min(_VALUES, graph.n_vertices)
    if not graph.n_edges:
        return [0.0] * k
    if graph.directed:
        values = singular_triplets(graph.matrix, k, tol=_TOL).values
    else:
        values = eigenpairs(graph.matrix, k, tol=_TOL).values
    found: list[float] = np.sort(np.abs(values))[::-1].tolist()
    return found
