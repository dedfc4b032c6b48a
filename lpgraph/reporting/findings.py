"""Contents of the report: facts about the graph, the embedding and the clusters, and points to draw."""

from __future__ import annotations

import base64
import platform
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

import lpgraph
from lpgraph._cached import cached_property
from lpgraph.graph.components import connected_components, isolated_vertices
from lpgraph.plot.default_axes import default_axes
from lpgraph.plot.palette import GREY, colours, in_order
from lpgraph.plot.scaling import Scaling
from lpgraph.reporting.unusual import UnusualVertices
from lpgraph.spectral.scree import elbows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.infer.cluster import VertexClustering
    from lpgraph.reporting.new_vertices import NewVertices

__all__ = ["MOST_SHOWN", "Findings"]

#: New vertices among the classes, and their colour.
_NEW, _BLACK = "new vertex", "#000000"

#: Number of the largest clusters that have a colour and a row of the table.
MOST_SHOWN = 64
#: Number of dimensions that can be selected in the scatter plot.
_SHOWN = 12


class Colours(TypedDict):
    """A property that colours the points, its values, and their colours; the first `classes` are classes."""

    name: str
    classes: int
    levels: list[str]
    shades: list[str]


class Points(TypedDict):
    """Data of the scatter plot; arrays are packed by `_packed`. The points after the first `known` are new."""

    count: int
    known: int
    total: int
    columns: list[str]
    dimensions: int
    scale: str
    axes: tuple[int, int]
    positions: str
    degrees: str
    names: list[str]
    colours: list[Colours]
    codes: list[str]


@dataclass(frozen=True)
class Cluster:
    """A row of the table of clusters; `unplaced` counts vertices at the origin."""

    index: int
    size: int
    unplaced: int
    degree: float
    hubs: list[str]
    label: str


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
    def degrees(self) -> NDArray[np.intp]:
        """Number of neighbors; in a directed graph, the sum of in- and out-degree."""
        matrix = self.graph.matrix
        degrees = np.diff(matrix.indptr).astype(np.intp)
        if self.graph.directed:
            degrees = degrees + np.bincount(matrix.indices, minlength=self.graph.n_vertices)
        return degrees

    def facts(self) -> list[tuple[str, str]]:
        """Return names and values of the basic facts."""
        graph = self.graph
        count, parts = connected_components(graph)
        kind = (
            f"{'directed' if graph.directed else 'undirected'}, {'weighted' if graph.weighted else 'unweighted'}"
        )
        facts = [
            ("vertices", f"{graph.n_vertices:,}"),
            ("arcs" if graph.directed else "edges", f"{graph.n_edges:,}"),
            ("kind", kind),
            ("mean degree", f"{self.degrees.mean():.4g}"),
            (
                "components",
                f"{count:,}" if count == 1 else f"{count:,}, the largest of {np.bincount(parts).max():,}",
            ),
            ("isolated vertices", f"{len(isolated_vertices(graph)):,}"),
            ("dimensions", self._dimensions()),
            ("clusters", str(self.clustering.n_clusters_)),
        ]
        landmarks = getattr(self.embedding, "landmarks_", None)
        if landmarks is not None:
            told = f"{len(landmarks):,}; the error of the approximation is {self.embedding.nystrom_error_:.4g}"
            facts.append(("landmarks", told))
        if self.n_unplaced:
            told = (
                f"{self.n_unplaced:,}, about whose clusters the embedding says nothing; see the largest component"
            )
            facts.append(("vertices at the origin", told))
        if self.new is not None:
            alone = int((self.new.degrees == 0).sum())
            told = f", {alone:,} without a known neighbor" if alone else ""
            facts.append(("new vertices", f"{len(self.new.names):,}{told}"))
        if self.labels is not None:
            known = [i for i, label in enumerate(self.labels) if label is not None]
            truth = [self.labels[i] for i in known]
            score = adjusted_rand_score(truth, self.clustering.labels_[known])
            facts.append(("agreement of clusters with labels", f"{score:.3f} (adjusted Rand index)"))
        return facts

    def _dimensions(self) -> str:
        """Return the number of dimensions and how it was chosen."""
        choice = self.embedding.dimension_choice_
        if choice is None:
            return str(self.embedding.embedding_.shape[1])
        return f"{choice.n_components} (by {choice.rule}{', at its cap' if choice.at_cap else ''})"

    def scree(self) -> tuple[NDArray[np.float64], int, int | None]:
        """Return the eigenvalues, the number used, and the elbow if there are more than that."""
        values, d = np.asarray(self.embedding.scree_), int(self.embedding.embedding_.shape[1])
        return values, d, elbows(values)[0] if len(values) > max(d, 2) else None

    def residuals(self) -> list[tuple[int, float, float]]:
        """Return index, eigenvalue (or singular value) and residual of each dimension."""
        model = self.embedding
        values = model.singular_values_ if model.directed_ else model.eigenvalues_
        return [(k + 1, float(v), float(r)) for k, (v, r) in enumerate(zip(values, model.residuals_, strict=True))]

    @property
    def n_unplaced(self) -> int:
        """Number of vertices without a position."""
        return int((~self.clustering.has_position_).sum())

    def clusters(self) -> list[Cluster]:
        """Return the table of the largest clusters."""
        found = []
        for k in range(min(self.clustering.n_clusters_, MOST_SHOWN)):
            members = np.flatnonzero(self.clustering.labels_ == k)
            if not len(members):
                continue
            hubs = members[np.argsort(-self.degrees[members], kind="stable")[:5]]
            labels = [] if self.labels is None else [self.labels[i] for i in members]
            known = [label for label in labels if label is not None]
            label, count = Counter(sorted(known)).most_common(1)[0] if known else ("none known", 0)
            share = f" ({count / len(known):.0%})" if known else ""
            names = [str(self.graph.names[i]) for i in hubs]
            unplaced = int((~self.clustering.has_position_[members]).sum())
            degree = float(self.degrees[members].mean())
            found.append(Cluster(k, len(members), unplaced, degree, names, label + share))
        return found

    @cached_property
    def unusual(self) -> UnusualVertices | None:
        """Vertices that fit the clusters worst, and bridges between clusters; None in a small network."""
        graph = self.graph
        return UnusualVertices.of(graph, np.asarray(self.clustering.labels_), self.clustering.has_position_)

    def densities(self) -> NDArray[np.float64]:
        """Return the fraction of joined pairs between clusters; NaN if there are no pairs."""
        graph, labels, k = self.graph, self.clustering.labels_, self.clustering.n_clusters_
        member = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), k))
        pattern = np.ones(graph.matrix.nnz), graph.matrix.indices, graph.matrix.indptr
        joined = sparse.csr_array(pattern, shape=graph.matrix.shape)
        edges = (member.T @ (joined - sparse.diags_array(joined.diagonal())) @ member).toarray()
        sizes = np.bincount(labels, minlength=k).astype(float)
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
        return np.asarray(np.divide(edges, pairs, out=np.full((k, k), np.nan), where=pairs > 0))

    def settings(self) -> list[tuple[str, str]]:
        """Return names and values of all parameters, and of versions."""
        model = self.clustering
        rows = [("embedding", type(self.embedding).__name__)]
        rows += [(f"embedding, {key}", repr(value)) for key, value in self.embedding.get_params(False).items()]
        chosen = model.get_params(False).items()
        rows += [(f"clustering, {key}", repr(value)) for key, value in chosen if key != "embedding"]
        rows.append(("coordinates used for the clusters", str(model.n_coordinates_)))
        rows.append(("lpgraph", lpgraph.__version__))
        rows.append(("Python", platform.python_version()))
        return rows

    def _classes(self) -> NDArray[np.intp]:
        """Return the codes of the labels, -1 if unknown, or the clusters if there are no labels."""
        if self.labels is None:
            return np.minimum(self.clustering.labels_, MOST_SHOWN)
        place = {label: i for i, label in enumerate(sorted({label for label in self.labels if label is not None}))}
        return np.array([-1 if label is None else place[label] for label in self.labels], dtype=np.intp)

    def points(self) -> Points:
        """Return the data of the scatter plot, with numbers as little-endian float32 and int32."""
        n = self.graph.n_vertices
        rows = np.arange(n)
        if n > self.max_points:
            rows = np.sort(np.random.default_rng(0).choice(n, self.max_points, replace=False))
        model = self.embedding
        placed = np.where(self.clustering.has_position_[:, None], model.embedding_, 0.0)[:, :_SHOWN]
        positions, dimensions, scaling = placed[rows], placed.shape[1], Scaling.of("auto", placed)
        columns = [f"dimension {k + 1}" for k in range(positions.shape[1])]
        degrees, names = self.degrees[rows], [str(self.graph.names[i]) for i in rows.tolist()]
        if self.new is not None:
            positions = np.vstack([positions, self.new.positions[:, : positions.shape[1]]])
            degrees, names = np.concatenate([degrees, self.new.degrees]), names + self.new.names
        if positions.shape[1] == 1:  # the second coordinate is then the degree
            positions = np.column_stack([positions, degrees])
            columns.append("degree")
        clusters = [str(k) for k in range(min(self.clustering.n_clusters_, MOST_SHOWN))]
        properties: list[Colours] = [_coloured("cluster", clusters)]
        if self.clustering.n_clusters_ > MOST_SHOWN:
            clusters.append("smaller clusters")
            properties[0]["shades"].append(GREY)
        codes = [self.clustering.labels_[rows]]
        if self.new is not None:
            codes = [np.concatenate([codes[0], self.new.clusters])]
        codes = [np.minimum(codes[0], MOST_SHOWN)]
        if self.labels is not None:
            kinds = [self.labels[i] for i in rows]
            levels = [str(level) for level in in_order(label for label in self.labels if label is not None)]
            properties.insert(0, _coloured("label", levels))
            levels, shades = properties[0]["levels"], properties[0]["shades"]
            if None in kinds:
                levels.append("unknown")
                shades.append(GREY)
            place = {kind: i for i, kind in enumerate(levels)}
            codes.insert(0, np.array([len(levels) - 1 if kind is None else place[kind] for kind in kinds]))
            if self.new is not None:
                codes[0] = np.concatenate([codes[0], np.full(len(self.new.names), len(levels))])
                levels.append(_NEW)
                shades.append(_BLACK)
        if self.new is not None:
            which = np.repeat([0, 1], [len(rows), len(self.new.names)])
            two = ["known vertex", _NEW]
            properties.append({"name": "known or new", "classes": 0, "levels": two, "shades": [GREY, _BLACK]})
            codes.append(which)
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
            "colours": properties,
            "codes": [_packed(column, "<i4") for column in codes],
        }


def _coloured(name: str, levels: list[str]) -> Colours:
    return {"name": name, "classes": len(levels), "levels": levels, "shades": _shades(len(levels))}


def _shades(count: int) -> list[str]:
    """Return the colours of the plots as "#rrggbb"."""
    return ["#{:02x}{:02x}{:02x}".format(*(round(255 * part) for part in colour)) for colour in colours(count)]


def _packed(values: NDArray[np.number], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
