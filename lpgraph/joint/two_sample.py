"""Tests whether two networks are draws of one model: `two_sample_test`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg, sparse, stats
from scipy.spatial.distance import cdist

from lpgraph._utils.checks import check_choice, check_count, check_generator, check_integer
from lpgraph._utils.estimators import Shown
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.procrustes import procrustes
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import is_listing
from lpgraph.graph.vertex_values import in_order
from lpgraph.infer.seedless_procrustes import seedless_procrustes
from lpgraph.joint.base import leading
from lpgraph.joint.dimension import unfolded_dimension
from lpgraph.joint.graphs import GraphSequence, as_graphs
from lpgraph.spectral.eigen import End, eigenpairs
from lpgraph.spectral.operators import Matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names

    Array = NDArray[np.float64]
    Statistic = Callable[[sparse.csr_array], Array]

#: Directions for a test need not be exact.
_TOL = 1e-4

#: Steps of the alignment of positions of both signs.
_STEPS = 3

NULLS = {
    "exchange": "each edge has the same probability, or distribution of weights, in both networks",
    "exchange norm": "each edge has the same probability, or distribution of weights, in both networks",
    "bootstrap": "both networks are draws of one generalised random dot product graph",
    "distribution": "the positions of both networks are draws of one distribution",
    "density": "both networks have the same density",
    "blocks": "both networks have the same density of edges between any two groups",
    "adjusted blocks": "the densities between groups have the same ratio, that of the whole networks",
}


@dataclass(frozen=True, eq=False, repr=False)
class TwoSample(Shown):
    """What `two_sample_test` found.

    Attributes
    ----------
    method : str
        The test.
    statistic : float
        Its statistic; of tests of densities the least p-value of `parts`.
    p_value : float
        The probability of a result as extreme under the null hypothesis.
    parts : DataFrame or None
        With groups and for tests of densities: the result for each group, or pair of groups, with a p-value that
        is not corrected for their number.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> found = lp.infer.two_sample_test(nx.path_graph(9), nx.cycle_graph(9), method="density")
    >>> found.null, round(found.p_value, 3)
    ('both networks have the same density', 0.781)
    """

    method: str
    statistic: float
    p_value: float
    parts: pandas.DataFrame | None = None

    @property
    def null(self) -> str:
        """The null hypothesis in words."""
        return NULLS[self.method]

    def __repr__(self) -> str:
        words = "the networks differ" if self.p_value <= 0.05 else "no difference is shown"
        return f"TwoSample({self.method}: p = {self.p_value:.3g}, at the level of 5 % {words})"


def two_sample_test(
    a: object,
    b: object,
    *,
    method: str | None = None,
    n_components: int | None = None,
    groups: object = None,
    n_draws: int = 999,
    random_state: int | np.random.Generator | None = None,
) -> TwoSample:
    r"""Test whether two networks are draws of one model.

    Parameters
    ----------
    a, b : graph
        Two networks in any form of `lpgraph.as_adjacency`, both directed or both not.
    method : str, optional
        - "exchange", the default if the vertices are the same. If both networks have the same probabilities of
          edges, or distributions of weights, then, given A + B, the signs of the entries of A - B are fair coins.
          The directions U are those of A + B, which the coins do not change. So the test is exact for any network:
          directed, weighted or disassortative. The statistic is the sum of the squared displacements
          :math:`(A - B) U / s` of the vertices, or with `groups` of the mean displacement of each group. It does
          not show differences that A + B hides, such as blocks that are assortative in A and disassortative in B.
        - "exchange norm": with the same coins, the sum of the largest squared eigenvalues of A - B. It is also
          exact, and shows all large differences, but is slower and less sensitive to those in the directions U.
        - "bootstrap": the distance of both embeddings after a rotation, compared with draws of the generalised
          model that is fitted to the mean of both networks (Tang et al. 2017, with the signs of eigenvalues).
          Approximate: the level depends on the model and the number of vertices; see Notes.
        - "distribution", the default for other vertices: a kernel test of the positions in both networks, aligned
          by optimal transport, with noise added to those in the larger network (Alyakin et al. 2024). Approximate,
          and conservative if the sizes of groups are fixed: the null hypothesis is that positions are drawn.
        - "density", "blocks" and "adjusted blocks": whether the networks have equal densities, in the whole or
          between all pairs of `groups`, or densities that are equal but for the ratio of the whole densities
          (Pedigo et al. 2023). Score tests of each pair, combined by Tippett's method.
    n_components : int, optional
        Number of dimensions; by default what held-out edges confirm.
    groups : sequence, mapping or Series, optional
        The group of each vertex; if the networks have different vertices, a tuple of two of these.
    n_draws : int, default 999
        Number of random draws; the p-value is at least 1 / (n_draws + 1).
    random_state : int, Generator or None
        Seed of the draws; None means a fixed seed.

    Returns
    -------
    TwoSample

    Raises
    ------
    ArgumentError
        If the method does not suit the networks, or needs groups.
    GraphError
        If a graph cannot be read or has no edge, or only one of them is directed.

    Notes
    -----
    Measured rejections at 5 % of pairs from one model of two blocks (:doc:`/results/joint`): "exchange" 3.8 to
    6.2 %; "distribution" 0.4 and 3.8 % with random sizes of blocks, none with fixed ones; "bootstrap" 4 and 6 %.

    References
    ----------
    Tang, M. et al. (2017), "A semiparametric two-sample hypothesis testing problem for random graphs", JCGS 26.
    Alyakin, A., Agterberg, J., Helm, H. & Priebe, C. (2024), "Correcting a nonparametric two-sample graph
    hypothesis test for graphs with different numbers of vertices", Applied Network Science 9. Pedigo, B. et al.
    (2023), "Generative network modeling reveals quantitative definitions of bilateral symmetry", eLife 12.

    Examples
    --------
    >>> import lpgraph as lp
    >>> B = [[0.1, 0.5], [0.5, 0.1]], [[0.1, 0.5], [0.5, 0.3]]
    >>> a, b = (lp.stochastic_block_model([50, 50], some, random_state=k) for k, some in enumerate(B))
    >>> lp.infer.two_sample_test(a, b)
    TwoSample(exchange: p = 0.001, at the level of 5 % the networks differ)
    """
    first, second = as_adjacency(a), as_adjacency(b)
    if first.directed != second.directed:
        raise GraphError("Only one of the networks is directed; pass as_adjacency(graph, directed=...).")
    if not first.n_edges or not second.n_edges:
        raise GraphError("A network has no edge; pass two networks with edges.")
    same = len(first.names) == len(second.names) and set(first.index) == set(second.index)
    chosen = ("exchange" if same else "distribution") if method is None else check_choice("method", method, NULLS)
    if n_components is not None:
        check_integer("n_components", n_components, low=1, high=min(first.n_vertices, second.n_vertices))
    draws, rng = check_count("n_draws", n_draws), check_generator(0 if random_state is None else random_state)
    if same:
        first, second = as_graphs([first, second])  # groups in the order of the first belong to both
    if chosen in ("density", "blocks", "adjusted blocks"):
        return _densities(first, second, chosen, groups)
    if groups is not None and chosen != "exchange":
        raise ArgumentError(f"method={chosen!r} but it does not compare groups; pass groups=None.")
    if chosen == "distribution":
        return _distribution(first, second, n_components, draws, rng)
    if not same:
        raise ArgumentError(f"method={chosen!r} but the networks have different vertices; pass 'distribution'.")
    pair = as_graphs([first, second])
    if chosen == "bootstrap":
        return _bootstrap(pair, n_components, draws, rng)
    return _exchange(pair, chosen, n_components, groups, draws, rng)


# Exchange


def _exchange(
    pair: GraphSequence, method: str, d: int | None, groups: object, draws: int, rng: np.random.Generator
) -> TwoSample:
    import pandas

    total = sparse.csr_array(pair.graphs[0].matrix + pair.graphs[1].matrix)
    if d is None:
        # From A + B, as the directions are: a number that depends on the coins would make the test inexact.
        both = as_graphs([Adjacency.of_canonical(total, pair.names, pair.directed)])
        d = unfolded_dimension(both, None).n_components
    sides, values = directions(total, d, directed=pair.directed)
    bases = [side / np.where(values > 1e-9 * values.max(), values, np.inf) for side in sides]
    codes, known = pandas.factorize(np.zeros(len(pair.names)) if groups is None else _labels(groups, pair.names))
    members = np.equal.outer(np.arange(len(known)), codes)

    def statistic(difference: sparse.csr_array) -> Array:
        if method == "exchange norm":
            return np.array([np.square(directions(difference, d, directed=pair.directed)[1]).sum()])
        both = zip((difference, difference.T), bases, strict=False)
        moved = np.hstack([np.asarray(matrix @ basis) for matrix, basis in both])
        if groups is None:
            return np.array([np.square(moved).sum()])
        return np.asarray(np.square(members @ moved).sum(axis=1) / members.sum(axis=1))

    drawn = _by_coins(pair, statistic, draws, rng)
    p_values = [p_value(column[0], column[1:]) for column in drawn.T]
    parts = pandas.DataFrame({"group": known, "statistic": drawn[0], "p_value": p_values})
    sums = drawn.sum(axis=1)
    return TwoSample(method, float(sums[0]), p_value(sums[0], sums[1:]), None if groups is None else parts)


def _by_coins(pair: GraphSequence, statistic: Statistic, draws: int, rng: np.random.Generator) -> Array:
    """Return a statistic of the difference of two networks, and in further rows that with random signs."""
    a, b = (graph.matrix for graph in pair)
    difference = sparse.csr_array(a - b)
    rows, columns = difference.tocoo().coords
    if not pair.directed:  # two entries have one coin
        rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
    _, coins = np.unique(rows.astype(np.int64) * difference.shape[0] + columns, return_inverse=True)
    found = [statistic(difference)]
    for _ in range(draws):
        data = difference.data * rng.choice([-1.0, 1.0], size=coins.max(initial=-1) + 1)[coins]
        parts = data, difference.indices, difference.indptr
        found.append(statistic(sparse.csr_array(parts, shape=difference.shape)))
    return np.array(found)


def directions(total: sparse.csr_array, d: int, *, directed: bool) -> tuple[list[Array], Array]:
    """Return the leading eigenvectors of a network and the magnitudes of their eigenvalues.

    Directed networks have singular vectors: those that rows are multiplied by, and those for columns.
    """
    found = leading(total, d, {"solver": None, "tol": _TOL, "random_state": None}, directed=directed)
    return [found.right, found.left][: 1 + directed], np.abs(found.values)


def p_value(observed: float, drawn: Array) -> float:
    """Return ``(b + 1) / (B + 1)`` for b of B drawn statistics that are at least as large, up to rounding."""
    return float((1 + np.count_nonzero(drawn >= observed * (1 - 1e-12))) / (1 + len(drawn)))


def _labels(groups: object, names: Names) -> NDArray[np.object_]:
    """Return the group of each vertex, in their order."""
    given = in_order(groups, names, "groups")
    labels = list(given) if is_listing(given) else []
    if len(labels) != len(names):
        raise ArgumentError(f"groups has {len(labels)} labels for {len(names)} vertices; pass one for each.")
    return np.fromiter(labels, dtype=object, count=len(labels))


# Bootstrap


def _bootstrap(pair: GraphSequence, n_components: int | None, draws: int, rng: np.random.Generator) -> TwoSample:
    a, b = (graph.matrix for graph in pair)
    if pair.directed or any(graph.weighted for graph in pair):
        raise ArgumentError("method='bootstrap' needs undirected networks without weights; pass 'exchange'.")
    mean = Adjacency.of_canonical(sparse.csr_array((a + b) / 2), pair.names, False)
    model = AdjacencySpectralEmbedding(n_components).fit(mean)
    counts = _signs([model])
    fitted = (model.embedding_ * model.signature_) @ model.embedding_.T
    upper = np.triu_indices(len(fitted), 1)
    probabilities = np.clip(fitted[upper], 0.0, 1.0)

    def distance(first: sparse.csr_array, second: sparse.csr_array) -> float:
        x, y = (_of_both_signs(matrix, counts)[0] for matrix in (first, second))
        return float(np.linalg.norm(x @ procrustes(x, y, signature=counts) - y))

    def draw() -> sparse.csr_array:
        dense = np.zeros(fitted.shape)
        dense[upper] = rng.random(len(probabilities)) < probabilities
        return sparse.csr_array(dense + dense.T)

    observed = distance(a, b)
    drawn = np.array([distance(draw(), draw()) for _ in range(draws)])
    return TwoSample("bootstrap", observed, p_value(observed, drawn))


def _signs(models: list[AdjacencySpectralEmbedding]) -> tuple[int, int]:
    """Return the largest numbers of dimensions of each sign in several embeddings."""
    positive, negative = (max(int((model.signature_ == sign).sum()) for model in models) for sign in (1, -1))
    return positive, negative


def _of_both_signs(matrix: sparse.csr_array, counts: tuple[int, int]) -> tuple[Array, Array]:
    """Return positions by the largest and by the smallest eigenvalues of a matrix, and these eigenvalues."""
    ends: list[tuple[End, int]] = [("largest", counts[0]), ("smallest", counts[1])]
    found = [eigenpairs(Matrix(matrix), k, end, tol=_TOL) for end, k in ends if k]
    positions = [pairs.vectors * np.sqrt(np.abs(pairs.values)) for pairs in found]
    return np.hstack(positions), np.concatenate([pairs.values for pairs in found])


# Distribution


def _distribution(
    a: Adjacency, b: Adjacency, n_components: int | None, draws: int, rng: np.random.Generator
) -> TwoSample:
    if a.directed or a.weighted or b.weighted:
        raise ArgumentError("method='distribution' needs undirected networks without weights; pass 'density'.")
    n, m = a.n_vertices, b.n_vertices
    # Both get the dimensions of each sign that one of them has: networks of other signs are different.
    counts = _signs([AdjacencySpectralEmbedding(n_components).fit(graph) for graph in (a, b)])
    found = [_of_both_signs(graph.matrix, counts) for graph in (a, b)]
    x, y = (_with_noise(*of, size / min(n, m) - 1, rng) for of, size in zip(found, (n, m), strict=True))
    points = np.vstack([_aligned(x, y, counts, rng), y])
    squares = cdist(points, points, "sqeuclidean")
    width = np.median(squares[np.triu_indices(n + m, 1)])
    kernel = np.exp(-squares / max(width, np.finfo(float).tiny))
    first = np.zeros((n + m, draws + 1))
    first[:n] = 1.0  # column 0 is as observed
    first[:, 1:] = rng.permuted(first[:, 1:], axis=0)
    weights = first / n - (1 - first) / m
    values = np.einsum("ij,ij->j", weights, kernel @ weights)
    return TwoSample("distribution", float(values[0]), p_value(float(values[0]), values[1:]))


def _aligned(x: Array, y: Array, counts: tuple[int, int], rng: np.random.Generator) -> Array:
    """Return x after the transformation that brings its distribution closest to that of y.

    Positions of both signs are determined up to transformations that keep the indefinite product: rotations of
    the columns of one sign, and hyperbolic ones. Which of these an embedding has depends on the sample.
    """
    signs, p = np.repeat([1, -1], counts), counts[0]
    for _ in range(_STEPS if all(counts) else 1):
        found = seedless_procrustes(x, y, signature=signs, random_state=rng)
        x = x @ found.rotation
        if all(counts):
            gap = len(x) * found.plan() @ y - x
            mixed = gap[:, :p].T @ x[:, p:] + x[:, :p].T @ gap[:, p:]
            boost = np.zeros((len(signs), len(signs)))
            boost[:p, p:] = linalg.solve_sylvester(x[:, :p].T @ x[:, :p], x[:, p:].T @ x[:, p:], mixed)
            x = x @ linalg.expm(boost + boost.T)
    return x


def _with_noise(positions: Array, eigenvalues: Array, share: float, rng: np.random.Generator) -> Array:
    """Return positions to which a share of their own variance is added.

    Positions in a larger network have less noise, which a test of distributions would find.
    """
    if not share:
        return positions
    p = np.clip((positions * np.sign(eigenvalues)) @ positions.T, 0.0, 1.0)
    basis = positions / eigenvalues
    covariances = np.einsum("ij,jk,jl->ikl", p * (1 - p), basis, basis, optimize=True)
    roots = np.linalg.cholesky(share * covariances + 1e-12 * np.eye(len(eigenvalues)))
    return np.asarray(positions + np.einsum("ikl,il->ik", roots, rng.standard_normal(positions.shape)))


# Densities


def _densities(a: Adjacency, b: Adjacency, method: str, groups: object) -> TwoSample:
    """Compare the densities of all pairs of groups."""
    import pandas

    given = groups if isinstance(groups, tuple) and len(groups) == 2 else (groups, groups)
    if method == "density":
        given = np.zeros(a.n_vertices, dtype=np.int64), np.zeros(b.n_vertices, dtype=np.int64)
    elif groups is None:
        raise ArgumentError(f"groups=None but method={method!r} compares groups; pass the group of each vertex.")
    labels = [_labels(of, graph.names) for of, graph in zip(given, (a, b), strict=True)]
    codes, known = pandas.factorize(np.concatenate(labels))
    of_both = np.split(codes, [a.n_vertices])
    counts = [_counts(graph, of, len(known)) for graph, of in zip((a, b), of_both, strict=True)]
    edges, pairs = np.stack(counts, axis=1)
    of_a, of_b = edges.sum(axis=(1, 2)) / np.maximum(pairs.sum(axis=(1, 2)), 1)
    ratio = float(of_a / of_b) if method == "adjusted blocks" and of_a * of_b > 0 else 1.0
    source, target = np.nonzero((pairs.min(axis=0) > 0) & (edges.sum(axis=0) > 0))
    edges, pairs = edges[:, source, target], pairs[:, source, target]
    parts = pandas.DataFrame({"source": known[source], "target": known[target]})
    parts[["density_a", "density_b"]] = (edges / pairs).T
    parts["p_value"] = _same_ratio(edges, pairs, ratio)
    if parts.empty:
        raise ArgumentError("No pair of groups is in both networks; pass groups that have the same names in both.")
    found = stats.combine_pvalues(parts["p_value"], method="tippett")
    return TwoSample(method, float(found.statistic), float(found.pvalue), parts)


def _counts(graph: Adjacency, labels: NDArray[np.intp], k: int) -> tuple[Array, Array]:
    """Return the numbers of edges and of pairs of vertices between k groups, without loops: two (k, k) arrays."""
    source, target, _ = graph.edge_list()
    ends = np.stack([labels[source], labels[target]])[:, source != target]
    ends = ends[:, (ends >= 0).all(axis=0)]  # a vertex without a label is in no group
    sizes = np.bincount(labels[labels >= 0], minlength=k).astype(np.float64)
    edges, pairs = np.zeros((k, k)), np.outer(sizes, sizes) - np.diag(sizes)
    if not graph.directed:
        ends.sort(axis=0)
        pairs = np.triu(pairs) - np.diag(np.diag(pairs) / 2)
    np.add.at(edges, tuple(ends), 1)
    return edges, pairs


def _same_ratio(edges: Array, pairs: Array, ratio: float) -> Array:
    """Return the p-values of densities in a network that are `ratio` times those in another.

    This is the score test (Miettinen & Nurminen 1985); Pearson's chi-squared test for the ratio 1.
    """
    (a, b), (m, n) = edges, pairs
    # The density in the second network that fits both best solves a quadratic equation.
    linear = (m + b) * ratio + a + n
    discriminant = np.maximum(linear**2 - 4 * (m + n) * ratio * (a + b), 0.0)
    density = 2 * (a + b) / (linear + np.sqrt(discriminant))
    variance = ratio * density * np.maximum(1 - ratio * density, 0.0) / m
    variance += ratio**2 * density * np.maximum(1 - density, 0.0) / n
    gap = a / m - ratio * b / n
    z = np.divide(gap, np.sqrt(variance), out=np.zeros_like(gap), where=variance > 0)
    return np.asarray(2 * stats.norm.sf(np.abs(z)))
