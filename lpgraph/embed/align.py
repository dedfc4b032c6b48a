"""Alignment of a fit to an earlier one, so that positions stay comparable."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._missing_file import existing
from lpgraph._threads import blas_alone
from lpgraph._warnings import warn
from lpgraph.embed.named_positions import NamedPositions, common_rows, fitted_part
from lpgraph.embed.procrustes import relative_distances, rotation
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.changes import neighbor_changes
from lpgraph.graph.names import name_at
from lpgraph.spectral.aligned import Alignment
from lpgraph.spectral.choice import without_choice
from lpgraph.spectral.principal import LEAST_COSINE, common_directions
from lpgraph.spectral.scree import OfEachSign

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from typing import Protocol, TypeAlias

    from numpy.typing import ArrayLike, NDArray

    from lpgraph.graph.network import Network
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.embedding import SpectralEmbedding
    from lpgraph.spectral.wanted import Dimension

    class Estimator(Protocol):
        """An estimator with the methods of scikit-learn."""

        def get_params(self, deep: bool = True) -> dict[str, object]:
            """Return the parameters."""

    #: A path of a saved model, a fitted model, or positions by name.
    AlignTo: TypeAlias = (
        str | os.PathLike[str] | Estimator | NamedPositions | Mapping[Hashable, ArrayLike] | ArrayLike | None
    )
    Array: TypeAlias = NDArray[np.float64]
    Rows: TypeAlias = NDArray[np.intp]
    Signs: TypeAlias = NDArray[np.int64]

__all__ = ["Target", "earlier_positions", "movements", "stored_positions"]

#: Squares of singular values below this share of the largest are 0 to rounding.
_ZERO = 1e-13
#: A column of named positions has a sign if more than this share of it belongs to eigenvalues of that sign.
_CLEAR = 0.95
#: Cosines that a warning shows.
_SHOWN = 5


def earlier_positions(align_to: object) -> NamedPositions:
    """Return the positions of `align_to`: a path of a saved model, a fitted model, or named positions."""
    return NamedPositions.of("align_to", _loaded(align_to))


def _loaded(align_to: object) -> object:
    if isinstance(align_to, str | os.PathLike):
        # Files are read on a higher level, found by the package's table of names.
        with existing(align_to, "align_to"):
            return importlib.import_module("lpgraph").load(align_to)
    return align_to


def _both_graphs(items: Network, model: object) -> tuple[Adjacency, Adjacency] | None:
    """Return a network and that of an earlier model, which named positions do not have."""
    earlier = getattr(fitted_part(model) if hasattr(model, "get_params") else None, "graph_", None)
    if not isinstance(items, Adjacency) or not isinstance(earlier, Adjacency):
        return None
    return (items, earlier) if earlier.directed is items.directed else None


def _warn_of_weights(model: object, items: Network) -> None:
    """Warn if only one of two graphs has weights: the positions then differ in scale."""
    weighted = getattr(fitted_part(model) if hasattr(model, "get_params") else None, "weighted_", items.weighted)
    if weighted is not items.weighted:
        kinds = ["unweighted", "weighted"]
        warn(
            f"The graph is {kinds[items.weighted]}, but that of align_to was {kinds[weighted]}, so that positions "
            "differ in scale; use the weights of both graphs, or of none.",
            LpgraphWarning,
        )


def _warn_of_lost(cosines: Array) -> None:
    """Warn of directions that only one of two fits has."""
    kept = int((cosines >= LEAST_COSINE).sum())
    lost = len(cosines) - kept
    if not lost:
        return
    least = np.sort(cosines)[:_SHOWN].tolist()
    shown = ", ".join(f"{cosine:.2f}" for cosine in least)
    of = f"the {_SHOWN} least cosines" if len(cosines) > _SHOWN else "cosines"
    be, them = ("is", "it") if lost == 1 else ("are", "them")
    remedy = f"moved() leaves {them} out. Fit both with n_components={kept} to compare all coordinates."
    if not kept:
        remedy = "positions cannot be compared. Pass an earlier fit of the same network."
    warn(
        f"{lost} of {len(cosines)} directions of align_to {be} not in this fit ({of} of the principal angles: "
        f"{shown}); {remedy}",
        LpgraphWarning,
    )


def stored_positions(align_to: object) -> object:
    """Return what is saved for `align_to`: text for a path, and the positions of a model, not the model.

    Otherwise each file would hold the models of all earlier fits.
    """
    if align_to is None:
        return None
    if isinstance(align_to, str | os.PathLike):
        return os.fspath(align_to)
    return NamedPositions.of("align_to", align_to)


@dataclass(frozen=True, eq=False)
class Target:
    """Positions to which a fit is aligned, and the vertices that both have.

    Attributes
    ----------
    earlier : NamedPositions
        The earlier positions.
    rows, earlier_rows : ndarray of shape (c,)
        Rows of the common vertices here and there.
    method : str
        Class of the estimator that is aligned.
    n_new : int
        Number of vertices that only this fit has.
    graphs : pair of Adjacency or None
        The network and the earlier one, if both are known.
    """

    earlier: NamedPositions
    rows: Rows
    earlier_rows: Rows
    method: str
    n_new: int
    graphs: tuple[Adjacency, Adjacency] | None = None

    @classmethod
    def of(cls, align_to: object, items: Network, method: str) -> Target:
        """Read `align_to` and check that it belongs to the same method and has enough vertices in common."""
        model = _loaded(align_to)
        earlier = NamedPositions.of("align_to", model)
        if earlier.kind not in (None, method):
            raise ArgumentError(
                f"align_to was fitted by {earlier.kind}, but this is {method}; "
                f"fit {earlier.kind}, or pass an earlier fit of {method}."
            )
        # Named positions of a directed graph may be those of sources alone.
        if (earlier.sides == 2) != items.directed and (earlier.kind is not None or earlier.sides == 2):
            kinds = ["undirected", "directed"]
            raise ArgumentError(
                f"The graph is {kinds[items.directed]}, but that of align_to was {kinds[not items.directed]}; "
                "pass an earlier fit of the same kind of graph."
            )
        here, there = common_rows(items.names, earlier.names)
        if len(here) < earlier.d:
            names = (
                f" (the first ones are {name_at(items.names, 0)!r} and {earlier.example})" if not len(here) else ""
            )
            raise ArgumentError(
                f"The graph and align_to have {len(here)} common names{names}, too few for the {earlier.d} "
                "dimensions of align_to; pass an earlier fit of the same vertices, or with fewer dimensions."
            )
        _warn_of_weights(model, items)
        return cls(earlier, here, there, method, items.n_vertices - len(here), _both_graphs(items, model))

    def dimension(
        self, n_components: Dimension | OfEachSign, construction: Construction
    ) -> Dimension | OfEachSign:
        """Return the earlier dimension for None; a number must be the same.

        If eigenvalues of largest magnitude are wanted, and the earlier signs are known, it is the number of each.
        """
        if n_components is None:
            signs = self.earlier.signature
            if signs is None or construction.end != "magnitude":
                return self.earlier.d
            return OfEachSign(int((signs > 0).sum()), int((signs < 0).sum()))
        number = without_choice(n_components)
        if isinstance(number, int | np.integer):
            self._check_dimension(int(number))
        return n_components

    def _check_dimension(self, d: int) -> None:
        if d != self.earlier.d:
            raise ArgumentError(
                f"n_components={d}, but align_to has {self.earlier.d} dimension{'s' * (self.earlier.d > 1)}; pass "
                f"n_components=None, which takes {self.earlier.d}."
            )

    def align(self, construction: Construction, found: SpectralEmbedding) -> SpectralEmbedding:
        """Return the embedding, rotated."""
        with blas_alone():
            return self._aligned(construction, found)

    def _aligned(self, construction: Construction, found: SpectralEmbedding) -> SpectralEmbedding:
        self._check_dimension(len(found.values))
        positions = NamedPositions(range(0), construction.training(found), found.coordinates_in)
        a = positions.stacked(self.rows) if self.earlier.sides == positions.sides else positions.out[self.rows]
        b = self.earlier.stacked(self.earlier_rows)
        left = np.ones(len(found.values), dtype=np.int64)
        if found.coordinates_in is None:
            left = np.where(found.values < 0, -1, 1).astype(np.int64)
        right = self._signature(a, b, left, construction.end == "magnitude")
        self._check_rank(a, left)
        self._check_rank(b, right)
        turn = rotation(a, b, left, right, robust=True)
        turned = _turned(found, turn)
        c = len(self.rows)
        cosines, distances, ratios = movements(a, b, left, right, turn, c)
        _warn_of_lost(cosines)
        order = np.lexsort((-distances, -ratios))
        degrees, neighbors = None, None
        if self.graphs is not None:
            degrees, neighbors = neighbor_changes(*self.graphs, self.rows[order], self.earlier_rows[order])
        alignment = Alignment(
            turn,
            right,
            cosines,
            self.rows[order],
            distances[order],
            ratios[order],
            self.n_new,
            self.earlier.n - c,
            degrees,
            neighbors,
        )
        return replace(turned, alignment=alignment)

    def _signature(self, a: Array, b: Array, left: Signs, by_sign: bool) -> Signs:
        """Return the sign of each earlier column; those of named positions follow from the best rotation.

        `by_sign` is whether ``n_components=None`` takes numbers of both signs.
        """
        right = self.earlier.signature
        if right is None:
            if (left > 0).all():
                return left
            free = rotation(a, b, np.ones_like(left), np.ones_like(left), robust=True)
            shares = free.T**2 @ left
            right = np.where(shares < 0, -1, 1).astype(np.int64)
            if (np.abs(shares) < 2 * _CLEAR - 1).any() or right.sum() != left.sum():
                raise ArgumentError(
                    f"{int((left < 0).sum())} of {len(left)} eigenvalues are negative, and align_to does not show "
                    "which of its columns belong to them; pass the earlier model or its file, or which='LA'."
                )
        if right.sum() != left.sum():
            agree = np.flatnonzero(np.cumsum(left) == np.cumsum(right)) + 1
            remedy = f"fit both with n_components={agree[-1]}" if len(agree) else "fit both with the same which"
            remedy = "pass n_components=None, which takes these numbers" if by_sign else remedy
            shown = [f"{int((s > 0).sum())} positive and {int((s < 0).sum())} negative" for s in (left, right)]
            raise ArgumentError(
                f"This fit has {shown[0]} eigenvalues, but align_to has {shown[1]} ones; {remedy}."
            )
        return right

    def _check_rank(self, positions: Array, signs: Signs) -> None:
        """Refuse if the positions of the common vertices have fewer dimensions than columns of a sign."""
        for sign, kind in ((1, "positive"), (-1, "negative")):
            block = positions[:, signs == sign]
            squares = np.linalg.eigvalsh(block.T @ block)
            rank = int((squares > _ZERO * squares.max(initial=0.0)).sum())
            if rank < len(squares):
                raise ArgumentError(
                    f"The {len(self.rows)} common vertices span {rank} of {len(squares)} dimensions of {kind} "
                    "eigenvalues, so that no rotation is determined; pass an earlier fit with more common "
                    "vertices, or with fewer dimensions."
                )


def movements(a: Array, b: Array, left: Signs, right: Signs, turn: Array, n: int) -> tuple[Array, Array, Array]:
    """Return the cosines, distances and ratios of an `Alignment` of n vertices, in the order of the rows."""
    common = common_directions(a, b, left, right)
    here, there = _joined(a @ (common.here @ turn), n), _joined(b @ common.there, n)
    return common.cosines, np.linalg.norm(here - there, axis=1), relative_distances(here, there)


def _joined(stacked: Array, n: int) -> Array:
    """Return the positions of n vertices, those as sources and as targets next to each other."""
    return stacked if len(stacked) == n else np.hstack([stacked[:n], stacked[n:]])


def _turned(found: SpectralEmbedding, turn: Array) -> SpectralEmbedding:
    """Return coordinates and extensions times a rotation, so that new items are aligned as well."""
    into, extension_in = found.coordinates_in, found.extension_in
    return replace(
        found,
        coordinates=found.coordinates @ turn,
        extension=found.extension.turned(turn),
        coordinates_in=None if into is None else into @ turn,
        extension_in=None if extension_in is None else extension_in.turned(turn),
    )
