"""Embeddings of several networks: unfolded (UASE), omnibus, and multiple adjacency spectral embedding (MASE)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_real, is_string
from lpgraph.errors import ArgumentError
from lpgraph.graph.preprocess import check_nonnegative, inverse_power
from lpgraph.joint.base import JointEmbedding, Placer, leading
from lpgraph.linalg.matvec import WORTHWHILE, Product
from lpgraph.spectral.construction import Construction, NewRows
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.embedding import Settings, embed
from lpgraph.spectral.operators import Bipartite, Gram, Wrapped
from lpgraph.spectral.problem import fix_signs, relative_scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array
    from lpgraph.joint.graphs import GraphSequence
    from lpgraph.linalg.matvec import LinearMap
    from lpgraph.spectral.extension import Extension


@dataclass(frozen=True, eq=False)
class SideBySide:
    """``diag(left) [A_1 ... A_m] diag(right)``, or the matrices one below another: a `LinearMap`.

    Attributes
    ----------
    blocks, transposes : sequence of matrices
        ``A_t`` and ``A_t'``, or what multiplies by them.
    nnz : int
        Number of stored entries.
    left, right : ndarray of one column, or 1
        Factors of rows and of columns.
    stacked : bool
        Whether the matrices are one below another.
    """

    blocks: Sequence[Product | LinearMap | sparse.csr_array]
    transposes: Sequence[Product | LinearMap | sparse.csr_array]
    nnz: int
    left: Array | float = 1.0
    right: Array | float = 1.0
    stacked: bool = False

    @classmethod
    def of(cls, graphs: GraphSequence) -> Self:
        """Return the adjacency matrices side by side."""
        nnz = sum(graph.product.nnz for graph in graphs)
        least = 1 if nnz >= WORTHWHILE else None
        blocks = [_fast(graph.product, least) for graph in graphs]
        return cls(blocks, [_fast(graph.product.T, least) for graph in graphs] if graphs.directed else blocks, nnz)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        n, m = self.blocks[0].shape[0], len(self.blocks)
        return (m * n, n) if self.stacked else (n, m * n)

    @property
    def T(self) -> SideBySide:  # noqa: N802 - as arrays call it
        """The transpose."""
        return SideBySide(self.transposes, self.blocks, self.nnz, self.right, self.left, not self.stacked)

    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        given = self.right * block
        if self.stacked:
            return self.left * np.vstack([matrix @ given for matrix in self.blocks])
        parts = np.split(given, len(self.blocks))
        return np.asarray(self.left * sum(matrix @ part for matrix, part in zip(self.blocks, parts, strict=True)))


def _fast(matrix: sparse.csr_array | LinearMap, least: int | None) -> Product | LinearMap | sparse.csr_array:
    """Return the compiled product with a sparse matrix, if it is faster."""
    if not sparse.issparse(matrix):
        return matrix
    rows = sparse.csr_array(matrix)
    return Product.of(rows, least=least) or rows


@dataclass(eq=False, repr=False)
class UnfoldedEmbedding(JointEmbedding):
    r"""Embed the vertices of several networks by the singular vectors of their matrices side by side.

    :math:`[A_1 \dots A_m] \approx U S V^T`, and the positions in network t are :math:`Y_t = A_t^T U S^{-1/2}`. Two
    vertices that behave alike get equal positions up to noise, in one network and across networks, so that
    positions can be compared over time (Gallagher, Jones & Rubin-Delanchy 2021). Separate and omnibus embeddings
    do not have this property. :doc:`/joint` explains which joint embedding to choose.

    Parameters
    ----------
    n_components : int or None
        Dimension d. None: singular vectors that held-out edges confirm, 64 at most.
    matrix : {"adjacency", "laplacian"}, default "adjacency"
        With "laplacian", :math:`(D_L + \tau)^{-1/2} [A_1 \dots A_m] (D_R + \tau)^{-1/2}`, with the degrees D_L in
        all networks together and the degrees D_R in each network.
    regularizer : float or "mean", default "mean"
        tau, with the Laplacian only; "mean" is the mean degree of a vertex in a network.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the singular triplets of the unfolded matrix.
    random_state : int, Generator or None
        Seed of the start vectors, and of the edges that are held out; None means a fixed seed.

    Attributes
    ----------
    keys_ : tuple of hashable
        The keys of the networks, in order.
    embeddings_ : ndarray of shape (m, n, d)
        Positions of n vertices in m networks; of directed networks by the arcs from the vertices.
    embeddings_in_ : ndarray of shape (m, n, d)
        Directed networks only: positions by the arcs to the vertices.
    anchor_, anchor_in_ : ndarray of shape (n, d)
        :math:`U S^{1/2}`, positions that do not change: ``embeddings_[t] @ anchor_.T`` approximates A_t (or its
        Laplacian), and ``anchor_in_ @ embeddings_in_[t].T`` does so for directed networks.
    singular_values_, residuals_ : ndarray of shape (d,)
        Singular values of the unfolded matrix, and measured relative residuals. Directed networks also have
        ``singular_values_in_`` and ``residuals_in_``, of the unfolded transposes.
    vertex_names_, graphs_, directed_
        Names of the rows, the networks as a `GraphSequence`, and their kind.
    scree_ : ndarray or None
        The singular values by which d was chosen; None if it was given.

    Notes
    -----
    A position depends on the edges of its vertex in one network only. So `transform_graph` and `transform` return
    the positions of the fit for the networks and vertices of the fit. The eigenvectors of the n x n matrix
    :math:`\sum_t A_t A_t^T` are used if they satisfy `tol` for the n x mn matrix; otherwise they are refined.

    References
    ----------
    Jones, A. & Rubin-Delanchy, P. (2020), "The multilayer random dot product graph", arXiv:2007.10455. Gallagher,
    I., Jones, A. & Rubin-Delanchy, P. (2021), "Spectral embedding for dynamic networks with stability guarantees",
    arXiv:2106.01282. Davis, E., Gallagher, I., Lawson, D. & Rubin-Delanchy, P. (2023), "A simple and powerful
    framework for stable dynamic network embedding", arXiv:2311.09251 (the Laplacian).

    Examples
    --------
    >>> import lpgraph as lp
    >>> months = [lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, p]], random_state=0) for p in (0.5, 0.2)]
    >>> model = lp.joint.UnfoldedEmbedding(2).fit(months)
    >>> model.embeddings_.shape, model.transform_graph(months[1]).shape
    ((2, 100, 2), (100, 2))
    """

    _prefix: ClassVar = "uase"

    matrix: str = "adjacency"
    regularizer: float | str = "mean"

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[Mapping[str, object], Mapping[str, Placer]]:
        if check_choice("matrix", self.matrix, ("adjacency", "laplacian")) == "laplacian":
            check_nonnegative(min(graph.lowest_weight for graph in graphs), "the networks")
        elif not is_string(self.regularizer, "mean"):
            raise ArgumentError(f"regularizer={self.regularizer!r:.80} but matrix='adjacency'; pass 'laplacian'.")
        side = SideBySide.of(graphs)
        state, placer = self._one_side(replace(side, stacked=True).T, k)
        if not graphs.directed:
            return state, {"out": placer}
        # Sources change with the network over fixed targets, and targets over fixed sources: two decompositions.
        inward, placer_in = self._one_side(side, k)
        state |= {f"{name}in_": value for name, value in inward.items()}
        return state, {"out": placer, "in": placer_in}

    def _one_side(self, unfolded: SideBySide, k: int) -> tuple[dict[str, object], Placer]:
        """Return the positions along the columns of matrices side by side, and their placer."""
        tau, (n, width) = None, unfolded.shape
        if self.matrix == "laplacian":
            left, right = unfolded @ np.ones((width, 1)), unfolded.T @ np.ones((n, 1))
            by_default = is_string(self.regularizer, "mean")
            tau = float(right.mean()) if by_default else check_real("regularizer", self.regularizer, low=0.0)
            unfolded = replace(unfolded, left=inverse_power(left + tau), right=inverse_power(right + tau))
        U, values, residuals = leading_left(unfolded, k, self)
        basis = U / np.sqrt(values)
        found = {"anchor_": U * np.sqrt(values), "singular_values_": values, "residuals_": residuals}
        positions = (unfolded.T @ basis).reshape(-1, n, k)
        return {"embeddings_": positions, **found}, Placer(unfolded.left * basis, tau)


def leading_left(unfolded: SideBySide, k: int, model: JointEmbedding) -> tuple[Array, Array, Array]:
    """Return the k leading left singular vectors of a wide matrix, the singular values and measured residuals.

    They are eigenvectors of the small matrix ``F F'``. Its eigenvalues are squares, so small singular values may
    lose the precision that `tol` asks for; then the triplets are refined.
    """
    search = model._search()
    squares = eigenpairs(Gram(unfolded), k, "largest", **search)  # type: ignore[arg-type]  # its products serve
    check_values(squares.values, squares.norm)
    values = np.sqrt(squares.values)
    # With v = F' u / s the other half of the residual vanishes.
    gaps = np.linalg.norm(squares.images / values - squares.vectors * values, axis=0)
    residuals = gaps / (np.sqrt(2) * relative_scale(values, values[0]))
    if residuals.max() <= model.tol:
        return squares.vectors, values, residuals
    start = np.vstack([squares.vectors, unfolded.T @ squares.vectors / values]) / np.sqrt(2)
    found = singular_triplets(Bipartite(unfolded), k, start=start, **search)
    return found.left, found.values, found.residuals


def check_values(squares: Array, norm: float) -> None:
    """Raise if one of the squares of singular values is zero to rounding."""
    rank = int((squares > len(squares) * 100 * np.finfo(float).eps * norm).sum())
    if rank < len(squares):
        raise ArgumentError(f"n_components={len(squares)} but the rank is {rank}; pass n_components <= {rank}.")


@dataclass(frozen=True, eq=False)
class OmnibusMatrix:
    """The matrix of blocks ``(A_i + A_j) / 2``: a `LinearMap`.

    Attributes
    ----------
    side : SideBySide
        ``[A_1 ... A_m]``.
    nnz : int
        How many stored numbers a product reads.
    """

    side: SideBySide
    nnz: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.side.shape[1], self.side.shape[1]

    @property
    def T(self) -> OmnibusMatrix:  # noqa: N802 - as arrays call it
        """The transpose."""
        return replace(self, side=replace(self.side.T, stacked=False))

    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        # The part of network i is (A_i sum_j v_j + sum_j A_j v_j) / 2.
        parts = block.reshape(len(self.side.blocks), -1, block.shape[1])
        product = (replace(self.side, stacked=True) @ parts.sum(axis=0)).reshape(parts.shape)
        return np.asarray((product + self.side @ block) / 2).reshape(block.shape)


def _placer(extension: Extension, side: SideBySide) -> Placer:
    """Return what places vertices by a row in one network and by the rows in all networks."""
    bases = extension.basis.reshape(len(side.blocks), -1, extension.basis.shape[1]) / 2
    return Placer(bases.sum(axis=0), None, bases, side @ extension.basis / 2)


class OmnibusEmbedding(JointEmbedding):
    r"""Embed the vertices of several networks by their omnibus matrix.

    Its block (i, j) is :math:`(A_i + A_j) / 2`. The eigenvectors give each vertex a position in each network,
    along common directions (Levin et al. 2017). The matrix has m n rows, and is never formed.

    Parameters
    ----------
    n_components : int or None
        Dimension d. None: as for `UnfoldedEmbedding`, of the unfolded matrix.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vectors, and of the edges that are held out; None means a fixed seed.

    Attributes
    ----------
    embeddings_, embeddings_in_ : ndarray of shape (m, n, d)
        Positions of n vertices in m networks; in directed networks as sources, and as targets of arcs.
    singular_values_, residuals_ : ndarray of shape (d,)
        Magnitudes of the eigenvalues, of directed networks singular values, and measured relative residuals.
    eigenvalues_ : ndarray of shape (d,)
        Undirected networks only.
    keys_, vertex_names_, graphs_, directed_, scree_
        As in `UnfoldedEmbedding`.

    Notes
    -----
    The position of a vertex in network i comes from :math:`(m A_i + \sum_j A_j) / 2m`. So a difference between two
    networks appears at about half of its size. Its standard deviation is also halved, as if the networks were
    correlated with 3/4 (Pantazis et al. 2022; arXiv:2409.17544), and each position depends on the other networks.
    `UnfoldedEmbedding` does not have this bias.

    References
    ----------
    Levin, K., Athreya, A., Tang, M., Lyzinski, V. & Priebe, C. (2017), "A central limit theorem for an omnibus
    embedding of multiple random graphs", arXiv:1705.09355.

    Examples
    --------
    >>> import lpgraph as lp
    >>> months = [lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, p]], random_state=0) for p in (0.5, 0.2)]
    >>> lp.joint.OmnibusEmbedding(2).fit(months).embeddings_.shape
    (2, 100, 2)
    """

    _prefix: ClassVar = "omni"

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[Mapping[str, object], Mapping[str, Placer]]:
        side = SideBySide.of(graphs)
        omnibus = OmnibusMatrix(side, 2 * side.nnz)
        operator = Bipartite(omnibus) if graphs.directed else Wrapped(omnibus)
        construction = Construction(operator, NewRows(), end="magnitude", positive=False)
        found = embed(construction, k, Settings("n_components", **self._search()))
        shape = len(graphs), len(graphs.names), k
        state: dict[str, object] = {"singular_values_": np.abs(found.values), "residuals_": found.residuals}
        state["embeddings_"] = found.coordinates.reshape(shape)
        placers = {"out": _placer(found.extension, side)}
        if found.coordinates_in is None or found.extension_in is None:
            return state | {"eigenvalues_": found.values}, placers
        placers["in"] = _placer(found.extension_in, omnibus.T.side)
        return state | {"embeddings_in_": found.coordinates_in.reshape(shape)}, placers


@dataclass(eq=False, repr=False)
class MultipleEmbedding(JointEmbedding):
    r"""Embed the vertices of several networks in one subspace, with a small matrix of scores for each network.

    :math:`A_t \approx V R_t V^T`: the networks share the positions V of the vertices, and differ only in the d x d
    numbers R_t, by which networks can be compared and classified (Arroyo et al. 2021). The columns of V are the
    leading left singular vectors of ``[U_1 ... U_m]``, where U_t has the eigenvectors of network t.

    Parameters
    ----------
    n_components : int or None
        Dimension d. None: as for `UnfoldedEmbedding`, of the unfolded matrix.
    scaled : bool, default True
        Whether the eigenvectors of a network are multiplied by the roots of their eigenvalues, so that those that
        describe noise have less weight.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs of each network.
    random_state : int, Generator or None
        Seed of the start vectors, and of the edges that are held out; None means a fixed seed.

    Attributes
    ----------
    embedding_, embedding_in_ : ndarray of shape (n, d)
        V, orthonormal; in each column the entry of largest magnitude is positive. Directed networks have one for
        sources and one for targets of arcs: :math:`A_t \approx V R_t V_{in}^T`.
    scores_ : ndarray of shape (m, d, d)
        :math:`R_t = V^T A_t V_{in}`; its signs depend on those of both V.
    embeddings_, embeddings_in_ : ndarray of shape (m, n, d)
        :math:`A_t V_{in}`, about :math:`V R_t`, and :math:`A_t^T V`: the positions by the edges of one network.
    singular_values_ : ndarray of shape (d,)
        Singular values of the joined eigenvectors.
    residuals_ : ndarray of shape (m, d)
        Measured relative residuals of the eigenpairs of each network.
    keys_, vertex_names_, graphs_, directed_, scree_
        As in `UnfoldedEmbedding`.

    References
    ----------
    Arroyo, J., Athreya, A., Cape, J., Chen, G., Priebe, C. & Vogelstein, J. (2021), "Inference for multiple
    heterogeneous networks with a common invariant subspace", JMLR 22.

    Examples
    --------
    >>> import lpgraph as lp
    >>> months = [lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, p]], random_state=0) for p in (0.5, 0.2)]
    >>> model = lp.joint.MultipleEmbedding(2).fit(months)
    >>> model.scores_.shape, model.score_of(months[0]).shape
    ((2, 2, 2), (2, 2))
    """

    _prefix: ClassVar = "mase"
    embedding_: Array = field(init=False)
    scaled: bool = True

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[Mapping[str, object], Mapping[str, Placer]]:
        each = [leading(graph.product, k, graphs.directed, **self._search()) for graph in graphs]
        sizes = np.abs([found.values for found in each])
        # Eigenvectors of the eigenvalue 0 are arbitrary, and are not counted.
        known = sizes > len(graphs.names) * np.finfo(float).eps * sizes.max(axis=1, keepdims=True)
        weights = known * np.sqrt(sizes) if self.scaled else known
        pairs = list(zip(each, weights, strict=True))
        V, values = _common([found.left * weight for found, weight in pairs], k)
        W = _common([found.right * weight for found, weight in pairs], k)[0] if graphs.directed else V
        positions = np.stack([graph.product @ W for graph in graphs])
        state = {"embedding_": V, "embeddings_": positions, "scores_": V.T @ positions}
        state |= {"singular_values_": values, "residuals_": np.stack([found.residuals for found in each])}
        if graphs.directed:
            state |= {"embedding_in_": W, "embeddings_in_": np.stack([graph.product.T @ V for graph in graphs])}
        return state, {"out": Placer(W), "in": Placer(V)}

    def score_of(self, graph: object) -> Array:
        """Return the (d, d) score of a further network, which is read as by `transform_graph`."""
        positions = self.transform_graph(graph)
        return self.embedding_.T @ positions


def _common(parts: list[Array], k: int) -> tuple[Array, Array]:
    """Return the leading left singular vectors of several blocks side by side, and their singular values."""
    vectors, values, _ = np.linalg.svd(np.hstack(parts), full_matrices=False)
    check_values(values[:k] ** 2, float(values[0]) ** 2)
    leading = vectors[:, :k]
    return leading * fix_signs(leading), values[:k]
