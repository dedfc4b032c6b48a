"""Positions by name: of a fitted embedding, a data frame, a mapping or an array."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lpgraph._articles import a_type
from lpgraph._checks import check_finite_array, not_fitted
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import Names, as_labels, as_names, code_names, index_of, name_at
from lpgraph.graph.vertex_values import row_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names

    Array: TypeAlias = NDArray[np.float64]

__all__ = ["NamedPositions"]

#: Attributes of estimators that contain another: its fitted embedding, or a frozen estimator.
_INSIDE = ("fitted_embedding_", "best_estimator_", "embedding", "estimator")

#: Names of columns of positions as targets, such as ase0_in and ase_in0.
_INWARD = re.compile(r"_in\d*$")


@dataclass(frozen=True, eq=False)
class NamedPositions:
    """Positions of items with names, and what is known of their signs.

    Attributes
    ----------
    names : ndarray of shape (n,), or range
        One name for each row; ``range(n)`` if there are none.
    out : ndarray of shape (n, d)
        Positions; of a directed network those as sources.
    into : ndarray of shape (n, d) or None
        Of a directed network: positions as targets.
    signature : ndarray of shape (d,) or None
        The sign of each column, if known.
    kind : str or None
        The class of the embedding.
    """

    names: Names
    out: Array
    into: Array | None = None
    signature: NDArray[np.int64] | None = None
    kind: str | None = None

    @classmethod
    def of(cls, argument: str, value: object) -> NamedPositions:
        """Read positions.

        Parameters
        ----------
        argument : str
            What the caller calls them, for errors.
        value : fitted embedding, mapping, data frame or array
            A fitted embedding, or an estimator that has one; ``{name: vector}``; a data frame whose index has the
            names, and whose columns ending in "_in" (and a number) are positions as targets; or an array without
            names.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If it has no positions, or these are not finite.
        """
        if isinstance(value, NamedPositions):
            return value
        if isinstance(value, type):
            raise ArgumentTypeError(f"{argument} is the class {value.__name__}; pass a fitted estimator.")
        if hasattr(value, "get_params"):
            return cls._of_estimator(argument, value)
        names: Names | None = None
        if isinstance(value, Mapping):
            names, value = as_names(list(value), argument=argument), list(value.values())
        positions = check_finite_array(argument, value, ndim=2)
        if not positions.size:
            raise ArgumentError(f"{argument} has shape {positions.shape}; pass at least one row and column.")
        names = row_names(value, len(positions)) if names is None else names
        inward = np.array(
            [bool(_INWARD.search(str(column))) for column in getattr(value, "columns", ())], dtype=bool
        )
        if not inward.any():
            return cls(names, positions)
        if 2 * inward.sum() != len(inward):
            raise ArgumentError(
                f"{argument} has {int(inward.sum())} columns of targets, with _in in their names, and "
                f"{int((~inward).sum())} others; pass as many of both."
            )
        return cls(names, positions[:, ~inward], positions[:, inward])

    @classmethod
    def _of_estimator(cls, argument: str, value: object) -> NamedPositions:
        model = fitted_part(value)
        if model is None:
            raise not_fitted(f"{argument} is {a_type(value)} without a fitted embedding; call fit(...) first.")
        positions = np.asarray(model.embedding_)
        # Points have no names, but their rows: of a disconnected graph those that were kept.
        names = getattr(model, "vertex_names_", getattr(model, "kept_", range(len(positions))))
        signature = getattr(model, "signature_", None)
        return cls(
            as_names(names, argument=argument),
            positions,
            getattr(model, "embedding_in_", None),
            None if signature is None else np.asarray(signature, dtype=np.int64),
            type(model).__name__,
        )

    def __repr__(self) -> str:
        return f"<{'directed ' * (self.into is not None)}positions of {self.n} items in {self.d} dimensions>"

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.out.shape[0])

    @property
    def d(self) -> int:
        """Number of dimensions."""
        return int(self.out.shape[1])

    @property
    def sides(self) -> int:
        """Number of positions of each item: two in a directed network."""
        return 1 if self.into is None else 2

    @property
    def example(self) -> str:
        """The first name, for errors."""
        return repr(name_at(self.names, 0))

    @property
    def is_array(self) -> bool:
        """Whether these are the rows of an array, which have no names."""
        return isinstance(self.names, range) and self.kind is None

    def stacked(self, rows: NDArray[np.intp]) -> Array:
        """Return the positions of some items; of a directed network those as targets follow those as sources."""
        sides = [side for side in (self.out, self.into) if side is not None]
        return np.vstack([side[rows] for side in sides])


def common_rows(names: Names, others: Names) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of the common names in each of two sequences, in the order of the first."""
    if isinstance(names, range) and isinstance(others, range):
        both = np.arange(min(len(names), len(others)))
        return both, both
    index = index_of(others)
    there = code_names(as_labels(names, "names"), index, missing=-1)
    here = np.flatnonzero(there >= 0)
    return here, there[here]


def fitted_part(value: Any) -> Any:
    """Return the fitted embedding: the estimator itself, or one that it contains; None if there is none."""
    for _ in range(4):  # such as a frozen pipeline of an estimator with an embedding
        if "fitted_embedding_" not in vars(value) and "embedding_" in vars(value):
            return value
        inner = next((found for name in _INSIDE if (found := vars(value).get(name)) is not None), None)
        if not hasattr(inner, "get_params"):
            return None
        value = inner
    return None
