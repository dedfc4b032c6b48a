"""Estimated positions over the true ones, brought together by the best rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.plot._style import GREY, RASTER, Classes, legend, new_axes, read_labels, read_points
from lpgraph.spectral.alignment import procrustes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["truth"]

#: Up to this many vertices a line joins each estimate to its truth.
_LINES = 1_000


def truth(
    estimate: ArrayLike,
    positions: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    dimensions: tuple[int, int] = (0, 1),
    axes: Any = None,
) -> Any:
    """Draw estimated positions, turned onto the true ones by Procrustes, over the true ones.

    Parameters
    ----------
    estimate : array-like of shape (n, d)
        Estimated positions, such as ``embedding_ / np.sqrt(sparsity)``.
    positions : array-like of shape (n, d)
        True positions, such as those of a sampled graph.
    labels : array-like of shape (n,), optional
        Classes of the estimates, one colour each.
    dimensions : (int, int), default (0, 1)
        Which columns of the true positions to draw.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
        Titled with the root mean square distance between estimate and truth, over all dimensions.

    Raises
    ------
    ArgumentError
        If the shapes differ.

    Notes
    -----
    The rotation is that of `lpgraph.procrustes`, the W of Theorem 4 of Tang, Park & Priebe (2013). Positions of an
    indefinite model are determined up to an indefinite rotation, and need not come together under it.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    >>> graph = lp.random_dot_product_graph(X, random_state=1)
    >>> ax = lp.plot.truth(lp.AdjacencySpectralEmbedding(3).fit_transform(graph), graph.positions)
    >>> ax.get_title()
    'root mean square distance 0.139'
    """
    found = read_points("estimate", estimate, dimensions)
    real = read_points("positions", positions, dimensions)
    turned = found @ procrustes(found, real)
    kinds = read_labels("labels", labels, len(found))
    classes = Classes.of(kinds)
    error = float(np.sqrt(((turned - real) ** 2).sum(axis=1).mean()))
    axes = new_axes(axes, (5.6, 5.0))
    a, b = turned[:, dimensions], real[:, dimensions]
    n = len(a)
    size = float(np.clip(6_000 / n, 1.5, 30))
    if n <= _LINES:
        lines = import_extra("matplotlib.collections", "plot").LineCollection
        axes.add_collection(lines(np.stack([b, a], axis=1), colors="0.8", linewidths=0.5, zorder=1))
    axes.scatter(*b.T, s=size, facecolors="none", edgecolors=GREY, linewidths=0.7, zorder=2, rasterized=n > RASTER)
    shades = np.array([colour[:3] for colour in classes.colours])[classes.codes(kinds)]
    axes.scatter(*a.T, s=size, c=shades, linewidths=0, alpha=0.8, zorder=3, rasterized=n > RASTER)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"position {dimensions[0] + 1}")
    axes.set_ylabel(f"position {dimensions[1] + 1}")
    axes.set_title(f"root mean square distance {error:.3g}", fontsize="medium")
    line = import_extra("matplotlib.lines", "plot").Line2D
    empty = {"linestyle": "", "marker": "o"}
    handles = [line([], [], markerfacecolor="none", markeredgecolor=GREY, label="true", **empty)]
    if len(classes.levels) == 1:
        handles.append(line([], [], color=classes.colours[0], label="estimated", **empty))
    else:
        for level, colour in zip(classes.levels, classes.colours, strict=True):
            handles.append(line([], [], color=colour, label=f"estimated, {level}", **empty))
    legend(axes, handles)
    return axes
