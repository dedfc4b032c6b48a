"""Placement of new vertices: least squares with covariances, maximum likelihood, and joint placement."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import optimize, sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags

from lpgraph._utils.checks import check_choice, check_flag, type_of
from lpgraph._utils.estimators import ShownEstimator, check_fitted, labelled, replace_state
from lpgraph.errors import ArgumentError, ArgumentTypeError, ConvergenceError
from lpgraph.linalg.packed import unpacked

from .base import NetworkEmbedding, vertex_state
from .covariances import EmbeddingWithCovariances, Feedback, check_all_pairs, position_covariances
from .edge_probabilities import EdgeProbabilities
from .one_step import fisher_step
from .vertex_results import VertexResults

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_vertices import NewEdges

RULES = ("least_squares", "likelihood", "batch")
#: Weight of the product of the degrees in the probabilities that give the variances.
_PRODUCT = 0.5
_MAX_STEPS = 1000


class OutOfSample(ShownEstimator, VertexResults, TransformerMixin, BaseEstimator):
    r"""Embed new vertices of an embedded network by a choice of rules, without another decomposition.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding, which `transform` extends; or an unfitted embedding, a copy of which `fit` fits. The
        second form is for pipelines and parameter searches of scikit-learn.
    rule : {"least_squares", "likelihood", "batch"}, default "least_squares"
        - "least_squares": :math:`T_n(X) = Z^+ \xi` with the signature kept, as in ``embedding.transform``. Rows
          stay sparse; O(edges x d).
        - "likelihood": one step of Fisher scoring from the least-squares position, for the likelihood of the
          present and absent edges of the new vertex given the known positions. For unweighted graphs; O(n d^2)
          for each vertex.
        - "batch": the positions of all new vertices that minimise the squared error of the whole matrix, with the
          known positions fixed; edges among new vertices are used. For undirected graphs.

    Attributes
    ----------
    fitted_embedding_ : estimator
        The copy of `embedding` that `fit` fitted.
    embedding_ : ndarray of shape (n, d)
        Positions of the known vertices.
    vertex_names_, graph_
        As in `AdjacencySpectralEmbedding`, after `fit`.

    See Also
    --------
    AdjacencySpectralEmbedding.transform : the least-squares rule, for every embedding.

    Notes
    -----
    "least_squares" places each vertex separately: given the network, the positions of i.i.d. new vertices are
    i.i.d. (Tang, Park & Priebe 2013, after Definition 1). "likelihood" approximates the second estimator of Levin
    et al. (2018): one step from a consistent estimate is as efficient as the maximum in large networks (Le Cam
    1956). The step is weighted least squares. Its weights are 1 / (p (1 - p)), with p half of least squares and
    half of the product of the degrees. The maximum itself is not used, because the noise of the known positions
    makes some probabilities negative, whose absent edges increase the likelihood without bound. "batch" answers
    the question at the end of the 2013 paper. Its problem is not convex; the least-squares positions are the
    start.

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893. Levin, K., Roosta-Khorasani, F., Mahoney, M. W. & Priebe, C. E. (2018), "Out-of-sample
    extension of graph adjacency spectral embedding", ICML. Le Cam, L. (1956), "On the asymptotic theory of
    estimation and testing hypotheses", 3rd Berkeley Symposium.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 60], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> new = graph.new_vertices(4, random_state=1)
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    >>> lp.OutOfSample(ase, rule="likelihood").transform(new).shape
    (4, 2)
    >>> lp.OutOfSample(ase).covariance(new).shape
    (4, 2, 2)
    """

    def __init__(self, embedding: NetworkEmbedding, *, rule: str = "least_squares") -> None:
        self.embedding = embedding
        self.rule = rule

    def fit(self, graph: object, y: object = None) -> Self:
        """Fit a copy of `embedding` to a graph; not needed if `embedding` is already fitted.

        Parameters
        ----------
        graph : graph
            A graph in any form of `lpgraph.as_adjacency`.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If the rule is unknown, or `embedding` is not an embedding of networks. Errors of its own ``fit`` are
            passed on.
        """
        check_choice("rule", self.rule, RULES)
        fitted = clone(_checked(self.embedding)).set_output(transform="default").fit(graph)
        replace_state(self, {"fitted_embedding_": fitted, **vertex_state(fitted.graph_)})
        return self

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy; an `embedding` that was passed fitted remains fitted."""
        result = copy(self)
        replace_state(result, {})
        fitted = isinstance(self.embedding, NetworkEmbedding) and "embedding_" in vars(self.embedding)
        # A shallow copy shares the arrays but has its own parameters.
        result.embedding = copy(self.embedding) if fitted else clone(self.embedding, safe=False)
        return result

    def fit_transform(self, graph: object, y: object = None) -> Array:
        """Fit a copy of `embedding` and return the positions of the known vertices; see `fit`."""
        self.fit(graph, y)
        return labelled(self, self.embedding_, self.vertex_names_)

    @property
    def embedding_(self) -> Array:
        """Positions of the known vertices, of shape (n, d)."""
        return np.asarray(self._fitted().embedding_)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the output columns, which are those of the embedding."""
        return self._fitted().get_feature_names_out(input_features)

    def transform(self, new: object, *, direction: str = "out") -> Array:
        """Embed new vertices by the chosen rule.

        Except with the rule "batch", the position of a vertex is the same, bit for bit, alone and in any batch, in
        any order, and with any number of threads. The same holds for `covariance`.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            As for ``embedding.transform``. The rule "batch" needs the edges among the new vertices, which every
            form except plain rows contains. With unobserved pairs, pass what `read_new` returns; the rule is then
            "least_squares".
        direction : {"out", "in"}, default "out"
            For directed graphs: which embedding to extend.

        Returns
        -------
        ndarray of shape (m, d)

        Raises
        ------
        ArgumentError
            If the rule does not apply to this embedding or these vertices; the message names one that does.
        ConvergenceError
            If the batch problem was not solved.
        """
        vertices = self.read_new(new, direction=direction)
        return labelled(self, self._on_side(vertices, direction), vertices.names)

    def read_new(self, new: object, *, direction: str = "out", **details: object) -> NewEdges:
        """Return the names and edges of new vertices; see `AdjacencySpectralEmbedding.read_new`."""
        return self._fitted().read_new(new, direction=direction, **details)

    def _on_side(self, vertices: NewEdges, direction: str) -> Array:
        embedding = self._fitted()
        rule = check_choice("rule", self.rule, RULES)
        rows = vertices.towards(direction)
        start = embedding._on_side(vertices, direction)
        if rule == "least_squares" or not len(start):
            return start
        if not vertices.all_observed:
            raise self._unfit("some pairs of new vertices are unobserved")
        if embedding._method != "AdjacencySpectralEmbedding":
            raise self._unfit(f"it is not defined for {type(embedding).__name__}")
        if rule == "likelihood":
            if embedding.weighted_ or (rows.data != 1).any():
                raise self._unfit("it needs edges of weight 1, such as those of as_adjacency(graph, weight=None)")
            model = EdgeProbabilities.of_embedding(embedding, direction)
            new = model.estimates(rows, start)
            shares = model.degrees / model.total
            try:
                return fisher_step(model.design, shares, new.positions, new.degrees, rows, _PRODUCT)[0]
            except np.linalg.LinAlgError:
                raise ArgumentError('rule="likelihood" has no solution; fit with fewer dimensions.') from None
        if embedding.directed_:
            raise self._unfit("the graph is directed")
        if vertices.only_rows:
            raise self._unfit("it needs the edges among new vertices; pass an edge list or a mapping")
        among = sparse.csr_array((len(start), len(start))) if vertices.among is None else vertices.among
        return _batch_positions(rows, among, embedding.embedding_, embedding.signature_, start)

    def _unfit(self, why: str) -> ArgumentError:
        return ArgumentError(f'rule="{self.rule}", but {why}; pass rule="least_squares".')

    def covariance(self, new: object, *, direction: str = "out", marginal: bool = False) -> Array:
        r"""Estimate the covariance of each least-squares position, given the network or about the true position.

        ``T_n(X)`` is linear in the row xi, and the entries of xi are independent. Its covariance is therefore
        ``B.T diag(var xi) B`` with :math:`B = (Z^+)^T`. For unweighted graphs ``var xi_j = p_j (1 - p_j)`` with
        p_j estimated from the position, shrunk towards the product of the degrees :math:`d t_j / T`. The weight
        of the product is the estimated share of noise in the difference of both. For a weighted graph, or a new
        vertex with other weights than 1, squared residuals, corrected for leverage, are shrunk towards the
        product of their sums. In a Laplacian embedding a position is divided by the root of the degree, whose
        noise is taken into account to first order.

        Parameters
        ----------
        new, direction
            As for `transform`. Of the known vertices, such as the graph that was fitted, the result is the
            covariance of the positions of new vertices with the same edges. For those of `embedding_`, see
            `AdjacencySpectralEmbedding.covariances`.
        marginal : bool, default False
            False: the covariance given the network, about the mean position for the known positions. True: the
            mean squared error about the true latent position, to which the noise of the known positions
            contributes. It pulls new positions towards the origin. The square of this bias is added, estimated
            from the known vertices. The remaining effect is smaller by a factor of the order n.

        Returns
        -------
        ndarray of shape (m, d, d)
            Symmetric positive definite matrices, in squared units of the embedding; also for vertices without
            edges.

        Raises
        ------
        ArgumentError
            If the rule is not "least_squares", or the embedding is neither an adjacency nor a Laplacian spectral
            embedding.

        References
        ----------
        Levin et al. (2018), Theorem 2, gives the limit of this covariance. Ledoit, O. & Wolf, M. (2004), "A
        well-conditioned estimator for large-dimensional covariance matrices", gives the weight. Tang, M. & Priebe,
        C. E. (2018), "Limit theorems for eigenvectors of the normalized Laplacian for random graphs", Theorem 3.2,
        gives the limit for Laplacian embeddings.
        """
        if check_choice("rule", self.rule, RULES) != "least_squares":
            raise ArgumentError(f'rule={self.rule!r}, but covariance is defined for rule="least_squares" only.')
        check_flag("marginal", marginal)
        embedding = self._fitted()
        if not isinstance(embedding, EmbeddingWithCovariances):
            raise ArgumentError(
                f"embedding is {type_of(embedding)} without covariances; pass an adjacency or Laplacian one."
            )
        vertices = embedding.read_new(new, direction=direction)
        check_all_pairs(vertices)
        rows = vertices.towards(direction)
        positions = embedding._placement(rows, direction)
        found = unpacked(position_covariances(embedding, rows, positions, direction))
        if not marginal:
            return found
        bias = Feedback.of(embedding, direction).unbiased(positions) - positions
        return found + bias[:, :, None] * bias[:, None, :]

    def _fitted(self) -> NetworkEmbedding:
        if "fitted_embedding_" not in vars(self):
            check_fitted(_checked(self.embedding), "embedding_")
        fitted: NetworkEmbedding = vars(self).get("fitted_embedding_", self.embedding)
        return fitted

    def _fitted_facts(self) -> list[tuple[str, str]]:
        return self._fitted()._fitted_facts() if self.__sklearn_is_fitted__() else []

    def _attributed(self, with_coordinates: bool | None = True) -> Adjacency:
        return self._fitted()._attributed(with_coordinates)

    def __sklearn_is_fitted__(self) -> bool:
        return "fitted_embedding_" in vars(self) or "embedding_" in getattr(self.embedding, "__dict__", {})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.embedding).input_tags
        return tags


def _checked(value: object) -> NetworkEmbedding:
    if isinstance(value, NetworkEmbedding):
        if value.concat:
            raise ArgumentError("embedding has concat=True; pass one with concat=False.")
        return value
    raise ArgumentTypeError(f"embedding is {type_of(value)}; pass an embedding of networks.")


def _batch_positions(
    rows: sparse.csr_array, among: sparse.csr_array, known: Array, signature: NDArray[np.int64], start: Array
) -> Array:
    """Minimise ``2 |C - Y I Z.T|^2 + |B - Y I Y.T|^2`` over Y (m, d) from `start`.

    C (m, n) holds the edges to the known vertices with positions Z, B (m, m) the edges among the new vertices, and
    I is the signature. Only products with the sparse C and B and with d x d matrices are needed:
    O(edges d + m d^2) for each step.
    """
    m, d = start.shape
    gram = known.T @ known
    pull = rows @ (known * signature)

    def loss(flat: Array) -> tuple[float, Array]:
        y = flat.reshape(m, d)
        signed = y * signature
        own = y.T @ y
        back = among @ signed
        # |C - Y I Z.T|^2 = |C|^2 - 2 <C Z I, Y> + <Y I G I, Y>; likewise for B. Constants are dropped.
        pulled = signed @ (gram * signature)
        drawn = signed @ (own * signature)
        value = 2 * (-2 * (pull * y).sum() + (pulled * y).sum()) - 2 * (back * y).sum() + (drawn * y).sum()
        gradient = 4 * (pulled - pull) + 4 * (drawn - back)
        return float(value), np.asarray(gradient.ravel())

    with np.errstate(over="ignore", invalid="ignore"):
        result = optimize.minimize(
            loss,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MAX_STEPS, "ftol": 1e-14, "gtol": 1e-8 * max(1.0, float(np.abs(pull).max()))},
        )
        positions = np.asarray(result.x).reshape(m, d)
    if result.nit >= _MAX_STEPS or not np.isfinite(positions).all():
        remedy = 'pass rule="least_squares", or use the last positions, error.result'
        raise ConvergenceError(f'rule="batch" did not converge in {_MAX_STEPS} steps; {remedy}.', positions)
    return positions
