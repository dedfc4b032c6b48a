"""``lpgraph embed`` at night, ``lpgraph extend`` every hour."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lpgraph.cli._groups import Edges, Fitting, Reading
from lpgraph.cli._options import Arrivals, Graph, Json, Largest, Output, Save

__all__ = ["embed", "extend"]

Model = Annotated[
    str, typer.Argument(metavar="MODEL.lpg", help="Model saved by embed, classify or cluster --save.")
]
Direction = Annotated[
    str,
    typer.Option("--direction", metavar="WAY", help="Of directed graphs: out or in, which embedding to extend."),
]


def embed(
    graph: Graph,
    output: Output = "-",
    save: Save = None,
    *,
    fitting: Fitting,
    reading: Reading,
    largest: Largest = False,
    as_json: Json = False,
) -> None:
    """Embed the vertices of a graph, and save the model.

    The table has one row of coordinates for each vertex. Of a directed graph the columns ending in _in are the
    positions as targets of arcs.

    Example:
      lpgraph embed graph.csv --save model.lpg -o embedding.csv
      lpgraph embed graph.csv -d 8 --method laplacian --regularizer mean -o embedding.parquet
    """
    from lpgraph.cli._fit import columns_of
    from lpgraph.cli._inputs import save_model
    from lpgraph.cli._outputs import check_outputs, finish
    from lpgraph.cli._progress import computing

    check_outputs(table=output, model=save, inputs=[graph])
    network = reading.read(graph, largest=largest)
    embedding = fitting.embedding(network)
    with computing(f"Embedding {network.n_vertices} vertices"):
        embedding.fit(network)
    if save is not None:
        save_model(embedding, save)
    table: dict[str, Any] = {"vertex": list(network.names), **columns_of(embedding, embedding.embedding_)}
    if embedding.directed_:
        table |= {f"{key}_in": embedding.embedding_in_[:, k] for k, key in enumerate(list(table)[1:])}
    facts: dict[str, Any] = {
        "vertices": network.n_vertices,
        "edges": network.n_edges,
        "method": fitting.method,
        "dimension": embedding.embedding_.shape[1],
        "singular_values" if embedding.directed_ else "eigenvalues": (
            embedding.singular_values_ if embedding.directed_ else embedding.eigenvalues_
        ),
        "residuals": embedding.residuals_,
    }
    if save is not None:
        facts["model"] = save
    finish(facts, table, output, as_json)


def extend(
    model: Model,
    arrivals: Arrivals,
    output: Output = "-",
    rule: Annotated[
        str, typer.Option("--rule", metavar="RULE", help="least_squares, likelihood or batch.")
    ] = "least_squares",
    direction: Direction = "out",
    *,
    edges: Edges,
    as_json: Json = False,
) -> None:
    """Embed vertices that arrive later, by a saved model.

    They are placed by their edges to the known vertices, without another decomposition. ARRIVALS is a graph in any
    format: its vertices that the model does not know are the new ones.

    Example:
      lpgraph extend model.lpg arrivals.csv
      tail -n 100 edges.csv | lpgraph extend model.lpg - -o new.parquet
    """
    from lpgraph.cli._inputs import embedding_of, load_model, load_placer, read_arrivals, read_new
    from lpgraph.cli._outputs import check_outputs, finish
    from lpgraph.cli._progress import working

    check_outputs(table=output, inputs=[model, arrivals])
    placer = load_placer(model) if rule == "least_squares" else None
    if placer is not None:
        new = read_new(arrivals, placer.index, placer.directed, **edges.options)
        with working("Extending"):
            names, positions = placer(new, direction=direction)
        columns = placer.columns
    else:
        from lpgraph.embed.out_of_sample import OutOfSample

        embedding = embedding_of(load_model(model), model)
        graph = read_arrivals(arrivals, embedding, **edges.options)
        with working("Extending"):
            vertices = embedding.read_new(graph, direction=direction)
            names = vertices.names
            positions = OutOfSample(embedding, rule=rule).transform(vertices, direction=direction)
        columns = embedding.get_feature_names_out()
    table = {"vertex": list(names), **{name: positions[:, k] for k, name in enumerate(columns)}}
    finish({"new_vertices": len(positions), "model": model, "rule": rule}, table, output, as_json)
