r"""Where several networks differ: `vertex_changes`, `change_points` and `population_test`.

If two networks have the same probabilities of edges, or distributions of weights, then, given their sum, the signs
of the entries of their difference D are fair coin flips. So a sum :math:`c = \sum_e D_e x_e` has the covariance
:math:`\Sigma = \sum_e D_e^2 x_e x_e^T`, and :math:`c^T \Sigma^{-1} c` is about chi-squared if entries are many.
The x come from directions of the sum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats

from lpgraph._utils.checks import check_choice, check_count, check_generator, check_real
from lpgraph._utils.estimators import Shown, few
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.names import as_names, listed
from lpgraph.spectral.eigenvalue_cv import split_entries

from .base import fitted_joint
from .embeddings import MultipleEmbedding, UnfoldedEmbedding
from .graphs import as_graphs
from .two_sample import LEAST, compared, group_labels

if TYPE_CHECKING:
    import pandas

    from lpgraph._utils.types import Array, Flags, Integers

    from .base import JointEmbedding
    from .two_sample import Sides


#: Rounds of `vertex_changes`, at most; three or four are usual.
_ROUNDS = 20

#: Dimensions of tests, at most.
_DIMENSIONS = 16

#: Weights are heavy-tailed if this share of the entries of a difference has over half of the sum of squares.
_HEAVY = 0.01

#: Share of the level for changes that cancel in the sum of two networks.
_HIDDEN = 0.1

#: Products by which directions of half a difference are found; they need not be exact.
_PRODUCTS = 10


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
        The level: the rate of false discoveries of vertices, or the probability of any false alarm in a sequence.
    what : str
        What is tested, as text.
    p_value : float or None
        For a test of two groups of networks: the p-value of all vertices together.

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


def _positions(model: JointEmbedding) -> Array:
    """Return the positions in all networks; if directed, by the arcs from and to the vertices side by side."""
    return np.dstack([*model._sides().values()])


def _dimensions(model: JointEmbedding) -> int:
    return min(int(model.embeddings_.shape[2]), _DIMENSIONS)


def _level(alpha: object) -> float:
    return check_real("alpha", alpha, low=0.0, high=1.0, open_low=True)


def vertex_changes(joint: JointEmbedding, a: Hashable, b: Hashable, alpha: float = 0.05) -> Changes:
    """Return which vertices changed between two networks of a joint embedding.

    Null hypothesis of a vertex: its edges to the vertices that did not change have the same probabilities, or
    distributions of weights, in both networks. A vertex that did not change is moved by its edges to those that
    did. So edges to changed vertices are left out of the displacements, and the test is repeated until it finds
    the same vertices. A change of most vertices that cancels in the sum of both networks is not found, such as
    blocks that are assortative in one and disassortative in the other; `change_points` finds it.

    Parameters
    ----------
    joint : fitted embedding of lpgraph.joint
        Its networks are tested, in as many dimensions as it has, 16 at most.
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

    Warns
    -----
    LpgraphWarning
        If 1 % of the edges have more than half of the sum of the squared differences. They determine the variance
        of displacements, and few changes are found, or none: fit the embedding to
        ``{key: lp.pass_to_ranks(graph), ...}``.

    Notes
    -----
    Each edge is one
    coin flip, whatever its weight: a vertex is found only if several of its edges changed.

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
    model, level = fitted_joint(joint), _level(alpha)
    places, n = [model.graphs_.place(key) for key in (a, b)], len(model.vertex_names_)
    sides, _ = compared(model.graphs_[a], model.graphs_[b], _dimensions(model))
    (difference, basis), *_ = sides
    squares = np.sort(difference.data**2)[::-1]
    share = squares[: int(_HEAVY * len(squares))].sum() / max(squares.sum(), LEAST)
    if share > 0.5:
        told = f"{_HEAVY:.0%} of the edges have {share:.0%} of the squared differences, which hides other changes"
        warn(f"{told}; fit the embedding to {{key: lp.pass_to_ranks(graph), ...}}.")
    changed = np.zeros(n, dtype=bool)
    for _ in range(_ROUNDS):
        p = _displaced([(matrix, side * ~changed[:, None]) for matrix, side in sides])
        before, changed = changed, stats.false_discovery_control(p) <= level
        if np.array_equal(before, changed) or n - changed.sum() <= 2 * basis.shape[1]:
            break
    columns = {"distance": np.linalg.norm(np.subtract(*_positions(model)[places]), axis=1), "p_value": p}
    return _of_names(listed(model.vertex_names_), columns, level, "vertices changed")


def _of_names(
    names: Sequence[Hashable], columns: dict[str, Array], alpha: float, what: str, whole: float | None = None
) -> Changes:
    """Return the result for each vertex or score, with the least p-value first."""
    import pandas

    table = pandas.DataFrame({"name": names, **columns})
    table["q_value"] = stats.false_discovery_control(table["p_value"])
    table = table.sort_values("p_value", kind="stable", ignore_index=True)
    return Changes(table, table["name"][table["q_value"] <= alpha].tolist(), alpha, what, whole)


def _displaced(sides: Sides) -> Array:
    """Return the p-values of the displacements of all vertices, by rows and, of directed networks, by columns."""
    n, d = sides[0][1].shape
    found = np.zeros((2, n))
    for whole, basis in sides:
        moved = np.flatnonzero(np.diff(whole.indptr))
        matrix = whole[moved]
        found[:, moved] += _squared(matrix @ basis, (matrix.power(2) @ _products(basis)).reshape(-1, d, d))
    return _chi_squared(*found)


def _squared(sums: Array, covariances: Array) -> tuple[Array, Array]:
    """Return ``c' S^-1 c`` of sums c of covariance S, and the ranks of S: other directions are left out."""
    values, vectors = np.linalg.eigh(covariances)
    kept = values > 1e-9 * np.maximum(values[..., -1:], LEAST)
    squares = np.einsum("...kl,...k->...l", vectors, sums) ** 2
    return np.divide(squares, values, out=np.zeros_like(squares), where=kept).sum(axis=-1), kept.sum(axis=-1)


def _chi_squared(statistic: Array, freedom: Array) -> Array:
    """Return p-values of chi-squared statistics; without a degree of freedom the statistic is 0, and p is 1."""
    return np.maximum(stats.chi2.sf(statistic, np.maximum(freedom, 1)), LEAST)


def change_points(joint: JointEmbedding, alpha: float = 0.05) -> Changes:
    """Return where a sequence of networks changes: between which consecutive networks.

    Null hypothesis: two consecutive networks have the same probabilities of edges, or distributions of weights.
    In the leading directions U of their sum, the scores ``U' (B - A) U`` are tested against 0. So is the sum of
    the squared displacements ``(B - A) U`` of all vertices, which grows if a few vertices change. A tenth of the
    level is for directions of one half of the edges of B - A, which are tested on the other half: they show
    changes that cancel in the sum. `vertex_changes` finds the vertices.

    Parameters
    ----------
    joint : fitted embedding of lpgraph.joint
        Its networks are tested in their order, in as many dimensions as it has, 16 at most.
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

    model, level = fitted_joint(joint), _level(alpha)
    positions, keys = _positions(model), model.keys_[1:]
    if not keys:
        raise ArgumentError("joint has one network; pass an embedding of at least two.")
    statistic, p = np.transpose([_step(a, b, _dimensions(model)) for a, b in pairwise(model.graphs_)])
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.minimum(1.0, steps)[np.argsort(order)]
    moved, sizes = (np.linalg.norm(some, axis=(1, 2)) for some in (np.diff(positions, axis=0), positions[:-1]))
    distance = np.divide(moved, sizes, out=np.where(moved > 0, np.inf, 0.0), where=sizes > 0)
    columns = {"key": keys, "distance": distance, "statistic": statistic, "p_value": p, "adjusted": adjusted}
    found = [key for key, value in zip(keys, adjusted, strict=True) if value <= level]
    return Changes(pandas.DataFrame(columns), found, level, "steps are changes")


def _step(a: Adjacency, b: Adjacency, d: int) -> tuple[float, float]:
    """Return the statistic of the step between two networks, in the directions of their sum, and its p-value."""
    sides, _ = compared(a, b, d)
    statistic, visible = _scores(sides)
    # These directions do not show a change that cancels in the sum. Those of one half of the edges may, and given
    # this half, the signs of the other half are still fair coins. So the p-values are combined (Bonferroni).
    rest, half = split_entries(sides[0][0], 0.0, 0.5, np.random.default_rng(0), symmetric=not a.directed)
    right = np.random.default_rng(0).standard_normal((half.shape[1], d))
    for _ in range(_PRODUCTS):
        left = np.linalg.qr(half @ right)[0]
        right = np.linalg.qr(half.T @ left)[0]
    _, hidden = _scores([(rest, right), (rest.T.tocsr(), left)][: 1 + a.directed])
    share = (1 - _HIDDEN) / 2
    return statistic, min(1.0, visible / share, _spread(sides) / share, hidden / _HIDDEN)


def _spread(sides: Sides) -> float:
    """Return the p-value of the sum of squared displacements of all vertices, by rows and columns.

    If signs are fair coins, the products of any two different entries of a row are uncorrelated, which gives the
    mean and the variance of the sum. The gamma distribution with these is that of a sum of squares.
    """
    found, mean, variance = 0.0, 0.0, 0.0
    for matrix, basis in sides:
        squares, lengths = matrix.power(2), np.square(basis).sum(axis=1)
        found += np.square(matrix @ basis).sum()
        mean += (squares @ lengths).sum()
        pairs = np.square(squares @ _products(basis)).sum()
        variance += 2 * (pairs - (squares.power(2) @ lengths**2).sum())
    if variance == 0:
        return 1.0
    return max(float(stats.gamma.sf(found, mean**2 / variance, scale=variance / mean)), LEAST)


def _scores(sides: Sides) -> tuple[float, float]:
    """Return the chi-squared statistic of the scores of a difference in one or two bases, and its p-value."""
    (difference, right), (_, left), directed = sides[0], sides[-1], len(sides) == 2
    d = right.shape[1]
    if not directed:  # one triangle has all coins; each loop counts half, since the transpose is added
        difference = sparse.csr_array(sparse.triu(difference) - sparse.diags_array(difference.diagonal() / 2))
    scores = left.T @ (difference @ right)
    moments = _products(left).T @ (difference.power(2) @ _products(right))
    covariance = moments.reshape(d, d, d, d).transpose(0, 2, 1, 3)
    if not directed:
        scores = scores + scores.T
        covariance = covariance + covariance.transpose(1, 0, 2, 3)
        covariance = covariance + covariance.transpose(0, 1, 3, 2)
    i, j = _entries(d, directed=directed)
    statistic, freedom = _squared(scores[i, j], covariance[i, j][:, i, j])
    return float(statistic), float(_chi_squared(statistic, freedom))


def _entries(d: int, *, directed: bool) -> tuple[Integers, Integers]:
    """Return rows and columns of the different scores in d dimensions: of undirected networks one triangle."""
    return np.triu_indices(d, -d if directed else 0)


def _products(basis: Array) -> Array:
    """Return the products of any two entries of each row, as (n, d^2)."""
    return (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1)


def population_test(
    graphs: object,
    groups: object,
    *,
    compare: str = "vertices",
    n_components: int | None = None,
    alpha: float = 0.05,
    n_draws: int = 999,
    random_state: int | np.random.Generator | None = None,
) -> Changes:
    """Test whether two groups of networks differ, and in which vertices or scores of a common subspace.

    The means of both groups are compared with those in groups that are drawn at random. Null hypothesis: the
    networks of both groups are draws of one distribution of networks. The test is exact.

    Parameters
    ----------
    graphs : GraphSequence, mapping, or iterable of graphs
        As for `lpgraph.as_graphs`.
    groups : sequence of length m, mapping or Series
        The group of each network, in their order or by key; there are two groups.
    compare : {"vertices", "scores"}, default "vertices"
        Positions of the vertices, by an `UnfoldedEmbedding` of all networks; or the entries of ``scores_`` of a
        `MultipleEmbedding`. Entry (i, j) measures how dimensions i and j of the common subspace are linked.
    n_components : int, optional
        Number of dimensions; by default what held-out edges confirm.
    alpha : float, default 0.05
        Level of the rate of false discoveries of vertices or scores.
    n_draws : int, default 999
        Number of random divisions.
    random_state : int, Generator or None
        Seed of the divisions; None means a fixed seed.

    Returns
    -------
    Changes
        Its `p_value` is that of all vertices or scores together. Its table has the columns ``name``, of scores
        the pair (i, j); ``distance`` between the means; ``p_value`` and ``q_value``. The least p-value of a vertex
        is 1 / (n_draws + 1), or more if there are few divisions of the networks: to find one of n vertices, pass
        n_draws > n / alpha.

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
    level, draws, given = _level(alpha), check_count("n_draws", n_draws), as_graphs(graphs)
    labels = group_labels(groups, as_names(given.keys))
    if len(set(labels)) != 2:
        raise ArgumentError(f"groups has {len(set(labels))} different labels of networks; pass two.")
    first = np.array([label == labels[0] for label in labels])
    if check_choice("compare", compare, ("vertices", "scores")) == "vertices":
        model = UnfoldedEmbedding(n_components, random_state=random_state).fit(given)
        names, values = listed(model.vertex_names_), _positions(model)
    else:
        scores = MultipleEmbedding(n_components, random_state=random_state).fit(given).scores_
        i, j = _entries(scores.shape[1], directed=given.directed)
        names, values = list(zip(i.tolist(), j.tolist(), strict=True)), scores[:, i, j, None]

    def squares(group: Flags) -> Array:
        """Return the squared distance of each vertex or score, and their sum."""
        gaps = values[group].mean(axis=0) - values[~group].mean(axis=0)
        found = np.square(gaps).sum(axis=1)
        return np.append(found, found.sum())

    observed = squares(first)
    reached = np.ones(len(observed))
    for _ in range(draws):
        reached += squares(rng.permutation(first)) >= observed * (1 - 1e-12)
    p = reached / (1 + draws)
    columns = {"distance": np.sqrt(observed[:-1]), "p_value": p[:-1]}
    return _of_names(names, columns, level, f"{compare} differ", float(p[-1]))
