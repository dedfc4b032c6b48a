"""Embeddings of several networks: unfolded (UASE), omnibus, and multiple adjacency spectral embedding (MASE)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import matmul
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lpgraph._utils.checks import check_choice, check_real, is_string
from lpgraph.errors import ArgumentError
from lpgraph.graph.preprocess import check_nonnegative, inverse_power
from lpgraph.spectral.construction import Construction, NewRows
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.embedding import Settings, embed
from lpgraph.spectral.operators import Bipartite, Gram, Matrix, Wrapped
from lpgraph.spectral.problem import fix_signs, relative_scale

from .base import JointEmbedding, Placer, leading

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Floats
    from lpgraph.linalg.matvec import AnyMatrix, LinearMap, Product
    from lpgraph.spectral.extension import Extension

    from .graphs import GraphSequence

    Blocks = Sequence[Product | AnyMatrix | LinearMap]


@dataclass(frozen=True, eq=False)
class MatrixFree:
    """A matrix given by its products with blocks of vectors: a `LinearMap`.

    Attributes
    ----------
    shape : tuple of int
        Number of rows and columns.
    nnz : int
        How many stored numbers a product reads.
    forth, back : callable
        The product with the matrix, and with its transpose.
    """

    shape: tuple[int, int]
    nnz: int
    forth: Callable[[Floats], Array]
    back: Callable[[Floats], Array]

    @property
    def T(self) -> MatrixFree:  # noqa: N802 - as arrays call it
        """The transpose."""
        return MatrixFree(self.shape[::-1], self.nnz, self.back, self.forth)

    def __matmul__(self, block: Floats) -> Array:
        return self.forth(block)


def unfolded(graphs: GraphSequence) -> tuple[MatrixFree, MatrixFree]:
    """Return the adjacency matrices side by side, ``[A_1 ... A_m]``, and their transposes side by side."""
    blocks: Blocks = [graph.product for graph in graphs]
    transposes: Blocks = [graph.product.T for graph in graphs]
    if not graphs.directed:  # compiled products of large networks
        blocks = transposes = [Matrix(graph.product).product or graph.product for graph in graphs]
    nnz = sum(graph.product.nnz for graph in graphs)
    return _beside(blocks, transposes, nnz), _beside(transposes, blocks, nnz)


def _beside(blocks: Blocks, transposes: Blocks, nnz: int) -> MatrixFree:
    (n, _), m = blocks[0].shape, len(blocks)
    return MatrixFree(
        (n, m * n),
        nnz,
        lambda block: np.asarray(sum(map(matmul, blocks, np.split(block, m)))),
        lambda block: np.vstack([matrix @ block for matrix in transposes]),
    )


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

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[dict[str, object], dict[str, Placer]]:
        if check_choice("matrix", self.matrix, ("adjacency", "laplacian")) == "laplacian":
            check_nonnegative(min(graph.lowest_weight for graph in graphs), "the networks")
        elif not is_string(self.regularizer, "mean"):
            raise ArgumentError(f"regularizer={self.regularizer!r:.80} but matrix='adjacency'; pass 'laplacian'.")
        side, transposed = unfolded(graphs)
        state, placer = self._one_side(transposed, k)
        if not graphs.directed:
            return state, {"out": placer}
        # Sources change with the network over fixed targets, and targets over fixed sources: two decompositions.
        inward, placer_in = self._one_side(side, k)
        state |= {f"{name}in_": value for name, value in inward.items()}
        return state, {"out": placer, "in": placer_in}

    def _one_side(self, given: MatrixFree, k: int) -> tuple[dict[str, object], Placer]:
        """Return the positions along the columns of matrices side by side, and their placer."""
        tau, left, matrix, (n, width) = None, np.ones((1, 1)), given, given.shape
        if self.matrix == "laplacian":
            degrees, others = given @ np.ones((width, 1)), given.T @ np.ones((n, 1))
            by_default = is_string(self.regularizer, "mean")
            tau = float(others.mean()) if by_default else check_real("regularizer", self.regularizer, low=0.0)
            left, right = inverse_power(degrees + tau), inverse_power(others + tau)
            matrix = MatrixFree(
                given.shape,
                given.nnz,
                lambda block: left * (given @ (right * block)),
                lambda block: right * (given.T @ (left * block)),
            )
        U, values, residuals = leading_left(matrix, k, self)
        basis = U / np.sqrt(values)
        found = {"anchor_": U * np.sqrt(values), "singular_values_": values, "residuals_": residuals}
        return {"embeddings_": (matrix.T @ basis).reshape(-1, n, k), **found}, Placer(left * basis, tau)


def leading_left(wide: MatrixFree, k: int, model: JointEmbedding) -> tuple[Array, Array, Array]:
    """Return the k leading left singular vectors of a wide matrix, the singular values and measured residuals.

    They are eigenvectors of the small matrix ``F F'``. Its eigenvalues are squares, so small singular values may
    lose the precision that `tol` asks for; then the triplets are refined.
    """
    search = model._search()
    squares = eigenpairs(Gram(wide), k, "largest", **search)  # type: ignore[arg-type]  # its products serve
    check_values(squares.values, squares.norm)
    values = np.sqrt(squares.values)
    # With v = F' u / s the other half of the residual vanishes.
    gaps = np.linalg.norm(squares.images / values - squares.vectors * values, axis=0)
    residuals = gaps / (np.sqrt(2) * relative_scale(values, values[0]))
    if residuals.max() <= model.tol:
        return squares.vectors, values, residuals
    start = np.vstack([squares.vectors, wide.T @ squares.vectors / values]) / np.sqrt(2)
    found = singular_triplets(Bipartite(wide), k, start=start, **search)
    return found.left, found.values, found.residuals


def check_values(squares: Array, norm: float) -> None:
    """Raise if one of the squares of singular values is zero to rounding."""
    rank = int((squares > len(squares) * 100 * np.finfo(float).eps * norm).sum())
    if rank < len(squares):
        raise ArgumentError(f"n_components={len(squares)} but the rank is {rank}; pass n_components <= {rank}.")


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

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[dict[str, object], dict[str, Placer]]:
        side, transposed = unfolded(graphs)
        m, (n, width) = len(graphs), side.shape

        def product(stacked: MatrixFree, beside: MatrixFree) -> Callable[[Floats], Array]:
            # The part of network i is (A_i sum_j v_j + sum_j A_j v_j) / 2.
            return lambda block: (
                (stacked @ block.reshape(m, n, -1).sum(axis=0) + np.tile(beside @ block, (m, 1))) / 2
            )

        def placer(extension: Extension, beside: MatrixFree) -> Placer:
            bases = extension.basis.reshape(m, n, k) / 2
            return Placer(bases.sum(axis=0), None, bases, beside @ extension.basis / 2)

        products = product(transposed.T, side), product(side.T, transposed)
        omnibus = MatrixFree((width, width), 2 * side.nnz, *products)
        operator = Bipartite(omnibus) if graphs.directed else Wrapped(omnibus)
        construction = Construction(operator, NewRows(), end="magnitude", positive=False)
        found = embed(construction, k, Settings("n_components", **self._search()))
        state: dict[str, object] = {"singular_values_": np.abs(found.values), "residuals_": found.residuals}
        state["embeddings_"] = found.coordinates.reshape(m, n, k)
        placers = {"out": placer(found.extension, side)}
        if found.coordinates_in is None or found.extension_in is None:
            return state | {"eigenvalues_": found.values}, placers
        placers["in"] = placer(found.extension_in, transposed)
        return state | {"embeddings_in_": found.coordinates_in.reshape(m, n, k)}, placers


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

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[dict[str, object], dict[str, Placer]]:
        each = [leading(graph.product, k, graphs.directed, **self._search()) for graph in graphs]
        sizes = np.abs([found.values for found in each])
        # Eigenvectors of the eigenvalue 0 are arbitrary, and are not counted.
        known = sizes > len(graphs.names) * np.finfo(float).eps * sizes.max(axis=1, keepdims=True)
        weights = known * np.sqrt(sizes) if self.scaled else known
        pairs = list(zip(each, weights, strict=True))
        V, values = _common([found.left * weight for found, weight in pairs], k)
        W = _common([found.right * weight for found, weight in pairs], k)[0] if graphs.directed else V
        positions = np.stack([graph.product @ W for graph in graphs])
        residuals = np.stack([found.residuals for found in each])
        state = {"embedding_": V, "embeddings_": positions, "scores_": V.T @ positions}
        state |= {"singular_values_": values, "residuals_": residuals}
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
