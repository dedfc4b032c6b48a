"""Files that list nodes and edges (GML, GraphML, Pajek, GEXF, JSON) and matrices (npz, Matrix Market).

networkx and scipy read them, but for GML and Pajek. networkx 3.6 refuses GML with parallel edges, numbers such as
1e-05 (which igraph writes) and nodes without labels. In Pajek it merges vertices of one label, reads edges after
arcs as arcs, and refuses vertices without labels. The readers of igraph are not used: damaged files can end the
process.
"""

from __future__ import annotations

import html.entities
import io
import json
import re
import warnings
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias
from xml.parsers import expat

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import Foreign
from lpgraph.errors import FileFormatError
from lpgraph.graph.construct import recognise
from lpgraph.graph.files.source import read_hint
from lpgraph.graph.files.tables import comment_lines, is_number, number_lines
from lpgraph.graph.names import as_names, integer_names, listed, texts_of
from lpgraph.linalg.csr_check import sparse_fault

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import networkx as nx

    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.source import Source

    #: A matrix with names and direction, None if that is not known.
    Graph = nx.Graph[Hashable]
    Matrix = tuple[sparse.csr_array, Sequence[Hashable], bool | None]

#: Keys and values of GML; a list is a list of keys and values again.
_NODES = "a node id is given twice, or an edge ends in no node"
Entries: TypeAlias = list[tuple[str, Foreign]]

NAME_KIND = "lpgraph_names"  # notes in GraphML that names which look like integers are strings

_TOKEN = re.compile(
    r"""\s++|\#[^\n]*+
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*+)
    |(?P<number>[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+(?![A-Za-z0-9_.])|[-+]INF\b)
    |(?P<string>"[^"]*+")|(?P<open>\[)|(?P<close>\])|(?P<other>.)""",
    re.VERBOSE,
)
_ENTITY = re.compile(r"&(?:\#([0-9]{1,7})|\#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));")
_ENCODINGS = re.compile("utf-?(8|16|16le|16be)|(us-)?ascii|(iso-?8859|windows|cp|koi8|latin)[-_]?[0-9ru]+", re.I)
_DEEPEST = 100


def _graph(
    source: Source,
    nodes: Sequence[tuple[Hashable, dict[str, str]]],
    edges: Sequence[tuple[Hashable, Hashable, dict[str, float]]],
    *,
    directed: bool,
) -> Graph:
    """Return the graph of networkx with nodes (id, attributes) and edges (id, id, attributes)."""
    import networkx as nx

    graph: Graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(nodes)
    if len(graph) < len(nodes):
        twice = Counter(node for node, _ in nodes).most_common(1)[0][0]
        raise source.error(f"the node id {str(twice)[:40]!r} is given twice")
    graph.add_edges_from(edges)
    if len(graph) > len(nodes):
        missing = str(list(graph)[len(nodes)])[:40]
        raise source.error(f"an edge ends in {missing!r}, which is no node; add it or drop the edge")
    return graph


def _edges(source: Source, graph: Graph, *keys: str, whole: bool = True) -> EdgeList:
    """Return the edges of a graph; its nodes are called by the first of some attributes that names all of them.

    If `whole`, names that are texts of integers become integers if all are.
    """
    source.check_size(len(graph))
    edges: EdgeList = recognise(graph, source.weight)[0]
    names, attributes = listed(edges.names), dict(edges.vertex_attributes)
    for key in keys:
        values = list(attributes.get(key, ()))
        if None not in values and len(set(map(str, values))) == len(names):
            names = values
            del attributes[key]
            break
    texts = texts_of(names)
    if whole and len(texts) == len(names):
        names = list(integer_names(texts) or texts)
    return replace(edges, names=as_names(names), vertex_attributes=attributes)


def read_gml(source: Source) -> EdgeList:
    """Read GML, as written by igraph, networkx, Gephi and Newman's archive."""
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.content.decode("latin-1")  # GML's own encoding is ASCII with Latin-1 entities
    found = _parse_gml(source, text)
    graphs = [value for key, value in found if key == "graph" and isinstance(value, list)]
    if len(graphs) != 1:
        raise source.error(f"it has {len(graphs) or 'no'} graphs, and is truncated or several files")
    nodes, edges = [], []
    for key, value in graphs[0]:
        # Lists within nodes and edges are drawings.
        data = {k: v for k, v in value if not isinstance(v, list)} if isinstance(value, list) else {}
        try:
            if key == "node":
                nodes.append((data.pop("id"), data))
            elif key == "edge":
                edges.append((data.pop("source"), data.pop("target"), data))
        except KeyError as error:
            raise source.error(f"a node or an edge has no {error.args[0]}") from None
    graph = _graph(source, nodes, edges, directed=dict(graphs[0]).get("directed") == 1)
    of_igraph = str(dict(found).get("Creator", "")).startswith("igraph")
    named = of_igraph or not any("label" in data for _, data in nodes)
    return _edges(source, graph, *(["name"] if named else []), "label", whole=False)


def _parse_gml(source: Source, text: str) -> Entries:
    """Return keys and values; a list is a list of keys and values again."""
    opened: list[Entries] = [[]]
    path: list[str] = []
    key = ""
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind is None:
            continue
        if not key and kind == "word":
            key = token
            continue
        if key and kind == "open" and len(path) < _DEEPEST:
            path.append(key)
            opened.append([])
        elif not key and kind == "close" and path:
            closed = opened.pop()
            opened[-1].append((path.pop(), closed))
        elif key and kind == "string":
            opened[-1].append((key, _ENTITY.sub(_character, token[1:-1])))
        elif key and (kind == "number" or token in ("NAN", "INF")):
            whole = len(token) < 300 and token.lstrip("+-").isdigit()
            opened[-1].append((key, int(token) if whole else float(token)))
        else:
            line = text.count("\n", 0, match.start()) + 1
            raise source.error(f"{token[:40]!r} is not expected here, or lists are nested too deep", line)
        key = ""
    if key or path:
        raise source.error("it is truncated", text.count("\n") + 1)
    return opened[0]


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        code = html.entities.name2codepoint.get(name, 39 if name == "apos" else -1)
    else:
        code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else match.group()


def _check_xml(source: Source) -> Counter[str]:
    """Return the number of elements of each kind; raise if XML is damaged or declares entities of any size."""
    counts: Counter[str] = Counter()

    def refuse(*_: object) -> None:
        raise source.error("it has a document type definition; remove it")

    def declared(_: str, encoding: str | None, __: int) -> None:
        if encoding is not None and _ENCODINGS.fullmatch(encoding) is None:  # any codec of Python would be used
            raise source.error(f"its encoding is {encoding[:40]!r}; save it as UTF-8")

    def count(tag: str, attributes: dict[str, str]) -> None:
        counts[tag.rpartition(":")[2]] += 1
        if tag == "node" and "id" not in attributes:
            raise source.error("a node has no id")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.XmlDeclHandler, parser.StartElementHandler = refuse, declared, count
    try:
        parser.Parse(source.content, True)
    except expat.ExpatError as error:
        raise source.error(f"it is damaged XML: {error}", error.lineno) from None
    return counts


def read_graphml(source: Source) -> EdgeList:
    """Read GraphML by networkx; default values of attributes, which it leaves out, are added."""
    import networkx as nx

    counts = _check_xml(source)
    if counts["graph"] != 1:
        raise source.error(f"it has {counts['graph']} elements <graph>, and should have one")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of drawings, such as ports
        graph: Graph = nx.read_graphml(io.BytesIO(source.content), force_multigraph=True)
    if len(graph) != counts["node"]:  # networkx adds the ends of edges
        raise source.error(_NODES)
    for defaults, rows in (("node_default", graph.nodes.data()), ("edge_default", graph.edges.data())):
        for *_, data in rows:
            data.update({key: value for key, value in graph.graph.get(defaults, {}).items() if key not in data})
    # igraph's ids are row numbers, and its names are an attribute.
    keys = ["name"] if list(graph) == [f"n{i}" for i in range(len(graph))] else []
    return _edges(source, graph, *keys, whole=not keys and graph.graph.get(NAME_KIND) != "string")


def read_gexf(source: Source) -> EdgeList:
    """Read GEXF by networkx, which names nodes by their ids."""
    import networkx as nx

    counts, graph = _check_xml(source), nx.read_gexf(io.BytesIO(source.content))
    if len(graph) != counts["node"]:  # networkx adds the ends of edges
        raise source.error(_NODES)
    return _edges(source, graph)


def read_json(source: Source) -> EdgeList:
    """Read the JSON of nodes and links that networkx and d3 write."""
    import networkx as nx

    content = json.loads(source.content)
    graph = nx.node_link_graph(content, edges="edges" if "edges" in content else "links")
    if len(graph) != len(content["nodes"]):
        raise source.error(_NODES)
    return _edges(source, graph)


def read_pajek(source: Source) -> EdgeList:
    """Read Pajek, whose vertices are called by their labels if these are unique, else by their numbers."""
    labels: list[str] = []
    lines: dict[str, list[tuple[int, int, dict[str, float]]]] = {"*edges": [], "*arcs": []}
    section = ""
    for line, raw in enumerate(source.content.decode("utf-8-sig", "replace").splitlines(), 1):
        fields = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|([^\s"]+)', raw)]
        if not fields or raw[0] == "%":
            continue
        try:
            if raw[0] == "*":
                section = fields[0].lower()
                if section == "*vertices":
                    if labels:
                        raise source.error("it has a second list of vertices; write a file for each", line)
                    source.check_size(int(fields[1]))
                    labels = [str(k) for k in range(1, int(fields[1]) + 1)]
            elif section == "*vertices":
                if int(fields[0]) < 1:
                    raise ValueError  # -1 is a place of a list
                labels[int(fields[0]) - 1] = fields[-1] if len(fields) < 2 else fields[1]
            else:
                weight = {"weight": float(fields[2])} if len(fields) > 2 else {}
                lines[section].append((int(fields[0]), int(fields[1]), weight))
        except FileFormatError:
            raise
        except (ValueError, LookupError):
            raise source.error(f"{raw[:40]!r} is no vertex, edge or arc", line) from None
    edges, arcs = lines["*edges"], lines["*arcs"]
    if arcs:  # an edge is an arc in both directions
        edges += [(two, one, weight) for one, two, weight in edges if one != two]
    nodes = [(k, {"label": label}) for k, label in enumerate(labels, 1)]
    found = _edges(source, _graph(source, nodes, edges + arcs, directed=bool(arcs)), "label")
    return replace(found, vertex_attributes={})


def _finite(source: Source, matrix: Foreign) -> sparse.csr_array:
    """Return a matrix as csr of float64; what is beyond that becomes infinite, and is refused as that."""
    with np.errstate(over="ignore"):
        found = sparse.csr_array(matrix).astype(np.float64, copy=False)
    if not np.isfinite(found.data).all():
        raise source.error("an entry is not a finite number; correct it")
    return found


def read_npz(source: Source) -> Matrix:
    """Read a file of `write_graph` or `scipy.sparse.save_npz`; nothing is unpickled."""
    if not source.content.startswith(b"PK\x03\x04"):
        raise source.error("it is no npz file; write it by lpgraph convert or scipy.sparse.save_npz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types that are refused below
        matrix: Foreign = sparse.load_npz(io.BytesIO(source.content))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "biuf":
        raise source.error(
            f"its matrix has shape {matrix.shape} and dtype {matrix.dtype}; a square real one is needed"
        )
    n = matrix.shape[0]
    source.check_size(n)
    fault = sparse_fault(matrix)
    if fault is not None:
        raise source.error(fault)
    with np.load(io.BytesIO(source.content), allow_pickle=False) as archive:
        names, directed = archive.get("names"), archive.get("directed")
    if names is not None and (names.dtype.kind not in "iU" or names.shape != (n,) or len(np.unique(names)) < n):
        raise source.error(f"its names are not {n} different integers or texts")
    listed_names = range(n) if names is None else names.tolist()
    return _finite(source, matrix), listed_names, None if directed is None else bool(directed.item())


def read_mtx(source: Source) -> Matrix:
    """Read a Matrix Market file; a matrix may be symmetric even if its banner says general.

    scipy's reader ended the process for about 20 of 20,000 mutated files. Here it gets only files whose size,
    number of entries and lines have been checked.
    """
    from scipy.io import mminfo, mmread

    content = source.content
    n, columns, n_listed, layout, field, symmetry = mminfo(io.BytesIO(content))
    if n != columns or field == "complex" or symmetry == "hermitian":
        raise source.error(f"its matrix is {symmetry}, {field} and {n} x {columns}; a square real one is needed")
    source.check_size(n)
    whole, skew = symmetry == "general", symmetry == "skew-symmetric"
    is_list = layout == "coordinate"
    expected = n_listed if is_list else n * n if whole else n * (n + 1) // 2 - n * skew
    comments, start, line = comment_lines(content, content.find(b"\n") + 1, b"%")
    body = content.find(b"\n", start) + 1 or len(content)
    hint = read_hint(source, comments)
    _check_entries(source, body, line + 2, "ii" * is_list + "f" * (field != "pattern"), expected)
    if hint is not None and (len(hint.names) != n or not content.endswith(b"\n")):
        raise source.error(f"it has {n} rows where its comment lines have {len(hint.names)}, or is truncated")
    matrix = _finite(source, mmread(io.BytesIO(content), spmatrix=False))
    if hint is not None:
        return matrix, hint.names, hint.directed
    return matrix, range(n), False if symmetry == "symmetric" else None


def _check_entries(source: Source, start: int, line: int, kinds: str, expected: int) -> None:
    """Raise if lines are no entries, with the number of the first one, or if they are too few or too many."""
    entries = source.content[start:].rstrip()
    if entries and not number_lines(entries, 0, kinds, " "):
        for at, text in enumerate(entries.decode("latin-1").split("\n"), line):
            if len(text.split()) != len(kinds) or not all(map(is_number, text.split())):
                raise source.error(f"{text.strip()[:40]!r} is no entry of this matrix", at)
        raise source.error("an index is no integer")
    found = entries.count(b"\n") + bool(entries)
    if found != expected:
        raise source.error(f"it has {found} lines of entries and should have {expected}; it may be truncated")
