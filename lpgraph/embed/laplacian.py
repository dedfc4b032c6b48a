"""Laplacian spectral embedding: the adjacency matrix divided by the roots of its degrees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from lpgraph.graph.preprocess import inverse_power
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.eigen import Known
from lpgraph.spectral.operators import Bipartite, Matrix

from .base import resampling
from .constructions import DegreeRows, component_pairs, tau_of
from .covariances import EmbeddingWithCovariances

if TYPE_CHECKING:
    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Network


@dataclass(eq=False, repr=False, kw_only=True)
class LaplacianSpectralEmbedding(EmbeddingWithCovariances):
    r"""Embed the vertices of a network by the leading eigenvectors of its normalised Laplacian.

    :math:`L = (D + \tau)^{-1/2} A (D + \tau)^{-1/2}` is embedded as `AdjacencySpectralEmbedding` embeds A. For
    directed graphs it is :math:`(D_{out} + \tau)^{-1/2} A (D_{in} + \tau)^{-1/2}`.

    Parameters
    ----------
    n_components : int, None, str, callable or DimensionChoice
        Dimension d; see `AdjacencySpectralEmbedding`.
    regularizer : float or "mean", default "mean"
        tau >= 0, added to every degree; "mean" is the mean degree. Without it, the leading eigenvectors of a
        sparse network belong to small components and to vertices of low degree.
    which : {"LM", "LA"}, default "LM"
        The d eigenvalues of largest magnitude, or the d largest.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver; None means a fixed seed.
    align_to : fitted embedding, data frame, mapping or None, default None
        An earlier fit, to whose positions the coordinates are rotated; see `AdjacencySpectralEmbedding`.
    concat : bool, default False
        Of directed graphs, whether `fit_transform` and `transform` return the positions as sources and as targets
        side by side, with shape (n, 2d). Undirected graphs have only one.

    Attributes
    ----------
    embedding_, embedding_in_, eigenvalues_, signature_, singular_values_, residuals_, scree_, dimension_choice_
        As in `AdjacencySpectralEmbedding`.
    alignment_, vertex_names_, directed_, weighted_, graph_
        As in `AdjacencySpectralEmbedding`.
    regularizer_ : float
        The tau that was used.

    Notes
    -----
    The entries of a new row are divided by :math:`\sqrt{(d_{new} + \tau) (d_j + \tau)}`, as those of training
    rows are, so that ``transform(A)`` equals `embedding_` to rounding for all degrees. A vertex of degree 0 (with
    tau = 0) has a row of zeros. With tau = 0, a graph with c components that have edges has the eigenvalue 1 with
    multiplicity c, and each of the first c dimensions is one component, in the order of decreasing volume.

    References
    ----------
    Rohe, K., Chatterjee, S. & Yu, B. (2011), "Spectral clustering and the high-dimensional stochastic
    blockmodel", Annals of Statistics 39. Qin, T. & Rohe, K. (2013), "Regularized spectral clustering under the
    degree-corrected stochastic blockmodel", NIPS 26 (the regulariser and its default size).

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> lse = lp.LaplacianSpectralEmbedding(2, regularizer=0.0).fit(nx.karate_club_graph())
    >>> round(float(lse.eigenvalues_[0]), 12)
    1.0
    """

    regularizer: float | str = "mean"
    which: str = "LM"
    concat: bool = False

    _prefix = "lse"
    _nonnegative = True

    def _construct(self, items: Network) -> Construction:
        tau = tau_of(self.regularizer, items)
        left, right = _inverse_roots(items, tau)
        return Construction(
            _normalised(items, tau),
            DegreeRows(left, right, tau),
            end=self._end,
            positive=False,
            # Edges that are held out leave small components, whose eigenvalue is 1 without a regulariser.
            known=Known(first=None if tau else component_pairs(items)),
            # Signs keep the eigenvalue 1 of small components, unless there is a regulariser.
            resampling=resampling(
                items, partial(_normalised, tau=tau or float(items.degrees.mean())), flips=tau > 0
            ),
            attributes={"regularizer_": tau},
        )


def _inverse_roots(items: Network, tau: float) -> tuple[Array, Array]:
    """Return the factors of rows and of columns."""
    left = inverse_power(items.degrees + tau)
    return left, inverse_power(items.in_degrees + tau) if items.directed else left


def _normalised(items: Network, tau: float) -> Bipartite | Matrix:
    left, right = _inverse_roots(items, tau)
    if items.directed:
        return Bipartite(items.product, left, right, items.transposed)
    return Matrix(items.product, left)
