"""Maximum likelihood placement of a new vertex: a concave problem, solved by Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._slices import slices
from lpgraph.errors import ConvergenceError
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from lpgraph.spectral.construction import Array

_CHUNK = 1 << 22
_MAX_STEPS = 200


def _log(p: Array, floor: float) -> tuple[Array, Array, Array]:
    """Return log(p), its slope and minus its curvature, continued by parabolas outside [floor, 1 - floor].

    Both parabolas have the curvature of the logarithm at `floor`. The function is concave with a continuous slope,
    and a probability below 0 or above 1 never increases the likelihood.
    """
    inside = np.clip(p, floor, 1 - floor)
    step = p - inside
    bend = np.where(step == 0, 1 / inside**2, 1 / floor**2)
    slope = 1 / inside - step / floor**2
    return np.log(inside) + step / inside - 0.5 * step**2 / floor**2, slope, bend


def _objective(edges: Array, p: Array, floor: float) -> tuple[Array, Array, Array]:
    """Return the log-likelihood (m,) of each vertex, and its slopes and minus curvatures in p, both (m, n)."""
    hit = _log(p, floor)
    miss = _log(1.0 - p, floor)
    value = (edges * hit[0] + (1 - edges) * miss[0]).sum(axis=1)
    return value, edges * hit[1] - (1 - edges) * miss[1], edges * hit[2] + (1 - edges) * miss[2]


def likelihood_positions(rows: Any, design: Array, start: Array, density: float) -> Array:
    """Return the (m, d) positions that make the (m, n) binary `rows` most likely when ``P = Y design.T``.

    `density` is the mean edge probability of the network. Probabilities below a tenth of it are treated as noise.
    """
    positions = start.copy()
    n, d = design.shape
    floor = 0.1 * float(np.clip(density, 1.0 / n, 0.5))
    for part in slices(len(positions), _CHUNK // (n * d)):
        positions[part] = _newton(rows[part].toarray(), design, positions[part], floor)
    return positions


def _newton(edges: Array, design: Array, positions: Array, floor: float) -> Array:
    """Newton's method with backtracking for several vertices at once; each stops by its own decrement."""
    curvature_of = Extension(design).covariance
    active = np.arange(len(positions))
    value, slope, bend = _objective(edges, positions @ design.T, floor)
    for _ in range(_MAX_STEPS):
        gradient = slope @ design
        move = np.linalg.solve(curvature_of(bend), gradient[:, :, None])[:, :, 0]
        decrement = (move * gradient).sum(axis=1)
        # To second order, the decrement is twice the remaining gain of the log-likelihood.
        going = decrement > 1e-12 * np.maximum(1.0, np.abs(value))
        active, move, decrement = active[going], move[going], decrement[going]
        value, slope, bend = value[going], slope[going], bend[going]
        if not len(active):
            return positions
        length = np.ones(len(active))
        pending = np.arange(len(active))
        while len(pending):
            trial = positions[active[pending]] + length[pending, None] * move[pending]
            new_value, new_slope, new_bend = _objective(edges[active[pending]], trial @ design.T, floor)
            enough = new_value >= value[pending] + 1e-4 * length[pending] * decrement[pending]
            enough |= length[pending] < 1e-10
            taken = pending[enough]
            positions[active[taken]] = trial[enough]
            value[taken], slope[taken], bend[taken] = new_value[enough], new_slope[enough], new_bend[enough]
            pending = pending[~enough]
            length[pending] *= 0.5
    raise ConvergenceError(
        f'rule="likelihood": {len(active)} positions did not converge in {_MAX_STEPS} Newton steps; '
        'pass rule="least_squares". The last positions are in error.result.',
        positions,
    )
