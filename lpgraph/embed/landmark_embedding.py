"""Base of the embeddings of networks that can decompose the matrix of landmarks only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.embed.base import NetworkEmbedding
from lpgraph.embed.landmarks import LandmarkChoice, warn_of_unplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.graph.network import Edges, Network
    from lpgraph.spectral.construction import Array, Construction
    from lpgraph.spectral.embedding import SpectralEmbedding
    from lpgraph.spectral.operators import SymmetricOperator

__all__ = ["EmbeddingWithLandmarks"]


class EmbeddingWithLandmarks(NetworkEmbedding):
    """Base of the embeddings with the parameters `landmarks`, `landmark_rule` and `landmark_passes`."""

    landmarks: object
    landmark_rule: str
    landmark_passes: int
    landmarks_: NDArray[np.intp] | None
    nystrom_error_: float | None

    def _by_landmarks(
        self, whole: Construction, items: Network, own: Callable[[Edges], SymmetricOperator] | None = None
    ) -> Construction:
        """Return the construction by landmarks, or that of the whole network if there are none."""
        choice = LandmarkChoice(
            self.landmarks, self.landmark_rule, self.landmark_passes, self.n_components, self.random_state
        )
        return choice.construction(whole, items, own)

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        return {**super()._results(construction, found, positions), "nystrom_error_": found.nystrom_error}

    def _warn(self, eigenvectors: Sequence[Array]) -> None:
        super()._warn(eigenvectors)
        if self.landmarks_ is not None:
            warn_of_unplaced(self.graph_, eigenvectors, self.landmark_passes)

    def _fitted_facts(self) -> list[tuple[str, str]]:
        facts = super()._fitted_facts()
        chosen = vars(self).get("landmarks_")
        if facts and chosen is not None:
            passes = f"{self.landmark_passes} pass{'es' * (self.landmark_passes != 1)}"
            facts += [
                ("landmarks", f"{len(chosen):,}, {passes}"),
                ("Nystrom error", f"{self.nystrom_error_:.4g}"),
            ]
        return facts
