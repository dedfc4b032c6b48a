"""A note about edges that a file lists more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.cli._standard import tell
from lpgraph.cli._terminal import visible

if TYPE_CHECKING:
    from lpgraph.graph.assemble import EdgeList

__all__ = ["note_of_repeats"]


def note_of_repeats(path: str, edges: EdgeList) -> None:
    """Print which edges have weights because a list without weights has them several times.

    A list that has each edge once in both directions is not noted: all of its weights are 2.
    """
    from lpgraph.graph.repeats import Repeats

    if edges.weight is not None or edges.directed:
        return
    found = Repeats.of(edges)
    arcs = edges.source.size - found.repeated
    if not found.repeated and 2 * found.merged == arcs:
        return
    listed = []
    if found.merged:
        listed.append(f"{found.merged} pair{'s' if found.merged > 1 else ''} in both directions")
    if found.repeated:
        listed.append(f"{found.repeated} edge{'s' if found.repeated > 1 else ''} again")
    if listed:
        name = "Standard input" if path == "-" else path
        remedy = "Pass --directed to keep directions, or --unweighted" if found.merged else "Pass --unweighted"
        tell(
            visible(
                f"lpgraph: note: {name} lists {' and '.join(listed)}, so that edges have weights of 2 and more. "
                f"{remedy} if that is not meant."
            )
        )
