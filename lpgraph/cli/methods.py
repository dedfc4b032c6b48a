"""Options that choose an embedding: of networks by `Learning` and `Fitting`, of points by `Manifold`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from typer import Option

from lpgraph._utils.names import methods
from lpgraph._utils.progress import warn
from lpgraph.cli import inputs, options, outputs
from lpgraph.cli.options import as_number, starting
from lpgraph.errors import ArgumentError, LpgraphWarning

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.network import Network
    from lpgraph.manifold.base import PointsEmbedding

#: Classes of the embeddings of networks and of points by the command line's names: the table of public names.
METHODS = {
    "lpgraph": methods("lpgraph", "lpgraph.embed"),
    "lpgraph.manifold": methods("lpgraph.manifold", "lpgraph.manifold"),
}
for _name in ("out-of-sample", "landmarks", "completed"):
    del METHODS["lpgraph"][_name]
del METHODS["lpgraph.manifold"]["clustering"]
_NETWORKS, _POINTS = METHODS["lpgraph"], METHODS["lpgraph.manifold"]


@dataclass(frozen=True)
class Learning:
    """Which embedding of a network is fitted; by default the one of the estimator that uses it.

    Attributes
    ----------
    method
        Dot products of adjacency, the default of embed and scree, estimate probabilities of edges; laplacian with
        the mean degree, the default elsewhere, is better for groups of vertices in networks with hubs.
    n_components
        A number, eigenvalue_cv, sign_flips, residual_subsampling, elbow, second_elbow or third_elbow. By default
        eigenvalue_cv, or the elbow with covariates; without --method 64 for labels, of which cross-validation uses
        as many as it needs, and 16 for clusters and pictures of them.
    regularizer : TAU
        For laplacian and covariate-assisted: a number that is added to every degree, or mean.
    covariates : FILE
        For covariate-assisted: table with titles, the names of vertices in the first column, and numbers in the
        others; also of new vertices. Rows of other vertices are left out.
    alpha : A
        For covariate-assisted: weight of the covariates, a number, balance or kmeans.
    """

    method: Annotated[str | None, Option(metavar="|".join(_NETWORKS), autocompletion=starting(*_NETWORKS))] = None
    n_components: options.Dimension = None
    regularizer: Annotated[str | None, Option(autocompletion=starting("mean"))] = None
    covariates: str | None = None
    alpha: Annotated[str | None, Option(autocompletion=starting("balance", "kmeans"))] = None

    def embedding(self) -> NetworkEmbedding | None:
        """Return the unfitted embedding, or None for the default."""
        return None if self == Learning() else self._made(self.method or "laplacian")

    def _made(self, method: str, **more: object) -> NetworkEmbedding:
        given = {name: as_number(getattr(self, name)) for name in ("n_components", "regularizer", "alpha")}
        covariates = None if self.covariates is None else inputs.read_covariates(self.covariates)
        found: NetworkEmbedding = _make("lpgraph", method, **given, covariates=covariates, **more)
        return found


@dataclass(frozen=True)
class Fitting(Learning):
    """Which embedding of a network is fitted, possibly by landmarks; by default the adjacency embedding.

    Attributes
    ----------
    landmarks : M
        For adjacency and laplacian: number of vertices by which the others are placed, or a share such as 0.1; by
        default all.
    landmark_rule
        How landmarks are drawn; by default degree.
    landmark_passes : N
        How often all vertices are placed again, by all of their edges; by default once.
    """

    landmarks: str | None = None
    landmark_rule: options.LandmarkRule | None = None
    landmark_passes: Annotated[int | None, Option("--landmark-passes", "--passes")] = None

    def embedding(self) -> NetworkEmbedding:
        """Return the unfitted embedding."""
        found = self._made(self.method or "adjacency")
        rule, passes = self.landmark_rule, self.landmark_passes
        if self.landmarks is None:
            if rule is not None or passes is not None:
                raise ArgumentError("landmark_rule and landmark_passes are for landmarks; pass --landmarks M.")
            return found
        import lpgraph as lp

        passes = 1 if passes is None else passes
        return lp.LandmarkEmbedding(found, as_number(self.landmarks), rule=rule or "degree", passes=passes)

    def fit(self, graph: Network, embedding: NetworkEmbedding | None = None) -> NetworkEmbedding:
        """Return the fitted embedding, or fit the given one; doubts about its dimension are a warning."""
        embedding = self.embedding() if embedding is None else embedding
        with outputs.progress():
            embedding.fit(graph)
        choice = embedding.dimension_choice_
        doubt = "" if choice is None else choice.doubt
        if doubt:
            warn(doubt, LpgraphWarning)
        return embedding


@dataclass(frozen=True)
class Manifold:
    """Which embedding of points is fitted.

    Attributes
    ----------
    method
        How the points are embedded.
    n_components
        Number of coordinates.
    kernel
        For kernel-pca.
    components
        What to do if the graph of points is disconnected; by default warn, and bridge.
    landmarks : L
        Points drawn at random by which the others are placed; by default all.
    """

    method: Annotated[str, Option(metavar="|".join(_POINTS), autocompletion=starting(*_POINTS))] = "isomap"
    n_components: Annotated[int, Option("--n-components", "--dimension", "-d", metavar="D")] = 2
    n_neighbors: options.Neighbors = None
    kernel: options.Kernel | None = None
    components: options.Policy | None = None
    landmarks: int | None = None

    def embedding(self) -> PointsEmbedding:
        """Return the unfitted embedding."""
        given = {name: value for name, value in vars(self).items() if name != "method"}
        found: PointsEmbedding = _make("lpgraph.manifold", self.method, **given)
        return found


def _make(package: str, method: str, **given: object) -> BaseEstimator:
    """Return the unfitted embedding of a package; parameters that are None are not given."""
    from lpgraph._utils.checks import check_choice

    def made(name: str) -> BaseEstimator:
        return getattr(sys.modules[package], METHODS[package][name])()

    estimator = made(check_choice("method", method, METHODS[package]))
    chosen = {key: value for key, value in given.items() if value is not None}
    for key in chosen:
        if key not in estimator.get_params(deep=False):
            able = [name for name in METHODS[package] if key in made(name).get_params(deep=False)]
            raise ArgumentError(
                f"{key} is not for method={method!r}; leave it out, or pass --method {' or '.join(able)}."
            )
    return estimator.set_params(**chosen)
