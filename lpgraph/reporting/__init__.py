"""Report on an embedded and clustered network as a self-contained HTML page."""

from __future__ import annotations

from lpgraph.reporting.report import Report, report
from lpgraph.reporting.unusual import UnusualVertices

__all__ = ["Report", "UnusualVertices", "report"]
