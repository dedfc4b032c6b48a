"""lpgraph: latent position graphs.

Sample them, embed their vertices, and embed the vertices that arrive later without another decomposition.
Every name is imported when it is first used, so that ``import lpgraph`` itself costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Adjacency": "lpgraph.graph.adjacency",
    "AdjacencySpectralEmbedding": "lpgraph.embed.adjacency",
    "as_adjacency": "lpgraph.graph.construct",
    "datasets": "lpgraph.datasets",
    "degree_corrected_block_model": "lpgraph.models.named",
    "erdos_renyi": "lpgraph.models.named",
    "errors": "lpgraph.errors",
    "extend_bottom": "lpgraph.spectral.extension",
    "feature_map": "lpgraph.models.features",
    "FeatureMap": "lpgraph.models.features",
    "from_edges": "lpgraph.graph.construct",
    "generalized_random_dot_product_graph": "lpgraph.models.named",
    "geodesic_distances": "lpgraph.points.geodesic",
    "infer": "lpgraph.infer",
    "kernels": "lpgraph.kernels",
    "LaplacianSpectralEmbedding": "lpgraph.embed.laplacian",
    "largest_component": "lpgraph.graph.components",
    "LatentPositionGraph": "lpgraph.models.graphs",
    "LatentPositionModel": "lpgraph.models.latent_position",
    "load": "lpgraph.saved",
    "manifold": "lpgraph.manifold",
    "metrics": "lpgraph.metrics",
    "mixed_membership_block_model": "lpgraph.models.named",
    "neighbor_graph": "lpgraph.points.neighborhood",
    "NewVertices": "lpgraph.models.graphs",
    "OutOfSample": "lpgraph.embed.out_of_sample",
    "plot": "lpgraph.plot",
    "positions": "lpgraph.positions",
    "procrustes": "lpgraph.spectral.alignment",
    "random_dot_product_graph": "lpgraph.models.named",
    "read_graph": "lpgraph.graph.files",
    "read_labels": "lpgraph.graph.files",
    "reconstruction_weights": "lpgraph.points.reconstruction",
    "save": "lpgraph.saved",
    "report": "lpgraph.reporting",
    "stochastic_block_model": "lpgraph.models.named",
    "VertexClassifier": "lpgraph.infer.classify",
    "VertexClustering": "lpgraph.infer.cluster",
    "write_graph": "lpgraph.graph.files",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("lpgraph")
    if name not in _HOME:
        raise AttributeError(f"module 'lpgraph' has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = module if _HOME[name].rpartition(".")[2] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
