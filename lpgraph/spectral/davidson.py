r"""Davidson's method: smallest eigenpairs of a sparse matrix by means of an approximate inverse of it.

A Krylov method needs about :math:`\sqrt{norm / gap}` products, thousands for a large graph of low dimension. Here
the residual of every Ritz vector is multiplied by an approximate inverse before it is added to the basis. How many
such steps are needed depends on the quality of the inverse only: about twenty with `lpgraph.spectral.multigrid`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph._progress import tell
from lpgraph.linalg.basis import Basis
from lpgraph.spectral.blocks import add_block
from lpgraph.spectral.tolerances import SETTLED_POWER

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["DavidsonRun", "davidson"]

#: Columns of the basis in addition to one for each pair: a fixed number, and a number for each pair up to a limit,
#: which bounds the memory. With half of them ten pairs need twice the steps.
_SPARE = 20
_EACH = 5
_LIMIT = 150

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True, eq=False)
class DavidsonRun:
    """Orthonormal vectors of the smallest eigenvalues, the steps taken, and products with the matrix."""

    vectors: Array
    steps: int
    products: int
    converged: bool


@dataclass(eq=False)
class _Subspace:
    """An orthonormal basis, and the projection of a matrix onto it; the first `fixed` columns are left out."""

    operator: SymmetricOperator
    basis: Basis
    rng: np.random.Generator
    fixed: int = 0
    size: int = 0
    products: int = 0
    projection: Array = field(init=False)

    def __post_init__(self) -> None:
        room = self.basis.array.shape[1]
        self.projection = np.zeros((room, room))

    def fix(self, vector: Array) -> None:
        """Store a unit vector that the others are to be orthogonal to."""
        add_block(self.basis, 0, vector[None].copy(), self.rng)
        self.fixed = self.size = 1

    def add(self, columns: Array) -> None:
        """Add directions, two at a time, as the compiled loops take them."""
        for j in range(0, columns.shape[1], 2):
            rows = np.ascontiguousarray(columns[:, j : j + 2].T)
            self.basis.take_out(self.size, rows, before=np.linalg.norm(rows, axis=1))
            add_block(self.basis, self.size, rows, self.rng)
            grown = self.size + len(rows)
            block = np.ascontiguousarray(self.basis.block(self.size, grown))
            image = np.ascontiguousarray((self.operator @ block).T)
            along = self.basis.products(0, grown, image)[0]
            self.projection[:grown, self.size : grown] = along
            self.projection[self.size : grown, :grown] = along.T
            self.size, self.products = grown, self.products + len(rows)

    def ritz(self) -> tuple[Array, Array]:
        """Return Ritz values, smallest first, and the vectors' coefficients."""
        inner = self.projection[self.fixed : self.size, self.fixed : self.size]
        values, vectors = scipy.linalg.eigh((inner + inner.T) / 2, driver="evd")
        return values, vectors

    def vectors(self, rotation: Array) -> Array:
        """Return combinations of the columns."""
        return np.asarray(self.basis.array[:, self.fixed : self.size] @ rotation)

    def restart(self, rotation: Array) -> None:
        """Keep some combinations of the columns only, given by their orthonormal coefficients."""
        keep = self.fixed + rotation.shape[1]
        whole = np.zeros((self.size, keep))
        whole[: self.fixed, : self.fixed] = np.eye(self.fixed)
        whole[self.fixed :, self.fixed :] = rotation
        inner = self.projection[self.fixed : self.size, self.fixed : self.size]
        inner = rotation.T @ (inner + inner.T) @ rotation / 2
        self.basis.rotate(self.size, whole)
        self.size = keep
        self.projection[:] = 0.0
        self.projection[self.fixed : keep, self.fixed : keep] = inner


def davidson(
    operator: SymmetricOperator,
    inverse: SymmetricOperator,
    start: Array,
    k: int,
    tol: float,
    scale: Callable[[Array], Array],
    *,
    without: Array | None,
    max_steps: int,
    rng: np.random.Generator,
) -> DavidsonRun:
    """Return vectors of the k smallest eigenvalues whose residuals are within `tol`, or the best after all steps.

    Parameters
    ----------
    operator : SymmetricOperator
        Positive semi-definite A, n x n.
    inverse : SymmetricOperator
        Close to A's inverse on the orthogonal complement of `without`.
    start : ndarray of shape (n, s)
        Vectors to begin with; random ones are added.
    k : int
        Number of vectors.
    tol, scale : float, callable
        Residuals may be `tol` times what `scale` returns for the eigenvalues.
    without : ndarray of shape (n,) or None
        A unit eigenvector that is not wanted.
    max_steps : int
        The iteration gives up after so many steps.
    rng : Generator
        Replaces directions that vanish, and gives one more to begin with.

    Notes
    -----
    The next Ritz vector after the wanted ones is improved as well until its residual is small against its distance
    from them, and a random direction is among the first: a pair that `start` lacks is found.
    """
    n = operator.shape[0]
    look = min(k + 1, n - (without is not None))
    room = min(n, max(look + min(_EACH * look, max(look, _LIMIT)), start.shape[1]) + _SPARE)
    space = _Subspace(operator, Basis(n, room + 2), rng)
    if without is not None:
        space.fix(without)
    more = max(1, look + 1 - start.shape[1])
    space.add(np.column_stack([start, inverse @ rng.standard_normal((n, more))]))
    step, before = 0, np.zeros((0, 0))
    while True:
        values, rotation = space.ritz()
        vectors = space.vectors(rotation[:, :look])
        residual = operator @ vectors - values[:look] * vectors
        space.products += look
        lengths, unit = np.linalg.norm(residual, axis=0), scale(values[:look])
        allowed = tol * unit
        allowed[k:] = np.maximum(tol**SETTLED_POWER * unit[k:], values[k:look] - values[k - 1])
        open_ = np.flatnonzero(lengths > allowed)
        found = int(k - (open_ < k).sum())
        tell(
            _log,
            "%d of %d eigenpairs converged, residual %.0e, step %d, %d products",
            found,
            k,
            float((lengths / unit)[:k].max()),
            step,
            space.products,
            of=(found, k),
        )
        if not len(open_) or step == max_steps:
            return DavidsonRun(vectors[:, :k], step, space.products, not len(open_))
        if space.size + len(open_) > room:
            # With the last step's vectors the next steps are nearly as good as with all that is left out.
            left = room - space.fixed - len(open_)
            keep = min(k + (space.size - space.fixed - k) // 3, left)
            last = np.zeros((len(rotation), min(before.shape[1], left - keep)))
            last[: len(before)] = before[:, : last.shape[1]]
            kept = np.linalg.qr(np.column_stack([rotation[:, :keep], last]))[0]
            space.restart(kept)
            rotation = kept.T @ rotation
        before = rotation[:, open_]
        space.add(inverse @ residual[:, open_])
        step += 1
