"""The part of a saved model that places new vertices, without its estimator: scikit-learn is not imported.

Importing scikit-learn takes a second and a hundred megabytes, which is nearly the whole cost of a process that
places one new vertex.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lpgraph.embed.rows import check_direction
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.saved import opened
from lpgraph.saved.classes import network_embeddings
from lpgraph.saved.invariants import check_attributes

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.spectral.placement import Placement

__all__ = ["Placer", "load_placer"]

#: Attributes with the embedding of other models, in the order of search.
_INSIDE = ("fitted_embedding_", "embedding")
#: The attributes that are needed to place vertices, or to check that the parts fit.
_NEEDED = ("_placement", "directed_", "weighted_", "n_features_in_")
_LOOKED_AT = ("embedding_", "vertex_names_", "embedding_in_")


@dataclass(frozen=True, eq=False)
class Placer:
    """Places new vertices by least squares, with results bitwise equal to ``transform`` of the saved model.

    Attributes
    ----------
    kind : str
        Class of the embedding.
    placement : Placement
        Rows and extensions of new vertices.
    vertex_index_ : mapping
        Row of each known vertex's name, as in the estimator.
    directed_, weighted_ : bool
        Whether the known graph is directed, and whether it is weighted, as in the estimator.
    """

    kind: str
    placement: Placement
    vertex_index_: Mapping[Hashable, int]
    directed_: bool
    weighted_: bool

    @property
    def columns(self) -> list[str]:
        """Names of the coordinates."""
        return self.placement.columns

    def read_new(self, new: object, *, direction: str = "out") -> NewEdges:
        """Return the names and edges of new vertices; see `AdjacencySpectralEmbedding.read_new`."""
        check_direction(direction, self.directed_)
        return as_new_edges(new, self.vertex_index_, directed=self.directed_)

    def __call__(self, new: object, *, direction: str = "out") -> tuple[Sequence[Hashable], NDArray[np.float64]]:
        """Return names and (m, d) positions of new vertices; see `AdjacencySpectralEmbedding.transform`."""
        vertices = self.read_new(new, direction=direction)
        return vertices.names, self.placement(vertices.towards(direction), direction)


def load_placer(path: str | os.PathLike[str]) -> Placer | None:
    """Return the placer of a model that `lpgraph.save` wrote, or None if the model embeds no network.

    Raises
    ------
    ModelFileError, OSError
        As `lpgraph.load` does.
    """
    file, decoder = opened(path)
    with decoder.guarded():
        found = _embedding(file.tree["model"])
        if found is None:
            return None
        kind, state = found
        values = {key: decoder.value(state[key]) for key in _NEEDED}
        looked_at = _LOOKED_AT if values["directed_"] else _LOOKED_AT[:2]
        values |= {key: decoder.stored(state[key]) for key in looked_at}
        check_attributes(kind, values, file.error)
        names = decoder.index(state["vertex_names_"])
        return Placer(kind, values["_placement"], names, values["directed_"], values["weighted_"])


def _embedding(tree: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the class and the attributes of the fitted embedding of a network in a model's tree."""
    content = tree.get("object") if isinstance(tree, dict) else None
    if not isinstance(content, list) or len(content) != 2 or not isinstance(content[1], dict):
        return None
    kind, state = content
    if kind in network_embeddings():
        return (kind, state) if {"_placement", "embedding_"} & set(state) else None
    return next((found for key in _INSIDE if (found := _embedding(state.get(key))) is not None), None)
