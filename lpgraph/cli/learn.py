"""``lpgraph classify`` and ``lpgraph cluster``: labels and clusters of vertices."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypeVar

from typer import Argument, Option

import lpgraph as lp
from lpgraph._warnings import warn
from lpgraph.cli import _choices as choices
from lpgraph.cli._errors import CommandError
from lpgraph.cli._groups import Learning
from lpgraph.cli._inputs import embedding_of, is_model, load_model, of_vertices
from lpgraph.cli._labels import table_of_labels
from lpgraph.cli._new_details import NewDetails
from lpgraph.cli._options import Clusters, Column, GraphOrModel, Json, Output, Save, Unknown, Unobserved
from lpgraph.cli._outputs import check_outputs, finish, joined
from lpgraph.cli._progress import computing
from lpgraph.cli._reading import Reading
from lpgraph.cli._roles import check_model_first, check_no_classes, errors_alone
from lpgraph.cli._values import as_range
from lpgraph.cli._words import Sets
from lpgraph.errors import ArgumentError, LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from lpgraph.embed.prediction import Prediction
    from lpgraph.graph.files.labels import LabelTable
    from lpgraph.infer.classify import VertexClassifier

__all__ = ["classify", "cluster"]

Model = TypeVar("Model")

_FEATURES = "unit_rows,degrees,neighbor_labels"

Probabilities = Annotated[
    bool, Option("--probabilities", help="Add a column with the probability of each class or cluster.")
]
Known = Annotated[
    bool,
    Option(
        "--known",
        help="With NEW: also write the vertices of the graph, of classify those without a label, before the new "
        "ones.",
    ),
]
LabelsOrNew = Annotated[
    str,
    Argument(
        metavar="LABELS|NEW",
        help="Table or vertex attribute of known labels; after a model, edges of new vertices.",
    ),
    Sets("y"),
]
AmongNew = Annotated[
    bool | None,
    Option(
        "--among-new/--no-among-new",
        help="Whether labels also spread over the edges among new vertices; by default they do.",
    ),
]


def classify(
    graph: GraphOrModel,
    labels: LabelsOrNew,
    new: Annotated[str | None, Argument(metavar="NEW", help="Edges between new vertices and known ones.")] = None,
    output: Output = "-",
    save: Save = None,
    classifier: Annotated[
        str,
        Option(
            "--classifier",
            metavar="NAME",
            help=f"{choices.CLASSIFIERS}.",
            autocompletion=choices.CLASSIFIERS.complete,
        ),
    ] = "logistic",
    features: Annotated[
        str,
        Option(
            "--features",
            metavar="NAMES",
            help="What the classifier sees, separated by commas: unit_rows or positions, degrees, "
            "neighbor_labels.",
            autocompletion=choices.FEATURES.complete,
        ),
    ] = _FEATURES,
    among_new: AmongNew = None,
    known: Known = False,
    unobserved: Unobserved = None,
    probabilities: Probabilities = False,
    column: Column = None,
    unknown: Unknown = "warn",
    *,
    fitting: Learning,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Predict labels of new or unlabelled vertices.

    A classifier is learnt from the labelled vertices: from positions, degrees and the labels of neighbors. With
    NEW it predicts the labels of the new vertices in that file, else of the unlabelled vertices of the graph, and
    of vertices in LABELS that have neither a label nor an edge; with --known of all of them. A number as
    --dimension is used as it is; otherwise cross-validation chooses how many coordinates are used.

    The table has the name of each vertex, its label, the probability of that label, whether the vertex has an edge
    to a known vertex, the number of its labelled neighbors, and whether a path of edges joins it to a labelled
    vertex. If none does, it gets the most frequent label, whose share is its probability. Probabilities have six
    significant digits. If LABELS has labels of vertices of NEW, they are in one more column, given_label.

    GRAPH may be an edge store, a folder that lpgraph store build made.

    Example:
      lpgraph classify edges.csv labels.csv new.csv -o predictions.csv
      lpgraph classify edges.csv labels.csv new.csv --known -o both.csv
      lpgraph classify edges.csv labels.csv --save model.lpg -o unlabelled.csv
      lpgraph classify graph.graphml club -o unlabelled.csv
      lpgraph classify edges.csv labels.csv -d 3 --method adjacency --features positions --classifier lda
      lpgraph classify model.lpg new.csv
    """
    read = labels if is_model(graph) else table_of_labels(labels)
    check_outputs(table=output, model=save, inputs=[graph, read, new, unobserved])
    details = NewDetails(fitting.covariates, unobserved)
    check_model_first("classify", graph, labels)
    _check_distinct(graph, labels, new)
    if is_model(graph):
        own = new, save, classifier, features, column, unknown
        chosen = own != (None, None, "logistic", _FEATURES, None, "warn")
        model = _saved("classify", graph, lp.VertexClassifier, fits=chosen or fitting.chosen or reading.chosen)
        if among_new is not None:
            model.set_params(among_new=among_new)
        parts = _of_unlabelled(model, []) if known else []
        parts.append(_of_new(model, labels, reading, graph, details))
        facts: dict[str, object] = {"model": graph}
    else:
        _check_of_new(known, unobserved, new)
        order = "lpgraph classify {} {}" if new is None else "lpgraph classify {} {} {}"
        with errors_alone():
            whole, added = reading.read_lists(order, graph, labels, new)
            table = reading.read_labelled(order, whole, labels, added, column, unknown)
        network = reading.part(whole.graph)
        given = of_vertices(table.labels, network)
        model = _unfitted(fitting, classifier, features, among_new)
        with computing(f"Embedding {network.n_vertices} vertices"), _about_labels(labels, graph):
            model.fit(network, given)
        if save is not None:
            lp.save(model, save)
        parts = []
        if new is not None:
            found = model._predict(reading.new_of(added, embedding_of(model, graph), details))
            parts.append(_with_given(found, table.labels | table.others, labels, graph))
        if new is None or known:
            parts = [*_of_unlabelled(model, _isolated(table, parts)), *parts]
        facts = {"vertices": network.n_vertices, "labels_known": len(given)}
    predicted = sum(len(part.names) for part in parts)
    if new is None and save is None and not predicted:
        _warn_of_nothing(graph, labels)
    facts |= {"dimension": model.n_coordinates_, "classes": model.classes_, "predicted": predicted}
    finish(facts, joined([_table(part, probabilities) for part in parts]), output, as_json)


def _table(found: Prediction, probabilities: bool) -> dict[str, object]:
    """Return the columns of a prediction, with probabilities of six significant digits."""
    return {
        title: [float(f"{share:.6g}") for share in values] if title.startswith(("probability", "p_")) else values
        for title, values in found.columns(all_shares=probabilities).items()
    }


@contextmanager
def _about_labels(labels: str, graph: str) -> Iterator[None]:
    """Name the file, or the vertex attribute of the graph, in the errors of a block about labels."""
    try:
        yield
    except ArgumentError as error:
        what = f"The vertex attribute {labels} of {graph}" if table_of_labels(labels) is None else labels
        error.args = (re.sub("^y(?= has )", lambda _: what, str(error)),)
        raise


def _check_of_new(known: bool, unobserved: str | None, new: str | None) -> None:
    """Refuse options of new vertices without these."""
    if new is not None:
        return
    if known:
        raise CommandError("--known is for NEW, and the vertices of the graph are written without; leave it out.")
    if unobserved is not None:
        raise CommandError(
            f"--unobserved={unobserved} has pairs of new vertices, and there are none; pass NEW, or leave it out."
        )


def _check_distinct(graph: str, labels: str, new: str | None) -> None:
    """Refuse one file in two places; standard input is told when it is read again."""
    for role, other in (("graph", graph), ("new vertices", new)):
        if other == labels != "-":
            raise CommandError(f"{labels} is given as the labels and as the {role}; pass two files.")


def _of_new(model: VertexClassifier, new: str, reading: Reading, path: str, details: NewDetails) -> Prediction:
    """Return the predictions of a saved classifier for the new vertices in a file."""
    embedding = embedding_of(model, path)
    added = reading.listed_new(new, bool(embedding.directed_))
    if added is not None:
        check_no_classes(added, path, model.classes_, set(map(str, embedding.vertex_index_)))
    return model._predict(reading.new_of(added, embedding, details))


def _with_given(found: Prediction, known: Mapping[Hashable, Hashable], labels: str, graph: str) -> Prediction:
    """Return the predictions with a column of given labels, and a warning, if new vertices have some."""
    import numpy as np

    from lpgraph.graph.names import name_at

    by_text = {str(name): label for name, label in known.items()}
    given = np.array([by_text.get(str(name)) for name in found.names], dtype=object)
    rows = [i for i, label in enumerate(given) if label is not None]
    if not rows:
        return found
    differ = sum(str(given[i]) != str(found.predicted[i]) for i in rows)
    warn(
        f"{len(rows)} of the new vertices, such as {name_at(found.names, rows[0])!r}, have a label in {labels}, "
        f"which is not learnt from, because they are not in {graph}. It is in the column given_label, and "
        f"{differ} of the predictions differ from it. Add their edges to {graph} to use it.",
        LpgraphWarning,
    )
    return replace(found, evidence={**found.evidence, "given_label": given})


def _isolated(table: LabelTable, parts: Sequence[Prediction]) -> list[str]:
    """Return the vertices of a table that have neither a label nor an edge, and no prediction yet."""
    placed = {str(name) for part in parts for name in part.names}
    return [name for name in table.strangers if name not in placed]


def _of_unlabelled(model: VertexClassifier, isolated: Sequence[Hashable]) -> list[Prediction]:
    """Return the predictions for the vertices of the graph without labels, and for those without edges."""
    import numpy as np
    from scipy import sparse

    from lpgraph.graph.names import as_names
    from lpgraph.graph.new_edges import NewEdges

    found = model._predict_known()
    unlabelled = np.flatnonzero(~found.evidence["label_given"])
    # These two columns are about vertices with labels.
    about = {"label_given", "predicted_label"}
    found = replace(
        found, evidence={title: found.evidence[title] for title in found.evidence if title not in about}
    )
    parts = [found.take(unlabelled)]
    if isolated:
        none = sparse.csr_array((len(isolated), len(found.names)))
        vertices = NewEdges(none, as_names(isolated), none if model.directed_ else None)
        embedding = model.fitted_embedding_
        if isinstance(embedding, lp.CovariateAssistedEmbedding):
            vertices = embedding.read_new(vertices, covariates=embedding.covariates)
        parts.append(model._predict(model.read_new(vertices)))
    return parts


def _warn_of_nothing(graph: str, labels: str) -> None:
    """Warn that there is nothing to predict."""
    warn(
        f"Every vertex of {graph} has a label in {labels}, so that there is nothing to predict. Pass edges of new "
        "vertices as NEW, or leave some labels empty.",
        LpgraphWarning,
    )


def _saved(command: str, path: str, kind: type[Model], *, fits: bool) -> Model:
    """Return the classifier or clustering in a file; `fits` is whether an option is for fitting one."""
    if fits:
        raise CommandError(
            f"{path} is fitted already; pass the model and the new vertices, without options of a fit: "
            f"{command} MODEL NEW."
        )
    model = load_model(path)
    if not isinstance(model, kind):
        held = type(model).__name__
        raise CommandError(f"{path} holds a model of class {held}; save one by lpgraph {command} --save.")
    return model


def _unfitted(fitting: Learning, classifier: str, features: str, among_new: bool | None) -> VertexClassifier:
    """Return the classifier that the options describe."""
    return lp.VertexClassifier(
        fitting.embedding(),
        _classifier(classifier),
        features=tuple(features.split(",")),
        select_features=not (fitting.dimension or "").isdecimal(),
        among_new=among_new is not False,
    )


def _classifier(name: str) -> object:
    if choices.CLASSIFIERS.check("--classifier", name) == "logistic":
        return None
    if name == "lda":
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis()
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier()


def cluster(
    graph: GraphOrModel,
    new: Annotated[str | None, Argument(metavar="NEW", help="After a model: edges of new vertices.")] = None,
    output: Output = "-",
    save: Save = None,
    clusters: Clusters = None,
    by: Annotated[
        str,
        Option(
            "--by",
            metavar="NAME",
            help="directions or gaussian (mixtures).",
            autocompletion=choices.CLUSTERINGS.complete,
        ),
        Sets("method"),
    ] = "directions",
    known: Known = False,
    unobserved: Unobserved = None,
    probabilities: Probabilities = False,
    *,
    fitting: Learning,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Cluster the vertices of a graph, or assign new ones.

    Clusters are vertices in similar directions from the origin, as many as describe the graph best; or those of a
    Gaussian mixture of the positions, as many as BIC chooses. After a saved model, the vertices of NEW are
    assigned to its clusters. The table has the name of each vertex, its cluster, the probability of that cluster,
    whether the vertex has an edge to a known vertex, and whether its position is not the origin. At the origin the
    embedding says nothing about it, and the probability is the share of the cluster: see --largest-component.
    Otherwise it is the one given the vertex's edges and the clusters of the others; with --by gaussian, given
    its position.

    GRAPH may be an edge store, a folder that lpgraph store build made.

    Example:
      lpgraph cluster graph.csv -k 2-10 --save clusters.lpg -o clusters.csv
      lpgraph cluster clusters.lpg new.csv --known -o both.csv
    """
    import numpy as np

    check_outputs(table=output, model=save, inputs=[graph, new, unobserved])
    check_model_first("cluster", graph, new)
    _check_of_new(known, unobserved, new)
    if is_model(graph):
        chosen = (save, clusters, by) != (None, None, "directions") or new is None
        model = _saved("cluster", graph, lp.VertexClustering, fits=chosen or fitting.chosen or reading.chosen)
        details = NewDetails(fitting.covariates, unobserved)
        added = model._predict(reading.read_new(str(new), embedding_of(model, graph), details))
        parts = [model._predict_known(), added] if known else [added]
    elif new is not None:
        raise CommandError(f"{graph} is no model; fit one first: lpgraph cluster {graph} --save clusters.lpg.")
    else:
        network = reading.read(graph)
        numbers = None if clusters == "auto" else as_range("--clusters", clusters)
        model = lp.VertexClustering(fitting.embedding(), numbers, method=by)
        with computing(f"Clustering {network.n_vertices} vertices"):
            model.fit(network)
        if save is not None:
            lp.save(model, save)
        parts = [model._predict_known()]
    found = np.concatenate([part.predicted for part in parts])
    facts = {
        "vertices": len(found),
        "dimension": model.n_coordinates_,
        "clusters": model.n_clusters_,
        "sizes": [int((found == k).sum()) for k in range(model.n_clusters_)],
    }
    finish(facts, joined([_table(part, probabilities) for part in parts]), output, as_json)
