"""``lpgraph report`` and ``lpgraph demo``: a page about a graph, and an example."""

from __future__ import annotations

from pathlib import Path

from typer import echo

import lpgraph as lp

from . import options
from .inputs import Colouring, Reading, is_model, read_covariates, renamed, table_of
from .learn import loaded
from .methods import Learning
from .outputs import check_files, check_picture, check_suffix, progress, say, write_bytes


def report(
    graph: options.GraphOrModel,
    output: options.Output = "report.html",
    title: str | None = None,
    new: str | None = None,
    *,
    colouring: Colouring,
    fitting: Learning,
    reading: Reading,
) -> None:
    """Write one interactive HTML page about a graph, or a saved classifier or clustering.

    It shows the embedded vertices, the scree, the clusters, vertices that fit them worst and bridges between them,
    the residuals and the settings. It needs no internet connection and no other file. An edge store is read into
    memory, which takes 24 bytes for each edge.

    Parameters
    ----------
    output : FILE
        The page; - is standard output.
    title : TEXT
        Heading of the page.
    new : NEW
        File with edges of new vertices, which are placed and drawn as well.

    Example:
      lpgraph report graph.csv -o report.html
      lpgraph report graph.csv --labels labels.csv -d 4 --title "Who writes to whom"
      lpgraph report graph.graphml --labels club
      lpgraph report graph.csv --new new.csv
      lpgraph report model.lpg --new new.csv
      lpgraph report graph.csv --method covariate-assisted -d 4 --covariates ages.csv --new new.csv
    """
    check_suffix("output", output, (".html",))
    check_files(reads=[graph, table_of(colouring.labels), new, fitting.covariates], writes=[output])
    title = title or Path(graph).name
    if is_model(graph):
        model, placed = loaded(graph, new, fitting, reading, fits=colouring != Colouring())
        with progress():
            page = lp.report(model, new=placed, title=title)
    else:
        network, known = colouring.read(graph, reading)
        embedding = fitting.embedding()
        directed = network.directed and embedding is not None  # the default embedding has no directions
        added = None if new is None else renamed(reading.graph(new, directed), network.index)
        covariates = None if new is None or fitting.covariates is None else read_covariates(fitting.covariates)
        with progress():
            page = lp.report(
                network,
                labels=known,
                embedding=embedding,
                n_clusters=colouring.numbers,
                new=added,
                new_covariates=covariates,
                title=title,
            )
    write_bytes(output, page.html.encode())
    if page.unusual is not None:
        say(str(page.unusual))


def demo(picture: Path = Path("lpgraph-demo.png")) -> None:
    """Run an example on data that is installed.

    Held-out vertices of two networks are classified, and a map is drawn.

    Parameters
    ----------
    picture
        Where to write the picture: png, pdf or svg.

    Example:
      lpgraph demo --picture demo.svg
    """
    from lpgraph.demo import draw, run

    check_picture(str(picture))
    with progress():
        results = run()
    echo("Share of held-out vertices misclassified: in-sample, out-of-sample, seconds")
    for found in results:
        errors = f"{found.in_sample_error:8.1%} {found.out_of_sample_error:8.1%}"
        echo(f"{found.title:40} {errors} {found.seconds:8.1f}")
    draw(results[-1], picture)
    echo(f"Picture written to {picture.resolve()}")
