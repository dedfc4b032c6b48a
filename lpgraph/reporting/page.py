"""HTML of the report, with all names and labels escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from lpgraph._html import clean
from lpgraph.reporting.findings import MOST_SHOWN
from lpgraph.reporting.scree import scree_svg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lpgraph.reporting.findings import Cluster, Findings, Points
    from lpgraph.reporting.new_vertices import NewVertices
    from lpgraph.reporting.unusual import UnusualVertices

__all__ = ["compose", "json_for_html"]

#: Maximum number of new vertices in their table.
_LISTED = 500

#: Maximum number of clusters for which the table of densities is shown.
_DENSITIES = 12


def json_for_html(value: object) -> str:
    """Return JSON for a script element, without "<", which could end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return clean(text)


def _scree(findings: Findings) -> str:
    choice = findings.embedding.dimension_choice_
    estimated = choice is not None and choice.cross_validated
    return scree_svg(*findings.scree(), directed=findings.embedding.directed_, estimated=estimated)


def compose(findings: Findings) -> str:
    """Return the HTML page."""
    script, style = (_asset(name) for name in ("page.js", "page.css"))
    # The policy allows only the script with this hash, so that text in a name is never executed.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    title = escape(clean(findings.title))
    points = findings.points()
    sections = [
        _section("facts", "Graph", _facts(findings.facts())),
        _section("scatter", "Embedding", _scatter(points)),
        _section("scree", "Scree plot", _scree(findings)),
        _section("residuals", "Residuals", _residuals(findings)),
        _section("clusters", "Clusters", _clusters(findings)),
        *(
            []
            if findings.unusual is None
            else [_section("unusual", "Unusual vertices", _unusual(findings.unusual))]
        ),
        *([] if findings.new is None else [_section("new", "New vertices", _new(findings.new))]),
        _section("settings", "Settings", _facts(findings.settings())),
    ]
    body = "\n".join(sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<button type="button" id="theme">Dark</button>
</header>
<main>
{body}
</main>
<footer>Made by lpgraph.</footer>
<script type="application/json" id="points">{json_for_html(points)}</script>
<script>{script}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return resources.files("lpgraph.reporting").joinpath(name).read_text(encoding="utf-8").strip()


def _section(name: str, title: str, body: str) -> str:
    head = f'<section id="section-{name}" aria-labelledby="title-{name}">\n<h2 id="title-{name}">{title}</h2>'
    return f"{head}\n{body}\n</section>"


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    return (
        "<dl>" + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(clean(v))}</dd></div>" for k, v in rows) + "</dl>"
    )


def _scatter(points: Points) -> str:
    axes = "".join(f'<option value="{i}">{escape(name)}</option>' for i, name in enumerate(points["columns"]))
    colours = "".join(f'<option value="{i}">{escape(c["name"])}</option>' for i, c in enumerate(points["colours"]))
    some = ""
    if points["count"] < points["total"]:
        some = f"<p>{points['count']:,} of {points['total']:,} vertices are drawn, sampled at random.</p>"
    names = {"none": "as embedded", "unit": "unit rows", "ranks": "ranks"}
    if points["dimensions"] < 3:
        del names["unit"]
    scales = "".join(f'<option value="{kind}">{name}</option>' for kind, name in names.items())
    return f"""{some}<div class="controls">
<label>horizontal <select id="axis-x">{axes}</select></label>
<label>vertical <select id="axis-y">{axes}</select></label>
<label>positions <select id="scale">{scales}</select></label>
<label>colour <select id="colour">{colours}</select></label>
<label>find <input id="find" type="search" placeholder="name" autocomplete="off"></label>
<span class="buttons"><button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">−</button>
<button type="button" id="reset">Reset</button></span>
</div>
<div class="stage"><canvas id="canvas" tabindex="0" role="img" aria-describedby="how"
aria-label="Scatter of {points["count"]:,} embedded vertices"></canvas><div id="tip" hidden></div></div>
<p id="scaled" class="note"></p>
<p id="said" role="status" aria-live="polite"></p>
<p class="buttons"><button type="button" id="all">Show all</button>
<button type="button" id="none">Hide all</button></p>
<ul id="legend" aria-label="Colours; a checkbox hides or shows its vertices"></ul>
<p id="how" class="note">Point at a vertex to see its name; drag to move; scroll or use the buttons to zoom.
Keyboard: arrow keys move between vertices, + and − zoom, 0 resets.</p>
<noscript><p>Only the scatter plot needs JavaScript.</p></noscript>"""


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
    # The columns: title, whether it has numbers, whether it is shown, and the text of a cluster.
    columns: list[tuple[str, bool, bool, Callable[[Cluster], str]]] = [
        ("cluster", True, True, lambda row: str(row.index)),
        ("vertices", True, True, lambda row: f"{row.size:,}"),
        ("at the origin", True, findings.n_unplaced > 0, lambda row: f"{row.unplaced:,}"),
        ("mean degree", True, True, lambda row: f"{row.degree:.4g}"),
        ("highest degrees", False, True, lambda row: escape(clean(", ".join(row.hubs)))),
        ("most frequent label", False, findings.labels is not None, lambda row: escape(clean(row.label))),
    ]
    columns = [column for column in columns if column[2]]
    cells = [[text(row) for *_, text in columns] for row in findings.clusters()]
    titles, numeric = [title for title, *_ in columns], [number for _, number, *_ in columns]
    text = _table("Clusters, by decreasing number of vertices", titles, cells, numeric)
    k = findings.clustering.n_clusters_
    if k > MOST_SHOWN:
        text += f'<p class="note">The {MOST_SHOWN} largest of {k:,} clusters.</p>'
    if 1 < k <= _DENSITIES:
        shares = findings.densities()
        names = [str(i) for i in range(k)]
        body = [[name, *(_share(value) for value in row)] for name, row in zip(names, shares, strict=True)]
        way = "from row to column" if findings.graph.directed else "by cluster"
        text += _table(f"Fraction of joined pairs, {way}", ["cluster", *names], body, [True] * (k + 1))
    elif k > _DENSITIES:
        text += (
            f'<p class="note">The fractions of joined pairs are shown for at most {_DENSITIES} clusters, '
            f"and there are {k}.</p>"
        )
    return text


def _unusual(found: UnusualVertices) -> str:
    """Return the tables of vertices that fit the clusters worst, and of bridges."""
    parts = []
    worst, bridges = found.shown()
    others = "Other bridges" if len(bridges) < len(found.bridges) else "Bridges"
    for caption, score, form, rows in (
        ("Worst fit to the clusters", "residual", ".1f", worst),
        (f"{others} between clusters", "participation", ".3f", [(row, "") for row in bridges]),
    ):
        if not rows:
            continue
        titles = ["name", "cluster", "degree", score, "clusters of its neighbors"]
        cells = [
            [
                escape(clean(str(row.name))),
                str(row.cluster),
                f"{row.degree:,}",
                f"{row.score:{form}}",
                escape(f"{row.told}{note}"),
            ]
            for row, note in rows
        ]
        parts.append(_table(caption, titles, cells, [False, True, True, True, False]))
    return "".join(parts) + (
        '<p class="note">Expected numbers are those of the other members of the cluster. The residual is '
        "standardised, with mean 0; many neighbors in unexpected clusters make it large. The participation "
        "coefficient is 0 if all neighbors are in one cluster, and 0.5 if they are halved between two; with few "
        "neighbors it is close to that of the other members. A bridge among the vertices of worst fit is listed "
        "once, with its participation coefficient.</p>"
    )


def _new(new: NewVertices) -> str:
    """Return the table of new vertices."""
    columns = zip(new.names, new.clusters.tolist(), new.probabilities.tolist(), new.degrees.tolist(), strict=True)
    rows = [[escape(clean(name)), str(k), f"{p:.3g}", f"{d:,}"] for name, k, p, d in list(columns)[:_LISTED]]
    titles = ["name", "cluster", "probability", "known neighbors"]
    some = "" if len(new.names) <= _LISTED else f"<p>The first {_LISTED} of {len(new.names):,} are listed.</p>"
    return some + _table("New vertices and their most probable clusters", titles, rows, [False, True, True, True])


def _share(value: float) -> str:
    return "no pair" if math.isnan(value) else f"{value:.3g}"


def _residuals(findings: Findings) -> str:
    value = "singular value" if findings.embedding.directed_ else "eigenvalue"
    rows = [[str(k), f"{v:.6g}", f"{r:.1e}"] for k, v, r in findings.residuals()]
    caption = "Measured residual of each eigenpair or singular triplet, relative to its value"
    return _table(caption, ["dimension", value, "residual"], rows, [True, True, True])
