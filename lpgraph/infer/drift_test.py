r"""Test of whether a batch or a stream of new vertices comes from the same distribution as those of the network.

The stream is scanned for a part that differs from a reference, with limits by random permutations.

Items have values, several for each measure. They are replaced by normal scores of their ranks among all items, and
these are made uncorrelated. For the sum S of w successive items of the stream, each minus the mean of the m items
of the reference, the statistic is

.. math:: |S| / \sqrt{(w + w^2 / m) N / (N - 1)} - \sqrt{2 \log (e T / w)}

for T items of the stream, and N = m + T: the length of the sum in standard deviations, with a penalty for the
number of windows of this length (Duembgen & Spokoiny 2001). At each time, the windows of 1, 2, 4, ... items up to
this time, and the whole stream so far, are compared.

If all items are exchangeable, a random order of them is as good as theirs. So the limits that random orders exceed
with probability alpha are exact, whatever the distribution of the values is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats
from scipy.special import logsumexp
from sklearn.base import clone

from lpgraph._utils.checks import check_choice, check_flag, check_generator, check_integer, check_real
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph._utils.estimators import Shown
from lpgraph.embed.constructions import degrees_of
from lpgraph.embed.covariances import known_rows
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.embed.vertex_results import sides_of
from lpgraph.errors import ArgumentError, DisconnectedGraphWarning, GraphError
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import is_listing, name_at
from lpgraph.linalg.packed import unpacked

from .vertex_tests import checked_embedding, checked_sides, new_vertices, row_residuals

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import pandas

    from lpgraph._utils.types import Array, Integers, Seed
    from lpgraph.embed.covariances import EmbeddingWithCovariances
    from lpgraph.graph.names import Names


MEASURES = ("degree", "residual", "closure", "novelty", "position")
#: Most known vertices with which the position of a new one is compared.
_PROTOTYPES = 500

#: Most vertices held out by default, unless there are more new ones.
_HELD = 5000
#: Most times at which a stream is looked at.
_TIMES = 256
#: Entries of the scores of random streams held at a time: 32 MB.
_CHUNK = 1 << 22

#: Rows of new vertices that are multiplied by the network at a time.
_ROWS = 1 << 12


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Scan(Shown):
    """The statistics of a stream, their limits, and the changed part if there is an alarm; see `Drift`."""

    alarm: bool
    p_value: float
    alarm_after: int | None
    alarm_measure: str | None
    changed_from: int | None
    changed_until: int | None
    measure_p_values: Mapping[str, float]
    ends: Integers
    paths: Mapping[str, Array]
    limits: Mapping[str, float]
    contributions: Array


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Drift(Scan):
    """Result of the test of a batch or a stream of m new vertices, from `drift`.

    Attributes
    ----------
    alarm : bool
        Whether a statistic exceeded its limit at some time.
    p_value : float
        Probability of a statistic as extreme, of a stream at some time, if nothing changed.
    alarm_after : int or None
        Number of vertices of a stream after which the alarm was raised; None without one.
    alarm_measure : str or None
        The measure that raised the alarm: "degree", "residual", "closure", "novelty" or "position".
    changed_from, changed_until : int or None
        The changed part of the stream, ``names[changed_from:changed_until]``: the window with the largest
        statistic of this measure that contains the vertex of the alarm. None without an alarm or an order.
    measure_p_values : dict
        P-value of each measure alone.
    ends : ndarray of shape (t,)
        Numbers of vertices after which the stream was tested: all, or 256 of them in longer streams. Without an
        order, m alone.
    paths : dict of ndarray of shape (t,)
        For each measure its statistics at these times.
    limits : dict of float
        For each measure the limit of its statistic.
    alpha : float
        Probability of an alarm if nothing changed.
    n_compared : int
        Number of known vertices with which the new ones were compared.
    names : ndarray of shape (m,), or range
        Names of the new vertices.
    vertex_p_values : dict of ndarray of shape (m,)
        For each measure the p-value of each vertex: the share of the compared known vertices that are as unusual.
    p_values, q_values : ndarray of shape (m,)
        P-value of each vertex by all measures, and adjusted for the number of vertices (Benjamini & Hochberg).
    contributions : ndarray of shape (m,)
        Share of each vertex in the sum over the changed part, or without an order over all: 0 outside, and
        negative for a vertex that deviates in the opposite direction.
    ordered : bool
        Whether the vertices were tested as a stream.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([200, 200], [[0.4, 0.1], [0.1, 0.4]], random_state=0)
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    >>> lp.infer.drift(ase, graph.new_vertices(50, random_state=1))
    Drift(no alarm in 50 vertices, p-value ...)
    """

    alpha: float
    n_compared: int
    names: Names
    vertex_p_values: Mapping[str, Array]
    p_values: Array
    q_values: Array
    ordered: bool

    @property
    def alarm_vertex(self) -> Hashable:
        """Name of the vertex after which the alarm was raised; None without an alarm."""
        return None if self.alarm_after is None else name_at(self.names, self.alarm_after - 1)

    def __repr__(self) -> str:
        m = len(self.names)
        alarm = f"alarm by {self.alarm_measure}" if self.alarm else "no alarm"
        where = "in" if self.alarm_after is None else f"after {self.alarm_after} of"
        return f"Drift({alarm} {where} {m} {'vertex' if m == 1 else 'vertices'}, p-value {self.p_value:.3g})"

    def table(self) -> pandas.DataFrame:
        """Return a data frame of the new vertices, with p-values and contributions to the alarm.

        Returns
        -------
        pandas.DataFrame
            The columns ``name``, ``p_value``, ``q_value``, ``contribution``, and the p-value of each measure.


        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
        >>> lp.infer.drift(ase, {"new": [0, 1, 2]}).table().columns.tolist()[:4]
        ['name', 'p_value', 'q_value', 'contribution']
        """
        import pandas

        columns = {"name": self.names, "p_value": self.p_values, "q_value": self.q_values}
        return pandas.DataFrame({**columns, "contribution": self.contributions, **self.vertex_p_values})


def drift(
    embedding: object,
    new: object,
    alpha: float = 0.05,
    *,
    ordered: bool = False,
    direction: str | None = None,
    measures: str | Iterable[str] = MEASURES,
    draws: int = 999,
    random_state: Seed = 0,
) -> Drift:
    r"""Test whether new vertices still come from the distribution of the known ones.

    A random quarter of the known vertices is held out, but at most as many as there are new vertices, or 5000 if
    these are fewer. The embedding is fitted to the others. Vertices held out and new vertices are then placed and
    measured in the same way. An alarm is raised if the new vertices, or with
    ``ordered=True`` a part of their stream, differ from the vertices held out.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding.
    new : array, sparse matrix, mapping, edge list or graph
        New vertices as ``embedding.transform`` takes them.
    alpha : float, default 0.05
        Probability of an alarm, in a whole stream, if nothing changed. It is never larger, and smaller by less
        than ``len(measures) / (draws + 1)``, its least value, if the values of the measures are all different.
    ordered : bool, default False
        Whether the vertices are a stream, in the order in which they came, whose parts are compared too. The order
        must not depend on the edges: in a list of edges, vertices with many of them are listed earlier.
    direction : {"out", "in", "both"}, optional
        For directed graphs: whether arcs from the vertices, to them, or both are measured. None is "both" for
        directed graphs.
    measures : str or iterable of str
        What is compared; all by default.

        - "degree": number of edges to the known vertices, and sum of their weights;
        - "residual": the score of `misfit`, edges that no position explains;
        - "closure": edges among the neighbors beyond those that the embedding predicts: random edges have few;
        - "novelty": distance of the position from those of known vertices, relative to its noise;
        - "position": position divided by the degree, whose mean changes with the mixture of communities.
    draws : int, default 999
        Number of random streams, by which the limits are found.
    random_state : int, Generator or None, default 0
        Seed of the vertices held out and of the random streams. None is a new one in each call.

    Returns
    -------
    Drift
        Whether and where there was an alarm, p-values, and the statistics.

    Raises
    ------
    NotFittedError
        If the embedding is not fitted.
    ArgumentError, ArgumentTypeError
        If the embedding is of another kind or was fitted with unobserved pairs, there is no new vertex, all
        are known, `draws` is too small for `alpha`, a parameter is out of range, or the network without the
        vertices held out cannot be embedded.

    See Also
    --------
    misfit : scores of single vertices against the fitted model.
    lpgraph.plot.drift : plot of the statistics.

    Notes
    -----
    If the held-out and the new vertices are exchangeable, every order of them is as likely as the observed one. So
    the limits, which random orders exceed with probability `alpha`, hold for any network: it need not follow the
    model, and degrees may have heavy tails. Edges between new vertices, and to vertices held out, are not used. A
    change is any difference from the known vertices. For instance, recent vertices of a growing network may have
    fewer edges than older ones; leave "degree" out of `measures` where this is not of interest.

    Values are replaced by normal scores of their ranks. Without an order, the statistic of a measure is the length
    of the sum of the scores of the new vertices. In a stream, let S be the sum of the scores of w successive
    vertices, minus w times the mean score of those held out. The statistic is the length of S in standard
    deviations minus :math:`\sqrt{2 \log (e T / w)}` for T new vertices (Duembgen & Spokoiny 2001), and the largest
    one over the windows of 1, 2, 4, ... vertices that end at the present one, and of the whole stream so far. The
    limits of all measures have the same probability, such that any of them is exceeded with probability `alpha`;
    see ``lpgraph.infer.drift_test``.

    Ranks are those among all vertices, and limits depend on the length of the stream. If a stream goes on, test
    its next part by itself: false alarms then have the probability `alpha` for each part.

    The time is that of a fit to the network without the vertices held out, and of `draws` random streams.

    References
    ----------
    Vovk, V., Gammerman, A. & Shafer, G. (2022), "Algorithmic Learning in a Random World", 2nd ed., Springer,
    Chapter 8. Duembgen, L. & Spokoiny, V. (2001), "Multiscale testing of qualitative hypotheses", Annals of
    Statistics 29. Bates, S. et al. (2023), "Testing for outliers with conformal p-values", Annals of Statistics
    51: the p-values of vertices.

    Examples
    --------
    New vertices of the model, and then some with random edges:

    >>> import numpy as np
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([200, 200], [[0.4, 0.1], [0.1, 0.4]], random_state=0)
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    >>> stream = graph.new_vertices(60, random_state=1).adjacency.toarray()
    >>> stream[40:] = np.random.default_rng(0).random((20, 400)) < 0.25
    >>> found = lp.infer.drift(ase, stream, ordered=True)
    >>> found.alarm, found.alarm_measure, found.changed_from
    (True, 'novelty', 40)
    """
    checked = checked_embedding(embedding)
    check_flag("ordered", ordered)
    given = measures if is_listing(measures) else [measures]
    named = [check_choice("measures", name, MEASURES) for name in given]
    chosen = [name for name in MEASURES if name in named]
    if not chosen:
        raise ArgumentError(f"measures is empty; pass some of {', '.join(MEASURES)}.")
    draws = check_integer("draws", draws, low=len(chosen))
    # Each measure needs a random stream above its limit; with alpha=1 there would be an alarm in any case.
    alpha = check_real("alpha", alpha, low=len(chosen) / (draws + 1), high=draws / (draws + 1))
    sides = checked_sides(direction, directed=checked.directed_)
    vertices = new_vertices("new", new, checked, sides)
    m = len(vertices.names)
    if vertices.only_rows and vertices.n_known:  # a graph on the known vertices gives their rows
        raise ArgumentError("All vertices in new are known; pass new vertices, or use misfit for known ones.")
    # A graph that was drawn with the same seed must not have the same random numbers.
    rng = check_generator(random_state).spawn(1)[0]
    fitted, train, held = _held_out_embedding(checked, m, rng)
    seeds = rng.integers(1 << 32, size=len(sides) + 1).tolist()
    parts = []
    for side, seed in zip(sides, seeds[1:], strict=True):
        rows = sparse.csr_array(sparse.vstack([known_rows(checked, side)[held], vertices.towards(side)]))[:, train]
        parts.append(vertex_measures(fitted, side, rows, np.random.default_rng(seed)))
    values = {key: np.hstack([part[key] for part in parts]) for key in chosen}
    scores = {key: normal_scores(x) for key, x in values.items()}
    facts = vars(scan(scores, m, alpha, draws, seeds[0], ordered=ordered))
    if not ordered:
        facts |= dict.fromkeys(["alarm_after", "changed_from", "changed_until"])
    unusual = {key: (x**2).sum(axis=1) for key, x in scores.items()}
    if "novelty" in unusual:  # small values are not unusual
        unusual["novelty"] = stats.rankdata(values["novelty"], axis=0).max(axis=1)
    # By the least favorable measure: places among all vertices, so that all are treated alike.
    places = [stats.rankdata(-x, method="max") for x in unusual.values()]
    p_values = _shares(-np.min(places, axis=0), len(held))
    return Drift(
        **facts,
        alpha=alpha,
        n_compared=len(held),
        names=vertices.names,
        vertex_p_values={key: _shares(x, len(held)) for key, x in unusual.items()},
        p_values=p_values,
        q_values=stats.false_discovery_control(p_values),
        ordered=ordered,
    )


def _held_out_embedding(
    embedding: EmbeddingWithCovariances, new: int, rng: np.random.Generator
) -> tuple[EmbeddingWithCovariances, Integers, Integers]:
    """Hold vertices out, and embed the others with as many dimensions.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding of n vertices.
    new : int
        Number of new vertices. A quarter is held out, but at most so many, or 5000 if these are fewer.
    rng : Generator
        Generator of the order in which vertices are held out.

    Returns
    -------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A copy that is fitted to the vertices that are kept.
    kept, held : ndarray of shape (n - h,) and (h,)
        Rows of the vertices that are kept, and of those held out, these in random order.
    """
    graph, d = as_adjacency(embedding.graph_), embedding.embedding_.shape[1]
    n = graph.n_vertices
    count = max(1, min(n // 4, max(new, _HELD)))
    order = rng.permutation(n)
    kept = np.sort(order[count:])
    model: EmbeddingWithCovariances = clone(embedding)
    model.set_params(n_components=d, align_to=None, random_state=None).set_output(transform="default")
    try:
        with warnings.catch_warnings():
            # It is about the vertices that are kept, and vertices at the origin are compared like others.
            warnings.simplefilter("ignore", DisconnectedGraphWarning)
            return model.fit(graph.take(kept)), kept, order[:count]
    except (ArgumentError, GraphError) as error:
        problem = f"{n - count} vertices, without those held out, cannot be embedded in {d} dimensions: {error}"
        raise ArgumentError(f"{problem} Pass a model with fewer dimensions.") from error


@blas_alone()
def vertex_measures(
    embedding: EmbeddingWithCovariances, side: str, rows: sparse.csr_array, rng: np.random.Generator
) -> dict[str, Array]:
    """Return the measures of m vertices by their rows of edges in one direction, each of shape (m, k).

    - "degree": the sum of the weights of the edges, and for a weighted network their number.
    - "residual": the score of `misfit`, edges that no position explains.
    - "closure": edges among the neighbors beyond those that the embedding predicts, divided by the root of these.
    - "novelty": the distance of the position from those of known vertices, up to a factor for the degree and
      relative to the noise of the position.
    - "position": the position divided by the degree.
    """
    matrix, weighted = embedding.graph_.matrix, embedding.weighted_ or bool((rows.data != 1).any())
    degrees = [degrees_of(rows), np.diff(rows.indptr)][: 1 + weighted]
    sums, errors = row_residuals(embedding, side, rows)
    # Products of sources and targets are the predicted edges of the network.
    model, out = (EdgeProbabilities.of_embedding(embedding, of) for of in (side, "out"))
    sources, targets = out.estimates(matrix, embedding.embedding_).positions, out.design
    predicted = ((rows @ sources) * (rows @ targets)).sum(axis=1)
    predicted -= rows.power(2) @ (sources * targets).sum(axis=1)
    some = [rows[part] for part in slices(rows.shape[0], _ROWS)]
    closed = np.concatenate([(sparse.csr_array(part @ matrix) * part).sum(axis=1) for part in some])
    positions, sizes = rows @ model.basis, degrees_of(abs(rows))
    return {
        "degree": np.column_stack(degrees),
        "residual": (sums / errors)[:, None],
        "closure": ((closed - predicted) / np.sqrt(1 + np.maximum(predicted, 0.0)))[:, None],
        "novelty": _novelty(embedding, side, model, rows, rng)[:, None],
        "position": positions / np.where(sizes > 0, sizes, 1.0)[:, None],
    }


def _novelty(
    embedding: EmbeddingWithCovariances,
    side: str,
    model: EdgeProbabilities,
    rows: sparse.csr_array,
    rng: np.random.Generator,
) -> Array:
    """Return minus the log of the mean density at a position, given that of a known vertex of its degree.

    The covariance is that of the sum of the terms of the edges, with an edge for each dimension added.
    """
    matrix, basis, d = known_rows(embedding, side), model.basis, model.basis.shape[1]
    known, known_sizes = sides_of(embedding)[side == "in"], degrees_of(abs(matrix))
    chosen = np.sort(rng.permutation(np.flatnonzero(known_sizes > 0))[:_PROTOTYPES])
    prototypes = model.estimates(matrix[chosen], known[chosen]).positions / known_sizes[chosen][:, None]
    # The mean of the squares of the term that an edge adds to a position.
    weights = np.bincount(matrix.indices, matrix.data**2, minlength=len(basis)) / matrix.nnz
    squares = rows.power(2)
    covariances = unpacked(np.hstack([squares @ (basis[:, [k]] * basis[:, k:]) for k in range(d)]))
    inverses = np.linalg.inv(covariances + d * ((basis.T * weights) @ basis))
    positions, sizes = rows @ basis, degrees_of(abs(rows))
    found = np.empty(len(positions))
    for part in slices(len(found), _CHUNK // max(1, prototypes.size)):
        offsets = sizes[part, None, None] * prototypes - positions[part, None]
        distances = ((offsets @ inverses[part]) * offsets).sum(axis=2)
        found[part] = np.log(len(prototypes)) - logsumexp(-distances / 2, axis=1)
    return found


def _shares(values: Array, held: int) -> Array:
    """Return the share of the first values that are at least as large as each later one, which is counted too."""
    known = np.sort(values[:held])
    return (held - np.searchsorted(known, values[held:], side="left") + 1) / (held + 1)


@blas_alone()
def normal_scores(values: Array) -> Array:
    """Return normal scores of the ranks in each column, uncorrelated and of variance 1.

    Parameters
    ----------
    values : ndarray of shape (N, k)

    Returns
    -------
    ndarray of shape (N, j)
        With a column for each direction in which the scores vary.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.drift_test import normal_scores
    >>> normal_scores(np.array([[3.0], [1.0], [1000.0], [2.0]])).ravel().round(2)
    array([ 0.38, -1.36,  1.36, -0.38])
    """
    ranks = stats.rankdata(values, axis=0)
    found = stats.norm.ppf((ranks - 0.5) / len(values))
    found -= found.mean(axis=0)
    lengths, vectors = np.linalg.eigh(found.T @ found / len(values))
    # Columns that are equal for all items, or a combination of others, have no direction of their own.
    kept = lengths > 1e-8
    return np.asarray(found @ (vectors[:, kept] / np.sqrt(lengths[kept])))


def scan(
    scores: Mapping[str, Array], length: int, alpha: float, draws: int, seed: int, *, ordered: bool = True
) -> Scan:
    """Compare the statistics of a stream with those of random streams.

    Parameters
    ----------
    scores : mapping
        For each measure, scores of shape (N, k). The last T items are the stream, in its order; they are compared
        with the others.
    length : int
        T.
    alpha : float
        Probability of an alarm if nothing changed.
    draws : int
        Number of random streams.
    seed : int
        Seed of the random streams.
    ordered : bool
        Whether parts of the stream are compared, or only all of it, at its end.
    """
    total = len(next(iter(scores.values())))
    reference = total - length
    # 0 and the times at which the stream is looked at.
    step = -(-length // _TIMES) if ordered else length
    cuts = np.append(np.arange(0, length, step), length)

    def sums_of(streams: Array) -> Array:
        """Return the sums of scores (b, T, k), minus the mean of the others, up to each cut: (b, t + 1, k)."""
        sums = np.zeros((len(streams), len(cuts), streams.shape[2]))
        np.cumsum(np.add.reduceat(streams, cuts[:-1], axis=1), axis=1, out=sums[:, 1:])
        # All scores have the mean 0, so that the sum of the others is minus that of the stream.
        return sums + cuts[:, None] * (sums[:, -1:] / reference)

    def scaled(sums: Array, width: Integers) -> Array:
        """Return the statistics of sums over windows of so many items."""
        variance = width * (1 + width / reference) * total / (total - 1)
        penalty = np.sqrt(2 * np.log(math.e * length / width))
        return np.asarray(np.sqrt((sums**2).sum(axis=-1) / variance) - penalty)

    def statistics(streams: Array) -> Array:
        """Return the largest statistic of the windows that end at each time, of shape (b, t)."""
        sums = sums_of(streams)
        best, width = scaled(sums[:, 1:], cuts[1:]), 1
        while width < best.shape[1]:
            found = scaled(sums[:, width:] - sums[:, :-width], cuts[width:] - cuts[:-width])
            np.maximum(best[:, width - 1 :], found, out=best[:, width - 1 :])
            width *= 2
        return best

    paths = {key: statistics(x[None, reference:])[0] for key, x in scores.items()}
    largest = [[path.max(keepdims=True)] for path in paths.values()]
    rng, columns = np.random.default_rng(seed), max(1, *(x.shape[1] for x in scores.values()))
    for part in slices(draws, _CHUNK // (length * columns)):
        drawn = np.stack([rng.choice(total, length, replace=False) for _ in range(part.start, part.stop)])
        for found, x in zip(largest, scores.values(), strict=True):
            found.append(statistics(x[drawn]).max(axis=1))
    every = np.array([np.concatenate(found) for found in largest])
    # The place of each stream among all, the observed one first, by each measure: 1 is the largest.
    count = every.shape[1]
    places = (count + 1 - stats.rankdata(every, method="min", axis=1)).astype(np.intp)
    least = places.min(axis=0)
    # The best place by which at most a share alpha of the streams raises the alarm.
    place = np.sort(least)[int(alpha * count + 1e-9)]
    limits = dict(zip(scores, np.sort(every, axis=1)[:, -place].tolist(), strict=True))
    p_values = dict(zip(scores, (places[:, 0] / count).tolist(), strict=True))
    p_value = float((least <= least[0]).mean())
    excess = np.array([path - limits[key] for key, path in paths.items()])
    times, contributions = np.flatnonzero((excess > 0).any(axis=0)), np.zeros(length)
    measure = after = begin = end = None
    if len(times):
        # The first time at which a limit is exceeded, and the measure that exceeds it most.
        time = int(times[0])
        measure, after = list(paths)[excess[:, time].argmax()], int(cuts[time + 1])
        # Of all windows that contain the time, also those that end later, the one with the largest statistic.
        sums = sums_of(scores[measure][None, reference:])[0]
        begins, ends = cuts[: time + 1, None], cuts[None, time + 1 :]
        windows = scaled(sums[None, time + 1 :] - sums[: time + 1, None], ends - begins)
        first, last = np.unravel_index(int(windows.argmax()), windows.shape)
        begin, end = int(begins[first, 0]), int(ends[0, last])
        changed = scores[measure][reference + begin : reference + end] - scores[measure][:reference].mean(axis=0)
        whole = changed.sum(axis=0)
        contributions[begin:end] = changed @ whole / (whole @ whole)
    return Scan(
        alarm=measure is not None,
        p_value=p_value,
        alarm_after=after,
        alarm_measure=measure,
        changed_from=begin,
        changed_until=end,
        measure_p_values=p_values,
        ends=cuts[1:],
        paths=paths,
        limits=limits,
        contributions=contributions,
    )
