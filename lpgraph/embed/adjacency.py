"""Adjacency spectral embedding: Algorithm 1, steps 1 to 3, of Tang, Park & Priebe (2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_flag
from lpgraph.embed.flipping import flipping
from lpgraph.embed.landmark_embedding import EmbeddingWithLandmarks
from lpgraph.embed.rows import AdjacencyRows
from lpgraph.embed.thinning import thinning
from lpgraph.embed.unobserved import completed, partial_positions
from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances
from lpgraph.errors import ArgumentError
from lpgraph.graph.degrees import row_means
from lpgraph.graph.names import names_at
from lpgraph.graph.observed import pairs_of
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Bipartite, Matrix

if TYPE_CHECKING:
    from lpgraph.embed.align import AlignTo
    from lpgraph.graph.network import Edges, Network
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.spectral.completion import Completion
    from lpgraph.spectral.construction import Array
    from lpgraph.spectral.embedding import Dimension
    from lpgraph.spectral.operators import SymmetricOperator

__all__ = ["AdjacencySpectralEmbedding"]


class AdjacencySpectralEmbedding(EmbeddingWithLandmarks, EmbeddingWithCovariances):
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
        2006). "sign_flips" counts eigenvalues above those of 19 matrices with random signs (Hong, Sheng & Dobriban
        2020), and "residual_subsampling" tests residuals (Han, Yang & Fan 2019); see
        `lpgraph.infer.dimension.sign_flips`. A function is given the leading eigenvalues and returns an int. The
        `dimension_choice_` of another fit is the number that it chose.
    which : {"LM", "LA"}, default "LM"
        The d eigenvalues of largest magnitude, or the d largest. "LM" keeps negative eigenvalues, which describe
        disassortative and core-periphery structure. Directed graphs always use the largest singular values.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs. With `landmarks`, of the pairs of their matrix,
        if there is no pass; passes end after their number, and ``residuals_`` says how exact the result is.
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
    observed, unobserved : matrix, list of pairs, graph or None, default None
        The pairs of vertices that were observed, or those that were not: an absent edge and an unobserved pair are
        different things. A matrix of zeros and ones, sparse or dense, in the order of the vertices; pairs (u, v)
        of names; or a graph or table of such pairs. At most one of the two. Edges of unobserved pairs are not
        used; (i, i) is a pair like the others. ``n_components=None`` then adds dimensions as long as held-out
        edges confirm one, which takes a fit for each.
    landmarks : int, float, iterable of hashable or None, default None
        Vertices whose part of the matrix is decomposed; all others are placed by their edges, as new vertices are
        (Tang, Park & Priebe 2013, Section 3.1). A number, a share of the vertices such as 0.1, or names; None
        means all vertices. See Notes.
    landmark_rule : {"degree", "uniform", "leverage"}, default "degree"
        How a number of landmarks is drawn: with probabilities proportional to the degrees, equal for all vertices
        with an edge, or proportional to approximate leverage scores, which are squared lengths of the rows of
        leading eigenvectors.
    landmark_passes : int, default 1
        How often every vertex is placed by its edges to all vertices. 0 places by the edges to landmarks alone,
        with the eigenvectors of the landmarks' part of the matrix. Passes start from the singular vectors of the
        landmarks' rows: their edges with all vertices.
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
    completion_ : lpgraph.spectral.completion.Completion or None
        How the unobserved pairs were filled in; None if all pairs were observed.
    landmarks_ : ndarray of shape (m,) or None
        Rows of the landmarks, increasing; None if all vertices are decomposed.
    nystrom_error_ : float or None
        With landmarks: :math:`\|A - Z S Z^T\|_F / \|A\|_F` for the matrix A that is embedded; without, None.
    alignment_ : lpgraph.spectral.aligned.Alignment or None
        The rotation and what moved, see `moved`; None without `align_to`.
    vertex_names_ : ndarray of shape (n,), or range
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

    With unobserved pairs, A is replaced by a matrix W that has their fitted values in their places: X minimises
    :math:`\tfrac12 \|M \circ (A - X)\|^2` over matrices of rank d, where M are the observed pairs, plus a penalty
    without which a minimum need not exist; see `lpgraph.spectral.completion`. W is a sparse matrix, or a sparse
    plus a low-rank one. If pairs are unobserved at random, the variance of positions is that of zeros in their
    places, rescaled by the observed share q, times :math:`\sum p(1 - p) / \sum p(1 - qp)`: the gain is large in
    dense networks and small in sparse ones. If they are not random, such as all pairs between two groups, zeros
    give wrong positions. A direction whose eigenvalue does not exceed the noise is not filled in: unobserved pairs
    count as 0 there.

    With landmarks L, the d eigenpairs of :math:`A_{LL}` are found, and each vertex has the position
    :math:`\xi_L Z_L |S|^{-1} \operatorname{sign}(S)` by its edges to landmarks, so that :math:`Z S Z^T` is the
    Nystrom approximation of A (Eqs. 5 to 8). A pass places each vertex by its edges to all vertices and their
    positions so far. It is a step of orthogonal iteration, with 2 d vectors, and Rayleigh-Ritz: `eigenvalues_` are
    Ritz values, and `residuals_` tell how far they are from eigenvalues of A; without a pass, both are those of
    :math:`A_{LL}`. New vertices are placed by landmarks without a pass, and by all vertices with one, so that
    ``transform(A)`` is `embedding_` in both cases. Positions by m landmarks have about n / m times the variance of
    those by all vertices, and a pass removes most of it, for one product with A. Vertices without an edge to a
    landmark are at the origin; a warning counts them. ``n_components=None`` counts the eigenvectors that held-out
    edges among landmarks confirm, often fewer than those of the network. `covariances`, and the tests that use
    them, are not available.

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893. Agterberg, J., Tang, M. & Priebe, C. E. (2020), "On two distinct sources of nonidentifiability
    in latent position random graph models", arXiv:2003.14250. Mazumder, R., Hastie, T. & Tibshirani, R. (2010),
    "Spectral regularization algorithms for learning large incomplete matrices", JMLR 11.

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

    Nobody recorded whether 0 and 33 know each other, nor whether the new vertex knows 33:

    >>> masked = lp.AdjacencySpectralEmbedding(2, unobserved=[(0, 33)]).fit(karate)
    >>> masked.transform({"new": [0, 1, 2]}, unobserved={"new": [33]}).shape
    (1, 2)

    Half of the vertices as landmarks:

    >>> by_half = lp.AdjacencySpectralEmbedding(2, landmarks=0.5).fit(karate)
    >>> len(by_half.landmarks_), by_half.nystrom_error_ < 1
    (17, True)
    """

    _prefix = "ase"
    _takes_unobserved = True
    observed: object
    unobserved: object
    completion_: Completion | None

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
        observed: object = None,
        unobserved: object = None,
        landmarks: object = None,
        landmark_rule: str = "degree",
        landmark_passes: int = 1,
        concat: bool = False,
    ) -> None:
        super().__init__(
            n_components, which=which, solver=solver, tol=tol, random_state=random_state, align_to=align_to
        )
        self.augment_diagonal = augment_diagonal
        self.observed = observed
        self.unobserved = unobserved
        self.landmarks = landmarks
        self.landmark_rule = landmark_rule
        self.landmark_passes = landmark_passes
        self.concat = concat

    def _construct(self, items: Network) -> Construction:
        diagonal, split, completion, choice = None, items, None, None
        pairs = pairs_of(self.observed, self.unobserved, items)
        if check_flag("augment_diagonal", self.augment_diagonal):
            diagonal, split = row_means(items), items.with_diagonal(np.zeros(items.n_vertices))
        operator: SymmetricOperator
        if pairs is not None and self.landmarks is not None:
            raise ArgumentError(
                "landmarks is given, but pairs are unobserved, and the fit to the observed ones needs all "
                "vertices; leave landmarks out."
            )
        if pairs is None:
            operator = self._operator(items)
        else:
            operator, completion, choice = completed(self, items, pairs)
        whole = Construction(
            operator,
            AdjacencyRows(),
            end=self._end,
            positive=False,
            thin=thinning(split, self._operator),
            flip=flipping(items, _matrix),
            choice=choice,
            attributes={"diagonal_": diagonal, "completion_": completion},
        )
        return self._by_landmarks(whole, items)

    def transform(
        self,
        new: object,
        *,
        direction: str | None = None,
        observed: object = None,
        unobserved: object = None,
    ) -> Array:
        """Embed new vertices by their edges to the known vertices, without another decomposition.

        The position of a vertex is the same, bit for bit, alone and in any batch, in any order, and with any
        number of threads.

        Parameters
        ----------
        new, direction
            As in `LaplacianSpectralEmbedding.transform`.
        observed, unobserved : matrix, mapping, list of pairs, graph or None
            The pairs of new and known vertices that were observed, or those that were not; at most one of the two.
            In any form that `new` has: an (m, n) matrix of zeros and ones, ``{name: known names}``, or pairs
            (new name, known name). The position is then that of least squares on the observed pairs. For tables,
            `OutOfSample` and estimators that use this embedding, pass what `read_new` returns with them.

        Returns
        -------
        ndarray of shape (m, d), or (m, 2d) with ``concat=True`` for a directed graph
            One row for each new vertex. A vertex without an edge to a known vertex is placed at the origin. After
            ``set_output(transform="pandas")`` a data frame with the names of the new vertices as index; see also
            `transform_table`.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, a neighbor in a mapping is neither known nor new, all vertices are
            known, arcs of only one direction are given where both are needed, or the observed pairs of a vertex do
            not determine its position.

        Notes
        -----
        If the network has unobserved pairs itself, the unobserved entries of a row are predicted with the shrunk
        eigenvalues of `completion_`, which is least squares with a penalty. ``transform(A, unobserved=pairs)`` is
        then `embedding_` for the pairs of the fit, to the accuracy of the iteration.
        """
        if observed is None and unobserved is None:
            return super().transform(new, direction=direction)
        side = "out" if direction is None else direction
        vertices = self.read_new(new, direction=side, observed=observed, unobserved=unobserved)
        return super().transform(vertices, direction=direction)

    def _positions(self, vertices: NewEdges, direction: str) -> Array:
        inward = direction == "in" and vertices.rows_in is not None
        pairs = vertices.pairs_in if inward else vertices.pairs
        if pairs is not None and self.landmarks_ is not None:
            raise ArgumentError(
                "Pairs of new vertices are unobserved, but the network was embedded by landmarks; fit without "
                "landmarks, or pass all pairs."
            )
        positions = super()._positions(vertices, direction)
        if pairs is not None:
            # A vertex with all pairs has the same bits alone and with others.
            some = np.flatnonzero(pairs.of_rows() < self.n_features_in_)
            rows, names = vertices.towards(direction)[some], names_at(vertices.names, some)
            positions[some] = partial_positions(self, rows, pairs.take(some), names, direction)
        return positions

    def _operator(self, items: Edges) -> Bipartite | Matrix:
        if self.augment_diagonal:
            items = items.with_diagonal(row_means(items))
        return _matrix(items)


def _matrix(items: Edges) -> Bipartite | Matrix:
    return Bipartite(items.product, transposed=items.transposed) if items.directed else Matrix(items.product)
