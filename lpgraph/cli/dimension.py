"""``lpgraph dimension``: how many dimensions an embedding should have."""

from __future__ import annotations

from typing import Annotated

from typer import Option

import lpgraph as lp
from lpgraph.cli._errors import CommandError
from lpgraph.cli._options import Graph, Json
from lpgraph.cli._outputs import check_outputs, print_facts, write_bytes
from lpgraph.cli._progress import bar, computing
from lpgraph.cli._reading import Reading
from lpgraph.cli._words import Sets

__all__ = ["dimension"]


def dimension(
    graph: Graph,
    cross_validation: Annotated[
        bool,
        Option("--cross-validation", help="Cross-validate: predict edges that are held out."),
    ] = False,
    most: Annotated[
        int | None,
        Option("--max", metavar="D", help="Largest number to cross-validate; by default 20."),
        Sets("max_dimension"),
    ] = None,
    folds: Annotated[int, Option("--folds", metavar="K", help="Parts of the cross-validation.")] = 10,
    splits: Annotated[
        int,
        Option("--splits", metavar="K", help="Random splits of the edges for the cross-validated eigenvalues."),
    ] = 5,
    flips: Annotated[
        bool,
        Option("--sign-flips", help="Compare with the eigenvalues of 19 matrices with random signs."),
    ] = False,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Estimate how many dimensions an embedding should have.

    The dimension is that of cross-validated eigenvalues (Chen, Roch, Rohe & Yu 2021), by which embeddings choose
    theirs. It depends on the edges that are held out at random. So the dimensions of several splits are given, in
    order, and that of the mean of their statistics, which varies less. The elbows of the scree are those of the
    profile likelihood (Zhu & Ghodsi 2006); cross-validation is that of edges (Li, Levina & Zhu 2020); random signs
    are those of parallel analysis (Hong, Sheng & Dobriban 2020).

    GRAPH may be an edge store, a folder that lpgraph store build made: it is not read into memory, except with
    --cross-validation or --largest-component.

    Example:
      lpgraph dimension graph.csv
      lpgraph dimension graph.csv --cross-validation --max 12
      lpgraph dimension graph.csv --sign-flips
    """
    check_outputs(inputs=[graph])
    from lpgraph.infer.dimension import cross_validate, elbows, joint_dimension, sign_flips

    if not cross_validation and (most is not None or folds != 10):
        raise CommandError("--max and --folds belong to --cross-validation; pass that too.")
    if splits < 1:
        raise CommandError(f"--splits={splits}; pass a number of at least 1.")
    # Cross-validation of edges fits parts of the network.
    network = reading.read(graph)
    with computing(f"Finding the scree of {network.n_vertices} vertices"):
        # The split of seed 0 is the default of embeddings.
        models = [lp.AdjacencySpectralEmbedding("eigenvalue_cv", random_state=seed) for seed in range(splits)]
        choices = [choice for model in models if (choice := model.fit(network).dimension_choice_) is not None]
        scree = lp.AdjacencySpectralEmbedding("elbow").fit(network).scree_
    first = choices[0]
    facts: dict[str, object] = {"eigenvalue_cv": first.n_components}
    if first.cross_validated:
        facts["of_several_splits"] = sorted(choice.n_components for choice in choices)
        facts["by_mean_z_of_splits"] = joint_dimension(choices)
    facts |= {"at_cap": first.at_cap, "z_by_dimension": first.z}
    facts |= {"elbows": elbows(scree, 3) if len(scree) > 1 else [1], "scree": scree}
    if flips:
        with computing("Finding the eigenvalues of matrices with random signs"):
            signs = sign_flips(network)
        facts |= {"sign_flips": signs.n_components, "threshold": signs.threshold}
        if not network.directed:  # singular values have no signs
            facts["signature"] = signs.signature
    if cross_validation:
        with bar("Cross-validating") as progress:
            found = cross_validate(network, most, folds=folds, progress=progress)
        facts |= {
            "cross_validation": found.smallest_good,
            "least_loss_at": found.best,
            "loss_by_dimension": found.mean,
            "standard_error": found.standard_error,
        }
    print_facts(facts, as_json)
    if first.cross_validated and not as_json:
        advice = first.doubt_of(weighted=network.weighted) or (
            f"Use the dimension by the mean of the splits: --dimension {facts['by_mean_z_of_splits']}."
        )
        write_bytes("-", f"{advice}\n".encode())
