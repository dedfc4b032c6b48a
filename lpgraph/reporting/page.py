"""The HTML page of a report, from the template `page.html`, which escapes all names and labels."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.estimators import clean
from lpgraph.reporting.findings import MOST_SHOWN

if TYPE_CHECKING:
    from lpgraph.reporting.findings import Findings

#: Maximum number of new vertices in their table, and of clusters for which the table of densities is shown.
_LISTED, _DENSITIES = 500, 12


def compose(findings: Findings) -> str:
    """Return the HTML page."""
    from jinja2 import Environment  # not before a report is made

    script, style, template = (
        resources.files("lpgraph.reporting").joinpath(name).read_text(encoding="utf-8").strip()
        for name in ("page.js", "page.css", "page.html")
    )
    environment = Environment(autoescape=True)
    environment.filters |= {"enumerated": enumerate, "product": product}
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    page = environment.from_string(template).render(
        # The policy allows only the script with this hash, so that text in a name is never executed.
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        script=script,
        style=style,
        found=findings,
        points=findings.points(),
        ticks=_ticks(max(map(abs, findings.scree()[0]))),
        most_shown=MOST_SHOWN,
        most_densities=_DENSITIES,
        most_new=_LISTED,
    )
    return clean(page)


def _ticks(highest: float) -> list[float]:
    """Return round numbers from 0 to just above `highest`."""
    raw = max(highest, 1e-300) / 4
    unit = 10.0 ** np.floor(np.log10(raw))
    step = float(next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= raw))
    return [k * step for k in range(int(np.ceil(highest / step - 1e-9)) + 1)]
