"""Parallel random work, with a separate random number generator for each piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lpgraph._threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["run_pieces"]

T = TypeVar("T")


def run_pieces(pieces: Sequence[Callable[[np.random.Generator], T]], rng: np.random.Generator) -> list[T]:
    """Call every piece with its own generator and return the results in order.

    The generators are seeded with 256 bits of `rng` and the index of the piece, so that results do not depend on
    the number of threads.
    """
    if not pieces:
        return []
    entropy = rng.integers(0, 2**32, size=8, dtype=np.uint64).tolist()
    seeds = np.random.SeedSequence(entropy).spawn(len(pieces))
    found: dict[int, T] = {}

    def work(t: int, _: int) -> None:
        found[t] = pieces[t](np.random.Generator(np.random.PCG64(seeds[t])))

    in_threads(work, range(len(pieces) + 1))
    return [found[t] for t in range(len(pieces))]
