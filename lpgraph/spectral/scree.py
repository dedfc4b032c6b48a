"""Rules that choose the number of dimensions from the scree, the magnitudes of the leading eigenvalues.

Zhu, M. & Ghodsi, A. (2006), "Automatic dimensionality selection from the scree plot via the use of profile
likelihood", Computational Statistics & Data Analysis 51, 918-930.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import check_finite_array, check_integer
from lpgraph.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["RULES", "choose_dimension", "elbows", "profile_likelihood"]


def profile_likelihood(values: ArrayLike) -> NDArray[np.float64]:
    """Return the profile log-likelihood of an elbow after each of the given values.

    The first q magnitudes are taken as one Gaussian sample and the others as a second, of the same variance
    (Zhu & Ghodsi 2006, Eqs. (2)-(5)).

    Parameters
    ----------
    values : array-like of shape (s,)
        Eigenvalues or singular values, at least two; their magnitudes are used, in decreasing order.

    Returns
    -------
    ndarray of shape (s - 1,)
        Entry q - 1 is the log-likelihood of an elbow after the q-th value, 1 <= q < s: a scree cannot end at
        its last value, for then there would be no second sample.

    Examples
    --------
    >>> from lpgraph.infer.dimension import profile_likelihood
    >>> int(profile_likelihood([10.0, 9.5, 1.0, 0.9, 0.8, 0.7]).argmax()) + 1
    2
    """
    x = np.sort(np.abs(check_finite_array("values", values, ndim=1)))[::-1]
    s = len(x)
    if s < 2:
        raise ArgumentError(f"values has {s} entries; an elbow needs at least 2.")
    q = np.arange(1, s)
    head, tail = np.cumsum(x)[:-1] / q, (x.sum() - np.cumsum(x)[:-1]) / (s - q)
    # Pooled variance by differences from the two means, not by differences of squares: those would cancel.
    spread = np.array(
        [((x[:i] - a) ** 2).sum() + ((x[i:] - b) ** 2).sum() for i, a, b in zip(q, head, tail, strict=True)]
    )
    variance = spread / max(s - 2, 1)
    # Exact steps have no variance; a floor at rounding keeps the likelihood finite and its order right.
    variance = np.maximum(variance, (1e-12 * x[0]) ** 2 + np.finfo(float).tiny)
    return np.asarray(-0.5 * s * np.log(2 * np.pi * variance) - 0.5 * spread / variance)


def elbows(values: ArrayLike, n_elbows: int = 1) -> list[int]:
    """Return the elbows of a scree: how many values lie before each.

    The first elbow maximises `profile_likelihood`; the next is the elbow of what lies after it, and so on.

    Parameters
    ----------
    values : array-like of shape (s,)
        Eigenvalues or singular values; their magnitudes are used, in decreasing order.
    n_elbows : int, default 1
        How many to look for; fewer come back when the values run out.

    Returns
    -------
    list of int
        Increasing numbers of dimensions.

    Raises
    ------
    ArgumentError
        If there are fewer than two values, or one is not finite.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.infer.dimension.elbows([10.0, 9.5, 3.0, 2.9, 0.3, 0.2, 0.2, 0.1], n_elbows=2)
    [2, 4]
    """
    n_elbows = check_integer("n_elbows", n_elbows, low=1)
    x = np.sort(np.abs(check_finite_array("values", values, ndim=1)))[::-1]
    found: list[int] = [int(profile_likelihood(x).argmax()) + 1]
    while len(found) < n_elbows and len(x) - found[-1] >= 2:
        found.append(found[-1] + int(profile_likelihood(x[found[-1] :]).argmax()) + 1)
    return found


def _nth_elbow(n: int, values: NDArray[np.float64]) -> int:
    return elbows(values, n)[-1]


#: Rules on the scree by name: each takes eigenvalues in the wanted order and returns a number of dimensions.
_ELBOWS: dict[str, Callable[[NDArray[np.float64]], int]] = {
    name: partial(_nth_elbow, n) for n, name in enumerate(("elbow", "second_elbow", "third_elbow"), start=1)
}

#: The rule that needs the matrix itself; see `lpgraph.spectral.eigenvalue_cv`.
EIGENVALUE_CV = "eigenvalue_cv"

#: Other rules that need it; see the modules of these names.
SIGN_FLIPS, RESIDUAL_SUBSAMPLING = "sign_flips", "residual_subsampling"

#: Names of the rules.
RULES = (EIGENVALUE_CV, SIGN_FLIPS, RESIDUAL_SUBSAMPLING, *_ELBOWS)


@dataclass(frozen=True, repr=False)
class AtMost:
    """As many dimensions as the matrix has eigenvalues that are not zero, and at most `count`."""

    count: int

    def __repr__(self) -> str:
        return f"at most {self.count}"


@dataclass(frozen=True)
class OfEachSign:
    """Numbers of positive and of negative eigenvalues: those of largest magnitude of each sign."""

    positive: int
    negative: int


def is_rule(n_components: object) -> bool:
    """Whether `n_components` is a rule rather than a number."""
    return n_components is None or isinstance(n_components, str | AtMost) or callable(n_components)


def scree_length(size: int) -> int:
    """Return how many eigenvalues of an n x n matrix a rule is given: 2 log2(n), at least 20, at most n - 1.

    An elbow depends on how much of the flat tail follows it. A fixed small number would hide the elbow of a
    large graph, and many would cost more than the embedding itself.
    """
    return max(1, min(size - 1, max(20, int(np.ceil(2 * np.log2(max(size, 2)))))))


def check_rule(argument: str, rule: object) -> None:
    """Refuse an unknown name of a rule."""
    if isinstance(rule, str) and rule not in RULES:
        names = ", ".join(map(repr, RULES))
        raise ArgumentError(f"{argument}={rule!r}; pass an integer, None, a callable, or one of {names}.")


def choose_dimension(values: NDArray[np.float64], rule: Any, size: int, *, which: str = "LM") -> int:
    """Return the number of dimensions by `rule` (None is "elbow") for the scree `values`, `size` at most.

    With ``which="LA"`` negative values are not wanted, and an elbow takes them as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.scree import choose_dimension
    >>> choose_dimension(np.array([9.0, 8.5, 1.0, 0.9, 0.8]), None, 5)
    2
    """
    check_rule("n_components", rule)
    if len(values) < 2:
        return len(values)
    if rule is None or isinstance(rule, str):
        return min(size, _ELBOWS[rule or "elbow"](np.maximum(values, 0.0) if which == "LA" else values))
    chosen = rule(values)
    if isinstance(chosen, bool) or not isinstance(chosen, int | np.integer):
        raise ArgumentTypeError(f"The rule {rule!r} returned {chosen!r}; it must return an integer.")
    return check_integer("n_components", int(chosen), low=1, high=size)
