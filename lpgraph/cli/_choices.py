"""Values of options that the shell completes.

They are written here, since the library's own tables would import numpy for the help; a test compares both.
"""

from __future__ import annotations

from dataclasses import dataclass

from lpgraph._names import nearest
from lpgraph.cli._errors import CommandError
from lpgraph.cli._methods import METHODS

__all__ = [
    "AUTO",
    "CLASSIFIERS",
    "CLUSTERINGS",
    "COMPONENTS",
    "DIMENSIONS",
    "DIRECTIONS",
    "FEATURES",
    "FITTED_MODELS",
    "FORMATS",
    "KERNELS",
    "LANDMARK_RULES",
    "LOOPS",
    "MEAN",
    "MEASURES",
    "MULTI_EDGES",
    "NETWORK_METHODS",
    "POINT_METHODS",
    "RULES",
    "SCALES",
    "SHARD_FORMATS",
    "STORED_EDGES",
    "UNKNOWN",
    "WEIGHTS",
    "WRITTEN",
    "Choices",
]


@dataclass(frozen=True)
class Choices:
    """Names that an option may have as its value.

    Attributes
    ----------
    values : tuple of str
        The names; other values, such as numbers, may be allowed in addition.
    several : bool
        Whether the value may be several names, separated by commas.
    numbers : bool
        Whether the value may also be a number.
    """

    values: tuple[str, ...]
    several: bool = False
    numbers: bool = False

    def __str__(self) -> str:
        return f"{', '.join(self.values[:-1])} or {self.values[-1]}" if len(self.values) > 1 else self.values[0]

    def complete(self, incomplete: str) -> list[str]:
        """Return the values that begin with a text, for the completion by the shell."""
        before, comma, begun = incomplete.rpartition(",") if self.several else ("", "", incomplete)
        passed = before.split(",")
        return [f"{before}{comma}{name}" for name in self.values if name.startswith(begun) and name not in passed]

    def check(self, option: str, value: str) -> str:
        """Return a value that is one of the names."""
        if value not in self.values:
            near = nearest(value, self.values)
            hint = "" if near is None else f" Did you mean {near}?"
            raise CommandError(f"{option}={value}; pass {'a number, ' if self.numbers else ''}{self}.{hint}")
        return value


NETWORK_METHODS = Choices(tuple(METHODS["lpgraph"]))
POINT_METHODS = Choices(tuple(METHODS["lpgraph.manifold"]))
WRITTEN = Choices(("csv", "tsv", "txt", "parquet", "graphml", "gml", "mtx", "npz"))
FORMATS = Choices((*WRITTEN.values, "pajek", "gexf", "json"))
DIMENSIONS = Choices(
    ("eigenvalue_cv", "sign_flips", "residual_subsampling", "elbow", "second_elbow", "third_elbow"), numbers=True
)
KERNELS = Choices(("linear", "rbf", "poly", "sigmoid", "cosine", "laplacian"))
COMPONENTS = Choices(("error", "largest", "bridge"))
LANDMARK_RULES = Choices(("degree", "uniform", "leverage"))
RULES = Choices(("least_squares", "likelihood", "batch"))
DIRECTIONS = Choices(("out", "in"))
MEASURES = Choices(("degree", "residual", "closure", "novelty", "position"), several=True)
FEATURES = Choices(("unit_rows", "positions", "degrees", "neighbor_labels"), several=True)
CLASSIFIERS = Choices(("logistic", "lda", "knn"))
CLUSTERINGS = Choices(("directions", "gaussian"))
SCALES = Choices(("auto", "none", "unit", "ranks"))
UNKNOWN = Choices(("warn", "error", "ignore"))
FITTED_MODELS = Choices(("dcsbm", "sbm", "rdpg", "erdos-renyi"))
LOOPS = Choices(("keep", "drop", "error"))
MULTI_EDGES = Choices(("sum", "collapse", "error"))
STORED_EDGES = Choices(("sum", "collapse"))
SHARD_FORMATS = Choices(("csv", "tsv", "txt", "parquet", "feather"))
#: Names for values that are numbers otherwise.
MEAN = Choices(("mean",))
AUTO = Choices(("auto",))
WEIGHTS = Choices(("balance", "kmeans"), numbers=True)
