"""``lpgraph classify`` and ``lpgraph cluster``: labels and clusters of vertices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument

import lpgraph as lp
from lpgraph.errors import ArgumentError

from . import inputs, options
from .inputs import Labelling, Reading, embedding_of, is_model
from .methods import Learning
from .outputs import Result, check_files, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from lpgraph._utils.checks import Foreign
    from lpgraph.embed.vertex_results import Prediction
    from lpgraph.infer.classify import VertexClassifier


@dataclass(frozen=True)
class Predicting:
    """Which predictions are written.

    Attributes
    ----------
    known
        Also write the vertices of the graph, before those of NEW; of classify, label_given says which had a label.
    unobserved : FILE
        List of the pairs of new and known vertices that were not observed.
    probabilities
        Add a column with the probability of each class or cluster.
    """

    known: bool = False
    unobserved: str | None = None
    probabilities: bool = False

    def check(self, new: str | None) -> None:
        """Refuse options of new vertices without these."""
        if new is None and self.unobserved is not None:
            raise ArgumentError("unobserved is for new vertices; pass NEW, or leave it out.")

    def table(self, parts: Sequence[Prediction]) -> pd.DataFrame:
        """Return predictions as one table."""
        import pandas as pd

        return pd.concat([pd.DataFrame(part.columns(all_shares=self.probabilities)) for part in parts])


def classify(
    graph: options.GraphOrModel,
    labels: Annotated[
        str,
        Argument(
            metavar="LABELS|NEW",
            help="Table or vertex attribute of known labels; after a model, edges of new vertices.",
        ),
    ],
    new: Annotated[str | None, Argument(metavar="NEW", help="Edges between new vertices and known ones.")] = None,
    save: options.Save = None,
    *,
    labelling: Labelling,
    predicting: Predicting,
    fitting: Learning,
    reading: Reading,
    result: Result,
) -> None:
    """Predict labels of new or unlabelled vertices.

    A classifier is learnt from the labelled vertices: from positions, degrees and the labels of neighbors. With
    NEW it predicts the labels of the new vertices in that file, else of the unlabelled vertices of the graph. With
    --known all vertices are written, also those with a label. A number as --dimension is used as it is; otherwise
    cross-validation chooses how many coordinates are used.

    The table has the name of each vertex, its label, the probability of that label, whether the vertex has an edge
    to a known vertex, the number of its labelled neighbors, and whether a path of edges joins it to a labelled
    vertex. If none does, it gets the most frequent label, whose share is its probability.
    If vertices of the table have labels in LABELS, two columns say which labels are given, and what is predicted
    without the vertex's own label.

    With --unobserved, degrees are left out: those of new vertices are not known.

    GRAPH may be an edge store, a folder that lpgraph store build made.

    Example:
      lpgraph classify edges.csv labels.csv new.csv -o predictions.csv
      lpgraph classify edges.csv labels.csv new.csv --known -o both.csv
      lpgraph classify edges.csv labels.csv --save model.lpg -o unlabelled.csv
      lpgraph classify graph.graphml club -o unlabelled.csv
      lpgraph classify edges.csv labels.csv -d 3 --method adjacency
      lpgraph classify model.lpg new.csv
    """
    read = labels if is_model(graph) else inputs.table_of(labels)
    check_files(
        reads=[graph, read, new, predicting.unobserved, fitting.covariates], tables=[result.output], model=save
    )
    parts: list[Prediction] = []
    if is_model(graph):
        fits = (new, save, labelling) != (None, None, Labelling())
        model, added = loaded(
            graph, labels, fitting, reading, predicting.unobserved, kind=lp.VertexClassifier, fits=fits
        )
        parts = (
            [model._predict_known(), model._predict(added, {})] if predicting.known else [model._predict(added)]
        )
        facts: dict[str, object] = {}
    else:
        predicting.check(new)
        whole = reading.graph(graph, reading.directed)
        network = reading.part(whole)
        read_new = None if new is None else reading.new_graph(new, network.directed, network.index)
        names = () if read_new is None else [name for name in read_new.names if name not in network.index]
        known = labelling.read_labels(labels, whole, names)
        given = {name: label for name, label in known.items() if name in network.index}
        choose = not (fitting.n_components or "").isdecimal()
        model = lp.VertexClassifier(fitting.embedding(), select_features=choose)
        if predicting.unobserved is not None:
            model.set_params(features=("unit_rows", "neighbor_labels"))
        with progress():
            model.fit(network, given)
        if save is not None:
            lp.save(model, save)
        if new is not None and read_new is not None:
            embedding = embedding_of(model, graph)
            added = inputs.as_new(new, read_new, embedding, fitting.covariates, predicting.unobserved)
            of_new = {name: known[name] for name in names if name in known}
            parts = [model._predict(added, of_new if of_new or predicting.known else None)]
        if predicting.known:
            parts = [model._predict_known(), *parts]
        elif new is None:
            parts = [_of_unlabelled(model)]
        facts = {"vertices": network.n_vertices, "labels_known": len(given)}
    table = predicting.table(parts)
    facts |= {"dimension": model.n_coordinates_, "classes": model.classes_, "predicted": len(table)}
    result.finish(facts, table)


def loaded(
    path: str,
    new: str | None,
    fitting: Learning,
    reading: Reading,
    unobserved: str | None = None,
    *,
    kind: type[object] | None = None,
    fits: bool,
) -> tuple[Foreign, Foreign]:
    """Load a model, and read new vertices with their covariates; refuse options of a fit, such as `fits`."""
    chosen = replace(fitting, covariates=None), reading.directed, reading.largest_component
    if fits or chosen != (Learning(), None, False):
        raise ArgumentError(f"{path} is fitted already; pass it and new vertices alone, without options of a fit.")
    model: Foreign = lp.load(path, kind)
    if new is None:
        return model, None
    return model, reading.read_new(new, embedding_of(model, path), fitting.covariates, unobserved)


def _of_unlabelled(model: VertexClassifier) -> Prediction:
    """Return the predictions for the vertices of the graph without labels."""
    import numpy as np

    found = model._predict_known()
    evidence = dict(found.evidence)
    # These two columns are about vertices with labels.
    given, _ = evidence.pop("label_given"), evidence.pop("predicted_label")
    return replace(found, evidence=evidence).take(np.flatnonzero(given == 0))


def cluster(
    graph: options.GraphOrModel,
    new: Annotated[str | None, Argument(metavar="NEW", help="After a model: edges of new vertices.")] = None,
    save: options.Save = None,
    n_clusters: options.Clusters = None,
    by: Literal["directions", "gaussian"] = "directions",
    *,
    predicting: Predicting,
    fitting: Learning,
    reading: Reading,
    result: Result,
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

    Parameters
    ----------
    n_clusters
        A number, a range such as 2-8 to choose from, or auto.
    by
        directions, or gaussian mixtures.

    Example:
      lpgraph cluster graph.csv -k 2-10 --save clusters.lpg -o clusters.csv
      lpgraph cluster clusters.lpg new.csv --known -o both.csv
    """
    check_files(reads=[graph, new, predicting.unobserved, fitting.covariates], tables=[result.output], model=save)
    import numpy as np

    predicting.check(new)
    if is_model(graph) is (new is None):
        raise ArgumentError(
            "A model and NEW are passed together; first lpgraph cluster GRAPH --save clusters.lpg."
        )
    if new is not None:
        fits = (save, n_clusters, by) != (None, None, "directions")
        model, added = loaded(
            graph, new, fitting, reading, predicting.unobserved, kind=lp.VertexClustering, fits=fits
        )
        parts = [model._predict_known()] * predicting.known + [model._predict(added)]
    else:
        numbers = options.as_range("n_clusters", n_clusters)
        model = lp.VertexClustering(fitting.embedding(), numbers, method=by)
        network = reading.read(graph)
        with progress():
            model.fit(network)
        if save is not None:
            lp.save(model, save)
        parts = [model._predict_known()]
    table, k = predicting.table(parts), model.n_clusters_
    sizes = np.bincount(table["cluster"], minlength=k)
    facts = {"vertices": len(table), "dimension": model.n_coordinates_, "clusters": k, "sizes": sizes}
    result.finish(facts, table)
