"""The latent position model LPM(X, F, kappa, rho)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_count, check_flag, check_generator, check_real
from lpgraph.errors import ArgumentError
from lpgraph.models.correlated import correlated_edges
from lpgraph.models.edge_weights import as_edge_weights
from lpgraph.models.graphs import GraphPair, LatentPositionGraph
from lpgraph.models.kernels import Kernel, as_kernel
from lpgraph.models.matrices import Vertices, sample_among
from lpgraph.models.positions import as_positions
from lpgraph.models.probabilities import Probabilities

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LatentPositionModel"]


class LatentPositionModel:
    """A random graph whose edge probabilities are a kernel of latent positions.

    Positions X_1, ..., X_n come from `positions`. Given the positions, edges are independent, and vertices i != j
    are joined with probability ``sparsity * kernel(X_i, X_j)``. The adjacency matrix is
    symmetric unless `directed`; then both arcs of a pair are drawn independently, arc i -> j with probability
    ``sparsity * kernel(X_i, X_j)``. An arc is then reciprocated as often as the reverse arc occurs: in a sparse
    graph rarely, also where a real network has many reciprocated arcs.

    With `loops`, vertex i also has a loop with probability ``sparsity * kernel(X_i, X_i)``. With `edge_weights`,
    each edge has a random weight.

    Parameters
    ----------
    kernel : Kernel or callable
        One of `lpgraph.kernels`, or a function ``f(x, y) -> (n, m)`` of positions (n, p) and (m, p). Sampling
        takes O(n^2) time and bounded memory for a function, and time proportional to the edges for a kernel.
    positions : array_like, distribution, callable or Positions
        An array (n, p) or (n,), a ``scipy.stats`` distribution, a function ``f(n, rng)`` that returns positions
        or (positions, labels), or one of `lpgraph.positions`. With an array, ``sample()`` uses all rows and
        ``sample(n)`` the first n; new vertices use the following rows, or rows drawn with replacement if all
        rows are in the sample.
    sparsity : float
        The factor rho in (0, 1].
    directed : bool
        Whether to draw arcs. An undirected graph needs a symmetric kernel. The symmetry of a function is checked
        on the first 32 positions.
    loops : bool
        Whether to draw loops. A loop is one entry on the diagonal of the adjacency matrix.
    edge_weights : EdgeWeights or callable, optional
        One of `lpgraph.weights`, or a function ``f(edges, rng)`` that returns a weight for each of ``len(edges)``
        edges; see `lpgraph.weights.EdgeSet` for what it knows of the edges. Default: all edges have weight 1.

    References
    ----------
    Tang, Park & Priebe (2013), "Out-of-sample extension for latent position graphs", Section 2.

    Examples
    --------
    A random dot product graph on the simplex, and three new vertices:

    >>> import lpgraph as lp
    >>> model = lp.LatentPositionModel(lp.kernels.DotProduct(), lp.positions.Dirichlet([1.0, 1.0, 1.0]))
    >>> graph = model.sample(500, random_state=0)
    >>> graph
    LatentPositionGraph(n_vertices=500, n_edges=41583, directed=False)
    >>> graph.new_vertices(3, random_state=1).adjacency.shape
    (3, 500)
    """

    def __init__(
        self,
        kernel: object,
        positions: object,
        *,
        sparsity: float = 1.0,
        directed: bool = False,
        loops: bool = False,
        edge_weights: object = None,
    ) -> None:
        self.kernel: Kernel = as_kernel(kernel)
        self.positions = as_positions(positions)
        self.sparsity = check_real("sparsity", sparsity, low=0, high=1, open_low=True)
        self.directed = check_flag("directed", directed)
        if not self.directed and not self.kernel.symmetric:
            raise ArgumentError(
                f"kernel={self.kernel!r} is not symmetric, but the graph is undirected; "
                "pass directed=True or a symmetric kernel."
            )
        self.loops = check_flag("loops", loops)
        self.edge_weights = as_edge_weights(edge_weights)
        if not self.directed and self.edge_weights is not None and not self.edge_weights.symmetric:
            raise ArgumentError(
                f"edge_weights={self.edge_weights!r} is not symmetric, but the graph is undirected; "
                "pass directed=True or a symmetric matrix."
            )

    def __repr__(self) -> str:
        return (
            f"LatentPositionModel({self.kernel!r}, {self.positions!r}, sparsity={self.sparsity!r}, "
            f"directed={self.directed!r}, loops={self.loops!r}, edge_weights={self.edge_weights!r})"
        )

    def probabilities(self, x: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the dense matrix ``sparsity * kernel(x, y)``; for ``y=None``, the matrix K of the paper.

        Parameters
        ----------
        x, y : array_like of shape (n, p), (m, p)
            Positions; ``y=None`` means ``y=x``.

        Returns
        -------
        ndarray of shape (n, m)
            For ``y=None`` the diagonal also has the kernel's values, although it is used only with `loops`.

        Raises
        ------
        ProbabilityError
            If the value of a pair is outside [0, 1]. For ``y=None`` the diagonal is checked only with `loops`.

        Examples
        --------
        >>> import lpgraph as lp
        >>> model = lp.LatentPositionModel(lp.kernels.DotProduct(), [[0.5], [1.0]], sparsity=0.5)
        >>> model.probabilities([0.5, 1.0])
        array([[0.125, 0.25 ],
               [0.25 , 0.5  ]])
        """
        rows = self.kernel.prepare(x, "x")
        columns = rows if y is None else self.kernel.prepare(y, "y")
        ids = np.arange(len(rows)), np.arange(len(columns))
        hollow = y is None and not self.loops
        matrix = Probabilities(self.kernel, self.sparsity, rows, columns, *ids, hollow=hollow)
        p = matrix.block(slice(None), slice(None))
        if hollow:
            np.fill_diagonal(p, self.sparsity * self.kernel(rows, rows).diagonal())
        return p

    def sample(self, n: int | None = None, *, random_state: object = None) -> LatentPositionGraph:
        """Sample a graph.

        Parameters
        ----------
        n : int, optional
            The number of vertices; not needed if `positions` has it (an array, block sizes).
        random_state : int, Generator or None
            The same seed gives the same graph.

        Returns
        -------
        LatentPositionGraph

        Raises
        ------
        ProbabilityError
            If the probability of a pair is outside [0, 1]. Values above 1 and NaN are always found. Negative
            values may be missed only in graphs of more than 4096 vertices, if the kernel's bounds allow negative
            values and they are rare.

        Notes
        -----
        Edges are exact Bernoulli variables. Time and memory are O(n + edges) for the kernels of this library if
        the probabilities vary moderately with the positions; see `lpgraph.models.bernoulli`.

        Examples
        --------
        >>> import scipy.stats, lpgraph as lp
        >>> model = lp.LatentPositionModel(lp.kernels.Gaussian(0.1), scipy.stats.uniform(), sparsity=0.5)
        >>> model.sample(100, random_state=0).adjacency.shape
        (100, 100)
        """
        rng = check_generator(random_state)
        vertices = self._draw_vertices(n, rng)
        return LatentPositionGraph(sample_among(self, vertices, rng), *vertices, self)

    def sample_pair(self, rho: float, n: int | None = None, *, random_state: object = None) -> GraphPair:
        """Sample two graphs on the same vertices with correlated edges.

        Both graphs have the distribution of `sample`. The two entries of a pair of vertices (if directed, of
        an arc) have the correlation `rho`. They are independent of all other entries.

        Parameters
        ----------
        rho : float
            Between -1 and 1. A negative correlation exists for an edge of probability p only down to
            ``-min(p / (1 - p), (1 - p) / p)``; all pairs of vertices with p > 0 must allow it.
        n : int, optional
            The number of vertices, as in `sample`.
        random_state : int, Generator or None

        Returns
        -------
        GraphPair
            A named tuple of the graphs ``first`` and ``second``, with the same positions and labels. Edge weights
            are drawn independently.

        Raises
        ------
        ArgumentError
            If rho is outside the range; the message gives the lowest possible value.
        ProbabilityError
            If the probability of a pair is outside [0, 1].

        Notes
        -----
        An edge of the first graph is kept in the second with probability ``p + rho (1 - p)``, and each other pair
        is joined with probability ``p (1 - rho)``. Time is proportional to vertices and edges. For rho < 0, all
        probabilities are evaluated; as they are bounded below, their number is proportional to the edges.

        References
        ----------
        Lyzinski, V., Fishkind, D. E. & Priebe, C. E. (2014), "Seeded graph matching for correlated Erdos-Renyi
        graphs", Journal of Machine Learning Research 15.

        Examples
        --------
        >>> import numpy as np, lpgraph as lp
        >>> model = lp.LatentPositionModel(lp.kernels.BlockMatrix([[0.2]]), np.zeros(300))
        >>> pair = model.sample_pair(0.6, random_state=0)
        >>> pair.first.n_edges, pair.second.n_edges
        (9032, 9001)
        >>> both = pair.first.adjacency.multiply(pair.second.adjacency).nnz // 2
        >>> round(both / pair.first.n_edges, 2)  # 0.2 + 0.6 * 0.8
        0.68
        """
        rho = check_real("rho", rho, low=-1, high=1)
        rng = check_generator(random_state)
        vertices = self._draw_vertices(n, rng)
        return GraphPair(
            *(LatentPositionGraph(edges, *vertices, self) for edges in correlated_edges(self, vertices, rho, rng))
        )

    def _draw_vertices(self, n: int | None, rng: np.random.Generator) -> Vertices:
        """Return the positions and labels of a sample."""
        drawn, labels = self.positions.initial(None if n is None else check_count("n", n), rng)
        positions = self.kernel.prepare(drawn)
        if not self.directed:
            self._check_symmetric(positions)
        return Vertices(positions, labels)

    def _check_symmetric(self, positions: NDArray[np.float64]) -> None:
        """Raise if the kernel is not symmetric on the first 32 positions."""
        few = positions[:32]
        values = self.kernel(few, few)
        wrong = ~np.isclose(values, values.T, rtol=1e-9, atol=1e-12, equal_nan=True)
        if wrong.any():
            i, j = (int(k) for k in np.argwhere(wrong)[0])
            raise ArgumentError(
                f"kernel is not symmetric: {values[i, j]:g} for pair ({i}, {j}) but {values[j, i]:g} for "
                f"({j}, {i}); pass directed=True or a symmetric kernel."
            )
