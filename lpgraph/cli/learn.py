"""``lpgraph classify``, ``lpgraph cluster`` and ``lpgraph dimension``: inference from an embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli._groups import Learning, Reading
from lpgraph.cli._inputs import embedding_of, is_model, load_model, vertex_labels
from lpgraph.cli._options import Clusters, Column, Graph, GraphOrModel, Json, Output, Save, Unknown
from lpgraph.cli._outputs import check_outputs, columns, finish, print_facts
from lpgraph.cli._progress import bar, computing
from lpgraph.cli._values import as_range
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    pass

__all__ = ["classify", "cluster", "dimension"]

Model = TypeVar("Model")

Probabilities = Annotated[
    bool, Option("--probabilities", help="Add a column with the probability of each class or cluster.")
]


def classify(
    graph: GraphOrModel,
    labels: Annotated[
        str, Argument(metavar="LABELS|NEW", help="Table of known labels; after a model, edges of new vertices.")
    ],
    new: Annotated[str | None, Argument(metavar="NEW", help="Edges between new vertices and known ones.")] = None,
    output: Output = "-",
    save: Save = None,
    classifier: Annotated[str, Option("--classifier", metavar="NAME", help="logistic, lda or knn.")] = "logistic",
    features: Annotated[
        str,
        Option(
            "--features",
            metavar="NAMES",
            help="What the classifier sees, separated by commas: unit_rows or positions, degrees, "
            "neighbor_labels.",
        ),
    ] = "unit_rows,degrees,neighbor_labels",
    probabilities: Probabilities = False,
    column: Column = None,
    unknown: Unknown = "error",
    *,
    fitting: Learning,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Predict labels of new or unlabelled vertices.

    A classifier is learnt from the labelled vertices: from positions, degrees and the labels of neighbors. With
    NEW it predicts the labels of the new vertices in that file, else of the unlabelled vertices of the graph. A
    number as --dimension is used as it is; otherwise cross-validation chooses how many coordinates are used.

    Example:
      lpgraph classify edges.csv labels.csv new.csv -o predictions.csv
      lpgraph classify edges.csv labels.csv --save model.lpg -o unlabelled.csv
      lpgraph classify edges.csv labels.csv -d 3 --method adjacency --features positions --classifier lda
      lpgraph classify model.lpg new.csv
    """
    check_outputs(table=output, model=save, inputs=[graph, labels, new])
    if new is not None and new == labels != "-":
        raise ArgumentError(f"{labels} is given as the labels and as the new vertices; pass two files.")
    facts: dict[str, object] = {"model": graph}
    if is_model(graph):
        model = _saved("classify", graph, lp.VertexClassifier, alone=new is None and save is None)
        new = labels
    else:
        network = reading.read(graph)
        known = vertex_labels(labels, network, column, unknown, reading.max_bytes)
        model = lp.VertexClassifier(
            fitting.embedding(),
            _classifier(classifier),
            features=tuple(features.split(",")),
            select_features=not (fitting.dimension or "").isdecimal(),
        )
        with computing(f"Embedding {network.n_vertices} vertices"):
            model.fit(network, known)
        if save is not None:
            lp.save(model, save)
        facts = {"vertices": network.n_vertices, "labels_known": len(known)}
    if new is not None:
        vertices = reading.read_new(new, embedding_of(model, graph))
        names, predicted = list(vertices.names), model.predict(vertices)
    else:
        unlabelled = [i for i, name in enumerate(network.names) if name not in known]
        names, predicted = [network.names[i] for i in unlabelled], model.transduction_[unlabelled]
    table = {"vertex": names, "label": predicted}
    if probabilities:
        shares = model.label_distributions_[unlabelled] if new is None else model.predict_proba(vertices)
        table |= columns([f"p_{label}" for label in model.classes_.tolist()], shares)
    facts |= {"dimension": model.n_coordinates_, "classes": model.classes_, "predicted": len(names)}
    finish(facts, table, output, as_json)


def _saved(command: str, path: str, kind: type[Model], *, alone: bool) -> Model:
    """Return the classifier or clustering in a file, which takes no options of fitting (`alone`)."""
    if not alone:
        raise ArgumentError(f"{path} is fitted already; pass the model and the new vertices: {command} MODEL NEW.")
    model = load_model(path)
    if not isinstance(model, kind):
        raise ArgumentError(
            f"{path} holds a {type(model).__name__}; save another model: lpgraph {command} --save."
        )
    return model


def _classifier(name: str) -> object:
    if name == "logistic":
        return None
    if name == "lda":
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis()
    if name == "knn":
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier()
    raise ArgumentError(f"--classifier={name}; pass logistic, lda or knn.")


def cluster(
    graph: GraphOrModel,
    new: Annotated[str | None, Argument(metavar="NEW", help="After a model: edges of new vertices.")] = None,
    output: Output = "-",
    save: Save = None,
    clusters: Clusters = None,
    by: Annotated[str, Option("--by", metavar="NAME", help="directions or gaussian (mixtures).")] = "directions",
    probabilities: Probabilities = False,
    *,
    fitting: Learning,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Cluster the vertices of a graph, or assign new ones.

    Clusters are vertices in similar directions from the origin, as many as describe the graph best; or those of a
    Gaussian mixture of the positions, as many as BIC chooses. After a saved model, the vertices of NEW are
    assigned to its clusters.

    Example:
      lpgraph cluster graph.csv -k 2-10 --save clusters.lpg -o clusters.csv
      lpgraph cluster clusters.lpg new.csv
    """
    check_outputs(table=output, model=save, inputs=[graph, new])
    if is_model(graph):
        model = _saved(
            "cluster", graph, lp.VertexClustering, alone=save is None and clusters is None and new is not None
        )
        vertices = reading.read_new(str(new), embedding_of(model, graph))
        names, found = list(vertices.names), model.predict(vertices)
    elif new is not None:
        raise ArgumentError(f"{graph} is no model; fit one first: lpgraph cluster {graph} --save clusters.lpg.")
    else:
        network = reading.read(graph)
        numbers = None if clusters == "auto" else as_range("--clusters", clusters)
        model = lp.VertexClustering(fitting.embedding(), numbers, method=by)
        with computing(f"Clustering {network.n_vertices} vertices"):
            model.fit(network)
        if save is not None:
            lp.save(model, save)
        names, found = list(network.names), model.labels_
    table = {"vertex": names, "cluster": found}
    if probabilities:
        shares = model.cluster_distributions_ if new is None else model.predict_proba(vertices)
        table |= columns([f"p_{k}" for k in range(model.n_clusters_)], shares)
    facts = {
        "vertices": len(names),
        "dimension": model.n_coordinates_,
        "clusters": model.n_clusters_,
        "sizes": [int((found == k).sum()) for k in range(model.n_clusters_)],
    }
    finish(facts, table, output, as_json)


def dimension(
    graph: Graph,
    cross_validation: Annotated[
        bool,
        Option("--cross-validation", help="Cross-validate: predict edges that are held out."),
    ] = False,
    most: Annotated[
        int | None, Option("--max", metavar="D", help="Largest number to cross-validate; by default 20.")
    ] = None,
    folds: Annotated[int, Option("--folds", metavar="K", help="Parts of the cross-validation.")] = 10,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Estimate how many dimensions an embedding should have.

    The dimension is that of cross-validated eigenvalues (Chen, Roch, Rohe & Yu 2021), by which embeddings choose
    theirs. The elbows of the scree are those of the profile likelihood (Zhu & Ghodsi 2006); cross-validation is
    that of edges (Li, Levina & Zhu 2020).

    Example:
      lpgraph dimension graph.csv
      lpgraph dimension graph.csv --cross-validation --max 12
    """
    from lpgraph.infer.dimension import cross_validate, elbows

    if not cross_validation and (most is not None or folds != 10):
        raise ArgumentError("--max and --folds belong to --cross-validation; pass that too.")
    network = reading.read(graph)
    with computing(f"Finding the scree of {network.n_vertices} vertices"):
        significant = lp.AdjacencySpectralEmbedding("eigenvalue_cv").fit(network)
        scree = lp.AdjacencySpectralEmbedding("elbow").fit(network).scree_
    facts: dict[str, object] = {"eigenvalue_cv": significant.embedding_.shape[1]}
    if significant.dimension_choice_ is not None:
        facts |= {"at_cap": significant.dimension_choice_.at_cap, "z": significant.dimension_choice_.z}
    facts |= {"elbows": elbows(scree, 3) if len(scree) > 1 else [1], "scree": scree}
    if cross_validation:
        with bar("Cross-validating") as progress:
            found = cross_validate(network, most, folds=folds, progress=progress)
        facts |= {
            "cross_validation": found.smallest_good,
            "least_loss_at": found.best,
            "loss": found.mean,
            "standard_error": found.standard_error,
        }
    print_facts(facts, as_json)
