"""Report on an embedded and clustered network as a self-contained HTML page."""

from __future__ import annotations

from .report import Report, report
from .unusual import UnusualVertices

__all__ = ["Report", "UnusualVertices", "report"]
