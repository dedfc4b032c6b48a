"""Coordinates and their extension from a construction.

The product ``M v``, from which the residual of a pair is computed, is used again: the embedding is ``s M v / l``
and not ``s v``. The two agree to the measured residual, and the first is exactly the extension of the training
rows, so that ``transform(training) == embedding_`` holds to rounding at any tolerance. The residual is orthogonal
to the vectors, so the columns stay orthogonal to the square of the residual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.choice import DimensionChoice
from lpgraph.spectral.eigenvalue_cv import significant_eigenvectors
from lpgraph.spectral.eigen import Options, eigenpairs, singular_triplets
from lpgraph.spectral.extension import Extension
from lpgraph.spectral.known import beside_known
from lpgraph.spectral.measure import scaled_columns
from lpgraph.spectral.operators import Bipartite, as_operator
from lpgraph.spectral.pairs import EigenPairs
from lpgraph.spectral.scree import EIGENVALUE_CV, check_rule, choose_dimension, is_rule, scree_length

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.pairs import SingularTriplets

    Array = NDArray[np.float64]

__all__ = ["Dimension", "SpectralEmbedding", "embed"]

#: A number of dimensions, or a rule that chooses it from the eigenvalues.
Dimension: TypeAlias = "int | str | Callable[[NDArray[np.float64]], int] | None"

Pairs = TypeVar("Pairs", EigenPairs, "SingularTriplets")


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    """Coordinates of n items from the eigenpairs, or singular triplets, of their construction.

    Attributes
    ----------
    coordinates : ndarray of shape (n, d)
        ``|l_k|^power v_k``; for a directed network ``sqrt(s_k) u_k``, the sources.
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
        Directed networks only: ``sqrt(s_k) v_k``, the targets.
    extension_in : Extension or None
        Directed networks only: places new items as targets.
    """

    coordinates: Array
    values: Array
    residuals: Array
    extension: Extension
    scree: Array
    choice: DimensionChoice | None = None
    coordinates_in: Array | None = None
    extension_in: Extension | None = None


def embed(
    construction: Construction,
    n_components: Dimension,
    *,
    argument: str = "n_components",
    solver: str = "auto",
    tol: float = 1e-6,
    random_state: int | np.random.Generator | None = None,
) -> SpectralEmbedding:
    """Return the embedding by the wanted eigenpairs of a construction.

    Parameters
    ----------
    construction : Construction
        The operator, which eigenvectors are wanted, and how they are scaled.
    n_components : int, str, callable or None
        Number of dimensions, or a rule. None means all positive eigenvalues if the construction has a `rank`,
        cross-validation if it can be split, and the elbow of the scree otherwise.
    argument : str
        What the caller calls the number of dimensions, for errors.
    solver, tol, random_state
        As in `lpgraph.spectral.bottom.bottom_pairs`.

    Raises
    ------
    ArgumentError
        If the matrix has too few nonzero (or positive) eigenvalues.
    ConvergenceError
        If the eigensolver did not reach `tol`.

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
    tol = tol if construction.tol is None else construction.tol
    operator = construction.operator
    # A rule's eigenvalues are computed to a tolerance of their own.
    dimension = f"a number as {argument}" if is_rule(n_components) else f"a smaller {argument}"
    remedies = f"a larger tol, or {dimension}" if construction.tol is None else "solver='lapack'"
    options: Options = {"random_state": random_state, "remedies": remedies}
    if isinstance(operator, Bipartite):
        return _two_sided(construction, operator, n_components, argument, solver, tol, options)

    size = operator.shape[0]

    def solve(k: int, start: Array | None = None, tol: float = tol, solver: str = solver) -> EigenPairs:
        if construction.known is not None:
            which = "LM" if construction.end == "magnitude" else "LA"
            search = partial(eigenpairs, which=which, solver=solver, tol=tol, **options)
            return beside_known(as_operator(operator), construction.known(k), k, which, search)
        if construction.end == "magnitude":
            return eigenpairs(operator, k, "LM", solver=solver, tol=tol, **(options | {"start": start}))
        return bottom_pairs(
            operator,
            k,
            "LA" if construction.end == "largest" else "SA",
            inverse_of=construction.inverse_of,
            # Lanczos's method on the matrix itself rarely converges at its lower end.
            solver="inverse" if construction.end == "smallest" and solver == "lanczos" else solver,
            tol=tol,
            without=construction.trivial,
            **(options | {"start": start}),
        )

    choice = None
    if n_components is None and construction.rank is not None:
        dense = solver == "auto" and 3 * construction.rank >= size
        everything = solve(construction.rank, solver="lapack" if dense else solver)
        rank = _rank(everything, size, construction, positive=True)
        pairs = everything.take(np.arange(max(1, rank)))
        scree = everything.values
    else:
        pairs, scree, choice = _find(
            construction, n_components, argument, size, solve, lambda pairs: pairs.vectors, random_state
        )
    if construction.end != "smallest":
        _check_rank(pairs, size, construction, argument, positive=construction.positive)
    return replace(_scaled(construction, pairs, scree), choice=choice)


def _find(
    construction: Construction,
    n_components: Dimension,
    argument: str,
    size: int,
    solve: Callable[..., Pairs],
    vectors_of: Callable[[Pairs], Array],
    random_state: int | np.random.Generator | None,
) -> tuple[Pairs, Array, DimensionChoice | None]:
    """Return the pairs, the scree, and how their number was chosen."""

    def find(k: int, start: Array | None = None, tol: float | None = None) -> Pairs:
        try:
            return solve(k, start) if tol is None else solve(k, start, tol)
        except ConvergenceError as error:
            # Eigenvalues that are zero to rounding have no relative residual.
            if not by_name and isinstance(error.result, EigenPairs):
                _check_rank(error.result, size, construction, argument, positive=False)
            raise

    by_name = n_components is None or isinstance(n_components, str)
    if not is_rule(n_components):
        found = find(n_components)
        return found, found.values, None
    check_rule(argument, n_components)
    which = "LM" if construction.end == "magnitude" else "LA"
    if n_components is None or n_components == EIGENVALUE_CV:
        if construction.thin is not None:
            significant = significant_eigenvectors(construction.thin, which, size, random_state)
            found = _nonzero(find(significant.count), size, construction)
            choice = DimensionChoice(EIGENVALUE_CV, len(found), significant.at_cap, significant.z)
            return found, significant.values, choice
        if n_components is not None:
            raise ArgumentError(
                f"{argument}={n_components!r} but this matrix cannot be split at random; pass {argument}='elbow'."
            )
    # The eigenvalues' error is of the order of the square of the residual: 1e-3 gives a scree to six digits.
    coarse = find(scree_length(size), tol=1e-3)
    d = choose_dimension(coarse.values, n_components, size, which=which)
    found = find(d, start=vectors_of(coarse)[:, :d])
    if by_name:
        found = _nonzero(found, size, construction)
    name = "elbow" if n_components is None else getattr(n_components, "__name__", str(n_components))
    return found, coarse.values, DimensionChoice(name, len(found))


def _scaled(construction: Construction, pairs: EigenPairs, scree: Array) -> SpectralEmbedding:
    """Return coordinates and basis for the pairs of a construction."""
    if construction.extension == "weights":
        return SpectralEmbedding(pairs.vectors, pairs.values, pairs.residuals, Extension(pairs.vectors), scree)
    values, images = pairs.values, pairs.images
    if construction.c is not None:
        # The kernel c I - M has the eigenvectors of M and the eigenvalues c - l.
        values, images = construction.c - pairs.values, construction.c * pairs.vectors - pairs.images
        if values[-1] <= 1e-12 * construction.c:
            raise ArgumentError(
                f"c={construction.c:g} but M has the eigenvalue {pairs.values[-1]:g} among those wanted; "
                f"pass c > {pairs.values[-1]:g}, or None."
            )
    ratio = np.abs(values) ** construction.power / values
    coordinates, basis = scaled_columns(images, ratio), scaled_columns(pairs.vectors, ratio)
    return SpectralEmbedding(coordinates, pairs.values, pairs.residuals, Extension(basis), scree)


def _two_sided(
    construction: Construction,
    operator: Bipartite,
    n_components: Dimension,
    argument: str,
    solver: str,
    tol: float,
    options: Options,
) -> SpectralEmbedding:
    """Return the embedding of rows and columns by the largest singular triplets."""

    def solve(k: int, start: Array | None = None, tol: float = tol) -> SingularTriplets:
        return singular_triplets(operator, k, solver=solver, tol=tol, **(options | {"start": start}))

    size = min(operator.matrix.shape)
    construction = replace(construction, end="largest")  # of the singular values
    triplets, scree, choice = _find(
        construction,
        n_components,
        argument,
        size,
        solve,
        lambda found: np.vstack([found.left, found.right]),
        options["random_state"],
    )
    _check_rank(triplets, size, construction, argument, positive=False)
    ratio = 1 / np.sqrt(triplets.values)
    return SpectralEmbedding(
        coordinates=triplets.left_images * ratio,
        values=triplets.values,
        residuals=triplets.residuals,
        extension=Extension(np.ascontiguousarray(triplets.right * ratio)),
        scree=scree,
        choice=choice,
        coordinates_in=triplets.right_images * ratio,
        extension_in=Extension(np.ascontiguousarray(triplets.left * ratio)),
    )


def _above_rounding(
    pairs: EigenPairs | SingularTriplets, size: int, construction: Construction, *, positive: bool
) -> NDArray[np.bool_]:
    """Whether each value is not zero to rounding, or is positive."""
    noise = max(size, 100) * np.finfo(float).eps * max(pairs.norm, construction.scale)
    return np.asarray((pairs.values if positive else np.abs(pairs.values)) > noise)


def _rank(
    pairs: EigenPairs | SingularTriplets, size: int, construction: Construction, *, positive: bool
) -> int:
    """Return how many of the values are not zero to rounding, or are positive."""
    return int(_above_rounding(pairs, size, construction, positive=positive).sum())


def _nonzero(pairs: Pairs, size: int, construction: Construction) -> Pairs:
    """Return the pairs before the first that cannot be extended; one pair at least."""
    if construction.end == "smallest":
        return pairs
    usable = _above_rounding(pairs, size, construction, positive=construction.positive)
    return pairs if usable.all() else pairs.take(slice(max(1, int(usable.argmin()))))


def _check_rank(
    pairs: EigenPairs | SingularTriplets, size: int, construction: Construction, argument: str, *, positive: bool
) -> None:
    """Raise if one of the wanted values is zero to rounding (or not positive): it cannot be extended."""
    rank = _rank(pairs, size, construction, positive=positive)
    if rank == len(pairs):
        return
    if rank == 0:
        what = "the matrix has no positive eigenvalue"
        if not positive:
            what = "the largest eigenvalues are zero to rounding" if pairs.norm else "the matrix is zero"
        raise ArgumentError(f"There is nothing to embed: {what}; pass another graph.")
    what = f"only {rank} eigenvalues are positive" if positive else f"the matrix has rank {rank}"
    raise ArgumentError(f"{argument}={len(pairs)} but {what}; pass {argument} <= {rank}.")
