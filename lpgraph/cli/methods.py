"""Options that choose an embedding of a network: `Learning` and `Fitting`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from typer import Option

import lpgraph as lp
from lpgraph._utils.names import methods
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError

from . import inputs, options, outputs
from .options import as_number

if TYPE_CHECKING:
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Network

#: Classes of the embeddings of networks by the command line's names: the table of public names.
METHODS = methods("lpgraph", "lpgraph.embed")
for _name in ("out-of-sample", "completed"):
    del METHODS[_name]


@dataclass(frozen=True)
class Learning:
    """Which embedding of a network is fitted; by default the one of the estimator that uses it.

    Attributes
    ----------
    method
        Dot products of adjacency, the default of embed and scree, estimate probabilities of edges; laplacian with
        the mean degree, the default elsewhere, is better for groups of vertices in networks with hubs.
    n_components
        A number, eigenvalue_cv, sign_flips, elbow, second_elbow or third_elbow. By default
        eigenvalue_cv, or the elbow with covariates; without --method 64 for labels, of which cross-validation uses
        as many as it needs, and 16 for clusters and pictures of them.
    regularizer : TAU
        For laplacian and covariate-assisted: a number that is added to every degree, or mean.
    covariates : FILE
        For covariate-assisted: table with the names of vertices in the first column, and numbers in the others;
        also of new vertices. Rows of other vertices are left out.
    alpha : A
        For covariate-assisted: weight of the covariates, a number, balance or kmeans.
    """

    method: Annotated[str | None, Option(metavar="|".join(METHODS))] = None
    n_components: options.Dimension = None
    regularizer: str | None = None
    covariates: str | None = None
    alpha: str | None = None

    def embedding(self) -> NetworkEmbedding | None:
        """Return the unfitted embedding, or None for the default."""
        return None if self == Learning() else self._made(self.method or "laplacian")

    def _made(self, method: str) -> NetworkEmbedding:
        """Return the unfitted embedding; parameters that are None have their defaults."""
        from lpgraph._utils.checks import check_choice

        given = {name: as_number(getattr(self, name)) for name in ("n_components", "regularizer", "alpha")}
        if self.covariates is not None:
            given["covariates"] = inputs.read_covariates(self.covariates)
        chosen = {name: value for name, value in given.items() if value is not None}
        found: NetworkEmbedding = getattr(lp, METHODS[check_choice("method", method, METHODS)])()
        wrong = chosen.keys() - found.get_params(deep=False)
        if wrong:
            raise ArgumentError(f"{min(wrong)} is not for {method=}; leave it out, or pass another --method.")
        found.set_params(**chosen)
        return found


@dataclass(frozen=True)
class Fitting(Learning):
    """Which embedding of a network is fitted; by default the adjacency embedding."""

    def embedding(self) -> NetworkEmbedding:
        """Return the unfitted embedding."""
        return self._made(self.method or "adjacency")

    def fit(self, graph: Network, embedding: NetworkEmbedding | None = None) -> NetworkEmbedding:
        """Return the fitted embedding, or fit the given one; doubts about its dimension are a warning."""
        embedding = self.embedding() if embedding is None else embedding
        with outputs.progress():
            embedding.fit(graph)
        choice = embedding.dimension_choice_
        if choice is not None and choice.doubt:
            warn(choice.doubt)
        return embedding
