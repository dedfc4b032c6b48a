"""Random-walk embedding: right and left eigenvectors of the transition matrix of a network."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.preprocess import inverse_power, to_laplacian
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.eigen import Known
from lpgraph.spectral.operators import Matrix

from .base import NetworkEmbedding, resampling
from .constructions import DegreeRows, component_pairs

if TYPE_CHECKING:
    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Network
    from lpgraph.spectral.embedding import SpectralEmbedding


@dataclass(eq=False, repr=False, kw_only=True)
class RandomWalkEmbedding(NetworkEmbedding):
    r"""Embed the vertices of a network by the leading eigenvectors of its random walk.

    The walk steps from vertex i to j with probability :math:`P_{ij} = A_{ij} / d_i`. The embedding consists of
    the leading right eigenvectors of P without the constant one; they vary slowly along edges. They are computed
    from the symmetric matrix :math:`D^{-1/2} A D^{-1/2}`, which has the same eigenvalues.

    Parameters
    ----------
    n_components : int, None, str, callable or DimensionChoice
        Dimension d; see `AdjacencySpectralEmbedding`.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver. None means a fixed seed: the same graph always gives the same
        embedding.
    align_to : fitted embedding, data frame, mapping or None, default None
        An earlier fit, to whose positions the coordinates are rotated; see `AdjacencySpectralEmbedding`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, d)
        Right eigenvectors of P, of unit variance in the stationary distribution :math:`d_i / \sum_j d_j`. Vertices
        without edges are placed at the origin.
    left_embedding_ : ndarray of shape (n, d)
        Left eigenvectors of P: ``left_embedding_.T @ embedding_`` is the identity.
    eigenvalues_ : ndarray of shape (d,)
        The largest eigenvalues of P after the trivial 1, decreasing.
    signature_, singular_values_, residuals_, scree_, dimension_choice_
        As in `AdjacencySpectralEmbedding`.
    alignment_, vertex_names_, directed_, weighted_, graph_
        As in `AdjacencySpectralEmbedding`.

    Raises
    ------
    GraphError
        By `fit`, if the graph is directed or has negative weights.

    See Also
    --------
    lpgraph.manifold.DiffusionMap : the same walk on a similarity graph of points.

    Notes
    -----
    A new vertex x is placed at :math:`\sum_j P_{xj} y_j / \lambda`, the mean of its neighbors' positions divided
    by the eigenvalues; ``transform(A)`` equals `embedding_` to rounding. If an eigenvalue is 0, new vertices
    cannot be placed, and `transform` raises ArgumentError. A graph with c components that have edges has the
    eigenvalue 1 with multiplicity c, and one of these is left out: the first c - 1 dimensions then distinguish
    components.

    References
    ----------
    Lovasz, L. (1993), "Random walks on graphs: a survey", Combinatorics, Paul Erdos is Eighty 2. Coifman, R. &
    Lafon, S. (2006), "Diffusion maps", Applied and Computational Harmonic Analysis 21.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> model = lp.RandomWalkEmbedding(2).fit(nx.karate_club_graph())
    >>> (model.left_embedding_.T @ model.embedding_).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])
    >>> model.transform({"new": [0, 1, 2]}).shape
    (1, 2)
    """

    _prefix = "walk"
    _nonnegative = True
    _undirected = True
    left_embedding_: Array = field(init=False)

    def _construct(self, items: Network) -> Construction:
        root, total = inverse_power(items.degrees), float(items.degrees.sum())
        scale = np.sqrt(total) * root
        matrix = partial(_laplacian, items) if isinstance(items, Adjacency) else None
        return Construction(
            Matrix(items.product, root),
            DegreeRows(scale, scale, power=1.0),
            power=0.0,
            positive=False,
            scale=1.0,
            known=Known(np.sqrt(items.degrees / total), component_pairs(items, trivial=True), matrix),
            resampling=resampling(items, partial(_normalised, tau=float(items.degrees.mean())), skip=1),
            training=lambda found: found.coordinates * scale[:, None],
        )

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        shares = np.square(np.asarray(construction.known.null))[:, None]
        return super()._results(construction, found, positions) | {"left_embedding_": positions * shares}


def _laplacian(graph: Adjacency) -> sparse.csr_array:
    """Return the normalised Laplacian, which has the wanted eigenvectors at its lower end."""
    return to_laplacian(graph, "I-DAD").matrix


def _normalised(items: Network, tau: float) -> Matrix:
    """Return the regularised matrix of a part: edges that are held out leave components of eigenvalue 1."""
    return Matrix(items.product, inverse_power(items.degrees + tau))
