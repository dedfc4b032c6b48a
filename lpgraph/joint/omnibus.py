"""Omnibus embedding of several networks: the blocks ``(A_i + A_j) / 2``, never formed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lpgraph.joint.base import JointEmbedding, Placer
from lpgraph.joint.unfolded import SideBySide
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
        placers: dict[str, Placer] = {"out": _placer(found.extension, omnibus.side)}
        if found.coordinates_in is None or found.extension_in is None:
            return state | {"eigenvalues_": found.values}, placers
        placers["in"] = _placer(found.extension_in, omnibus.T.side)
        return state | {"embeddings_in_": found.coordinates_in.reshape(shape)}, placers
