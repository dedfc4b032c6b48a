"""Omnibus embedding of several networks: the blocks ``(A_i + A_j) / 2``, never formed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.joint.base import JointEmbedding, Placer, transposed
from lpgraph.joint.dimension import hstacked
from lpgraph.linalg.matvec import Product
from lpgraph.spectral.construction import Construction, NewRows
from lpgraph.spectral.embedding import Settings, embed
from lpgraph.spectral.operators import Bipartite, Wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.joint.graphs import GraphSequence
    from lpgraph.spectral.extension import Extension

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OmnibusMatrix:
    """The matrix of blocks ``(A_i + A_j) / 2``: an `lpgraph.linalg.matvec.LinearMap`.

    Attributes
    ----------
    side : csr_array of shape (n, m n)
        ``[A_1 ... A_m]``.
    stack : csr_array of shape (m n, n)
        The same networks, one below another.
    """

    side: sparse.csr_array
    stack: sparse.csr_array

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.stack.shape[0], self.stack.shape[0]

    @property
    def nnz(self) -> int:
        """How many entries a product reads."""
        return self.side.nnz + self.stack.nnz

    @cached_property
    def T(self) -> OmnibusMatrix:  # noqa: N802 - as arrays call it
        """The transpose."""
        return OmnibusMatrix(transposed(self.stack), transposed(self.side))

    @cached_property
    def _factors(self) -> tuple[Product | sparse.csr_array, Product | sparse.csr_array]:
        return Product.of(self.side) or self.side, Product.of(self.stack) or self.stack

    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        # The part of network i is (A_i sum_j v_j + sum_j A_j v_j) / 2.
        side, stack = self._factors
        n = self.side.shape[0]
        total = block.reshape(-1, n, block.shape[1]).sum(axis=0)
        product = np.asarray(stack @ total).reshape(-1, n, block.shape[1])
        return np.asarray((product + side @ block) / 2).reshape(block.shape)


@dataclass(frozen=True, eq=False)
class OmnibusPlacer:
    """Positions by a row in its own network and by the rows of its vertex in all networks.

    Attributes
    ----------
    bases : ndarray of shape (m, n, d)
        What the parts of a row of the omnibus matrix are multiplied by.
    total : ndarray of shape (n, d)
        Their sum.
    common : ndarray of shape (n, d)
        ``sum_j A_j bases_j``: the part of all networks in the positions of a further one.
    """

    bases: Array
    total: Array
    common: Array

    @classmethod
    def of(cls, extension: Extension, side: sparse.csr_array) -> OmnibusPlacer:
        """Return the placer of rows, given the networks side by side."""
        bases = extension.basis.reshape(-1, side.shape[0], extension.basis.shape[1])
        return cls(bases, bases.sum(axis=0), np.asarray(side @ extension.basis))

    def graph(self, rows: sparse.csr_array) -> Array:
        """Return the positions of the known vertices in a further network."""
        return np.asarray((rows @ self.total + self.common) / 2)

    def new(self, rows: Sequence[sparse.csr_array]) -> Array:
        """Return the positions of new vertices in each network."""
        common = sum(some @ basis for some, basis in zip(rows, self.bases, strict=True))
        return np.stack([(some @ self.total + common) / 2 for some in rows])


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

    _prefix = "omni"

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[Mapping[str, object], Mapping[str, Placer]]:
        matrices = [graph.matrix for graph in graphs]
        omnibus = OmnibusMatrix(hstacked(matrices), sparse.csr_array(sparse.vstack(matrices, format="csr")))
        operator = Bipartite(omnibus) if graphs.directed else Wrapped(omnibus)
        construction = Construction(operator, NewRows(), end="magnitude", positive=False)
        found = embed(construction, k, Settings("n_components", **self._search()))
        shape = len(matrices), len(graphs.names), k
        state: dict[str, object] = {"singular_values_": np.abs(found.values), "residuals_": found.residuals}
        state["embeddings_"] = found.coordinates.reshape(shape)
        placers: dict[str, Placer] = {"out": OmnibusPlacer.of(found.extension, omnibus.side)}
        if found.coordinates_in is None or found.extension_in is None:
            return state | {"eigenvalues_": found.values}, placers
        placers["in"] = OmnibusPlacer.of(found.extension_in, omnibus.T.side)
        return state | {"embeddings_in_": found.coordinates_in.reshape(shape)}, placers
