"""Contents of the report, on one or several networks: facts, the embedding, the clusters, and points to draw."""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import adjusted_rand_score

import lpgraph
from lpgraph.graph.preprocess import connected_components, isolated_vertices
from lpgraph.infer.vertices import known_arcs, without_weights
from lpgraph.plot._models import neighbor_counts, placed_new
from lpgraph.plot.layout import drawn_edges, network_layout
from lpgraph.plot.palette import GREY, hex_colours, in_order
from lpgraph.reporting.unusual import UnusualVertices, members_of
from lpgraph.spectral.dimension import elbows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.types import Array, Integers
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.embed.vertex_results import Prediction
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.infer.cluster import VertexClustering
    from lpgraph.joint.base import JointEmbedding
    from lpgraph.plot.layout import Layout

    Codes = Integers
    #: The name of a property that colours the points, its levels and their colours; and the level of each point.
    Property = tuple[dict[str, object], Codes]

#: Number of the largest clusters that have a colour and a row of the table.
MOST_SHOWN = 64
#: Number of dimensions that can be selected in the scatter plot.
_COLUMNS = 12


@dataclass(frozen=True, eq=False)
class NewVertices:
    """New vertices of a fitted clustering.

    Attributes
    ----------
    names : list of m str
        Their names.
    positions : ndarray of shape (m, d)
        Their positions, 0 where nothing is known of it.
    clusters : Prediction
        The most probable clusters, and their probabilities.
    degrees : ndarray of shape (m,)
        Numbers of known neighbors.
    edges : NewEdges
        Their edges.
    prediction : Prediction or None
        The classes that a classifier predicts.
    """

    names: list[str]
    positions: Array
    clusters: Prediction
    degrees: Codes
    edges: NewEdges
    prediction: Prediction | None = None

    @classmethod
    def of(cls, clustering: VertexClustering, vertices: NewEdges) -> Self:
        """Place new vertices and find their clusters."""
        # Not by `predict`, which warns if there are no directions, as in the default embedding.
        found = clustering._predict(vertices, " The report says so by their 0 known neighbors.")
        arcs = vertices.rows if vertices.rows_in is None else vertices.rows + vertices.rows_in
        return cls(
            list(map(str, vertices.names)),
            placed_new(clustering.fitted_embedding_, vertices),
            found,
            np.diff(arcs.indptr),
            vertices,
        )


@dataclass(frozen=True, eq=False)
class Findings:
    """A graph, its fitted clustering, labels (None if unknown), new vertices, and predicted classes."""

    graph: Adjacency
    clustering: VertexClustering
    labels: list[str | None] | None
    title: str
    max_points: int
    new: NewVertices | None = None
    classes: list[str] | None = None  # also of new vertices

    @property
    def embedding(self) -> NetworkEmbedding:
        """The fitted embedding."""
        return self.clustering.fitted_embedding_

    @cached_property
    def layout(self) -> Layout:
        """The positions of the map."""
        return network_layout(self.graph, self.embedding, None if self.new is None else self.new.edges)

    @cached_property
    def degrees(self) -> Codes:
        """Number of neighbors; in a directed graph, the sum of in- and out-degree."""
        return neighbor_counts(self.graph)

    @cached_property
    def unusual(self) -> UnusualVertices | None:
        """Vertices that fit the clusters worst, and bridges between clusters; None in a small network."""
        return UnusualVertices.of(self.graph, self.clustering.labels_, self.clustering.has_position_)

    def facts(self) -> list[tuple[str, str]]:
        """Return names and values of the basic facts."""
        graph, new = self.graph, self.new
        count, parts = connected_components(graph)
        largest = "" if count == 1 else f", the largest of {np.bincount(parts).max():,}"
        choice = self.embedding.dimension_choice_
        rule = "" if choice is None else f" (by {choice.rule}{', at its cap' if choice.at_cap else ''})"
        facts = {
            "vertices": f"{graph.n_vertices:,}",
            "arcs" if graph.directed else "edges": f"{graph.n_edges:,}",
            "kind": f"{'' if graph.directed else 'un'}directed, {'' if graph.weighted else 'un'}weighted",
            "mean degree": f"{self.degrees.mean():.4g}",
            "components": f"{count:,}{largest}",
            "isolated vertices": f"{len(isolated_vertices(graph)):,}",
            "dimensions": f"{self.embedding.embedding_.shape[1]}{rule}",
            "clusters": str(self.clustering.n_clusters_),
        }
        if unplaced := np.count_nonzero(~self.clustering.has_position_):
            facts["vertices at the origin"] = f"{unplaced:,}, of which the embedding says nothing"
        if new is not None:
            facts["new vertices"] = f"{len(new.names):,}"
        if self.labels is not None:
            known = [i for i, label in enumerate(self.labels) if label is not None]
            score = adjusted_rand_score([self.labels[i] for i in known], self.clustering.labels_[known])
            facts["agreement of clusters with labels"] = f"{score:.3f} (adjusted Rand index)"
        return list(facts.items())

    def scree(self) -> tuple[list[float], int, int | None]:
        """Return the eigenvalues, the number used, and the elbow if there are more than that."""
        values, d = self.embedding.scree_, self.embedding.embedding_.shape[1]
        return values.tolist(), d, elbows(values)[0] if len(values) > max(d, 2) else None

    def residuals(self) -> list[tuple[float, float]]:
        """Return the eigenvalue (or singular value) and the residual of each dimension."""
        model = self.embedding
        values = model.singular_values_ if model.directed_ else model.eigenvalues_
        return list(zip(values.tolist(), model.residuals_.tolist(), strict=True))

    def clusters(self) -> list[dict[str, object]]:
        """Return the rows of the table of the largest clusters."""
        found: list[dict[str, object]] = []
        for k in range(min(self.clustering.n_clusters_, MOST_SHOWN)):
            members = np.flatnonzero(self.clustering.labels_ == k)
            if len(members):
                hubs = members[np.argsort(-self.degrees[members], kind="stable")[:5]]
                row = {"index": k, "size": len(members), "degree": self.degrees[members].mean()}
                row |= {"hubs": ", ".join(str(self.graph.names[i]) for i in hubs)}
                found.append(row | {"label": self._common_label(members)})
        return found

    def _common_label(self, members: Codes) -> str:
        """Return the most frequent label of some vertices, and its share."""
        labels = [] if self.labels is None else [self.labels[i] for i in members]
        known = sorted(label for label in labels if label is not None)
        label, count = Counter(known).most_common(1)[0] if known else ("none known", 0)
        return f"{label} ({count / len(known):.0%})" if known else label

    def densities(self) -> Array:
        """Return the fraction of joined pairs between clusters; NaN if there are no pairs."""
        k = self.clustering.n_clusters_
        member = members_of(self.clustering.labels_, k)
        edges = (member.T @ without_weights(known_arcs(self.graph)[0]) @ member).toarray()
        sizes = member.sum(axis=0)
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
        shares: Array = np.divide(edges, pairs, out=np.full((k, k), np.nan), where=pairs > 0)
        return shares

    def settings(self) -> list[tuple[str, str]]:
        """Return names and values of all parameters, and of versions."""
        return _settings(clustering=self.clustering, embedding=self.embedding)

    def points(self) -> dict[str, object]:
        """Return the data of the map and scatter plot, with numbers as little-endian float32 and int32.

        Of the edges between the points that are shown, a sample is drawn in the map. The points after the first
        `known` are new. Each of `colours` is a property that colours the points: its name, its values, their
        colours, and how many of them are classes.
        """
        n, new = self.graph.n_vertices, self.new
        rows = _sampled(n, self.max_points)
        positions = np.where(self.clustering.has_position_[:, None], self.embedding.embedding_, 0.0)
        columns = positions, self.degrees, self.clustering.labels_, self.layout.xy
        added = [column[:0] for column in columns]
        names = [str(self.graph.names[i]) for i in rows.tolist()]
        if new is not None:
            added = [new.positions, new.degrees, new.clusters.predicted, self.layout.new]
            names += new.names
        pairs = zip(columns, added, strict=True)
        positions, degrees, clusters, xy = (np.concatenate([column[rows], some]) for column, some in pairs)
        m = len(xy) - len(rows)
        shown, properties = np.append(rows, np.arange(n, n + m)), []
        if self.classes is not None:
            properties.append(_by_label("predicted class", self.classes, shown))
        if self.labels is not None:
            properties.append(_by_label("label", [*self.labels, *[None] * m], shown))
        count = min(self.clustering.n_clusters_, MOST_SHOWN)
        levels = [*map(str, range(count)), *["smaller clusters"] * (self.clustering.n_clusters_ > MOST_SHOWN)]
        properties.append(_property("cluster", count, levels, np.minimum(clusters, MOST_SHOWN)))
        *ends, _, drawn = drawn_edges(self.graph.matrix[rows][:, rows], directed=self.graph.directed)
        return _picture(positions, degrees, names, properties) | {
            "map": _packed(xy, "<f4"),
            "edges": _packed(np.column_stack(ends), "<i4"),
            "drawn": drawn,
            "known": len(rows),
            "total": n + m,
        }


@dataclass(frozen=True, eq=False)
class SequenceFindings:
    """A fitted joint embedding, and labels (None if unknown): as `Findings`, without clusters."""

    embedding: JointEmbedding
    labels: list[str | None] | None
    title: str
    max_points: int
    clustering = new = unusual = None

    @property
    def graph(self) -> Adjacency:
        """The first network."""
        return self.embedding.graphs_.graphs[0]

    def facts(self) -> list[tuple[str, str]]:
        """Return names and values of the basic facts."""
        graphs = self.embedding.graphs_
        kind = "directed" if graphs.directed else "undirected"
        return [*self.embedding._fitted_facts(), ("edges", f"{graphs.n_edges:,}"), ("kind", kind)]

    def scree(self) -> tuple[list[float], int, None]:
        """Return the singular values, and the number used."""
        values = self.embedding.singular_values_ if self.embedding.scree_ is None else self.embedding.scree_
        return values.tolist(), self.embedding.embeddings_.shape[2], None

    def residuals(self) -> list[tuple[float, float]]:
        """Return the singular value and the largest residual of each dimension."""
        largest = np.atleast_2d(self.embedding.residuals_).max(axis=0)
        return list(zip(self.embedding.singular_values_.tolist(), largest.tolist(), strict=True))

    def settings(self) -> list[tuple[str, str]]:
        """Return names and values of all parameters, and of versions."""
        return _settings(embedding=self.embedding)

    def points(self) -> dict[str, object]:
        """Return the data of the scatter plot as `Findings.points` does."""
        graphs, n = self.embedding.graphs_, len(self.embedding.graphs_.names)
        rows = _sampled(n, max(1, self.max_points // len(graphs)))
        present = graphs.present[:, rows]
        positions = np.where(present[..., None], self.embedding.embeddings_[:, rows], np.nan)
        degrees = np.stack([neighbor_counts(graph)[rows] for graph in graphs])
        names = [str(graphs.names[row]) for row in rows.tolist()]
        properties = [_by_label("label", self.labels or ["vertex"] * n, rows)]
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


def _settings(**models: BaseEstimator) -> list[tuple[str, str]]:
    """Return names and values of the parameters of models, and the version."""
    rows = [("lpgraph", lpgraph.__version__)]
    for kind, model in models.items():
        rows.append((kind, type(model).__name__))
        rows += [(f"{kind}, {key}", repr(value)) for key, value in model.get_params(False).items()]
    return rows


def _sampled(n: int, most: int) -> Codes:
    """Return all of n rows, or `most` at random."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _by_label(name: str, labels: Sequence[str | None], rows: Codes) -> Property:
    """Return the labels of the vertices `rows` as a property."""
    known = in_order(label for label in labels if label is not None)
    place, count = {label: i for i, label in enumerate(known)}, len(known)
    codes = np.array([place.get(labels[row], count) for row in rows.tolist()], dtype=np.intp)
    return _property(name, count, [*known, *["unknown"] * (count in codes)], codes)


def _property(name: str, classes: int, levels: list[str], codes: Codes) -> Property:
    """Return a property whose first values are classes, with colours, and whose others are grey."""
    shades = hex_colours(classes) + [GREY] * (len(levels) - classes)
    return {"name": name, "classes": classes, "levels": levels, "shades": shades}, codes


def _packed(values: NDArray[np.number], kind: str) -> str:
    """Return numbers as text."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
