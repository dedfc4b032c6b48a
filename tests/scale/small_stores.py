"""Networks of five blocks, small enough for memory."""

import numpy as np

N = 4000
KINDS = {"undirected": {}, "weighted": {"weights": True}, "directed": {"directed": True}}


def edges(seed=0, count=60_000):
    rng = np.random.default_rng(seed)
    u = np.r_[np.arange(N), rng.integers(0, N, count)]
    inside = rng.random(len(u)) < 0.7
    v = np.where(inside, u // 800 * 800 + rng.integers(0, 800, len(u)), rng.integers(0, N, len(u)))
    return u, v, rng.uniform(0.5, 2, len(u))


class StopError(Exception):
    """What a test raises in the middle of a fit."""
