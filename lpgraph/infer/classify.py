"""Classification of vertices by their positions and by the labels of their neighbors."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from lpgraph._checks import check_flag, check_generator
from lpgraph._html import few
from lpgraph._slices import slices
from lpgraph._state import replace_state
from lpgraph._threads import one_thread
from lpgraph._warnings import warn
from lpgraph.embed.prediction import Prediction
from lpgraph.embed.vertex_results import EmbeddedVertices, network_tags, vertex_state
from lpgraph.errors import ArgumentError, IsolatedVertexWarning
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import listed, name_at, names_at
from lpgraph.graph.vertex_values import in_matrix_order, of_attribute
from lpgraph.infer._labels import (
    check_are_classes,
    check_same_type,
    known_labels,
    labels_by_name,
    warn_of_labels_as_names,
)
from lpgraph.infer.arcs import arcs_among, isolated, known_arcs, new_arcs
from lpgraph.infer.calibration import Calibration
from lpgraph.infer.classifier_input import ClassifierInput
from lpgraph.infer.defaults import default_embedding, embedded, unfitted
from lpgraph.infer.features import VertexFeatures, check_features, features_of
from lpgraph.infer.foreign import check_classifier, classifier_errors
from lpgraph.infer.label_reach import LabelReach
from lpgraph.infer.neighbor_labels import NeighborLabels
from lpgraph.infer.pooling import ClassPool
from lpgraph.infer.row_blocks import in_blocks
from lpgraph.infer.selection import select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph._frames import DataFrame
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.graph.unknown_labels import UnknownLabels
    from lpgraph.infer.arcs import Arcs
    from lpgraph.spectral.construction import Array

__all__ = ["VertexClassifier"]

#: Largest number of dimensions of the default embedding.
_MOST = 64
#: Vertices whose features are held at a time.
_BATCH = 1 << 15
#: Mean number of labels for each class below which predictions rest mostly on the network.
_FEW = 10


class VertexClassifier(EmbeddedVertices, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Embed a network, train a classifier on its labelled vertices, and classify other and new vertices.

    By default the network is embedded by its Laplacian, regularised by the mean degree, and class probabilities
    are a pool of several kinds of evidence: a logistic regression on features, namely the leading coordinates,
    scaled to unit length, the degree, and the shares of the classes among the labelled neighbors; how near a
    vertex is to the mean direction of each class; and how often random walks from labelled vertices of each class
    visit it. The weights of the pool are learnt from held-out labels. With few labels they are near prior weights,
    by which the network does the work; with many, the regression decides. The cross-validation of the regression
    chooses the number of coordinates and the penalty, and calibrates the probabilities of the pool by an exponent
    that depends on the number of labelled neighbors.

    Parameters
    ----------
    embedding : estimator, optional
        An embedding with ``fit_transform(graph)`` and ``transform(new)``. None means
        `LaplacianSpectralEmbedding` with ``regularizer="mean"`` in 64 dimensions, or in as many as there are;
        for graphs with negative weights `AdjacencySpectralEmbedding`. It has ``tol=0.1``: dimensions whose
        eigenvalues are among many others are not exact eigenvectors.
    classifier : estimator, optional
        Any scikit-learn classifier of the features, whose probabilities remain as they are, without a pool. None
        means logistic regression on standardised features, in the pool.
    features : str or iterable of str, default ("unit_rows", "degrees", "neighbor_labels")
        The parts of the features:

        - "unit_rows": rows of the leading coordinates, divided by their lengths; or "positions": the coordinates;
        - "degrees": ``log(1 + degree)``, which unit rows do not contain;
        - "neighbor_labels": shares of the classes among the labelled neighbors, without the vertex's own label.

        The pool compares directions if "unit_rows" is among them, and uses walks if "neighbor_labels" is.
        Of directed graphs, coordinates as sources and as targets, and neighbors in both directions are used.
    select_features : bool, default True
        Whether to choose the number of leading coordinates by cross-validation; otherwise all are used.
    unknown : {"warn", "error", "ignore"}, default "warn"
        What to do with labels of vertices that are not in the graph, such as vertices without edges, which an edge
        list does not contain. "warn": leave them out, with a warning that counts them; but refuse them if they
        are more than half, or if their names are numbers and those of the graph are not, or the reverse. "error":
        refuse them. "ignore": leave them out.
    among_new : bool, default True
        Whether labels also spread over the edges among new vertices, where these are passed, if "neighbor_labels"
        is a feature. The prediction of a vertex then depends on the new vertices that it is connected to. With
        `classifier`, only vertices without a known neighbor are predicted by such labels. Positions of new
        vertices never depend on each other.
    random_state : int, Generator or None, default 0
        Seed of the folds of the cross-validation.

    Attributes
    ----------
    fitted_embedding_ : estimator
        The fitted embedding.
    embedding_ : ndarray of shape (n, d)
        Positions of the known vertices.
    n_coordinates_ : int
        The number of leading coordinates in the features.
    classifier_ : estimator
        The classifier, trained on the features.
    pool_ : ClassPool or None
        The weights of the kinds of evidence, ``pool_.weights``; None with `classifier`.
    calibration_ : Calibration
        The exponents of the probabilities, by the number of labelled neighbors.
    few_labels_ : bool
        Whether there are fewer than ten labels for each class on average, so that weights and probabilities rest
        mostly on prior ones.
    classes_ : ndarray
        The distinct known labels, sorted.
    class_shares_ : ndarray of shape (n_classes,)
        Shares of the classes among the known labels, which are the prediction for vertices that no path of edges
        joins to a labelled one.
    transduction_ : ndarray of shape (n,)
        Labels of all vertices: known labels as passed, the others predicted.
    label_distributions_ : ndarray of shape (n, n_classes)
        Predicted class probabilities of all vertices, whose own labels are not used as features.
    label_reach_ : LabelReach
        Which vertices were labelled, and which are connected to a labelled one.
    vertex_names_ : ndarray of shape (n,), or range
        Names in the order of `transduction_`.
    graph_ : Adjacency
        The graph, for `to_networkx` and `to_igraph`.

    Warns
    -----
    IsolatedVertexWarning
        If vertices to be classified have no path to a labelled vertex, because they have no edge, or none of their
        component is labelled; they get `class_shares_`.

    Notes
    -----
    Algorithm 1 of Tang, Park & Priebe (2013), whose classifier is linear in the positions, is
    ``VertexClassifier(AdjacencySpectralEmbedding(d), LinearDiscriminantAnalysis(), features="positions",
    select_features=False)``.

    The input is pairwise, as for a precomputed kernel, so that scikit-learn's cross-validation removes rows
    and columns together: each held-out vertex is embedded as a new vertex, by its edges to the training vertices.

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893, Algorithm 1 and Theorem 7.

    Genest, C. & Zidek, J. V. (1986), "Combining probability distributions: a critique and an annotated
    bibliography", Statistical Science 1 (logarithmic pools).

    Guo, C., Pleiss, G., Sun, Y. & Weinberger, K. Q. (2017), "On calibration of modern neural networks", ICML.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> y = graph.labels.copy()
    >>> y[::2] = -1
    >>> model = lp.VertexClassifier().fit(graph, y)
    >>> bool((model.transduction_ == graph.labels).mean() > 0.95)
    True
    >>> new = graph.new_vertices(20, random_state=1)
    >>> model.predict(new).shape
    (20,)
    >>> list(model.predict_table(new).columns)
    ['name', 'label', 'probability', 'has_known_neighbor', 'labelled_neighbors', 'reaches_label']
    """

    transduction_: NDArray[np.generic]
    classes_: NDArray[np.generic]
    class_shares_: NDArray[np.float64]
    n_coordinates_: int
    neighbor_labels_: NeighborLabels | None
    label_reach_: LabelReach
    few_labels_: bool
    pool_: ClassPool | None
    calibration_: Calibration

    def __init__(
        self,
        embedding: Any = None,
        classifier: Any = None,
        *,
        features: str | Sequence[str] = ("unit_rows", "degrees", "neighbor_labels"),
        select_features: bool = True,
        unknown: UnknownLabels = "warn",
        among_new: bool = True,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.embedding = embedding
        self.classifier = classifier
        self.features = features
        self.select_features = select_features
        self.unknown = unknown
        self.among_new = among_new
        self.random_state = random_state

    def fit(self, graph: Any, y: Any) -> Self:
        """Embed `graph` and train on its labelled vertices.

        Parameters
        ----------
        graph : graph
            Any input of `lpgraph.as_adjacency`.
        y : array-like of shape (n,), mapping, pandas object or str
            Labels in the order of the vertices, with -1, None, NaN or "" for unknown labels; or a mapping or
            Series from vertex names to labels, in which vertices with unknown labels may be absent; or a DataFrame
            with a column of names and one of labels; or the name of a vertex attribute of the graph.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError
            If y has the wrong length, no rows or fewer than two classes, or a parameter is not one of its values;
            if y has more than 100 classes with fewer than two labelled vertices for each on average, as ids have;
            or if y is a pandas object with the default index 0 ... n-1 and the graph has other names.
        UnknownVertexError
            If labels of vertices that are not in the graph are refused by `unknown`, or all labels are of these.
        """
        parts = check_features(self.features)
        choose = check_flag("select_features", self.select_features)
        check_flag("among_new", self.among_new)
        check_classifier(self.classifier)
        adjacency = as_adjacency(graph)
        adjacency.check_room(155, "A classifier")
        ordered = in_matrix_order(of_attribute(y, adjacency, "y"), graph)
        labels, known = known_labels(
            ordered, adjacency.names, unknown=self.unknown, option="VertexClassifier(unknown={!r})"
        )
        check_are_classes(labels[known], "y")
        classes, codes = np.unique(labels[known], return_inverse=True)
        if len(classes) < 2:
            raise ArgumentError(f"y has one class, {classes.tolist()[0]!r}; pass labels of at least two classes.")
        default = self.embedding is None
        embedding = default_embedding(adjacency, _MOST) if default else unfitted(self.embedding)
        sides = embedded(embedding, adjacency, quiet=default)
        arcs = known_arcs(adjacency)
        neighbors = near = blocks = None
        every_code = np.full(len(labels), -1)
        every_code[known] = codes
        if "neighbor_labels" in parts:
            neighbors = NeighborLabels.of(arcs, every_code, len(classes))
            near = neighbors.near_known(arcs)
            blocks = neighbors.of_known(arcs, near)
        features = features_of(parts, sides, arcs, blocks)
        lonely = isolated(arcs)
        trained = np.flatnonzero(known & ~lonely)
        if len(np.unique(labels[trained])) < 2:
            trained = np.flatnonzero(known)
        reach, shares = LabelReach.of(arcs, known), np.bincount(codes) / len(codes)
        rng = check_generator(self.random_state)
        pool, calibration = None, Calibration.none()
        with one_thread():
            selected = select(features, labels, trained, self.classifier, rng, choose=choose)
            rows = features.rows(trained, selected.n_columns)
            with classifier_errors(selected.classifier, "fit"):
                model = clone(selected.classifier).fit(rows, labels[trained])
            if self.classifier is None:
                pool, held, held_out = ClassPool.of(features, near, every_code, trained, shares, selected)
                calibration = Calibration.of(held_out, reach.neighbors(arcs)[held], every_code[held])
        state = {
            "fitted_embedding_": embedding,
            "n_coordinates_": selected.n_columns,
            "classifier_": model,
            "neighbor_labels_": neighbors,
            "classes_": classes,
            "class_shares_": shares,
            "few_labels_": len(codes) < _FEW * len(classes),
            "label_reach_": reach,
            "pool_": pool,
            "calibration_": calibration,
        }
        fitted = copy(self)
        replace_state(fitted, state)
        transduction = labels.copy()
        unknown = np.flatnonzero(~known)
        others = names_at(adjacency.names, unknown)
        warn_of_labels_as_names(others, classes, "graph", "vertices without labels")
        _warn_of_unreached(reach.others[unknown], others, "unlabelled", "vertex_table()")
        transduction[unknown] = fitted._labels(fitted._known_input(features, arcs, near), unknown)
        replace_state(self, state | {"transduction_": transduction} | vertex_state(adjacency))
        return self

    def update(self, edges: object = None, removed: object = None, labels: object = None) -> DataFrame:
        """Change the network and its labels, fit again with the same parameters, and return what moved.

        Parameters
        ----------
        edges, removed
            As for `lpgraph.AdjacencySpectralEmbedding.update`, which describes the result and the errors.
        labels : mapping or pandas object, optional
            Labels of new or known vertices by name. They replace those passed to `fit`; -1, None, NaN and "" make
            the label of a vertex unknown. Other vertices keep the labels that were passed to `fit`.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> club = nx.karate_club_graph()
        >>> model = lp.VertexClassifier().fit(club, {0: "Mr. Hi", 1: "Mr. Hi", 33: "Officer", 32: "Officer"})
        >>> table = model.update([("Anna", 33), ("Anna", 32)], labels={2: "Mr. Hi"})
        >>> table.loc[table["name"] == "Anna", ["status", "label"]]
           status    label
        34    new  Officer
        """
        return self._update(edges, removed, labels)

    def _fitted_again(self, network: Adjacency, labels: object) -> Self:
        labelled = np.flatnonzero(self.label_reach_.labelled)
        names = listed(names_at(self.vertex_names_, labelled))
        given = dict(zip(names, self.transduction_[labelled].tolist(), strict=True))
        if labels is not None:
            given |= labels_by_name(labels, network.names, self.classes_, self.unknown)
        fitted: Self = clone(self).fit(
            network, {name: label for name, label in given.items() if name in network.index}
        )
        return fitted

    def predict(self, new: Any) -> NDArray[np.generic]:
        """Return the predicted labels of new vertices, in any form that ``embedding.transform`` takes.

        They are an array in the order of ``read_new(new).names``, also after `set_output`, as scikit-learn defines
        it. `predict_table` returns them with the names.
        """
        given = self._new_input(self.read_new(new))
        return self._labels(given, np.arange(len(given.reached)))

    def predict_proba(self, new: Any) -> NDArray[np.float64]:
        """Return the (m, n_classes) class probabilities of new vertices, columns in the order of `classes_`.

        Those of a vertex without edges to other new vertices, and with ``among_new=False`` those of each vertex,
        are the same, bit for bit, alone and in any batch, unless the classifier draws random numbers: it is called
        with blocks of a fixed number of rows.
        """
        return self._probabilities(self._new_input(self.read_new(new)))

    @property
    def label_distributions_(self) -> NDArray[np.float64]:
        """Predicted class probabilities of all vertices, of shape (n, n_classes)."""
        if "classifier_" not in vars(self):
            raise AttributeError("'VertexClassifier' object has no attribute 'label_distributions_' before fit.")
        if not hasattr(self.classifier_, "predict_proba"):
            raise AttributeError(f"classifier={self.classifier_!r} has no predict_proba; pass one that has.")
        return self._probabilities(self._known_again(known_arcs(self.graph_)))

    def _predict(self, vertices: NewEdges) -> Prediction:
        given = self._new_input(vertices)
        labels, shares = self._labels_and_shares(given, np.arange(len(given.reached)))
        evidence = self._evidence(vertices.has_known_neighbor, new_arcs(vertices), given.reached)
        return Prediction("label", vertices.names, labels, evidence, self.classes_, shares)

    def _predict_known(self) -> Prediction:
        arcs = known_arcs(self.graph_)
        given, reach = self._known_again(arcs), self.label_reach_
        labelled = np.flatnonzero(reach.labelled)
        labels, shares = self._labels_and_shares(given, labelled)
        evidence = self._evidence(~isolated(arcs), arcs, reach.others)
        predicted = self.transduction_.copy()
        predicted[labelled] = labels
        evidence |= {"label_given": reach.labelled, "predicted_label": predicted}
        return Prediction("label", self.vertex_names_, self.transduction_, evidence, self.classes_, shares)

    def _evidence(
        self, linked: NDArray[np.bool_], arcs: Arcs, reached: NDArray[np.bool_]
    ) -> dict[str, NDArray[np.generic]]:
        """Return the columns that say what predictions rest on."""
        return {
            "has_known_neighbor": linked,
            "labelled_neighbors": self.label_reach_.neighbors(arcs),
            "reaches_label": reached,
        }

    @property
    def _has_probabilities(self) -> bool:
        return hasattr(self.classifier_, "predict_proba")

    def score(self, new: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of new vertices that are classified as in `y`; unknown labels are ignored.

        `y` is in their order, or a mapping or pandas Series by their names. Numbers are compared by their values.
        Texts where `fit` got numbers, or the reverse, are an ArgumentError, since no label would be right.
        """
        vertices = self.read_new(new)
        labels, known = known_labels(in_matrix_order(y, new), vertices.names)
        check_same_type(labels[known], self.classes_, "y")
        predicted = self.predict(vertices)
        weight = np.ones(len(predicted)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        return float(np.average(predicted[known] == labels[known], weights=weight[known]))

    def _known_again(self, arcs: Arcs) -> ClassifierInput:
        """Return what is known about the vertices of the fitted graph with these arcs."""
        near = labels = None
        if self.neighbor_labels_ is not None:
            near = self.neighbor_labels_.near_known(arcs)
            labels = self.neighbor_labels_.of_known(arcs, near)
        features = features_of(check_features(self.features), self._known_sides(), arcs, labels)
        return self._known_input(features, arcs, near)

    def _known_input(self, features: VertexFeatures, arcs: Arcs, near: Array | None) -> ClassifierInput:
        reach = self.label_reach_
        shares = self._class_shares(len(reach.others))
        return ClassifierInput(features, near, reach.neighbors(arcs), reach.others, reach.others, shares)

    def _class_shares(self, m: int) -> NDArray[np.float64]:
        return np.broadcast_to(self.class_shares_, (m, len(self.class_shares_)))

    def _new_input(self, vertices: NewEdges) -> ClassifierInput:
        arcs, neighbors = new_arcs(vertices), self.neighbor_labels_
        joint = check_flag("among_new", self.among_new) and neighbors is not None
        among = arcs_among(vertices) if joint else None
        near = labels = spread = None
        if neighbors is not None:
            near = neighbors.near_new(arcs)
            labels = neighbors.of_new(arcs, near)
            spread = None if among is None else neighbors.spread(arcs, labels, among)
        reached = self.label_reach_.of_new(arcs, among)
        warn_of_labels_as_names(vertices.names, self.classes_, "new", "new vertices")
        _warn_of_unreached(reached, vertices.names, "new", "predict_table(new)")
        parts = check_features(self.features)
        if "degrees" in parts and not vertices.all_observed:
            others = tuple(part for part in parts if part != "degrees")
            raise ArgumentError(
                "Pairs of new vertices are unobserved, so that their degrees are not known, which are features; "
                f"fit with features={others or ('unit_rows',)}, or leave those vertices out."
            )
        features = features_of(parts, self._placed(vertices), arcs, labels)
        linked, shares = vertices.has_known_neighbor, self._class_shares(len(reached))
        if spread is not None and self.pool_ is None:
            # Without a position and a degree, features are outside of those that the classifier was trained on.
            shares = np.where((~linked & spread[0].any(axis=1))[:, None], spread[0], shares)
        numbers = self.label_reach_.neighbors(arcs)
        return ClassifierInput(features, near, numbers, reached, reached & linked, shares, spread)

    def _labels_and_shares(
        self, given: ClassifierInput, chosen: NDArray[np.intp]
    ) -> tuple[NDArray[np.generic], Array | None]:
        """Return the predicted labels of the chosen vertices, and class probabilities of all if there are any."""
        shares = self._probabilities(given) if self._has_probabilities else None
        if self.pool_ is None or shares is None:
            return self._labels(given, chosen), shares
        return np.asarray(self.classes_[shares[chosen].argmax(axis=1)]), shares

    def _labels(self, given: ClassifierInput, chosen: NDArray[np.intp]) -> NDArray[np.generic]:
        """Return the predicted labels of the chosen vertices."""
        if self.pool_ is not None:
            return np.asarray(self.classes_[self._probabilities(given, chosen).argmax(axis=1)])
        result = np.asarray(self.classes_[given.shares[chosen].argmax(axis=1)])
        joined = np.flatnonzero(given.by_features[chosen])
        for part in slices(len(joined), _BATCH):
            rows = given.features.rows(chosen[joined[part]], self.n_coordinates_)
            with classifier_errors(self.classifier_, "predict"):
                result[joined[part]] = in_blocks(self.classifier_, "predict", rows)
        return result

    def _probabilities(
        self, given: ClassifierInput, chosen: NDArray[np.intp] | None = None
    ) -> NDArray[np.float64]:
        """Return the class probabilities of the chosen vertices, or of all."""
        if not self._has_probabilities:
            raise ArgumentError(
                f"classifier={self.classifier_!r} gives no probabilities; pass one with predict_proba, or None."
            )
        chosen = np.arange(len(given.reached)) if chosen is None else chosen
        result = given.shares[chosen]
        joined = np.flatnonzero(given.by_features[chosen])
        # A class all of whose labelled vertices are isolated is not known to the classifier.
        columns = np.searchsorted(self.classes_, self.classifier_.classes_)
        for part in slices(len(joined), _BATCH):
            vertices = chosen[joined[part]]
            rows = given.features.rows(vertices, self.n_coordinates_)
            found = np.zeros((len(rows), result.shape[1]))
            with classifier_errors(self.classifier_, "predict_proba"):
                found[:, columns] = in_blocks(self.classifier_, "predict_proba", rows)
            if self.pool_ is not None:
                sides = [side[vertices] for side in given.features.sides]
                found = self.pool_.probabilities(
                    found, sides, None if given.near is None else given.near[vertices]
                )
                found = self.calibration_.by_neighbors(found, given.neighbors[vertices])
            result[joined[part]] = found
        if given.spread is not None and self.pool_ is not None:
            shares, alone = (each[chosen] for each in given.spread)
            joint = np.flatnonzero((alone < 1) & shares.any(axis=1))
            result[joint] = self.pool_.with_new_neighbors(result[joint], shares[joint], alone[joint])
        return result

    def _fitted_facts(self) -> list[tuple[str, str]]:
        facts = super()._fitted_facts()
        if facts:
            classes = f"{len(self.classes_)}: {few(self.classes_.tolist(), 6)}"
            few_labels = " (few)" if self.few_labels_ else ""
            facts += [
                ("classes", classes),
                ("labelled vertices", f"{self.label_reach_.labelled.sum()}{few_labels}"),
                ("coordinates used", str(self.n_coordinates_)),
            ]
        return facts

    def __sklearn_tags__(self) -> Any:
        return network_tags(super().__sklearn_tags__(), self.embedding)


def _warn_of_unreached(reached: NDArray[np.bool_], names: Names, kind: str, table: str) -> None:
    if not reached.all():
        warn(
            f"{(~reached).sum()} of {len(reached)} {kind} vertices have no path to a labelled vertex, such as "
            f"{name_at(names, reached.argmin())!r}; they get the shares of the classes among the known labels. "
            f"The column reaches_label of {table} says which.",
            IsolatedVertexWarning,
        )
