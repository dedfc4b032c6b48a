"""Tests whether two networks are draws of one model: `two_sample_test`."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats
from scipy.spatial.distance import cdist

from lpgraph._utils.checks import check_choice, check_count, check_generator, check_integer, type_of
from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.estimators import Shown
from lpgraph._utils.progress import warn
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.procrustes import procrustes
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import is_listing
from lpgraph.graph.vertex_values import in_order
from lpgraph.infer.seedless_procrustes import seedless_procrustes
from lpgraph.models.kernels import ClippedDotProduct
from lpgraph.models.latent_position import LatentPositionModel
from lpgraph.spectral.eigen import End, eigenpairs
from lpgraph.spectral.operators import Matrix

from .base import leading, unfolded_dimension
from .graphs import as_graphs

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers
    from lpgraph.graph.names import Names

    Pair = tuple[Adjacency, ...]
    Sides = list[tuple[sparse.csr_array, Array]]

#: With fewer vertices the test of distributions rejects too often: 14 to 22 % at 100, 15 % at 150, 7 % at 200.
_FEW = 200

#: Directions for a test need not be exact.
_TOL = 1e-4

#: Squared width of the kernel between positions, in their mean squared distance.
_WIDTH = 0.25

#: A reflection of positions is excluded if its distance exceeds the mean of random divisions by this factor.
_EXCLUDED = 10

#: Divisions by which reflections are excluded.
_PILOT = 20

#: Vertices of each network whose positions are compared, and their dimensions, at most.
_VERTICES, _DIMENSIONS = 1000, 10

#: Least p-value that is reported; smaller ones would be 0.
LEAST = float(np.finfo(float).tiny)

NULLS = {
    "exchange": "each edge has the same probability, or distribution of weights, in both networks",
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
        """The null hypothesis as text."""
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
          edges, or distributions of weights, the signs of the entries of A - B, given A + B, are fair coin flips.
          The directions U are those of A + B, which the flips do not change. So the test is exact for any network:
          directed, weighted or disassortative. The statistic is the sum of the squared displacements
          :math:`(A - B) U / s` of the vertices, or with `groups` of the mean displacement of each group. Without
          groups its p-value is combined with that of the scores :math:`U^T (A - B) U`, which show small
          differences of many vertices. It does not show differences that A + B hides, such as blocks that are
          assortative in A and disassortative in B; `lpgraph.infer.change_points` does.
        - "bootstrap": the distance of both embeddings after a rotation, compared with draws of the generalised
          model that is fitted to the mean of both networks (Tang et al. 2017, with the signs of eigenvalues).
          Approximate: the level depends on the model and the number of vertices; see Notes.
        - "distribution", the default for other vertices: a kernel test of the positions in both networks, rotated
          by optimal transport, with noise added to those in the larger network (Alyakin et al. 2024), and without
          the directions in which further rotations would move the mean kernel function. Approximate, and
          conservative if the sizes of groups are fixed or positions are symmetric; see Notes. In networks of more
          than 1000 vertices, the positions of a random 1000 are compared.
        - "density", "blocks" and "adjusted blocks": whether the networks have equal densities, in the whole or
          between all pairs of `groups`, or densities that are equal but for the ratio of the whole densities
          (Pedigo et al. 2023). Score tests of each pair, combined by Tippett's method.
    n_components : int, optional
        Number of dimensions; by default what held-out edges confirm. for "distribution" 10 at most.
    groups : sequence, mapping or Series, optional
        The group of each vertex, None if it is in none; if the networks have different vertices, a tuple of two.
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
    6.2 %; "distribution" 2.3 and 0.7 % with random sizes of blocks, 3 and 0 % with fixed ones, 3.3 and 2.3 % with
    shares of 45 and 55 %; "bootstrap" 4 and 6 %. With three blocks, "distribution" rejects too
    often in small networks: 14 % with 100 and 150 vertices, 7 % with 200 and 300. It takes some 20 seconds for
    1000 vertices or more and 8 dimensions. The least p-value that is reported is 2.2e-308.

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
        raise GraphError("Only one of a and b is directed; pass both as as_adjacency(graph, directed=True).")
    if not first.n_edges or not second.n_edges:
        raise GraphError("a or b has no edge; pass two networks with edges.")
    same = set(first.index) == set(second.index)
    chosen = ("exchange" if same else "distribution") if method is None else check_choice("method", method, NULLS)
    if n_components is not None:
        check_integer("n_components", n_components, low=1, high=min(first.n_vertices, second.n_vertices))
    draws, rng = check_count("n_draws", n_draws), check_generator(0 if random_state is None else random_state)
    # Groups in the order of the vertices of the first network are groups of both.
    pair = as_graphs([first, second]).graphs if same else (first, second)
    if groups is not None and chosen not in ("exchange", "blocks", "adjusted blocks"):
        raise ArgumentError(f"method={chosen!r} does not use groups; pass groups=None, or method='blocks'.")
    if chosen in ("density", "blocks", "adjusted blocks"):
        return _densities(pair, chosen, groups)
    if chosen in ("bootstrap", "distribution") and any(graph.directed or graph.weighted for graph in pair):
        remedy = "pass as_adjacency(graph, weight=None, directed=False) of both, or method='exchange' or 'density'"
        raise ArgumentError(f"method={chosen!r} is for undirected unweighted networks; {remedy}.")
    if chosen == "distribution":
        return _distribution(pair, n_components, draws, rng)
    if not same:
        raise ArgumentError(f"method={chosen!r} but a and b have different vertices; pass method='distribution'.")
    if chosen == "bootstrap":
        return _bootstrap(pair, n_components, draws, rng)
    return _exchange(pair, n_components, groups, draws, rng)


# Exchange


@blas_alone()
def _exchange(pair: Pair, d: int | None, groups: object, draws: int, rng: np.random.Generator) -> TwoSample:
    import pandas

    names, directed = pair[0].names, pair[0].directed
    if d is None:
        # From A + B, like the directions: a number that depends on the coin flips would make the test inexact.
        d = unfolded_dimension(as_graphs([as_graphs(pair).total]), None).n_components
    sides, values = compared(pair[0], pair[1], d)
    (difference, _), (_, left) = sides[0], sides[-1]
    bases = [basis / np.where(values > 1e-9 * values.max(), values, np.inf) for _, basis in sides]
    codes, known = pandas.factorize(np.zeros(len(names)) if groups is None else group_labels(groups, names))
    if not len(known):
        raise ArgumentError(f"groups={groups!r:.80} has no label; pass the group of each vertex, or None.")
    members = np.equal.outer(np.arange(len(known)), codes)
    variances = np.square(left).T @ (difference.power(2) @ np.square(bases[0]))  # of scores; coins keep them
    variances[variances <= 0] = np.inf
    ends = difference.tocoo().coords
    rows, columns = ends if directed else np.sort(ends, axis=0)  # two entries of an edge share one coin flip
    _, coins = np.unique(rows.astype(np.int64) * len(names) + columns, return_inverse=True)
    flipped, found = difference.copy(), []
    for _ in range(1 + draws):  # the first without flips
        moved = np.hstack([flipped @ bases[0], *(flipped.T @ basis for basis in bases[1:])])
        if groups is None:
            found.append([np.square(moved).sum(), (np.square(left.T @ moved[:, :d]) / variances).sum()])
        else:
            parts = np.square(members @ moved).sum(axis=1) / members.sum(axis=1)
            found.append([parts.sum(), *parts])
        flipped.data = difference.data * rng.choice([-1.0, 1.0], size=coins.max(initial=-1) + 1)[coins]
    drawn = np.array(found)
    if groups is None:  # by the product of both p-values among all draws, of which the networks are one
        ranks = stats.rankdata(-np.round(drawn / np.maximum(drawn.max(axis=0), LEAST), 12), "max", axis=0)
        return TwoSample("exchange", float(drawn[0, 0]), float(p_values(1 / ranks.prod(axis=1))))
    (whole, *statistics), (p, *own) = drawn[0].tolist(), p_values(drawn).tolist()
    return TwoSample(
        "exchange", whole, p, pandas.DataFrame({"group": known, "statistic": statistics, "p_value": own})
    )


def compared(a: Adjacency, b: Adjacency, d: int) -> tuple[Sides, Array]:
    """Return B - A with the leading eigenvectors of A + B, and the magnitudes of their eigenvalues.

    Directed networks have singular vectors: right ones for the rows of B - A, and left ones for those of (B - A)'.
    """
    found = leading(sparse.csr_array(a.matrix + b.matrix), d, a.directed, tol=_TOL)
    difference = sparse.csr_array(b.matrix - a.matrix)
    return [(difference, found.right), (difference.T.tocsr(), found.left)][: 1 + a.directed], np.abs(found.values)


def p_values(values: Array) -> Array:
    """Return ``(b + 1) / (B + 1)`` for b of B drawn statistics that are at least the first one, up to rounding."""
    return np.asarray((1 + np.count_nonzero(values[1:] >= values[0] * (1 - 1e-12), axis=0)) / len(values))


def group_labels(groups: object, names: Names) -> NDArray[np.object_]:
    """Return the group of each vertex, or network, in their order."""
    given = in_order(groups, names, "groups")
    labels = list(given) if is_listing(given) else []
    if len(labels) != len(names) or not all(isinstance(label, Hashable) for label in labels):
        problem = f"groups is {type_of(groups)} with {len(labels)} labels"
        raise ArgumentError(f"{problem}; pass a text or number for each of {len(names)}.")
    return np.fromiter(labels, dtype=object, count=len(labels))


# Bootstrap


def _bootstrap(pair: Pair, n_components: int | None, draws: int, rng: np.random.Generator) -> TwoSample:
    observed = [graph.matrix for graph in pair]
    mean = Adjacency.of_canonical(sparse.csr_array((observed[0] + observed[1]) / 2), pair[0].names, False)
    counts = _signs([AdjacencySpectralEmbedding(n_components).fit(mean)])
    positions = _of_both_signs(mean.matrix, counts)[0]
    # A last column of zeros: products are clipped at 0, and at 1.
    model = LatentPositionModel(ClippedDotProduct(*counts), np.pad(positions, ((0, 0), (0, 1))))
    values = np.empty(1 + draws)
    for k in range(1 + draws):
        graphs = [model.sample(random_state=rng).matrix for _ in observed] if k else observed
        x, y = (_of_both_signs(matrix, counts)[0] for matrix in graphs)
        values[k] = np.linalg.norm(x @ procrustes(x, y, signature=counts) - y)
    return TwoSample("bootstrap", float(values[0]), float(p_values(values)))


def _signs(models: list[AdjacencySpectralEmbedding], k: int | None = None) -> tuple[int, int]:
    """Return the largest numbers of dimensions of each sign among the first k in several embeddings."""
    positive, negative = (max(int((model.signature_[:k] == sign).sum()) for model in models) for sign in (1, -1))
    return positive, negative


def _of_both_signs(matrix: sparse.csr_array, counts: tuple[int, int]) -> tuple[Array, Array]:
    """Return positions by the largest and by the smallest eigenvalues of a matrix, and these eigenvalues."""
    ends: tuple[End, ...] = "largest", "smallest"
    found = [eigenpairs(Matrix(matrix), k, end, tol=_TOL) for end, k in zip(ends, counts, strict=True) if k]
    values = np.concatenate([pairs.values for pairs in found])
    return np.hstack([pairs.vectors for pairs in found]) * np.sqrt(np.abs(values)), values


# Distribution


def _distribution(pair: Pair, n_components: int | None, draws: int, rng: np.random.Generator) -> TwoSample:
    fewest = min(graph.n_vertices for graph in pair)
    if fewest < _FEW:
        problem = f"A network has {fewest} vertices, so that up to 22 % of pairs from one model have p <= 0.05"
        warn(f"{problem}; take only a much smaller p-value as evidence, or pass method='density'.")
    # Both get the dimensions of each sign that one of them has: networks of other signs are different.
    models = [AdjacencySpectralEmbedding(n_components).fit(graph) for graph in pair]
    most = max(k for k in range(1, _DIMENSIONS + 1) if sum(_signs(models, k)) <= _DIMENSIONS)
    if n_components is not None and n_components > most:
        problem = f"n_components={n_components} but method='distribution' takes {_DIMENSIONS}, of both signs"
        raise ArgumentError(f"{problem}; pass n_components <= {most}.")
    counts = _signs(models, most)
    x, y = (_with_noise(graph, counts, graph.n_vertices / fewest - 1, rng) for graph in pair)
    signs = np.repeat([1, -1], counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # if a rotation still changes: small ones are projected out
        x = x @ seedless_procrustes(x, y, signature=signs, random_state=rng).rotation
    first = np.zeros((len(x) + len(y), draws + 1))
    first[: len(x)] = 1.0  # column 0 is as observed
    first[:, 1:] = rng.permuted(first[:, 1:], axis=0)
    # The closest of several reflections is closer than chance if positions are symmetric. So each division has its
    # own, of those that are not excluded. Points are pooled by the closest one: to draw one rejects too often if
    # positions are nearly symmetric.
    flips = product((1.0, -1.0), repeat=len(signs))
    reflections = np.array([flip for flip in flips if flip.count(-1.0) <= 2])  # the first changes nothing
    gaps = _gaps(x, y, signs, reflections, first[:, :_PILOT])
    kept = reflections[gaps[:, 0] <= max(_EXCLUDED * gaps[0, 1:].mean(), gaps[:, 0].min())]
    closest = reflections[gaps[:, 0].argmin()]
    values = _gaps(x * closest, y, signs, kept * closest, first).min(axis=0)
    return TwoSample("distribution", float(values[0]), float(p_values(values)))


def _gaps(x: Array, y: Array, signs: NDArray[np.int64], reflections: Array, first: Array) -> Array:
    """Return the kernel distances of two samples, of which the first is reflected, for divisions of their points.

    Positions of both signs are determined up to transformations that keep the indefinite product: rotations of
    columns of one sign, and hyperbolic ones. Which of them an embedding has depends on the sample. So the
    directions in which they move the mean of the kernel functions are projected out.
    """
    points, (i, j) = np.vstack([x, y]), np.triu_indices(len(signs), 1)
    width = max(cdist(points, points, "sqeuclidean").mean() * _WIDTH, LEAST)
    turns = np.zeros((len(i), len(signs), len(signs)))
    turns[range(len(i)), i, j], turns[range(len(i)), j, i] = 1.0, -signs[i] * signs[j]
    moves = points @ turns
    own = (points * moves).sum(axis=2).T

    def heights(some: Array) -> tuple[Array, Array]:
        """Return the kernel between points and all points, and the slopes of its mean by each move."""
        kernel = np.exp(-cdist(some, points, "sqeuclidean") / width)
        slopes = (some * (kernel @ points @ turns)).sum(axis=2).T - kernel @ own
        return kernel, slopes * 2 / (width * len(points))

    step = 1e-4 * np.sqrt(width)
    curved = [(heights(points + step * v)[1] - heights(points - step * v)[1]).mean(axis=0) for v in moves]
    inverse = np.linalg.pinv(np.reshape(curved, (len(moves),) * 2) / (2 * step), rcond=1e-9)
    of_x, of_y = first / first[:, 0].sum(), (1 - first) / (1 - first[:, 0]).sum()
    kernel, slopes = heights(points)
    same = (of_x * (kernel @ of_x) + of_y * (kernel @ of_y)).sum(axis=0)
    found = []
    for reflection in reflections:
        kernel, reflected = heights(points * reflection)
        along = reflected.T @ of_x - slopes.T @ of_y
        found.append(same - 2 * (of_x * (kernel @ of_y)).sum(axis=0) - (along * (inverse @ along)).sum(axis=0))
    return np.array(found)


def _with_noise(graph: Adjacency, counts: tuple[int, int], share: float, rng: np.random.Generator) -> Array:
    """Return positions with added noise, a share of their own variance; at most 1000, which are drawn.

    Positions in a larger network have less noise, which a test of distributions would find.
    """
    (positions, eigenvalues), n = _of_both_signs(graph.matrix, counts), graph.n_vertices
    some = positions if n <= _VERTICES else positions[np.sort(rng.choice(n, _VERTICES, replace=False))]
    if not share:
        return some
    p = np.clip((some * np.sign(eigenvalues)) @ positions.T, 0.0, 1.0)
    basis = positions / eigenvalues
    covariances = np.einsum("ij,jk,jl->ikl", p * (1 - p), basis, basis, optimize=True)
    roots = np.linalg.cholesky(share * covariances + 1e-12 * np.eye(len(eigenvalues)))
    return np.asarray(some + np.einsum("ikl,il->ik", roots, rng.standard_normal(some.shape)))


# Densities


def _densities(pair: Pair, method: str, groups: object) -> TwoSample:
    """Compare the densities of all pairs of groups."""
    import pandas

    a, b = pair
    if method == "density":
        groups = np.zeros(a.n_vertices), np.zeros(b.n_vertices)
    elif groups is None:
        raise ArgumentError(f"groups=None but method={method!r} compares groups; pass the group of each vertex.")
    elif not isinstance(groups, tuple) or len(groups) != 2:
        if a.names is not b.names:
            raise ArgumentError("a and b have different vertices; pass groups as a tuple of two.")
        groups = groups, groups
    labels = [group_labels(of, graph.names) for of, graph in zip(groups, pair, strict=True)]
    codes, known = pandas.factorize(np.concatenate(labels))
    own = np.split(codes, [a.n_vertices])
    counts = [_counts(graph, of, len(known)) for graph, of in zip(pair, own, strict=True)]
    edges, pairs = np.stack(counts, axis=1)
    of_a, of_b = edges.sum(axis=(1, 2)) / np.maximum(pairs.sum(axis=(1, 2)), 1)
    ratio = float(of_a / of_b) if method == "adjusted blocks" and of_a * of_b > 0 else 1.0
    source, target = np.nonzero((pairs.min(axis=0) > 0) & (edges.sum(axis=0) > 0))
    edges, pairs = edges[:, source, target], pairs[:, source, target]
    parts = pandas.DataFrame({"source": known[source], "target": known[target]})
    parts[["density_a", "density_b"]] = (edges / pairs).T
    parts["p_value"] = _same_ratio(edges, pairs, ratio)
    if parts.empty:
        raise ArgumentError("No pair of groups is in both networks; pass the same names of groups for both.")
    found = stats.combine_pvalues(parts["p_value"], method="tippett")
    return TwoSample(method, float(found.statistic), max(float(found.pvalue), LEAST), parts)


def _counts(graph: Adjacency, groups: Integers, k: int) -> tuple[Array, Array]:
    """Return the numbers of edges and of pairs of vertices between k groups, without loops: two (k, k) arrays."""
    source, target, _ = graph.edge_list()
    ends, sizes = groups[np.stack([source, target])], np.bincount(groups[groups >= 0], minlength=k).astype(float)
    ends = ends[:, (source != target) & (ends.min(axis=0) >= 0)]  # a vertex in no group has code -1
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    if not graph.directed:
        ends.sort(axis=0)
        pairs = np.triu(pairs) - np.diag(pairs.diagonal() / 2)
    return np.bincount(ends[0] * k + ends[1], minlength=k * k).reshape(k, k).astype(float), pairs


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
    return np.asarray(np.maximum(2 * stats.norm.sf(np.abs(z)), LEAST))
