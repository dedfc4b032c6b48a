"""Covariates of new vertices in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.cli._errors import CommandError
from lpgraph.cli._tables import read_covariates

if TYPE_CHECKING:
    from lpgraph.graph.new_edges import NewEdges

__all__ = ["with_covariates"]


def with_covariates(new: object, model: object, path: str) -> NewEdges:
    """Read new vertices with their covariates, for a model that has covariates."""
    from lpgraph.embed.covariate_assisted import CovariateAssistedEmbedding

    if not isinstance(model, CovariateAssistedEmbedding):
        raise CommandError(f"--covariates={path} but the model has no covariates; leave it out.")
    return model.read_new(new, covariates=read_covariates(path, None))
