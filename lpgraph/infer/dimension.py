"""Choice of the number of dimensions: rules on the scree, tests, and cross-validation."""

from __future__ import annotations

from lpgraph.infer.rank import residual_subsampling, sign_flips
from lpgraph.infer.validation import DimensionValidation, cross_validate
from lpgraph.spectral.choice import DimensionChoice, joint_dimension
from lpgraph.spectral.scree import RULES, elbows, profile_likelihood

__all__ = [
    "RULES",
    "DimensionChoice",
    "DimensionValidation",
    "cross_validate",
    "elbows",
    "joint_dimension",
    "profile_likelihood",
    "residual_subsampling",
    "sign_flips",
]
