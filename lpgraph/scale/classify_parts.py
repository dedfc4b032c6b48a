"""`classify`: predictions for new vertices in files of edges, written to Parquet."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING

from lpgraph._articles import a_type
from lpgraph._warnings import collected, warn
from lpgraph.errors import ArgumentTypeError, IsolatedVertexWarning
from lpgraph.infer.classify import VertexClassifier
from lpgraph.infer.cluster import VertexClustering
from lpgraph.scale.new_parts import in_parts

if TYPE_CHECKING:
    import os

    from distributed import Client

    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.scale.parts import WrittenParts

__all__ = ["classify"]


def classify(
    model: VertexClassifier | VertexClustering,
    edges: object,
    output: str | os.PathLike[str],
    *,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
    probabilities: bool = False,
    client: Client | None = None,
) -> WrittenParts:
    """Classify, or assign to clusters, the new vertices in files of edges of any size, in bounded memory.

    Each vertex is classified by its edges to known vertices, as with ``among_new=False``: labels do not spread
    along edges between new vertices, which may be in different parts.

    Parameters
    ----------
    model : VertexClassifier or VertexClustering
        A fitted model. The names of its vertices are all integers or all texts.
    edges, output, weight, source, target, client
        As for `extend`, which also describes how a stopped call goes on.
    probabilities : bool, default False
        Whether to write the probability of each label or cluster, in the columns ``p_`` and its name.

    Returns
    -------
    WrittenParts
        The files ``part-00000.parquet``, ... with the columns of ``predict_table``. Rows are in the order of the
        names within each file.

    Raises
    ------
    StoreError, ArgumentError, ArgumentTypeError, GraphError, FileFormatError, ClusterError
        As by `extend`.

    Warns
    -----
    LpgraphWarning
        When there are edges between known vertices, which are left out.
    IsolatedVertexWarning
        When new vertices have no edge to a known vertex, or none of their neighbors reaches a label.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp, pandas as pd
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> pd.DataFrame({"source": [100, 100, 101], "target": [0, 1, 70]}).to_parquet(folder / "new.parquet")
    >>> graph = lp.stochastic_block_model([40, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> model = lp.VertexClassifier().fit(graph, ["cat"] * 40 + ["dog"] * 40)
    >>> _ = lp.scale.classify(model, folder / "new.parquet", folder / "labels")
    >>> pd.read_parquet(folder / "labels")[["name", "label"]]
       name label
    0   100   cat
    1   101   dog
    """
    if not isinstance(model, VertexClassifier | VertexClustering):
        raise ArgumentTypeError(
            f"model is {a_type(model)}; pass a fitted VertexClassifier or VertexClustering, or call "
            "extend for positions."
        )
    alone = copy(model)
    if isinstance(alone, VertexClassifier):
        alone.among_new = False
    found = in_parts(
        alone,
        edges,
        output,
        "classify",
        partial(_predictions, alone, probabilities),
        weight=weight,
        source=source,
        target=target,
        more={"probabilities": probabilities},
        client=client,
    )
    lonely = found.facts.get("without a known neighbor", 0)
    if lonely:
        warn(
            f"{lonely} of {found.facts['vertices']} new vertices have no edge to a known vertex. The column "
            "has_known_neighbor says which.",
            IsolatedVertexWarning,
        )
    return found


def _predictions(
    model: VertexClassifier | VertexClustering, probabilities: bool, vertices: NewEdges
) -> dict[str, object]:
    """Return the columns of predictions; vertices without neighbors are counted later, for all parts."""
    with collected() as told:
        found = model._predict(model.read_new(vertices))
    for message, category in told:
        if not issubclass(category, IsolatedVertexWarning):
            warn(message, category)
    return {**found.columns(all_shares=probabilities), "name": list(found.names)}
