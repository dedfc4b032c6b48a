"""Files about new vertices, other than their edges: covariates, and pairs that were not observed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import lpgraph as lp
from lpgraph.cli._errors import CommandError
from lpgraph.cli._tables import read_covariates

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_edges import NewEdges

__all__ = ["NewDetails", "read_pairs"]


@dataclass(frozen=True)
class NewDetails:
    """Files about new vertices.

    Attributes
    ----------
    covariates : str or None
        A table of covariates.
    unobserved : str or None
        A list of the pairs of new and known vertices that were not observed.
    """

    covariates: str | None = None
    unobserved: str | None = None

    def check(self, model: object) -> None:
        """Refuse what a model does not use."""
        if self.covariates is not None and not isinstance(model, lp.CovariateAssistedEmbedding):
            raise CommandError(f"--covariates={self.covariates} but the model has no covariates; leave it out.")
        if self.unobserved is not None and not isinstance(model, lp.AdjacencySpectralEmbedding):
            raise CommandError(
                f"--unobserved={self.unobserved} needs a model of --method adjacency; leave it out, or fit one."
            )

    def read(self, new: Adjacency, model: NetworkEmbedding, as_graph: Callable[[str], Adjacency]) -> NewEdges:
        """Return the new vertices of a graph; `as_graph` reads a list of pairs."""
        if not self:
            return model.read_new(new)
        values = None if self.covariates is None else read_covariates(self.covariates)
        pairs = (
            None if self.unobserved is None else read_pairs(self.unobserved, as_graph, model.vertex_index_, new)
        )
        return model.read_new(new, covariates=values, unobserved=pairs)

    def __bool__(self) -> bool:
        return self != NewDetails()


def read_pairs(
    path: str,
    as_graph: Callable[[str], Adjacency],
    known: Container[Hashable],
    new: Adjacency | None = None,
) -> Adjacency:
    """Return the pairs in a list, whose vertex "7" is found where the graph or the new vertices have 7."""
    from lpgraph.graph.files.labels import match_names
    from lpgraph.graph.names import as_names

    pairs = as_graph(path)
    names = match_names(pairs.names, known)
    if new is not None:
        names = match_names(names, new.index)
    return replace(pairs, names=as_names(names))
