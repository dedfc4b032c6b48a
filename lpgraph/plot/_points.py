"""Drawing of classified points, their ellipses and the entries of their legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_flag
from lpgraph.errors import ArgumentError
from lpgraph.infer.mixture import PositionMixture
from lpgraph.plot._density import draw_density
from lpgraph.plot._marks import draw_marks
from lpgraph.plot._style import point_opacity, point_size
from lpgraph.plot.ellipses import class_moments, ellipses, mixture_moments
from lpgraph.plot.palette import Classes
from lpgraph.plot.scaling import Scaling, limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Limits = tuple[tuple[float, float, bool], tuple[float, float, bool]]

__all__ = ["Ellipses", "checked_scaling", "class_entries", "cut_caption", "density_drawn", "draw", "equal_axes"]

#: Number of points above which their density is drawn, since points would overlap.
_DENSITY = 20_000


@dataclass(frozen=True, eq=False)
class Ellipses:
    """Which ellipses are drawn: those of the classes, of a mixture's components, or none.

    Attributes
    ----------
    what : {"classes"}, PositionMixture or None
        As for `lpgraph.plot.positions`.
    level : float
        The probability of each ellipse.
    """

    what: str | PositionMixture | None
    level: float

    def draw(
        self,
        axes: Axes,
        xy: Array,
        codes: NDArray[np.intp],
        classes: Classes,
        dimensions: tuple[int, int],
        width: int,
    ) -> None:
        """Draw the ellipses of points `xy`, the `dimensions` of positions with `width` columns."""
        if self.what is None:
            return
        if isinstance(self.what, PositionMixture):
            means, covariances = mixture_moments(self.what)
            if means.shape[1] != width:
                raise ArgumentError(
                    f"ellipse is a mixture in {means.shape[1]} dimensions but the positions have {width}; "
                    "pass a mixture fitted to these positions."
                )
            ellipses(means, covariances, level=self.level, dimensions=dimensions, axes=axes)
        elif self.what == "classes":
            means, covariances, kept = class_moments(xy, codes)
            if len(means):
                shades = [classes.colours[k] for k in kept]
                ellipses(means, covariances, level=self.level, colours=shades, axes=axes)
        else:
            raise ArgumentError(f'ellipse={self.what!r}; pass "classes", a PositionMixture or None.')


def checked_scaling(scale: str, positions: Array, *, fixed: bool) -> Scaling:
    """Return the scaling; if `fixed`, something drawn belongs to the positions as they are."""
    if not fixed:
        return Scaling.of(scale, positions)
    if scale not in ("auto", "none"):
        raise ArgumentError(
            f'scale={scale!r} but the ellipses are those of the positions as they are; pass scale="none".'
        )
    return Scaling("none")


def density_drawn(density: bool | None, n: int) -> bool:
    """Whether n points are drawn as a density image."""
    return n > _DENSITY if density is None else check_flag("density", density)


def draw(
    axes: Axes,
    xy: Array,
    codes: NDArray[np.intp],
    classes: Classes,
    limits: Limits,
    *,
    density: bool,
    panels: int = 1,
) -> None:
    """Draw the points or their density, and set limits that cut points off."""
    (left, right, cut_x), (bottom, top, cut_y) = limits
    if cut_x:
        axes.set_xlim(left, right)
    if cut_y:
        axes.set_ylim(bottom, top)
    if density:
        low, high = np.array([left, bottom]), np.array([right, top])
        inside = ((xy >= low) & (xy <= high)).all(axis=1)
        draw_density(axes, xy[inside], codes[inside], classes.colours, (low, high), panels)
        return
    size, opacity = point_size(len(xy)) / panels**0.5, point_opacity(len(xy))
    draw_marks(axes, xy, codes, classes, size=size, opacity=opacity)


def cut_caption(points: Array, limits: Sequence[tuple[float, float, bool]]) -> list[str]:
    """Return the caption of limits that cut points off."""
    if not any(cut for _, _, cut in limits):
        return []
    low, high = np.array([limit[:2] for limit in limits]).T
    outside = int(((points < low) | (points > high)).any(axis=1).sum())
    return [f"axes end at the 0.5 % and 99.5 % quantiles, {outside} of {len(points)} points outside"]


def equal_axes(axes: Axes, points: Array) -> list[str]:
    """Give both axes one scale and limits for `points`, and return the caption if the limits cut points off."""
    ends = limits(points[:, 0]), limits(points[:, 1])
    if any(cut for _, _, cut in ends):
        axes.set_xlim(*ends[0][:2])
        axes.set_ylim(*ends[1][:2])
        axes.set_aspect("equal", adjustable="box")
    else:
        axes.set_aspect("equal", adjustable="datalim")
        axes.autoscale_view()
    return cut_caption(points, ends)


def class_entries(classes: Classes, *, density: bool) -> list[dict[str, object]]:
    """Return the legend's entries of several classes; an image has no markers."""
    if len(classes.levels) < 2:
        return []
    named = zip(classes.levels, classes.colours, classes.markers, strict=True)
    return [{"label": str(k), "color": colour, "marker": "s" if density else m} for k, colour, m in named]
