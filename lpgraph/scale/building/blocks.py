"""Edges as they are read: end points that are integers or texts, and weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lpgraph.errors import LpgraphError

__all__ = ["Block", "Ends", "Texts"]


@dataclass(frozen=True)
class Texts:
    """Texts as UTF-8: text k is ``content[starts[k] : starts[k] + lengths[k]]``."""

    content: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, place: int) -> str:
        start = int(self.starts[place])
        return bytes(self.content[start : start + int(self.lengths[place])]).decode("utf-8", "replace")


Ends: TypeAlias = "NDArray[np.int64] | Texts"


@dataclass(frozen=True)
class Block:
    """Edges that follow one another in a shard.

    Attributes
    ----------
    source, target : ndarray of int64, or Texts
        End points.
    weight : ndarray of float64, or None
        Weights.
    after : dict
        Where the shard goes on after this block.
    error : callable
        Returns the error about the edge at a place, given what is wrong.
    may_be_integers : bool
        Whether texts that are all integers are meant as integers.
    """

    source: Ends
    target: Ends
    weight: NDArray[np.float64] | None
    after: dict[str, int]
    error: Callable[[int, str], LpgraphError]
    may_be_integers: bool
