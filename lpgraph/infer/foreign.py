"""Errors of classifiers that are passed by the user or read from a file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lpgraph.errors import ArgumentError, LpgraphError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["classifier_errors"]

#: What numpy and scikit-learn raise; not warnings, which a user may have turned into errors.
_KINDS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@contextmanager
def classifier_errors(classifier: object, step: str) -> Iterator[None]:
    """Raise ArgumentError, with the classifier and its own error, if a step fails.

    Parameters
    ----------
    classifier : estimator
        As it was passed, or as it was fitted.
    step : str
        The method that is called.

    Examples
    --------
    >>> from lpgraph.infer.foreign import classifier_errors
    >>> from sklearn.svm import SVC
    >>> with classifier_errors(SVC(C=-1), "fit"):
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
            f"classifier={classifier!r:.300} failed in {step}: {type(error).__name__}: {error}. Change its "
            "parameters, or pass classifier=None."
        ) from error
