"""Coordinates and their extension from a construction.

The product ``M v``, from which the residual of a pair is computed, is used again: the embedding is ``s M v / l``
and not ``s v``. The two agree to the measured residual, and the first is exactly the extension of the training
rows, so that ``transform(training) == embedding_`` holds to rounding at any tolerance. The residual is orthogonal
to the vectors, so the columns stay orthogonal to the square of the residual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.eigen import Options, eigenpairs, singular_triplets
from lpgraph.spectral.extension import Extension
from lpgraph.spectral.measure import scaled_columns
from lpgraph.spectral.operators import Bipartite
from lpgraph.spectral.pairs import EigenPairs
from lpgraph.spectral.scree import choose_dimension, is_rule, scree_length
from lpgraph.spectral.tolerances import NORM_SHARE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.pairs import SingularTriplets

    Array = NDArray[np.float64]

__all__ = ["Dimension", "SpectralEmbedding", "embed"]

#: A number of dimensions, or a rule that chooses it from the eigenvalues.
Dimension: TypeAlias = "int | str | Callable[[NDArray[np.float64]], int] | None"

#: Eigenvalues up to so many times ``norm(M v - l v)`` count as 0: M v / l would differ from v by a thousandth.
_DISTORTED = 1e3

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
        All eigenvalues that were computed to choose d; the d values themselves if d was given.
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
        Number of dimensions, or a rule; see `lpgraph.spectral.scree`. None means all positive eigenvalues if the
        construction has a `rank`.
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
        return _two_sided(operator, n_components, solver, tol, options)

    size = operator.shape[0]
    check = partial(_check_rank, size=size, scale=construction.scale, argument=argument)

    def solve(k: int, start: Array | None = None, tol: float = tol, solver: str = solver) -> EigenPairs:
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

    def find(k: int, start: Array | None = None, tol: float = tol) -> EigenPairs:
        try:
            return solve(k, start, tol)
        except ConvergenceError as error:
            # Eigenvalues that are zero to rounding have no relative residual.
            if isinstance(error.result, EigenPairs) and construction.power > 0:
                check(error.result.values, positive=False)
            raise

    if n_components is None and construction.rank is not None:
        dense = solver == "auto" and 3 * construction.rank >= size
        everything = solve(construction.rank, solver="lapack" if dense else solver)
        rank = _rank(everything.values, size, construction.scale, positive=True)
        pairs = everything.take(np.arange(max(1, rank)))
        scree = everything.values
    else:
        pairs, scree = _find(n_components, size, find, lambda pairs: pairs.vectors)
    if construction.end != "smallest" and construction.power > 0:
        check(pairs.values, positive=construction.positive)
    return _scaled(construction, pairs, scree)


def _find(
    n_components: Dimension, size: int, find: Callable[..., Pairs], vectors_of: Callable[[Pairs], Array]
) -> tuple[Pairs, Array]:
    """Return d pairs and the scree. A rule is given a coarse scree, and only the pairs it chooses are refined."""
    if not is_rule(n_components):
        found = find(n_components)
        return found, found.values
    # The eigenvalues' error is of the order of the square of the residual: 1e-3 gives a scree to six digits.
    coarse = find(scree_length(size), tol=1e-3)
    d = choose_dimension(coarse.values, n_components, size)
    return find(d, start=vectors_of(coarse)[:, :d]), coarse.values


def _scaled(construction: Construction, pairs: EigenPairs, scree: Array) -> SpectralEmbedding:
    """Return coordinates and basis for the pairs of a construction."""
    if construction.extension == "weights":
        return SpectralEmbedding(pairs.vectors, pairs.values, pairs.residuals, Extension(pairs.vectors), scree)
    values, images, scale = pairs.values, pairs.images, construction.scale
    if construction.c is not None:
        # The kernel c I - M has the eigenvectors of M and the eigenvalues c - l.
        values, images = construction.c - pairs.values, construction.c * pairs.vectors - pairs.images
        if values[-1] <= 1e-12 * construction.c:
            raise ArgumentError(
                f"c={construction.c:g} but M has the eigenvalue {pairs.values[-1]:g} among those wanted; "
                f"pass c > {pairs.values[-1]:g}, or None."
            )
    # Coordinates v (power 0) exist where l is 0; their extension M v / l does not.
    zero = np.zeros(len(values), dtype=bool)
    if construction.power == 0:
        zero = _lost(values, np.linalg.norm(images - values * pairs.vectors, axis=0), len(images), scale)
    ratio = np.abs(values) ** construction.power / np.where(zero, np.inf, values)
    coordinates, basis = scaled_columns(images, ratio), scaled_columns(pairs.vectors, ratio)
    coordinates[:, zero] = pairs.vectors[:, zero]
    extension = Extension(basis, tuple(np.flatnonzero(zero).tolist()))
    return SpectralEmbedding(coordinates, pairs.values, pairs.residuals, extension, scree)


def _lost(values: Array, gaps: Array, size: int, scale: float) -> NDArray[np.bool_]:
    """Return which eigenvalues are 0 to rounding, or so small that ``M v / l`` differs from v by their gaps."""
    magnitude = np.abs(values)
    # Above this share of the norm, residuals are relative to the eigenvalue: a large `tol` is the caller's choice.
    small = NORM_SHARE * max(float(magnitude.max()), scale)
    limits = np.minimum(_DISTORTED * gaps, small)
    return np.asarray(magnitude <= np.maximum(_noise(size, magnitude, scale), limits))


def _two_sided(
    operator: Bipartite, n_components: Dimension, solver: str, tol: float, options: Options
) -> SpectralEmbedding:
    """Return the embedding of rows and columns by the largest singular triplets."""

    def find(k: int, start: Array | None = None, tol: float = tol) -> SingularTriplets:
        return singular_triplets(operator, k, solver=solver, tol=tol, **(options | {"start": start}))

    size = min(operator.matrix.shape)
    triplets, scree = _find(n_components, size, find, lambda found: np.vstack([found.left, found.right]))
    _check_rank(triplets.values, size=size, scale=0.0, argument="n_components", positive=False)
    ratio = 1 / np.sqrt(triplets.values)
    return SpectralEmbedding(
        coordinates=triplets.left_images * ratio,
        values=triplets.values,
        residuals=triplets.residuals,
        extension=Extension(np.ascontiguousarray(triplets.right * ratio)),
        scree=scree,
        coordinates_in=triplets.right_images * ratio,
        extension_in=Extension(np.ascontiguousarray(triplets.left * ratio)),
    )


def _rank(values: Array, size: int, scale: float, *, positive: bool) -> int:
    """Return how many of the values are not zero to rounding, or are positive."""
    magnitude = np.abs(values)
    return int(((values if positive else magnitude) > _noise(size, magnitude, scale)).sum())


def _noise(size: int, magnitude: Array, scale: float) -> float:
    """Return what rounding can add to the eigenvalues of a matrix of this size."""
    return float(max(size, 100) * np.finfo(float).eps * max(magnitude.max(initial=0.0), scale))


def _check_rank(values: Array, *, size: int, scale: float, argument: str, positive: bool) -> None:
    """Raise if one of the wanted values is zero to rounding (or not positive): it cannot be extended."""
    rank = _rank(values, size, scale, positive=positive)
    if rank == len(values):
        return
    if rank == 0:
        what = "has no positive eigenvalue" if positive else "is zero to rounding; pass another graph"
        raise ArgumentError(f"There is nothing to embed: the matrix {what}.")
    what = f"only {rank} eigenvalues are positive" if positive else f"the matrix has rank {rank}"
    raise ArgumentError(f"{argument}={len(values)} but {what}; pass {argument} <= {rank}.")
