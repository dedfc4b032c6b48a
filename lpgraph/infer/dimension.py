"""How many dimensions an embedding should have: rules that read its scree."""

from __future__ import annotations

from lpgraph.spectral.scree import RULES, elbows, profile_likelihood

__all__ = ["RULES", "elbows", "profile_likelihood"]
