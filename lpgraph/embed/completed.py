"""Networks with unobserved pairs: their embedding, and new vertices with unobserved pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_integer, type_of
from lpgraph._utils.compiled import blas_alone
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import name_at, names_at
from lpgraph.graph.observed import ObservedPairs, check_rows, pairs_of
from lpgraph.spectral.completed_rank import completed_rank
from lpgraph.spectral.completion import Partial, complete
from lpgraph.spectral.dimension import EIGENVALUE_CV
from lpgraph.spectral.embedding import without_choice
from lpgraph.spectral.extension import Extension

from .align import Target
from .covariances import EmbeddingWithCovariances

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Network
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.spectral.completion import Completion
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.embedding import Dimension, OfEachSign, SpectralEmbedding

    from .base import NetworkEmbedding

#: Condition number above which normal equations count as singular.
_SINGULAR = 1e12


class EmbeddingOfPairs(EmbeddingWithCovariances):
    """Base of the embeddings that place new vertices by some of their pairs."""

    _takes_unobserved = True

    def transform(
        self,
        new: object,
        *,
        direction: str | None = None,
        observed: object = None,
        unobserved: object = None,
    ) -> Array:
        """Embed new vertices by their edges to the known vertices, without another decomposition.

        The position of a vertex is the same, bit for bit, alone and in any batch, in any order, and with any
        number of threads.

        Parameters
        ----------
        new, direction
            As in `LaplacianSpectralEmbedding.transform`.
        observed, unobserved : matrix, mapping, list of pairs, graph or None
            The pairs of new and known vertices that were observed, or those that were not; at most one of the two.
            In any form that `new` has: an (m, n) matrix of zeros and ones, ``{name: known names}``, or pairs
            (new name, known name). The position is then that of least squares on the observed pairs. For tables,
            `OutOfSample` and estimators that use this embedding, pass what `read_new` returns with them.

        Returns
        -------
        ndarray of shape (m, d), or (m, 2d) with ``concat=True`` for a directed graph
            One row for each new vertex. A vertex without an edge to a known vertex is placed at the origin. After
            ``set_output(transform="pandas")`` a data frame with the names of the new vertices as index; see also
            `transform_table`.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, a neighbor in a mapping is neither known nor new, all vertices are
            known, arcs of only one direction are given where both are needed, or the observed pairs of a vertex do
            not determine its position.

        Notes
        -----
        If the network has unobserved pairs itself, the unobserved entries of a row are predicted with the shrunk
        eigenvalues of `completion_`, which is least squares with a penalty. ``transform(A, unobserved=pairs)`` is
        then `embedding_` for the pairs of the fit, to the accuracy of the iteration.
        """
        if observed is None and unobserved is None:
            return super().transform(new, direction=direction)
        side = "out" if direction is None else direction
        vertices = self.read_new(new, direction=side, observed=observed, unobserved=unobserved)
        return super().transform(vertices, direction=direction)

    def _on_side(self, vertices: NewEdges, direction: str) -> Array:
        positions = super()._on_side(vertices, direction)
        inward = direction == "in" and vertices.rows_in is not None
        pairs = vertices.pairs_in if inward else vertices.pairs
        if pairs is not None:
            # A vertex with all pairs has the same bits alone and with others.
            some = np.flatnonzero(pairs.of_rows() < self.n_features_in_)
            rows, names = vertices.towards(direction)[some], names_at(vertices.names, some)
            positions[some] = self._by_pairs(rows, pairs.take(some), names, direction)
        return positions

    @blas_alone()
    def _by_pairs(self, rows: sparse.csr_array, pairs: ObservedPairs, names: Names, direction: str) -> Array:
        """Return the (m, d) positions of new vertices of which only some pairs are observed.

        With design W (the rows of the known vertices, times the signature), observed rows O and unobserved rows
        H, the position z of a row xi solves ``(W.T W - W_H.T W_H D) z = W_O.T xi_O``. D is diagonal in the
        coordinates of the eigenvectors. If all pairs of the known vertices are observed, D = I, and this is least
        squares on the observed entries. Otherwise it has the factors by which eigenvalues are shrunk in unobserved
        entries, so that rows of the training matrix get their positions.
        """
        if self.directed_:
            design = self.embedding_in_ if direction == "out" else self.embedding_
        else:
            design = self.embedding_ * self.signature_
        m, d = len(names), design.shape[1]
        completion: Completion | None = getattr(self, "completion_", None)
        factors = np.eye(d) if completion is None else np.diag(completion.factors(self.singular_values_))
        if self.alignment_ is not None:
            factors = self.alignment_.rotation.T @ factors @ self.alignment_.rotation
        check_rows(pairs.of_rows(), names, "new vertex")
        whole, pull = design.T @ design, Extension(design)(pairs.restricted(rows))
        positions = np.empty((m, d))
        indptr, indices = pairs.listed.indptr, pairs.listed.indices
        for i in range(m):
            listed = design[indices[indptr[i] : indptr[i + 1]]]
            hidden = listed.T @ listed if pairs.hidden else whole - listed.T @ listed
            left = whole - hidden @ factors
            if completion is None and not np.linalg.cond(left) < _SINGULAR:
                name = name_at(names, i)
                raise ArgumentError(f"The observed pairs of {name!r} do not determine its position; observe more.")
            positions[i] = np.linalg.solve(left, pull[i])
        return positions


def _of_inner(name: str) -> Foreign:
    """Return a property that is an attribute of the wrapped embedding; None if `fit` will refuse it."""
    return property(
        lambda self: getattr(self.embedding, name, None), lambda self, x: setattr(self.embedding, name, x)
    )


class CompletedEmbedding(EmbeddingOfPairs):
    r"""Embed a network of which some pairs of vertices were not observed.

    An absent edge and an unobserved pair are different things. The unobserved entries of the adjacency matrix are
    replaced by those of the low-rank matrix that fits the observed ones.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding
        The method and its parameters; it is not fitted itself. ``n_components=None`` adds dimensions as long as
        held-out edges confirm one, which takes a fit for each; rules that are given eigenvalues are refused.
    observed, unobserved : matrix, list of pairs, graph or None, default None
        The pairs of vertices that were observed, or those that were not; at most one of the two. A matrix of zeros
        and ones, sparse or dense, in the order of the vertices; pairs (u, v) of names; or a graph or table of such
        pairs. Edges of unobserved pairs are not used; (i, i) is a pair like the others.

    Attributes
    ----------
    completion_ : lpgraph.spectral.completion.Completion or None
        How the unobserved pairs were filled in; None if all pairs were observed.
    embedding_, eigenvalues_, residuals_, ...
        The fitted attributes of `embedding`.

    Notes
    -----
    A is replaced by a matrix W that has fitted values in the places of unobserved pairs: X minimises
    :math:`\tfrac12 \|M \circ (A - X)\|^2` over matrices of rank d, where M are the observed pairs, plus a penalty
    without which a minimum need not exist; see `lpgraph.spectral.completion`. W is a sparse matrix, or a sparse
    plus a low-rank one. If pairs are unobserved at random, the variance of positions is that of zeros in their
    places, rescaled by the observed share q, times :math:`\sum p(1 - p) / \sum p(1 - qp)`: the gain is large in
    dense networks and small in sparse ones. If they are not random, such as all pairs between two groups, zeros
    give wrong positions. A direction whose eigenvalue does not exceed the noise is not filled in: unobserved pairs
    count as 0 there.

    References
    ----------
    Mazumder, R., Hastie, T. & Tibshirani, R. (2010), "Spectral regularization algorithms for learning large
    incomplete matrices", JMLR 11.

    Examples
    --------
    Nobody recorded whether 0 and 33 know each other, nor whether the new vertex knows 33:

    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding(2)
    >>> masked = lp.CompletedEmbedding(ase, unobserved=[(0, 33)]).fit(nx.karate_club_graph())
    >>> masked.transform({"new": [0, 1, 2]}, unobserved={"new": [33]}).shape
    (1, 2)
    """

    completion_: Completion | None
    n_components = _of_inner("n_components")
    which = _of_inner("which")
    solver = _of_inner("solver")
    tol = _of_inner("tol")
    random_state = _of_inner("random_state")
    align_to = _of_inner("align_to")
    concat = _of_inner("concat")
    _prefix = _of_inner("_prefix")
    _method = _of_inner("_method")

    def __init__(self, embedding: NetworkEmbedding, *, observed: object = None, unobserved: object = None) -> None:
        self.embedding = embedding
        self.observed = observed
        self.unobserved = unobserved

    def _read(self, X: object) -> Network:
        inner = self.embedding
        if not isinstance(inner, EmbeddingOfPairs) or isinstance(inner, CompletedEmbedding):
            raise ArgumentTypeError(f"embedding is {type_of(inner)}; pass an AdjacencySpectralEmbedding.")
        return super()._read(X)

    def _construct(self, items: Network) -> Construction:
        whole = self.embedding._construct(items)
        given = pairs_of(self.observed, self.unobserved, items)
        if given is None:
            return replace(whole, attributes={**whole.attributes, "completion_": None})
        if whole.attributes["diagonal_"] is not None:
            raise ArgumentError("augment_diagonal=True with unobserved pairs; list (i, i) as unobserved instead.")
        # The dimension must be known before the pairs are filled in.
        size, choice = without_choice(self.n_components), None
        if size is None and self.align_to is not None:
            size = Target.of(self.align_to, items, self._method).earlier.d
        if size != EIGENVALUE_CV and (isinstance(size, str) or callable(size)):
            raise ArgumentError(f"n_components={size!r} with unobserved pairs; pass a number or 'eigenvalue_cv'.")
        matrix, seed = items.product, self.random_state
        if not sparse.issparse(matrix):
            raise ArgumentError("observed needs a network in memory; pass as_adjacency(graph).")
        partial = Partial(given.restricted(matrix), given.listed, given.hidden, items.directed)
        if not partial.known.nnz:
            raise ArgumentError("No observed pair has an edge; observe more pairs.")
        if size in (None, EIGENVALUE_CV):
            choice = completed_rank(partial, self._end, seed)
            size = choice.n_components
        d = check_integer("n_components", size, low=1, high=items.n_vertices)
        operator, completion = complete(partial, d, self._end, tol=self.tol, random_state=seed)
        attributes = {**whole.attributes, "completion_": completion, "dimension_choice_": choice}
        return replace(whole, operator=operator, attributes=attributes)

    def _embedded(
        self, items: Network, construction: Construction, n_components: Dimension | OfEachSign
    ) -> SpectralEmbedding:
        choice = construction.attributes.get("dimension_choice_")
        return super()._embedded(items, construction, getattr(choice, "n_components", n_components))
