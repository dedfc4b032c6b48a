"""Classification of vertices by their positions and by the labels of their neighbors."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from lpgraph._utils.checks import check_finite_array, check_flag, check_generator
from lpgraph._utils.compiled import in_threads, one_thread, slices
from lpgraph._utils.estimators import few
from lpgraph._utils.progress import tell, warn
from lpgraph.embed.base import vertex_state
from lpgraph.embed.vertex_results import EmbeddedVertices, Prediction, network_tags
from lpgraph.errors import ArgumentError, IsolatedVertexWarning
from lpgraph.graph.names import listed, names_at
from lpgraph.graph.vertex_values import in_matrix_order, of_attribute

from ._labels import check_are_classes, check_same_type, known_labels, labels_by_name
from .evidence import (
    Calibration,
    ClassPool,
    LabelReach,
    NeighborLabels,
    Spread,
    VertexFeatures,
    check_features,
)
from .vertices import (
    arcs_among,
    check_estimator,
    counted,
    default_embedding,
    embedded,
    fit_anew,
    in_blocks,
    isolated,
    known_arcs,
    log,
    new_arcs,
    read_network,
    unfitted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas
    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from lpgraph._utils.types import Array, Flags, Integers, Seed
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.graph.vertex_values import UnknownLabels

    from .vertices import Arcs

    Values = NDArray[np.generic]


__all__ = ["VertexClassifier"]

#: Largest number of dimensions of the default embedding.
_MOST = 64
#: Vertices whose features are held at a time.
_BATCH = 1 << 15

#: A number of columns, and the inverse penalty.
Candidate: TypeAlias = tuple[int, float]

_FOLDS = 5
#: Labelled vertices used in cross-validation; the standard error of their accuracy is below one percent.
_MOST_SAMPLED = 3000
#: Vertices from which the scales of the features are estimated.
_REFERENCE = 10_000
#: Inverse penalties of logistic regression.
_PENALTIES = (0.01, 0.1, 1.0)
#: Tolerances of logistic regression in cross-validation, and of the classifier.
_COARSE, _FINE = 1e-2, 1e-3
#: Probability of a class that the training folds lack.
_UNSEEN = 1e-6
#: Mean number of labels for each class below which predictions rest mostly on the network.
_FEW = 10


@dataclass(frozen=True, eq=False)
class ClassifierInput:
    """What is known about m vertices that are to be classified.

    Attributes
    ----------
    features : VertexFeatures
        Their features.
    near : ndarray of shape (m, n_classes) or None
        Shares of the classes in the visits to their neighbors.
    neighbors : ndarray of int of shape (m,)
        Their numbers of labelled neighbors.
    reached : ndarray of shape (m,)
        Whether a path of edges joins each vertex to a labelled one.
    by_features : ndarray of shape (m,)
        Whether each vertex is classified by its features.
    shares : ndarray of shape (m, n_classes)
        Class probabilities of the other vertices.
    spread : Spread or None
        Labels that spread among new vertices, if these have edges among them.
    """

    features: VertexFeatures
    near: Array | None
    neighbors: Integers
    reached: Flags
    by_features: Flags
    shares: Array
    spread: Spread | None = None


@dataclass(eq=False, repr=False)
class VertexClassifier(EmbeddedVertices, ClassifierMixin, BaseEstimator):
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
        eigenvalues are among many others are not exact eigenvectors. With an embedding of several networks, such
        as `lpgraph.joint.UnfoldedEmbedding`, positions are its ``vertex_positions()``, and degrees, neighbors and
        random walks are those of the sum of the networks.
    classifier : estimator, optional
        A scikit-learn classifier of the features, whose probabilities remain as they are, without a pool. None
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
        are more than half. "error": refuse them. "ignore": leave them out.
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
    Pass it an `Adjacency`, or a matrix.

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

    embedding: BaseEstimator | None = None
    classifier: BaseEstimator | None = None
    _: KW_ONLY
    features: str | Sequence[str] = ("unit_rows", "degrees", "neighbor_labels")
    select_features: bool = True
    unknown: UnknownLabels = "warn"
    among_new: bool = True
    random_state: Seed = 0

    classes_: Values = field(init=False)

    def fit(self, graph: object, y: object) -> Self:
        """Embed `graph` and train on its labelled vertices.

        Parameters
        ----------
        graph : graph
            A graph in any form of `lpgraph.as_adjacency`; for an embedding of several networks, these in any form
            of `lpgraph.as_graphs`. New vertices have the form of ``embedding.transform``.
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
            or if y is a pandas object with the default index 0 ... n-1 and the graph has other names.
        UnknownVertexError
            If labels of vertices that are not in the graph are refused by `unknown`, or all labels are of these.
        """
        with warnings.catch_warnings():
            # scikit-learn takes a few labels of many classes for a regression.
            warnings.filterwarnings("ignore", "The number of unique classes")
            return fit_anew(self, graph, y)

    def _fit(self, graph: object, y: object) -> None:
        self.features_ = parts = check_features(self.features)
        choose = check_flag("select_features", self.select_features)
        check_flag("among_new", self.among_new)
        if self.classifier is not None:
            check_estimator("classifier", self.classifier, ["fit", "predict"], "LogisticRegression() or None")
        adjacency, networks = read_network(graph, self.embedding)
        adjacency.check_room(155, "A classifier")
        labels, known, codes = self._read_labels(y, graph, adjacency)
        default = self.embedding is None
        self.fitted_embedding_ = default_embedding(adjacency, _MOST) if default else unfitted(self.embedding)
        sides = embedded(self.fitted_embedding_, networks, quiet=default)
        arcs = known_arcs(adjacency)
        self.label_reach_ = LabelReach.of(arcs, known)
        self.neighbor_labels_ = near = None
        if "neighbor_labels" in parts:
            self.neighbor_labels_, near = NeighborLabels.of(arcs, codes, len(self.classes_))
        given = self._known_input(sides, arcs, near)
        trained = np.flatnonzero(known & ~isolated(arcs))
        if len(np.unique(labels[trained])) < 2:
            trained = np.flatnonzero(known)
        self.pool_, self.calibration_ = None, Calibration()
        with one_thread():
            rng = check_generator(self.random_state)
            found = select(given.features, labels, trained, self.classifier, rng, choose=choose)
            self.n_coordinates_, classifier, sample, by_features = found
            rows = given.features.rows(trained, self.n_coordinates_)
            self.classifier_ = clone(classifier).fit(rows, labels[trained])
            if self.classifier is None:
                pooled = ClassPool.of(given.features, given.near, codes, trained, sample, by_features)
                self.pool_, held, held_out = pooled
                self.calibration_ = Calibration.of(held_out, given.neighbors[held], codes[held])
        unknown = np.flatnonzero(~known)
        names = names_at(adjacency.names, unknown)
        _warn_of_unreached(self.label_reach_.others[unknown], names, "unlabelled")
        self.transduction_ = np.where(known, labels, self._labels(given))
        self.__dict__.update(vertex_state(adjacency))

    def _read_labels(self, y: object, graph: object, adjacency: Adjacency) -> tuple[Values, Flags, Integers]:
        """Return the labels, which of them are known, and the class of each vertex, -1 if unknown."""
        ordered = in_matrix_order(of_attribute(y, adjacency, "y"), graph)
        labels, known = known_labels(ordered, adjacency.names, unknown=self.unknown)
        check_are_classes(labels[known], "y")
        self.classes_, found = np.unique(labels[known], return_inverse=True)
        if len(self.classes_) < 2:
            raise ArgumentError(f"y has one class, {self.classes_.tolist()[0]!r}; pass labels of two or more.")
        codes = np.full(len(labels), -1)
        codes[known] = found
        self.class_shares_ = np.bincount(found) / len(found)
        self.few_labels_ = len(found) < _FEW * len(self.classes_)
        return labels, known, codes

    def update(self, edges: object = None, removed: object = None, labels: object = None) -> pandas.DataFrame:
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
        kept = {name: label for name, label in given.items() if name in network.index}
        fitted: Self = clone(self).fit(network, kept)
        return fitted

    def predict(self, new: object) -> Values:
        """Return the predicted labels of new vertices, in any form that ``embedding.transform`` takes.

        They are an array in the order of ``read_new(new).names``, also after `set_output`, as scikit-learn defines
        it. `predict_table` returns them with the names.
        """
        return self._labels(self._new_input(self.read_new(new)))

    def predict_proba(self, new: object) -> Array:
        """Return the (m, n_classes) class probabilities of new vertices, columns in the order of `classes_`.

        Those of a vertex without edges to other new vertices, and with ``among_new=False`` those of each vertex,
        are the same, bit for bit, alone and in any batch, unless the classifier draws random numbers: it is called
        with blocks of a fixed number of rows.
        """
        return self._probabilities(self._new_input(self.read_new(new)))

    @property
    def label_distributions_(self) -> Array:
        """Predicted class probabilities of all vertices, of shape (n, n_classes)."""
        if not self._has_probabilities:
            raise AttributeError(f"classifier={self.classifier_!r} has no predict_proba; pass one that has.")
        return self._probabilities(self._known_input(self._known_sides(), known_arcs(self.graph_)))

    def _predict(self, vertices: NewEdges, labels: object = None) -> Prediction:
        codes = None if labels is None else self._codes_of_new(labels, vertices.names)
        given = self._new_input(vertices, codes)
        shares = self._probabilities(given) if self._has_probabilities else None
        found = self._labels(given, shares)
        evidence = self._evidence(vertices.has_known_neighbor, given)
        if codes is not None:
            evidence |= {"label_given": codes >= 0, "predicted_label": found}
            found = np.where(codes >= 0, self.classes_[codes], found)
        return Prediction("label", vertices.names, found, evidence, self.classes_, shares)

    def _codes_of_new(self, labels: object, names: Names) -> Integers:
        """Return the class of each new vertex by given labels, -1 without one."""
        given = labels_by_name(labels, names, self.classes_, self.unknown)
        classes = {None: -1} | {kind: k for k, kind in enumerate(self.classes_.tolist())}
        other = [label for label in given.values() if label not in classes]
        if other:
            problem = f"{len(other)} labels of new vertices are of no known vertex, such as {other[0]!r}; left out"
            warn(f"{problem}. Only a fit to all vertices can predict them.")
        return np.array([classes.get(given.get(name), -1) for name in listed(names)], dtype=np.intp)

    def _predict_known(self) -> Prediction:
        arcs, reach = known_arcs(self.graph_), self.label_reach_
        given = self._known_input(self._known_sides(), arcs)
        shares = self._probabilities(given) if self._has_probabilities else None
        predicted = np.where(reach.labelled, self._labels(given, shares), self.transduction_)
        evidence = self._evidence(~isolated(arcs), given)
        evidence |= {"label_given": reach.labelled, "predicted_label": predicted}
        return Prediction("label", self.vertex_names_, self.transduction_, evidence, self.classes_, shares)

    def _evidence(self, linked: Flags, given: ClassifierInput) -> dict[str, Values]:
        """Return the columns that say what predictions rest on."""
        reached: Values = given.reached
        return {"has_known_neighbor": linked, "labelled_neighbors": given.neighbors, "reaches_label": reached}

    @property
    def _has_probabilities(self) -> bool:
        return hasattr(self.classifier_, "predict_proba")

    def score(self, new: object, y: object, sample_weight: object = None) -> float:
        """Return the share of new vertices that are classified as in `y`; unknown labels are ignored.

        `y` is in their order, or a mapping or pandas Series by their names. Numbers are compared by their values.
        Texts where `fit` got numbers, or the reverse, are an ArgumentError, since no label would be right.
        """
        vertices = self.read_new(new)
        labels, known = known_labels(in_matrix_order(y, new), vertices.names)
        check_same_type(labels[known], self.classes_, "y")
        given = np.ones(len(known)) if sample_weight is None else sample_weight
        weights = check_finite_array("sample_weight", given)
        if weights.shape != known.shape:
            raise ArgumentError(f"sample_weight has shape {weights.shape}; pass one for each of {len(known)}.")
        return float(np.average(self.predict(vertices)[known] == labels[known], weights=weights[known]))

    def _known_input(self, sides: Sequence[Array], arcs: Arcs, near: Array | None = None) -> ClassifierInput:
        """Return what is known about the vertices of the fitted graph; `near` is given if it was computed."""
        labels, reach = None, self.label_reach_
        if self.neighbor_labels_ is not None:
            near = self.neighbor_labels_.near_known(arcs) if near is None else near
            labels = self.neighbor_labels_.features(arcs, near)
        features = VertexFeatures.of(self.features_, sides, arcs, labels)
        shares = np.tile(self.class_shares_, (len(reach.others), 1))
        return ClassifierInput(features, near, reach.neighbors(arcs), reach.others, reach.others, shares)

    def _new_input(self, vertices: NewEdges, codes: Integers | None = None) -> ClassifierInput:
        """Return what is known about new vertices; `codes` are the classes of given labels, -1 without one."""
        arcs, neighbors = new_arcs(vertices), self.neighbor_labels_
        codes = np.full(len(vertices.names), -1) if codes is None else codes
        near = labels = among = spread = None
        if neighbors is not None:
            near = neighbors.near_new(arcs)
            labels = neighbors.features(arcs, near)
            among = arcs_among(vertices) if check_flag("among_new", self.among_new) else None
            spread = None if among is None else neighbors.spread(arcs, labels, among, codes)
        reached = self.label_reach_.of_new(arcs, among, codes >= 0)
        _warn_of_unreached(reached, vertices.names, "new")
        parts = self.features_
        if "degrees" in parts and not vertices.all_observed:
            others = tuple(part for part in parts if part != "degrees") or ("unit_rows",)
            why = "Degrees are not known where pairs are unobserved"
            raise ArgumentError(f"{why}; fit with features={others}, or leave those vertices out.")
        features = VertexFeatures.of(parts, self._placed(vertices), arcs, labels)
        linked, shares = vertices.has_known_neighbor, np.tile(self.class_shares_, (len(reached), 1))
        if spread is not None and self.pool_ is None:
            # Without a position and a degree, features are outside of those that the classifier was trained on.
            shares = np.where((~linked & spread.shares.any(axis=1))[:, None], spread.shares, shares)
        numbers = self.label_reach_.neighbors(arcs)
        return ClassifierInput(features, near, numbers, reached, reached & linked, shares, spread)

    def _labels(self, given: ClassifierInput, shares: Array | None = None) -> Values:
        """Return the predicted labels of vertices; `shares` are their probabilities, if known."""
        if self.pool_ is not None:
            pooled = self._probabilities(given) if shares is None else shares
            return np.asarray(self.classes_[pooled.argmax(axis=1)])
        result: Values = self.classes_[given.shares.argmax(axis=1)]
        for vertices, found in self._by_features(given, "predict"):
            result[vertices] = found
        return result

    def _by_features(self, given: ClassifierInput, method: str) -> Iterator[tuple[Integers, Values]]:
        """Yield vertices that have features, and what the classifier returns for them."""
        joined = np.flatnonzero(given.by_features)
        for some in (joined[part] for part in slices(len(joined), _BATCH)):
            yield some, in_blocks(self.classifier_, method, given.features.rows(some, self.n_coordinates_))

    def _probabilities(self, given: ClassifierInput) -> Array:
        """Return the class probabilities of vertices."""
        if not self._has_probabilities:
            raise ArgumentError(f"classifier={self.classifier_!r} has no predict_proba; pass another, or None.")
        result = given.shares.copy()
        # A class all of whose labelled vertices are isolated is not known to the classifier.
        columns = np.searchsorted(self.classes_, self.classifier_.classes_)
        for vertices, probabilities in self._by_features(given, "predict_proba"):
            found = np.zeros((len(vertices), len(self.classes_)))
            found[:, columns] = probabilities
            if self.pool_ is not None:
                sides = [side[vertices] for side in given.features.sides]
                near = None if given.near is None else given.near[vertices]
                found = self.pool_.probabilities(found, sides, near)
                found = self.calibration_.by_neighbors(found, given.neighbors[vertices])
            result[vertices] = found
        if given.spread is not None and self.pool_ is not None:
            result = self.pool_.with_new_neighbors(result, given.spread)
        return result

    def _fitted_facts(self) -> list[tuple[str, str]]:
        facts = super()._fitted_facts()
        if facts:
            facts += [
                ("classes", f"{len(self.classes_)}: {few(self.classes_.tolist(), 6)}"),
                ("labelled vertices", f"{self.label_reach_.labelled.sum()}{' (few)' * self.few_labels_}"),
                ("coordinates used", str(self.n_coordinates_)),
            ]
        return facts

    def __sklearn_tags__(self) -> Tags:
        return network_tags(super().__sklearn_tags__(), self.embedding)


def _warn_of_unreached(reached: Flags, names: Names, kind: str) -> None:
    if not reached.all():
        warn(
            f"{counted(~reached, names, f'{kind} ')} have no path to a labelled vertex; they get the shares of "
            "the classes among the known labels. The column reaches_label of tables of vertices says which.",
            IsolatedVertexWarning,
        )


def select(
    features: VertexFeatures,
    labels: Values,
    labelled: Integers,
    classifier: BaseEstimator | None,
    rng: np.random.Generator,
    *,
    choose: bool,
) -> tuple[int, BaseEstimator, Integers, Array | None]:
    """Choose features and the penalty of the default classifier by cross-validation, one after the other.

    The numbers of columns to choose from are 2, 4, 8, ... and all, and 0 if there are other features: the columns
    of one decomposition are nested. The score is the mean log-likelihood of held-out labels, or the accuracy if
    the classifier has no probabilities.

    Parameters
    ----------
    features : VertexFeatures
        Features of the n known vertices.
    labels : ndarray of shape (n,)
        Their labels.
    labelled : ndarray of int
        The vertices with labels.
    classifier : estimator or None
        The classifier; None means logistic regression on scaled features, whose penalty is chosen.
    rng : Generator
        Divides the labelled vertices into folds.
    choose : bool
        Whether to choose features; otherwise all are used.

    Returns
    -------
    n_columns : int
        Number of leading columns of the embedding.
    classifier : estimator
        The unfitted classifier.
    sample : ndarray of int
        The labelled vertices of the cross-validation.
    held_out : ndarray of shape (len(sample), n_classes) or None
        Their class probabilities when their labels are held out, in columns of their sorted labels, by the default
        classifier; 0 in the column of a class that the training folds lack. None for another classifier, and if
        there are too few labels.
    """
    sample, folds = _folds(labels, labelled, rng)
    y = labels[sample]
    classes = np.unique(y)
    probable = classifier is None or hasattr(classifier, "predict_proba")
    # Labelled vertices may be few, so that scales are taken from vertices with and without labels.
    reference = np.sort(rng.permutation(len(labels))[:_REFERENCE])

    def scaler(n_columns: int) -> StandardScaler:
        return StandardScaler().set_output(transform="default").fit(features.rows(reference, n_columns))

    @cache
    def rows(n_columns: int) -> NDArray[np.floating]:
        X = features.rows(sample, n_columns)
        # Half the time; the coarse tolerance is a thousand times the rounding errors of single precision.
        return X if classifier is not None else scaler(n_columns).transform(X).astype(np.float32)

    @cache
    def held_out(candidate: Candidate) -> Array:
        """Return class probabilities without the own labels; without any, 1 for the predicted class."""
        n_columns, penalty = candidate
        tell(log, "cross-validation of a classifier of %d coordinates, penalty %g", n_columns, 1 / penalty)
        X, result = rows(n_columns), np.zeros((len(y), len(classes)))
        for train, test in folds:
            model = clone(_logistic(penalty, _COARSE) if classifier is None else classifier)
            # BLAS may report invalid values in products of finite numbers of single precision: it computes on what
            # is beside them.
            with np.errstate(invalid="ignore"):
                model.fit(X[train], y[train])
                if probable:
                    columns = np.searchsorted(classes, model.classes_)
                    result[np.ix_(test, columns)] = model.predict_proba(X[test])
                else:
                    result[test, np.searchsorted(classes, model.predict(X[test]))] = 1.0
        return result

    def score(candidate: Candidate) -> float:
        """Return the mean log-likelihood of held-out labels, or the accuracy without probabilities."""
        likelihood = held_out(candidate)[np.arange(len(y)), np.searchsorted(classes, y)]
        return float((np.log(np.maximum(likelihood, _UNSEEN)) if probable else likelihood).mean())

    def best(candidates: Sequence[Candidate]) -> Candidate:
        """Return the candidate of largest score; the first of equal ones."""
        # A classifier of the user may not be made for several threads.
        threads, ends = None if classifier is None else 1, range(len(candidates) + 1)
        in_threads(lambda low, high: [*map(held_out, candidates[low:high])], ends, threads)
        return max(candidates, key=score)

    most, C = features.n_columns, 0.1
    with warnings.catch_warnings():
        # A candidate that does not converge has a poor score.
        warnings.simplefilter("ignore", ConvergenceWarning)
        if choose and folds:
            numbers = {min(2**k, most) for k in range(1, most.bit_length() + 1)}
            if features.degrees is not None or features.labels is not None:
                numbers.add(0)
            most, C = best([(n_columns, C) for n_columns in sorted(numbers)])
        if classifier is None and folds:
            most, C = best([(most, penalty) for penalty in _PENALTIES])
    if classifier is not None:
        return most, classifier, sample, None
    steps = [("scale", FrozenEstimator(scaler(most))), ("logistic", _logistic(C, _FINE))]
    return most, Pipeline(steps), sample, held_out((most, C)) if folds else None


def _logistic(C: float, tol: float) -> LogisticRegression:
    return LogisticRegression(C=C, tol=tol, max_iter=1000)


def _folds(
    labels: Values, labelled: Integers, rng: np.random.Generator
) -> tuple[Integers, list[tuple[Integers, Integers]]]:
    """Return at most `_MOST_SAMPLED` labelled vertices, and stratified folds of them.

    There are no folds if one would leave a single class to train on.
    """
    sample = rng.permutation(labelled)[:_MOST_SAMPLED]
    sample = sample[np.argsort(labels[sample], kind="stable")]
    fold = np.arange(len(sample)) % _FOLDS
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(min(_FOLDS, len(sample)))]
    trainable = all(len(np.unique(labels[sample[train]])) > 1 for train, _ in folds)
    return sample, folds if trainable else []
