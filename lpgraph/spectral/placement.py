"""Placement of new items: kernel rows and extensions. No estimator is needed, and scikit-learn is not imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._slices import slices
from lpgraph.errors import ArgumentError
from lpgraph.spectral.construction import Array, NewRows
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.embedding import SpectralEmbedding

__all__ = ["Placement"]

#: Numbers of dense new items that are placed at a time: 64 MB.
_NUMBERS = 1 << 23


@dataclass(frozen=True, eq=False)
class Placement:
    """The part of a fitted embedding that places new items; it can be loaded separately from a saved model.

    Attributes
    ----------
    new_rows : NewRows
        Kernel rows of new items.
    extensions : mapping of str to Extension
        By side: "out", and "in" for a directed network.
    prefix : str
        First part of the names of the coordinates.
    """

    new_rows: NewRows
    extensions: Mapping[str, Extension]
    prefix: str

    @classmethod
    def of(cls, construction: Construction, found: SpectralEmbedding, prefix: str) -> Placement:
        """Return the placement that belongs to an embedding."""
        out, lift = found.extension, construction.lift
        extensions = {"out": out if lift is None else replace(out, basis=lift(out.basis))}
        if found.extension_in is not None:
            extensions["in"] = found.extension_in
        return cls(construction.new_rows.fitted(found.extension.basis), extensions, prefix)

    def _batches(self, new: NDArray[Any] | sparse.csr_array, n: int) -> Iterator[slice]:
        """Return slices of the new items that are placed at a time, when n items have a row in the basis."""
        step = self.new_rows.batch(n)
        if not isinstance(new, sparse.csr_array):
            step = min(step, _NUMBERS // max(1, new.shape[1]))
        return slices(new.shape[0], step)

    @property
    def columns(self) -> list[str]:
        """Names of the coordinates."""
        return [f"{self.prefix}{k}" for k in range(self.extensions["out"].basis.shape[1])]

    def __call__(self, new: NDArray[Any] | sparse.csr_array, side: str = "out") -> Array:
        """Return the (m, d) positions of m new items; raise ArgumentError if one is not finite.

        The position of an item is the same, bit for bit, alone, in any batch, and with any number of threads.
        """
        extension = self.extensions[side]
        if self.new_rows.plain:
            return extension(new)
        result = np.empty((new.shape[0], extension.basis.shape[1]))
        for part in self._batches(new, len(extension.basis)):
            # A slice of a sparse array is a copy.
            some: Any = new if part.stop - part.start == new.shape[0] else new[part]
            if isinstance(some, np.ndarray):  # points may be of another type
                some = np.asarray(some, dtype=np.float64)
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                rows = self.new_rows(some, side)
                if isinstance(rows, sparse.csr_array) and not rows.has_sorted_indices:
                    # Sums are taken in the order of the entries, which may depend on the other rows.
                    rows = rows.sorted_indices()
                result[part] = self.new_rows.finish(extension(rows), some)
        if not np.isfinite(result).all():
            i = int(np.argmin(np.isfinite(result).all(axis=1)))
            raise ArgumentError(
                f"New item {i} has no finite position, because its values or those of the model are too large; "
                "pass items of the magnitude of the training items."
            )
        return result
