"""GraphML files, read as a stream, so that a large file is never in memory as a tree."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.files.common import file_names, integer_names, number
from lpgraph.graph.files.foreign import READERS, remedy
from lpgraph.graph.files.listing import GraphListing

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.common import Source

__all__ = ["read", "write"]

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_NAME_KIND = "lpgraph_names"  # notes that names which look like integers are strings


def read(source: Source) -> EdgeList:
    """Read the file's graph: its nodes' ids and attributes, its edges and their weights."""
    if b"<!ENTITY" in source.content or b"<!DOCTYPE" in source.content:
        raise source.error("it has a document type definition, which GraphML does without")
    try:
        return _Reader(source).run()
    except ElementTree.ParseError as error:
        raise source.error(f"it is damaged XML: {error}", error.position[0]) from None
    except FileFormatError:
        raise
    except (LookupError, ValueError) as error:  # an unknown encoding, and what `GraphListing` refuses
        raise source.error(str(error)) from None


class _Reader:
    """The state of one reading."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.keys: dict[str, tuple[str, str, str]] = {}  # key id -> (for, attr.name, attr.type)
        self.defaults: dict[str, dict[str, object]] = {"node": {}, "edge": {}, "graph": {}}
        self.listing: GraphListing | None = None
        self.names_are_text = False

    def run(self) -> EdgeList:
        events = ElementTree.iterparse(io.BytesIO(self.source.content), events=("start", "end"))
        open_elements: list[ElementTree.Element] = []
        for event, element in events:
            tag = element.tag.rpartition("}")[2]
            if event == "start":
                if not open_elements and tag != "graphml":
                    what = remedy(READERS[".gexf"], self.source.path) if tag == "gexf" else "pass another format="
                    raise self.source.error(f"its outermost element is <{tag}>, not <graphml>; {what}")
                open_elements.append(element)
                if tag == "graph":
                    self.begin_graph(element)
                continue
            open_elements.pop()
            if tag == "key":
                self.add_key(element)
            elif tag in ("node", "edge", "hyperedge"):
                self.add(tag, element)
            elif tag == "graph":
                facts = self.data(element, "graph")
                self.names_are_text = facts.get(_NAME_KIND) == "string"
            if tag not in ("data", "default") and open_elements:
                open_elements[-1].remove(element)  # free memory
        if self.listing is None:
            raise self.source.error("it has no <graph>")
        return self.listing.edges(self.names(self.listing))

    def begin_graph(self, element: ElementTree.Element) -> None:
        if self.listing is not None:
            raise self.source.error("it has more than one <graph>; keep one, and none within a node")
        direction = element.get("edgedefault", "undirected")
        if direction not in ("directed", "undirected"):
            raise self.source.error(f"edgedefault={direction!r} is neither 'directed' nor 'undirected'")
        self.listing = GraphListing(self.source, directed=direction == "directed")

    def add_key(self, element: ElementTree.Element) -> None:
        key = element.get("id")
        if key is None:
            raise self.source.error("a <key> has no id")
        domain, name = element.get("for", "all"), element.get("attr.name", key)
        self.keys[key] = (domain, name, element.get("attr.type", "string"))
        default = next((child for child in element if child.tag.endswith("default")), None)
        if default is not None:
            for kind, values in self.defaults.items():
                if domain in (kind, "all"):
                    values[name] = self.value(key, default.text or "")

    def data(self, element: ElementTree.Element, kind: str) -> dict[str, object]:
        found = dict(self.defaults[kind])
        for child in element:
            if child.tag.rpartition("}")[2] != "data" or len(child):
                continue  # nested data are drawings, as yEd keeps them
            key = child.get("key", "")
            if key not in self.keys:
                raise self.source.error(f"the data key {key!r} is not declared")
            found[self.keys[key][1]] = self.value(key, child.text or "")
        return found

    def value(self, key: str, text: str) -> str | float:
        kind = self.keys[key][2]
        try:
            if kind in ("int", "long", "integer"):
                return int(text)
            if kind in ("float", "double", "real"):
                return float(text)
            if kind == "boolean":
                return _TRUTH[text.strip().lower()]
        except (ValueError, KeyError):
            raise self.source.error(f"{text[:40]!r} is no {kind}, as its key {key!r} says") from None
        return text

    def add(self, tag: str, element: ElementTree.Element) -> None:
        if self.listing is None:
            raise self.source.error(f"a <{tag}> stands outside <graph>")
        if tag == "hyperedge":
            raise self.source.error("it has a <hyperedge>; edges join two nodes here")
        if tag == "node":
            self.listing.add_node(element.get("id"), self.data(element, "node"))
            return
        own = element.get("directed")
        if own is not None and _TRUTH.get(own.lower()) is not self.listing.directed:
            raise self.source.error(
                f"an edge has directed={own!r} in a graph of the other kind; make all edges alike"
            )
        self.listing.add_edge(element.get("source"), element.get("target"), self.data(element, "edge"))

    def names(self, listing: GraphListing) -> Sequence[Hashable]:
        ids = listing.ids
        if ids == [f"n{i}" for i in range(len(ids))] and listing.unique("name"):
            return listing.columns.pop("name")  # igraph's way: ids are row numbers, names an attribute
        if self.names_are_text:
            return ids
        whole = integer_names([str(node) for node in ids])
        return ids if whole is None else whole


def write(graph: Adjacency) -> bytes:
    """Write the graph; a node's id is its name."""
    names = file_names(graph)
    ids = [str(name) for name in names]
    text_kind = bool(ids) and isinstance(names[0], str) and integer_names(ids) is not None
    keys = []
    kinds = {key: _kind(key, values) for key, values in graph.vertex_attributes.items()}
    if text_kind:
        keys.append(f'  <key id="names" for="graph" attr.name="{_NAME_KIND}" attr.type="string"/>')
    for k, (key, kind) in enumerate(kinds.items()):
        keys.append(f'  <key id="v{k}" for="node" attr.name={_attribute(key)} attr.type="{kind}"/>')
    if graph.weighted:
        keys.append('  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>')
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<graphml xmlns="{_NAMESPACE}">',
        *keys,
        f'  <graph edgedefault="{"directed" if graph.directed else "undirected"}">',
    ]
    if text_kind:
        lines.append('    <data key="names">string</data>')
    quoted = [_attribute(name) for name in ids]
    columns = list(graph.vertex_attributes.values())
    for i, name in enumerate(quoted):
        data = "".join(
            f'<data key="v{k}">{_content(column[i])}</data>'
            for k, column in enumerate(columns)
            if column[i] is not None
        )
        lines.append(f"    <node id={name}>{data}</node>" if data else f"    <node id={name}/>")
    for i, j, weight in zip(*(column.tolist() for column in graph.edge_list()), strict=True):
        ends = f"    <edge source={quoted[i]} target={quoted[j]}"
        lines.append(
            f'{ends}><data key="weight">{number(weight)!r}</data></edge>' if graph.weighted else f"{ends}/>"
        )
    return "\n".join((*lines, "  </graph>", "</graphml>", "")).encode()


def _kind(key: str, values: Sequence[Hashable]) -> str:
    """GraphML's type for a vertex attribute."""
    found = {type(v.item() if hasattr(v, "item") else v) for v in values if v is not None}
    for kinds, name in (({bool}, "boolean"), ({int}, "long"), ({int, float}, "double"), ({str}, "string")):
        if found <= kinds:
            return name
    raise ArgumentError(
        f"vertex_attributes[{key!r}] has values of {sorted(kind.__name__ for kind in found)}; "
        "GraphML holds one of bool, int, float, str."
    )


def _attribute(text: str) -> str:
    return quoteattr(_valid(text))


def _content(value: object) -> str:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return str(value).lower()
    return escape(_valid(value), {"\r": "&#13;"}) if isinstance(value, str) else repr(value)


def _valid(text: str) -> str:
    bad = _NO_XML.search(text)
    if bad is not None:
        raise ArgumentError(
            f"{text!r} has the character {bad.group()!r}, which XML cannot hold; write .csv or .gml."
        )
    return text
