"""``lpgraph report`` and ``lpgraph demo``: a page about a graph, and an example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

import lpgraph as lp
from lpgraph.cli._errors import CommandError
from lpgraph.cli._groups import Colouring, Learning
from lpgraph.cli._labels import table_of_labels
from lpgraph.cli._new_details import NewDetails
from lpgraph.cli._options import Graph
from lpgraph.cli._outputs import check_outputs, write_bytes
from lpgraph.cli._pictures import check_picture
from lpgraph.cli._progress import computing, say, working
from lpgraph.cli._reading import Reading

__all__ = ["demo", "report"]


def report(
    graph: Graph,
    output: Annotated[
        str, Option("--output", "-o", metavar="FILE", help="The page; - is standard output.")
    ] = "report.html",
    title: Annotated[str | None, Option("--title", metavar="TEXT", help="Heading of the page.")] = None,
    new: Annotated[
        str | None,
        Option("--new", metavar="NEW", help="File with edges of new vertices, which are placed and drawn too."),
    ] = None,
    *,
    colouring: Colouring,
    fitting: Learning,
    reading: Reading,
) -> None:
    """Write one interactive HTML page about a graph.

    It shows the embedded vertices, the scree, the clusters, vertices that fit them worst and bridges between them,
    the residuals and the settings. It needs no internet connection and no other file. An edge store is read into
    memory, which takes 24 bytes for each edge.

    Example:
      lpgraph report graph.csv -o report.html
      lpgraph report graph.csv --labels labels.csv -d 4 --title "Who writes to whom"
      lpgraph report graph.graphml --labels club
      lpgraph report graph.csv --new new.csv
      lpgraph report graph.csv --method covariate-assisted -d 4 --covariates ages.csv --new new.csv
    """
    if output != "-" and Path(output).suffix not in (".html", ".htm"):
        raise CommandError(f"--output={output} is no page; name a file that ends in .html.")
    check_outputs(inputs=[graph, table_of_labels(colouring.labels), new], other=[output])
    from lpgraph.reporting.report import describe, label_texts

    network, known = colouring.read(graph, reading)
    embedding = fitting.embedding()
    with computing(f"Embedding and clustering {network.n_vertices} vertices"):
        kinds = label_texts(network, known, "warn")
        clustering = lp.VertexClustering(embedding, colouring.numbers).fit(network)
        details = NewDetails(fitting.covariates)
        vertices = None if new is None else reading.read_new(new, clustering.fitted_embedding_, details)
        page = describe(network, clustering, kinds, vertices, title or Path(graph).name)
    write_bytes(output, page.html.encode())
    if page.unusual is not None:
        worst, bridges = page.unusual.shown()
        also = {True: " (also a bridge)", False: ""}
        say(f"worst fit: {', '.join(f'{row.name}{also[bool(note)]}' for row, note in worst)}")
        if bridges:
            say(f"bridges: {', '.join(str(row.name) for row in bridges)}")
    say(f"written to {output}")


def demo(
    picture: Annotated[Path, Option(help="Where to write the picture: png, pdf or svg.")] = Path(
        "lpgraph-demo.png"
    ),
) -> None:
    """Run an example on data that is installed.

    Two networks are embedded, held-out vertices are classified, and a picture is drawn.

    Example:
      lpgraph demo --picture demo.svg
    """
    from rich.console import Console
    from rich.table import Table

    from lpgraph.demo import draw, run

    check_picture(str(picture), "--picture")
    console = Console()
    console.print(f"The picture will be {picture.resolve()}; --picture FILE names another one.", soft_wrap=True)
    with working("Embedding two networks"):
        results = run()
    table = Table(title="Share of held-out vertices misclassified")
    table.add_column("network")
    for heading in ("in-sample", "out-of-sample", "seconds"):
        table.add_column(heading, justify="right")
    for result in results:
        table.add_row(
            result.title,
            f"{result.in_sample_error:.1%}",
            f"{result.out_of_sample_error:.1%}",
            f"{result.seconds:.1f}",
        )
    console.print(table)
    draw(results, picture)
    console.print(f"Picture written to {picture.resolve()}", soft_wrap=True)
