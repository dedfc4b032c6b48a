"""``lpgraph embed`` and ``lpgraph extend``: positions of the vertices of a graph, and of new vertices."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli import _choices as choices
from lpgraph.cli._groups import Edges, Fitting, Reading
from lpgraph.cli._inputs import embedding_of, load_model, load_placer
from lpgraph.cli._options import Graph, Json, New, Output, Save
from lpgraph.cli._outputs import check_outputs, columns, finish
from lpgraph.cli._progress import working

__all__ = ["embed", "extend"]

Model = Annotated[str, Argument(metavar="MODEL.lpg", help="Model saved by embed, classify or cluster --save.")]
Rule = Annotated[
    str,
    Option("--rule", metavar="RULE", help=f"{choices.RULES}.", autocompletion=choices.RULES.complete),
]
Direction = Annotated[
    str,
    Option(
        "--direction",
        metavar="WAY",
        help="Of directed graphs: out or in, which embedding to extend.",
        autocompletion=choices.DIRECTIONS.complete,
    ),
]


def embed(
    graph: Graph,
    output: Output = "-",
    save: Save = None,
    *,
    fitting: Fitting,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Embed the vertices of a graph, and save the model.

    The table has one row of coordinates for each vertex. Of a directed graph the columns with _in are the
    positions as targets of arcs.

    Example:
      lpgraph embed graph.csv --save model.lpg -o embedding.csv
      lpgraph embed graph.csv -d 8 --method laplacian --regularizer mean -o embedding.parquet
    """
    from lpgraph.embed.vertex_results import side_columns

    check_outputs(table=output, model=save, inputs=[graph])
    network = reading.read(graph)
    embedding = fitting.fit(network)
    sides = [embedding.embedding_] + ([embedding.embedding_in_] if embedding.directed_ else [])
    spectrum = "singular_values" if embedding.directed_ else "eigenvalues"
    table = {"name": network.names, **side_columns(embedding.get_feature_names_out(), sides)}
    facts = {
        "vertices": network.n_vertices,
        "edges": network.n_edges,
        "method": fitting.method,
        "dimension": embedding.embedding_.shape[1],
        spectrum: getattr(embedding, f"{spectrum}_"),
        "residuals": embedding.residuals_,
    }
    if save is not None:
        lp.save(embedding, save)
        facts["model"] = save
    finish(facts, table, output, as_json)


def extend(
    model: Model,
    new: New,
    output: Output = "-",
    rule: Rule = "least_squares",
    direction: Direction = "out",
    *,
    edges: Edges,
    as_json: Json = False,
) -> None:
    """Embed new vertices by a saved model.

    They are placed by their edges to the known vertices, without another decomposition. NEW is a graph in any
    format: its vertices that the model does not know are the new ones. The table has their names, coordinates, and
    whether they have an edge to a known vertex; without one they are at the origin.

    Example:
      lpgraph extend model.lpg new.csv
      tail -n 100 edges.csv | lpgraph extend model.lpg - -o new.parquet
    """
    check_outputs(table=output, inputs=[model, new])
    placer = load_placer(model) if rule == "least_squares" else None
    if placer is not None:
        vertices = edges.read_new(new, placer)
        with working("Extending"):
            positions, names = placer(vertices, direction=direction)[1], placer.columns
    else:
        embedding = embedding_of(load_model(model), model)
        vertices = edges.read_new(new, embedding)
        with working("Extending"):
            positions = lp.OutOfSample(embedding, rule=rule).transform(vertices, direction=direction)
        names = list(embedding.get_feature_names_out())
    table = {
        "name": vertices.names,
        **columns(names, positions),
        "has_known_neighbor": vertices.has_known_neighbor,
    }
    finish({"new_vertices": len(positions), "model": model, "rule": rule}, table, output, as_json)
