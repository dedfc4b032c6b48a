"""Scree plot: eigenvalues, elbow and chosen number of dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import not_fitted
from lpgraph.plot._style import caption, new_axes
from lpgraph.plot.palette import COLOURS, GREY
from lpgraph.spectral.named_positions import fitted_part
from lpgraph.spectral.scree import elbows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

    from lpgraph.infer.validation import DimensionValidation

__all__ = ["scree"]


def scree(
    embedding: BaseEstimator, *, validation: DimensionValidation | None = None, axes: Axes | None = None
) -> Axes:
    """Plot the eigenvalues of a fitted embedding, its elbow and its dimension; negative eigenvalues are hollow.

    The values are ``scree_``, by which the dimension was chosen. If cross-validated eigenvalues chose it, which is
    the default, they are estimates from the edges that were not held out, and the picture says so.

    Parameters
    ----------
    embedding : fitted model
        A fitted embedding, or a classifier or clustering that has one. With ``n_components=None`` an embedding of
        a network has more eigenvalues than it uses. With a fixed number, and for points, there are no others, and
        no elbow is drawn.
    validation : DimensionValidation, optional
        From `lpgraph.infer.dimension.cross_validate`; its choice is also marked. `lpgraph.plot.validation` plots
        its curve.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    NotFittedError
        If the model is not fitted, or has no embedding.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding().fit(nx.karate_club_graph())
    >>> lp.plot.scree(ase).get_ylabel()
    'estimated magnitude of eigenvalue'
    """
    fitted = fitted_part(embedding) if hasattr(embedding, "get_params") else None
    if fitted is None:
        raise not_fitted(f"embedding is {embedding!r:.80}, which has no eigenvalues; pass a fitted embedding.")
    axes = new_axes(axes)
    values = np.asarray(fitted.scree_ if hasattr(fitted, "scree_") else fitted.eigenvalues_)
    d = fitted.embedding_.shape[1]
    rank = np.arange(1, len(values) + 1)
    axes.plot(rank, np.abs(values), color="0.75", zorder=1)
    signs = [("positive", values >= 0, COLOURS[0]), ("negative", values < 0, "white")]
    for name, chosen, face in signs:
        if chosen.any():
            label = f"{name} eigenvalue" if (values < 0).any() else None
            axes.scatter(
                rank[chosen],
                np.abs(values[chosen]),
                s=28,
                color=face,
                edgecolors=COLOURS[0],
                zorder=2,
                label=label,
            )
    marks: dict[int, list[str]] = {d: [f"embedding: {d}"]}
    if len(values) > d and len(values) > 2:
        first = elbows(values)[0]
        marks.setdefault(first, []).append(f"elbow: {first}")
    if validation is not None:
        best = validation.smallest_good
        marks.setdefault(best, []).append(f"cross-validation: {best}")
    styles = zip((COLOURS[1], COLOURS[2], GREY), ("-", ":", "--"), strict=True)
    for (at, rules), (colour, line) in zip(marks.items(), styles, strict=False):
        label = ", ".join(rules)
        axes.axvline(at + 0.5, color=colour, linestyle=line, linewidth=1.6, label=label, zorder=0)
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("rank")
    choice = getattr(fitted, "dimension_choice_", None)
    estimated = choice is not None and choice.cross_validated
    quantity = "singular value" if getattr(fitted, "directed_", False) else "magnitude of eigenvalue"
    axes.set_ylabel(f"estimated {quantity}" if estimated else quantity)
    caption(axes, ["estimates from the edges that were not held out"] if estimated else [])
    axes.legend(frameon=False, fontsize="small")
    return axes
