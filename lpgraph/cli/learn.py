"""``lpgraph classify``, ``lpgraph cluster`` and ``lpgraph dimension``: what is learnt from an embedding."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lpgraph.cli._groups import Fitting, Reading
from lpgraph.cli._options import Clusters, Column, Graph, GraphOrModel, Json, Output, Save

__all__ = ["classify", "cluster", "dimension"]

Probabilities = Annotated[
    bool, typer.Option("--probabilities", help="Add a column with the probability of each class or cluster.")
]


def classify(
    graph: GraphOrModel,
    labels: Annotated[
        str, typer.Argument(metavar="LABELS|ARRIVALS", help="Table of known labels; after a model, the arrivals.")
    ],
    arrivals: Annotated[
        str | None, typer.Argument(metavar="ARRIVALS", help="Edges between new vertices and known ones.")
    ] = None,
    output: Output = "-",
    save: Save = None,
    classifier: Annotated[str, typer.Option("--classifier", metavar="NAME", help="lda, knn or logistic.")] = "lda",
    probabilities: Probabilities = False,
    column: Column = None,
    *,
    fitting: Fitting,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Predict labels of new or unlabelled vertices.

    A classifier is learnt from the labelled vertices. With ARRIVALS it predicts the labels of the new vertices in
    it, else of the unlabelled vertices of the graph.

    Example:
      lpgraph classify edges.csv labels.csv new.csv -o predictions.csv
      lpgraph classify edges.csv labels.csv --save model.lpg -o unlabelled.csv
      lpgraph classify model.lpg new.csv
    """
    import numpy as np

    from lpgraph.cli._inputs import embedding_of, is_model, load_model, read_arrivals, save_model
    from lpgraph.cli._outputs import check_outputs, finish
    from lpgraph.errors import ArgumentError

    check_outputs(table=output, model=save, inputs=[graph, labels, arrivals])
    if arrivals is not None and arrivals == labels != "-":
        raise ArgumentError(f"{labels} is given as the labels and as the arrivals; pass two files.")
    facts: dict[str, Any]
    new: Any = None
    if is_model(graph):
        if arrivals is not None or save is not None:
            raise ArgumentError(
                f"{graph} is fitted already; pass the model and the arrivals: classify MODEL ARRIVALS."
            )
        model = load_model(graph)
        if not hasattr(model, "classifier_"):
            raise ArgumentError(
                f"{graph} holds a {type(model).__name__}; save a classifier: lpgraph classify --save."
            )
        new = read_arrivals(labels, embedding_of(model, graph), **reading.options)
        facts = {"model": graph}
    else:
        model, known = _fit_classifier(graph, labels, classifier, column, fitting, reading)
        if save is not None:
            save_model(model, save)
        if arrivals is not None:
            new = read_arrivals(arrivals, embedding_of(model, graph), **reading.options)
        facts = {"vertices": len(model.vertex_names_), "labels_known": int(known.sum())}
    if new is None:
        names = [name for name, seen in zip(model.vertex_names_, known, strict=True) if not seen]
        predicted = model.transduction_[~known]
        positions = model.embedding_[~known]
    else:
        embedding = embedding_of(model, graph)
        vertices = embedding.read_new(new)
        names, positions = list(vertices.names), embedding.transform(vertices)
        predicted = np.asarray(model.classifier_.predict(positions)) if names else model.classes_[:0]
    table: dict[str, Any] = {"vertex": names, "label": predicted}
    if probabilities:
        shares = model.classifier_.predict_proba(positions) if names else np.empty((0, len(model.classes_)))
        table |= {f"p_{label}": shares[:, k] for k, label in enumerate(model.classes_.tolist())}
    facts |= {"dimension": positions.shape[1], "classes": model.classes_, "predicted": len(names)}
    finish(facts, table, output, as_json)


def _fit_classifier(
    graph: str,
    labels: str,
    classifier: str,
    column: str | None,
    fitting: Fitting,
    reading: Reading,
) -> tuple[Any, Any]:
    """Return the fitted classifier, and which vertices have a known label."""
    import numpy as np

    import lpgraph as lp
    from lpgraph.cli._inputs import vertex_labels
    from lpgraph.cli._progress import computing

    network = reading.read(graph)
    known = vertex_labels(labels, network, column)
    model = lp.VertexClassifier(fitting.embedding(network), _classifier(classifier))
    with computing(f"Embedding {network.n_vertices} vertices"):
        model.fit(network, known)
    return model, np.array([name in known for name in network.names])


def _classifier(name: str) -> Any:
    from lpgraph.errors import ArgumentError

    if name == "lda":
        return None
    if name == "knn":
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier()
    if name == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        # Scaled, so that the penalty does not depend on how dense the network is.
        return make_pipeline(StandardScaler(), LogisticRegression())
    raise ArgumentError(f"--classifier={name}; pass lda, knn or logistic.")


def cluster(
    graph: GraphOrModel,
    arrivals: Annotated[
        str | None, typer.Argument(metavar="ARRIVALS", help="After a model: edges of new vertices.")
    ] = None,
    output: Output = "-",
    save: Save = None,
    clusters: Clusters = None,
    probabilities: Probabilities = False,
    *,
    fitting: Fitting,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Cluster the vertices of a graph, or assign new ones.

    Clusters are those of a Gaussian mixture of the positions; BIC chooses how many. After a saved model, the new
    vertices of ARRIVALS are put into its clusters.

    Example:
      lpgraph cluster graph.csv -k 2-10 --save clusters.lpg -o clusters.csv
      lpgraph cluster clusters.lpg arrivals.csv
    """
    import lpgraph as lp
    from lpgraph.cli._inputs import (
        embedding_of,
        is_model,
        load_model,
        read_arrivals,
        save_model,
    )
    from lpgraph.cli._outputs import check_outputs, finish
    from lpgraph.cli._progress import computing
    from lpgraph.cli._values import as_range
    from lpgraph.errors import ArgumentError

    check_outputs(table=output, model=save, inputs=[graph, arrivals])
    if is_model(graph):
        if arrivals is None or save is not None or clusters is not None:
            raise ArgumentError(
                f"{graph} is fitted already; pass the model and the arrivals: cluster MODEL ARRIVALS."
            )
        model = load_model(graph)
        if not hasattr(model, "mixture_"):
            raise ArgumentError(
                f"{graph} holds a {type(model).__name__}; save a clustering: lpgraph cluster --save."
            )
        embedding = embedding_of(model, graph)
        new = read_arrivals(arrivals, embedding, **reading.options)
        vertices = embedding.read_new(new)
        names, positions = list(vertices.names), embedding.transform(vertices)
    else:
        if arrivals is not None:
            raise ArgumentError(
                f"{graph} is no model; fit one first: lpgraph cluster {graph} --save clusters.lpg."
            )
        network = reading.read(graph)
        numbers = as_range("--clusters", clusters)
        model = lp.VertexClustering(fitting.embedding(network), numbers)
        with computing(f"Clustering {network.n_vertices} vertices"):
            model.fit(network)
        if save is not None:
            save_model(model, save)
        names, positions = list(network.names), model.embedding_
    found = model.mixture_.predict(positions)
    table: dict[str, Any] = {"vertex": names, "cluster": found}
    if probabilities:
        shares = model.mixture_.predict_proba(positions)
        table |= {f"p_{k}": shares[:, k] for k in range(model.n_clusters_)}
    facts = {
        "vertices": len(names),
        "dimension": positions.shape[1],
        "clusters": model.n_clusters_,
        "covariance": model.covariance_,
        "sizes": [int((found == k).sum()) for k in range(model.n_clusters_)],
    }
    finish(facts, table, output, as_json)


def dimension(
    graph: Graph,
    cross_validation: Annotated[
        bool,
        typer.Option("--cross-validation", help="Hold out edges too, and see how well the others foretell them."),
    ] = False,
    most: Annotated[
        int | None, typer.Option("--max", metavar="D", help="Largest number to cross-validate; by default 20.")
    ] = None,
    folds: Annotated[int, typer.Option("--folds", metavar="K", help="Parts of the cross-validation.")] = 10,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Say how many dimensions an embedding should have.

    The elbows of the scree are those of the profile likelihood (Zhu & Ghodsi 2006); cross-validation is that of
    edges (Li, Levina & Zhu 2020).

    Example:
      lpgraph dimension graph.csv
      lpgraph dimension graph.csv --cross-validation --max 12
    """
    import lpgraph as lp
    from lpgraph.cli._outputs import print_facts
    from lpgraph.cli._progress import bar, computing
    from lpgraph.errors import ArgumentError
    from lpgraph.infer.dimension import cross_validate, elbows

    if not cross_validation and (most is not None or folds != 10):
        raise ArgumentError("--max and --folds belong to --cross-validation; pass that too.")
    network = reading.read(graph)
    with computing(f"Finding the scree of {network.n_vertices} vertices"):
        embedding = lp.AdjacencySpectralEmbedding().fit(network)
    scree = embedding.scree_
    facts: dict[str, Any] = {"elbows": elbows(scree, 3) if len(scree) > 1 else [1], "scree": scree}
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
