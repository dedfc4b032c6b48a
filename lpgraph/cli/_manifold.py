"""Which embedding of points the options ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

__all__ = ["Manifold"]

#: Estimators by the command line's names.
METHODS = {
    "mds": "ClassicalMDS",
    "kernel-pca": "KernelPCA",
    "isomap": "Isomap",
    "eigenmaps": "LaplacianEigenmaps",
    "diffusion": "DiffusionMap",
    "lle": "LocallyLinearEmbedding",
    "semidefinite": "SemidefiniteEmbedding",
}
#: Options that only some methods have, by the name of the parameter.
_OPTIONS = {"n_neighbors": "--neighbors", "kernel": "--kernel", "components": "--components"}

Method = Annotated[str, typer.Option("--method", metavar="NAME", help=f"{', '.join(METHODS)}.")]
Dimension = Annotated[int, typer.Option("--dimension", "-d", metavar="D", help="Number of coordinates.")]
Neighbors = Annotated[
    int | None,
    typer.Option(
        "--neighbors", "-k", metavar="K", help="Nearest neighbours of each point, for the graph of points."
    ),
]
Kernel = Annotated[
    str | None,
    typer.Option(
        "--kernel", metavar="NAME", help="For kernel-pca: linear, rbf, poly, sigmoid, cosine or laplacian."
    ),
]
Components = Annotated[
    str | None,
    typer.Option(
        "--components", metavar="RULE", help="If the graph of points falls apart: error, largest or bridge."
    ),
]


@dataclass(frozen=True)
class Manifold:
    """Which embedding of points."""

    method: Method = "isomap"
    dimension: Dimension = 2
    neighbors: Neighbors = None
    kernel: Kernel = None
    components: Components = None

    def estimator(self) -> Any:
        """Return the unfitted estimator."""
        import lpgraph as lp
        from lpgraph.errors import ArgumentError

        if self.method not in METHODS:
            raise ArgumentError(f"--method={self.method}; pass one of {', '.join(METHODS)}.")
        estimator = getattr(lp.manifold, METHODS[self.method])(self.dimension)
        has = estimator.get_params(deep=False)
        values = {"n_neighbors": self.neighbors, "kernel": self.kernel, "components": self.components}
        given = {key: value for key, value in values.items() if value is not None}
        for key, value in given.items():
            if key not in has:
                raise ArgumentError(
                    f"{_OPTIONS[key]}={value} is not for --method {self.method}; leave it out, or pass another "
                    "method."
                )
        return estimator.set_params(**given)
