"""The adjacency matrix, its vertices sorted by cluster, binned into an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import check_integer
from lpgraph.graph.construct import as_adjacency
from lpgraph.plot._style import COLOURS, new_axes, read_labels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["adjacency", "binned"]

#: Of blocks narrower than this share of the picture no name is written: names would overlap.
_NAMED = 0.02


def adjacency(
    graph: Any,
    labels: ArrayLike | None = None,
    *,
    bins: int = 500,
    axes: Any = None,
) -> Any:
    """Draw the adjacency matrix as an image, vertices sorted by cluster and within it by degree.

    Each pixel shows the share of its pairs of vertices that are joined; edges count once, whatever their weight.
    The cost is that of the edges, so that 10^6 of them are no trouble.

    Parameters
    ----------
    graph : graph
        Whatever `lpgraph.as_adjacency` takes.
    labels : array-like of shape (n,), optional
        Clusters or classes; they are set apart by lines and named.
    bins : int, default 500
        Pixels along each side, and at most as many as vertices.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If there is not one label for each vertex.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> ax = lp.plot.adjacency(graph, graph.labels)
    >>> ax.images[0].get_array().shape
    (100, 100)
    """
    network = as_adjacency(graph)
    n = network.n_vertices
    kinds = read_labels("labels", labels, n)
    bins = min(check_integer("bins", bins, low=1), n)
    levels, codes = np.unique(kinds, return_inverse=True)
    matrix = network.matrix
    degrees = np.diff(matrix.indptr) + np.bincount(matrix.indices, minlength=n)
    share = binned(network, np.lexsort((-degrees, codes)), bins)
    axes = new_axes(axes, (5.8, 5.2))
    colormap, colours = _scale()
    # Roots bring out sparse blocks beside dense ones; the hundredth densest part may saturate.
    seen = share[share > 0]
    top = float(np.quantile(seen, 0.99)) if len(seen) else 1.0
    image = axes.imshow(
        share,
        cmap=colormap,
        norm=colours.PowerNorm(0.5, vmin=0.0, vmax=top),
        extent=(0, n, n, 0),
        interpolation="nearest" if bins == n else "antialiased",
    )
    if bins < n:
        axes.figure.colorbar(image, ax=axes, label="share of pairs joined", shrink=0.8)
    ends = np.cumsum(np.bincount(codes))
    for end in ends[:-1] if len(levels) <= n / 2 else []:
        axes.axhline(end, color=COLOURS[1], linewidth=0.7)
        axes.axvline(end, color=COLOURS[1], linewidth=0.7)
    axes.set_xticks([])
    if labels is None:
        axes.set_ylabel(f"{n} vertices by degree")
        axes.set_yticks([])
    else:
        starts = np.concatenate([[0], ends[:-1]])
        wide = (ends - starts) >= _NAMED * n
        axes.set_yticks((starts + ends)[wide] / 2, [str(level) for level in levels[wide]])
        axes.tick_params(axis="y", length=0)
    return axes


def binned(network: Adjacency, order: NDArray[np.intp], bins: int) -> NDArray[np.float64]:
    """Return the (bins, bins) shares of joined pairs, with vertex ``order[i]`` in row i."""
    n = network.n_vertices
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n) * bins // n
    entries = network.matrix.tocoo()
    row, column = (place[part] for part in entries.coords)
    count = np.bincount(row * bins + column, minlength=bins * bins).reshape(bins, bins)
    size = np.bincount(place, minlength=bins)
    return np.asarray(count / np.outer(size, size))


def _scale() -> tuple[Any, Any]:
    from lpgraph._checks import import_extra

    colours = import_extra("matplotlib.colors", "plot")
    return colours.LinearSegmentedColormap.from_list("ink", ["#FFFFFF", "#56B4E9", "#0072B2", "#00223A"]), colours
