"""Landmark vertices of a network: how they are chosen, and the construction by their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import check_choice, check_generator, check_integer, check_real
from lpgraph._warnings import warn
from lpgraph.embed.disconnected import at_origin, many
from lpgraph.embed.flipping import flipping
from lpgraph.embed.thinning import thinning
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.names import as_labels, code_names, name_at
from lpgraph.spectral.choice import without_choice
from lpgraph.spectral.entries import matrix_of, restricted, with_matrix
from lpgraph.spectral.landmark_edges import warn_of_few_edges
from lpgraph.spectral.landmarks import Landmarks
from lpgraph.spectral.operators import Bipartite, as_operator
from lpgraph.spectral.subspace import ritz_pairs, ritz_triplets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.network import Edges, Network
    from lpgraph.spectral.construction import Array, Construction
    from lpgraph.spectral.embedding import Dimension
    from lpgraph.spectral.operators import SymmetricOperator

__all__ = ["RULES", "LandmarkChoice", "leverage_scores", "warn_of_unplaced"]

#: Rules that choose landmarks.
RULES = ("degree", "uniform", "leverage")
#: Dimensions of the leverage scores if their number is not given.
_DIMENSIONS = 10
#: Columns of the random block in addition to the dimensions, and its products with the matrix.
_MORE, _PRODUCTS = 8, 2


@dataclass(frozen=True, eq=False)
class LandmarkChoice:
    """The parameters of an estimator that say which vertices are landmarks, and how others are placed.

    Attributes
    ----------
    landmarks : int, float, or iterable of hashable
        Number or share of landmarks, or their names.
    rule : str
        One of `RULES`.
    passes : int
        How often all vertices are placed again.
    n_components : int, str, callable or None
        The dimension, if it is a number.
    random_state : int, Generator or None
        Seed of the draw; None means a fixed seed.
    """

    landmarks: object
    rule: str
    passes: int
    n_components: Dimension
    random_state: int | np.random.Generator | None

    def construction(
        self, whole: Construction, items: Network, own: Callable[[Edges], SymmetricOperator] | None = None
    ) -> Construction:
        """Return the construction by landmarks, from that of the whole network.

        Parameters
        ----------
        whole : Construction
            The construction of all vertices.
        items : Network
            The network.
        own : callable, optional
            Returns the operator of the landmarks' own network, for `Landmarks.start`; None if that is the part of
            the whole operator.

        Raises
        ------
        ArgumentError, ArgumentTypeError, UnknownVertexError
            If `landmarks` has the wrong type, is too small or too large, or names a vertex that is unknown or
            repeated; if the rule is unknown, or `passes` is no integer >= 0.
        GraphError
            If no edge joins two landmarks.
        """
        rule = check_choice("landmark_rule", self.rule, RULES)
        passes = check_integer("landmark_passes", self.passes, low=0)
        if self.landmarks is None:
            return replace(whole, attributes={**whole.attributes, "landmarks_": None})
        items.check_room(35, "An embedding by landmarks")
        operator = as_operator(whole.operator)
        rows = self.rows(items, operator)
        part = restricted(operator, rows)
        matrix = matrix_of(part)
        if not isinstance(matrix, sparse.csr_array) or not matrix.nnz:
            other = "" if rule == "degree" else ", or landmark_rule='degree'"
            raise GraphError(
                f"The {len(rows)} landmarks have no edge among themselves; pass more landmarks{other}."
            )
        if not passes:
            warn_of_few_edges(matrix, items.n_vertices)
        network = Adjacency.of_canonical(matrix, range(len(rows)), items.directed)
        with_part = partial(_with_edges, part)
        return replace(
            whole,
            operator=part,
            known=None,
            thin=thinning(network, with_part),
            flip=None if whole.flip is None else flipping(network, with_part),
            landmarks=Landmarks(rows, operator, part if own is None else own(network), passes),
            attributes={**whole.attributes, "landmarks_": rows},
        )

    @property
    def _dimension(self) -> int | None:
        """The dimension, if it is a number."""
        size = without_choice(self.n_components)
        return int(size) if isinstance(size, int | np.integer) else None

    def rows(self, items: Network, operator: SymmetricOperator) -> NDArray[np.intp]:
        """Return the landmarks as increasing rows; see `construction` for the errors."""
        given = self.landmarks
        if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping):
            return self._named(given, items)
        rng = check_generator(0 if self.random_state is None else self.random_state)
        weights = self._weights(items, operator, rng)
        usable = int((weights > 0).sum())
        if isinstance(given, float | np.floating):
            share = check_real("landmarks", float(given), low=0.0, high=1.0, open_low=True)
            count = min(usable, max(1, round(share * items.n_vertices)))
        elif isinstance(given, int | np.integer):
            why = f"but only {usable} vertices have an edge"
            count = check_integer("landmarks", given, low=1, high=usable, why=why)
        else:
            raise ArgumentTypeError(
                f"landmarks={given!r} is {a_type(given)}; pass a number of vertices, a share such as "
                "0.1, or names of vertices."
            )
        self._check_number(f"={given}", count)
        # The least of independent exponential times with these rates: draws without replacement.
        times = np.full(len(weights), np.inf)
        np.divide(rng.exponential(size=len(weights)), weights, out=times, where=weights > 0)
        return np.sort(np.argsort(times, kind="stable")[:count]).astype(np.intp)

    def _named(self, given: Iterable[object], items: Network) -> NDArray[np.intp]:
        """Return the rows of landmarks that are given by name."""
        if getattr(given, "dtype", None) == np.bool_:
            raise ArgumentTypeError(
                "landmarks is an array of bool; pass names, such as numpy.flatnonzero(landmarks)."
            )
        rows = np.sort(code_names(as_labels(given, "landmarks"), items.index))
        repeated = rows[1:][rows[1:] == rows[:-1]]
        if len(repeated):
            raise ArgumentError(
                f"landmarks has the vertex {name_at(items.names, repeated[0])!r} twice; pass each once."
            )
        self._check_number(f" has length {len(rows)}", len(rows))
        return rows

    def _check_number(self, given: str, count: int) -> None:
        """Refuse fewer landmarks than dimensions."""
        least = self._dimension or 1
        if count < least:
            raise ArgumentError(
                f"landmarks{given}, but n_components={least}; pass at least {least} landmarks, or fewer "
                "dimensions."
            )

    def _weights(self, items: Network, operator: SymmetricOperator, rng: np.random.Generator) -> Array:
        """Return numbers proportional to the probabilities of the vertices; 0 for isolated ones."""
        if items.lowest_weight < 0:
            if not isinstance(items.product, sparse.csr_array):
                raise ArgumentError(
                    f"The network has weights down to {items.lowest_weight:g} and is not in memory, where degrees "
                    "for landmarks would be sums of their magnitudes; pass names as landmarks."
                )
            sizes = sparse.csr_array(items.product)
            sizes.data = np.abs(sizes.data)
            degrees = np.asarray(sizes.sum(axis=1) + sizes.sum(axis=0), dtype=np.float64)
        else:
            degrees = items.degrees + items.in_degrees
        if self.rule == "degree":
            return degrees
        if self.rule == "uniform":
            return (degrees > 0).astype(np.float64)
        k = min(self._dimension or _DIMENSIONS, len(degrees))
        return np.where(degrees > 0, leverage_scores(operator, k, rng), 0.0)


def _with_edges(operator: SymmetricOperator, network: Edges) -> SymmetricOperator:
    return with_matrix(operator, network.product)


def leverage_scores(operator: SymmetricOperator, k: int, rng: np.random.Generator) -> Array:
    r"""Return approximate leverage scores: squared lengths of the rows of the k leading eigenvectors.

    The eigenvectors are those of Rayleigh-Ritz in the span of ``M^3 G`` for k + 8 columns G of normal random
    numbers (Halko, Martinsson & Tropp 2011, Algorithms 4.4 and 5.3). This takes four products of M with G.

    Parameters
    ----------
    operator : SymmetricOperator
        M; of `Bipartite` the scores of both sides are added.
    k : int
        Number of eigenvectors.
    rng : Generator
        Source of G.

    Returns
    -------
    ndarray of shape (n,)
        They sum to about k, or 2 k for two sides.

    References
    ----------
    Halko, N., Martinsson, P.-G. & Tropp, J. A. (2011), "Finding structure with randomness", SIAM Review 53.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.embed.landmarks import leverage_scores
    >>> from lpgraph.spectral.operators import Matrix
    >>> leverage_scores(Matrix(np.diag([9.0, 8.0, 0.1, 0.0])), 2, np.random.default_rng(0)).round(6)
    array([1., 1., 0., 0.])
    """
    n = operator.shape[0]
    if isinstance(operator, Bipartite):
        n //= 2
        width = min(n, k + _MORE)
        left, right = rng.standard_normal((2, n, width))
        found = ritz_triplets(operator, left, right, _PRODUCTS + 1).take(slice(k))
        return np.asarray((found.left**2 + found.right**2).sum(axis=1))
    block = rng.standard_normal((n, min(n, k + _MORE)))
    pairs = ritz_pairs(operator, block, _PRODUCTS + 1, "LM").take(slice(k))
    return np.asarray((pairs.vectors**2).sum(axis=1))


def warn_of_unplaced(graph: Adjacency, sides: Sequence[Array], passes: int) -> None:
    """Warn if more than 1 % of the vertices are not reached from landmarks, although their component is."""
    unplaced = ~np.any([side.any(axis=1) for side in sides], axis=0) & ~at_origin(graph, sides)
    if many(unplaced):
        name = name_at(graph.names, unplaced.argmax())
        near = "edge to a landmark" if not passes else f"walk of {passes + 1} edges to a landmark"
        warn(
            f"{unplaced.sum()} of {len(unplaced)} vertices, such as {name!r}, have no {near} and are at the "
            f"origin; pass landmark_passes={passes + 1}, or more landmarks.",
            LpgraphWarning,
        )
