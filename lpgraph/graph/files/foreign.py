"""Formats that are recognised and refused, with the function of another library that reads them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lpgraph.graph.files.titles import is_number

if TYPE_CHECKING:
    from lpgraph.graph.files.text import Body

__all__ = ["MULTILINE", "READERS", "refuse_foreign", "remedy"]

_PAJEK = "igraph.Graph.Read_Pajek({path})"
_ADJACENCY_LIST = "networkx.read_adjlist({path}) (create_using=networkx.DiGraph for arcs)"
MULTILINE = "networkx.read_multiline_adjlist({path}) (create_using=networkx.DiGraph for arcs)"
_GRAPH6 = "networkx.read_graph6({path})"
_SPARSE6 = "networkx.read_sparse6({path})"
_LEDA = "networkx.read_leda({path}) (with weights as texts in the edge attribute label)"
_GEXF = "networkx.read_gexf({path})"
_JSON = "networkx.node_link_graph(json.loads(pathlib.Path({path}).read_text()))"
_DOT = "networkx.nx_pydot.read_dot({path})"
_LGL = "igraph.Graph.Read_Lgl({path}, directed=False) (directed=True for arcs)"
_DIMACS = "igraph.Graph.Read_DIMACS({path}, directed=True)"
_EXCEL = "pandas.read_excel({path})"
_DL = "igraph.Graph.Read_DL({path})"

#: The expression that reads a file, by suffix.
READERS = {
    ".net": _PAJEK,
    ".paj": _PAJEK,
    ".pajek": _PAJEK,
    ".adjlist": _ADJACENCY_LIST,
    ".multiline_adjlist": MULTILINE,
    ".g6": _GRAPH6,
    ".graph6": _GRAPH6,
    ".s6": _SPARSE6,
    ".sparse6": _SPARSE6,
    ".leda": _LEDA,
    ".lgr": _LEDA,
    ".gexf": _GEXF,
    ".json": _JSON,
    ".dot": _DOT,
    ".gv": _DOT,
    ".lgl": _LGL,
    ".dimacs": _DIMACS,
    ".dl": _DL,
    ".npy": "numpy.load({path})",
    ".xlsx": _EXCEL,
}
#: The same, by a pattern of the first line.
_FIRST_LINES = [
    (re.compile(pattern, re.IGNORECASE), kind, reader)
    for pattern, kind, reader in (
        (r"\*(vertices|network|arcs|edges|matrix)\b", "a Pajek file", _PAJEK),
        (r">>graph6<<", "a graph6 file", _GRAPH6),
        (r">>sparse6<<|:[?-~]+$", "a sparse6 file", _SPARSE6),
        (r"LEDA\.GRAPH", "a LEDA file", _LEDA),
        (r"p +[a-z]+ +[0-9]+ +[0-9]+$", "a DIMACS file", _DIMACS),
        (r"dl +n *=", "a UCINET DL file", _DL),
        (r"(strict +)?(di)?graph\b.*\{", "a DOT file", _DOT),
        (r"[{\[]", "JSON", _JSON),
    )
]
_FORMATS = [
    (re.compile(r"graph\s*(\[|$)|Creator\b.*\""), "GML", "gml"),
    (re.compile(r"<\?xml|<graphml", re.IGNORECASE), "XML", "graphml"),
]
_TEXT_DRAWING = re.compile(r"[╙╟]|\+--|L-- ")
_PROBLEM_LINE = re.compile(r"^p +[a-z]+ +[0-9]+ +[0-9]+ *$", re.MULTILINE)
_VERTEX_LINE = re.compile(rb"^# *+\S++ *+$", re.MULTILINE)
_DICT_LINE = re.compile(rb"\}[ \t\r]*+$", re.MULTILINE)


def remedy(reader: str, path: str) -> str:
    """Return how a file is read: by another library, for `as_adjacency`, or after conversion to csv."""
    if reader == _EXCEL:
        missing = [name for name in ("pandas", "openpyxl") if importlib.util.find_spec(name) is None]
        install = f" (pip install {' '.join(missing)})" if missing else ""
        table = str(Path(path).with_suffix(".csv"))
        call = f"{reader.format(path=repr(path))}.to_csv({table!r}, index=False)"
        return f"convert it by {call}{install}, and read that"
    return f"read it by {reader.format(path=repr(path))}, and pass the graph to lp.as_adjacency or lp.write_graph"


def refuse_foreign(body: Body) -> None:
    """Raise if the lines are of another format, as the first line, the comments or the whole say."""
    first, source, at = body.first_line, body.source, body.line + 1
    if body.comments and body.comments[0].startswith("%MatrixMarket"):
        raise source.error("it is a Matrix Market file; pass format='mtx'", 1)
    for pattern, kind, form in _FORMATS:
        if pattern.match(first):
            if form == "graphml" and "<gexf" in body.beginning[:2000]:
                raise source.error(f"it is a GEXF file; {remedy(_GEXF, source.path)}", at)
            raise source.error(f"it is {kind}; pass format={form!r}", at)
    for pattern, kind, reader in _FIRST_LINES:
        if pattern.match(first):
            raise source.error(f"it is {kind}; {remedy(reader, source.path)}", at)
    if first.split(" ")[0] == "c" and _PROBLEM_LINE.search(body.beginning):
        raise source.error(f"it is a DIMACS file; {remedy(_DIMACS, source.path)}", at)
    if _TEXT_DRAWING.match(first):
        raise source.error(
            "it is a drawing by networkx.write_network_text; write it by networkx.write_edgelist", at
        )
    _refuse_lists(body)
    _refuse_small_matrix(body)


def _refuse_lists(body: Body) -> None:
    """Raise for lists of neighbors, whose lines may look like edges with weights."""
    comments, at, path = body.comments, body.line + 1, body.source.path
    if len(comments) > 1 and comments[1].startswith("GMT "):  # networkx writes this above adjacency lists only
        reader = MULTILINE if _DICT_LINE.search(body.source.content, body.start) else _ADJACENCY_LIST
        raise body.source.error(f"it is an adjacency list of networkx; {remedy(reader, path)}", at)
    lone = body.form == "txt" and bool(comments) and len(comments[-1].split()) == 1
    if lone and (len(body.first_line.split()) == 1 or _VERTEX_LINE.search(body.source.content, body.start)):
        raise body.source.error(
            f"its lines '# vertex' make it an LGL file; {remedy(_LGL, path)}, or remove these lines", at
        )


def _refuse_small_matrix(body: Body) -> None:
    """Raise for three lines of three numbers that could be a matrix with an empty diagonal."""
    if body.size > 1000:
        return
    rows = [fields for _, fields in body.records()]
    numbers = len(rows) == 3 and all(len(row) == 3 and all(map(is_number, row)) for row in rows)
    if numbers and all(float(rows[i][i]) == 0 for i in range(3)):
        raise body.source.error(
            "its 3 lines could be edges or the rows of a matrix; pass header=False for edges, or pass "
            "lp.as_adjacency the matrix",
            body.line + 1,
        )
