"""GraphML files, read as a stream, so that a large file is never in memory as a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.files.common import file_names, integer_names, number
from lpgraph.graph.files.foreign import READERS, remedy
from lpgraph.graph.files.listing import GraphListing
from lpgraph.graph.files.memory import NAME

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.common import Source

__all__ = ["read", "write"]

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENCODINGS = re.compile("utf-?(8|16|16le|16be)|(us-)?ascii|(iso-?8859|windows|cp|koi8|latin)[-_]?[0-9ru]+", re.I)
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
#: Elements deeper than this are drawings at most; a tag is in memory as a whole before it is known.
_DEEPEST = 100
_LONGEST_TAG = 1 << 20
_PIECE = 1 << 16
_NAME_KIND = "lpgraph_names"  # notes that names which look like integers are strings


def read(source: Source) -> EdgeList:
    """Read the file's graph: its nodes' ids and attributes, its edges and their weights."""
    try:
        return _Reader(source).run()
    except expat.ExpatError as error:
        raise source.error(f"it is damaged XML: {error}", error.lineno) from None
    except FileFormatError:
        raise
    except (LookupError, ValueError) as error:  # an unknown encoding, and what `GraphListing` refuses
        raise source.error(str(error)) from None


@dataclass
class _Element:
    """An element that is open: its name, its attributes, and of its content what is used."""

    tag: str
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)
    nested: bool = False
    data: dict[str, object] = field(default_factory=dict)


class _Reader:
    """The state of one reading; the parser calls its methods."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.keys: dict[str, tuple[str, str, str]] = {}  # key id -> (for, attr.name, attr.type)
        self.defaults: dict[str, dict[str, object]] = {"node": {}, "edge": {}, "graph": {}}
        self.listing: GraphListing | None = None
        self.names_are_text = False
        self.open: list[_Element] = []

    def run(self) -> EdgeList:
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.XmlDeclHandler = self.declaration
        # The parser sees a DOCTYPE in every encoding; entities can only be declared in one.
        parser.StartDoctypeDeclHandler = self.doctype
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        content = self.source.content
        for begin in range(0, len(content), _PIECE):
            piece = content[begin : begin + _PIECE]
            parser.Parse(piece, False)
            if begin + len(piece) - parser.CurrentByteIndex > _LONGEST_TAG:
                raise self.source.error(
                    f"it has a tag of more than {_LONGEST_TAG} bytes", parser.CurrentLineNumber
                )
        parser.Parse(b"", True)
        if self.listing is None:
            raise self.source.error("it has no <graph>")
        return self.listing.edges(self.names(self.listing))

    def declaration(self, _: str, encoding: str | None, __: int) -> None:
        # Python has codecs for much more than text; they have no place here.
        if encoding is not None and _ENCODINGS.fullmatch(encoding) is None:
            raise self.source.error(f"its encoding is {encoding[:40]!r}; save it as UTF-8")

    def doctype(self, *_: object) -> None:
        raise self.source.error("it has a document type definition, which GraphML does without")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition("}")[2]
        if not self.open and tag != "graphml":
            what = remedy(READERS[".gexf"], self.source.path) if tag == "gexf" else "pass another format="
            raise self.source.error(f"its outermost element is <{tag[:40]}>, not <graphml>; {what}")
        if len(self.open) >= _DEEPEST:
            raise self.source.error(f"its elements are nested more than {_DEEPEST} deep")
        if self.open:
            self.open[-1].nested = True
        self.open.append(_Element(tag, attributes))
        if tag == "graph":
            self.begin_graph(attributes)

    def characters(self, text: str) -> None:
        element = self.open[-1]
        if element.tag in ("data", "default") and not element.nested:
            element.text.append(text)

    def end(self, _: str) -> None:
        element = self.open.pop()
        parent = self.open[-1] if self.open else element
        if element.tag == "data":
            if parent.tag in self.defaults and not element.nested:  # nested data are drawings, as yEd keeps them
                key = element.attributes.get("key", "")
                if key not in self.keys:
                    raise self.source.error(f"the data key {key[:40]!r} is not declared")
                parent.data[self.keys[key][1]] = self.value(key, "".join(element.text))
        elif element.tag == "default" and parent.tag == "key":
            parent.data.setdefault("default", "".join(element.text))
        elif element.tag == "key":
            self.add_key(element)
        elif element.tag in ("node", "edge", "hyperedge"):
            self.add(element)
        elif element.tag == "graph":
            self.names_are_text = (self.defaults["graph"] | element.data).get(_NAME_KIND) == "string"

    def begin_graph(self, attributes: dict[str, str]) -> None:
        if self.listing is not None:
            raise self.source.error("it has more than one <graph>; keep one, and none within a node")
        direction = attributes.get("edgedefault", "undirected")
        if direction not in ("directed", "undirected"):
            raise self.source.error(f"edgedefault={direction[:40]!r} is neither 'directed' nor 'undirected'")
        self.listing = GraphListing(self.source, directed=direction == "directed")

    def add_key(self, element: _Element) -> None:
        key = element.attributes.get("id")
        if key is None:
            raise self.source.error("a <key> has no id")
        domain, name = element.attributes.get("for", "all"), element.attributes.get("attr.name", key)
        self.keys[key] = (domain, name, element.attributes.get("attr.type", "string"))
        self.source.check_bytes(2 * NAME * len(self.keys))
        if "default" in element.data:
            for kind, values in self.defaults.items():
                if domain in (kind, "all"):
                    values[name] = self.value(key, str(element.data["default"]))

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
            raise self.source.error(f"{text[:40]!r} is no {kind}, as its key {key[:40]!r} says") from None
        return text

    def add(self, element: _Element) -> None:
        attributes = element.attributes
        if self.listing is None:
            raise self.source.error(f"a <{element.tag}> is outside <graph>")
        if element.tag == "hyperedge":
            raise self.source.error("it has a <hyperedge>; edges join two nodes here")
        if element.tag == "node":
            self.listing.add_node(attributes.get("id"), self.defaults["node"] | element.data)
            return
        own = attributes.get("directed")
        if own is not None and _TRUTH.get(own.lower()) is not self.listing.directed:
            raise self.source.error(
                f"an edge has directed={own[:40]!r} in a graph of the other kind; make all edges alike"
            )
        weight = self.source.weight
        if weight is not None and weight not in element.data and weight in self.defaults["edge"]:
            element.data[weight] = self.defaults["edge"][weight]
        self.listing.add_edge(attributes.get("source"), attributes.get("target"), element.data)

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
