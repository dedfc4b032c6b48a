"""Pieces of random work on all cores, each with a stream of random numbers of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lpgraph._threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["run_pieces"]

T = TypeVar("T")


def run_pieces(pieces: Sequence[Callable[[np.random.Generator], T]], rng: np.random.Generator) -> list[T]:
    """Call every piece with a generator of its own and return what they give, in order.

    The generators are seeded by 256 bits of `rng`, and which one a piece has depends on its place alone: the
    results are the same at any number of threads.
    """
    if not pieces:
        return []
    entropy = rng.integers(0, 2**32, size=8, dtype=np.uint64).tolist()
    seeds = np.random.SeedSequence(entropy).spawn(len(pieces))
    found: list[T | None] = [None] * len(pieces)

    def work(low: int, high: int) -> None:
        for t in range(low, high):
            found[t] = pieces[t](np.random.Generator(np.random.PCG64(seeds[t])))

    in_threads(work, range(len(pieces) + 1))
    return found  # type: ignore[return-value]  # each was filled, or an error was raised
