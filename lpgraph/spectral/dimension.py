"""The number of dimensions: rules on the scree, p-values of tests, and how a number was chosen.

Zhu, M. & Ghodsi, A. (2006), "Automatic dimensionality selection from the scree plot via the use of profile
likelihood", Computational Statistics & Data Analysis 51, 918-930.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from lpgraph._utils.checks import check_finite_array, check_integer, is_integer, type_of
from lpgraph._utils.estimators import Shown
from lpgraph._utils.types import Array
from lpgraph.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .problem import End


#: z statistics above this are significant: a one-sided p-value of 0.001.
CRITICAL = 3.09

#: Level of the tests.
LEVEL = 0.05

#: Number of z statistics in the representation.
_SHOWN = 6

#: The rule that tests held-out edges; see `lpgraph.spectral.eigenvalue_cv`.
EIGENVALUE_CV = "eigenvalue_cv"

#: The rule that compares with random signs; see `lpgraph.spectral.whole_matrix`.
SIGN_FLIPS = "sign_flips"

#: Names of the rules, and what they use.
RULES = {
    EIGENVALUE_CV: "cross-validated eigenvalues",
    SIGN_FLIPS: "matrices with random signs",
    "elbow": "the first elbow of the eigenvalues",
    "second_elbow": "the second elbow of the eigenvalues",
    "third_elbow": "the third elbow of the eigenvalues",
}


def profile_likelihood(values: ArrayLike) -> Array:
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
    # Pooled variance by differences from the two means, not by differences of squares: those would cancel.
    spread = np.array([i * x[:i].var() + (s - i) * x[i:].var() for i in q])
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


def choose_dimension(values: Array, rule: object, size: int, *, end: End = "magnitude") -> int:
    """Return the number of dimensions by `rule` (None is "elbow") for the scree `values`, `size` at most.

    With the end "largest" negative values are not wanted, and an elbow takes them as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.dimension import choose_dimension
    >>> choose_dimension(np.array([9.0, 8.5, 1.0, 0.9, 0.8]), None, 5)
    2
    """
    check_rule("n_components", rule)
    if len(values) < 2:
        return len(values)
    if not callable(rule):
        n = ("elbow", "second_elbow", "third_elbow").index(rule or "elbow") + 1
        return min(size, elbows(np.maximum(values, 0.0) if end == "largest" else values, n)[-1])
    chosen = rule(values)
    if not is_integer(chosen):
        raise ArgumentTypeError(f"The rule {rule!r} returned {chosen!r}; it must return an integer.")
    return check_integer("n_components", int(chosen), low=1, high=size)


@dataclass(frozen=True, eq=False)
class DimensionChoice(Shown):
    """How a rule chose the number of dimensions of an embedding.

    Attributes
    ----------
    rule : str
        Name of the rule, or of the function that was passed. It is "elbow" if cross-validation was asked for by
        None and the matrix cannot be split.
    n_components : int
        The number of dimensions.
    at_cap : bool
        Whether the rule reached the largest number that it tries, so that more dimensions may be significant.
    z : ndarray of shape (k,) or None
        "eigenvalue_cv": the z statistics of the leading eigenpairs, from the entries that were held out.
    values : ndarray of shape (k,) or None
        The leading eigenvalues, or singular values, by which the number was chosen.
    edges : ndarray or None
        "sign_flips": the leading eigenvalue of each matrix with random signs.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([200, 200], [[0.2, 0.05], [0.05, 0.2]], random_state=0)
    >>> choice = lp.AdjacencySpectralEmbedding().fit(graph).dimension_choice_
    >>> choice
    DimensionChoice(rule='eigenvalue_cv', n_components=2, at_cap=False, z=[...])
    >>> bool(choice.p_values[1] < 1e-3)
    True
    """

    rule: str
    n_components: int
    at_cap: bool = False
    z: Array | None = None
    values: Array | None = None
    edges: Array | None = None

    def __repr__(self) -> str:
        more = "" if self.threshold is None else f", threshold={self.threshold:.4g}"
        if self.z is not None:
            shown = [f"{value:.1f}" for value in self.z[:_SHOWN].tolist()] + ["..."] * (len(self.z) > _SHOWN)
            more = f", z=[{', '.join(shown)}]"
        first = f"rule={self.rule!r}, n_components={self.n_components}, at_cap={bool(self.at_cap)}"
        return f"DimensionChoice({first}{more})"

    @property
    def cross_validated(self) -> bool:
        """Whether the eigenvalues are estimates from the edges that were not held out."""
        return self.rule == EIGENVALUE_CV and self.z is not None

    @property
    def p_values(self) -> Array | None:
        """The p-value of each hypothesis that the dimensions before one are enough; None for elbows.

        One-sided for "eigenvalue_cv", and by ranks for "sign_flips".
        """
        if self.edges is not None and self.values is not None:
            return by_ranks(self.values, self.edges)
        return None if self.z is None else ndtr(-self.z)

    @property
    def significant(self) -> bool | None:
        """Whether a test confirms the last dimension; None for elbows. One dimension is chosen at least."""
        last = self.n_components - 1
        if self.edges is not None and self.values is not None:
            return bool(abs(self.values[last]) > self.edges.max())
        return bool(self.z[last] > CRITICAL) if self.z is not None and self.cross_validated else None

    @property
    def doubt(self) -> str:
        """Why the number may not be what it seems, and what to do; empty if there is no reason."""
        if self.at_cap:
            return (
                f"{self.n_components} is the largest number of dimensions that is tried, and more may be "
                "significant; see lpgraph.infer.dimension.cross_validate(graph, 64).smallest_good."
            )
        if self.significant is False and self.n_components == 1:
            return "No dimension is significant, and 1 is the least number; few large weights may hide the others."
        return ""

    @property
    def threshold(self) -> float | None:
        """The largest eigenvalue of the matrices with random signs; None for other rules."""
        return None if self.edges is None else float(self.edges.max())

    @property
    def signature(self) -> tuple[int, int] | None:
        """Numbers of positive and of negative eigenvalues among those chosen; None if they are not known.

        The singular values of a directed network count as positive.
        """
        if self.values is None:
            return None
        chosen = self.values[: self.n_components]
        return int((chosen > 0).sum()), int((chosen < 0).sum())


def joint_dimension(choices: Sequence[DimensionChoice]) -> int:
    """Return the number of dimensions by several random splits of the edges: by the mean of their statistics.

    The choice varies from split to split where many eigenvectors are nearly significant. The mean varies less, and
    is compared with the same threshold as a single statistic.

    Parameters
    ----------
    choices : sequence of DimensionChoice
        Choices by cross-validated eigenvalues for one network, with different ``random_state``.

    Returns
    -------
    int
        The position of the last eigenvector whose mean z statistic is significant, among those that all splits
        have tested; at least 1.

    Raises
    ------
    ArgumentError
        If there are no choices, or one is not by cross-validated eigenvalues.
    ArgumentTypeError
        If `choices` is no sequence of choices.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([200, 200], [[0.2, 0.05], [0.05, 0.2]], random_state=0)
    >>> fits = [lp.AdjacencySpectralEmbedding(random_state=seed).fit(graph) for seed in range(3)]
    >>> lp.infer.dimension.joint_dimension([fit.dimension_choice_ for fit in fits])
    2
    """
    if not isinstance(choices, Sequence) or not all(isinstance(choice, DimensionChoice) for choice in choices):
        raise ArgumentTypeError(
            f"choices is {type_of(choices)}; pass a list of the dimension_choice_ of embeddings that are "
            "fitted with different random_state."
        )
    known = [choice.z for choice in choices if choice.z is not None and choice.cross_validated]
    if not known or len(known) < len(choices):
        rules = [choice.rule for choice in choices]
        raise ArgumentError(f"choices have the rules {rules}; pass one or more of cross-validated eigenvalues.")
    tested = min(map(len, known))
    return max(1, last_significant(np.mean([z[:tested] for z in known], axis=0)))


def last_significant(z: Array) -> int:
    """Return the number of z statistics up to the last one that is significant."""
    return int(np.max(np.flatnonzero(z > CRITICAL), initial=-1)) + 1


def by_ranks(values: Array, edges: Array) -> Array:
    """Return the share of `edges`, each value itself included, that is as large as the magnitude of a value.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.dimension import by_ranks
    >>> by_ranks(np.array([9.0, -8.0, 2.0]), np.array([5.0, 6.0, 7.0]))
    array([0.25, 0.25, 1.  ])
    """
    as_large = (edges[None] >= np.abs(values)[:, None]).sum(axis=1)
    return np.asarray((1 + as_large) / (1 + len(edges)))
