"""Rotation between two sets of positions without known correspondence, by entropic optimal transport.

The plan of cost |x_i - y_j|^2 and regularisation e is P_ij = exp(a_i + b_j + 2 <x_i, y_j> / e): the squared
lengths are part of the potentials a and b. A change of the rotation of X changes only the inner products, so that
b remains a good start; a follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from lpgraph._utils.checks import check_finite_array, check_generator, check_integer, check_real, check_signature
from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.estimators import Shown
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError
from lpgraph.points.checks import check_indices

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph._utils.types import Array, Integers, Seed


#: Rows of each set in the search for the best start, and dimensions at most.
_FEW, _MOST_DIMENSIONS = 300, 10
#: Regularisation of the first steps from each start relative to the last ones, and the number of steps.
_COARSE, _COARSE_STEPS = (16.0, 8.0, 4.0), 4
#: Starts that are followed on all rows.
_KEPT = 4
#: Change of the rotation at which the best of these is chosen, and at which the iteration ends.
_ROUGH_TOL, _TOL = 1e-3, 1e-6
#: Largest plan, in pairs of rows: 1 GB.
_MOST = 1 << 27
#: Updates of both potentials before the plan is computed anew.
_UPDATES = 10


@dataclass(frozen=True, eq=False)
class SeedlessAlignment(Shown):
    """Rotation and correspondence of two sets of positions, from `seedless_procrustes`.

    Attributes
    ----------
    rotation : ndarray of shape (d, d)
        Q, orthogonal within the columns of one sign: ``X @ rotation`` is aligned with Y.
    objective : float
        The transport cost, ``sum_ij P_ij |Q' x_i - y_j|^2``, for the transport plan P.
    converged : bool
        Whether the rotation no longer changed.
    transport : Transport
        The transport plan, as a potential; see `plan`.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 2, 4], 100)
    >>> turn = np.diag([1.0, -1.0, 1.0])
    >>> found = lp.seedless_procrustes(X, (X @ turn)[::-1])
    >>> bool(np.allclose(found.rotation, turn, atol=0.01))
    True
    >>> found.plan([0]).argmax()  # the rows were reversed
    np.int64(99)
    """

    rotation: Array
    objective: float
    converged: bool
    transport: Transport = field(repr=False)

    def plan(self, rows: ArrayLike | None = None) -> Array:
        """Return rows of the transport plan P, the share of mass that vertex i of X sends to vertex j of Y.

        Parameters
        ----------
        rows : array_like of int, optional
            The rows of X. Default: all.

        Returns
        -------
        ndarray of shape (k, m)
            Row i has the sum 1 / n, and in the whole plan column j has the sum 1 / m.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If a row does not exist.

        Examples
        --------
        >>> import numpy as np, lpgraph as lp
        >>> X = np.random.default_rng(0).dirichlet([1, 2, 4], 100)
        >>> lp.seedless_procrustes(X, X[:50]).plan([3, 7]).shape
        (2, 50)
        """
        n = len(self.transport.x)
        index = np.arange(n) if rows is None else check_indices("rows", rows, n, 1)
        # Rows get their exact mass.
        logs = self.transport.products(index) + self.transport.b
        return np.exp(logs - logsumexp(logs, axis=1, keepdims=True)) / n


def seedless_procrustes(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    signature: ArrayLike | None = None,
    regularization: float = 0.01,
    max_iter: int = 1000,
    random_state: Seed = 0,
) -> SeedlessAlignment:
    """Align two sets of positions of different, or unknown, vertices by a rotation.

    The positions of two networks are each determined up to a rotation. The rotation Q that brings the distribution
    of the rows of X closest to that of Y, and a transport plan between the rows, are found in turn: the plan for
    given Q by Sinkhorn's algorithm, and Q for a given plan by orthogonal Procrustes. This is repeated from all
    sign changes of the columns, which are compared on at most 300 rows of each set; the best four are followed.

    Parameters
    ----------
    X, Y : array_like of shape (n, d), (m, d)
        Positions, for example `embedding_` of two networks. The numbers of rows may differ.
    signature : (int, int) or array_like of shape (d,), optional
        Numbers of columns of positive and of negative sign, or the sign of each column, as in ``signature_``. Then
        columns of different signs are not mixed. Default: all columns have one sign.
    regularization : float, default 0.01
        Weight of the entropy of the plan, relative to the mean squared length of the rows of X and Y.
    max_iter : int, default 1000
        Largest number of steps from a start.
    random_state : int, Generator or None, default 0
        Seed of the rows that are compared if there are more.

    Returns
    -------
    SeedlessAlignment

    Raises
    ------
    ArgumentError
        If the numbers of columns differ or exceed 10, an entry is not finite, or there are more than 2^27 pairs of
        rows.

    Warns
    -----
    LpgraphWarning
        If the iteration did not converge.

    Notes
    -----
    Each step takes O(n m d) time and O(n m) memory. If this is too much, align some of the rows, drawn at random:
    their rotation is that of all.

    References
    ----------
    Agterberg, J., Tang, M. & Priebe, C. E. (2020), "Nonparametric two-sample hypothesis testing for random graphs
    with negative and repeated eigenvalues", arXiv:2012.09828, Section 4. Cuturi, M. (2013), "Sinkhorn distances:
    lightspeed computation of optimal transport", NIPS 26.

    Examples
    --------
    Two networks of different sizes from one block model:

    >>> import numpy as np, lpgraph as lp
    >>> B = [[0.5, 0.2], [0.2, 0.3]]
    >>> sizes = [60, 40], [150, 100]
    >>> graphs = [lp.stochastic_block_model(n, B, random_state=seed) for seed, n in enumerate(sizes)]
    >>> X, Y = (lp.AdjacencySpectralEmbedding(2).fit_transform(graph) for graph in graphs)
    >>> found = lp.seedless_procrustes(X, Y)
    >>> aligned = X @ found.rotation
    >>> bool(np.linalg.norm(aligned[:60].mean(axis=0) - Y[:150].mean(axis=0)) < 0.1)
    True
    """
    x, y = check_finite_array("X", X, ndim=2), check_finite_array("Y", Y, ndim=2)
    if x.shape[1] != y.shape[1] or not len(x) or not len(y):
        raise ArgumentError(f"X has shape {x.shape} and Y has shape {y.shape}; pass rows of as many columns.")
    if len(x) * len(y) > _MOST:
        raise ArgumentError(f"X has {len(x)} rows and Y {len(y)}; pass some rows of each, with n m <= {_MOST}.")
    d = x.shape[1]
    signs = np.ones(d, dtype=np.int64) if signature is None else check_signature("signature", signature, d)
    weight = check_real("regularization", regularization, low=0, open_low=True)
    steps = check_integer("max_iter", max_iter, low=1)
    rng = check_generator(random_state)
    scale = float((x**2).sum(axis=1).mean() + (y**2).sum(axis=1).mean()) / 2
    epsilon = weight * (scale or 1.0)
    with blas_alone():
        runs = _best_starts(x, y, signs, epsilon, rng)
        for run in runs:
            run.follow(_ROUGH_TOL, steps)
        best = min(runs, key=attrgetter("cost"))
        best.follow(_TOL, steps)
    if not best.converged:
        warn(f"The rotation still changed after max_iter={steps} steps; pass a larger max_iter.")
    return SeedlessAlignment(best.rotation, max(best.cost, 0.0), best.converged, best)


def _best_starts(
    x: Array, y: Array, signs: NDArray[np.int64], epsilon: float, rng: np.random.Generator
) -> list[Transport]:
    """Return transports from the best matrices of signs, with rotations that were found on some of the rows."""
    d = len(signs)
    if d > _MOST_DIMENSIONS:
        raise ArgumentError(f"X has {d} columns; pass at most {_MOST_DIMENSIONS}.")
    few_x, few_y = (z if len(z) <= _FEW else z[np.sort(rng.choice(len(z), _FEW, replace=False))] for z in (x, y))
    starts = [Transport(few_x, few_y, signs, epsilon, np.diag(start)) for start in product((1.0, -1.0), repeat=d)]
    for few in starts:
        few.cool(_COARSE)
        few.step()
    starts.sort(key=attrgetter("cost"))  # stable: equal costs in the order of the starts
    runs = [Transport(x, y, signs, epsilon, few.rotation) for few in starts[:_KEPT]]
    for run in runs:
        run.cool(_COARSE[-1:])
    return runs


def _nearest(moments: Array, signs: NDArray[np.int64]) -> Array:
    """Return the orthogonal Q that maximises ``trace(Q' M)`` and does not mix columns of different signs."""
    result = np.zeros_like(moments)
    for sign in (1, -1):
        columns = np.ix_(signs == sign, signs == sign)
        u, _, vt = np.linalg.svd(moments[columns])
        result[columns] = u @ vt
    return result


class Transport:
    """A transport plan between n rows of X and m rows of Y, each of equal mass.

    Parameters
    ----------
    x, y : ndarray of shape (n, d), (m, d)
    signs : ndarray of shape (d,)
        Signs of the columns; columns of different signs are not mixed.
    epsilon : float
        Regularisation: the weight of the entropy of the plan.
    rotation : ndarray of shape (d, d)
        The first rotation of the rows of X; the present one is an attribute.

    Attributes
    ----------
    cost : float
        The transport cost in the last step.
    b : ndarray of shape (m,)
        Potentials of the rows of Y.
    """

    def __init__(self, x: Array, y: Array, signs: NDArray[np.int64], epsilon: float, rotation: Array) -> None:
        self.x, self.y, self.signs, self.epsilon, self.rotation = x, y, signs, epsilon, rotation
        self._lengths = (x**2).sum(axis=1), (y**2).sum(axis=1)
        self.b: Array = -self._lengths[1] / epsilon
        self.cost, self.n_steps, self.converged = np.inf, 0, False

    def follow(self, tol: float, max_iter: int) -> None:
        """Alternate plan and rotation until the rotation changes by less than `tol`."""
        self.converged = False
        while not self.converged and self.n_steps < max_iter:
            before, self.rotation = self.rotation, _nearest(self.step(), self.signs)
            self.converged = bool(np.abs(self.rotation - before).max() < tol)
            self.n_steps += 1

    def cool(self, factors: tuple[float, ...]) -> None:
        """Take some steps with each of some decreasing multiples of the regularisation."""
        epsilon = self.epsilon
        for factor in factors:
            self._set_epsilon(epsilon * factor)
            for _ in range(_COARSE_STEPS):
                self.rotation = _nearest(self.step(), self.signs)
        self._set_epsilon(epsilon)

    def _set_epsilon(self, epsilon: float) -> None:
        """Change the regularisation, with the same dual variables in units of the cost."""
        self.b *= self.epsilon / epsilon
        self.epsilon = epsilon

    def products(self, rows: slice | Integers) -> Array:
        """Return the inner products of some rotated rows of X with the rows of Y, times 2 / epsilon."""
        return (self.x[rows] @ self.rotation) @ self.y.T * (2 / self.epsilon)

    def step(self) -> Array:
        """Update the potentials and the cost, and return the moments ``X.T @ P @ Y`` of the unrotated X."""
        n, m = len(self.x), len(self.y)
        plan = self.products(slice(None))
        plan += (-np.log(n) - logsumexp(plan + self.b, axis=1))[:, None]
        if (plan.max(axis=0) + self.b).min() < -600:  # a column that would vanish
            self.b = -np.log(m) - logsumexp(plan, axis=0)
        plan += self.b
        np.exp(plan, out=plan)
        u, v = np.ones(n), np.ones(m)
        for _ in range(_UPDATES):
            rows = plan @ v
            if rows.min() <= 0:
                break
            u = 1 / (n * rows)
            v = 1 / (m * (u @ plan))
        self.b += np.log(v)
        moments = self.x.T @ (u[:, None] * (plan @ (v[:, None] * self.y)))
        # The last update was of b, so that the masses of the rows of Y are exact.
        lengths = (u * (plan @ v)) @ self._lengths[0] + self._lengths[1].mean()
        self.cost = float(lengths - 2 * (self.rotation * moments).sum())
        return moments
