"""Text of other formats than edge lists: it is recognised and refused, with the call that reads it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lpgraph.graph.files.text import Body

__all__ = ["READERS", "refuse_foreign", "remedy"]

_ADJACENCY = "networkx.read_adjlist({path}) (create_using=networkx.DiGraph for arcs)"
_MULTILINE = "networkx.read_multiline_adjlist({path}) (create_using=networkx.DiGraph for arcs)"
_GRAPH6 = "networkx.read_graph6({path})"
_SPARSE6 = "networkx.read_sparse6({path})"
_LEDA = "networkx.read_leda({path}) (with weights as texts in the edge attribute label)"
_DOT = "networkx.nx_pydot.read_dot({path})"
_LGL = "igraph.Graph.Read_Lgl({path}, directed=False) (directed=True for arcs)"
_DIMACS = "igraph.Graph.Read_DIMACS({path}, directed=True)"
_EXCEL = "pandas.read_excel({path}).to_csv({table}, index=False)"
_DL = "igraph.Graph.Read_DL({path})"

#: The expression that reads a file, by suffix.
READERS = {
    ".adjlist": _ADJACENCY,
    ".multiline_adjlist": _MULTILINE,
    ".g6": _GRAPH6,
    ".graph6": _GRAPH6,
    ".s6": _SPARSE6,
    ".sparse6": _SPARSE6,
    ".leda": _LEDA,
    ".lgr": _LEDA,
    ".dot": _DOT,
    ".gv": _DOT,
    ".lgl": _LGL,
    ".dimacs": _DIMACS,
    ".dl": _DL,
    ".npy": "numpy.load({path})",
    ".xlsx": _EXCEL,
}
#: The same, and formats that are read, by a pattern of the beginning.
_BEGINNINGS = [
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), reader)
    for pattern, reader in (
        (r">>graph6<<", _GRAPH6),
        (r">>sparse6<<|:[?-~]+$", _SPARSE6),
        (r"LEDA\.GRAPH", _LEDA),
        (r"(c .*\n)*p +[a-z]+ +[0-9]+ +[0-9]+$", _DIMACS),
        (r"dl +n *=", _DL),
        (r"(strict +)?(di)?graph\b.*\{", _DOT),
        (r"(#.*\n)?# *GMT .*\n(#.*\n)*(.+\n)*?.*\}[ \t\r]*$", _MULTILINE),
        (r"(#.*\n)?# *GMT ", _ADJACENCY),
        (r"# *\S+ *\n[^#\s]+$|# *\S+ *\n[^#\s]+ \S+\n(.*\n)*?# *\S+ *$", _LGL),
        (r"%%MatrixMarket", "mtx"),
        (r"\*(vertices|network|arcs|edges|matrix)\b", "pajek"),
        (r"graph\s*(\[|$)|Creator\b.*\"", "gml"),
        (r"(<\?xml[^>]*>\s*)?<gexf", "gexf"),
        (r"<\?xml|<graphml", "graphml"),
        (r"[{\[]", "json"),
    )
]


def remedy(reader: str, path: str) -> str:
    """Return how a file is read by another library, for `as_adjacency`."""
    if reader == _EXCEL:
        call = reader.format(path=repr(path), table=repr(str(Path(path).with_suffix(".csv"))))
        return f"convert it by {call}, and read that"
    return f"read it by {reader.format(path=repr(path))}, and pass the graph to lp.as_adjacency or lp.write_graph"


def refuse_foreign(body: Body) -> None:
    """Raise if the beginning is that of another format."""
    text = body.source.content[: body.start + 10_000].decode("utf-8", "replace")
    for pattern, reader in _BEGINNINGS:
        if reader == _LGL and body.form != "txt":
            continue
        if pattern.match(text) or pattern.match(body.first_line):
            what = remedy(reader, body.source.path) if "{" in reader else f"pass format={reader!r}"
            raise body.source.error(f"it is no table of edges; {what}", body.line + 1)
