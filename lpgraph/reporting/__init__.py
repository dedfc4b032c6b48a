"""A page about a graph, in one HTML file that needs nothing else."""

from __future__ import annotations

from lpgraph.reporting.report import report

__all__ = ["report"]
