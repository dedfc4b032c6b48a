"""The page: HTML around the findings, every text that is not ours escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from lpgraph.reporting.scree import scree_svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lpgraph.reporting.findings import Findings

__all__ = ["compose", "json_for_html"]

#: Of more clusters than this the table of densities would be a wall of numbers.
_DENSITIES = 12


def json_for_html(value: Any) -> str:
    """Return JSON that can stand in a script element: no "<" in it could end that element, or begin another."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode()


def compose(findings: Findings) -> str:
    """Return the page."""
    script, style = (_asset(name) for name in ("page.js", "page.css"))
    # The only script that may run is the one whose hash stands here, so that nothing in a name ever could.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    title = escape(_clean(findings.title))
    points = findings.points()
    sections = [
        _section("facts", "The graph", _facts(findings.facts())),
        _section("scatter", "The embedded vertices", _scatter(points)),
        _section("scree", "Scree", scree_svg(*findings.scree(), directed=findings.embedding.directed_)),
        _section("residuals", "Residuals", _residuals(findings)),
        _section("clusters", "Clusters", _clusters(findings)),
        _section("settings", "Settings", _facts(findings.settings())),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            '<link rel="icon" href="data:,">',
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            "<header>",
            f"<h1>{title}</h1>",
            '<button type="button" id="theme">Dark</button>',
            "</header>",
            "<main>",
            *sections,
            "</main>",
            "<footer>Made by lpgraph.</footer>",
            f'<script type="application/json" id="points">{json_for_html(points)}</script>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _asset(name: str) -> str:
    return resources.files("lpgraph.reporting").joinpath(name).read_text(encoding="utf-8").strip()


def _clean(text: str) -> str:
    """Return text without what UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _section(name: str, title: str, body: str) -> str:
    head = f'<section id="section-{name}" aria-labelledby="title-{name}">\n<h2 id="title-{name}">{title}</h2>'
    return f"{head}\n{body}\n</section>"


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    return (
        "<dl>" + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(_clean(v))}</dd></div>" for k, v in rows) + "</dl>"
    )


def _scatter(points: dict[str, Any]) -> str:
    axes = "".join(f'<option value="{i}">{escape(name)}</option>' for i, name in enumerate(points["columns"]))
    colours = "".join(f'<option value="{i}">{escape(c["name"])}</option>' for i, c in enumerate(points["colours"]))
    some = ""
    if points["count"] < points["total"]:
        some = f"<p>{points['count']:,} of {points['total']:,} vertices are drawn, chosen at random.</p>"
    return f"""{some}<div class="controls">
<label>across <select id="axis-x">{axes}</select></label>
<label>up <select id="axis-y">{axes}</select></label>
<label>colour <select id="colour">{colours}</select></label>
<label>find <input id="find" type="search" placeholder="name" autocomplete="off"></label>
<span class="buttons"><button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">−</button>
<button type="button" id="reset">Reset</button></span>
</div>
<div class="stage"><canvas id="canvas" tabindex="0" role="img" aria-describedby="how"
aria-label="Scatter of {points["count"]:,} embedded vertices"></canvas><div id="tip" hidden></div></div>
<p id="said" role="status" aria-live="polite"></p>
<ul id="legend" aria-label="Colours; a box hides or shows its vertices"></ul>
<p id="how" class="note">Point at a vertex for its name; drag to move, scroll or use the buttons to zoom.
By keyboard: arrow keys go from vertex to vertex, + and − zoom, 0 resets.</p>
<noscript><p>The scatter needs JavaScript; everything else on this page does not.</p></noscript>"""


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]) -> str:
    def cell(text: str, number: bool, first: bool) -> str:
        kind = ' class="number"' if number else ""
        return f'<th scope="row"{kind}>{text}</th>' if first else f"<td{kind}>{text}</td>"

    columns = list(numeric)
    title = "".join(
        f'<th scope="col"{" class=number" if n else ""}>{t}</th>' for t, n in zip(head, columns, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(cell(text, number, i == 0) for i, (text, number) in enumerate(zip(row, columns, strict=True)))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{title}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _clusters(findings: Findings) -> str:
    rows = findings.clusters()
    head, numeric = ["cluster", "vertices", "mean degree", "most connected"], [True, True, True, False]
    cells = [
        [str(row["cluster"]), f"{row['size']:,}", f"{row['degree']:.4g}", escape(_clean(", ".join(row["hubs"])))]
        for row in rows
    ]
    if findings.labels is not None:
        head.append("most frequent label")
        numeric.append(False)
        for row, line in zip(rows, cells, strict=True):
            line.append(escape(_clean(row["label"])))
    text = _table("Clusters of a Gaussian mixture, chosen by BIC", head, cells, numeric)
    shares = findings.densities()
    k = len(shares)
    if 1 < k <= _DENSITIES:
        names = [str(i) for i in range(k)]
        body = [[name, *(_share(value) for value in row)] for name, row in zip(names, shares, strict=True)]
        way = "from row to column" if findings.graph.directed else "by clusters"
        text += _table(f"Share of pairs joined, {way}", ["cluster", *names], body, [True] * (k + 1))
    return text


def _share(value: float) -> str:
    return "no pair" if math.isnan(value) else f"{value:.3g}"


def _residuals(findings: Findings) -> str:
    value = "singular value" if findings.embedding.directed_ else "eigenvalue"
    rows = [[str(k), f"{v:.6g}", f"{r:.1e}"] for k, v, r in findings.residuals()]
    note = '<p class="note">Measured, relative to the value: how far each pair is from solving its equation.</p>'
    return note + _table("Residuals", ["dimension", value, "residual"], rows, [True, True, True])
