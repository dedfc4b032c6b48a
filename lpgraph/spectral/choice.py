"""How the number of dimensions of an embedding was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy.special import ndtr

from lpgraph._articles import a_type
from lpgraph._html import Shown
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.spectral.rank_tests import by_ranks, two_sided

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CRITICAL", "DimensionChoice", "joint_dimension", "without_choice"]

T = TypeVar("T")

#: z statistics above this are significant: a one-sided p-value of 0.001.
CRITICAL = 3.09

#: Number of z statistics in the representation.
_SHOWN = 6

#: What chose the number, by the name of the rule.
_IN_WORDS = {
    "eigenvalue_cv": "cross-validated eigenvalues",
    "sign_flips": "matrices with random signs",
    "residual_subsampling": "tests of residuals",
    "elbow": "the first elbow of the eigenvalues",
    "second_elbow": "the second elbow of the eigenvalues",
    "third_elbow": "the third elbow of the eigenvalues",
}


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
        "residual_subsampling": the statistics of the hypotheses that 0, 1, ..., k - 1 dimensions are enough.
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
    z: NDArray[np.float64] | None = None
    values: NDArray[np.float64] | None = None
    edges: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        first = f"rule={self.rule!r}, n_components={self.n_components}, at_cap={bool(self.at_cap)}"
        first += " (the largest number tried)" if self.at_cap else ""
        first += ", significant=False" if self.significant is False else ""
        if self.edges is not None:
            return f"DimensionChoice({first}, threshold={self.threshold:.4g})"
        if self.z is None:
            return f"DimensionChoice({first})"
        shown = [f"{value:.1f}" for value in self.z[:_SHOWN].tolist()] + ["..."] * (len(self.z) > _SHOWN)
        return f"DimensionChoice({first}, z=[{', '.join(shown)}])"

    def _facts(self) -> list[tuple[str, str]]:
        facts = [
            ("rule", self.rule),
            ("dimensions", f"{self.n_components}{', at the largest number tried' if self.at_cap else ''}"),
        ]
        facts += [("note", self.doubt)] if self.doubt else []
        if self.z is not None:
            shown = [f"{value:.3g}" for value in self.z[:12].tolist()]
            facts.append(("z statistics", ", ".join(shown + ["…"] * (len(self.z) > len(shown)))))
        if self.edges is not None:
            facts.append(("threshold", f"{self.threshold:.4g}, of {len(self.edges)} matrices with random signs"))
        if self.signature is not None and self.signature[1]:
            facts.append(("signs", "{} positive, {} negative".format(*self.signature)))
        return facts

    @property
    def in_words(self) -> str:
        """The number of dimensions, what chose it, and a reason for doubt in a few words."""
        by = _IN_WORDS.get(self.rule, self.rule)
        note = ""
        if self.at_cap:
            note = "; the largest number tried"
        elif self.significant is False:
            note = "; not significant"
        return f"{self.n_components}, chosen by {by}{note}"

    @property
    def cross_validated(self) -> bool:
        """Whether the eigenvalues are estimates from the edges that were not held out."""
        return self.rule == "eigenvalue_cv" and self.z is not None

    @property
    def p_values(self) -> NDArray[np.float64] | None:
        """The p-value of each hypothesis that the dimensions before one are enough; None for elbows.

        One-sided for "eigenvalue_cv", two-sided for "residual_subsampling", and by ranks for "sign_flips".
        """
        if self.edges is not None and self.values is not None:
            return by_ranks(self.values, self.edges)
        if self.z is None:
            return None
        return two_sided(self.z) if self.rule == "residual_subsampling" else np.asarray(ndtr(-self.z))

    @property
    def significant(self) -> bool | None:
        """Whether a test confirms the last dimension; None for elbows. One dimension is chosen at least."""
        last = self.n_components - 1
        if self.edges is not None and self.values is not None:
            return bool(abs(self.values[last]) > self.edges.max())
        return bool(self.z[last] > CRITICAL) if self.cross_validated and self.z is not None else None

    @property
    def doubt(self) -> str:
        """Why the number may not be what it seems, and what to do; empty if there is no reason."""
        return self.doubt_of(weighted=True)

    def doubt_of(self, *, weighted: bool) -> str:
        """Return `doubt`; that of a network without weights does not mention them."""
        if self.at_cap:
            return (
                f"{self.n_components} is the largest number of dimensions that is tried, and more may be "
                "significant, as in grids and other networks without groups. Choose a number by what the "
                "positions are for, or where predictions of held-out pairs stop improving: "
                "lpgraph.infer.dimension.cross_validate(graph, 64).smallest_good."
            )
        if self.significant is False and self.n_components == 1:
            heavy = (
                " In networks with weights, few large ones may hide what the others say: leave weights out, or "
                "replace them by their ranks."
            )
            return f"No dimension is significant, and 1 is the least possible number.{heavy if weighted else ''}"
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
            f"choices is {a_type(choices)}; pass a list of the dimension_choice_ of embeddings that are "
            "fitted with different random_state."
        )
    known = [choice.z for choice in choices if choice.cross_validated and choice.z is not None]
    if not known or len(known) < len(choices):
        rules = [choice.rule for choice in choices]
        raise ArgumentError(f"choices have the rules {rules}; pass one or more of cross-validated eigenvalues.")
    tested = min(map(len, known))
    mean = np.mean([z[:tested] for z in known], axis=0)
    above = np.flatnonzero(mean > CRITICAL)
    return int(above[-1]) + 1 if len(above) else 1


def without_choice(n_components: T | DimensionChoice) -> T | int:
    """Return the number of a choice, so that ``n_components=model.dimension_choice_`` is accepted."""
    return n_components.n_components if isinstance(n_components, DimensionChoice) else n_components
