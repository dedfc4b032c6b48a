"""Laplacian matrices of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, check_real, check_scale
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.degrees import check_nonnegative, inverse_power

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray

__all__ = ["to_laplacian"]

FORMS = ("DAD", "I-DAD", "R-DAD", "DA", "I-DA", "D-A")


def to_laplacian(
    graph: object,
    form: Literal["DAD", "I-DAD", "R-DAD", "DA", "I-DA", "D-A"] = "DAD",
    *,
    regularizer: float | Literal["mean"] | None = None,
) -> Adjacency:
    """Return a Laplacian matrix of a graph, sparse and with the names of the vertices.

    A is the adjacency matrix, D the diagonal matrix of the degrees plus `regularizer`.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`; without negative weights, except for "D-A".
    form : {"DAD", "I-DAD", "R-DAD", "DA", "I-DA", "D-A"}, default "DAD"
        - "DAD": ``D^(-1/2) A D^(-1/2)``, which `LaplacianSpectralEmbedding` embeds;
        - "I-DAD": the normalised Laplacian ``I - D^(-1/2) A D^(-1/2)``;
        - "R-DAD": "DAD" with the mean degree as regularizer, unless it is given;
        - "DA": transition probabilities of the random walk, ``D^(-1) A``;
        - "I-DA": the random walk Laplacian ``I - D^(-1) A``;
        - "D-A": the combinatorial Laplacian.

        In directed graphs D on the left has the out-degrees, and on the right the in-degrees.
    regularizer : float or "mean", optional
        Added to each degree; "mean" is the mean degree. None is 0, or the mean degree for "R-DAD".

    Returns
    -------
    Adjacency
        The matrix, whose diagonal entries are loops. "DA" and "I-DA" are directed, since they are not symmetric.
        Rows and columns of vertices of degree 0 are zero, unless there is a regularizer.

    Raises
    ------
    GraphError
        If a weight is negative, for which degrees are not defined.
    ArgumentError, ArgumentTypeError
        If `form` is none of these, `regularizer` is negative, or it is given for "D-A".

    Notes
    -----
    The names of the forms are those of graspologic ("DAD", "I-DAD", "R-DAD") and of R's igraph.

    Examples
    --------
    >>> import lpgraph as lp
    >>> path = lp.from_edges(["a", "b"], ["b", "c"])
    >>> lp.to_laplacian(path, "D-A").matrix.toarray()
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    >>> lp.to_laplacian(path, "DA").matrix.toarray()
    array([[0. , 1. , 0. ],
           [0.5, 0. , 0.5],
           [0. , 1. , 0. ]])
    """
    check_choice("form", form, FORMS)
    adjacency = as_adjacency(graph)
    check_scale("The graph has weights", adjacency.lowest_weight, adjacency.highest_weight)
    tau = _tau(adjacency, form, regularizer)
    if form == "D-A":
        return _minus(adjacency, adjacency.degrees)
    check_nonnegative(adjacency.lowest_weight, "the graph")
    walk = form in ("DA", "I-DA")
    left = inverse_power(adjacency.degrees + tau, 1.0 if walk else 0.5)
    if walk:
        right = np.ones(adjacency.n_vertices)
    else:
        right = inverse_power(adjacency.in_degrees + tau) if adjacency.directed else left
    scaled = _scaled(adjacency, left, right, directed=walk or adjacency.directed)
    if not form.startswith("I-"):
        return scaled
    return _minus(scaled, ((left > 0) & (right > 0)).astype(np.float64))


def _tau(graph: Adjacency, form: str, regularizer: object) -> float:
    """Return the number that is added to each degree."""
    if regularizer is None:
        regularizer = "mean" if form == "R-DAD" else 0.0
    if isinstance(regularizer, str) and regularizer == "mean":
        tau = float(graph.degrees.mean())
    else:
        tau = check_real("regularizer", regularizer, low=0.0)
    if form == "D-A" and tau:
        raise ArgumentError(f'regularizer={regularizer!r} but form="D-A" has none; pass None, or form="DAD".')
    return tau


def _scaled(
    graph: Adjacency, left: NDArray[np.float64], right: NDArray[np.float64], *, directed: bool
) -> Adjacency:
    """Return ``diag(left) A diag(right)``."""
    matrix = graph.matrix
    # The product of both factors is formed first: it is the same for (i, j) and (j, i), also in its rounding.
    factors = np.repeat(left, np.diff(matrix.indptr)) * right[matrix.indices]
    scaled = sparse.csr_array((matrix.data * factors, matrix.indices, matrix.indptr), shape=matrix.shape)
    if (scaled.data == 0).any():
        scaled = scaled.copy()  # its structure is shared with the graph
        scaled.eliminate_zeros()
    return Adjacency.of_canonical(scaled, graph.names, directed, graph.vertex_attributes)


def _minus(graph: Adjacency, diagonal: NDArray[np.float64]) -> Adjacency:
    """Return the diagonal matrix minus the matrix of the graph."""
    negative = Adjacency.of_canonical(-graph.matrix, graph.names, graph.directed, graph.vertex_attributes)
    return negative.with_diagonal(diagonal - graph.diagonal)
