"""The wanted eigenpairs or singular triplets: as many as asked for, or as a rule chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.spectral.choice import DimensionChoice, without_choice
from lpgraph.spectral.eigenvalue_cv import significant_eigenvectors
from lpgraph.spectral.operators import Bipartite, Matrix
from lpgraph.spectral.pairs import EigenPairs, SingularTriplets
from lpgraph.spectral.rank import check_rank, counted, usable
from lpgraph.spectral.rank_rules import LARGEST, above_flips, by_residuals
from lpgraph.spectral.scree import (
    EIGENVALUE_CV,
    RESIDUAL_SUBSAMPLING,
    SIGN_FLIPS,
    AtMost,
    OfEachSign,
    check_rule,
    choose_dimension,
    scree_length,
)

if TYPE_CHECKING:
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.sign_flips import Flip
    from lpgraph.spectral.split import Thin

__all__ = ["Dimension", "Wanted"]

Array: TypeAlias = NDArray[np.float64]

#: Up to this size, the largest possible number of dimensions is computed for an error.
_COUNTED = 1000

#: A number of dimensions, or a rule that chooses it.
Dimension: TypeAlias = int | str | Callable[[Array], int] | AtMost | DimensionChoice | None

Pairs = TypeVar("Pairs", EigenPairs, SingularTriplets)

#: A solver for k pairs: the number, a start or None, and a bound on the residuals or None for the caller's.
Solve: TypeAlias = Callable[[int, Array | None, float | None], Pairs]


@dataclass(frozen=True, eq=False)
class Wanted(Generic[Pairs]):
    """The search for the pairs of a construction.

    Attributes
    ----------
    construction : Construction
        Its end is that of the singular values for a directed network.
    argument : str
        What the caller calls the number of dimensions, for errors.
    size : int
        The largest number of dimensions.
    solve : callable
        Returns the k leading pairs.
    vectors_of : callable
        Returns the vectors of pairs, from which another search starts.
    random_state : int, Generator or None
        Seed of random splits.
    """

    construction: Construction
    argument: str
    size: int
    solve: Solve[Pairs]
    vectors_of: Callable[[Pairs], Array]
    random_state: int | np.random.Generator | None

    def find(self, n_components: Dimension | OfEachSign) -> tuple[Pairs, Array, DimensionChoice | None]:
        """Return the pairs, the scree, and how their number was chosen."""
        n_components = without_choice(n_components)
        if isinstance(n_components, AtMost):
            found = self._at_most(min(n_components.count, self._most))
            return found, found.values, None
        if isinstance(n_components, OfEachSign):
            found = self._of_each_sign(n_components)
            return found, found.values, None
        if n_components is not None and not isinstance(n_components, str) and not callable(n_components):
            found = self._given(n_components)
            return found, found.values, None
        check_rule(self.argument, n_components)
        thin = self.construction.thin
        if n_components in (None, EIGENVALUE_CV) and thin is not None:
            return self._significant(thin)
        if n_components == SIGN_FLIPS and self.construction.flip is not None:
            return self._above_flips(self.construction.flip)
        entries = self._entries() if n_components == RESIDUAL_SUBSAMPLING else None
        if entries is not None:
            return self._by_residuals(entries)
        if n_components in (EIGENVALUE_CV, SIGN_FLIPS, RESIDUAL_SUBSAMPLING):
            raise self._undefined(n_components)
        return self._by_scree(n_components)

    @property
    def _which(self) -> str:
        return "LM" if self.construction.end == "magnitude" else "LA"

    @property
    def _most(self) -> int:
        """The largest number of dimensions, without the trivial one."""
        return self.size - (self.construction.trivial is not None)

    def _too_many(self, k: int) -> ArgumentError:
        most, what = self._most, f"the matrix has {self.size} rows, and its rank may be smaller"
        if self.size <= _COUNTED:
            found = self._at_most(most)
            most = len(found)
            what = counted(most, self.construction, two_sided=isinstance(found, SingularTriplets))
            what = what if most < self._most else f"the matrix has {self.size} rows"
        return ArgumentError(f"{self.argument}={k} but {what}; pass {self.argument} <= {most}.")

    def _given(self, k: int) -> Pairs:
        """Return k pairs."""
        if k > self._most:
            raise self._too_many(k)
        try:
            return self.solve(k, None, None)
        except ConvergenceError as error:
            # Eigenvalues that are zero to rounding have no relative residual.
            if isinstance(error.result, EigenPairs) and self.construction.power > 0:
                check_rank(error.result, self.construction, self.argument, positive=False)
            raise

    def _at_most(self, k: int) -> Pairs:
        """Return k pairs, or as many as there are."""
        try:
            return usable(self.solve(k, None, None), self.construction)
        except ConvergenceError as error:
            # Eigenvalues that are zero to rounding have no relative residual.
            if not isinstance(error.result, EigenPairs):
                raise
            rank = len(usable(error.result, self.construction))
            if rank == k:
                raise
            return self.solve(rank, None, None)

    def _of_each_sign(self, wanted: OfEachSign) -> Pairs:
        """Return the leading pairs of each sign: so many pairs that there are enough of both."""
        k = wanted.positive + wanted.negative
        while True:
            found = self._given(min(k, self.size))
            positive, negative = np.flatnonzero(found.values > 0), np.flatnonzero(found.values < 0)
            missing = max(wanted.positive - len(positive), wanted.negative - len(negative))
            if missing <= 0:
                return found.take(np.sort(np.r_[positive[: wanted.positive], negative[: wanted.negative]]))
            if k >= self.size:
                more = "" if self.construction.landmarks is None else ", or more landmarks"
                raise ArgumentError(
                    f"{self.argument}=None takes {wanted.positive} positive and {wanted.negative} negative "
                    f"eigenvalues from align_to, but this matrix has {len(positive)} and {len(negative)}; pass "
                    f"an earlier fit with fewer dimensions{more}."
                )
            k += 2 * missing + 2

    def _significant(self, thin: Thin) -> tuple[Pairs, Array, DimensionChoice]:
        """Return the pairs that cross-validated eigenvalues choose."""
        chosen = significant_eigenvectors(thin, self._which, self.size, self.random_state)
        found = usable(self.solve(chosen.count, None, None), self.construction)
        choice = DimensionChoice(EIGENVALUE_CV, len(found), chosen.at_cap, chosen.z, chosen.values)
        return found, chosen.values, choice

    def _coarse(self, k: int) -> Pairs:
        # The eigenvalues' error is of the order of the square of the residual: 1e-3 gives six digits.
        return self.solve(k, None, 1e-3)

    def _above_flips(self, flip: Flip) -> tuple[Pairs, Array, DimensionChoice]:
        """Return the pairs whose eigenvalues are above those of matrices with random signs."""
        most = min(LARGEST, self.size)
        return self._chosen(above_flips(self._coarse, flip, self._which, most, self.random_state))

    def _by_residuals(self, matrix: sparse.csr_array) -> tuple[Pairs, Array, DimensionChoice]:
        """Return the pairs whose residuals pass a test."""
        return self._chosen(by_residuals(self._coarse, matrix, min(LARGEST, self.size), self.random_state))

    def _chosen(self, choice: DimensionChoice) -> tuple[Pairs, Array, DimensionChoice]:
        found = usable(self.solve(choice.n_components, None, None), self.construction)
        scree = found.values if choice.values is None else choice.values
        return found, scree, replace(choice, n_components=len(found))

    def _entries(self) -> sparse.csr_array | None:
        """Return the matrix that is decomposed, if it is the adjacency matrix itself."""
        operator = self.construction.operator
        if not isinstance(operator, Matrix | Bipartite) or self.construction.thin is None:
            return None
        scaled = isinstance(operator, Bipartite) and operator.left is not None
        return None if scaled or not isinstance(operator.matrix, sparse.csr_array) else operator.matrix

    def _undefined(self, rule: str) -> ArgumentError:
        able = EIGENVALUE_CV if self.construction.thin is not None else "elbow"
        what = {
            EIGENVALUE_CV: "cannot be split at random",
            SIGN_FLIPS: "has no random signs of its entries",
            RESIDUAL_SUBSAMPLING: "is not an adjacency matrix in memory, for which residuals are tested",
        }[rule]
        return ArgumentError(f"{self.argument}={rule!r} but this matrix {what}; pass {self.argument}={able!r}.")

    def _by_scree(self, rule: str | Callable[[Array], int] | None) -> tuple[Pairs, Array, DimensionChoice]:
        """Return the pairs that a rule chooses by a coarse scree; only these are refined."""
        coarse = self._coarse(scree_length(self.size))
        d = choose_dimension(coarse.values, rule, self.size, which=self._which)
        start = self.vectors_of(coarse)[:, :d]
        if callable(rule):
            found, name = self.solve(d, start, None), getattr(rule, "__name__", repr(rule))
        else:
            found, name = usable(self.solve(d, start, None), self.construction), rule or "elbow"
        return found, coarse.values, DimensionChoice(name, len(found))
