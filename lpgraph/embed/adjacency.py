"""Adjacency spectral embedding: Algorithm 1, steps 1 to 3, of Tang, Park & Priebe (2013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_flag
from lpgraph.graph.preprocess import row_means
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Bipartite, Matrix

from .base import resampling
from .completed import EmbeddingOfPairs
from .constructions import AdjacencyRows

if TYPE_CHECKING:
    from lpgraph.graph.adjacency import Network


@dataclass(eq=False, repr=False, kw_only=True)
class AdjacencySpectralEmbedding(EmbeddingOfPairs):
    r"""Embed the vertices of a network by the leading eigenvectors of its adjacency matrix.

    :math:`Z = U |S|^{1/2}` for the d leading eigenpairs :math:`A U = U S`; of a directed network, for singular
    triplets. Under a latent position model, Z estimates the positions up to a rotation, and `transform` does so
    for new vertices (Tang, Park & Priebe 2013, Theorems 2 and 4). :doc:`/vertices` explains dimensions, signs,
    directed networks and alignment.

    Parameters
    ----------
    n_components : int, None, str, callable or DimensionChoice
        Dimension d. None or "eigenvalue_cv": eigenvectors that held-out edges confirm, at most 64. "elbow",
        "second_elbow", "third_elbow" and "sign_flips" are other rules, see ``lpgraph.infer.dimension``. A function
        is given the leading eigenvalues. The `dimension_choice_` of another fit is the number that it chose.
    which : {"LM", "LA"}, default "LM"
        The d eigenvalues of largest magnitude, or the d largest. "LM" keeps negative eigenvalues, which describe
        disassortative and core-periphery structure.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver, and of the edges that are held out; None means a fixed seed.
    align_to : fitted embedding, data frame, mapping or None, default None
        An earlier fit, to whose positions the coordinates are rotated: a fitted or loaded model, or positions by
        name. ``n_components=None`` then takes the earlier dimension.
    augment_diagonal : bool, default False
        Set each diagonal entry, which the network does not determine, to the mean of the other entries of its row.
    concat : bool, default False
        Of directed graphs, whether `fit_transform` and `transform` return the positions as sources and as targets
        side by side, with shape (n, 2d).

    Attributes
    ----------
    embedding_, embedding_in_ : ndarray of shape (n, d)
        Positions; of a directed graph as sources, and as targets of arcs.
    eigenvalues_, signature_ : ndarray of shape (d,)
        Undirected graphs only: eigenvalues in the wanted order, and their signs.
        ``(embedding_ * signature_) @ embedding_.T`` approximates A.
    singular_values_, residuals_ : ndarray of shape (d,)
        Magnitudes of the eigenvalues, and measured relative residuals.
    scree_, dimension_choice_ : ndarray, DimensionChoice or None
        The eigenvalues by which d was chosen, and how.
    alignment_ : lpgraph.spectral.aligned.Alignment or None
        The rotation and what moved, see `moved`.
    diagonal_ : ndarray of shape (n,) or None
        The diagonal of the decomposed matrix if it was augmented.
    graph_, vertex_names_, directed_, weighted_
        The graph, the names of the rows, and its kind.

    See Also
    --------
    CompletedEmbedding : for networks with unobserved pairs.
    OutOfSample : other rules than least squares for new vertices, and covariances.

    Notes
    -----
    `transform` computes :math:`\xi Z |S|^{-1} \operatorname{sign}(S)`: the least-squares rule
    :math:`T_n(X) = Z^+ \xi` of Definition 1 with the signs of negative eigenvalues, which the pseudo-inverse
    loses. ``transform(A)`` equals `embedding_` to rounding.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    >>> ase.embedding_.shape, ase.transform({"new": [0, 1, 2]}).shape
    ((34, 2), (1, 2))
    """

    which: str = "LM"
    augment_diagonal: bool = False
    concat: bool = False

    _prefix = "ase"

    def _construct(self, items: Network) -> Construction:
        diagonal, observed = None, items
        if check_flag("augment_diagonal", self.augment_diagonal):
            diagonal, observed = row_means(items), items.with_diagonal(np.zeros(items.n_vertices))
        operator = self._operator(items)
        return Construction(
            operator,
            AdjacencyRows(),
            end=self._end,
            positive=False,
            resampling=resampling(observed, self._operator, flips=True),
            attributes={"diagonal_": diagonal},
        )

    def _operator(self, items: Network) -> Bipartite | Matrix:
        items = items.with_diagonal(row_means(items)) if self.augment_diagonal else items
        return Bipartite(items.product, transposed=items.transposed) if items.directed else Matrix(items.product)
