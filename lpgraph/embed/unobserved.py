"""Networks with unobserved pairs: the completed adjacency matrix, and new vertices with unobserved pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, check_integer
from lpgraph._threads import blas_alone
from lpgraph.embed.align import Target
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import name_at
from lpgraph.graph.observed import check_new_rows
from lpgraph.spectral.choice import without_choice
from lpgraph.spectral.completed_rank import completed_rank
from lpgraph.spectral.completion import complete
from lpgraph.spectral.extension import Extension
from lpgraph.spectral.partial import Partial
from lpgraph.spectral.scree import EIGENVALUE_CV

if TYPE_CHECKING:
    from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
    from lpgraph.graph.names import Names
    from lpgraph.graph.network import Network
    from lpgraph.graph.observed import ObservedPairs
    from lpgraph.spectral.choice import DimensionChoice
    from lpgraph.spectral.completion import Completion
    from lpgraph.spectral.construction import Array
    from lpgraph.spectral.operators import SymmetricOperator

__all__ = ["completed", "partial_positions"]

#: Condition number above which normal equations count as singular.
_SINGULAR = 1e12


def completed(
    embedding: AdjacencySpectralEmbedding, items: Network, pairs: ObservedPairs
) -> tuple[SymmetricOperator, Completion, DimensionChoice | None]:
    """Return the adjacency matrix with the unobserved pairs filled in, how it was done, and how d was chosen.

    The dimension must be known before the pairs are filled in. A rule that is given eigenvalues is refused.
    """
    dimension = without_choice(embedding.n_components)
    if dimension is None and embedding.align_to is not None:
        dimension = Target.of(embedding.align_to, items, type(embedding).__name__).earlier.d
    if dimension not in (None, EIGENVALUE_CV) and not isinstance(dimension, int | np.integer):
        raise ArgumentError(
            f"n_components={dimension!r}, but pairs are unobserved, and the eigenvalues depend on the dimension; "
            "pass a number, or 'eigenvalue_cv'."
        )
    if embedding.augment_diagonal:
        raise ArgumentError(
            "augment_diagonal=True, but pairs are unobserved; leave it out, and list the pairs (i, i) as "
            "unobserved."
        )
    matrix = items.product
    if not isinstance(matrix, sparse.csr_array):
        raise ArgumentError("observed needs a network in memory; pass as_adjacency(graph).")
    partial = Partial(pairs.restricted(matrix), pairs.listed, pairs.hidden, items.directed)
    if not partial.known.nnz:
        raise ArgumentError("No observed pair has an edge, so that there is nothing to embed; observe more pairs.")
    which, seed = check_choice("which", embedding.which, ("LM", "LA")), embedding.random_state
    if isinstance(dimension, int | np.integer):
        n = items.n_vertices
        choice, d = None, check_integer("n_components", dimension, low=1, high=n, why=f"but only {n} vertices")
    else:
        choice = completed_rank(partial, which, seed)
        d = choice.n_components
    operator, completion = complete(partial, d, which, tol=embedding.tol, random_state=seed)
    return operator, completion, choice


@blas_alone()
def partial_positions(
    embedding: AdjacencySpectralEmbedding,
    rows: sparse.csr_array,
    pairs: ObservedPairs,
    names: Names,
    direction: str,
) -> Array:
    """Return the (m, d) positions of new vertices of which only some pairs are observed.

    With design W (the rows of the known vertices, times the signature), observed rows O and unobserved rows H, the
    position z of a row xi solves ``(W.T W - W_H.T W_H D) z = W_O.T xi_O``. D is diagonal in the coordinates of
    the eigenvectors. If all pairs of the known vertices are observed, D = I, and this is least squares on the
    observed entries. Otherwise it has the factors by which eigenvalues are shrunk in unobserved entries, so that
    rows of the training matrix get their positions.
    """
    if embedding.directed_:
        design = embedding.embedding_in_ if direction == "out" else embedding.embedding_
        values = embedding.singular_values_
    else:
        design, values = embedding.embedding_ * embedding.signature_, embedding.eigenvalues_
    m, d = len(names), design.shape[1]
    completion, aligned = embedding.completion_, embedding.alignment_
    factors = np.eye(d) if completion is None else np.diag(completion.factors(values))
    if aligned is not None:
        factors = aligned.rotation.T @ factors @ aligned.rotation
    check_new_rows(pairs, names)
    whole, pull = design.T @ design, Extension(design)(pairs.restricted(rows))
    positions = np.empty((m, d))
    indptr, indices = pairs.listed.indptr, pairs.listed.indices
    for i in range(m):
        listed = design[indices[indptr[i] : indptr[i + 1]]]
        hidden = listed.T @ listed if pairs.hidden else whole - listed.T @ listed
        left = whole - hidden @ factors
        if completion is None and not np.linalg.cond(left) < _SINGULAR:
            raise ArgumentError(
                f"The observed pairs of the new vertex {name_at(names, i)!r} do not determine {d} coordinates; "
                "observe more of its pairs, or fit with fewer dimensions."
            )
        positions[i] = np.linalg.solve(left, pull[i])
    return positions
