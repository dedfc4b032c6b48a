"""Multiple adjacency spectral embedding (MASE): a common subspace, and a matrix of scores of each network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lpgraph.joint.base import JointEmbedding, Placer, leading
from lpgraph.joint.unfolded import check_values
from lpgraph.spectral.problem import fix_signs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.joint.graphs import GraphSequence

    Array = NDArray[np.float64]


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
        each = [leading(graph.product, k, self._search(), directed=graphs.directed) for graph in graphs]
        sizes = np.abs([found.values for found in each])
        # Eigenvectors for 0 are arbitrary, and count nothing.
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
        return np.asarray(self.embedding_.T @ positions)


def _common(parts: list[Array], k: int) -> tuple[Array, Array]:
    """Return the leading left singular vectors of several blocks side by side, and their singular values."""
    vectors, values, _ = np.linalg.svd(np.hstack(parts), full_matrices=False)
    check_values(values[:k] ** 2, float(values[0]) ** 2)
    leading = vectors[:, :k]
    return leading * fix_signs(leading), values[:k]
