"""Pictures of embeddings; needs matplotlib (``pip install 'lpgraph[plot]'``).

Every function draws into the axes it is given, or into a new figure, and returns the axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import check_finite_array, check_fitted, import_extra
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.metrics.loss import ReconstructionLoss
    from lpgraph.metrics.perturbation import Stability

__all__ = ["loss", "positions", "scree", "stability"]

#: Okabe & Ito's colours, told apart by colour-blind readers too; then tab20 for more classes.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: From this many points on a scatter is drawn as pixels inside the vector picture.
_RASTER = 5000


def _axes(axes: Any) -> Any:
    return import_extra("matplotlib.pyplot", "plot").subplots(layout="constrained")[1] if axes is None else axes


def _colours(count: int) -> list[Any]:
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    colormap = import_extra("matplotlib", "plot").colormaps["turbo"]
    return [colormap(i / (count - 1)) for i in range(count)]


def positions(
    in_sample: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: ArrayLike | None = None,
    dimensions: tuple[int, int] = (0, 1),
    legend: bool = True,
    axes: Any = None,
) -> Any:
    """Draw two dimensions of an embedding, in-sample vertices as dots and out-of-sample ones as crosses.

    Parameters
    ----------
    in_sample : array-like of shape (n, d)
        Positions, d >= 2 (or the two `dimensions` at least).
    labels : array-like of shape (n,), optional
        Classes, one colour each.
    out_of_sample, out_labels : array-like of shape (m, d) and (m,), optional
        The same of vertices that arrived later.
    dimensions : (int, int), default (0, 1)
        Which columns to draw, horizontally and vertically.
    legend : bool, default True
        Whether to name the classes.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the shapes do not fit each other.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> ax = lp.plot.positions(np.eye(3), ["a", "b", "b"])
    >>> ax.get_xlabel()
    'dimension 1'
    """
    horizontal, vertical = dimensions
    groups = [("in-sample", in_sample, labels, "o"), ("out-of-sample", out_of_sample, out_labels, "x")]
    drawn: list[tuple[str, NDArray[np.float64], NDArray[Any], str]] = []
    for name, points, classes, marker in groups:
        if points is None:
            continue
        xy = check_finite_array(name, points, ndim=2)
        if max(horizontal, vertical) >= xy.shape[1] or min(horizontal, vertical) < 0:
            raise ArgumentError(f"dimensions={dimensions} but {name} has {xy.shape[1]} columns; name two of them.")
        kinds = np.zeros(len(xy), dtype=int) if classes is None else np.asarray(classes)
        if kinds.shape != (len(xy),):
            raise ArgumentError(
                f"The {name} labels have shape {kinds.shape}; pass one for each of {len(xy)} rows."
            )
        drawn.append((name, xy, kinds, marker))
    axes = _axes(axes)
    levels = np.unique(np.concatenate([kinds for *_, kinds, _ in drawn]))
    colour = dict(zip(levels.tolist(), _colours(len(levels)), strict=True))
    for name, xy, kinds, marker in drawn:
        size = float(np.clip(10_000 / max(len(xy), 1), 2, 60))
        for level in np.unique(kinds):
            chosen = kinds == level
            axes.scatter(
                xy[chosen, horizontal],
                xy[chosen, vertical],
                s=size,
                marker=marker,
                color=[colour[level.item()]],
                alpha=0.8,
                linewidths=0.8 if marker == "x" else 0,
                label=f"{level}" if len(levels) > 1 and name == drawn[0][0] else None,
                rasterized=len(xy) > _RASTER,
            )
    axes.set_xlabel(f"dimension {horizontal + 1}")
    axes.set_ylabel(f"dimension {vertical + 1}")
    if legend and len(levels) > 1:
        axes.legend(frameon=False, fontsize="small", ncols=1 + (len(levels) > 8), markerscale=1.5)
    return axes


def scree(embedding: Any, *, axes: Any = None) -> Any:
    """Draw the scree of a fitted embedding, with its chosen dimension; negative eigenvalues are hollow.

    Parameters
    ----------
    embedding : fitted embedding
        With `scree_` and `embedding_`.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding().fit(nx.karate_club_graph())
    >>> lp.plot.scree(ase).get_ylabel()
    'magnitude of eigenvalue'
    """
    check_fitted(embedding, "scree_")
    axes = _axes(axes)
    values = np.asarray(embedding.scree_)
    d = embedding.embedding_.shape[1]
    rank = np.arange(1, len(values) + 1)
    axes.plot(rank, np.abs(values), color="0.7", zorder=1)
    for sign, face in ((values >= 0, COLOURS[0]), (values < 0, "white")):
        axes.scatter(rank[sign], np.abs(values[sign]), s=25, color=face, edgecolors=COLOURS[0], zorder=2)
    axes.axvline(d + 0.5, color=COLOURS[1], linestyle="--", linewidth=1)
    axes.annotate(f" d = {d}", (d + 0.5, np.abs(values).max()), color=COLOURS[1])
    axes.set_xlabel("rank")
    axes.set_ylabel("magnitude of eigenvalue" if not embedding.directed_ else "singular value")
    return axes


def stability(result: Stability, *, axes: Any = None) -> Any:
    """Draw training-set variability minus out-of-sample error over the fraction of exchanged points.

    This is Figure 2 of Bengio et al. (2004, Neural Computation): where the curve crosses zero, extending to a
    point is as good as exchanging that fraction of the training points.

    Parameters
    ----------
    result : Stability
        From `lpgraph.metrics.stability`.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((40, 3)) * [3, 2, 1]
    >>> found = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], random_state=0)
    >>> lp.plot.stability(found).get_xlabel()
    'fraction of training points exchanged'
    """
    axes = _axes(axes)
    axes.axhline(0.0, color="0.7", linewidth=1)
    axes.errorbar(
        result.fractions, result.difference, yerr=result.half_width, color=COLOURS[0], marker="o", capsize=3
    )
    axes.set_xlim(left=0.0)
    axes.set_xlabel("fraction of training points exchanged")
    axes.set_ylabel("variability - out-of-sample error")
    return axes


def loss(result: ReconstructionLoss, *, axes: Any = None) -> Any:
    """Draw the reconstruction loss over the number of eigenfunctions, by both orders of eigenvalues.

    Parameters
    ----------
    result : ReconstructionLoss
        From `lpgraph.metrics.reconstruction_loss`.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> model = lp.manifold.ClassicalMDS(2).fit(np.random.default_rng(0).standard_normal((40, 3)))
    >>> lp.plot.loss(lp.metrics.reconstruction_loss(model)).get_ylabel()
    'in-sample loss'
    """
    axes = _axes(axes)
    m = np.arange(len(result.positive))
    axes.plot(m, result.positive, color=COLOURS[0], marker="o", label="largest eigenvalues")
    axes.plot(m, result.magnitude, color=COLOURS[1], marker=".", linestyle="--", label="largest magnitudes")
    axes.set_xlabel("eigenfunctions")
    axes.set_ylabel("held-out loss" if result.held_out else "in-sample loss")
    axes.legend(frameon=False, fontsize="small")
    return axes
