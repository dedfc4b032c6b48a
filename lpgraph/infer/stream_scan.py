r"""Scan of a stream for a part that differs from a reference, with limits by random permutations.

Items have values, several for each measure. They are replaced by normal scores of their ranks among all items, and
these are made uncorrelated. For the sum S of w successive items of the stream, each minus the mean of the m items
of the reference, the statistic is

.. math:: |S| / \sqrt{(w + w^2 / m) N / (N - 1)} - \sqrt{2 \log (e T / w)}

for T items of the stream, and N = m + T: the length of the sum in standard deviations, with a penalty for the
number of windows of this length (Duembgen & Spokoiny 2001). At each time, the windows of 1, 2, 4, ... items up to
this time, and the whole stream so far, are compared.

If all items are exchangeable, a random order of them is as good as theirs. So the limits that random orders exceed
with probability alpha are exact, whatever the distribution of the values is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from lpgraph._threads import blas_alone

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Scan", "normal_scores"]

#: Most times at which a stream is looked at.
_TIMES = 256
#: Entries of the scores of random streams held at a time: 32 MB.
_CHUNK = 1 << 22


@blas_alone()
def normal_scores(values: Array) -> Array:
    """Return normal scores of the ranks in each column, uncorrelated and of variance 1.

    Parameters
    ----------
    values : ndarray of shape (N, k)

    Returns
    -------
    ndarray of shape (N, j)
        With a column for each direction in which the scores vary.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.stream_scan import normal_scores
    >>> normal_scores(np.array([[3.0], [1.0], [1000.0], [2.0]])).ravel().round(2)
    array([ 0.38, -1.36,  1.36, -0.38])
    """
    ranks = np.asarray(stats.rankdata(values, axis=0))
    found = np.asarray(stats.norm.ppf((ranks - 0.5) / len(values)))
    found -= found.mean(axis=0)
    lengths, vectors = np.linalg.eigh(found.T @ found / len(values))
    # Columns that are equal for all items, or a combination of others, have no direction of their own.
    kept = lengths > 1e-8
    return np.asarray(found @ (vectors[:, kept] / np.sqrt(lengths[kept])))


@dataclass(frozen=True, eq=False)
class Scan:
    """The statistics of a stream, and their limits.

    Attributes
    ----------
    ends : ndarray of shape (t,)
        Numbers of items after which the stream was looked at.
    paths : dict
        For each measure the statistics at these times.
    limits : dict
        For each measure the limit that its statistic exceeds if it raises the alarm.
    p_values : dict
        For each measure the probability of so large a statistic at some time, if nothing changed.
    p_value : float
        The probability that any of them is as small as the least one.
    """

    ends: NDArray[np.intp]
    paths: dict[str, Array]
    limits: dict[str, float]
    p_values: dict[str, float]
    p_value: float

    @classmethod
    def of(
        cls, scores: Mapping[str, Array], length: int, alpha: float, draws: int, seed: int, *, ordered: bool = True
    ) -> Scan:
        """Scan a stream.

        Parameters
        ----------
        scores : mapping
            For each measure, scores of shape (N, k). The last `length` items are the stream, in its order.
        length : int
            T.
        alpha : float
            Probability of an alarm if nothing changed.
        draws : int
            Number of random streams.
        seed : int
            Seed of the random streams.
        ordered : bool
            Whether parts of the stream are compared, or only all of it, at its end.
        """
        total = len(next(iter(scores.values())))
        cuts = _cuts(length) if ordered else np.array([0, length])
        streams = {key: x[None, total - length :] for key, x in scores.items()}
        paths = {key: _statistics(_sums(x, cuts, total), cuts, total)[0] for key, x in streams.items()}
        largest = np.empty((len(scores), draws + 1))
        largest[:, 0] = [path.max() for path in paths.values()]
        done = 1
        for drawn in _random_streams(total, length, draws, max(x.shape[1] for x in scores.values()), seed):
            part = slice(done, done + len(drawn))
            for row, x in zip(largest, scores.values(), strict=True):
                row[part] = _statistics(_sums(x[drawn], cuts, total), cuts, total).max(axis=1)
            done = part.stop
        # The place of each stream among all, the observed one first, by each measure: 1 is the largest.
        places = np.array([draws + 2 - stats.rankdata(row, method="min") for row in largest])
        places = places.astype(np.intp)
        least = places.min(axis=0)
        order = np.sort(least)
        # The best place by which at most a share alpha of the streams raises the alarm.
        allowed = int(np.floor(alpha * (draws + 1) + 1e-9))
        place = int(order[allowed]) - 1 if allowed < len(order) else draws + 1
        limits = [float(np.sort(row)[::-1][min(place, draws)]) for row in largest]
        return cls(
            cuts[1:],
            paths,
            dict(zip(scores, limits, strict=True)),
            {key: float(row[0] / (draws + 1)) for key, row in zip(scores, places, strict=True)},
            float((least <= least[0]).mean()),
        )

    def exceeded(self) -> tuple[int, str] | None:
        """Return the first time, as a place in `ends`, at which a limit is exceeded, and the measure; or None."""
        first = [
            (int(above[0]), -float(path[above[0]] - self.limits[key]), key)
            for key, path in self.paths.items()
            if len(above := np.flatnonzero(path > self.limits[key]))
        ]
        return None if not first else (min(first)[0], min(first)[2])

    def window(self, scores: Array, length: int, time: int) -> tuple[int, int]:
        """Return the begin and the end of the window with the largest statistic of a measure that contains a time.

        All windows are compared, also those that end later.
        """
        cuts = np.concatenate([[0], self.ends])
        sums = _sums(scores[None, len(scores) - length :], cuts, len(scores))[0]
        inside = sums[None, time + 1 :] - sums[: time + 1, None]
        found = _scaled(inside, cuts[None, time + 1 :] - cuts[: time + 1, None], length, len(scores))
        begin, end = np.unravel_index(int(found.argmax()), found.shape)
        return int(cuts[begin]), int(cuts[time + 1 + end])


def _cuts(length: int) -> NDArray[np.intp]:
    """Return 0 and the times at which a stream is looked at."""
    step = -(-length // _TIMES)
    return np.append(np.arange(0, length, step), length)


def _random_streams(total: int, length: int, draws: int, columns: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield items of random streams, of shape (some, length)."""
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK // (length * max(1, columns)))
    for low in range(0, draws, step):
        count = min(step, draws - low)
        yield np.stack([rng.choice(total, length, replace=False) for _ in range(count)])


def _sums(streams: Array, cuts: NDArray[np.intp], total: int) -> Array:
    """Return the sums of scores (b, T, k), minus the mean of the others, up to each cut: (b, t + 1, k)."""
    sums = np.zeros((len(streams), len(cuts), streams.shape[2]))
    np.cumsum(np.add.reduceat(streams, cuts[:-1], axis=1), axis=1, out=sums[:, 1:])
    # All scores have the mean 0, so that the sum of the others is minus that of the stream.
    others = sums[:, -1:] / (total - streams.shape[1])
    return np.asarray(sums + cuts[:, None] * others)


def _widths(count: int) -> list[int]:
    """Return 1, 2, 4, ... below a number of parts."""
    return [1 << k for k in range(count.bit_length()) if 1 << k < count]


def _statistics(sums: Array, cuts: NDArray[np.intp], total: int) -> Array:
    """Return the largest statistic of the windows that end at each time, of shape (b, t)."""
    length = int(cuts[-1])
    best = _scaled(sums[:, 1:], cuts[1:], length, total)
    for width in _widths(len(cuts) - 1):
        found = _scaled(sums[:, width:] - sums[:, :-width], cuts[width:] - cuts[:-width], length, total)
        np.maximum(best[:, width - 1 :], found, out=best[:, width - 1 :])
    return best


def _scaled(sums: Array, width: NDArray[np.intp] | np.intp, length: int, total: int) -> Array:
    """Return the statistics of sums over windows of so many items."""
    variance = width * (1 + width / (total - length)) * total / (total - 1)
    return np.asarray(np.sqrt((sums**2).sum(axis=-1) / variance) - np.sqrt(2 * np.log(math.e * length / width)))
