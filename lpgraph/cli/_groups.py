"""Options that go together, said once: a command takes the group, the command line shows its options.

`as_command` puts the options of each group a function takes in its place, and hands the function the group again.
Groups come after ``*``, so that a function need not say their defaults.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from lpgraph.cli._options import (
    Clusters,
    Column,
    Dimension,
    Directed,
    Format,
    Labels,
    Method,
    Regularizer,
    Unweighted,
    Weight,
)

if TYPE_CHECKING:
    from lpgraph.graph.adjacency import Adjacency

__all__ = ["Colouring", "Edges", "Fitting", "Flat", "Reading", "as_command"]


@dataclass(frozen=True)
class Edges:
    """How a file's edges are read."""

    form: Format = None
    weight: Weight = "weight"
    unweighted: Unweighted = False

    @property
    def options(self) -> dict[str, Any]:
        """The same as keywords of `lpgraph.cli._inputs.read_graph`."""
        return {"format": self.form, "weight": self.weight, "unweighted": self.unweighted}


@dataclass(frozen=True)
class Reading(Edges):
    """How a file's edges are read as a graph."""

    directed: Directed = None

    def read(self, path: str, **rules: Any) -> Adjacency:
        """Read the graph that a command is about."""
        from lpgraph.cli._inputs import read_graph

        return read_graph(path, directed=self.directed, **self.options, **rules)


@dataclass(frozen=True)
class Fitting:
    """Which embedding is fitted."""

    method: Method = "adjacency"
    dimension: Dimension = "elbow"
    regularizer: Regularizer = None

    def embedding(self, graph: Adjacency) -> Any:
        """Return the unfitted embedding."""
        from lpgraph.cli._fit import make_embedding

        return make_embedding(graph, self.method, self.dimension, self.regularizer)


@dataclass(frozen=True)
class Flat(Fitting):
    """Which embedding is fitted for a picture."""

    dimension: Dimension = "2"


@dataclass(frozen=True)
class Colouring:
    """What tells vertices apart."""

    labels: Labels = None
    column: Column = None
    clusters: Clusters = None

    def known(self, graph: Adjacency) -> dict[Any, Any] | None:
        """Read the labels, if there are any."""
        from lpgraph.cli._inputs import vertex_labels
        from lpgraph.errors import ArgumentError

        if self.labels is not None:
            return vertex_labels(self.labels, graph, self.column)
        if self.column is not None:
            raise ArgumentError(f"--column={self.column} is a column of --labels; pass that too.")
        return None

    def kinds(self, graph: Adjacency, positions: Any) -> tuple[Any, Any]:
        """Return what colours the vertices at some positions, and the mixture if they are clustered."""
        from lpgraph.cli._progress import computing
        from lpgraph.cli._values import as_range
        from lpgraph.errors import ArgumentError

        if self.labels is not None and self.clusters is not None:
            raise ArgumentError("--labels and --clusters both say how to colour the vertices; pass one of them.")
        known = self.known(graph)
        if known is not None:
            missing = "unlabelled" if any(isinstance(label, str) for label in known.values()) else -1
            return [known.get(name, missing) for name in graph.names], None
        if self.clusters is None:
            return None, None
        from lpgraph.infer.mixture import choose_mixture

        with computing(f"Clustering {graph.n_vertices} vertices"):
            mixture = choose_mixture(positions, as_range("--clusters", self.clusters))
        return mixture.predict(positions), mixture


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Return the command of a function: groups as options, the lines of the help's example kept."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        shown = [parameter.replace(annotation=hints[name])]
        if name in groups:
            inner = get_type_hints(groups[name], include_extras=True)
            shown = [
                parameter.replace(name=field.name, default=field.default, annotation=inner[field.name])
                for field in fields(groups[name])
            ]
        # By keyword all, so that their order is free.
        parameters += [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in shown]

    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        function(**given)

    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("\n\nExample", "\n\n\b\nExample")
    return command
