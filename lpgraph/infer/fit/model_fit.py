"""Fitted models of a graph: the common part of their results, and reading the graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from lpgraph._checks import check_count, check_flag, check_generator, check_integer
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import as_labels, as_names, code_names, index_of
from lpgraph.models.latent_position import LatentPositionModel

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from lpgraph.graph.names import Names
    from lpgraph.infer.sample_comparison import SampleComparison
    from lpgraph.models.kernels import Kernel
    from lpgraph.models.positions import Fixed

    Array = NDArray[np.float64]

__all__ = ["ModelFit", "count_pairs", "read_graph_to_fit", "vertex_penalty"]

#: Probabilities that `ModelFit.probabilities` returns at most: 1 GB.
_MOST = 1 << 27


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelFit(ABC):
    """A random graph model fitted to a graph by maximum likelihood, or by a spectral embedding.

    Attributes
    ----------
    graph : Adjacency
        The graph, without edge weights.
    loops : bool
        Whether a vertex and itself are a pair.
    log_likelihood : float
        Natural logarithm of the probability of the graph: the sum over pairs of vertices of ``log p`` for edges
        and ``log(1 - p)`` for others.
    n_parameters : int
        Number of free parameters, without the blocks of the vertices.
    penalty : float
        What `bic` adds for the parameters. This is ``log(pairs)`` for a parameter of the graph or of a pair of
        blocks, and ``log(d + 3)`` for one of a vertex with d edges, which are what it is estimated from: its
        information does not grow with the pairs that are not joined (Volinsky & Raftery). Blocks that were
        estimated from the graph add minus twice the logarithm of their probability,
        ``-2 sum_k n_k log(n_k / n)``, and ``(K - 1) log(n)`` for its K - 1 parameters.

    References
    ----------
    Schwarz, G. (1978), "Estimating the dimension of a model", Annals of Statistics 6. Volinsky, C. & Raftery, A.
    (2000), "Bayesian information criterion for censored survival models", Biometrics 56. Daudin, J.-J., Picard, F.
    & Robin, S. (2008), "A mixture model for random graphs", Statistics and Computing 18 (the integrated
    classification likelihood, for estimated blocks).

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
    >>> one, two = lp.fit_erdos_renyi(club), lp.fit_degree_corrected_block_model(club, n_blocks=2)
    >>> two.bic < one.bic
    True
    >>> two.sample(random_state=0)
    Adjacency(34 vertices, 80 edges, undirected)
    """

    graph: Adjacency
    loops: bool
    log_likelihood: float
    n_parameters: int
    penalty: float

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.names)} vertices, {self.n_parameters} parameters, "
            f"log_likelihood={self.log_likelihood:.1f}, bic={self.bic:.1f})"
        )

    @property
    def names(self) -> Names:
        """The names of the vertices."""
        return self.graph.names

    @property
    def directed(self) -> bool:
        """Whether the graph is directed."""
        return self.graph.directed

    @cached_property
    def model(self) -> LatentPositionModel:
        """The fitted model, whose ``sample()`` has the vertices in the order of `names`."""
        kernel, positions = self._kernel_and_positions()
        return LatentPositionModel(kernel, positions, directed=self.directed, loops=self.loops)

    @abstractmethod
    def _kernel_and_positions(self) -> tuple[Kernel, Fixed]:
        """Return the kernel of the model, and the positions of the vertices."""

    @property
    def bic(self) -> float:
        """The Bayesian information criterion, ``penalty - 2 log_likelihood``: smaller is better.

        Models of one graph can be compared, whatever their kind.
        """
        return self.penalty - 2 * self.log_likelihood

    def probabilities(self, vertices: Iterable[Hashable] | None = None) -> Array:
        """Return edge probabilities of some vertices with all vertices, dense.

        Parameters
        ----------
        vertices : iterable of k hashables, optional
            Names of the vertices of the rows. Default: all.

        Returns
        -------
        ndarray of shape (k, n)
            Entry (i, j) is the probability of the edge or arc from the i-th of `vertices` to vertex j; 0 for a
            vertex and itself if the model has no loops.

        Raises
        ------
        UnknownVertexError
            If a name is not a vertex.
        ArgumentError
            If the result would have more than 2^27 entries.

        Examples
        --------
        >>> import lpgraph as lp
        >>> fit = lp.fit_erdos_renyi(lp.from_edges(["a", "b"], ["b", "c"]))
        >>> fit.probabilities(["b"]).round(2)
        array([[0.67, 0.  , 0.67]])
        """
        n = len(self.names)
        rows = np.arange(n)
        if vertices is not None:
            names = as_names(vertices, argument="vertices")
            rows = code_names(as_labels(names, "vertices"), index_of(self.names)) if len(names) else rows[:0]
        if len(rows) * n > _MOST:
            raise ArgumentError(
                f"{len(rows)} rows of {n} probabilities are more than {_MOST}; pass fewer vertices at a time."
            )
        positions = self._positions
        found = self.model.probabilities(positions[rows], positions)
        if not self.loops:
            found[np.arange(len(rows)), rows] = 0.0
        return found

    @overload
    def sample(self, *, n_graphs: None = None, random_state: object = None) -> Adjacency: ...
    @overload
    def sample(self, *, n_graphs: int, random_state: object = None) -> list[Adjacency]: ...
    def sample(
        self, *seed: object, n_graphs: int | None = None, random_state: object = None
    ) -> Adjacency | list[Adjacency]:
        """Return a graph drawn from the model, or several, with the names of the vertices.

        Parameters
        ----------
        n_graphs : int, optional
            The number of graphs, by name; they are independent. Default: one graph, without a list.
        random_state : int, Generator or None
            Seed of the graphs, by name.

        Returns
        -------
        Adjacency, or list of Adjacency
            Without `n_graphs`, ``model.sample(random_state=random_state)`` is the same graph with its positions.

        Raises
        ------
        ArgumentTypeError
            If a number is passed without a name.

        Examples
        --------
        >>> import lpgraph as lp
        >>> fit = lp.fit_erdos_renyi(lp.from_edges(["a", "b"], ["b", "c"]))
        >>> list(fit.sample(random_state=0).names)
        ['a', 'b', 'c']
        >>> [graph.n_edges for graph in fit.sample(n_graphs=3, random_state=0)]
        [3, 2, 1]
        """
        if seed:
            raise ArgumentTypeError(
                f"sample({seed[0]!r:.40}) may be a number of graphs or a seed; pass n_graphs={seed[0]!r:.40} or "
                f"random_state={seed[0]!r:.40}."
            )
        rng = check_generator(random_state)
        if n_graphs is not None:
            return [self._sample(rng) for _ in range(check_count("n_graphs", n_graphs))]
        return self._sample(rng)

    def _sample(self, rng: np.random.Generator) -> Adjacency:
        drawn = self.model.sample(random_state=rng)
        return Adjacency.of_canonical(drawn.matrix, self.names, drawn.directed)

    def compare(self, n_graphs: int = 20, *, random_state: object = 0) -> SampleComparison:
        """Compare the graph with samples: which of its properties the model describes, and which not.

        Parameters
        ----------
        n_graphs : int, default 20
            Number of samples, at least 2.
        random_state : int, Generator or None, default 0
            Seed of the samples.

        Returns
        -------
        SampleComparison
            Edges, degrees, triangles, clustering, components and eigenvalues of the graph and of the samples. It
            is printed as a table; `lpgraph.plot.samples` draws it.

        Examples
        --------
        >>> import networkx as nx, lpgraph as lp
        >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
        >>> lp.fit_degree_corrected_block_model(club, n_blocks=2).compare()
        20 samples                    network         mean           sd            z
        edges                              78  ...
        degree, lower quartile              2  ...
        """
        from lpgraph.infer.sample_comparison import compare_samples

        n_graphs = check_integer("n_graphs", n_graphs, low=2)
        rng = check_generator(random_state)
        return compare_samples(self.graph, (self._sample(rng) for _ in range(n_graphs)))

    @property
    def _positions(self) -> Array:
        return self.model.positions.initial(None, np.random.default_rng(0))[0]


def read_graph_to_fit(graph: object, loops: bool | None) -> tuple[Adjacency, bool]:
    """Return a graph without edge weights, and whether its model has loops.

    Raises
    ------
    GraphError
        If edges have weights other than 1, there are loops but ``loops=False``, or no pair could be joined.
    """
    adjacency = as_adjacency(graph)
    if adjacency.weighted:
        raise GraphError(
            f"The graph has edge weights from {adjacency.lowest_weight:g} to {adjacency.highest_weight:g}, and "
            "the models have none; pass lpgraph.as_adjacency(graph, weight=None), whose weights are 1. Edges that "
            "are listed several times, or in both directions, add up."
        )
    n_loops = int(np.count_nonzero(adjacency.diagonal))
    has_loops = n_loops > 0 if loops is None else check_flag("loops", loops)
    if n_loops and not has_loops:
        raise GraphError(
            f'The graph has {n_loops} loops; pass loops=True, or lpgraph.as_adjacency(graph, loops="drop").'
        )
    if count_pairs(adjacency, has_loops) == 0:
        raise GraphError("The graph has one vertex and no pair that could be joined; pass at least two vertices.")
    return adjacency, has_loops


def vertex_penalty(graph: Adjacency, n_parameters: float) -> float:
    """Return the penalty of so many parameters, equally many of each vertex, or of each side of a directed graph.

    Without the 3, isolated vertices would have free parameters, and Erdos-Renyi graphs of mean degree 1 would be
    taken for degree-corrected ones.
    """
    sides = [graph.degrees, graph.in_degrees] if graph.directed else [graph.degrees]
    return n_parameters * float(np.mean([np.log(degrees + 3).mean() for degrees in sides]))


def count_pairs(graph: Adjacency, loops: bool) -> int:
    """Return the number of pairs of vertices, ordered if the graph is directed."""
    n = graph.n_vertices
    both = n * n if loops else n * (n - 1)
    return both if graph.directed else (both + (n if loops else 0)) // 2
