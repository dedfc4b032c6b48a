"""Parameters of every estimator set to what they cannot be: the fit works, or says what is wrong.

``PYTHONPATH=tests python -m fuzz.parameters --count 5000``
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np
from fuzz import zoo
from fuzz.harness import main
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from lpgraph.errors import LpgraphError

VALUES: tuple[object, ...] = (
    *(np.array([1, 2]), np.zeros((2, 2)), np.array(["a", "b"]), {}, {"a": 1}, [], [1, 2], (1,), {1, 2}, range(3)),
    *("nonsense", "", "1", b"x", None, True, False, object(), 1j),
    *(float("nan"), float("inf"), -1, 0, 0.5, 1e300, -1e-300, np.int8(3), np.float32(2)),
)


@cache
def fitted() -> tuple[zoo.Fitted, ...]:
    """One fitted estimator of each class and each set of parameters, without pipelines of scikit-learn."""
    left_out = "VertexClassifier(", "fit of "
    found = (make() for name, make in zoo.models().items() if not name.startswith(left_out))
    return tuple(model for model in found if not isinstance(model.model, Pipeline))


def trial(seed: int) -> int:
    """Set a parameter of a model to a value and fit it."""
    rng = np.random.default_rng(seed)
    given = fitted()[rng.integers(len(fitted()))]
    model = clone(given.model)
    parameter = rng.choice(sorted(model.get_params(deep=False)))
    value = VALUES[rng.integers(len(VALUES))]
    try:
        with suppress(LpgraphError):
            model.set_params(**{parameter: value}).fit(*given.training)
    except FileNotFoundError:
        if parameter != "align_to":
            raise
    return 0


if __name__ == "__main__":
    main(trial, "Parameters of a wrong kind.")
