"""Measures of manifold methods: reconstruction loss, and stability under exchange of training points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.special import ndtri, stdtrit
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from lpgraph._utils.checks import check_finite_array, check_generator, check_integer, type_of
from lpgraph._utils.compiled import slices
from lpgraph._utils.estimators import ShownColumns
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.points.rows import Points, in_memory
from lpgraph.spectral.auto import solver_named
from lpgraph.spectral.construction import ProductRows, Rows
from lpgraph.spectral.eigen import EigenPairs, eigenpairs
from lpgraph.spectral.operators import Deflated, Gram, Operator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lpgraph._utils.types import Array, Integers, Seed
    from lpgraph.linalg.matvec import AnyMatrix

#: Confidence level of the intervals.
_CONFIDENCE = 0.95

#: Columns of the kernel matrix formed at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False, repr=False)
class ReconstructionLoss(ShownColumns):
    """Mean squared error of a kernel's reconstruction from its first m eigenfunctions, for m = 0, 1, ...

    Attributes
    ----------
    positive : ndarray of shape (n_components + 1,)
        Entry m is the loss with the m largest eigenvalues, which are positive, as in embeddings. Entry 0 is the
        mean squared kernel value.
    magnitude : ndarray of shape (n_components + 1,)
        Entry m is the loss with the m eigenvalues of largest magnitude, of either sign, which minimise the loss on
        the training points. It differs from `positive` if negative eigenvalues are large.
    held_out : bool
        Whether the loss is over pairs of new and training points rather than pairs of training points.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> model = lp.manifold.ClassicalMDS(2).fit(np.random.default_rng(0).standard_normal((40, 2)))
    >>> found = lp.metrics.reconstruction_loss(model)
    >>> bool(found.relative[2] < 1e-12)  # the data have two dimensions
    True
    """

    positive: Array
    magnitude: Array
    held_out: bool

    def __repr__(self) -> str:
        last = f"{self.relative[-1]:.3g} of the mean square left by {len(self.positive) - 1} eigenfunctions"
        return f"ReconstructionLoss({last}{', held out' * self.held_out})"

    _columns = ("positive", "magnitude", "relative")

    @property
    def relative(self) -> Array:
        """`positive` divided by the mean squared kernel value, comparable between kernels and sizes."""
        return np.asarray(self.positive / self.positive[0])


def reconstruction_loss(
    model: PointsEmbedding, X: ArrayLike | None = None, n_components: int | None = None
) -> ReconstructionLoss:
    r"""Return the reconstruction loss of a fitted embedding of points.

    The loss is the mean over pairs (Bengio et al. 2004, Section 5) of

    .. math:: L(x, x_j) = (K_n(x, x_j) - \sum_k \lambda_k v_k(x) v_k(x_j))^2

    for the first m = 0, ..., n_components eigenvectors :math:`v_k`, extended to new points by Nystrom's formula.
    The trivial eigenvector of a method, if any, is removed from the kernel first.

    Parameters
    ----------
    model : fitted estimator of `lpgraph.manifold`
        The estimator of the kernel K_n; `LocallyLinearEmbedding` needs a finite c.
    X : array-like of shape (m, p) or (m, n), optional
        Held-out points, as for ``model.transform``: the pairs are those of held-out and training points. Default:
        all pairs of training points (of landmarks, if the method has them).
    n_components : int, optional
        Maximum number of eigenfunctions. Default: the number of dimensions of the model.

    Returns
    -------
    ReconstructionLoss
        The curves for both orders of eigenvalues.

    Raises
    ------
    ArgumentError
        If there are fewer than n_components positive eigenvalues, or K_n does not exist (``c=None``).
    ArgumentTypeError
        If `model` is not an embedding of points.
    NotFittedError
        If it is not fitted.

    Notes
    -----
    Since the eigenvectors are orthonormal, the squared error of a row r of the kernel is
    :math:`|r|^2 - \sum_k (r \cdot v_k)^2`. No matrix of all pairs is stored.

    References
    ----------
    Bengio, Y. et al. (2004), "Learning eigenfunctions links spectral embedding and kernel PCA", Neural Computation
    16, Section 5 and Proposition 3. The proposition orders the eigenvalues by value; the optimum is by magnitude.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((200, 3)) * [3, 2, 1]
    >>> model = lp.manifold.ClassicalMDS(2).fit(X)
    >>> loss = lp.metrics.reconstruction_loss(model, n_components=3)
    >>> loss.relative.round(2)  # three dimensions reproduce the kernel
    array([1.  , 0.16, 0.01, 0.  ])
    """
    _check_embedding(model)
    kernel = model.kernel_rows_
    operator, trivial, size = kernel.operator, kernel.trivial, kernel.operator.shape[0]
    d = model.embedding_.shape[1] if n_components is None else n_components
    d = check_integer("n_components", d, low=1, high=size - 1, why=f"but only {size} training points")
    if trivial is not None:
        operator = Deflated(operator, trivial)  # now the trivial vector has the eigenvalue 0 and comes last
    # An inverse finds one end of the spectrum only, and the order by magnitude needs both.
    solver = solver_named("auto" if model.solver in ("inverse", "multigrid") else model.solver)
    remedies = "a model with a larger tol, or a smaller n_components"
    solve = partial(eigenpairs, solver=solver, tol=model.tol, random_state=model.random_state, remedies=remedies)
    orders = solve(operator, d, "largest"), solve(operator, d, "magnitude")
    values = orders[0].values
    usable = int((values > size * np.finfo(float).eps * abs(values[0])).sum())
    if usable < d:
        raise ArgumentError(
            f"n_components={d} but only {usable} eigenvalues are positive; pass n_components <= {usable}."
        )
    if X is None:
        total, n_pairs, energies = _squares(operator), size * size, [pairs.values**2 for pairs in orders]
    else:
        new = model.read_new(X)
        if not new.shape[0]:
            raise ArgumentError("X has 0 rows; pass at least one point, or None for the training points.")
        total, energies = _held_out(model, new, trivial, orders)
        n_pairs = new.shape[0] * size
    sums = [total - np.append(0.0, np.cumsum(energy)) for energy in energies]
    positive, magnitude = (np.maximum(left, 0.0) / n_pairs for left in sums)
    return ReconstructionLoss(positive, magnitude, X is not None)


def _squares(operator: Operator) -> float:
    """Return the sum of squares of an operator's entries, computed by blocks of columns."""
    if isinstance(operator, Gram):
        return _row_squares(operator.factor.T @ operator.factor)
    n, total = operator.shape[0], 0.0
    for part in slices(n, _BLOCK):
        total += float(np.square(operator @ np.eye(n, part.stop - part.start, -part.start)).sum())
    return total


def _held_out(
    model: PointsEmbedding, new: Points, trivial: Array | None, orders: tuple[EigenPairs, ...]
) -> tuple[float, list[Array]]:
    """Return ``sum |r|^2`` over the rows r of new points, and ``sum (r . v_k)^2`` for each k in both orders."""
    total, energies = 0.0, [np.zeros(len(pairs)) for pairs in orders]
    kernel = model.kernel_rows_
    for part in slices(new.shape[0], kernel.batch(kernel.operator.shape[0])):
        rows = kernel.kernel_rows(in_memory(new[part]))
        total += _row_squares(rows)
        if trivial is not None:
            total -= float(np.square(rows @ trivial[:, None]).sum())
        for energy, pairs in zip(energies, orders, strict=True):
            energy += np.square(rows @ pairs.vectors).sum(axis=0)
    return total, energies


def _row_squares(rows: Rows | AnyMatrix) -> float:
    if isinstance(rows, ProductRows):
        return float(((rows.left @ (rows.right.T @ rows.right)) * rows.left).sum())
    return float(np.square(rows.data if sparse.issparse(rows) else rows).sum())


@dataclass(frozen=True, eq=False, repr=False)
class Stability(ShownColumns):
    """Training-set variability and out-of-sample error; `lpgraph.plot.stability` plots the result.

    Attributes
    ----------
    fractions : ndarray of shape (f,)
        The fractions ``|R1| / n`` of training points that were exchanged, after rounding to whole points.
    variability : ndarray of shape (f,)
        Mean distance that points move when this fraction is exchanged.
    error : ndarray of shape (f,)
        Mean distance between a point's extended position and its position as a training point.
    difference : ndarray of shape (f,)
        Mean of variability minus error, over points and repeats.
    half_width : ndarray of shape (f,)
        Half the width of the 95 % confidence interval of `difference`. The points of one split are not
        independent, since they share two fits. So with more than one repeat, the interval is Student's t over the
        means of the splits. With one repeat, points are treated as independent, as in the papers.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> found = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], random_state=0)
    >>> found.difference.shape
    (2,)
    """

    fractions: Array
    variability: Array
    error: Array
    difference: Array
    half_width: Array

    def __repr__(self) -> str:
        crossing = "None" if self.crossing is None else f"{self.crossing:.3g}"
        return f"Stability(crossing={crossing}, {len(self.fractions)} fractions)"

    _columns = ("fractions", "variability", "error", "difference", "half_width")

    @property
    def crossing(self) -> float | None:
        """The fraction at which the error equals the variability: the first zero of `difference`.

        Interpolated linearly between fractions, and between 0 and the first one (at 0 the variability is 0, and
        the error is that of the first fraction). None if the difference is negative at all fractions.
        """
        x, y = np.append(0.0, self.fractions), np.append(-self.error[0], self.difference)
        above = np.flatnonzero(y > 0)
        if not len(above) or above[0] == 0:
            return None
        i = int(above[0])
        return float(x[i - 1] - y[i - 1] * (x[i] - x[i - 1]) / (y[i] - y[i - 1]))


def stability(
    model: PointsEmbedding,
    X: ArrayLike,
    fractions: ArrayLike = (0.01, 0.02, 0.04, 0.08, 0.16),
    repeats: int = 1,
    *,
    n_held_out: int | None = None,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> Stability:
    """Compare the out-of-sample error with the effect of exchanging a few training points.

    For each fraction the points are split at random into F, R1 and R2, with ``|R1| = |R2| = fraction * n``.

    1. The model is fitted to F and R1, and to F and R2. The second embedding is aligned with the first by linear
       regression on the points of F. The distances that remain are the training-set variability.
    2. For each point of F the model is fitted to F and R1 without the point, and extended to it. The distance from
       its position in the fit to F and R1 is the out-of-sample error. Only the signs of the columns are aligned.
    3. The mean difference of the two distances, with its 95 % interval, is returned for each fraction.

    Parameters
    ----------
    model : estimator of `lpgraph.manifold`
        Clones of it are fitted; the model itself is not changed.
    X : array-like of shape (n, p), or (n, n)
        All points, or their pairwise distances if the model takes those.
    fractions : array-like of float
        Increasing, between 0 and 1/2; each is rounded to whole points, at least one.
    repeats : int, default 1
        Number of splits for each fraction.
    n_held_out : int, optional
        Number of points of F, drawn at random, for which step 2 is done, at one fit per point. Default: all. In
        the same time, many repeats with few points each give a narrower interval.
    random_state : int, Generator or None
        Seed of the splits.
    n_jobs : int or None
        Number of splits processed in parallel, as in scikit-learn; -1 for all cores. The result does not depend on
        it.

    Returns
    -------
    Stability

    Raises
    ------
    ArgumentError
        If a fraction leaves too few points, or the model omits points (``components="largest"``).
    ArgumentTypeError
        If `model` is not an embedding of points.

    References
    ----------
    Bengio, Y. et al. (2004), "Learning eigenfunctions links spectral embedding and kernel PCA", Neural Computation
    16, Section 6 and Figure 2; "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral
    clustering", NIPS 16, Section 5 and Figure 1.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> found = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], random_state=0)
    >>> found.fractions
    array([0.05, 0.2 ])
    >>> bool(found.variability[1] > found.variability[0])
    True
    """
    _check_embedding(model)
    points = model.input.training(X, type(model).__name__)
    n, repeats = points.shape[0], check_integer("repeats", repeats, low=1)
    asked = check_finite_array("fractions", fractions, ndim=1)
    if not len(asked) or (asked <= 0).any() or (asked >= 0.5).any() or (np.diff(asked) <= 0).any():
        raise ArgumentError(f"fractions={fractions!r}; pass increasing numbers between 0 and 0.5.")
    exchanged = np.maximum(1, np.rint(asked * n).astype(int))
    least, fixed = getattr(model, model._size) + 2, n - 2 * exchanged
    if fixed[-1] < least:
        raise ArgumentError(
            f"fractions={fractions!r} leave {fixed[-1]} of {n} points; pass some that leave {least}."
        )
    if n_held_out is not None:
        check_integer("n_held_out", n_held_out, low=1, high=int(fixed[-1]), why="but no more points remain")
    if n_jobs is not None and check_integer("n_jobs", n_jobs, low=-(1 << 20)) == 0:
        raise ArgumentError("n_jobs=0; pass n_jobs >= 1, or n_jobs=-1 for a process on each core.")
    rng, splits = check_generator(random_state), []
    for count in np.repeat(exchanged, repeats).tolist():
        order, stay = rng.permutation(n), n - 2 * count
        held = np.arange(stay) if n_held_out is None else np.sort(rng.choice(stay, n_held_out, replace=False))
        splits.append((order, count, held))
    distances = Parallel(n_jobs=n_jobs)(delayed(_one_split)(model, points, *split) for split in splits)
    rows = []
    for place in range(0, len(splits), repeats):
        moved, missed = np.stack(distances[place : place + repeats], axis=1)
        gap = moved - missed
        rows.append((moved.mean(), missed.mean(), gap.mean(), _half_width(gap)))
    return Stability(exchanged / n, *np.transpose(rows))


def _half_width(gap: Array) -> float:
    """Return half the width of the confidence interval of the mean of differences of shape (splits, points)."""
    upper, n = (1 + _CONFIDENCE) / 2, len(gap)
    means, quantile = (gap.mean(axis=1), stdtrit(n - 1, upper)) if n > 1 else (gap[0], ndtri(upper))
    if len(means) < 2:
        return float("inf")
    return float(quantile * means.std(ddof=1) / np.sqrt(len(means)))


def _one_split(
    model: PointsEmbedding, points: Array, order: Integers, count: int, chosen: Integers
) -> tuple[Array, Array]:
    """Return the variability and the out-of-sample error of the chosen points of F for one split."""
    first, second, stay = order[:count], order[count : 2 * count], order[2 * count :]
    training, m = np.append(stay, first), len(stay)
    reference = _fitted(model, points, training).embedding_
    other = _fitted(model, points, np.append(stay, second)).embedding_
    design = np.column_stack([other[:m], np.ones(m)])
    aligned = design @ np.linalg.lstsq(design, reference[:m], rcond=None)[0]
    moved = np.linalg.norm(aligned - reference[:m], axis=1)[chosen]
    missed = np.empty(len(chosen))
    for k, i in enumerate(chosen):
        rest = np.delete(training, i)
        without = _fitted(model, points, rest)
        sign = np.where((without.embedding_ * np.delete(reference, i, axis=0)).sum(axis=0) < 0, -1.0, 1.0)
        left_out = training[i : i + 1]
        new = points[np.ix_(left_out, rest)] if model.input.pairwise else points[left_out]
        missed[k] = np.linalg.norm(np.asarray(without.transform(new))[0] * sign - reference[i])
    return moved, missed


def _fitted(model: PointsEmbedding, points: Array, index: Integers) -> PointsEmbedding:
    chosen = points[np.ix_(index, index)] if model.input.pairwise else points[index]
    result: PointsEmbedding = clone(model).fit(chosen)
    if len(result.embedding_) < len(index):
        raise ArgumentError("model leaves out points, which cannot be compared; pass components='bridge'.")
    return result


def _check_embedding(model: PointsEmbedding) -> None:
    """Raise if the argument `model` is not an embedding of points."""
    if not isinstance(model, PointsEmbedding):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass an estimator of lpgraph.manifold.")
