"""``lpgraph info``, ``convert`` and ``dimension``: a graph's summary, other formats of it, and its dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option, echo

import lpgraph as lp

from .inputs import Reading
from .options import AsJson, Graph, Written
from .outputs import check_files, print_facts, progress, write_network

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign


def info(graph: Graph, *, reading: Reading, as_json: AsJson = False) -> None:
    """Show sizes, degrees and components of a graph.

    The weights of edges that are listed several times are added up, and so are those of arcs in both directions
    in a graph without directions: --directed keeps them apart, and lpgraph convert --multi-edges collapse keeps
    the larger weight. An edge of weight 0 is left out. Degrees do not count loops.

    Example:
      lpgraph info graph.csv
      zcat graph.csv.gz | lpgraph info - --json
    """
    check_files(reads=[graph])
    network = reading.read(graph)
    found = {key.removeprefix("n_"): value for key, value in lp.summary(network).to_dict().items()}
    names = {"first_vertices": list(network.names[:5]), "vertex_attributes": list(network.vertex_attributes)}
    print_facts({key: value for key, value in (found | names).items() if value not in (None, [], {})}, as_json)


def convert(
    graph: Graph,
    written: Annotated[str, Argument(metavar="OUTPUT", help="File to write; - is standard output.")],
    *,
    reading: Reading,
    to: Written | None = None,
    loops: Literal["keep", "drop", "error"] = "keep",
    multi_edges: Literal["sum", "collapse", "error"] = "sum",
) -> None:
    """Write a graph in another format.

    Parameters
    ----------
    to
        Format of OUTPUT; by default what its suffix says.
    loops
        Edges of a vertex with itself.
    multi_edges
        Edges given several times.

    Example:
      lpgraph convert graph.gml graph.csv
      lpgraph convert graph.mtx - --to csv | head
    """
    check_files(writes=[written])
    write_network(reading.read(graph, loops, multi_edges), written, to)


def dimension(
    graph: Graph,
    splits: Annotated[int, Option(min=1, metavar="K")] = 5,
    cross_validation: bool = False,
    *,
    reading: Reading,
    as_json: AsJson = False,
) -> None:
    """Estimate how many dimensions an embedding should have.

    The dimension is that of cross-validated eigenvalues (Chen, Roch, Rohe & Yu 2021), by which embeddings choose
    theirs. It depends on the edges that are held out at random. So the dimensions of several splits are given, in
    order, and that of the mean of their statistics, which varies less. The elbows of the scree are those of the
    profile likelihood (Zhu & Ghodsi 2006); cross-validation is that of edges (Li, Levina & Zhu 2020).

    GRAPH may be an edge store, a folder that lpgraph store build made: it is not read into memory, except with
    --cross-validation or --largest-component.

    Parameters
    ----------
    splits
        Random splits of the edges for the cross-validated eigenvalues.
    cross_validation
        Cross-validate up to 20 dimensions: predict edges that are held out.

    Example:
      lpgraph dimension graph.csv
      lpgraph dimension graph.csv --cross-validation
    """
    check_files(reads=[graph])
    from lpgraph.infer import dimension as rules

    network = reading.read(graph)
    with progress():
        # The split of seed 0 is the default of embeddings.
        models = [lp.AdjacencySpectralEmbedding("eigenvalue_cv", random_state=seed) for seed in range(splits)]
        choices: list[Foreign] = [model.fit(network).dimension_choice_ for model in models]
        scree = lp.AdjacencySpectralEmbedding("elbow").fit(network).scree_
    first = choices[0]
    facts: dict[str, object] = {"eigenvalue_cv": first.n_components}
    if first.cross_validated:
        facts["of_several_splits"] = sorted(choice.n_components for choice in choices)
        facts["by_mean_z_of_splits"] = rules.joint_dimension(choices)
    elbows = rules.elbows(scree, 3) if len(scree) > 1 else [1]
    facts |= {"at_cap": first.at_cap, "z_by_dimension": first.z, "elbows": elbows, "scree": scree}
    if cross_validation:
        with progress():
            found = rules.cross_validate(network)
        facts |= {
            "cross_validation": found.smallest_good,
            "least_loss_at": found.best,
            "loss_by_dimension": found.mean,
            "standard_error": found.standard_error,
        }
    print_facts(facts, as_json)
    if first.cross_validated and not as_json:
        mean = facts["by_mean_z_of_splits"]
        echo(first.doubt or f"Use the dimension by the mean of the splits: --dimension {mean}.")
