"""Matrices and parts of a network: Laplacians, ranks of weights, symmetrized arcs, diagonals and components."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_real, check_scale, is_string
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.linalg.sparse_structure import weak_components

from .adjacency import Adjacency
from .assemble import EdgeList, Rules
from .construct import as_adjacency, assembled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers

    from .adjacency import Network


def inverse_power(degrees: Array, power: float = 0.5) -> Array:
    """Return ``degrees ** -power``, and 0 where the degree is 0."""
    return np.divide(1.0, degrees**power, out=np.zeros_like(degrees), where=degrees > 0)


def row_means(graph: Network) -> Array:
    """Return the mean of the entries of each row and column that are not on the diagonal; n is at least 2."""
    return ((graph.degrees + graph.in_degrees) / 2 - graph.diagonal) / (graph.n_vertices - 1)


def check_nonnegative(lowest: float, what: str) -> None:
    """Refuse negative weights, for which degrees are not defined."""
    if lowest < 0:
        problem = f"Negative values in data: {what} has negative weights (down to {lowest:g})"
        raise GraphError(f"{problem}; pass abs(A), or another embedding.")


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
        A graph in any form of `lpgraph.as_adjacency`; without negative weights, except for "D-A".
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
    check_choice("form", form, ("DAD", "I-DAD", "R-DAD", "DA", "I-DA", "D-A"))
    adjacency = as_adjacency(graph)
    check_scale("The graph has weights", adjacency.lowest_weight, adjacency.highest_weight)
    if regularizer is None:
        regularizer = "mean" if form == "R-DAD" else 0.0
    mean = is_string(regularizer, "mean")
    tau = float(adjacency.degrees.mean()) if mean else check_real("regularizer", regularizer, low=0.0)
    if form == "D-A":
        if tau:
            raise ArgumentError(f'regularizer={regularizer!r} but form="D-A" has none; pass None, or form="DAD".')
        return _minus(adjacency, adjacency.degrees)
    check_nonnegative(adjacency.lowest_weight, "the graph")
    walk = form in ("DA", "I-DA")
    left = inverse_power(adjacency.degrees + tau, 1.0 if walk else 0.5)
    right = np.ones(adjacency.n_vertices) if walk else inverse_power(adjacency.in_degrees + tau)
    # The product of both factors is formed first: it is the same for (i, j) and (j, i), also in its rounding.
    matrix = adjacency.matrix
    factors = np.repeat(left, np.diff(matrix.indptr)) * right[matrix.indices]
    scaled = replace(_with_weights(adjacency, matrix.data * factors), directed=walk or adjacency.directed)
    return _minus(scaled, ((left > 0) & (right > 0)).astype(np.float64)) if form.startswith("I-") else scaled


def _with_weights(graph: Adjacency, weights: Array) -> Adjacency:
    """Return a graph with the same edges and other weights."""
    matrix = graph.matrix
    changed = sparse.csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)
    return Adjacency.of_canonical(changed, graph.names, graph.directed, graph.vertex_attributes)


def _minus(graph: Adjacency, diagonal: Array) -> Adjacency:
    """Return the diagonal matrix minus the matrix of the graph."""
    return _with_weights(graph, -graph.matrix.data).with_diagonal(diagonal - graph.diagonal)


def pass_to_ranks(
    graph: object, method: Literal["simple-nonzero", "simple-all", "zero-boost"] = "simple-nonzero"
) -> Adjacency:
    """Return the graph with edge weights replaced by their ranks, scaled to (0, 1].

    Embeddings of graphs whose weights have a heavy tail are determined by a few edges; those of ranks are not.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`, without negative weights. If all weights are 1, it is
        returned unchanged.
    method : {"simple-nonzero", "simple-all", "zero-boost"}, default "simple-nonzero"
        What the ranks 1, 2, ... of the weights, with the mean for ties, are divided by:

        - "simple-nonzero": the number of entries of the adjacency matrix that are not 0, plus 1;
        - "simple-all": the number of all entries, n^2, plus 1;
        - "zero-boost": the number of possible edges, after the number of absent edges was added to the ranks, as
          if absent edges had the lowest weight. Loops are possible if the graph has one.

    Returns
    -------
    Adjacency
        With the same edges, names and attributes.

    Raises
    ------
    GraphError
        If a weight is negative.
    ArgumentError
        If `method` is none of these.

    Notes
    -----
    Absent edges keep the weight 0, so that the result is as sparse as the graph. The methods are those of
    ``graspologic.utils.pass_to_ranks``. Ranks depend on all weights: the edges of new vertices, which are passed
    to ``transform`` of an embedding of ranks, need weights on the same scale.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.from_edges([0, 1, 2], [1, 2, 3], [7.0, 7.0, 5000.0])
    >>> lp.pass_to_ranks(graph).edge_list()[2].round(3).tolist()
    [0.357, 0.357, 0.786]
    >>> lp.pass_to_ranks(graph, "zero-boost").edge_list()[2].round(3).tolist()
    [0.75, 0.75, 1.0]
    """
    check_choice("method", method, ("simple-nonzero", "simple-all", "zero-boost"))
    adjacency = as_adjacency(graph)
    check_nonnegative(adjacency.lowest_weight, "the graph")
    if not adjacency.weighted:
        return adjacency
    from scipy.stats import rankdata

    n, directed, matrix = adjacency.n_vertices, adjacency.directed, adjacency.matrix
    if method != "zero-boost":
        n_entries = matrix.nnz if method == "simple-nonzero" else n**2
        return _with_weights(adjacency, rankdata(matrix.data) / (n_entries + 1))
    source, target, weight = adjacency.edge_list()  # each edge is ranked once
    possible = n * (n - 1) // (1 if directed else 2) + (n if (source == target).any() else 0)
    ranks = (rankdata(weight) + (possible - len(weight))) / possible
    attributes = adjacency.vertex_attributes
    return assembled(EdgeList(adjacency.names, source, target, ranks, directed, attributes), Rules())


def symmetrize(graph: object, method: Literal["avg", "sum", "max", "min", "triu", "tril"] = "avg") -> Adjacency:
    """Return a directed graph as an undirected one; an undirected graph is returned unchanged.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`.
    method : {"avg", "sum", "max", "min", "triu", "tril"}, default "avg"
        Weight of the edge between two vertices, from the weights of the two arcs; an absent arc has the weight 0:

        - "avg", "sum": their mean or their sum;
        - "max", "min": the larger or the smaller one. With weights above 0, "max" keeps an edge where there is an
          arc in one direction, and "min" where there are arcs in both;
        - "triu", "tril": the arc from the vertex that comes first to the one that comes later, or the reverse.

        Loops keep their weights.

    Returns
    -------
    Adjacency
        Undirected, with the same names and attributes.

    Raises
    ------
    ArgumentError
        If `method` is none of these.
    GraphError
        If the sum of two weights is not finite.

    Examples
    --------
    >>> import lpgraph as lp
    >>> arcs = lp.from_edges(["a", "b", "b"], ["b", "a", "c"], [1.0, 3.0, 4.0], directed=True)
    >>> lp.symmetrize(arcs).matrix.toarray()
    array([[0., 2., 0.],
           [2., 0., 2.],
           [0., 2., 0.]])
    >>> lp.symmetrize(arcs, "min").n_edges
    1
    """
    check_choice("method", method, ("avg", "sum", "max", "min", "triu", "tril"))
    adjacency = as_adjacency(graph)
    if not adjacency.directed:
        return adjacency
    matrix = adjacency.matrix
    if method in ("triu", "tril"):
        half = sparse.triu(matrix, 1) if method == "triu" else sparse.tril(matrix, -1)
        result = half + half.T + sparse.diags_array(adjacency.diagonal)
    elif method in ("max", "min"):
        mirror = matrix.T.tocsr()
        result = matrix.maximum(mirror) if method == "max" else matrix.minimum(mirror)
    elif method == "avg":
        result = 0.5 * matrix + 0.5 * matrix.T.tocsr()  # halved first, so that no sum overflows
    else:
        with np.errstate(over="ignore"):
            result = matrix + matrix.T.tocsr() - sparse.diags_array(adjacency.diagonal)
    return Adjacency(result, adjacency.names, False, adjacency.vertex_attributes)


def augment_diagonal(graph: object, weight: float = 1.0) -> Adjacency:
    """Return the graph with loops whose weights are the mean weights of the pairs of each vertex.

    A network without loops does not determine the diagonal of its adjacency matrix, and zeros there bias its
    eigenvectors. The mean of the other entries of a row, which is the degree divided by n - 1 if weights are 1, is
    closer to the probability that belongs there.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`. Its loops are replaced.
    weight : float, default 1
        Factor of the new diagonal; with 0, loops are removed.

    Returns
    -------
    Adjacency
        With the same names and attributes. In directed graphs the mean of row and column is used.

    Raises
    ------
    GraphError
        If the graph has one vertex, which has no pair.
    ArgumentError, ArgumentTypeError
        If `weight` is not a finite number.

    See Also
    --------
    AdjacencySpectralEmbedding : ``augment_diagonal=True`` embeds this matrix, and keeps the graph as it is.

    References
    ----------
    Marchette, D., Priebe, C. & Coppersmith, G. (2011), "Vertex nomination via attributed random dot product
    graphs", Proceedings of the 57th ISI World Statistics Congress.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.augment_diagonal([[0, 1, 1], [1, 0, 0], [1, 0, 0]]).matrix.toarray()
    array([[1. , 1. , 1. ],
           [1. , 0.5, 0. ],
           [1. , 0. , 0.5]])
    """
    factor = check_real("weight", weight)
    adjacency = as_adjacency(graph)
    most = max(1.0, abs(factor)) * max(adjacency.highest_weight, -adjacency.lowest_weight)
    check_scale("The graph has weights, and weights on the diagonal,", -most, most)
    if adjacency.n_vertices < 2:
        raise GraphError("The graph has one vertex, which has no pairs to average; pass a graph with two or more.")
    return adjacency.with_diagonal(factor * row_means(adjacency))


def connected_components(adjacency: Adjacency) -> tuple[int, NDArray[np.signedinteger]]:
    """Return the number of components and the component of every vertex; the direction of arcs is ignored.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.preprocess import connected_components
    >>> connected_components(lp.from_edges([0, 2], [1, 3]))
    (2, array([0, 0, 1, 1], dtype=int32))
    """
    return weak_components(adjacency.matrix, directed=adjacency.directed)


def neighbor_counts(adjacency: Adjacency) -> Integers:
    """Return the number of edges of each vertex, without loops; in a directed graph, of arcs from it and to it.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.preprocess import neighbor_counts
    >>> neighbor_counts(lp.from_edges([0, 2], [1, 2], vertices=4))
    array([1, 1, 0, 0])
    """
    matrix, loops = adjacency.matrix, (adjacency.diagonal != 0).astype(np.intp)
    counts: Integers = np.diff(matrix.indptr) - loops
    return counts + np.bincount(matrix.indices, minlength=len(loops)) - loops if adjacency.directed else counts


def largest_component(graph: object) -> Adjacency:
    """Return the largest connected component, with the order of vertices kept; the first of several of equal size.

    Parameters
    ----------
    graph : Adjacency or anything `as_adjacency` takes
        For directed graphs, components are weak.

    Returns
    -------
    Adjacency

    Examples
    --------
    >>> import lpgraph as lp
    >>> list(lp.largest_component(lp.from_edges(["a", "b", "x"], ["b", "c", "y"])).names)
    ['a', 'b', 'c']
    """
    adjacency = as_adjacency(graph)
    count, labels = connected_components(adjacency)
    if count == 1:
        return adjacency
    biggest = int(np.argmax(np.bincount(labels)))
    return adjacency.take(np.flatnonzero(labels == biggest))
