"""``lpgraph embed`` and ``extend``: positions of vertices and of new ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import lpgraph as lp
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, IsolatedVertexWarning

from . import options
from .inputs import Edges, Reading, embedding_of, read_pairs
from .methods import Fitting
from .outputs import Result, check_files, progress, write_table

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Flags
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_vertices import NewEdges


def embed(
    graph: options.Graph,
    save: options.Save = None,
    align_to: str | None = None,
    moved: str | None = None,
    unobserved: str | None = None,
    *,
    fitting: Fitting,
    reading: Reading,
    result: Result,
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

    Parameters
    ----------
    align_to : EARLIER.lpg
        Rotate the positions to those of an earlier model, and name the vertices that moved most; the dimension is
        by default that of the model.
    moved : FILE
        With --align-to: table of how far each vertex moved; .csv, .tsv, .parquet or .json.
    unobserved : FILE
        List of the pairs of vertices that were not observed: whether they have an edge is not known.

    Example:
      lpgraph embed graph.csv --save model.lpg -o embedding.csv
      lpgraph embed graph.csv -d 8 --method laplacian --regularizer mean -o embedding.parquet
      lpgraph embed graph.csv --unobserved pairs.csv -o embedding.csv
      lpgraph embed graph.store -d 10 --save model.lpg -o embedding.parquet
      lpgraph embed graph.csv -d 8 --method covariate-assisted --covariates ages.csv -o embedding.csv
      lpgraph embed tuesday.csv --align-to monday.lpg --save tuesday.lpg -o embedding.csv --moved moved.csv
    """
    check_files(reads=[graph, align_to, unobserved, fitting.covariates], tables=[result.output, moved], model=save)
    from lpgraph.embed.vertex_results import side_columns

    if align_to is None and moved is not None:
        raise ArgumentError(f"moved={moved} but there is no earlier model; pass --align-to EARLIER.lpg.")
    network = reading.read(graph)
    embedding: Foreign = fitting.embedding()
    if align_to is not None:
        embedding.align_to = lp.load(align_to)
    if unobserved is not None:
        pairs = read_pairs(unobserved, network.directed, network.index)
        embedding = lp.CompletedEmbedding(embedding, unobserved=pairs)
    fitting.fit(network, embedding)
    facts = _facts(embedding, network)
    if unobserved is not None:
        completion = embedding.completion_
        facts["observed_share"] = 1.0 if completion is None else completion.share
    if save is not None:
        lp.save(embedding, save)
    if (alignment := embedding.alignment_) is not None:
        if moved is not None:
            write_table(alignment.moved(network.names), moved)
        first = alignment.moved(network.names, 10)
        facts |= {
            "aligned_vertices": len(alignment.rows),
            "new_vertices": alignment.n_new,
            "gone_vertices": alignment.n_gone,
            "cosines": alignment.cosines,
            "moved_most": dict(zip(map(str, first["name"]), first["ratio"], strict=True)),
        }
    table: dict[str, object] | None = None
    if network.store is not None and result.output.endswith(".parquet"):
        lp.scale.write_positions(embedding, result.output)
    else:
        sides = [embedding.embedding_] + ([embedding.embedding_in_] if embedding.directed_ else [])
        table = {"name": network.names, **side_columns(embedding.get_feature_names_out(), sides)}
    result.finish(facts, table)


def _facts(embedding: NetworkEmbedding, network: Adjacency) -> dict[str, object]:
    spectrum = "singular_values" if embedding.directed_ else "eigenvalues"
    return {
        "vertices": network.n_vertices,
        "edges": network.n_edges,
        "dimension": embedding.embedding_.shape[1],
        spectrum: getattr(embedding, f"{spectrum}_"),
        "residuals": embedding.residuals_,
    }


def extend(
    model: options.Model,
    new: options.New,
    rule: options.Rule = "least_squares",
    direction: options.Direction = "out",
    covariates: str | None = None,
    unobserved: str | None = None,
    *,
    edges: Edges,
    result: Result,
) -> None:
    """Embed new vertices by a saved model.

    They are placed by their edges to the known vertices, without another decomposition. NEW is a graph in any
    format: its vertices that the model does not know are the new ones. The table has their names, coordinates, and
    whether they have an edge to a known vertex; without one they are at the origin. The pairs of new and known
    vertices in the file of --unobserved, an edge list, do not count as absent edges.

    Parameters
    ----------
    rule
        How vertices are placed.
    direction
        Of directed graphs: which embedding to extend.
    covariates : FILE
        Table with the covariates of the new vertices, if the model has covariates.
    unobserved : FILE
        List of the pairs of new and known vertices that were not observed.

    Example:
      lpgraph extend model.lpg new.csv
      tail -n 100 edges.csv | lpgraph extend model.lpg - -o new.parquet
      lpgraph extend model.lpg new.csv --covariates ages.csv
      lpgraph extend model.lpg new.csv --unobserved pairs.csv
    """
    check_files(reads=[model, new, covariates, unobserved], tables=[result.output])
    from lpgraph.embed.vertex_results import side_columns

    embedding = embedding_of(lp.load(model), model)
    if embedding.concat:
        embedding.set_params(concat=False)  # the table has one direction
    vertices = edges.read_new(new, embedding, covariates, unobserved)
    with progress():
        positions = lp.OutOfSample(embedding, rule=rule).transform(vertices, direction=direction)
    coordinates = side_columns(embedding.get_feature_names_out(), [positions])
    table = {"name": vertices.names, **coordinates, "has_known_neighbor": ~unconnected(vertices, direction)}
    result.finish({"new_vertices": len(positions)}, table)


def unconnected(new: NewEdges, direction: str = "out") -> Flags:
    """Return which new vertices have no edge of a direction to a known one; warn if these are at the origin."""
    import numpy as np

    from lpgraph.graph.names import name_at

    edges = replace(new, covariates=None).towards(direction)
    alone: Flags = np.diff(edges.indptr) == 0
    if new.covariates is None and alone.any():
        other = "" if new.rows_in is None else f" in the direction {direction}; pass --direction for the other"
        warn(
            f"{alone.sum()} of {len(alone)} new vertices have no edge to a known vertex, such as "
            f"{name_at(new.names, alone.argmax())!r}, and are at the origin{other}.",
            IsolatedVertexWarning,
        )
    return alone
