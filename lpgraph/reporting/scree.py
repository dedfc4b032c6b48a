"""Scree plot as SVG, with colours from the style sheet of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["scree_svg"]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640.0, 300.0, 62.0, 14.0, 26.0, 44.0


def scree_svg(
    values: NDArray[np.float64], d: int, elbow: int | None, *, directed: bool, estimated: bool = False
) -> str:
    """Return the scree plot of `values`, with lines at the number `d` of values used and at the elbow.

    `estimated` is whether the values are estimates from the edges that were not held out.
    """
    size = np.abs(values)
    step = (_WIDTH - _LEFT - _RIGHT) / len(size)
    ticks = _ticks(float(size.max()))

    def x(rank: float) -> float:
        return _LEFT + step * (rank - 0.5)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / ticks[-1]

    what = f"{'estimated ' if estimated else ''}{'singular values' if directed else 'magnitudes of eigenvalues'}"
    used = f"{d} used" if elbow is None else f"{d} used, elbow at {elbow}"
    parts = [
        f'<svg class="scree" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
        'aria-labelledby="scree-title scree-text">',
        f'<title id="scree-title">Scree: {what}</title>',
        f'<desc id="scree-text">{len(size)} values, from {size.max():.4g} to {size.min():.4g}; {used}.</desc>',
    ]
    for tick in ticks:
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        )
        parts.append(f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    every = max(1, int(np.ceil(len(size) / 12)))
    parts += [
        f'<text x="{x(rank):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{rank}</text>'
        for rank in range(1, len(size) + 1, every)
    ]
    parts.append(f'<text x="{(_LEFT + _WIDTH) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">rank</text>')
    if elbow is not None and elbow != d:
        parts.append(_mark(x(elbow + 0.5), "elbow", f"elbow {elbow}", y(ticks[-1])))
    parts.append(
        _mark(x(d + 0.5), "used", used.split(",")[0] if elbow != d else f"{d} used, the elbow", y(ticks[-1]))
    )
    path = " ".join(f"{x(k + 1):.1f},{y(value):.1f}" for k, value in enumerate(size))
    parts.append(f'<polyline class="line" points="{path}"/>')
    for k, value in enumerate(values):
        sign = "negative" if value < 0 else "positive"
        shown = f"<title>{k + 1}: {value:.5g}</title>"
        parts.append(
            f'<circle class="{sign}" cx="{x(k + 1):.1f}" cy="{y(abs(value)):.1f}" r="4.5">{shown}</circle>'
        )
    parts.append("</svg>")
    if estimated:
        parts.append('<p class="note">The values are estimates from the edges that were not held out.</p>')
    if (values < 0).any():
        parts.append('<p class="note">Hollow markers: negative eigenvalues.</p>')
    return "\n".join(parts)


def _mark(at: float, kind: str, text: str, top: float) -> str:
    line = f'<line class="{kind}" x1="{at:.1f}" x2="{at:.1f}" y1="{top:.1f}" y2="{_HEIGHT - _BOTTOM:.1f}"/>'
    right = at < 0.7 * _WIDTH
    shift, anchor, height = (6, "start", 12) if right else (-6, "end", 12)
    lower = 16 if kind == "elbow" else 0
    return line + (
        f'<text class="{kind}" x="{at + shift:.1f}" y="{top + height + lower:.1f}" '
        f'text-anchor="{anchor}">{text}</text>'
    )


def _ticks(highest: float) -> list[float]:
    """Return round numbers from 0 to just above `highest`."""
    raw = max(highest, 1e-300) / 4
    unit = 10.0 ** np.floor(np.log10(raw))
    step = float(next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= raw))
    return [
        round(k * step, 12) if step > 1e-9 else k * step for k in range(int(np.ceil(highest / step - 1e-9)) + 1)
    ]
