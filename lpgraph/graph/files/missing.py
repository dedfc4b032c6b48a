"""Texts that programs write for a missing value, in cells of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MISSING", "warn_of_missing"]

#: What pandas writes or reads for a missing value by default, except for the empty text.
MISSING = frozenset(
    (
        *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"),
        *("NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)


def warn_of_missing(path: str, labels: Iterable[str]) -> None:
    """Warn about the labels of a file that are texts for a missing value, with their number.

    Parameters
    ----------
    path : str
        The file.
    labels : iterable of str
        All labels.

    Examples
    --------
    >>> import warnings
    >>> from lpgraph.graph.files.missing import warn_of_missing
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_missing("labels.csv", ["NA", "wolf", "NA"])
    >>> print(caught[0].message)
    labels.csv: 2 labels 'NA' were read as missing. Write it in another way if it is a class.
    """
    found = [label for label in labels if label in MISSING]
    if found:
        kinds = " or ".join(map(repr, dict.fromkeys(found)))
        what = f"1 label {kinds} was" if len(found) == 1 else f"{len(found)} labels {kinds} were"
        warn(
            f"{path}: {what} read as missing. Write it in another way if it is a class.",
            LpgraphWarning,
        )
