"""Unfolded adjacency spectral embedding of several networks (UASE): the SVD of ``[A_1 ... A_m]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_real, is_string
from lpgraph.errors import ArgumentError
from lpgraph.graph.preprocess import check_nonnegative, inverse_power
from lpgraph.joint.base import JointEmbedding, Placer
from lpgraph.linalg.matvec import WORTHWHILE, Product
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.operators import Bipartite, Gram
from lpgraph.spectral.problem import relative_scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.joint.graphs import GraphSequence
    from lpgraph.linalg.matvec import LinearMap

    Array = NDArray[np.float64]


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
            return np.asarray(self.left * np.vstack([matrix @ given for matrix in self.blocks]))
        parts = np.split(given, len(self.blocks))
        return np.asarray(self.left * sum(matrix @ part for matrix, part in zip(self.blocks, parts, strict=True)))


def _fast(matrix: sparse.csr_array | LinearMap, least: int | None) -> Product | LinearMap | sparse.csr_array:
    """Return the compiled product with a sparse matrix, if it is faster."""
    rows = sparse.csr_array(matrix) if sparse.issparse(matrix) else None
    return matrix if rows is None else Product.of(rows, least=least) or rows


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
