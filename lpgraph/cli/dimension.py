"""``lpgraph dimension``: how many dimensions an embedding should have."""

from __future__ import annotations

from typing import Annotated

from typer import Option

import lpgraph as lp
from lpgraph.cli._errors import CommandError
from lpgraph.cli._groups import Reading
from lpgraph.cli._options import Graph, Json
from lpgraph.cli._outputs import print_facts
from lpgraph.cli._progress import bar, computing
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
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Estimate how many dimensions an embedding should have.

    The dimension is that of cross-validated eigenvalues (Chen, Roch, Rohe & Yu 2021), by which embeddings choose
    theirs. The elbows of the scree are those of the profile likelihood (Zhu & Ghodsi 2006); cross-validation is
    that of edges (Li, Levina & Zhu 2020).

    Example:
      lpgraph dimension graph.csv
      lpgraph dimension graph.csv --cross-validation --max 12
    """
    from lpgraph.infer.dimension import cross_validate, elbows

    if not cross_validation and (most is not None or folds != 10):
        raise CommandError("--max and --folds belong to --cross-validation; pass that too.")
    network = reading.read(graph)
    with computing(f"Finding the scree of {network.n_vertices} vertices"):
        significant = lp.AdjacencySpectralEmbedding("eigenvalue_cv").fit(network)
        scree = lp.AdjacencySpectralEmbedding("elbow").fit(network).scree_
    facts: dict[str, object] = {"eigenvalue_cv": significant.embedding_.shape[1]}
    if significant.dimension_choice_ is not None:
        facts |= {"at_cap": significant.dimension_choice_.at_cap, "z": significant.dimension_choice_.z}
    facts |= {"elbows": elbows(scree, 3) if len(scree) > 1 else [1], "scree": scree}
    if cross_validation:
        with bar("Cross-validating") as progress:
            found = cross_validate(network, most, folds=folds, progress=progress)
        facts |= {
            "cross_validation": found.smallest_good,
            "least_loss_at": found.best,
            "loss": found.mean,
            "standard_error": found.standard_error,
        }
    print_facts(facts, as_json)
