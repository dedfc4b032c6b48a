"""Every error and warning lpgraph raises, so that one ``except`` can tell them apart.

Each message names the argument, the value it had and what to do instead. Every class also derives from the
built-in exception a caller would expect (``ValueError``, ``TypeError``, ``ImportError``, ``RuntimeError``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "ConvergenceError",
    "DatasetError",
    "DisconnectedGraphWarning",
    "FileFormatError",
    "GraphError",
    "LpgraphError",
    "LpgraphWarning",
    "MissingDependencyError",
    "ModelFileError",
    "NotFittedError",
    "ProbabilityError",
    "UnknownVertexError",
]


class LpgraphError(Exception):
    """Base of every error of this library."""


class ArgumentError(LpgraphError, ValueError):
    """A parameter has a value that cannot work; the message says which value would."""


class ArgumentTypeError(LpgraphError, TypeError):
    """A parameter has a type that cannot work; the message says which type would."""


class GraphError(LpgraphError, ValueError):
    """A graph or matrix cannot be used as it is: not square, not finite, empty, not symmetric, too large."""


class ProbabilityError(ArgumentError):
    """A kernel gives an edge probability outside [0, 1]; the message names the pair of positions."""


class UnknownVertexError(LpgraphError, ValueError):
    """A vertex name is not in the graph.

    Parameters
    ----------
    names : iterable of hashable
        Every unknown name; the message shows the first five.
    where : str
        What they were looked up in, and what to do about it.
    """

    def __init__(self, names: Iterable[Any], where: str) -> None:
        self.names = list(names)
        shown = ", ".join(map(repr, self.names[:5])) + (", ..." if len(self.names) > 5 else "")
        plural = "name is" if len(self.names) == 1 else "names are"
        super().__init__(f"{len(self.names)} vertex {plural} unknown: {shown}. {where}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_unknown_vertex, (self.names, str(self))


def _rebuild_unknown_vertex(names: list[Any], message: str) -> UnknownVertexError:
    """Unpickle an `UnknownVertexError` without composing its message a second time."""
    error = UnknownVertexError(names, "")
    error.args = (message,)
    return error


class FileFormatError(LpgraphError, ValueError):
    """A file is truncated, malformed or not of the format its name promises."""


class ModelFileError(FileFormatError):
    """A saved model is truncated, altered, of another version, or no model at all; the message names the file."""


class DatasetError(LpgraphError, OSError):
    """A data set is not at hand and not to be had, or is not what it should be; the message says where it is."""


class MissingDependencyError(LpgraphError, ImportError):
    """An optional package is not installed; the message gives the command that installs it."""


class NotFittedError(LpgraphError, ValueError, AttributeError):
    """An estimator was asked for something that only ``fit`` makes."""


class ConvergenceError(LpgraphError, RuntimeError):
    """An iterative solver stopped before it met its tolerance.

    Parameters
    ----------
    message : str
        What was asked, what was reached and what to change.
    result : object
        The best result so far, with its measured residuals: nothing that was computed is lost.
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.result)


class LpgraphWarning(UserWarning):
    """Base of every warning of this library."""


class DisconnectedGraphWarning(LpgraphWarning):
    """The graph falls into several components, or has vertices without an edge."""
