"""The logger of edge stores."""

from __future__ import annotations

import logging

__all__ = ["log"]

log = logging.getLogger("lpgraph.scale")
