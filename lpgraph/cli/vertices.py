"""``lpgraph embed`` and ``lpgraph extend``: positions of the vertices of a graph, and of new vertices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph._warnings import warn
from lpgraph.cli import _choices as choices
from lpgraph.cli._digits import positions_for
from lpgraph.cli._errors import CommandError
from lpgraph.cli._groups import Fitting
from lpgraph.cli._inputs import check_model, embedding_of, is_model, load_model, warn_of_unconnected
from lpgraph.cli._new_details import NewDetails, read_pairs
from lpgraph.cli._options import Covariates, Graph, Json, New, Output, Save, Unobserved
from lpgraph.cli._outputs import check_outputs, columns, finish, write_table
from lpgraph.cli._progress import working
from lpgraph.cli._reading import Edges, Reading
from lpgraph.cli._roles import check_is_no_table, check_model_first
from lpgraph.cli._stores import is_parts, parts_of
from lpgraph.cli._words import Sets, Words, translated
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.spectral.aligned import Alignment

__all__ = ["embed", "extend"]

Model = Annotated[str, Argument(metavar="MODEL.lpg", help="Model saved by embed, classify or cluster --save.")]
AlignTo = Annotated[
    str | None,
    Option(
        "--align-to",
        metavar="EARLIER.lpg",
        help="Rotate the positions to those of an earlier model, and name the vertices that moved most; the "
        "dimension is by default that of the model.",
    ),
]
Moved = Annotated[
    str | None,
    Option(
        "--moved",
        metavar="FILE",
        help="With --align-to: table of how far each vertex moved; .csv, .tsv, .parquet or .json.",
    ),
    Sets("moved()"),
]
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
    align_to: AlignTo = None,
    moved: Moved = None,
    unobserved: Unobserved = None,
    *,
    fitting: Fitting,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Embed the vertices of a graph, and save the model.

    The default is the adjacency spectral embedding, which takes every graph: its dot products estimate the
    probabilities of edges, and every rule of extend applies to it. Classify, cluster, report and plot embedding
    have the default --method laplacian, which is better for groups of vertices in networks with hubs.

    The table has one row of coordinates for each vertex. Of a directed graph the columns with _in are the
    positions as targets of arcs. The table of --moved has the distance of each vertex from its earlier position,
    and its ratio, by which the rows are sorted. A ratio of 1 is the typical movement in this comparison, 10 is ten
    times as much: hubs are far from the origin and move farther by chance, so distances are divided by the root of
    the distance from the origin, and then by their median. The ten largest ratios are part of the summary on a
    terminal. Directions that only one of the fits has, which a warning counts, are left out of both. Two more
    columns are the change of the degree, and the number of neighbors that only one of the networks has.

    An absent edge and an unobserved pair are different things. The pairs in the file of --unobserved, an edge
    list, do not count as absent edges: the positions fit the others, with --method adjacency.

    GRAPH may be an edge store, a folder that lpgraph store build made: it is not read into memory. Write its
    positions as .parquet.

    Example:
      lpgraph embed graph.csv --save model.lpg -o embedding.csv
      lpgraph embed graph.csv -d 8 --method laplacian --regularizer mean -o embedding.parquet
      lpgraph embed graph.csv --unobserved pairs.csv -o embedding.csv
      lpgraph embed graph.store -d 10 --save model.lpg -o embedding.parquet
      lpgraph embed graph.csv -d 20 --landmarks 2000 --landmark-rule uniform --save model.lpg
      lpgraph embed graph.csv -d 8 --method covariate-assisted --covariates ages.csv -o embedding.csv
      lpgraph embed tuesday.csv --align-to monday.lpg --save tuesday.lpg -o embedding.csv --moved moved.csv
    """
    check_outputs(table=output, model=save, moved=moved, inputs=[graph, align_to, unobserved])
    from lpgraph.embed.vertex_results import side_columns

    if align_to is not None:
        check_model(align_to, "--align-to")
    elif moved is not None:
        raise CommandError(f"--moved={moved} but there is no earlier model; pass --align-to EARLIER.lpg.")
    network = reading.read(graph)
    embedding = _fitted(fitting, network, align_to, unobserved, reading)
    sides = [embedding.embedding_] + ([embedding.embedding_in_] if embedding.directed_ else [])
    by_rows = network.store is not None and output.endswith(".parquet")
    sides = sides if by_rows else [positions_for(output, side) for side in sides]
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
    if getattr(embedding, "landmarks_", None) is not None:
        facts |= {"landmarks": len(embedding.landmarks_), "nystrom_error": embedding.nystrom_error_}
    if unobserved is not None:
        completion = getattr(embedding, "completion_", None)
        facts["observed_share"] = 1.0 if completion is None else completion.share
    if save is not None:
        lp.save(embedding, save)
        facts["model"] = save
    alignment = embedding.alignment_
    if alignment is not None:
        _warn_of_few(alignment, str(align_to))
        if moved is not None:
            write_table(alignment.moved(network.names), moved)
            facts["moved"] = moved
        first = alignment.moved(network.names, 10)
        facts |= {
            "aligned_vertices": len(alignment.rows),
            "new_vertices": alignment.n_new,
            "gone_vertices": alignment.n_gone,
            "cosines": alignment.cosines,
            "moved_most": dict(zip(map(str, first["name"]), first["ratio"], strict=True)),
        }
    if by_rows:
        lp.scale.write_positions(embedding, output)
    finish(facts, None if by_rows else table, output, as_json)


def _warn_of_few(alignment: Alignment, earlier: str) -> None:
    """Warn if fewer than half of the vertices of the earlier model are in the graph."""
    common, gone = len(alignment.rows), alignment.n_gone
    if common < gone:
        warn(
            f"Only {common} of the {common + gone} vertices of {earlier} are in the graph, and the positions are "
            "aligned by these alone. Is it a model of the same network?",
            LpgraphWarning,
        )


def _fitted(
    fitting: Fitting,
    network: Adjacency,
    align_to: str | None,
    unobserved: str | None,
    reading: Reading,
) -> NetworkEmbedding:
    """Return the embedding; if aligned to a saved model, with its dimension unless another was given."""
    embedding = fitting.embedding()
    if align_to is not None:
        embedding.set_params(align_to=align_to)
        if fitting.dimension == Fitting.dimension:
            embedding.set_params(n_components=None)
    if unobserved is not None:
        if "unobserved" not in embedding.get_params(deep=False):
            raise CommandError(
                f"--unobserved={unobserved} is not for --method {fitting.method}; leave it out, or pass --method "
                "adjacency."
            )
        as_graph = partial(reading.pairs, directed=network.directed)
        embedding.set_params(unobserved=read_pairs(unobserved, as_graph, network.index))
    return fitting.fit(network, embedding)


def extend(
    model: Model,
    new: New,
    output: Output = "-",
    rule: Rule = "least_squares",
    direction: Direction = "out",
    covariates: Covariates = None,
    unobserved: Unobserved = None,
    *,
    edges: Edges,
    as_json: Json = False,
) -> None:
    """Embed new vertices by a saved model.

    They are placed by their edges to the known vertices, without another decomposition. NEW is a graph in any
    format: its vertices that the model does not know are the new ones. The table has their names, coordinates, and
    whether they have an edge to a known vertex; without one they are at the origin. The pairs of new and known
    vertices in the file of --unobserved, an edge list, do not count as absent edges.

    If --output is a folder, with a slash at its end, NEW is a file or a pattern of files of any size, which are
    placed in parts, in bounded memory; a command that was stopped goes on if it is given again.

    Example:
      lpgraph extend model.lpg new.csv
      tail -n 100 edges.csv | lpgraph extend model.lpg - -o new.parquet
      lpgraph extend model.lpg new.csv --covariates ages.csv
      lpgraph extend model.lpg new.csv --unobserved pairs.csv
      lpgraph extend model.lpg 'new/*.parquet' -o positions/
    """
    if is_parts(output):
        _extend_in_parts(model, new, output, rule, direction, covariates, unobserved, edges, as_json=as_json)
        return
    check_outputs(table=output, inputs=[model, new, covariates, unobserved])
    details = NewDetails(covariates, unobserved)
    check_model_first("extend", model, new)
    if not is_model(model) and model != "-":
        check_is_no_table(model, partial(edges.listed, directed=None))
    embedding = embedding_of(load_model(model), model)
    if embedding.concat:
        embedding.set_params(concat=False)  # the table has one direction
    vertices = edges.read_new(new, embedding, details, by_rule=True)
    with working("Extending"):
        positions = lp.OutOfSample(embedding, rule=rule).transform(vertices, direction=direction)
    names = list(embedding.get_feature_names_out())
    warn_of_unconnected(vertices)
    table = {
        "name": vertices.names,
        **columns(names, positions_for(output, positions)),
        "has_known_neighbor": vertices.has_known_neighbor,
    }
    finish({"new_vertices": len(positions), "model": model, "rule": rule}, table, output, as_json)


def _extend_in_parts(
    model: str,
    new: str,
    output: str,
    rule: str,
    direction: str,
    covariates: str | None,
    unobserved: str | None,
    edges: Edges,
    *,
    as_json: bool,
) -> None:
    """Write the positions of new vertices in parts."""
    passed = {
        "--covariates": covariates,
        "--unobserved": unobserved,
        "--direction": direction != "out",
        "--format": edges.form,
        "--header": edges.header is not None,
        "NEW=-": new == "-",
    }
    folder = parts_of(output, passed)
    check_model_first("extend", model, new)
    embedding = embedding_of(load_model(model), model)
    placed = embedding if rule == "least_squares" else lp.OutOfSample(embedding, rule=rule)
    with working("Extending"), translated(Words({"edges": "NEW"})):
        written = lp.scale.extend(
            placed,
            new,
            folder,
            weight=None if edges.unweighted else edges.weight,
            source=edges.source,
            target=edges.target,
        )
    facts = {
        "new_vertices": written.facts["vertices"],
        "edges": written.facts["edges"],
        "files": len(written.paths),
    }
    finish({**facts, "model": model, "rule": rule}, None, output, as_json)
