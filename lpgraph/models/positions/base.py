"""Base classes of position sources, and checks of positions and labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Drawn = tuple[NDArray[np.float64], NDArray[np.generic] | None]


class Positions(ABC):
    """A source of latent positions.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> class Clock(lp.positions.Positions):  # one new vertex per hour
    ...     def initial(self, n, rng):
    ...         return self.more(12 if n is None else n, 0, rng)
    ...
    ...     def more(self, m, start, rng):
    ...         angle = 2 * np.pi * (start + np.arange(m)) / 12
    ...         return np.column_stack([np.cos(angle), np.sin(angle)]), None
    >>> lp.LatentPositionModel(lp.kernels.Gaussian(1.0), Clock()).sample(random_state=0).n_vertices
    12
    """

    @abstractmethod
    def initial(self, n: int | None, rng: np.random.Generator) -> Drawn:
        """Return the positions (n, p) of the first n vertices and their labels (n,) or None.

        ``n=None`` means all positions of the source.
        """

    @abstractmethod
    def more(self, m: int, start: int, rng: np.random.Generator) -> Drawn:
        """Return the positions (m, p) and labels of m vertices that follow the first `start`."""


class Independent(Positions):
    """Base class of sources that draw all positions independently from one distribution."""

    @abstractmethod
    def draw(self, n: int, rng: np.random.Generator) -> Drawn:
        """Return n positions and their labels."""

    def initial(self, n: int | None, rng: np.random.Generator) -> Drawn:
        """Return the first n positions and labels."""
        if n is None:
            raise ArgumentError("n=None but positions is a distribution; pass the number of vertices n.")
        return self.draw(n, rng)

    def more(self, m: int, start: int, rng: np.random.Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        return self.draw(m, rng)


def freeze(instance: object, **arrays: np.ndarray) -> None:
    """Set fields of a frozen dataclass to arrays, which become read-only."""
    for name, array in arrays.items():
        array.setflags(write=False)
        object.__setattr__(instance, name, array)


def check_positions(name: str, array: ArrayLike, n: int | None = None) -> NDArray[np.float64]:
    """Return `array` as positions (n, p); a one-dimensional array is one column."""
    checked = check_finite_array(name, array)
    checked = checked[:, None] if checked.ndim == 1 else checked
    if checked.ndim != 2 or 0 in checked.shape or n not in (None, len(checked)):
        wanted = "(n, p) or (n,)" if n is None else f"({n}, p) or ({n},)"
        raise ArgumentError(f"{name} has shape {np.shape(array)}; pass shape {wanted}, one position per row.")
    return checked


def check_labels(name: str, labels: ArrayLike, n: int) -> NDArray[np.generic]:
    """Return `labels` as an array with one label per position."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ArgumentError(f"{name} has shape {array.shape}; pass one label per position, shape ({n},).")
    return array
