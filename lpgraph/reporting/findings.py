"""Contents of the report, on one or several networks: facts, the embedding, the clusters, and points to draw."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import adjusted_rand_score

import lpgraph
from lpgraph.embed.base import at_origin
from lpgraph.embed.vertex_results import sides_of
from lpgraph.graph.names import listed
from lpgraph.graph.summary import summary
from lpgraph.infer.classify import VertexClassifier
from lpgraph.infer.vertices import known_arcs, new_arcs, undirected
from lpgraph.joint.base import JointEmbedding
from lpgraph.plot._models import neighbor_counts, pair_counts, placed_new, row_classes
from lpgraph.plot.layout import drawn_edges, network_layout
from lpgraph.plot.palette import GREY, UNLABELLED, hex_colours
from lpgraph.spectral.dimension import elbows

from .unusual import UnusualVertices

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.types import Array, Flags, Integers
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.embed.vertex_results import Prediction
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.infer.cluster import VertexClustering
    from lpgraph.plot.palette import Classes

    Codes = Integers
    #: Labels as texts, `UNLABELLED` where they are unknown.
    Texts = NDArray[np.str_]
    #: The name of a property that colours the points, its levels and their colours; and the level of each point.
    Property = tuple[dict[str, object], Codes]

#: Number of the largest clusters that have a colour and a row of the table.
MOST_SHOWN = 64
#: Number of dimensions that can be selected in the scatter plot.
_COLUMNS = 12


class Fitted:
    """The part of the page about a fitted embedding, or a clustering or classifier that has one."""

    model: BaseEstimator

    @property
    def embedding(self) -> NetworkEmbedding | JointEmbedding:
        """The fitted embedding."""
        found: NetworkEmbedding | JointEmbedding = getattr(self.model, "fitted_embedding_", self.model)
        return found

    @property
    def singular(self) -> bool:
        """Whether the values of the embedding are singular values."""
        return self.embedding.directed_ or isinstance(self.embedding, JointEmbedding)

    def residuals(self) -> list[tuple[float, float]]:
        """Return the eigenvalue (or singular value) and the largest residual of each dimension."""
        values = self.embedding.singular_values_ if self.singular else self.embedding.eigenvalues_
        largest = np.atleast_2d(self.embedding.residuals_).max(axis=0)
        return list(zip(values.tolist(), largest.tolist(), strict=True))

    def scree(self) -> tuple[list[float], int, int | None]:
        """Return the values, the number used, and the elbow if there are more than that."""
        used = [value for value, _ in self.residuals()]
        values = np.array(used) if self.embedding.scree_ is None else self.embedding.scree_
        return values.tolist(), len(used), elbows(values)[0] if len(values) > max(len(used), 2) else None

    def settings(self) -> list[tuple[str, str]]:
        """Return names and values of all parameters, and the version."""
        rows = [("lpgraph", lpgraph.__version__)]
        for model in dict.fromkeys([self.model, self.embedding]):
            kind = type(model).__name__
            rows += [(f"{kind}, {key}", repr(value)) for key, value in model.get_params(False).items()]
        return rows


@dataclass(frozen=True, eq=False)
class Findings(Fitted):
    """A graph, its fitted clustering or classifier, labels, new vertices and their prediction."""

    graph: Adjacency
    model: VertexClassifier | VertexClustering
    labels: Texts
    title: str
    max_points: int
    new: NewEdges | None = None
    prediction: Prediction | None = None

    @property
    def kind(self) -> str:
        """What the groups of vertices are."""
        return "class" if isinstance(self.model, VertexClassifier) else "cluster"

    @property
    def predicted(self) -> NDArray[np.generic]:
        """The group of each vertex."""
        return self.model.transduction_ if isinstance(self.model, VertexClassifier) else self.model.labels_

    @cached_property
    def groups(self) -> tuple[list[str], Codes]:
        """The names of the groups by decreasing size, and the groups of the vertices and of the new ones."""
        new = [] if self.prediction is None else [self.prediction.predicted]
        names, codes = np.unique(np.concatenate([self.predicted, *new]), return_inverse=True)
        order = np.argsort(-np.bincount(codes[: self.graph.n_vertices], minlength=len(names)), kind="stable")
        return list(map(str, names[order].tolist())), np.argsort(order)[codes]

    @cached_property
    def labelling(self) -> tuple[Classes, Codes]:
        """The classes of the labels, and those of the vertices and of the new ones, which have no label."""
        return row_classes(np.append(self.labels, [UNLABELLED] * len(self.new_names)), None, len(self.degrees))

    @property
    def has_labels(self) -> bool:
        """Whether a label is known."""
        return self.labelling[0].unlabelled > 0

    @property
    def new_names(self) -> list[Hashable]:
        """The names of the new vertices."""
        return [] if self.new is None else listed(self.new.names)

    @cached_property
    def degrees(self) -> Codes:
        """Degrees without loops, in both directions together; of new vertices, numbers of known neighbors."""
        new = [] if self.new is None else [np.diff(undirected(new_arcs(self.new)).indptr)]
        return np.concatenate([neighbor_counts(self.graph), *new])

    @cached_property
    def has_position(self) -> Flags:
        """Whether each vertex has a position other than the origin."""
        return ~at_origin(self.embedding.graph_, sides_of(self.embedding))

    @cached_property
    def unusual(self) -> UnusualVertices | None:
        """Vertices that fit their groups worst, and bridges between groups; None in a small network."""
        return UnusualVertices.of(self.graph, self.predicted, self.has_position)

    def facts(self) -> list[tuple[str, str]]:
        """Return names and values of the basic facts."""
        found, choice = summary(self.graph), self.embedding.dimension_choice_
        rule = "" if choice is None else f" (by {choice.rule}{', at its cap' if choice.at_cap else ''})"
        facts = [
            *self.model._fitted_facts(),
            (f"mean {'out-' * found.directed}degree", f"{found.degrees['mean']:.4g}"),
            ("components", f"{found.components:,}, the largest of {found.largest_component:,}"),
            ("isolated vertices", f"{found.isolated_vertices:,}"),
            ("dimensions", f"{self.embedding.embedding_.shape[1]}{rule}"),
        ]
        if unplaced := np.count_nonzero(~self.has_position):
            facts.append(("vertices at the origin", f"{unplaced:,}, of which the embedding says nothing"))
        if self.new_names:
            facts.append(("new vertices", f"{len(self.new_names):,}"))
        known = self.labels != UNLABELLED
        if isinstance(self.model, VertexClassifier):
            known &= ~self.model.label_reach_.labelled
        if known.any():
            chosen = np.flatnonzero(known)
            score = adjusted_rand_score(self.labelling[1][chosen], self.predicted[chosen])
            facts.append(("agreement with labels", f"{score:.3f} (adjusted Rand index)"))
        return facts

    def clusters(self) -> Iterator[tuple[str, int, float, str, str]]:
        """Yield the rows of the table of the largest groups."""
        levels, codes = self.groups
        for k, level in enumerate(levels[:MOST_SHOWN]):
            members = np.flatnonzero(codes[: self.graph.n_vertices] == k)
            hubs = members[np.argsort(-self.degrees[members], kind="stable")[:5]]
            names = ", ".join(str(self.graph.names[i]) for i in hubs)
            yield level, len(members), self.degrees[members].mean(), names, self._common_label(members)

    def _common_label(self, members: Codes) -> str:
        """Return the most frequent label of some vertices, and its share."""
        classes, codes = self.labelling
        known = codes[members][codes[members] < classes.unlabelled]
        if not len(known):
            return "none known"
        counts = np.bincount(known)
        return f"{classes.levels[counts.argmax()]} ({counts.max() / len(known):.0%})"

    def densities(self) -> Array:
        """Return the fraction of joined pairs between groups; NaN if there are no pairs."""
        k, codes = len(self.groups[0]), self.groups[1][: self.graph.n_vertices]
        sizes = np.bincount(codes, minlength=k)
        with np.errstate(invalid="ignore"):
            return pair_counts(known_arcs(self.graph)[0], codes, k) / (np.outer(sizes, sizes) - np.diag(sizes))

    def points(self) -> dict[str, object]:
        """Return the data of the map and scatter plot, with numbers as little-endian float32 and int32.

        Of the edges between the points that are shown, a sample is drawn in the map. The points after the first
        `known` are new. Each of `colours` is a property that colours the points: its name, its values, their
        colours, and how many of them are classes.
        """
        n, (levels, groups) = self.graph.n_vertices, self.groups
        positions = np.where(self.has_position[:, None], self.embedding.embedding_, 0.0)
        if self.new is not None:
            positions = np.vstack([positions, placed_new(self.embedding, self.new)])
        rows, count, names = _sampled(n, self.max_points), min(len(levels), MOST_SHOWN), listed(self.graph.names)
        shown, names = np.append(rows, np.arange(n, len(positions))), [*names, *self.new_names]
        layout = network_layout(self.graph, self.embedding, self.new)
        codes = np.minimum(groups[shown], count)
        properties = [_property(self.kind, [*levels[:count], "others"], hex_colours(count), codes)]
        if self.has_labels:
            properties.insert(self.kind == "class", _by_label(*self.labelling, shown))
        *ends, _, drawn = drawn_edges(self.graph.matrix[rows][:, rows], directed=self.graph.directed)
        texts = [str(names[i]) for i in shown.tolist()]
        return _picture(positions[shown], self.degrees[shown], texts, properties) | {
            "map": _packed(np.vstack([layout.xy, layout.new])[shown], "<f4"),
            "edges": _packed(np.column_stack(ends), "<i4"),
            "drawn": drawn,
            "known": len(rows),
            "total": len(positions),
        }


@dataclass(frozen=True, eq=False)
class SequenceFindings(Fitted):
    """A fitted joint embedding, and labels: as `Findings`, without clusters."""

    model: JointEmbedding
    labels: Texts
    title: str
    max_points: int
    kind = new_names = unusual = None

    @property
    def graph(self) -> Adjacency:
        """The first network."""
        return self.model.graphs_.graphs[0]

    def facts(self) -> list[tuple[str, str]]:
        """Return names and values of the basic facts."""
        graphs = self.model.graphs_
        kind = "directed" if graphs.directed else "undirected"
        return [*self.model._fitted_facts(), ("edges", f"{graphs.n_edges:,}"), ("kind", kind)]

    def points(self) -> dict[str, object]:
        """Return the data of the scatter plot as `Findings.points` does."""
        graphs, n = self.model.graphs_, len(self.model.graphs_.names)
        rows = _sampled(n, max(1, self.max_points // len(graphs)))
        present = graphs.present[:, rows]
        positions = np.where(present[..., None], self.model.embeddings_[:, rows], np.nan)
        degrees = np.stack([neighbor_counts(graph)[rows] for graph in graphs])
        names = [str(graphs.names[row]) for row in rows.tolist()]
        properties = [_by_label(*row_classes(self.labels, None, n), rows)]
        networks = [str(key) for key in graphs.keys]
        return _picture(positions, degrees, names, properties) | {"networks": networks, "total": n}


def _picture(positions: Array, degrees: Codes, names: list[str], properties: list[Property]) -> dict[str, object]:
    """Return the data of a scatter plot; absent vertices are at NaN. Degrees are the second of one dimension."""
    shown = positions[..., :_COLUMNS]
    d = shown.shape[-1]
    return {
        "count": len(names),
        "known": len(names),
        "networks": [""],
        "columns": [*(f"dimension {k + 1}" for k in range(d)), *["degree"] * (d == 1)],
        "dimensions": d,
        **dict.fromkeys(("map", "edges", "drawn"), ""),
        "positions": _packed(np.concatenate([shown, degrees[..., None]], axis=-1) if d == 1 else shown, "<f4"),
        "degrees": _packed(degrees, "<i4"),
        "names": names,
        "colours": [colouring for colouring, _ in properties],
        "codes": [_packed(codes, "<i4") for _, codes in properties],
    }


def _sampled(n: int, most: int) -> Codes:
    """Return all of n rows, or `most` at random."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, most), replace=False))


def _by_label(classes: Classes, codes: Codes, shown: Codes) -> Property:
    """Return the labels of the points that are shown as a property; ranges of numbers are no classes."""
    known = classes.unlabelled
    found = _property("label", [*classes.levels[:known], "unknown"], classes.shades[:known], codes[shown])
    return found if classes.named else (found[0] | {"classes": 0}, found[1])


def _property(name: str, levels: list[Hashable], shades: list[str], codes: Codes) -> Property:
    """Return a property whose values are classes with colours, but for a last one that is grey."""
    count = len(shades) + (len(shades) in codes)
    shown = {"levels": levels[:count], "shades": [*shades, GREY][:count]}
    return {"name": name, "classes": len(shades), **shown}, codes


def _packed(values: NDArray[np.number], kind: str) -> str:
    """Return numbers as text."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
