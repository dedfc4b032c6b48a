"""Significant digits of positions in tables of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DIGITS", "positions_for"]

#: More than positions have by their estimation from one network, and enough to rotate and compare them afterwards.
DIGITS = 10
#: Smallest magnitude of which 10 digits are a whole number divided by an exact power of ten.
_SMALL = 1e-12


def positions_for(path: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions as they are written to a table: all digits in parquet, `DIGITS` in text.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.cli._digits import positions_for
    >>> positions_for("table.csv", np.array([[1 / 3, -2e-15 / 3, 1234567890123.0, 0.0]])).tolist()
    [[0.3333333333, -6.666666667e-16, 1234567890000.0, 0.0]]
    >>> positions_for("table.parquet", np.array([1 / 3])).tolist()
    [0.3333333333333333]
    """
    import numpy as np

    if path.endswith(".parquet"):
        return values
    size = np.abs(values)
    regular = (size >= _SMALL) & (size < 1 / _SMALL)
    exponent = np.floor(np.log10(size, out=np.zeros_like(size), where=regular)).astype(int)
    # Powers of ten up to 10^22 are exact, so that the quotient is the number with these digits.
    shift = 10.0 ** np.abs(DIGITS - 1 - exponent)
    up = exponent < DIGITS
    scaled = np.where(up, np.round(values * shift) / shift, np.round(values / shift) * shift)
    others = [float(f"{value:.{DIGITS}g}") for value in values[~regular].tolist()]
    result = np.where(regular, scaled, values)
    result[~regular] = others
    return result
