"""New vertices in scatter plots: their positions, classes, colours and entries of the legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import row_names
from lpgraph.plot._marks import NEW, new_vertex
from lpgraph.plot._style import read_points, row_labels

if TYPE_CHECKING:
    from typing import Self

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.plot._style import Labels
    from lpgraph.plot.palette import RGB, Classes

    Array = NDArray[np.float64]
    Kinds = NDArray[np.generic]

__all__ = ["NewPoints", "of_one_kind"]

_WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class NewPoints:
    """Positions of m new vertices, and their classes, of which there are none or m."""

    points: Array
    kinds: Kinds

    @classmethod
    def of(
        cls, out_of_sample: ArrayLike | None, out_labels: Labels | None, chosen: tuple[int, ...], kinds: Kinds
    ) -> Self | None:
        """Return the new vertices of a plot, or None; `kinds` are the classes of the known ones."""
        if out_of_sample is None:
            if out_labels is not None:
                raise ArgumentError("out_labels was passed without out_of_sample; pass the positions as well.")
            return None
        points = read_points("out_of_sample", out_of_sample, chosen)
        if out_labels is None:
            return cls(points, kinds[:0])
        return cls(
            points, row_labels("out_labels", out_labels, len(points), row_names(out_of_sample, len(points)))
        )

    def entries(self, classes: Classes, known: list[dict[str, object]]) -> list[dict[str, object]]:
        """Return the entries of a legend with that of new vertices."""
        plain = self._plain(classes)
        first = known or [{"label": "known vertex", "color": plain}]
        return [*first, {"label": new_vertex(self.points), "color": "0.5" if len(self.kinds) else plain, **NEW}]

    def colours(self, classes: Classes) -> list[RGB]:
        """Return the colour of each new vertex."""
        return [classes.colours[code] for code in classes.codes(self.kinds)] or [
            self._plain(classes) for _ in self.points
        ]

    @staticmethod
    def _plain(classes: Classes) -> RGB:
        """Return the colour without labels: white if there are classes, else that of the others."""
        return classes.colours[0] if len(classes.levels) == 1 else _WHITE


def of_one_kind(kinds: Kinds, new: NewPoints | None) -> tuple[Kinds, NewPoints | None]:
    """Return the classes of known and of new vertices, as texts if only one of them are texts."""
    if new is None or not len(new.kinds) or kinds.dtype.kind == new.kinds.dtype.kind:
        return kinds, new
    return kinds.astype(str), NewPoints(new.points, new.kinds.astype(str))
