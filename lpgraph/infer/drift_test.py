"""Test of whether a batch or a stream of new vertices comes from the same distribution as those of the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats

from lpgraph._checks import check_flag, check_generator, check_integer, check_real
from lpgraph._frames import data_frame
from lpgraph._html import Shown, shortened
from lpgraph.embed.covariances import check_all_pairs
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import name_at
from lpgraph.infer.held_out import held_out_embedding
from lpgraph.infer.stream_scan import Scan, normal_scores
from lpgraph.infer.tested_vertices import check_both, checked_embedding, checked_sides
from lpgraph.infer.vertex_measures import MEASURES, VertexMeasures

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from lpgraph._frames import Backend, Column, DataFrame
    from lpgraph._html import Facts
    from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_edges import NewEdges

    Array = NDArray[np.float64]

__all__ = ["Drift", "drift"]


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Shown):
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

    alarm: bool
    p_value: float
    alarm_after: int | None
    alarm_measure: str | None
    changed_from: int | None
    changed_until: int | None
    measure_p_values: Mapping[str, float]
    ends: NDArray[np.intp]
    paths: Mapping[str, Array]
    limits: Mapping[str, float]
    alpha: float
    n_compared: int
    names: Names
    vertex_p_values: Mapping[str, Array]
    p_values: Array
    q_values: Array
    contributions: Array
    ordered: bool = False

    @property
    def alarm_vertex(self) -> Hashable:
        """Name of the vertex after which the alarm was raised; None without an alarm."""
        return None if self.alarm_after is None else name_at(self.names, self.alarm_after - 1)

    def __repr__(self) -> str:
        m = len(self.names)
        alarm = f"alarm by {self.alarm_measure}" if self.alarm else "no alarm"
        where = f"in {m} {'vertex' if m == 1 else 'vertices'}"
        if self.alarm_after is not None:
            where = f"after {self.alarm_after} of {m} vertices"
        return f"Drift({alarm} {where}, p-value {self.p_value:.3g})"

    def _facts(self) -> Facts:
        facts = [("new vertices", f"{len(self.names):,}"), ("known vertices compared", f"{self.n_compared:,}")]
        if self.alarm_after is None:
            facts.append(("alarm", f"by {self.alarm_measure}" if self.alarm else "no"))
        else:
            facts.append(("alarm", f"after {self.alarm_after:,} vertices, at {shortened(self.alarm_vertex)}"))
            facts.append(("by", f"{self.alarm_measure}, in the part {self.changed_from:,}:{self.changed_until:,}"))
        facts.append(("p-value", f"{self.p_value:.3g}"))
        return facts + [(f"p-value of {key}", f"{value:.3g}") for key, value in self.measure_p_values.items()]

    def table(self, *, backend: Backend | None = None) -> DataFrame:
        """Return a data frame of the new vertices, with p-values and contributions to the alarm.

        Parameters
        ----------
        backend : {"pandas", "polars"} or None
            The library of the data frame; None is pandas.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns ``name``, ``p_value``, ``q_value``, ``contribution``, and the p-value of each measure.

        Raises
        ------
        MissingDependencyError
            If the library is not installed.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
        >>> lp.infer.drift(ase, {"new": [0, 1, 2]}).table().columns.tolist()[:4]
        ['name', 'p_value', 'q_value', 'contribution']
        """
        columns: dict[str, Column] = {"name": self.names, "p_value": self.p_values, "q_value": self.q_values}
        columns |= {"contribution": self.contributions, **self.vertex_p_values}
        return data_frame(self, columns, backend)


def drift(
    embedding: object,
    new: object,
    alpha: float = 0.05,
    *,
    ordered: bool = False,
    direction: str | None = None,
    measures: Iterable[str] = MEASURES,
    held_out: float | None = None,
    draws: int = 999,
    random_state: int | np.random.Generator | None = 0,
) -> Drift:
    r"""Test whether new vertices still come from the distribution of the known ones.

    A random part of the known vertices is held out, and the embedding is fitted to the others. Vertices held out
    and new vertices are then placed and measured in the same way. An alarm is raised if the new vertices, or with
    ``ordered=True`` a part of their stream, differ from the vertices held out.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding.
    new : array, sparse matrix, mapping, edge list or graph
        New vertices as ``embedding.transform`` takes them.
    alpha : float, default 0.05
        Probability of an alarm, in a whole stream, if nothing changed. It is never larger, and smaller by less
        than ``len(measures) / (draws + 1)`` if the values of the measures are all different.
    ordered : bool, default False
        Whether the vertices are a stream, in the order in which they came, whose parts are compared too. The order
        must not depend on the edges: in a list of edges, vertices with many of them are listed earlier.
    direction : {"out", "in", "both"}, optional
        For directed graphs: whether arcs from the vertices, to them, or both are measured. None is "both" for
        directed graphs.
    measures : iterable of str
        What is compared; all by default.

        - "degree": number of edges to the known vertices, and sum of their weights;
        - "residual": the score of `misfit`, edges that no position explains;
        - "closure": edges among the neighbors beyond those that the embedding predicts: random edges have few;
        - "novelty": distance of the position from those of known vertices, relative to its noise;
        - "position": position divided by the degree, whose mean changes with the mixture of communities.
    held_out : float or None, default None
        Share of the known vertices that are held out. None is a quarter, but at most as many as there are new
        vertices, or 5000 if these are fewer.
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
    see ``lpgraph.infer.stream_scan``.

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
    alpha = check_real("alpha", alpha, low=0.0, high=1.0)
    chosen = _chosen(measures)
    draws = check_integer("draws", draws, low=1)
    if alpha == 1:
        raise ArgumentError("alpha=1 is an alarm in any case; pass a number below 1.")
    if alpha * (draws + 1) < len(chosen):
        more = f"draws={int(np.ceil(len(chosen) / alpha)) - 1} or more, or " if alpha > 0 else ""
        raise ArgumentError(
            f"alpha={alpha:g} is too small for draws={draws} and {len(chosen)} measures; pass {more}"
            f"alpha={len(chosen) / (draws + 1):.3g} or more."
        )
    sides = checked_sides(direction, directed=checked.directed_)
    vertices = _new(checked, new, sides)
    # A graph that was drawn with the same seed must not have the same random numbers.
    rng = check_generator(random_state).spawn(1)[0]
    fitted, train, held = held_out_embedding(checked, held_out, len(vertices.names), rng)
    seeds = rng.integers(1 << 32, size=len(sides) + 1).tolist()
    reference: dict[str, list[Array]] = {key: [] for key in chosen}
    for side, seed in zip(sides, seeds[1:], strict=True):
        matrix = checked.graph_.matrix
        known: sparse.csr_array = sparse.csr_array(matrix.T) if side == "in" else matrix
        rows = sparse.csr_array(sparse.vstack([known[held], vertices.towards(side)]))[:, train]
        for key, values in VertexMeasures.of(fitted, side, np.random.default_rng(seed))(rows, chosen).items():
            reference[key].append(values)
    scores = {key: normal_scores(np.hstack(values)) for key, values in reference.items()}
    scan = Scan.of(scores, len(vertices.names), alpha, draws, seeds[0], ordered=ordered)
    unusual = {key: _lengths(key, np.hstack(reference[key]), x) for key, x in scores.items()}
    return _result(scan, scores, unusual, vertices.names, len(held), alpha, ordered=ordered)


def _chosen(measures: Iterable[str]) -> tuple[str, ...]:
    """Return the chosen measures in their usual order."""
    if isinstance(measures, str) or not hasattr(measures, "__iter__"):
        raise ArgumentTypeError(f"measures={measures!r:.80}; pass a list of {', '.join(MEASURES)}.")
    given = list(measures)
    unknown = [name for name in given if name not in MEASURES]
    if unknown or not given:
        what = f"has {unknown[0]!r:.80}, which is not a measure" if unknown else "is empty"
        raise ArgumentError(f"measures {what}; pass some of {', '.join(MEASURES)}.")
    return tuple(name for name in MEASURES if name in given)


def _new(embedding: EmbeddingWithCovariances, new: object, sides: Sequence[str]) -> NewEdges:
    """Return the new vertices; refuse known ones."""
    vertices = embedding.read_new(new, direction=sides[0])
    check_all_pairs(vertices)
    if len(sides) == 2:
        check_both(vertices, "new")
    if not len(vertices.names):
        raise ArgumentError("new has no vertex; pass at least one.")
    if vertices.only_rows and vertices.n_known:  # a graph on the known vertices gives their rows
        raise ArgumentError("All vertices in new are known; pass new vertices, or use misfit for known ones.")
    return vertices


def _lengths(measure: str, values: Array, scores: Array) -> Array:
    """Return how unusual each vertex is by a measure: by its scores, or by its largest novelty."""
    return np.asarray(
        stats.rankdata(values, axis=0).max(axis=1) if measure == "novelty" else (scores**2).sum(axis=1)
    )


def _result(
    scan: Scan,
    scores: Mapping[str, Array],
    unusual: Mapping[str, Array],
    names: Names,
    held: int,
    alpha: float,
    *,
    ordered: bool,
) -> Drift:
    """Return the result for values of the vertices held out, followed by those of the stream."""
    # By the least favorable measure: places among all vertices, so that all are treated alike.
    places = [stats.rankdata(-values, method="max") for values in unusual.values()]
    p_values = _shares(-np.min(places, axis=0), held)
    exceeded = scan.exceeded()
    contributions = np.zeros(len(names))
    after = measure = begin = end = None
    if exceeded is not None:
        time, measure = exceeded
        after = int(scan.ends[time])
        begin, end = scan.window(scores[measure], len(names), time)
        window = scores[measure][held + begin : held + end] - scores[measure][:held].mean(axis=0)
        total = window.sum(axis=0)
        contributions[begin:end] = window @ total / (total @ total)
    return Drift(
        alarm=exceeded is not None,
        p_value=scan.p_value,
        alarm_after=after if ordered else None,
        alarm_measure=measure,
        changed_from=begin if ordered else None,
        changed_until=end if ordered else None,
        measure_p_values=scan.p_values,
        ends=scan.ends,
        paths=scan.paths,
        limits=scan.limits,
        alpha=alpha,
        n_compared=held,
        names=names,
        vertex_p_values={key: _shares(values, held) for key, values in unusual.items()},
        p_values=p_values,
        q_values=np.asarray(stats.false_discovery_control(p_values)),
        contributions=contributions,
        ordered=ordered,
    )


def _shares(values: Array, held: int) -> Array:
    """Return the share of the first values that are at least as large as each later one, which is counted too."""
    known = np.sort(values[:held])
    return np.asarray((held - np.searchsorted(known, values[held:], side="left") + 1) / (held + 1))
