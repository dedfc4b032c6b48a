r"""Where several networks differ: `vertex_changes`, `change_points` and `population_test`.

If two networks have the same probabilities of edges, or distributions of weights, then, given their sum, the signs
of the entries of their difference D are fair coins. So a sum :math:`c = \sum_e D_e x_e` has the covariance
:math:`\Sigma = \sum_e D_e^2 x_e x_e^T`, and :math:`c^T \Sigma^{-1} c` is about chi-squared if entries are many.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats

from lpgraph._utils.checks import check_count, check_generator, check_real, type_of
from lpgraph._utils.estimators import Shown, check_fitted, few
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.names import is_listing, listed
from lpgraph.joint.base import JointEmbedding, transposed
from lpgraph.joint.graphs import as_graphs
from lpgraph.joint.two_sample import directions, p_value
from lpgraph.joint.unfolded import UnfoldedEmbedding

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Rounds of `vertex_changes`, at most; three or four are usual.
_ROUNDS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Changes(Shown):
    """What a test found to differ: vertices, or places of a sequence.

    Attributes
    ----------
    table : DataFrame
        One row for each vertex, or each place, with its p-value.
    changed : list
        Names of the vertices, or keys of the networks, that differ at the level `alpha`.
    alpha : float
        The level: of the rate of false discoveries of vertices, or of any false alarm in a sequence.
    what : str
        What is tested, in words.
    p_value : float or None
        Of a test of two groups of networks: of all vertices together.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> model = lp.joint.UnfoldedEmbedding(1).fit([nx.star_graph(9), nx.star_graph(9)])
    >>> found = lp.infer.change_points(model)
    >>> found, found.table["p_value"].tolist()
    (Changes(0 of 1 steps are changes), [1.0])
    """

    table: pandas.DataFrame
    changed: list[Hashable]
    alpha: float
    what: str
    p_value: float | None = None

    def __repr__(self) -> str:
        whole = "" if self.p_value is None else f"p = {self.p_value:.3g}; "
        shown = f": {few(self.changed)}" if self.changed else ""
        return f"Changes({whole}{len(self.changed)} of {len(self.table)} {self.what}{shown})"


def _fitted(joint: object) -> JointEmbedding:
    if not isinstance(joint, JointEmbedding):
        raise ArgumentTypeError(f"joint is {type_of(joint)}; pass a fitted embedding of lpgraph.joint.")
    check_fitted(joint, "embeddings_")
    return joint


def _positions(model: JointEmbedding) -> Array:
    """Return the positions in all networks, of directed ones by the arcs from and to the vertices side by side."""
    return np.dstack([model.embeddings_, model.embeddings_in_]) if model.directed_ else model.embeddings_


def vertex_changes(joint: JointEmbedding, a: Hashable, b: Hashable, alpha: float = 0.05) -> Changes:
    """Return which vertices changed between two networks of a joint embedding.

    Null hypothesis of a vertex: its edges to the vertices that did not change have the same probabilities, or
    distributions of weights, in both networks. A vertex that did not change is moved by its edges to those that
    did. So edges to changed vertices are left out of the displacements, and the test is repeated until it finds
    the same vertices. A change that cancels in the sum of both networks is not found; see `two_sample_test` with
    "exchange norm".

    Parameters
    ----------
    joint : fitted embedding of lpgraph.joint
        Its networks are tested, in as many dimensions as it has.
    a, b : hashable
        Keys of two of the networks.
    alpha : float, default 0.05
        Level of the rate of false discoveries (Benjamini & Hochberg 1995).

    Returns
    -------
    Changes
        Its table has the columns ``name``, ``distance`` between the positions, ``p_value`` and ``q_value``. The
        least p-value is first.

    Raises
    ------
    ArgumentError, ArgumentTypeError, NotFittedError
        If a key is not known, or `joint` is not an embedding of several networks, or is not fitted.

    Notes
    -----
    If a few edges have much larger weights than the others, they determine the variance of a displacement, and few
    changes are found, or none. Then fit the embedding to ``{key: lp.pass_to_ranks(graph), ...}``. Each edge is one
    coin, whatever its weight: a vertex is found only if several of its edges changed.

    A vertex that one of the networks does not have counts as changed if it has edges in the other. Pass
    ``vertices="intersection"`` to `lpgraph.as_graphs` to leave such vertices out.

    Examples
    --------
    >>> import lpgraph as lp
    >>> days = [lp.erdos_renyi(100, 0.2, random_state=seed) for seed in range(2)]
    >>> model = lp.joint.UnfoldedEmbedding(1).fit(days)
    >>> lp.infer.vertex_changes(model, 0, 1)
    Changes(0 of 100 vertices changed)
    """
    model, level = _fitted(joint), check_real("alpha", alpha, low=0.0, high=1.0, open_low=True)
    places = [model.graphs_.place(key) for key in (a, b)]
    first, second = (model.graphs_.graphs[place].matrix for place in places)
    difference, total = sparse.csr_array(second - first), sparse.csr_array(first + second)
    n, d = len(model.vertex_names_), model.embeddings_.shape[2]
    changed = np.zeros(n, dtype=bool)
    for _ in range(_ROUNDS):
        same = np.flatnonzero(~changed)
        sides, _ = directions(sparse.csr_array(total[same][:, same]), d, directed=model.directed_)
        parts = sparse.csr_array(difference[:, same]), transposed(sparse.csr_array(difference[same]))
        p = _displaced(parts, sides)
        q = stats.false_discovery_control(p)
        before, changed = changed, q <= level
        if np.array_equal(before, changed) or n - changed.sum() <= 2 * d:
            break
    columns = {"distance": np.linalg.norm(np.subtract(*_positions(model)[places]), axis=1), "p_value": p}
    return _of_vertices(model, {**columns, "q_value": q}, level, "vertices changed")


def _of_vertices(
    model: JointEmbedding, columns: dict[str, Array], alpha: float, what: str, whole: float | None = None
) -> Changes:
    """Return the result for each vertex, with the least p-value first."""
    import pandas

    table = pandas.DataFrame({"name": listed(model.vertex_names_), **columns})
    table = table.sort_values("p_value", kind="stable", ignore_index=True)
    return Changes(table, table["name"][table["q_value"] <= alpha].tolist(), alpha, what, whole)


def _displaced(differences: tuple[sparse.csr_array, sparse.csr_array], sides: list[Array]) -> Array:
    """Return the p-values of the displacements of all vertices: by rows and, of directed networks, by columns."""
    n, d = differences[0].shape[0], sides[0].shape[1]
    statistic, freedom = np.zeros(n), np.zeros(n)
    for matrix, basis in zip(differences, sides, strict=False):
        covariances = np.asarray(matrix.power(2) @ _products(basis)).reshape(n, d, d)
        values, vectors = np.linalg.eigh(covariances)
        kept = values > 1e-9 * np.maximum(values[:, -1:], np.finfo(float).tiny)
        along = np.einsum("ikl,ik->il", vectors, np.asarray(matrix @ basis))
        statistic += np.divide(along**2, values, out=np.zeros_like(along), where=kept).sum(axis=1)
        freedom += kept.sum(axis=1)
    return np.where(freedom > 0, stats.chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)


def change_points(joint: JointEmbedding, alpha: float = 0.05) -> Changes:
    """Return where a sequence of networks changes: between which consecutive networks.

    Null hypothesis: two consecutive networks have the same probabilities of edges, or distributions of weights.
    In the leading directions U of their sum, the scores ``U' (B - A) U`` are tested against 0. They move little if
    few vertices change, which `vertex_changes` finds, and if the change cancels in the sum, which
    `two_sample_test` with "exchange norm" finds.

    Parameters
    ----------
    joint : fitted embedding of lpgraph.joint
        Its networks are tested in their order, in as many dimensions as it has.
    alpha : float, default 0.05
        Probability of any false alarm in the whole sequence (Holm 1979).

    Returns
    -------
    Changes
        Its table has one row for each network but the first. The columns are ``key``; ``distance``, the relative
        change of the positions since the network before; ``statistic``; ``p_value``; and ``adjusted``, the p-value
        adjusted for their number.

    Raises
    ------
    ArgumentError, ArgumentTypeError, NotFittedError
        If there is only one network, or `joint` is not an embedding of several networks, or is not fitted.

    Examples
    --------
    >>> import lpgraph as lp
    >>> B = [[0.5, 0.1], [0.1, 0.5]], [[0.5, 0.3], [0.3, 0.5]]
    >>> days = [lp.stochastic_block_model([50, 50], B[day > 2], random_state=day) for day in range(5)]
    >>> lp.infer.change_points(lp.joint.UnfoldedEmbedding(2).fit(days)).changed
    [3]
    """
    import pandas

    model, level = _fitted(joint), check_real("alpha", alpha, low=0.0, high=1.0, open_low=True)
    positions, keys = _positions(model), model.keys_[1:]
    if not keys:
        raise ArgumentError("joint has one network; fit it to at least two.")
    tests = [_scores(a, b, model.embeddings_.shape[2]) for a, b in pairwise(model.graphs_)]
    statistic, p = np.array(tests).T
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    moved, sizes = (np.linalg.norm(some, axis=(1, 2)) for some in (np.diff(positions, axis=0), positions[:-1]))
    distance = np.divide(moved, sizes, out=np.where(moved > 0, np.inf, 0.0), where=sizes > 0)
    columns = {"key": keys, "distance": distance, "statistic": statistic, "p_value": p, "adjusted": adjusted}
    found = [key for key, value in zip(keys, adjusted, strict=True) if value <= level]
    return Changes(pandas.DataFrame(columns), found, level, "steps are changes")


def _scores(a: Adjacency, b: Adjacency, d: int) -> tuple[float, float]:
    """Return the chi-squared statistic of the scores of a difference, and its p-value."""
    sides, _ = directions(sparse.csr_array(a.matrix + b.matrix), d, directed=a.directed)
    left, right = sides[-1], sides[0]
    difference = sparse.csr_array(b.matrix - a.matrix)
    scores, chosen = left.T @ (difference @ right), np.arange(d * d)
    moments = (_products(left).T @ (difference.power(2) @ _products(right))).reshape(d, d, d, d)
    covariance = moments.transpose(0, 2, 1, 3).reshape(d * d, d * d)
    if not a.directed:
        # The entries (i, j) and (j, i) have one coin, and a loop is one entry.
        covariance = covariance + moments.transpose(0, 2, 3, 1).reshape(d * d, d * d)
        loops = _products(left) * difference.diagonal()[:, None]
        covariance -= loops.T @ loops
        chosen = np.ravel_multi_index(np.triu_indices(d), (d, d))
    values, vectors = np.linalg.eigh(covariance[np.ix_(chosen, chosen)])
    kept = values > 1e-9 * max(values[-1], np.finfo(float).tiny)
    statistic = float(((vectors[:, kept].T @ scores.ravel()[chosen]) ** 2 / values[kept]).sum())
    return statistic, float(stats.chi2.sf(statistic, kept.sum())) if kept.any() else 1.0


def _products(basis: Array) -> Array:
    """Return the products of any two entries of each row, as (n, d^2)."""
    return np.asarray((basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1))


def population_test(
    graphs: object,
    groups: object,
    *,
    n_components: int | None = None,
    alpha: float = 0.05,
    n_draws: int = 999,
    random_state: int | np.random.Generator | None = None,
) -> Changes:
    """Test whether two groups of networks differ, and in which vertices.

    The mean positions of the vertices in both groups, by an `UnfoldedEmbedding` of all networks, are compared with
    those in groups that are drawn at random. Null hypothesis: the networks of both groups are draws of one
    distribution of networks. The test is exact.

    Parameters
    ----------
    graphs : GraphSequence, mapping, or iterable of graphs
        As for `lpgraph.as_graphs`.
    groups : sequence of length m
        The group of each network; there are two groups.
    n_components : int, optional
        Number of dimensions; by default what held-out edges confirm.
    alpha : float, default 0.05
        Level of the rate of false discoveries of vertices.
    n_draws : int, default 999
        Number of random divisions.
    random_state : int, Generator or None
        Seed of the divisions; None means a fixed seed.

    Returns
    -------
    Changes
        Its `p_value` is that of all vertices together. Its table has the columns ``name``, ``distance`` between
        the mean positions, ``p_value`` and ``q_value``. The least p-value of a vertex is 1 / (n_draws + 1), or
        more if there are few divisions of the networks: to find one of n vertices, pass n_draws > n / alpha.

    Raises
    ------
    ArgumentError
        If there are not two groups, or not one for each network.

    Examples
    --------
    >>> import lpgraph as lp
    >>> B = [[0.5, 0.1], [0.1, 0.5]], [[0.5, 0.3], [0.3, 0.5]]
    >>> brains = [lp.stochastic_block_model([20, 20], B[k % 2], random_state=k) for k in range(12)]
    >>> lp.infer.population_test(brains, ["control", "case"] * 6).p_value
    0.004
    """
    rng = check_generator(0 if random_state is None else random_state)
    level, draws = check_real("alpha", alpha, low=0.0, high=1.0, open_low=True), check_count("n_draws", n_draws)
    given = as_graphs(graphs)
    if not is_listing(groups) or len(labels := list(groups)) != len(given) or len(set(labels)) != 2:
        raise ArgumentError(f"groups={groups!r:.80}; pass one of two labels for each of {len(given)} networks.")
    model = UnfoldedEmbedding(n_components, random_state=random_state).fit(given)
    first = np.array([label == labels[0] for label in labels])
    drawn = np.stack([first, *(rng.permutation(first) for _ in range(draws))])
    weights = drawn / first.sum() - ~drawn / (~first).sum()
    squares = np.zeros((len(drawn), len(model.vertex_names_)))
    for column in np.moveaxis(_positions(model), 2, 0):
        squares += (weights @ column) ** 2
    sums = squares.sum(axis=1)
    p = np.array([p_value(column[0], column[1:]) for column in squares.T])
    columns = {"distance": np.sqrt(squares[0]), "p_value": p, "q_value": stats.false_discovery_control(p)}
    return _of_vertices(model, columns, level, "vertices differ", p_value(float(sums[0]), sums[1:]))
