"""Embeddings by name, from the table of public names: a new method needs no line here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from lpgraph._names import methods, nearest
from lpgraph.cli._errors import CommandError

if TYPE_CHECKING:
    from lpgraph.spectral.wanted import Dimension

__all__ = ["METHODS", "make"]

#: Classes of the embeddings of networks and of points by the command line's names.
METHODS = {
    "lpgraph": methods("lpgraph", "lpgraph.embed"),
    "lpgraph.manifold": methods("lpgraph.manifold", "lpgraph.manifold"),
}
del METHODS["lpgraph"]["out-of-sample"], METHODS["lpgraph.manifold"]["clustering"]
#: Options that only some methods have, by the name of the parameter.
_OPTIONS = {
    "regularizer": "--regularizer",
    "covariates": "--covariates",
    "alpha": "--alpha",
    "n_neighbors": "--neighbors",
    "kernel": "--kernel",
    "components": "--components",
    "landmarks": "--landmarks",
    "landmark_rule": "--landmark-rule",
    "landmark_passes": "--landmark-passes",
}


def make(package: str, method: str, n_components: Dimension, **options: object) -> Any:
    """Return the unfitted embedding of a package; options that are None are not given."""
    if method not in METHODS[package]:
        near = nearest(method, METHODS[package])
        hint = "" if near is None else f" Did you mean {near}?"
        raise CommandError(f"--method={method}; pass one of {', '.join(METHODS[package])}.{hint}")
    estimator = _class(package, method)(n_components)
    given = {key: value for key, value in options.items() if value is not None}
    for key, value in given.items():
        if key not in estimator.get_params(deep=False):
            others = [name for name in METHODS[package] if key in _class(package, name)().get_params(deep=False)]
            shown = f"{value:g}" if isinstance(value, float) else value
            raise CommandError(
                f"{_OPTIONS[key]}={shown} is not for --method {method}; leave it out, or pass --method "
                f"{' or '.join(others)}."
            )
    return estimator.set_params(**given)


def _class(package: str, method: str) -> Any:
    return getattr(sys.modules[package], METHODS[package][method])
