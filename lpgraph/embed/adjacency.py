"""Adjacency spectral embedding: Algorithm 1, steps 1 to 3, of Tang, Park & Priebe (2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_flag
from lpgraph.embed.rows import AdjacencyRows
from lpgraph.embed.thinning import thinning
from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances
from lpgraph.graph.degrees import row_means
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Bipartite, Matrix

if TYPE_CHECKING:
    from lpgraph.embed.align import AlignTo
    from lpgraph.graph.network import Network
    from lpgraph.spectral.embedding import Dimension

__all__ = ["AdjacencySpectralEmbedding"]


class AdjacencySpectralEmbedding(EmbeddingWithCovariances):
    r"""Embed the vertices of a network by the leading eigenvectors of its adjacency matrix.

    :math:`Z = U |S|^{1/2}` for the d leading eigenpairs :math:`A U = U S`: Algorithm 1, steps 1 to 3, of Tang,
    Park & Priebe (2013). Under a latent position model, :math:`Z / \sqrt{\rho}` estimates the truncated feature
    map :math:`\Phi_d` of the positions up to a rotation (Theorem 4), and `transform` does so for new vertices
    (Theorem 2).

    Parameters
    ----------
    n_components : int, None, str, callable or DimensionChoice
        Dimension d. None or "eigenvalue_cv" counts the eigenvectors that held-out edges confirm, at most 64 (Chen,
        Roch, Rohe & Yu 2021). "elbow", "second_elbow" and "third_elbow" are elbows of the scree (Zhu & Ghodsi
        2006). A function is given the leading eigenvalues and returns an int. The `dimension_choice_` of another
        fit is the number that it chose.
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
    align_to : path, fitted embedding, data frame, mapping or None, default None
        An earlier fit of the same network, so that the positions of both can be compared: the file of a saved
        model, a fitted model, or named positions (a data frame whose index has the vertex names, or
        ``{name: vector}``). The coordinates are rotated to the earlier ones of the vertices that both have.
        ``n_components=None`` then takes the earlier dimension, and with ``which="LM"`` as many positive and
        negative eigenvalues as a model has. A warning counts directions that only one of the fits has; see Notes.
    augment_diagonal : bool, default False
        Set each diagonal entry, which the network does not determine, to the mean of the other entries of its row.
    concat : bool, default False
        Of directed graphs, whether `fit_transform` and `transform` return the positions as sources and as targets
        side by side, with shape (n, 2d). Undirected graphs have only one.

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
    alignment_ : lpgraph.spectral.aligned.Alignment or None
        The rotation and what moved, see `moved`; None without `align_to`.
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

    Each fit determines its coordinates up to an orthogonal matrix that does not mix columns of different signs.
    With `align_to`, this matrix W is the one that brings the positions closest to the earlier ones. It keeps
    ``(Z * signature_) @ Z.T``; for a directed graph the same W applies to both directions, and keeps
    ``embedding_ @ embedding_in_.T``. `transform`, `OutOfSample` and `signature_` belong to the rotated columns,
    whose signs are in the order of the earlier fit. A rotated column belongs to no single eigenvector:
    `eigenvalues_`, `singular_values_` and `residuals_` are those of ``embedding_ @ alignment_.rotation.T``.

    The indefinite matrices of O(p, q) also keep the products, but are not used: embeddings of two networks with
    the same positions differ by an orthogonal matrix asymptotically (Agterberg, Tang & Priebe 2020), and an
    indefinite one could hide what moved. The rotation is estimated as by ``procrustes(robust=True)``, so that
    vertices that moved have little influence. Vertices without names are matched by their numbers. A clone shares
    `align_to`; a saved model keeps the path, or the earlier positions. The entries of a parameter grid are cloned:
    there, pass a path or ``sklearn.frozen.FrozenEstimator(model)``.

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893. Agterberg, J., Tang, M. & Priebe, C. E. (2020), "On two distinct sources of nonidentifiability
    in latent position random graph models", arXiv:2003.14250.

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
        align_to: AlignTo = None,
        augment_diagonal: bool = False,
        concat: bool = False,
    ) -> None:
        super().__init__(
            n_components, which=which, solver=solver, tol=tol, random_state=random_state, align_to=align_to
        )
        self.augment_diagonal = augment_diagonal
        self.concat = concat

    def _construct(self, items: Network) -> Construction:
        diagonal, split = None, items
        if check_flag("augment_diagonal", self.augment_diagonal):
            diagonal, split = row_means(items), items.with_diagonal(np.zeros(items.n_vertices))
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
            items = items.with_diagonal(row_means(items))
        return Bipartite(items.product) if items.directed else Matrix(items.product)
