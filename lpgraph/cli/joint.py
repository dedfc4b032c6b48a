"""``lpgraph joint``: positions of the vertices of several networks, which can be compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

import lpgraph as lp
from lpgraph.errors import ArgumentError

from .inputs import Edges
from .outputs import Result, check_files, check_suffix, progress, write_bytes

if TYPE_CHECKING:
    from lpgraph.joint.base import JointEmbedding


def joint(
    graphs: Annotated[
        list[str],
        Argument(metavar="FOLDER|FILES...", help="A folder of files, or files, each with one network."),
    ],
    save: Annotated[str | None, Option(metavar="MODEL.lpg")] = None,
    report: Annotated[str | None, Option(metavar="PAGE.html")] = None,
    method: Literal["unfolded", "omnibus", "multiple"] = "unfolded",
    n_components: Annotated[int | None, Option("--n-components", "--dimension", "-d", metavar="D")] = None,
    time: str | None = None,
    alpha: float = 0.05,
    directed: Annotated[bool | None, Option("--directed/--undirected")] = None,
    *,
    edges: Edges,
    result: Result,
) -> None:
    """Embed several networks, or a network in time.

    Each file is a network, which is called by the name of the file without its suffix. Networks are in the order
    of FILES; those of a folder in the order of their names, in which 2 is before 10. With --time there is one
    file, a table of the edges of all networks. Vertices are aligned by name.

    The table has one row for each network and vertex: the key of the network, the name of the vertex, whether it
    is in the file of the network, and its coordinates. The summary names the networks that differ from the one
    before them, and the vertices that changed in the largest of these steps, the clearest first. It is shown on a
    terminal, and is part of the object of --json. If no network differs, --alpha is the probability that the
    summary names one or more.

    Parameters
    ----------
    save
        Save the fitted model, for Python.
    report
        Write an interactive page with the positions, and a slider for the networks.
    method
        unfolded, whose positions depend on one network each; omnibus, for networks that are nearly equal; or
        multiple, for a common subspace.
    n_components
        Number of dimensions; by default those that held-out edges confirm.
    time : NAME
        Column of a table that says to which network an edge belongs.
    alpha : P
        Probability of a false alarm among all networks.
    directed
        Read edges as arcs, or arcs as edges; by default as the files say.

    Example:
      lpgraph joint months/ -o positions.csv
      lpgraph joint monday.csv tuesday.csv -d 4 --save days.lpg -o positions.parquet
      lpgraph joint months/ --report months.html -o positions.csv
      lpgraph joint flights.csv --time month -o positions.csv
    """
    from lpgraph.joint.graphs import files_by_key

    check_suffix("report", report, (".html",))
    check_files(reads=graphs, writes=[report], tables=[result.output], model=save)
    if time is None:
        files = {key: edges.graph(str(path), directed) for key, path in files_by_key(graphs).items()}
        given = lp.as_graphs(files)
    elif len(graphs) > 1 or (edges.form, edges.header) != (None, None):
        raise ArgumentError(f"time={time} is for one table with titles; pass it without --format and --header.")
    else:
        table = edges.table(graphs[0], time)
        given = lp.as_graphs(table, time=time, directed=directed, weight=edges.columns["weight"])
    with progress():
        model: JointEmbedding = getattr(lp.joint, f"{method.capitalize()}Embedding")(n_components).fit(given)
    facts: dict[str, object] = {
        "networks": len(given),
        "vertices": len(given.names),
        "edges": given.n_edges,
        "dimension": model.embeddings_.shape[2],
        "singular_values": model.singular_values_,
    }
    if len(given) > 1:
        with progress():
            steps = lp.infer.change_points(model, alpha)
            largest = int(steps.table["statistic"].argmax())
            before, after = given.keys[largest : largest + 2]
            moved = lp.infer.vertex_changes(model, before, after, alpha)
        facts |= {
            "changed_at": list(map(str, steps.changed)),
            "largest_step_to": str(after),
            "changed_vertices": list(map(str, moved.changed)),
        }
    if save is not None:
        lp.save(model, save)
    if report is not None:
        write_bytes(report, lp.report(model, title=Path(graphs[0]).name).html.encode())
    result.finish(facts, model.trajectory_table())
