"""Coordinates and their extension from a construction.

The product ``M v``, from which the residual of a pair is computed, is used again: the embedding is ``s M v / l``
and not ``s v``. The two agree to the measured residual, and the first is exactly the extension of the training
rows, so that ``transform(training) == embedding_`` holds to rounding at any tolerance. The residual is orthogonal
to the vectors, so the columns stay orthogonal to the square of the residual.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_real
from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.eigen import Options, eigenpairs, singular_triplets
from lpgraph.spectral.extension import Extension
from lpgraph.spectral.known import beside_known
from lpgraph.spectral.measure import scaled_columns
from lpgraph.spectral.operators import Bipartite, as_operator
from lpgraph.spectral.pairs import EigenPairs, SingularTriplets
from lpgraph.spectral.rank import check_rank, noise, rank_of
from lpgraph.spectral.scree import OfEachSign, is_rule
from lpgraph.spectral.tolerances import NORM_SHARE
from lpgraph.spectral.wanted import Dimension, Wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.aligned import Alignment
    from lpgraph.spectral.choice import DimensionChoice
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.landmarks import CoarseVectors
    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["Dimension", "SpectralEmbedding", "embed"]

#: Tolerance of the landmarks' own eigenvectors if passes follow.
_COARSE = 1e-3
#: Eigenvalues up to so many times ``norm(M v - l v)`` count as 0: M v / l would differ from v by a thousandth.
_DISTORTED = 1e3


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
    nystrom_error : float or None
        With landmarks: relative error of the approximation of the matrix, in the Frobenius norm.
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
    nystrom_error: float | None = None


def embed(
    construction: Construction,
    n_components: Dimension | OfEachSign,
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
    n_components : int, str, callable, OfEachSign or None
        Number of dimensions, in all or of each sign, or a rule. None means all positive eigenvalues if the
        construction has a `rank`, cross-validation if it can be split, and the elbow of the scree otherwise.
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
    if construction.choice is not None:
        number = replace(construction, choice=None)
        found = embed(
            number,
            construction.choice.n_components,
            argument=argument,
            solver=solver,
            tol=tol,
            random_state=random_state,
        )
        return replace(found, choice=construction.choice)
    tol = tol if construction.tol is None else construction.tol
    landmarks = construction.landmarks
    if landmarks is not None and landmarks.passes:
        # The landmarks' eigenvectors are a start.
        tol = max(check_real("tol", tol, low=0.0, high=0.1, open_low=True), _COARSE)
    operator = construction.operator
    # A rule's eigenvalues are computed to a tolerance of their own.
    dimension = f"a number as {argument}" if is_rule(n_components) else f"a smaller {argument}"
    remedies = f"a larger tol, or {dimension}" if construction.tol is None else "solver='lapack'"
    options: Options = {"random_state": random_state, "remedies": remedies}
    if isinstance(operator, Bipartite):
        return _two_sided(construction, operator, n_components, argument, solver, tol, options)

    size = operator.shape[0]

    def solve(k: int, start: Array | None, other: float | None, solver: str = solver) -> EigenPairs:
        bound = tol if other is None else other
        if construction.known is not None:
            which = "LM" if construction.end == "magnitude" else "LA"
            search = partial(eigenpairs, which=which, solver=solver, tol=bound, **options)
            return beside_known(as_operator(operator), construction.known(k), k, which, search)
        if construction.end == "magnitude":
            return eigenpairs(operator, k, "LM", solver=solver, tol=bound, **(options | {"start": start}))
        return bottom_pairs(
            operator,
            k,
            "LA" if construction.end == "largest" else "SA",
            inverse_of=construction.inverse_of,
            root=construction.root,
            smooth=construction.smooth,
            origin=construction.origin,
            # Lanczos's method on the matrix itself rarely converges at its lower end.
            solver="inverse" if construction.end == "smallest" and solver == "lanczos" else solver,
            tol=bound,
            without=construction.trivial,
            **(options | {"start": start}),
        )

    choice = None
    if n_components is None and construction.rank is not None:
        dense = solver == "auto" and 3 * construction.rank >= size
        everything = solve(construction.rank, None, None, solver="lapack" if dense else solver)
        pairs = everything.take(np.arange(max(1, rank_of(everything, construction, positive=True))))
        scree = everything.values
    else:
        wanted = Wanted(construction, argument, size, solve, lambda pairs: pairs.vectors, random_state)
        pairs, scree, choice = wanted.find(n_components)
    if construction.end != "smallest" and construction.power > 0:
        check_rank(pairs, construction, argument, positive=construction.positive)
    if landmarks is None:
        return replace(_scaled(construction, pairs, scree), choice=choice)
    which = "LM" if construction.end == "magnitude" else "LA"
    each = isinstance(n_components, OfEachSign)
    d = len(pairs)
    pairs = landmarks.pairs(pairs, _coarse_vectors(solver, options), which, each)
    check_rank(pairs, construction, argument, positive=construction.positive, count=d)
    found = replace(_scaled(construction, pairs, scree), choice=choice)
    return replace(found, nystrom_error=landmarks.error(found))


def _coarse_vectors(solver: str, options: Options) -> CoarseVectors:
    """Return a search for coarse eigenvectors of an operator, or others if it does not converge."""

    def vectors(operator: SymmetricOperator, which: str, k: int, tol: float, otherwise: Array) -> Array:
        try:
            return eigenpairs(operator, k, which, solver=solver, tol=tol, **options).vectors
        except ConvergenceError:
            return otherwise

    return vectors


def _scaled(construction: Construction, pairs: EigenPairs, scree: Array) -> SpectralEmbedding:
    """Return coordinates and basis for the pairs of a construction, whose arrays are used for them."""
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
    # Coordinates v (power 0) exist where l is 0; their extension M v / l does not.
    zero = np.zeros(len(values), dtype=bool)
    if construction.power == 0:
        zero = _lost(pairs, construction)
    ratio = np.abs(values) ** construction.power / np.where(zero, np.inf, values)
    lost = pairs.vectors[:, zero]
    coordinates, basis = _scaled_in_place(images, ratio), _scaled_in_place(pairs.vectors, ratio)
    coordinates[:, zero] = lost
    extension = Extension(basis, tuple(np.flatnonzero(zero).tolist()))
    return SpectralEmbedding(coordinates, pairs.values, pairs.residuals, extension, scree)


def _scaled_in_place(array: Array, factors: Array) -> Array:
    """Return an array that is not used again with each column multiplied, in its memory if it owns that."""
    flags, mapped = array.flags, isinstance(array, np.memmap)
    own = (flags.owndata or mapped) and flags.c_contiguous and flags.writeable
    return scaled_columns(array, factors, out=array if own else None)


def _lost(pairs: EigenPairs, construction: Construction) -> NDArray[np.bool_]:
    """Return which eigenvalues are 0 to rounding, or so small that ``M v / l`` differs from v by their gaps."""
    gaps = np.linalg.norm(pairs.images - pairs.values * pairs.vectors, axis=0)
    # Above this share of the norm, residuals are relative to the eigenvalue: a large `tol` is the caller's choice.
    small = NORM_SHARE * max(pairs.norm, construction.scale)
    limits = np.maximum(noise(pairs, construction), np.minimum(_DISTORTED * gaps, small))
    return np.asarray(np.abs(pairs.values) <= limits)


def _two_sided(
    construction: Construction,
    operator: Bipartite,
    n_components: Dimension | OfEachSign,
    argument: str,
    solver: str,
    tol: float,
    options: Options,
) -> SpectralEmbedding:
    """Return the embedding of rows and columns by the largest singular triplets."""

    def solve(k: int, start: Array | None, other: float | None) -> SingularTriplets:
        bound = tol if other is None else other
        return singular_triplets(operator, k, solver=solver, tol=bound, **(options | {"start": start}))

    size = min(operator.matrix.shape)
    construction = replace(construction, end="largest")  # of the singular values
    wanted = Wanted(
        construction,
        argument,
        size,
        solve,
        lambda found: np.vstack([found.left, found.right]),
        options["random_state"],
    )
    triplets, scree, choice = wanted.find(n_components)
    check_rank(triplets, construction, argument, positive=False)
    landmarks = construction.landmarks
    if landmarks is not None and isinstance(landmarks.start, Bipartite):
        d = len(triplets)
        triplets = landmarks.triplets(triplets, _coarse_vectors(solver, options))
        check_rank(triplets, construction, argument, positive=False, count=d)
    ratio = 1 / np.sqrt(triplets.values)
    found = SpectralEmbedding(
        coordinates=triplets.left_images * ratio,
        values=triplets.values,
        residuals=triplets.residuals,
        extension=Extension(np.ascontiguousarray(triplets.right * ratio)),
        scree=scree,
        choice=choice,
        coordinates_in=triplets.right_images * ratio,
        extension_in=Extension(np.ascontiguousarray(triplets.left * ratio)),
    )
    return found if landmarks is None else replace(found, nystrom_error=landmarks.error(found))
