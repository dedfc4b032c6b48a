"""Cross-validation of candidates, which are left out as soon as others are clearly better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from lpgraph._threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Race", "Scores"]

#: A candidate is left out if its mean score is so many standard errors below the best one's. The standard error is
#: that of the paired differences; the wrong one of two is left out once in 700 races.
_CLEAR = 3.0
#: Fewer scores say too little about their standard error.
_LEAST = 50

C = TypeVar("C")
C_contra = TypeVar("C_contra", contravariant=True)


class Scores(Protocol[C_contra]):
    """The scores of a candidate for the held-out items of a fold, in the same order for all candidates."""

    def __call__(self, candidate: C_contra, fold: int) -> NDArray[np.float64]:
        """Train without the fold, and return a score for each of its items."""
        ...


class Race(Generic[C]):
    """Mean scores of candidates over folds; each score is computed once.

    Parameters
    ----------
    scores : Scores
        Computes the scores of a candidate, which is hashable, for one fold.
    n_folds : int
        Number of folds.
    threads : int, optional
        Number of threads that call `scores`; None means one for each core.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.race import Race
    >>> rng, calls = np.random.default_rng(0), []
    >>> def scores(candidate, fold):
    ...     calls.append(candidate)
    ...     return rng.normal(candidate, size=100)
    >>> race = Race(scores, 5, threads=1)
    >>> race.best([0.0, 3.0, 3.1])
    3.1
    >>> calls.count(0.0), calls.count(3.1)  # the first is left out after one fold
    (1, 5)
    """

    def __init__(self, scores: Scores[C], n_folds: int, threads: int | None = None) -> None:
        self._scores, self._n_folds, self._threads = scores, n_folds, threads
        self._known: dict[tuple[C, int], NDArray[np.float64]] = {}

    def best(self, candidates: Sequence[C]) -> C:
        """Return the candidate with the largest mean score; the first of equal ones."""
        left, first = list(candidates), candidates[0]
        for fold in range(self._n_folds):
            if len(left) == 1:
                break
            self._compute([candidate for candidate in left if (candidate, fold) not in self._known], fold)
            scores = {one: np.concatenate([self._known[one, k] for k in range(fold + 1)]) for one in left}
            first = max(left, key=lambda one: float(scores[one].mean()))
            left = [one for one in left if one == first or not _is_clear(scores[first] - scores[one])]
        return first

    def _compute(self, candidates: Sequence[C], fold: int) -> None:
        def work(low: int, high: int) -> None:
            for one in candidates[low:high]:
                self._known[one, fold] = self._scores(one, fold)

        in_threads(work, range(len(candidates) + 1), self._threads)


def _is_clear(differences: NDArray[np.float64]) -> bool:
    """Whether the mean of paired differences is clearly positive."""
    n = len(differences)
    return n >= _LEAST and float(differences.mean()) > _CLEAR * float(differences.std(ddof=1)) / np.sqrt(n)
