"""``lpgraph drift``: whether new vertices still come from the distribution of the known ones."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Exit, Option

from lpgraph.cli import _choices as choices
from lpgraph.cli._errors import CommandError
from lpgraph.cli._inputs import embedding_of, is_model, load_model
from lpgraph.cli._options import Json, New, Seed
from lpgraph.cli._outputs import check_outputs, print_facts, write_table
from lpgraph.cli._progress import computing
from lpgraph.cli._reading import Edges
from lpgraph.cli._roles import check_is_no_table, check_model_first
from lpgraph.cli.vertices import Model

__all__ = ["ALARM", "drift"]

#: Exit code of an alarm.
ALARM = 3
#: All measures.
_ALL = ",".join(choices.MEASURES.values)

Alpha = Annotated[float, Option("--alpha", metavar="P", help="Probability of a false alarm.")]
Direction = Annotated[
    str | None,
    Option(
        "--direction",
        metavar="WAY",
        help="Of directed graphs: out or in; by default arcs of both directions are measured.",
        autocompletion=choices.DIRECTIONS.complete,
    ),
]
Measures = Annotated[
    str,
    Option(
        "--measures",
        metavar="NAMES",
        help=f"What is compared: some of {_ALL}.",
        autocompletion=choices.MEASURES.complete,
    ),
]
HeldOut = Annotated[
    float | None,
    Option("--held-out", metavar="SHARE", help="Share of the known vertices to compare with; by default 0.25."),
]
Draws = Annotated[int, Option("--draws", metavar="N", help="Number of random streams, which give the limits.")]
InOrder = Annotated[
    bool,
    Option("--in-order", help="The order in which vertices are first listed in NEW is that in which they came."),
]
Output = Annotated[
    str | None,
    Option("--output", "-o", metavar="FILE", help="Table of the new vertices: .csv, .tsv, .parquet or .json."),
]


def drift(
    model: Model,
    new: New,
    alpha: Alpha = 0.05,
    measures: Measures = _ALL,
    output: Output = None,
    direction: Direction = None,
    held_out: HeldOut = None,
    draws: Draws = 999,
    seed: Seed = 0,
    in_order: InOrder = False,
    *,
    edges: Edges,
    as_json: Json = False,
) -> None:
    """Test whether new vertices still come from the distribution of those of a saved model.

    A quarter of the known vertices is held out at random, and compared with the new ones: their numbers of edges,
    edges that no position explains, edges among their neighbors, distances from known positions, and positions.
    The exit code is 3 for an alarm, and 0 without. If nothing changed, an alarm has the probability of --alpha,
    whatever the network is.

    With --in-order also parts of the stream of vertices are compared, and the alarm names the first vertex after
    which it is certain enough. The edges of a vertex must then stand together: elsewhere, vertices with many edges
    are listed earlier than others, which is a change.

    The table has p-values of each new vertex, and its contribution to the alarm.

    Example:
      lpgraph drift model.lpg new.csv
      lpgraph drift model.lpg new.csv --in-order --alpha 0.01 -o vertices.csv || echo "fit again"
      lpgraph drift model.lpg new.csv --measures closure,novelty,position --json
    """
    check_outputs(table=output, inputs=[model, new])
    from lpgraph.infer.drift_test import drift as test

    if output == "-":
        raise CommandError("--output=-; name a file for the table, since standard output has the result.")
    check_model_first("drift", model, new)
    if not is_model(model) and model != "-":
        check_is_no_table(model, partial(edges.listed, directed=None))
    names = [choices.MEASURES.check("--measures", name) for name in measures.split(",")]
    embedding = embedding_of(load_model(model), model)
    vertices = edges.read_new(new, embedding)
    with computing(f"Comparing {len(vertices.names)} vertices"):
        found = test(
            embedding,
            vertices,
            alpha,
            ordered=in_order,
            direction=direction,
            measures=names,
            held_out=held_out,
            draws=draws,
            random_state=seed,
        )
    facts: dict[str, object] = {
        "alarm": found.alarm,
        "p_value": found.p_value,
        "new_vertices": len(found.names),
        "known_vertices_compared": found.n_compared,
    }
    if found.alarm:
        facts["by"] = found.alarm_measure
    if found.alarm and in_order:
        facts |= {
            "alarm_at": str(found.alarm_vertex),
            "alarm_after": found.alarm_after,
            "changed_from": found.changed_from,
            "changed_until": found.changed_until,
        }
    facts["p_values_of_measures"] = found.measure_p_values
    if output is not None:
        columns = {"p_value": found.p_values, "q_value": found.q_values, "contribution": found.contributions}
        write_table({"name": found.names, **columns, **found.vertex_p_values}, output)
        facts["output"] = output
    print_facts(facts, as_json)
    if found.alarm:
        raise Exit(ALARM)
