"""Laplacian spectral embedding: the adjacency matrix divided by the roots of its degrees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lpgraph._checks import check_real, is_string
from lpgraph.embed.components import component_pairs
from lpgraph.embed.flipping import flipping
from lpgraph.embed.landmark_embedding import EmbeddingWithLandmarks
from lpgraph.embed.rows import DegreeRows
from lpgraph.embed.thinning import thinning
from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances
from lpgraph.graph.degrees import inverse_power
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Bipartite, Matrix, Rescaled

if TYPE_CHECKING:
    import numpy as np

    from lpgraph.embed.align import AlignTo
    from lpgraph.graph.network import Edges, Network
    from lpgraph.spectral.construction import Array
    from lpgraph.spectral.embedding import Dimension

__all__ = ["LaplacianSpectralEmbedding"]


class LaplacianSpectralEmbedding(EmbeddingWithLandmarks, EmbeddingWithCovariances):
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
        Bound on the measured relative residuals of the eigenpairs. With `landmarks`, of the pairs of their matrix,
        if there is no pass; passes end after their number, and ``residuals_`` says how exact the result is.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver; None means a fixed seed.
    align_to : path, fitted embedding, data frame, mapping or None, default None
        An earlier fit, to whose positions the coordinates are rotated; see `AdjacencySpectralEmbedding`.
    landmarks : int, float, iterable of hashable or None, default None
        Vertices whose part of the matrix is decomposed, as in `AdjacencySpectralEmbedding`. Degrees are those of
        all edges.
    landmark_rule : {"degree", "uniform", "leverage"}, default "degree"
        How a number of landmarks is drawn.
    landmark_passes : int, default 1
        How often every vertex is placed by its edges to all vertices, as in `AdjacencySpectralEmbedding`.
    concat : bool, default False
        Of directed graphs, whether `fit_transform` and `transform` return the positions as sources and as targets
        side by side, with shape (n, 2d). Undirected graphs have only one.

    Attributes
    ----------
    embedding_, embedding_in_, eigenvalues_, signature_, singular_values_, residuals_, scree_, dimension_choice_
        As in `AdjacencySpectralEmbedding`.
    landmarks_, nystrom_error_
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

    _prefix = "lse"
    _nonnegative = True

    def __init__(
        self,
        n_components: Dimension = None,
        *,
        regularizer: float | str = "mean",
        which: str = "LM",
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
        align_to: AlignTo = None,
        landmarks: object = None,
        landmark_rule: str = "degree",
        landmark_passes: int = 1,
        concat: bool = False,
    ) -> None:
        super().__init__(
            n_components, which=which, solver=solver, tol=tol, random_state=random_state, align_to=align_to
        )
        self.regularizer = regularizer
        self.landmarks = landmarks
        self.landmark_rule = landmark_rule
        self.landmark_passes = landmark_passes
        self.concat = concat

    @property
    def _remedy(self) -> str:
        none = isinstance(self.regularizer, int | float) and self.regularizer == 0
        more = "pass regularizer='mean' to keep small ones from the first dimensions, or " if none else ""
        return more + super()._remedy

    def _construct(self, items: Network) -> Construction:
        mean = is_string(self.regularizer, "mean")
        tau = float(items.degrees.mean()) if mean else check_real("regularizer", self.regularizer, low=0.0)
        left, right = _inverse_roots(items, tau)
        whole = Construction(
            _normalised(items, tau),
            DegreeRows(left, right, tau),
            end=self._end,
            positive=False,
            # Edges that are held out leave small components, whose eigenvalue is 1 without a regulariser.
            known=None if tau else component_pairs(items, negative=self._end == "magnitude"),
            thin=thinning(items, partial(_normalised, tau=tau or float(items.degrees.mean()))),
            # Signs keep the eigenvalue 1 of small components, unless there is a regulariser.
            flip=flipping(items, partial(_normalised, tau=tau)) if tau else None,
            attributes={"regularizer_": tau},
        )
        share = tau / float(items.degrees.mean())
        # In simulations, eigenvectors scaled by the degrees among landmarks are the better start.
        return self._by_landmarks(whole, items, lambda part: _normalised(part, share * part.degrees.mean()))


def _inverse_roots(items: Edges, tau: float) -> tuple[Array, Array]:
    """Return the factors of rows and of columns."""
    left = inverse_power(items.degrees + tau)
    return left, inverse_power(items.in_degrees + tau) if items.directed else left


def _normalised(items: Edges, tau: float) -> Bipartite | Rescaled:
    left, right = _inverse_roots(items, tau)
    if items.directed:
        return Bipartite(items.product, left, right, items.transposed)
    return Rescaled(Matrix(items.product), left)
