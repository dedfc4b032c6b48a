"""Calibration of class probabilities by the number of labelled neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Array

__all__ = ["Calibration", "to_powers"]

#: Least number of labelled neighbors of each group except the first, which has none.
_BOUNDS = (1, 2, 4, 8)
#: Number of groups.
_GROUPS = len(_BOUNDS) + 1
#: Precisions of the normal distributions of the mean logarithm of the exponents, which has mean 0, and of their
#: logarithms, which have that mean.
_COMMON, _OWN = 100.0, 30.0


@dataclass(frozen=True, eq=False)
class Calibration:
    """Exponents of class probabilities that make these agree with the share of right predictions.

    Logistic regression weighs the share of a class among the labelled neighbors alike for one neighbor and for
    ten. Its probabilities are therefore too high with one labelled neighbor, and too low with many. The
    probabilities p of a vertex become ``p**b / sum(p**b)``, which is temperature scaling (Guo et al. 2017, Section
    4.2) with temperature 1 / b. The exponent b is one of five, by the number of labelled neighbors: 0, 1, 2 to 3,
    4 to 7, and 8 or more. The most probable class remains.

    Attributes
    ----------
    exponents : ndarray of shape (5,)
        The exponent of each group.

    References
    ----------
    Guo, C., Pleiss, G., Sun, Y. & Weinberger, K. Q. (2017), "On calibration of modern neural networks", ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.calibration import Calibration
    >>> calibration = Calibration(np.array([1.0, 0.5, 1.0, 1.0, 2.0]))
    >>> calibration.by_neighbors(np.array([[0.8, 0.2], [0.8, 0.2], [0.8, 0.2]]), np.array([0, 1, 9])).round(2)
    array([[0.8 , 0.2 ],
           [0.67, 0.33],
           [0.94, 0.06]])
    """

    exponents: Array

    @classmethod
    def of(
        cls,
        held_out: Array,
        neighbors: NDArray[np.intp],
        codes: NDArray[np.intp],
    ) -> Self:
        """Return the exponents of largest posterior density, given labels that were held out.

        Their logarithms are normal with standard deviation 0.18 around a common value, which is normal with
        standard deviation 0.1 around 0, so that few labels change the probabilities little.

        Parameters
        ----------
        held_out : ndarray of shape (m, n_classes)
            Probabilities of labelled vertices, whose labels were held out.
        neighbors : ndarray of int of shape (m,)
            Their numbers of labelled neighbors.
        codes : ndarray of int of shape (m,)
            The classes of the vertices.
        """
        return cls(_likely(held_out, codes, np.digitize(neighbors, _BOUNDS), _GROUPS))

    @classmethod
    def none(cls) -> Self:
        """Return exponents that change nothing."""
        return cls(np.ones(_GROUPS))

    def by_neighbors(self, probabilities: Array, neighbors: NDArray[np.intp]) -> Array:
        """Return calibrated probabilities of m vertices with the given numbers of labelled neighbors."""
        return to_powers(probabilities, self.exponents[np.digitize(neighbors, _BOUNDS)])


def to_powers(probabilities: Array, exponents: Array) -> Array:
    """Return the rows of an (m, k) array to the powers of m exponents, divided by their sums.

    Rows in which all exponents are 1 remain as they are, bit for bit.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.calibration import to_powers
    >>> to_powers(np.array([[0.5, 0.5, 0.0], [0.75, 0.25, 0.0]]), np.array([3.0, 1.0]))
    array([[0.5 , 0.5 , 0.  ],
           [0.75, 0.25, 0.  ]])
    """
    powers = (probabilities / probabilities.max(axis=1, keepdims=True)) ** exponents[:, None]
    changed = (exponents != 1.0)[:, None]
    return np.where(changed, powers / powers.sum(axis=1, keepdims=True), probabilities)


def _likely(probabilities: Array, codes: NDArray[np.intp], groups: NDArray[np.intp], n_groups: int) -> Array:
    """Return the exponent of each group of largest posterior density."""
    given = probabilities[np.arange(len(codes)), codes]
    # A class that the training folds lack has probability 0 with any exponent.
    usable = np.flatnonzero(given > 0)
    groups = groups[usable]
    logs = np.log(np.maximum(probabilities[usable], np.finfo(float).tiny))
    logs -= logs.max(axis=1, keepdims=True)
    own = logs[np.arange(len(usable)), codes[usable]]

    def loss(parameters: Array) -> tuple[float, Array]:
        # The first parameter is the mean of the logarithms, and the others are their differences to it.
        logarithms = parameters[0] + parameters[1:]
        exponents = np.exp(logarithms)[groups]
        powers = np.exp(exponents[:, None] * logs)
        total = powers.sum(axis=1)
        likelihood = (exponents * own - np.log(total)).sum()
        slopes = exponents * (own - np.einsum("ij,ij->i", powers, logs) / total)
        by_group = np.bincount(groups, weights=slopes, minlength=n_groups)
        penalty = 0.5 * (_COMMON * parameters[0] ** 2 + _OWN * (parameters[1:] ** 2).sum())
        gradient = np.concatenate([[_COMMON * parameters[0] - by_group.sum()], _OWN * parameters[1:] - by_group])
        return penalty - likelihood, gradient

    found = minimize(loss, np.zeros(n_groups + 1), jac=True, method="L-BFGS-B")
    return np.asarray(np.exp(found.x[0] + found.x[1:]))
