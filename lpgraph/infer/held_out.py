"""Known vertices that are held out at random, and the embedding of the others."""

from __future__ import annotations

import warnings
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from lpgraph._checks import check_real
from lpgraph.errors import ArgumentError, DisconnectedGraphWarning, GraphError
from lpgraph.graph.construct import edges_in_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances

__all__ = ["held_out_embedding"]

#: Most vertices held out by default, unless there are more new ones.
_HELD = 5000


def held_out_embedding(
    embedding: EmbeddingWithCovariances, held_out: object, new: int, rng: np.random.Generator
) -> tuple[EmbeddingWithCovariances, NDArray[np.intp], NDArray[np.intp]]:
    """Hold vertices out, and embed the others with as many dimensions.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding of n vertices.
    held_out : float or None
        Share of the vertices that are held out. None is a quarter, but at most `new`, or 5000 if these are fewer.
    new : int
        Number of new vertices.
    rng : Generator
        Generator of the order in which vertices are held out.

    Returns
    -------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A copy that is fitted to the vertices that are kept.
    kept, held : ndarray of shape (n - h,) and (h,)
        Rows of the vertices that are kept, and of those held out, these in random order.

    Raises
    ------
    ArgumentError
        If no vertex or too many would be held out, the others cannot be embedded, or edges are not in memory.
    """
    n = edges_in_memory(embedding.graph_).n_vertices
    if n < 3:
        raise ArgumentError(
            f"The network has {n} {'vertex' if n == 1 else 'vertices'}, but one is held out and two are embedded; "
            "test for drift with a model of 3 or more vertices."
        )
    if held_out is None:
        count = max(1, min(n // 4, max(new, _HELD)))
    else:
        count = round(check_real("held_out", held_out, low=0.0, high=1.0) * n)
    if not 1 <= count <= n - 2:
        raise ArgumentError(
            f"held_out={held_out} holds out {count} of {n} vertices; pass a share from {_share(1, n)} to "
            f"{_share(n - 2, n)}."
        )
    order = rng.permutation(n)
    d = embedding.embedding_.shape[1]
    try:
        return _refitted(embedding, order[count:], d), np.sort(order[count:]), order[:count]
    except (ArgumentError, GraphError) as error:
        raise ArgumentError(_remedy(embedding, order, count)) from error


def _refitted(embedding: EmbeddingWithCovariances, kept: NDArray[np.intp], d: int) -> EmbeddingWithCovariances:
    """Return a copy of the embedding, fitted to a part of the vertices with d dimensions."""
    model: EmbeddingWithCovariances = clone(embedding)
    model.set_params(n_components=d, align_to=None, random_state=None).set_output(transform="default")
    with warnings.catch_warnings():
        # It is about the vertices that are kept, and vertices at the origin are compared like others.
        warnings.simplefilter("ignore", DisconnectedGraphWarning)
        return model.fit(edges_in_memory(embedding.graph_).take(np.sort(kept)))


def _remedy(embedding: EmbeddingWithCovariances, order: NDArray[np.intp], count: int) -> str:
    """Return the message of an error, with a share and a number of dimensions that were tried and work."""
    n, d = len(order), embedding.embedding_.shape[1]

    def works(count: int, d: int) -> bool:
        try:
            _refitted(embedding, order[count:], d)
        except (ArgumentError, GraphError):
            return False
        return True

    fewer = _largest(lambda held: works(held, d), count - 1)
    dimensions = _largest(lambda d: works(count, d), d - 1)
    remedies = [f"held_out={_share(fewer, n)}"] if fewer else []
    if dimensions:
        remedies.append(_model(dimensions))
    if not remedies and (dimensions := _largest(lambda d: works(1, d), d - 1)):
        remedies.append(f"held_out={_share(1, n)} and {_model(dimensions)}")
    if not remedies:
        remedies.append("another random_state, which holds out others")
    return (
        f"{n - count} of {n} vertices are left without those held out, and cannot be embedded in {d} "
        f"{'dimension' if d == 1 else 'dimensions'}; pass {', or '.join(remedies)}."
    )


def _model(d: int) -> str:
    return f"a model with {d} {'dimension' if d == 1 else 'dimensions or fewer'}"


def _largest(works: Callable[[int], bool], high: int) -> int:
    """Return a number from 1 to `high` that works, the largest if all smaller ones do; 0 if none is found."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if works(middle) else (low, middle - 1)
    return low


def _share(count: int, n: int) -> float:
    """Return the share of the fewest digits, two or more, that holds out `count` of n vertices."""
    for digits in range(2, 17):
        share = floor(count / n * 10.0**digits) / 10.0**digits
        if round(share * n) == count:
            return share
    return count / n
