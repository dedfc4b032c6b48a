"""Contents of the report: facts about the graph, the embedding and the clusters, and points to draw."""

from __future__ import annotations

import base64
import platform
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import adjusted_rand_score

import lpgraph
from lpgraph.graph.preprocess import connected_components, isolated_vertices
from lpgraph.plot._models import placed_new
from lpgraph.plot.palette import GREY, colours, in_order
from lpgraph.plot.scaling import Scaling, default_axes
from lpgraph.reporting.unusual import UnusualVertices, links
from lpgraph.spectral.dimension import elbows

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.infer.cluster import VertexClustering

    Array = NDArray[np.float64]
    Codes = NDArray[np.intp]

#: New vertices among the classes, and their colour.
_NEW, _BLACK = "new vertex", "#000000"

#: Number of the largest clusters that have a colour and a row of the table.
MOST_SHOWN = 64
#: Number of dimensions that can be selected in the scatter plot.
_SHOWN = 12


@dataclass(frozen=True, eq=False)
class NewVertices:
    """New vertices of a fitted clustering.

    Attributes
    ----------
    names : list of m str
        Their names.
    positions : ndarray of shape (m, d)
        Their positions, 0 where nothing is known of it.
    clusters, probabilities : ndarray of shape (m,)
        The most probable clusters, and their probabilities.
    degrees : ndarray of shape (m,)
        Numbers of known neighbors.
    """

    names: list[str]
    positions: Array
    clusters: Codes
    probabilities: Array
    degrees: Codes

    @classmethod
    def of(cls, clustering: VertexClustering, vertices: NewEdges) -> Self:
        """Place new vertices and find their clusters."""
        # Not by `predict`, which warns if there are no directions, as in the default embedding.
        found = clustering._predict(vertices, " The report says so by their 0 known neighbors.")
        arcs = vertices.rows if vertices.rows_in is None else vertices.rows + vertices.rows_in
        return cls(
            [str(name) for name in vertices.names],
            placed_new(clustering.fitted_embedding_, vertices),
            np.asarray(found.predicted, dtype=np.intp),
            np.asarray(found.probability, dtype=np.float64),
            np.diff(arcs.indptr).astype(np.intp),
        )


@dataclass(frozen=True, eq=False)
class Findings:
    """A graph, its fitted clustering, labels (None if unknown), and new vertices."""

    graph: Adjacency
    clustering: VertexClustering
    labels: list[str | None] | None
    title: str
    max_points: int
    new: NewVertices | None = None

    @property
    def embedding(self) -> NetworkEmbedding:
        """The fitted embedding."""
        return self.clustering.fitted_embedding_

    @cached_property
    def degrees(self) -> Codes:
        """Number of neighbors; in a directed graph, the sum of in- and out-degree."""
        matrix = self.graph.matrix
        degrees = np.diff(matrix.indptr).astype(np.intp)
        if self.graph.directed:
            degrees = degrees + np.bincount(matrix.indices, minlength=self.graph.n_vertices)
        return degrees

    @cached_property
    def unusual(self) -> UnusualVertices | None:
        """Vertices that fit the clusters worst, and bridges between clusters; None in a small network."""
        labels = np.asarray(self.clustering.labels_)
        return UnusualVertices.of(self.graph, labels, self.clustering.has_position_)

    def facts(self) -> list[tuple[str, str]]:
        """Return names and values of the basic facts."""
        graph, new = self.graph, self.new
        count, parts = connected_components(graph)
        kind = "directed" if graph.directed else "undirected", "weighted" if graph.weighted else "unweighted"
        largest = "" if count == 1 else f", the largest of {np.bincount(parts).max():,}"
        choice = self.embedding.dimension_choice_
        dimensions = str(self.embedding.embedding_.shape[1])
        if choice is not None:
            dimensions = f"{choice.n_components} (by {choice.rule}{', at its cap' if choice.at_cap else ''})"
        facts = {
            "vertices": f"{graph.n_vertices:,}",
            "arcs" if graph.directed else "edges": f"{graph.n_edges:,}",
            "kind": ", ".join(kind),
            "mean degree": f"{self.degrees.mean():.4g}",
            "components": f"{count:,}{largest}",
            "isolated vertices": f"{len(isolated_vertices(graph)):,}",
            "dimensions": dimensions,
            "clusters": str(self.clustering.n_clusters_),
        }
        landmarks = getattr(self.embedding, "landmarks_", None)
        if landmarks is not None:
            error = f"{self.embedding.nystrom_error_:.4g}"
            facts["landmarks"] = f"{len(landmarks):,}; the error of the approximation is {error}"
        if self.n_unplaced:
            told = "about whose clusters the embedding says nothing; see the largest component"
            facts["vertices at the origin"] = f"{self.n_unplaced:,}, {told}"
        if new is not None:
            alone = int((new.degrees == 0).sum())
            told = f", {alone:,} without a known neighbor" if alone else ""
            facts["new vertices"] = f"{len(new.names):,}{told}"
        if self.labels is not None:
            known = [i for i, label in enumerate(self.labels) if label is not None]
            score = adjusted_rand_score([self.labels[i] for i in known], self.clustering.labels_[known])
            facts["agreement of clusters with labels"] = f"{score:.3f} (adjusted Rand index)"
        return list(facts.items())

    def scree(self) -> tuple[list[float], int, int | None]:
        """Return the eigenvalues, the number used, and the elbow if there are more than that."""
        values, d = np.asarray(self.embedding.scree_), int(self.embedding.embedding_.shape[1])
        return values.tolist(), d, int(elbows(values)[0]) if len(values) > max(d, 2) else None

    def residuals(self) -> list[tuple[float, float]]:
        """Return the eigenvalue (or singular value) and the residual of each dimension."""
        model = self.embedding
        values = model.singular_values_ if model.directed_ else model.eigenvalues_
        return list(zip(values.tolist(), model.residuals_.tolist(), strict=True))

    @property
    def n_unplaced(self) -> int:
        """Number of vertices without a position."""
        return int((~self.clustering.has_position_).sum())

    def clusters(self) -> list[dict[str, object]]:
        """Return the rows of the table of the largest clusters."""
        found = []
        for k in range(min(self.clustering.n_clusters_, MOST_SHOWN)):
            members = np.flatnonzero(self.clustering.labels_ == k)
            if not len(members):
                continue
            hubs = members[np.argsort(-self.degrees[members], kind="stable")[:5]]
            row: dict[str, object] = {"index": k, "size": len(members), "label": self._common_label(members)}
            row["unplaced"] = np.count_nonzero(~self.clustering.has_position_[members])
            row["degree"] = float(self.degrees[members].mean())
            found.append(row | {"hubs": ", ".join(str(self.graph.names[i]) for i in hubs)})
        return found

    def _common_label(self, members: Codes) -> str:
        """Return the most frequent label of some vertices, and its share."""
        labels = [] if self.labels is None else [self.labels[i] for i in members]
        known = sorted(label for label in labels if label is not None)
        label, count = Counter(known).most_common(1)[0] if known else ("none known", 0)
        return f"{label} ({count / len(known):.0%})" if known else label

    def densities(self) -> Array:
        """Return the fraction of joined pairs between clusters; NaN if there are no pairs."""
        labels, k = self.clustering.labels_, self.clustering.n_clusters_
        joined, member = links(self.graph, labels, k)
        edges = (member.T @ joined @ member).toarray()
        sizes = np.bincount(labels, minlength=k).astype(float)
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
        return np.asarray(np.divide(edges, pairs, out=np.full((k, k), np.nan), where=pairs > 0))

    def settings(self) -> list[tuple[str, str]]:
        """Return names and values of all parameters, and of versions."""
        model, rows = self.clustering, [("embedding", type(self.embedding).__name__)]
        rows += [(f"embedding, {key}", repr(value)) for key, value in self.embedding.get_params(False).items()]
        chosen = model.get_params(False).items()
        rows += [(f"clustering, {key}", repr(value)) for key, value in chosen if key != "embedding"]
        rows.append(("coordinates used for the clusters", str(model.n_coordinates_)))
        return [*rows, ("lpgraph", lpgraph.__version__), ("Python", platform.python_version())]

    def points(self) -> dict[str, object]:
        """Return the data of the scatter plot, with numbers as little-endian float32 and int32.

        The points after the first `known` are new. Each of `colours` is a property that colours the points: its
        name, its values, their colours, and how many of them are classes.
        """
        n, new = self.graph.n_vertices, self.new
        rows = np.arange(n)
        if n > self.max_points:
            rows = np.sort(np.random.default_rng(0).choice(n, self.max_points, replace=False))
        placed = np.where(self.clustering.has_position_[:, None], self.embedding.embedding_, 0.0)[:, :_SHOWN]
        positions, dimensions, scaling = placed[rows], placed.shape[1], Scaling.of("auto", placed)
        columns = [f"dimension {k + 1}" for k in range(dimensions)]
        degrees, names = self.degrees[rows], [str(self.graph.names[i]) for i in rows.tolist()]
        if new is not None:
            positions = np.vstack([positions, new.positions[:, :dimensions]])
            degrees, names = np.concatenate([degrees, new.degrees]), names + new.names
        if dimensions == 1:  # the second coordinate is then the degree
            positions = np.column_stack([positions, degrees])
            columns.append("degree")
        properties = [self._by_label(rows)] if self.labels is not None else []
        properties.append(self._by_cluster(rows))
        if new is not None:
            age = np.repeat([0, 1], [len(rows), len(new.names)])
            properties.append(_property("known or new", 0, ["known vertex", _NEW], [GREY, _BLACK], age))
        return {
            "count": len(names),
            "known": len(rows),
            "total": n + len(names) - len(rows),
            "columns": columns,
            "dimensions": dimensions,
            "scale": scaling.kind,
            "axes": default_axes(placed, scaling, self._classes()) if dimensions > 1 else (0, 1),
            "positions": _packed(positions, "<f4"),
            "degrees": _packed(degrees, "<i4"),
            "names": names,
            "colours": [colouring for colouring, _ in properties],
            "codes": [_packed(codes, "<i4") for _, codes in properties],
        }

    def _classes(self) -> Codes:
        """Return the codes of the labels, -1 if unknown, or the clusters if there are no labels."""
        if self.labels is None:
            return np.minimum(self.clustering.labels_, MOST_SHOWN)
        place = {label: i for i, label in enumerate(sorted({label for label in self.labels if label is not None}))}
        return np.array([-1 if label is None else place[label] for label in self.labels], dtype=np.intp)

    def _by_cluster(self, rows: Codes) -> tuple[dict[str, object], Codes]:
        """Return the clusters of some vertices and of all new ones as a property."""
        count = min(self.clustering.n_clusters_, MOST_SHOWN)
        levels, shades = [str(k) for k in range(count)], _shades(count)
        if self.clustering.n_clusters_ > MOST_SHOWN:
            levels.append("smaller clusters")
            shades.append(GREY)
        found = [self.clustering.labels_[rows]] + ([] if self.new is None else [self.new.clusters])
        return _property("cluster", count, levels, shades, np.minimum(np.concatenate(found), MOST_SHOWN))

    def _by_label(self, rows: Codes) -> tuple[dict[str, object], Codes]:
        """Return the labels of some vertices as a property, in which new vertices are one value."""
        labels = self.labels or []
        levels = [str(level) for level in in_order(label for label in labels if label is not None)]
        count, place = len(levels), {level: i for i, level in enumerate(levels)}
        shades, kinds = _shades(count), [labels[i] for i in rows]
        if None in kinds:
            levels.append("unknown")
            shades.append(GREY)
        codes = [count if kind is None else place[kind] for kind in kinds]
        if self.new is not None:
            codes += [len(levels)] * len(self.new.names)
            levels.append(_NEW)
            shades.append(_BLACK)
        return _property("label", count, levels, shades, np.array(codes, dtype=np.intp))


def _property(
    name: str, classes: int, levels: list[str], shades: list[str], codes: Codes
) -> tuple[dict[str, object], Codes]:
    return {"name": name, "classes": classes, "levels": levels, "shades": shades}, codes


def _shades(count: int) -> list[str]:
    """Return the colours of the plots as "#rrggbb"."""
    return ["#{:02x}{:02x}{:02x}".format(*(round(255 * part) for part in colour)) for colour in colours(count)]


def _packed(values: NDArray[np.number], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
