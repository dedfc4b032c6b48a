"""Errors of estimators of other libraries that are passed by the user or read from a file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

__all__ = ["check_classifier", "classifier_errors", "estimator_errors"]

#: What numpy and scikit-learn raise; not warnings, which a user may have turned into errors.
_KINDS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def check_classifier(classifier: object) -> None:
    """Raise ArgumentTypeError if `classifier` is neither None nor an instance of an estimator with labels."""
    needed = ("fit", "predict", "get_params")
    if classifier is None or (
        not isinstance(classifier, type) and all(callable(getattr(classifier, name, None)) for name in needed)
    ):
        return
    remedy = (
        f"{classifier.__name__}()" if isinstance(classifier, type) else "a classifier of scikit-learn, or None"
    )
    raise ArgumentTypeError(f"classifier={classifier!r:.300} is no classifier; pass {remedy}.")


def classifier_errors(classifier: object, step: str) -> AbstractContextManager[None]:
    """Raise ArgumentError, with the classifier and its own error, if a step fails; see `estimator_errors`."""
    return estimator_errors("classifier", classifier, step)


@contextmanager
def estimator_errors(argument: str, estimator: object, step: str) -> Iterator[None]:
    """Raise ArgumentError, with the estimator and its own error, if a step fails.

    Parameters
    ----------
    argument : str
        The argument by which it was passed, whose default is None.
    estimator : estimator
        As it was passed, or as it was fitted.
    step : str
        The method that is called.

    Examples
    --------
    >>> from lpgraph.infer.foreign import estimator_errors
    >>> from sklearn.svm import SVC
    >>> with estimator_errors("classifier", SVC(C=-1), "fit"):
    ...     SVC(C=-1).fit([[0.0], [1.0]], [0, 1])
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentError: classifier=SVC(C=-1) failed in fit: InvalidParameterError: The 'C' parameter...
    """
    try:
        yield
    except LpgraphError:
        raise
    except _KINDS as error:
        raise ArgumentError(
            f"{argument}={estimator!r:.300} failed in {step}: {type(error).__name__}: {error}. Change its "
            f"parameters, or pass {argument}=None."
        ) from error
