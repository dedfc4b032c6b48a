"""Modularity embedding: the adjacency matrix minus its expectation from the degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Matrix, Updated

from .base import NetworkEmbedding, resampling
from .constructions import VertexRows, degrees_of

if TYPE_CHECKING:
    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Network
    from lpgraph.spectral.construction import Items


@dataclass(frozen=True, eq=False)
class ModularityRows(VertexRows):
    """Rows of ``A - k k.T / 2m``: edges minus those expected from the degrees.

    The expected part has rank one; its product with the basis is kept, and subtracted when a vertex is placed.

    Attributes
    ----------
    degrees : ndarray of shape (n,) or None
        Degrees k of the known vertices; None after a fit.
    total : float
        2m, the sum of the degrees.
    projection : ndarray of shape (d,) or None
        ``k @ basis``.
    """

    degrees: Array | None
    total: float
    projection: Array | None = None

    def fitted(self, basis: Array) -> ModularityRows:
        """Return the rows that are kept: the product of the expected part with the basis."""
        return ModularityRows(None, self.total, None if self.degrees is None else self.degrees @ basis)

    def finish(self, coordinates: Array, new: Items) -> Array:
        """Subtract the expected part."""
        if self.projection is None:
            return coordinates
        return coordinates - np.multiply.outer(degrees_of(new) / self.total, self.projection)


@dataclass(eq=False, repr=False, kw_only=True)
class ModularityEmbedding(NetworkEmbedding):
    r"""Embed the vertices of a network by the leading eigenvectors of its modularity matrix.

    :math:`B = A - k k^T / 2m`, where k are the degrees and 2m is their sum, is embedded as
    `AdjacencySpectralEmbedding` embeds A. The degrees dominate the first eigenvector of A; their influence is
    subtracted, so that the first coordinates describe communities. B is never formed.

    Parameters
    ----------
    n_components : int, None, str, callable or DimensionChoice
        Dimension d; see `AdjacencySpectralEmbedding`.
    which : {"LM", "LA"}, default "LM"
        The d eigenvalues of largest magnitude, or the d largest. Positive eigenvalues belong to communities,
        negative ones to disassortative structure.
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
        Positions of the vertices, :math:`|\lambda_k|^{1/2} v_k`; ``(embedding_ * signature_) @ embedding_.T``
        approximates B.
    eigenvalues_ : ndarray of shape (d,)
        Eigenvalues of B in the wanted order.
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
    LaplacianSpectralEmbedding : divides by the degrees instead.

    Notes
    -----
    The row of a new vertex of degree k_x is :math:`A_x - k_x k^T / 2m`, so that ``transform(A)`` equals
    `embedding_` to rounding. The degrees and 2m remain those of the known network.

    References
    ----------
    Newman, M. E. J. (2006), "Finding community structure in networks using the eigenvectors of matrices", Physical
    Review E 74, 036104.

    Examples
    --------
    The sign of the first coordinate divides the karate club as it split, except for one of its members:

    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> karate = nx.karate_club_graph()
    >>> model = lp.ModularityEmbedding(1, which="LA").fit(karate)
    >>> side = model.embedding_[:, 0] > 0
    >>> int(sum((karate.nodes[v]["club"] == "Mr. Hi") == side[v] for v in karate))
    33
    >>> model.transform({"new": [0, 1, 2]}).shape
    (1, 1)
    """

    which: str = "LM"

    _prefix = "modularity"
    _nonnegative = True
    _undirected = True

    def _construct(self, items: Network) -> Construction:
        degrees = items.degrees
        return Construction(
            _modularity(items),
            ModularityRows(degrees, float(degrees.sum())),
            end=self._end,
            positive=False,
            scale=degrees.max(),
            resampling=resampling(items, _modularity, flips=True),
        )


def _modularity(items: Network) -> Updated:
    # A part may have no edge.
    return Updated(Matrix(items.product), items.degrees, -1 / max(float(items.degrees.sum()), 1e-300))
