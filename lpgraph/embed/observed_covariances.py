r"""Covariances of the positions of vertices of a network with unobserved pairs.

The row i of the embedding solves :math:`M_i x_i = \sum_{j \in O} A_{ij} w_j` for the observed pairs O of i, the
design :math:`w_j` (the other positions, times the signature) and

.. math:: M_i = \Lambda - \sum_{j \in H} w_j w_j^\top D,

for the unobserved pairs H and the factors D by which eigenvalues are shrunk there. With all pairs observed, M is
Lambda. A vertex's own edges affect its position through those of its neighbors, as in `lpgraph.embed.feedback`,
with matrices in place of numbers: with the residuals :math:`g_{ij} = A_{ij} - p_{ij}` and the signature S,

.. math:: K_i = (M_i - \sum_{j \in O} g_{ij}^2 S K_j S)^{-1}, \quad
    \mathrm{cov}(x_i) = K_i \sum_{j \in O} p_{ij} (1 - p_{ij}) w_j w_j^\top K_i^\top.

In unobserved pairs, shrunk values predict less than the truth, which biases the positions of vertices with many of
them. The square of the bias is added. No n x n array is formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._threads import blas_alone
from lpgraph.embed.covariances import MORE_EDGES, raised
from lpgraph.embed.edge_probabilities import bounded_degrees, shrinkage_weights
from lpgraph.embed.feedback import MOST_FEEDBACK
from lpgraph.errors import ArgumentError
from lpgraph.graph.observed import ObservedPairs, pairs_of
from lpgraph.linalg.packed import packed, pairs, unpacked
from lpgraph.spectral.partial import LowRank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
    from lpgraph.spectral.construction import Array

__all__ = ["observed_covariances"]

#: Steps of the equation for K, whose error decreases by the share of feedback in each.
_STEPS = 5
#: Share of the mean sum over observed pairs that is added to that of each vertex.
_LEAST = 1e-4


@dataclass(frozen=True, eq=False)
class _Side:
    """Positions in one direction of a directed graph, and what determines them.

    Attributes
    ----------
    positions, design : ndarray of shape (n, d)
        x_i, and w_j.
    edges : csr_array of shape (n, n)
        Observed edges.
    pairs : ObservedPairs
        The observed pairs.
    values, factors : ndarray of shape (d,)
        Lambda and D.
    """

    positions: Array
    design: Array
    edges: sparse.csr_array
    pairs: ObservedPairs
    values: Array
    factors: Array

    def hidden(self, values: Array) -> Array:
        """Return the sums of values of shape (n, c) over the unobserved pairs of each vertex."""
        listed = np.asarray(self.pairs.listed @ values)
        return listed if self.pairs.hidden else values.sum(axis=0) - listed

    def sums(self, rows: Array, design: Array, values: Array, *, linear: float, quadratic: float) -> Array:
        """Return the sums over observed pairs of ``(linear p + quadratic p^2) values_j``, P = rows @ design.T."""
        listed = self.pairs.listed
        p = LowRank(rows, np.ones(rows.shape[1]), design).at(listed)
        weights = linear * p + quadratic * p**2
        found = np.asarray(sparse.csr_array((weights, listed.indices, listed.indptr), listed.shape) @ values)
        if not self.pairs.hidden:
            return found
        k = rows.shape[1]
        twice = np.where(packed(np.eye(k)[None])[0] > 0, 1.0, 2.0)
        squares = pairs(np.ascontiguousarray(design.T)) @ values * (quadratic * twice)[:, None]
        whole = linear * rows @ (design.T @ values) + pairs(np.ascontiguousarray(rows.T)).T @ squares
        return np.asarray(whole - found)

    @cached_property
    def products(self) -> Array:
        """The packed ``w_j w_j.T``."""
        return pairs(np.ascontiguousarray(self.design.T)).T

    @cached_property
    def predicted(self) -> Array:
        """The sums of ``w_j w_j.T`` over unobserved pairs, of shape (n, d, d)."""
        return unpacked(self.hidden(self.products))

    @cached_property
    def normal(self) -> Array:
        """M_i, of shape (n, d, d)."""
        return np.asarray(np.diag(self.values) - self.predicted * self.factors)

    @cached_property
    def degrees(self) -> Array:
        """Degrees, with fitted values for the unobserved pairs."""
        filled = (self.positions * self.factors * self.hidden(self.design)).sum(axis=1)
        return np.asarray(self.edges.sum(axis=1) + filled)

    def squared_residuals(self, values: Array) -> Array:
        """Return the sums of the squared residuals of observed pairs times values of shape (n, c)."""
        p = LowRank(self.positions, np.ones(len(self.values)), self.design).at(self.edges)
        excess = self.edges.data**2 - 2 * self.edges.data * p
        edges = sparse.csr_array((excess, self.edges.indices, self.edges.indptr), self.edges.shape)
        return np.asarray(edges @ values) + self.sums(
            self.positions, self.design, values, linear=0.0, quadratic=1.0
        )


@blas_alone()
def observed_covariances(embedding: AdjacencySpectralEmbedding, direction: str) -> Array:
    """Return the packed covariances of all positions, for a model with unobserved pairs.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding
        Fitted with unobserved pairs.
    direction : {"out", "in"}
        Which positions of a directed graph.

    Returns
    -------
    ndarray of shape (n, d (d + 1) / 2)
        Upper triangles of symmetric positive definite matrices.

    Raises
    ------
    ArgumentError
        If the graph is weighted, or the pairs are no longer those of the fit.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.embed.observed_covariances import observed_covariances
    >>> graph = lp.stochastic_block_model([60, 60], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> ase = lp.AdjacencySpectralEmbedding(2, unobserved=[(0, 1), (0, 90)]).fit(graph)
    >>> observed_covariances(ase, "out").shape
    (120, 3)
    """
    sides = _sides(embedding)
    signs = np.ones(len(sides[0].values)) if len(sides) == 2 else np.sign(embedding.eigenvalues_)
    inverses = _inverses(sides, signs)
    least = [_by_degrees(*ends) for ends in _both(sides)]
    targets = [_sandwich(*parts) for parts in zip(inverses, least, strict=True)]
    found = []
    for number, (side, other) in enumerate(_both(sides)):
        noise = signs[:, None] * targets[-1 - number].sum(axis=0) * signs
        sums = _sums(side, other, targets[number], noise, least[number])
        found.append(_sandwich(inverses[number], unpacked(raised(sums.T, packed(least[number]).T).T)))
    number = 1 if direction == "in" else 0
    noise = signs[:, None] * found[-1 - number].sum(axis=0) * signs
    bias = _bias(sides[number], inverses[number], noise)
    result = found[number] + bias[:, :, None] * bias[:, None, :]
    if embedding.alignment_ is not None:
        turn = embedding.alignment_.rotation
        result = turn.T @ result @ turn
    return packed((result + np.swapaxes(result, 1, 2)) / 2)


def _sides(embedding: AdjacencySpectralEmbedding) -> list[_Side]:
    """Return the positions as sources and as targets, or those of an undirected graph."""
    completion, graph = embedding.completion_, embedding.graph_
    observed = pairs_of(embedding.observed, embedding.unobserved, graph)
    n = graph.matrix.shape[0]
    if completion is None or observed is None or abs(observed.n_observed / n**2 - completion.share) > 1e-9:
        raise ArgumentError("The unobserved pairs were changed after the fit; fit again.")
    if embedding.weighted_:
        raise ArgumentError(
            "The graph is weighted, and the variances of weighted edges are not known with unobserved pairs; pass "
            "as_adjacency(graph, weight=None) to fit, or use positions only."
        )
    edges, values = observed.restricted(graph.matrix), embedding.singular_values_
    positions = [embedding.embedding_] + ([embedding.embedding_in_] if embedding.directed_ else [])
    if embedding.alignment_ is not None:
        positions = [part @ embedding.alignment_.rotation.T for part in positions]
    factors = completion.factors(values)
    if not embedding.directed_:
        design = positions[0] * np.sign(embedding.eigenvalues_)
        return [_Side(positions[0], design, edges, observed, values, factors)]
    transposed = ObservedPairs(sparse.csr_array(observed.listed.T), observed.hidden)
    return [
        _Side(positions[0], positions[1], edges, observed, values, factors),
        _Side(positions[1], positions[0], sparse.csr_array(edges.T), transposed, values, factors),
    ]


def _both(sides: Sequence[_Side]) -> list[tuple[_Side, _Side]]:
    """Return each side with the other, which is the same in an undirected graph."""
    return [(side, sides[-1 - number]) for number, side in enumerate(sides)]


def _inverses(sides: Sequence[_Side], signs: Array) -> list[Array]:
    """Return K_i of each side, of shape (n, d, d)."""
    n, d = sides[0].positions.shape
    found: list[Array] = [np.asarray(np.linalg.inv(side.normal)) for side in sides]
    for _ in range(_STEPS):
        others = [(signs[:, None] * part * signs).reshape(n, d * d) for part in found]
        last = found
        found = []
        for number, side in enumerate(sides):
            feedback = side.squared_residuals(others[-1 - number]).reshape(n, d, d)
            relative = np.linalg.solve(side.normal, feedback)
            size = np.linalg.norm(relative, ord=2, axis=(1, 2))[:, None, None]
            relative *= MOST_FEEDBACK / np.maximum(size, MOST_FEEDBACK)
            found.append(np.asarray(np.linalg.solve(np.eye(d) - relative, np.linalg.inv(side.normal))))
        if all(np.allclose(new, old, rtol=1e-3, atol=0) for new, old in zip(found, last, strict=True)):
            break
    return found


def _sandwich(outer: Array, inner: Array) -> Array:
    return np.asarray(outer @ inner @ np.swapaxes(outer, 1, 2))


def _by_degrees(side: _Side, other: _Side) -> Array:
    """Return the sums of ``q (1 - q) w w.T`` over observed pairs, for the product q of the degrees."""
    degrees, share = _bounded(side, other)
    sums = side.sums(degrees[:, None], share[:, None], side.products, linear=1.0, quadratic=-1.0)
    # Fewer observed pairs than dimensions have no variance in some direction.
    return unpacked(sums + _LEAST * sums.mean(axis=0))


def _bounded(side: _Side, other: _Side) -> tuple[Array, Array]:
    """Return the degrees of a side, and those of the other divided by their sum, with products in (0, 1)."""
    total, n = float(max(side.degrees.sum(), other.degrees.sum())), len(side.degrees)
    return bounded_degrees(side.degrees, total, n), bounded_degrees(other.degrees, total, n) / total


def _sums(side: _Side, other: _Side, own: Array, noise: Array, least: Array) -> Array:
    """Return the packed sums of ``p (1 - p) w w.T`` over observed pairs, for p shrunk towards q.

    `own` are the covariances of the positions, and `noise` is the sum of those of the design, with the variances
    ``q (1 - q)``. The weight is that of `EdgeProbabilities.weights`.
    """
    degrees, share = _bounded(side, other)
    edges = np.diff(side.edges.indptr)
    gram, d = side.design.T @ side.design, len(side.values)
    variances = np.einsum("iab,ab->i", own, gram) + ((side.positions @ noise) * side.positions).sum(axis=1)
    within = ((side.positions @ gram) * side.positions).sum(axis=1)
    along = side.positions @ (side.design.T @ share)
    distances = within - 2 * degrees * along + degrees**2 * float(share @ share)
    weights = shrinkage_weights(variances, distances, np.minimum(edges, side.pairs.of_rows() - edges), d)
    rows = np.column_stack([(1 - weights)[:, None] * side.positions, weights * degrees])
    found = side.sums(rows, np.column_stack([side.design, share]), side.products, linear=1.0, quadratic=-1.0)
    return found + packed(least) * (MORE_EDGES / degrees)[:, None]


def _bias(side: _Side, inverses: Array, noise: Array) -> Array:
    """Return the deviations of the mean positions from the truth that no map of all positions removes."""
    d = len(side.values)
    # The share of the truth in the estimated design, by its noise.
    truth = np.eye(d) - noise / side.values[:, None]
    means = inverses @ (np.diag(side.values) - side.predicted) @ truth
    found = (means @ side.positions[:, :, None])[:, :, 0]
    return np.asarray(found - side.positions @ np.linalg.lstsq(side.positions, found, rcond=None)[0])
