"""Files that list nodes and edges with attributes: GML, GraphML, Pajek, GEXF and JSON of nodes and links.

GML, GraphML and Pajek have readers of their own. Those of networkx 3.6 for GML and GraphML take 3 to 5 times as
long. For GML it also refuses parallel edges and Latin-1, and fails for 1e-05; for GraphML it leaves out default
values and accepts edges of undeclared nodes; for Pajek it merges vertices of one label, reads edges after arcs as
arcs, and refuses vertices without labels. The readers of igraph are not used: damaged files can end the process.
"""

from __future__ import annotations

import html.entities
import io
import json
import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from lpgraph.errors import FileFormatError
from lpgraph.graph.assemble import EdgeList
from lpgraph.graph.convert import recognise
from lpgraph.graph.files.hints import integer_names
from lpgraph.graph.names import as_names
from lpgraph.graph.unused_weights import may_be_weight, report_unused

if TYPE_CHECKING:
    import networkx as nx

    from lpgraph.graph.files.source import Source

    #: Id and attributes of a node; source, target and attributes of an edge.
    Node = tuple[Hashable, dict[str, object]]
    Edge = tuple[Hashable, Hashable, dict[str, object]]

__all__ = ["NAME_KIND", "read_gexf", "read_gml", "read_graphml", "read_json", "read_pajek"]

NAME_KIND = "lpgraph_names"  # notes in GraphML that names which look like integers are strings

_TOKEN = re.compile(
    r"""(?:\s++|\#[^\n]*+)*+(?:
     (?P<word>[A-Za-z_][A-Za-z0-9_]*+)
    |(?P<number>[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+(?![A-Za-z0-9_.])|[-+]INF\b)
    |(?P<string>"[^"]*+")
    |(?P<open>\[)|(?P<close>\])|(?P<end>\Z))""",
    re.VERBOSE,
)
_ENTITY = re.compile(r"&(?:\#([0-9]{1,7})|\#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));")
_ENCODINGS = re.compile("utf-?(8|16|16le|16be)|(us-)?ascii|(iso-?8859|windows|cp|koi8|latin)[-_]?[0-9ru]+", re.I)
_DEEPEST = 100
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def _edge_list(
    source: Source, nodes: Sequence[Node], edges: Sequence[Edge], names: Sequence[Hashable], *, directed: bool
) -> EdgeList:
    """Return the edges between nodes; their weight is the attribute of that name, or 1."""
    source.check_size(len(nodes))
    row = {node: i for i, (node, _) in enumerate(nodes)}
    if len(row) < len(nodes) or None in row:
        twice = next(node for i, (node, _) in enumerate(nodes) if node is None or row[node] != i)
        raise source.error(
            "a node has no id" if twice is None else f"the node id {str(twice)[:40]!r} is given twice"
        )
    key = source.weight
    weighted = key is not None and any(key in attributes for *_, attributes in edges)
    if edges and key is not None and not weighted:
        found = {name for *_, attributes in edges[:1000] for name in may_be_weight(attributes)}
        report_unused(key, sorted(found), "{}", what=source.path)
    ends, weights = np.empty((2, len(edges)), dtype=np.intp), np.ones(len(edges))
    for k, (one, other, attributes) in enumerate(edges):
        if one not in row or other not in row:
            missing = str(one if one not in row else other)[:40]
            raise source.error(f"an edge ends in {missing!r}, which is no node; add it or drop the edge")
        ends[0, k], ends[1, k] = row[one], row[other]
        value = 1.0 if key is None else attributes.get(key, 1.0)
        if not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 1e308:
            raise source.error(
                f"the edge {one!r}, {other!r} has {key}={str(value)[:40]!r}, which is no finite number"
            )
        weights[k] = value
    columns: dict[str, list[object]] = {}
    for i, (_, attributes) in enumerate(nodes):
        for name, value in attributes.items():
            column = columns.setdefault(name, [None] * len(nodes))
            column[i] = value
    return EdgeList(as_names(names), ends[0], ends[1], weights if weighted else None, directed, columns)


def _attribute(nodes: Sequence[Node], key: str) -> list[object] | None:
    """Return an attribute and take it out, if every node has it and no two values are written alike."""
    values = [attributes.get(key) for _, attributes in nodes]
    if not nodes or None in values or len(set(map(str, values))) < len(nodes):
        return None
    for _, attributes in nodes:
        del attributes[key]
    return values


def read_gml(source: Source) -> EdgeList:
    """Read GML, as written by igraph, networkx, Gephi and Newman's archive."""
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.content.decode("latin-1")  # GML's own encoding is ASCII with Latin-1 entities
    nodes: list[Node] = []
    edges: list[Edge] = []
    facts = _parse_gml(source, text, nodes, edges)
    of_igraph = str(facts.get("Creator", "")).startswith("igraph")
    unlabelled = not any("label" in attributes for _, attributes in nodes)
    names = _attribute(nodes, "name") if of_igraph or unlabelled else None
    names = names or _attribute(nodes, "label") or [node for node, _ in nodes]
    return _edge_list(source, nodes, edges, names, directed=facts.get("directed") == 1)


def _parse_gml(source: Source, text: str, nodes: list[Node], edges: list[Edge]) -> dict[str, object]:
    """Add nodes and edges; return the attributes of the graph, and the creator of the file."""
    path: list[str] = []  # keys of the lists that are open
    values: list[dict[str, object]] = [{}]  # what has been read of each; lists within nodes and edges are dropped
    graph: dict[str, object] | None = None
    key, at, match_token = "", 0, _TOKEN.match
    while True:
        match = match_token(text, at)
        kind = match.lastgroup if match else None
        if match is None or kind is None:
            raise source.error(f"near {text[at : at + 40].strip()!r} it is not GML", text.count("\n", 0, at) + 1)
        at, token = match.end(), match[kind]
        if not key and kind == "word":
            key = token
            continue
        if not key and kind == "close" and path:
            closed = values.pop()
            try:
                if path == ["graph", "node"]:
                    nodes.append((closed.pop("id"), closed))
                elif path == ["graph", "edge"]:
                    edges.append((closed.pop("source"), closed.pop("target"), closed))
            except KeyError as error:
                what = f"a node or an edge has no {error.args[0]}"
                raise source.error(what, text.count("\n", 0, at) + 1) from None
            if path == ["graph"]:
                if graph is not None:
                    raise source.error("it has more than one graph", text.count("\n", 0, at) + 1)
                graph = closed
            path.pop()
        elif not key and kind == "end" and not path and graph is not None:
            return {**graph, "Creator": values[0].get("Creator", "")}
        elif key and kind == "open" and len(path) < _DEEPEST:
            path.append(key)
            values.append({})
        elif key and kind == "string":
            values[-1][key] = _ENTITY.sub(_character, token[1:-1])
        elif key and (kind == "number" or token in ("NAN", "INF")):
            whole = len(token) < 300 and token.lstrip("+-").isdigit()
            values[-1][key] = int(token) if whole else float(token)
        else:
            what = "it is truncated" if kind == "end" else f"{token[:40]!r} is not expected here"
            what = f"lists are nested more than {_DEEPEST} deep" if key and kind == "open" else what
            what = "it has no graph" if kind == "end" and not key and not path else what
            raise source.error(what, text.count("\n", 0, at) + 1)
        key = ""


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    code = html.entities.name2codepoint.get(name, 39 if name == "apos" else None) if name else None
    if not name:
        code = int(decimal) if decimal else int(hexadecimal, 16)
    return match.group() if code is None or code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


def read_graphml(source: Source) -> EdgeList:
    """Read GraphML as a stream, so that a large file is never in memory as a tree."""
    _check_xml(source)
    keys: dict[str, tuple[str, str]] = {}  # id -> name and type
    defaults: dict[str, dict[str, object]] = {"node": {}, "edge": {}, "graph": {}}
    graphs: list[ElementTree.Element] = []
    seen = False
    nodes: list[Node] = []
    edges: list[Edge] = []
    for event, element in ElementTree.iterparse(io.BytesIO(source.content), events=("start", "end")):
        tag, attributes = element.tag.rpartition("}")[2], element.attrib
        if event == "start":
            if tag != "graphml" and not seen:
                raise source.error(f"its outermost element is <{tag[:40]}>, not <graphml>")
            seen = True
            if tag == "graph":
                graphs.append(element)
                if len(graphs) > 1 or element.get("edgedefault", "directed") not in ("directed", "undirected"):
                    raise source.error("it has more than one <graph>, or an edgedefault that is no direction")
            continue
        if tag == "key":
            keys[attributes["id"]] = element.get("attr.name", attributes["id"]), element.get("attr.type", "string")
            for child in element:
                for kind in defaults if child.tag.endswith("default") else ():
                    if element.get("for", "all") in (kind, "all"):
                        defaults[kind] |= _value(source, keys, attributes["id"], child.text or "")
        elif tag == "node":
            nodes.append((element.get("id"), defaults[tag] | _data(source, keys, element)))
        elif tag == "edge":
            _check_direction(source, element.get("directed"), graphs)
            edges.append(
                (element.get("source"), element.get("target"), defaults[tag] | _data(source, keys, element))
            )
        elif tag == "hyperedge":
            raise source.error("it has a <hyperedge>; edges join two nodes here")
        if tag in ("node", "edge"):
            element.clear()
    if not graphs:
        raise source.error("it has no <graph>")
    facts = defaults["graph"] | _data(source, keys, graphs[0])
    ids = [node for node, _ in nodes]
    names: Sequence[Hashable] | None = None
    if ids == [f"n{i}" for i in range(len(ids))]:
        names = _attribute(nodes, "name")  # igraph's way: ids are row numbers, names an attribute
    if names is None:
        names = ids if facts.get(NAME_KIND) == "string" else integer_names(list(map(str, ids))) or ids
    return _edge_list(source, nodes, edges, names, directed=graphs[0].get("edgedefault") == "directed")


def _check_xml(source: Source) -> None:
    """Raise if XML is damaged, or declares entities, which may be of any size."""

    def refuse(*_: object) -> None:
        raise source.error("it has a document type definition; remove it")

    def declared(_: str, encoding: str | None, __: int) -> None:
        if encoding is not None and _ENCODINGS.fullmatch(encoding) is None:
            raise source.error(f"its encoding is {encoding[:40]!r}; save it as UTF-8")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.XmlDeclHandler = refuse, declared
    try:
        parser.Parse(source.content, True)
    except expat.ExpatError as error:
        raise source.error(f"it is damaged XML: {error}", error.lineno) from None


def _check_direction(source: Source, directed: str | None, graphs: Sequence[ElementTree.Element]) -> None:
    if not graphs:
        raise source.error("an <edge> is outside <graph>")
    if directed is not None and (directed in ("true", "1")) != (graphs[0].get("edgedefault") == "directed"):
        raise source.error(f"an edge has directed={directed[:40]!r} in a graph of the other kind")


def _data(source: Source, keys: dict[str, tuple[str, str]], element: ElementTree.Element) -> dict[str, object]:
    """Return the data of an element; nested data are drawings, as yEd keeps them."""
    found: dict[str, object] = {}
    for child in element:
        if child.tag.endswith("data") and not len(child):
            found |= _value(source, keys, child.get("key", ""), child.text or "")
    return found


def _value(source: Source, keys: dict[str, tuple[str, str]], key: str, text: str) -> dict[str, object]:
    if key not in keys:
        raise source.error(f"the data key {key[:40]!r} is not declared")
    name, kind = keys[key]
    read = {"int": int, "long": int, "integer": int, "float": float, "double": float, "real": float}.get(kind, str)
    try:
        return {name: _TRUTH[text.strip().lower()] if kind == "boolean" else read(text)}
    except (ValueError, KeyError):
        raise source.error(f"{text[:40]!r} is no {kind}, as its key {key[:40]!r} says") from None


def read_pajek(source: Source) -> EdgeList:
    """Read Pajek, whose vertices are called by their labels if these are unique, else by their numbers."""
    nodes: list[Node] = []
    lines: dict[str, list[Edge]] = {"*edges": [], "*arcs": []}
    section = ""
    for line, raw in enumerate(source.content.decode("utf-8-sig", "replace").splitlines(), 1):
        fields = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|([^\s"]+)', raw)]
        try:
            if not fields or raw[0] == "%":
                continue
            if raw[0] == "*":
                section = fields[0].lower()
                if section == "*vertices":
                    source.check_size(int(fields[1]))
                    nodes = [(k, {"label": str(k)}) for k in range(1, int(fields[1]) + 1)]
            elif section == "*vertices":
                nodes[int(fields[0]) - 1][1]["label"] = fields[1] if len(fields) > 1 else fields[0]
            else:
                weight: dict[str, object] = {"weight": float(fields[2])} if len(fields) > 2 else {}
                lines[section].append((int(fields[0]), int(fields[1]), weight))
        except FileFormatError:
            raise
        except (ValueError, LookupError):
            raise source.error(f"{raw[:40]!r} is no vertex, edge or arc", line) from None
    edges, arcs = lines["*edges"], lines["*arcs"]
    if arcs:  # an edge is an arc in both directions
        edges += [(two, one, weight) for one, two, weight in edges if one != two]
    labels = [str(label) for label in _attribute(nodes, "label") or range(1, len(nodes) + 1)]
    nodes = [(node, {}) for node, _ in nodes]
    return _edge_list(source, nodes, edges + arcs, integer_names(labels) or labels, directed=bool(arcs))


def read_gexf(source: Source) -> EdgeList:
    """Read GEXF by networkx, which names nodes by their ids."""
    import networkx as nx

    _check_xml(source)
    return _of_networkx(source, nx.read_gexf(io.BytesIO(source.content)))


def read_json(source: Source) -> EdgeList:
    """Read the JSON of nodes and links that networkx and d3 write."""
    import networkx as nx

    content = json.loads(source.content)
    return _of_networkx(source, nx.node_link_graph(content, edges="edges" if "edges" in content else "links"))


def _of_networkx(source: Source, graph: nx.Graph[Hashable]) -> EdgeList:
    """Return a graph of networkx with integers as names if all are."""
    found: EdgeList = recognise(graph, source.weight)[0]
    source.check_size(len(found.names))
    texts = [name for name in found.names if isinstance(name, str)]
    whole = integer_names(texts) if len(texts) == len(found.names) else None
    return found if whole is None else replace(found, names=as_names(whole))
