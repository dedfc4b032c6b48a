"""The wanted eigenpairs of a construction, the coordinates, and their extension.

As many pairs are found as asked for, or as a rule chooses.

The product ``M v``, from which the residual of a pair is computed, is used again: the embedding is ``s M v / l``
and not ``s v``. The two agree to the measured residual, and the first is exactly the extension of the training
rows, so that ``transform(training) == embedding_`` holds to rounding at any tolerance. The residual is orthogonal
to the vectors, so the columns stay orthogonal to the square of the residual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from lpgraph._utils.types import Array, Flags, Integers, Seed
from lpgraph.errors import ArgumentError, ConvergenceError

from .dimension import (
    EIGENVALUE_CV,
    SIGN_FLIPS,
    DimensionChoice,
    check_rule,
    choose_dimension,
    scree_length,
)
from .eigen import eigenpairs
from .eigenvalue_cv import significant_eigenvectors
from .extension import Extension
from .lanczos import Lanczos
from .operators import Bipartite
from .problem import EigenPairs, End, SingularTriplets, Solver
from .shift_invert import ShiftInvert
from .tolerances import NORM_SHARE
from .whole_matrix import LARGEST, above_flips

if TYPE_CHECKING:
    from .aligned import Alignment
    from .construction import Construction


T = TypeVar("T")

#: Eigenvalues up to so many times ``norm(M v - l v)`` count as 0: M v / l would differ from v by a thousandth.
_DISTORTED = 1e3

#: Up to this size, the largest possible number of dimensions is computed for an error.
_COUNTED = 1000


@dataclass(frozen=True)
class AtMost:
    """As many dimensions as the matrix has eigenvalues that are not zero, and at most `count`."""

    count: int


@dataclass(frozen=True)
class OfEachSign:
    """Numbers of positive and of negative eigenvalues: those of largest magnitude of each sign."""

    positive: int
    negative: int

    def __str__(self) -> str:
        return f"align_to has {self.positive} positive and {self.negative} negative eigenvalues"

    def among(self, values: Array) -> Integers:
        """Return the positions of the leading values of each sign, or of as many as there are."""
        positive, negative = np.flatnonzero(values > 0), np.flatnonzero(values < 0)
        return np.sort(np.r_[positive[: self.positive], negative[: self.negative]])


#: A number of dimensions, or a rule that chooses it.
Dimension: TypeAlias = int | str | Callable[[Array], int] | AtMost | DimensionChoice | None

#: The pairs, the scree, and how their number was chosen.
Found: TypeAlias = tuple[EigenPairs, Array, DimensionChoice | None]


def is_rule(n_components: object) -> bool:
    """Whether `n_components` is a rule rather than a number."""
    return n_components is None or isinstance(n_components, str | AtMost) or callable(n_components)


def without_choice(n_components: T | DimensionChoice) -> T | int:
    """Return the number of a choice, so that ``n_components=model.dimension_choice_`` is accepted."""
    return n_components.n_components if isinstance(n_components, DimensionChoice) else n_components


@dataclass(frozen=True)
class Settings:
    """How an estimator wants its pairs to be found.

    Attributes
    ----------
    argument : str
        What the caller calls the number of dimensions, for errors.
    solver : Solver, optional
        None lets the core choose.
    tol : float
        Bound on the measured residuals.
    random_state : int, Generator or None
        Seed of starting vectors and of random splits.
    remedies : str
        What may help if the solver does not converge.
    """

    argument: str = "n_components"
    solver: Solver | None = None
    tol: float = 1e-6
    random_state: Seed = None
    remedies: str = "a larger tol"


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    r"""Coordinates of n items from the eigenpairs, or singular triplets, of their construction.

    Attributes
    ----------
    coordinates : ndarray of shape (n, d)
        :math:`|\lambda_k|^{power} v_k`; for a directed network :math:`\sqrt{s_k} u_k`, the sources.
    values : ndarray of shape (d,)
        Eigenvalues in the wanted order, or singular values.
    residuals : ndarray of shape (d,)
        Measured relative residuals of the eigenpairs or triplets.
    extension : Extension
        Places new items.
    scree : ndarray of shape (s,)
        The eigenvalues by which d was chosen, with cross-validation those of the training part; the d values
        themselves if d was given.
    choice : DimensionChoice or None
        How a rule chose d; None if d was given.
    coordinates_in : ndarray of shape (n, d) or None
        Directed networks only: :math:`\sqrt{s_k} v_k`, the targets.
    extension_in : Extension or None
        Directed networks only: places new items as targets.
    alignment : Alignment or None
        How coordinates and extensions were rotated to those of an earlier fit; None if they belong to the
        eigenvectors.
    """

    coordinates: Array
    values: Array
    residuals: Array
    extension: Extension
    scree: Array
    choice: DimensionChoice | None = None
    coordinates_in: Array | None = None
    extension_in: Extension | None = None
    alignment: Alignment | None = None


def embed(
    construction: Construction, n_components: Dimension | OfEachSign, settings: Settings | None = None
) -> SpectralEmbedding:
    """Return the embedding by the wanted eigenpairs of a construction.

    Parameters
    ----------
    construction : Construction
        The operator, which eigenvectors are wanted, and how they are scaled.
    n_components : int, str, callable, OfEachSign or None
        Number of dimensions, in all or of each sign, or a rule. None means all positive eigenvalues if the
        construction has a `rank`, cross-validation if it can be split, and the elbow of the scree otherwise.
    settings : Settings, optional
        The solver, its tolerance, and names for errors.

    Raises
    ------
    ArgumentError
        If the matrix has too few nonzero (or positive) eigenvalues, or the rule is not defined for it.
    ConvergenceError
        If the eigensolver did not reach the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.construction import Construction, NewRows
    >>> from lpgraph.spectral.embedding import embed
    >>> from lpgraph.spectral.operators import Matrix
    >>> matrix = Matrix(np.diag([4.0, -9.0]))
    >>> embed(Construction(matrix, NewRows(), end="magnitude", positive=False), 1).values
    array([-9.])
    """
    settings = settings or Settings()
    pairs, scree, choice = _Search(construction, settings).find(without_choice(n_components))
    if construction.end != "smallest" and construction.power > 0:
        _check_rank(pairs, construction, settings)
    return replace(placed(construction, pairs, scree), choice=choice)


def placed(construction: Construction, pairs: EigenPairs, scree: Array) -> SpectralEmbedding:
    """Return coordinates and extension for the pairs of a construction, whose arrays are used for them."""
    values, residuals = pairs.values, pairs.residuals
    if isinstance(construction.operator, Bipartite):
        triplets, ratio = SingularTriplets.of_pairs(pairs, len(pairs.vectors) // 2), 1 / np.sqrt(values)
        out, into = (Extension(np.ascontiguousarray(side * ratio)) for side in (triplets.right, triplets.left))
        coordinates, coordinates_in = triplets.left_images * ratio, triplets.right_images * ratio
        return SpectralEmbedding(coordinates, values, residuals, out, scree, None, coordinates_in, into)
    if construction.extension == "weights":
        return SpectralEmbedding(pairs.vectors, values, residuals, Extension(pairs.vectors), scree)
    # Coordinates v (power 0) exist where l is 0; their extension M v / l does not.
    zero = _lost(pairs, construction) if construction.power == 0 else np.zeros(len(pairs), dtype=bool)
    ratio = np.abs(values) ** construction.power / np.where(zero, np.inf, values)
    lost = pairs.vectors[:, zero]
    for array in (pairs.images, pairs.vectors):  # in place: these are not used again
        array *= ratio
    coordinates, basis = np.ascontiguousarray(pairs.images), np.ascontiguousarray(pairs.vectors)
    coordinates[:, zero] = lost
    extension = Extension(basis, tuple(np.flatnonzero(zero).tolist()))
    return SpectralEmbedding(coordinates, values, residuals, extension, scree)


def _lost(pairs: EigenPairs, construction: Construction) -> Flags:
    """Return which eigenvalues are 0 to rounding, or so small that ``M v / l`` differs from v by their gaps."""
    gaps = np.linalg.norm(pairs.images - pairs.values * pairs.vectors, axis=0)
    # Above this share of the norm, residuals are relative to the eigenvalue: a large `tol` is the caller's choice.
    small = NORM_SHARE * max(pairs.norm, construction.scale)
    limits = np.maximum(noise(pairs, construction), np.minimum(_DISTORTED * gaps, small))
    return np.asarray(np.abs(pairs.values) <= limits)


class _Search:
    """The search for the pairs of a construction.

    Attributes
    ----------
    construction, settings
        As in `embed`.
    size, most : int
        The largest number of dimensions, with the trivial one and without.
    end : str
        The wanted end; of a directed network the upper one, whose eigenvalues are singular values.
    ordered : str
        The order of wanted values, also of an operator's smallest ones, by which rules choose.
    """

    def __init__(self, construction: Construction, settings: Settings) -> None:
        self.construction, self.settings = construction, settings
        directed = isinstance(construction.operator, Bipartite)
        self.end: End = "largest" if directed else construction.end
        self.size = construction.operator.shape[0] // (2 if directed else 1)
        self.most = self.size - (construction.known.null is not None)
        self.ordered: End = "magnitude" if self.end == "magnitude" else "largest"

    def solve(self, k: int, start: Array | None = None, tol: float | None = None) -> EigenPairs:
        """Return the k leading pairs."""
        settings, solver = self.settings, self.settings.solver
        if self.end == "smallest" and isinstance(solver, Lanczos):
            solver = ShiftInvert()  # Lanczos's method on the matrix itself rarely converges at its lower end
        return eigenpairs(
            self.construction.operator,
            k,
            self.end,
            solver=solver,
            tol=settings.tol if tol is None else tol,
            known=self.construction.known,
            start=start,
            random_state=settings.random_state,
            # A rule's eigenvalues are computed to a tolerance of their own.
            remedies=f"{settings.remedies}, or a smaller number as {settings.argument}",
        )

    def find(self, n_components: Dimension | OfEachSign) -> Found:
        """Return the pairs, the scree, and how their number was chosen."""
        rank = self.construction.rank
        if n_components is None and rank is not None:
            found = self.solve(rank)
            positive = int((found.values > noise(found, self.construction)).sum())
            return found.take(slice(max(1, positive))), found.values, None
        if isinstance(n_components, AtMost):
            found = self._at_most(min(n_components.count, self.most))
        elif isinstance(n_components, OfEachSign):
            found = self._of_each_sign(n_components)
        elif not is_rule(n_components):
            found = self._given(n_components)  # type: ignore[arg-type]  # a number, checked by the solver
        else:
            return self._by_rule(n_components)
        return found, found.values, None

    def _by_rule(self, rule: Dimension) -> Found:
        """Return the pairs, the scree, and the choice of a rule."""
        name, resampling, seed = self.settings.argument, self.construction.resampling, self.settings.random_state
        check_rule(name, rule)
        most = min(LARGEST, self.size)
        if rule in (None, EIGENVALUE_CV) and resampling is not None:
            choice = significant_eigenvectors(resampling.thin, self.ordered, self.size, seed)
        elif rule == SIGN_FLIPS and resampling is not None and resampling.flip is not None:
            choice = above_flips(self._coarse, resampling.flip, self.ordered, most, seed)
        elif rule in (EIGENVALUE_CV, SIGN_FLIPS):
            raise ArgumentError(
                f"{name}={rule!r} needs a matrix of independent entries in memory, and this one has none; "
                f"pass {name}='elbow'."
            )
        else:
            return self._by_scree(rule)
        found = usable(self.solve(choice.n_components), self.construction)
        scree = found.values if choice.values is None else choice.values
        return found, scree, replace(choice, n_components=len(found))

    def _given(self, k: int) -> EigenPairs:
        """Return k pairs."""
        if k > self.most:
            name, n = self.settings.argument, self.size
            most = len(self._at_most(self.most)) if n <= _COUNTED else self.most
            raise ArgumentError(f"{name}={k} but the matrix has {n} rows; pass {name} <= {most}.")
        try:
            return self.solve(k)
        except ConvergenceError as error:
            # Eigenvalues that are zero to rounding have no relative residual.
            if isinstance(error.result, EigenPairs) and self.construction.power > 0:
                _check_rank(error.result, replace(self.construction, positive=False), self.settings)
            raise

    def _at_most(self, k: int) -> EigenPairs:
        """Return k pairs, or as many as there are."""
        try:
            return usable(self.solve(k), self.construction)
        except ConvergenceError as error:
            # Eigenvalues that are zero to rounding have no relative residual.
            if not isinstance(error.result, EigenPairs):
                raise
            rank = len(usable(error.result, self.construction))
            if rank == k:
                raise
            return self.solve(rank)

    def _of_each_sign(self, wanted: OfEachSign) -> EigenPairs:
        """Return the leading pairs of each sign: so many pairs that there are enough of both."""
        k = wanted.positive + wanted.negative
        while True:
            found = self._given(min(k, self.size))
            chosen = wanted.among(found.values)
            missing = wanted.positive + wanted.negative - len(chosen)
            if not missing:
                return found.take(chosen)
            if k >= self.size:
                positive, negative = (found.values > 0).sum(), (found.values < 0).sum()
                raise ArgumentError(
                    f"{wanted}, but this matrix has {positive} and {negative}; "
                    "pass an earlier fit with fewer dimensions."
                )
            k += 2 * missing + 2

    def _coarse(self, k: int) -> EigenPairs:
        # The eigenvalues' error is of the order of the square of the residual: 1e-3 gives six digits.
        return self.solve(k, tol=1e-3)

    def _by_scree(self, rule: Dimension) -> Found:
        """Return the pairs that a rule chooses by a coarse scree; only these are refined."""
        coarse = self._coarse(scree_length(self.size))
        d = choose_dimension(coarse.values, rule, self.size, end=self.ordered)
        found, name = self.solve(d, coarse.vectors[:, :d]), getattr(rule, "__name__", str(rule or "elbow"))
        if not callable(rule):
            found = usable(found, self.construction)
        return found, coarse.values, DimensionChoice(name, len(found))


def noise(pairs: EigenPairs, construction: Construction) -> float:
    """Return what rounding can add to the eigenvalues of an operator of this size."""
    return float(max(len(pairs.vectors), 100) * np.finfo(float).eps * max(pairs.norm, construction.scale))


def _rank(pairs: EigenPairs, construction: Construction) -> int:
    """Return how many values are before the first that is zero to rounding, or not positive."""
    values = pairs.values if construction.positive else np.abs(pairs.values)
    return int(np.argmin(np.r_[values > noise(pairs, construction), False]))


def usable(pairs: EigenPairs, construction: Construction) -> EigenPairs:
    """Return the pairs before the first that cannot be extended; one pair at least."""
    # Coordinates of power 0 exist where the eigenvalue is 0.
    if construction.end == "smallest" or construction.power == 0:
        return pairs
    return pairs.take(slice(max(1, _rank(pairs, construction))))


def _check_rank(pairs: EigenPairs, construction: Construction, settings: Settings) -> None:
    """Raise if one of the wanted values is zero to rounding (or not positive): it cannot be extended."""
    rank = _rank(pairs, construction)
    if rank == len(pairs):
        return
    what = "positive" if construction.positive else "different from zero"
    if rank == 0:
        raise ArgumentError(f"No eigenvalue is {what}, so that there is nothing to embed; pass another graph.")
    raise ArgumentError(
        f"{settings.argument}={len(pairs)} but only {rank} of the leading eigenvalues are {what}; "
        f"pass {settings.argument} <= {rank}."
    )
