"""Unfolded adjacency spectral embedding of several networks (UASE): the SVD of ``[A_1 ... A_m]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_real, is_string
from lpgraph.embed.constructions import degrees_of
from lpgraph.errors import ArgumentError
from lpgraph.graph.preprocess import check_nonnegative, inverse_power
from lpgraph.joint.base import JointEmbedding, Placer, transposed
from lpgraph.joint.dimension import hstacked
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.operators import Bipartite, Gram
from lpgraph.spectral.problem import relative_scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.joint.graphs import GraphSequence

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowPlacer:
    """Positions that depend on a vertex's row in one network only.

    Attributes
    ----------
    basis : ndarray of shape (n, d)
        What rows are multiplied by.
    regularizer : float, optional
        With the Laplacian: tau, which is added to the degree of a row before the row is divided by its root.
    """

    basis: Array
    regularizer: float | None = None

    def graph(self, rows: sparse.csr_array) -> Array:
        """Return the positions of vertices with these rows."""
        positions = np.asarray(rows @ self.basis)
        if self.regularizer is None:
            return positions
        check_nonnegative(float(rows.data.min(initial=0.0)), "the network")
        return positions * inverse_power(degrees_of(rows) + self.regularizer)[:, None]

    def new(self, rows: Sequence[sparse.csr_array]) -> Array:
        """Return the positions of new vertices in each network."""
        return np.stack([self.graph(some) for some in rows])


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

    _prefix = "uase"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        matrix: str = "adjacency",
        regularizer: float | str = "mean",
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.matrix = matrix
        self.regularizer = regularizer

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[Mapping[str, object], Mapping[str, Placer]]:
        matrices = [graph.matrix for graph in graphs]
        back = [transposed(matrix) for matrix in matrices] if graphs.directed else matrices
        state, placer = self._one_side(matrices, hstacked(back), k)
        if not graphs.directed:
            return state, {"out": placer}
        # Sources change with the network over fixed targets, and targets over fixed sources: two decompositions.
        inward, placer_in = self._one_side(back, hstacked(matrices), k)
        state |= {f"{name}in_": value for name, value in inward.items()}
        return state, {"out": placer, "in": placer_in}

    def _one_side(
        self, rows: list[sparse.csr_array], unfolded: sparse.csr_array, k: int
    ) -> tuple[dict[str, object], Placer]:
        """Return positions of the rows of each network, and their placer; `unfolded` has these rows as columns."""
        tau, left = None, np.ones(unfolded.shape[0])
        if check_choice("matrix", self.matrix, ("adjacency", "laplacian")) == "laplacian":
            check_nonnegative(float(unfolded.data.min()), "the networks")
            if is_string(self.regularizer, "mean"):
                tau = float(unfolded.sum() / unfolded.shape[1])
            else:
                tau = check_real("regularizer", self.regularizer, low=0.0)
            left, right = (inverse_power(degrees_of(side) + tau) for side in (unfolded, transposed(unfolded)))
            unfolded = sparse.csr_array(sparse.diags_array(left) @ unfolded @ sparse.diags_array(right))
        U, values, residuals = leading_left(unfolded, k, self)
        placer = RowPlacer(left[:, None] * U / np.sqrt(values), tau)
        found = {"anchor_": U * np.sqrt(values), "singular_values_": values, "residuals_": residuals}
        return {"embeddings_": placer.new(rows), **found}, placer


def leading_left(unfolded: sparse.csr_array, k: int, model: JointEmbedding) -> tuple[Array, Array, Array]:
    """Return the k leading left singular vectors of a wide matrix, the singular values and measured residuals.

    They are eigenvectors of the small matrix ``F F'``. Its eigenvalues are squares, so small singular values may
    lose the precision that `tol` asks for; then the triplets are refined.
    """
    search = model._search()
    squares = eigenpairs(Gram(unfolded), k, "largest", **search)
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
        raise ArgumentError(f"n_components={len(squares)} but the networks have rank {rank}; pass at most this.")
