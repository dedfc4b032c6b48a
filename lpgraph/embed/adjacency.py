"""Adjacency spectral embedding: Algorithm 1, steps 1 to 3, of Tang, Park & Priebe (2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_flag
from lpgraph.embed.base import NetworkEmbedding
from lpgraph.embed.rows import AdjacencyRows
from lpgraph.embed.thinning import thinning
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Bipartite, Matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.network import Network
    from lpgraph.spectral.embedding import Dimension

__all__ = ["AdjacencySpectralEmbedding"]


class AdjacencySpectralEmbedding(NetworkEmbedding):
    r"""Embed the vertices of a network by the leading eigenvectors of its adjacency matrix.

    :math:`Z = U |S|^{1/2}` for the d leading eigenpairs :math:`A U = U S`: Algorithm 1, steps 1 to 3, of Tang,
    Park & Priebe (2013). Under a latent position model, :math:`Z / \sqrt{\rho}` estimates the truncated feature
    map :math:`\Phi_d` of the positions up to a rotation (Theorem 4), and `transform` does so for new vertices
    (Theorem 2).

    Parameters
    ----------
    n_components : int, None, str or callable
        Dimension d. None or "eigenvalue_cv" counts the eigenvectors that held-out edges confirm, at most 64 (Chen,
        Roch, Rohe & Yu 2021). "elbow", "second_elbow" and "third_elbow" are elbows of the scree (Zhu & Ghodsi
        2006). A function is given the leading eigenvalues and returns an int.
    which : {"LM", "LA"}, default "LM"
        The d eigenvalues of largest magnitude, or the d largest. "LM" keeps negative eigenvalues, which describe
        disassortative and core-periphery structure. Directed graphs always use the largest singular values.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver, and of the edges that are held out. None means a fixed seed:
        the same graph always gives the same embedding.
    augment_diagonal : bool, default False
        Set each diagonal entry, which the network does not determine, to the mean of the other entries of its row.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, d)
        Row i is the position of vertex i; for a directed graph, its position as a source of arcs.
    embedding_in_ : ndarray of shape (n, d)
        Directed graphs only: positions as targets of arcs. ``embedding_ @ embedding_in_.T`` approximates A.
    eigenvalues_ : ndarray of shape (d,)
        Undirected graphs only: the d eigenvalues in the wanted order.
    signature_ : ndarray of shape (d,)
        Undirected graphs only: the signs of the eigenvalues. ``(embedding_ * signature_) @ embedding_.T``
        approximates A.
    singular_values_ : ndarray of shape (d,)
        Singular values of A, that is, the magnitudes of the eigenvalues.
    residuals_ : ndarray of shape (d,)
        Measured relative residuals of the eigenpairs.
    scree_ : ndarray
        Eigenvalues (or singular values) by which d was chosen: with "eigenvalue_cv" estimates from the edges that
        were not held out, else those of A.
    dimension_choice_ : DimensionChoice or None
        The rule, whether it reached its cap, and its z statistics; None if n_components is a number. See
        `lpgraph.infer.dimension.DimensionChoice`.
    diagonal_ : ndarray of shape (n,) or None
        The diagonal of the decomposed matrix if it was augmented, else None.
    vertex_names_ : sequence of length n
        Names in the order of the rows.
    directed_, weighted_ : bool
        Whether the graph is directed, and whether it is weighted.
    graph_ : Adjacency
        The graph, for `to_networkx` and `to_igraph`.

    See Also
    --------
    OutOfSample : other rules than least squares for new vertices, and covariances.
    LaplacianSpectralEmbedding : for networks with very different degrees within a group.

    Notes
    -----
    `transform` computes :math:`\xi Z |S|^{-1} \operatorname{sign}(S)`. This is the least-squares rule
    :math:`T_n(X) = Z^+ \xi` of Definition 1, Eq. (4), with the signs of negative eigenvalues, which the
    pseudo-inverse loses. ``transform(A)`` equals `embedding_` to rounding. With `augment_diagonal` this holds for
    the rows of the decomposed matrix, which is A with the diagonal `diagonal_`.

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> karate = nx.karate_club_graph()
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(karate)
    >>> ase.embedding_.shape
    (34, 2)

    A new vertex with edges to the vertices 0, 1 and 2:

    >>> ase.transform({"new": [0, 1, 2]}).shape
    (1, 2)
    """

    _prefix = "ase"

    def __init__(
        self,
        n_components: Dimension = None,
        *,
        which: str = "LM",
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
        augment_diagonal: bool = False,
    ) -> None:
        super().__init__(n_components, which=which, solver=solver, tol=tol, random_state=random_state)
        self.augment_diagonal = augment_diagonal

    def _construct(self, items: Network) -> Construction:
        diagonal, split = None, items
        if check_flag("augment_diagonal", self.augment_diagonal):
            diagonal, split = _mean_of_row(items), items.with_diagonal(np.zeros(items.n_vertices))
        return Construction(
            self._operator(items),
            AdjacencyRows(),
            end=self._end,
            positive=False,
            thin=thinning(split, self._operator),
            attributes={"diagonal_": diagonal},
        )

    def _operator(self, items: Network) -> Bipartite | Matrix:
        if self.augment_diagonal:
            items = items.with_diagonal(_mean_of_row(items))
        return Bipartite(items.product) if items.directed else Matrix(items.product)


def _mean_of_row(items: Network) -> NDArray[np.float64]:
    """Return the mean of the entries of each row and column that are not on the diagonal."""
    return ((items.degrees + items.in_degrees) / 2 - items.diagonal) / (items.n_vertices - 1)
