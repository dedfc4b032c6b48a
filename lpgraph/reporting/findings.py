"""What the page tells, as numbers: of the graph, the embedding, the clusters, and the points it draws."""

from __future__ import annotations

import base64
import platform
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

import lpgraph
from lpgraph.graph.components import connected_components, isolated_vertices
from lpgraph.spectral.scree import elbows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.infer.cluster import VertexClustering

__all__ = ["Findings"]

#: Dimensions that can be chosen in the scatter.
_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Findings:
    """A graph, its fitted clustering, and the labels that are known (None where they are not)."""

    graph: Adjacency
    clustering: VertexClustering
    labels: list[str | None] | None
    title: str
    max_points: int

    @property
    def embedding(self) -> Any:
        """The fitted embedding."""
        return self.clustering.fitted_embedding_

    @cached_property
    def degrees(self) -> NDArray[np.intp]:
        """Number of neighbours; of a directed graph, in- and out-neighbours together."""
        matrix = self.graph.matrix
        degrees = np.diff(matrix.indptr).astype(np.intp)
        if self.graph.directed:
            degrees = degrees + np.bincount(matrix.indices, minlength=self.graph.n_vertices)
        return degrees

    def facts(self) -> list[tuple[str, str]]:
        """Return what the graph is."""
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
            ("dimensions", str(self.embedding.embedding_.shape[1])),
            ("clusters", str(self.clustering.n_clusters_)),
        ]
        if self.labels is not None:
            known = [i for i, label in enumerate(self.labels) if label is not None]
            truth = [self.labels[i] for i in known]
            score = adjusted_rand_score(truth, self.clustering.labels_[known])
            facts.append(("agreement of clusters with labels", f"{score:.3f} (adjusted Rand index)"))
        return facts

    def scree(self) -> tuple[NDArray[np.float64], int, int | None]:
        """Return eigenvalues in their order, how many are used, and the elbow if more are known."""
        values, d = np.asarray(self.embedding.scree_), int(self.embedding.embedding_.shape[1])
        return values, d, elbows(values)[0] if len(values) > max(d, 2) else None

    def residuals(self) -> list[tuple[int, float, float]]:
        """Return number, eigenvalue (or singular value) and measured residual of each dimension."""
        model = self.embedding
        values = model.singular_values_ if model.directed_ else model.eigenvalues_
        return [(k + 1, float(v), float(r)) for k, (v, r) in enumerate(zip(values, model.residuals_, strict=True))]

    def clusters(self) -> list[dict[str, Any]]:
        """Return what each cluster is: size, mean degree, most connected members, most frequent label."""
        found = []
        for k in range(self.clustering.n_clusters_):
            members = np.flatnonzero(self.clustering.labels_ == k)
            if not len(members):
                continue
            hubs = members[np.argsort(-self.degrees[members], kind="stable")[:5]]
            row = {
                "cluster": k,
                "size": len(members),
                "degree": float(self.degrees[members].mean()),
                "hubs": [str(self.graph.names[i]) for i in hubs],
            }
            if self.labels is not None:
                known = [self.labels[i] for i in members if self.labels[i] is not None]
                kinds, counts = np.unique(np.array(known, dtype=str), return_counts=True)
                row["label"] = (
                    f"{kinds[counts.argmax()]} ({counts.max() / len(known):.0%})" if known else "none known"
                )
            found.append(row)
        return found

    def densities(self) -> NDArray[np.float64]:
        """Return the share of joined pairs from each cluster to each; NaN where there is no pair."""
        graph, labels, k = self.graph, self.clustering.labels_, self.clustering.n_clusters_
        member = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), k))
        joined: Any = graph.matrix.copy()
        joined.data = np.ones_like(joined.data)
        joined = joined - sparse.diags_array(joined.diagonal())
        edges = np.asarray((member.T @ joined @ member).toarray())
        sizes = np.bincount(labels, minlength=k).astype(float)
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
        return np.asarray(np.divide(edges, pairs, out=np.full((k, k), np.nan), where=pairs > 0))

    def settings(self) -> list[tuple[str, str]]:
        """Return everything that was chosen, by the user or by default."""
        model = self.clustering
        rows = [("embedding", type(self.embedding).__name__)]
        rows += [
            (f"embedding, {key}", repr(value)) for key, value in self.embedding.get_params(deep=False).items()
        ]
        rows += [
            (f"clustering, {key}", repr(value))
            for key, value in model.get_params(deep=False).items()
            if key != "embedding"
        ]
        rows.append(("covariance of the mixture", model.covariance_))
        rows.append(("lpgraph", lpgraph.__version__))
        rows.append(("Python", platform.python_version()))
        return rows

    def points(self) -> dict[str, Any]:
        """Return what the scatter draws, numbers packed as little-endian float32 and int32."""
        n = self.graph.n_vertices
        rows = np.arange(n)
        if n > self.max_points:
            rows = np.sort(np.random.default_rng(0).choice(n, self.max_points, replace=False))
        model = self.embedding
        positions = model.embedding_[rows, :_SHOWN]
        columns = [str(name) for name in model.get_feature_names_out()[:_SHOWN]]
        if positions.shape[1] == 1:  # a scatter needs two coordinates; the second is the degree
            positions = np.column_stack([positions, self.degrees[rows]])
            columns.append("degree")
        colours = [{"name": "cluster", "levels": [str(k) for k in range(self.clustering.n_clusters_)]}]
        codes = [self.clustering.labels_[rows]]
        if self.labels is not None:
            kinds = [self.labels[i] for i in rows]
            levels = sorted({kind for kind in kinds if kind is not None})
            place = {kind: i for i, kind in enumerate(levels)}
            colours.insert(0, {"name": "label", "levels": [*levels, "unknown"] if None in kinds else levels})
            codes.insert(
                0, np.array([place.get(kind, len(levels)) if kind is not None else len(levels) for kind in kinds])
            )
        return {
            "count": len(rows),
            "total": n,
            "columns": columns,
            "positions": _packed(positions, "<f4"),
            "degrees": _packed(self.degrees[rows], "<i4"),
            "names": [str(self.graph.names[i]) for i in rows.tolist()],
            "colours": colours,
            "codes": [_packed(column, "<i4") for column in codes],
        }


def _packed(values: NDArray[Any], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
