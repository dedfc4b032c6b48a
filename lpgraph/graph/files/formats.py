"""Files that list nodes and edges (GML, GraphML, Pajek, GEXF, JSON) and matrices (npz, Matrix Market).

networkx reads GML. Its readers of other formats refuse arcs and edges in one file, and much of what yEd, Gephi and
programs in JavaScript write; that of Pajek merges vertices of one label. Two readers are not used, since damaged
files can end the process: those of igraph, and scipy's of Matrix Market.
"""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import Foreign
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList, Matrix
from lpgraph.graph.construct import ENDPOINT_COLUMNS, edges_with_data
from lpgraph.graph.names import as_names, integer_names, is_numbered, texts_of

from .source import GRAPH_OF_OTHERS, file_names
from .tables import Body, is_number, without_comments

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from .source import Source

    #: Attributes of a node or an edge by their titles.
    Data = dict[str, Foreign]
    #: Titles and types of attributes, by what has them and their keys.
    Types = dict[tuple[str, str | None], tuple[str, Callable[[str], object]]]

#: First words of a Matrix Market file, also as Network Repository writes them.
BANNER = re.compile(rb"\A(?:\xef\xbb\xbf)?[%#]+[ ]*MatrixMarket", re.IGNORECASE)
#: Types of attributes in GraphML and GEXF.
_TYPES: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(["int", "integer", "long", "byte", "short", "biginteger"], int),
    **dict.fromkeys(["float", "double", "bigdecimal"], float),
    **dict.fromkeys(["string", "char", "anyuri", "liststring"], str),
    "boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()],
}
#: Ids of nodes that are row numbers.
_NUMBERED = re.compile("n[0-9]+(::n[0-9]+)*")

#: Parts of GML that networkx reads otherwise or not at all.
_GML_PART = re.compile(r'(?P<graph>\bgraph\s*+\[)|"[^"]*+"|(?<![\w.+-])(?P<number>[-+]?[0-9]++)(?=[eE][-+]?[0-9])')


def _edges(
    source: Source,
    nodes: Sequence[tuple[Hashable, Data]],
    edges: Sequence[tuple[Hashable, Hashable, Data]],
    arcs: Sequence[bool],
    *keys: str,
    directed: bool,
    whole: bool = True,
) -> EdgeList:
    """Return edges and arcs between nodes, which are named by the first attribute that all of them have.

    Without edges, the graph is `directed` or not. If `whole`, texts of integers become integers if all are.
    """
    data = dict(nodes)
    if len(data) < len(nodes) or None in data or any(one not in data or two not in data for one, two, _ in edges):
        raise source.error(f"a node id is missing or given twice, or an edge ends in no node; {GRAPH_OF_OTHERS}")
    source.check_size(len(nodes))
    found = edges_with_data(data, edges, source.weight, None)
    names, attributes = list(data), dict(found.vertex_attributes)
    for key in keys:
        values = list(attributes.get(key, ()))
        if None not in values and len(set(map(str, values))) == len(names):
            names = values
            del attributes[key]
            break
    texts = texts_of(names)
    if whole and len(texts) == len(names):
        names = list(integer_names(texts) or texts)
    found = replace(found, names=as_names(names), vertex_attributes=attributes)
    return source.mixed(found, np.array(arcs, dtype=np.bool_), directed)


def read_gml(source: Source) -> EdgeList:
    """Read GML, as written by igraph, networkx, Gephi and Newman's archive."""
    import networkx as nx

    text = _decoded(source)
    graph: Foreign = nx.parse_gml(_GML_PART.sub(_for_networkx, text), label="id")
    nodes = [(node, _flat(data)) for node, data in graph.nodes.data()]
    edges = [(one, two, _flat(data)) for one, two, data in graph.edges.data()]
    of_igraph = text.lstrip().startswith('Creator "igraph')
    named = of_igraph or not any("label" in data for _, data in nodes)
    keys, directed = ["name", "label"] if named else ["label"], graph.is_directed()
    return _edges(source, nodes, edges, [directed] * len(edges), *keys, directed=directed, whole=not named)


def _decoded(source: Source) -> str:
    """Return the text of a file; old programs for GML and Pajek write Latin-1."""
    try:
        return source.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return source.content.decode("latin-1")


def _for_networkx(part: re.Match[str]) -> str:
    """Return a part of GML as networkx reads it."""
    if part["graph"]:
        return "graph [ multigraph 1 "  # else parallel edges are refused
    if part["number"]:
        return f"{part[0]}."  # it refuses 1e-05, which igraph writes
    return part[0].replace("\n", "&#10;")


def read_xml(source: Source) -> EdgeList:
    """Read GraphML, also with the groups and labels of yEd, or GEXF of any version."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about encodings
        root = ElementTree.fromstring(source.content)
    form = root.tag.rpartition("}")[2]
    space = root.tag.removesuffix(form)
    graphs, nodes, edges = (list(root.iter(f"{space}{tag}")) for tag in ("graph", "node", "edge"))
    n_graphs = len(graphs) - sum("yfiles.foldertype" in node.attrib for node in nodes)
    if n_graphs != 1 or root.find(f".//{space}hyperedge") is not None:
        raise source.error(f"it has {n_graphs} graphs or a hyperedge; {GRAPH_OF_OTHERS}")
    types, usual = _declared(root, space)

    def data_of(item: ElementTree.Element, what: str) -> Data:
        data = usual[what] | {key: item.attrib[key] for key in ("label", "weight") if key in item.attrib}
        parts = "data" if form == "graphml" else f"attvalues/{space}attvalue"
        for part in item.iterfind(space + parts):
            # It is called id in GEXF 1.0 and 1.1.
            key = next((part.attrib[word] for word in ("key", "for", "id") if word in part.attrib), None)
            if (what, key) not in types:  # which says how its text is read
                raise source.error(f"the key {key!r} of a value is not declared for {what}s; {GRAPH_OF_OTHERS}")
            title, kind = types[what, key]
            text = part.get("value", part.text)
            if not len(part):
                data[title] = kind(text) if text else ""
            elif (label := part.find(f".//{{*}}{what.title()}Label")) is not None:  # of yEd
                data["label"] = label.text
        for key in ("weight", "label") if what == "edge" else ():  # yEd has no weights but labels
            if isinstance(data.get(key), str) and is_number(data[key]):
                data[key] = float(data[key])
        return data

    named = [(node.get("id"), data_of(node, "node")) for node in nodes]
    # The ids of igraph and yEd are row numbers, and names are an attribute.
    numbered = form == "graphml" and all(_NUMBERED.fullmatch(str(name)) for name, _ in named)
    directed = "directed" in (graphs[0].get("edgedefault"), graphs[0].get("defaultedgetype"))
    kinds = [edge.get("directed" if form == "graphml" else "type") for edge in edges]
    return _edges(
        source,
        named,
        [(edge.get("source"), edge.get("target"), data_of(edge, "edge")) for edge in edges],
        [directed if kind is None else kind in ("directed", "true") for kind in kinds],
        *(("name", "label") if numbered else ()),
        directed=directed,
        whole=not numbered,
    )


def _declared(root: ElementTree.Element, space: str) -> tuple[Types, dict[str, Data]]:
    """Return titles and types of the attributes of nodes and edges by their keys, and default values."""
    declared = [(key.get("for", "all"), key) for key in root.iter(f"{space}key")]
    declared += [(part.get("class", ""), key) for part in root.iter(f"{space}attributes") for key in part]
    types: Types = {("edge", "weight"): ("weight", float)}  # Gephi does not declare it
    usual: dict[str, Data] = {"node": {}, "edge": {}}
    for where, key in declared:
        title = key.get("attr.name", key.get("title", key.get("id", "")))
        kind = _TYPES[key.get("attr.type", key.get("type", "string")).lower()]
        default = key.findtext(f"{space}default")
        for what in usual if where == "all" else (where,):
            types[what, key.get("id")] = title, kind
            if default is not None and what in usual:
                usual[what][title] = kind(default)
    return types, usual


def read_json(source: Source) -> EdgeList:
    """Read JSON with lists of nodes and edges: of networkx, d3, vis.js, Cytoscape and graphology."""
    data: Foreign = json.loads(source.content)
    data = data | data.get("elements", {}) | data.get("options", {})  # of Cytoscape and of graphology
    nodes, edges = data.get("nodes"), data.get("edges", data.get("links"))
    lists = isinstance(nodes, list) and isinstance(edges, list)
    if not lists or not all(isinstance(item, dict) for item in (*nodes, *edges)):
        problem = f"its keys are {list(data)[:9]}, and not lists of objects called nodes, and edges or links"
        raise source.error(f"{problem}; pass as_adjacency(networkx.node_link_graph(data, edges=NAME))")
    nodes, edges = list(map(_flat, nodes)), list(map(_flat, edges))
    ends = next((pair for pair in ENDPOINT_COLUMNS if all(edge.keys() >= {*pair} for edge in edges)), None)
    if ends is None:
        raise source.error("an edge has no names of source and target; write ids of nodes")
    one, two = ends
    by_row = all(isinstance(edge[end], int) for edge in edges for end in (one, two))  # if there is no id
    keys = ("id", "key") if by_row else ("id", "key", "name")
    key = next((key for key in keys if all(key in node for node in nodes)), None)
    usual = data.get("directed", data.get("type") in ("directed", "mixed"))
    return _edges(
        source,
        [(row if key is None else _hashable(node.pop(key)), node) for row, node in enumerate(nodes)],
        [(_hashable(edge.pop(one)), _hashable(edge.pop(two)), edge) for edge in edges],
        [bool(edge.get("directed", usual)) and not edge.get("undirected") for edge in edges],
        *(["name"] if key is None else []),
        directed=bool(usual),
    )


def _hashable(name: Foreign) -> Hashable:
    """Return the name of a node; networkx writes tuples as lists."""
    return tuple(name) if isinstance(name, list) else name


def _flat(item: Data) -> Data:
    """Return the values of a node or edge in one dict, also those under two titles; drop other dicts."""
    for part in (item.get("data"), item.get("attributes")):
        item = part | item if isinstance(part, dict) else item
    return {key: value for key, value in item.items() if not isinstance(value, dict)}


def read_pajek(source: Source) -> EdgeList:
    """Read Pajek, whose vertices are called by their labels if these are unique, else by their numbers."""
    numbers, labels, section = range(0), dict[int, str](), ""
    edges: list[tuple[int, int, Data]] = []
    arcs: list[bool] = []
    for line, raw in enumerate(_decoded(source).splitlines(), 1):
        fields = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|([^\s"]+)', raw)]
        if not fields or raw[0] == "%":
            continue
        try:
            if raw[0] == "*":
                section = fields[0].lower()
                if section == "*vertices":
                    if numbers:
                        raise ValueError  # a second list
                    numbers = range(1, int(fields[1]) + 1)
            elif section == "*vertices":
                labels[numbers.index(int(fields[0])) + 1] = fields[:2][-1]
            else:
                each = section.endswith("list")  # of a vertex and its neighbors
                one, *others = (numbers.index(int(field)) + 1 for field in (fields if each else fields[:2]))
                data = {} if each or len(fields) < 3 else {"weight": float(fields[2])}
                is_arc = bool(("*edges", "*arcs").index(section.removesuffix("list")))
                edges += [(one, two, data) for two in others]
                arcs += [is_arc] * len(others)
        except (ValueError, LookupError):
            what = f"{raw[:40]!r} is no vertex, edge or arc of the list before it"
            remedy = "correct it, or pass as_adjacency(igraph.Graph.Read_Pajek(path))"
            raise source.error(f"{what}; {remedy}", line) from None
    source.check_size(len(numbers))
    nodes = [(k, {"label": labels.get(k, str(k))}) for k in numbers]
    return _edges(source, nodes, edges, arcs, "label", directed=False)


def read_npz(source: Source) -> Matrix:
    """Read a file of `write_graph` or `scipy.sparse.save_npz`; nothing is unpickled."""
    try:
        matrix: Foreign = sparse.load_npz(io.BytesIO(source.content))
    except ValueError:  # its message advises to unpickle
        raise source.error("it has no matrix of write_graph or scipy.sparse.save_npz") from None
    source.check_size(matrix.shape[0])
    with np.load(io.BytesIO(source.content), allow_pickle=False) as archive:
        names, directed = archive.get("names"), archive.get("directed")
    return Matrix(matrix, names, None if directed is None else bool(directed.item()))


def read_mtx(source: Source) -> EdgeList | Matrix:
    """Read a Matrix Market file; a matrix may be symmetric even if its banner says general.

    scipy reads the banner only: its reader of entries ended the process for about 20 of 20,000 mutated files.
    """
    import pandas as pd
    from scipy.io import mminfo

    content = BANNER.sub(b"%%MatrixMarket", source.content)
    n, columns, n_entries, layout, field, symmetry = mminfo(io.BytesIO(content))
    if n != columns or layout != "coordinate" or field == "complex" or symmetry == "hermitian":
        found = f"{symmetry}, {field}, in {layout} layout and {n} x {columns}"
        remedy = "as_adjacency(abs(scipy.io.mmread(path))) if it is square, or its entries to from_edges"
        raise source.error(f"its matrix is {found} and not a square real one in coordinate layout; pass {remedy}")
    source.check_size(n)
    width = 2 if field == "pattern" else 3
    entries = Body(replace(source, content=without_comments(content)), " ").without_titles()
    table = pd.DataFrame(columns=range(width), dtype=np.int64)
    if not entries.empty:
        table = entries.frame({2: np.float64})
    if table.shape != (n_entries, width):
        raise source.error(f"it has {len(table)} entries and should have {n_entries}; it may be truncated")
    if any(table[k].dtype != np.int64 for k in (0, 1)):
        raise source.error("an index is no integer; correct it")
    row, column = (table[k].to_numpy() - 1 for k in (0, 1))
    weight = np.ones(len(row)) if field == "pattern" else table[2].to_numpy()
    if symmetry == "symmetric":
        return EdgeList(range(n), row, column, weight, False)
    if symmetry == "skew-symmetric":
        row, column, weight = np.append(row, column), np.append(column, row), np.append(weight, -weight)
    return Matrix(sparse.coo_array((weight, (row, column)), shape=(n, n)))


def write_npz(graph: Adjacency) -> bytes:
    """Write the arrays of `scipy.sparse.save_npz`, and names and direction in addition."""
    names, matrix = file_names(graph), graph.matrix
    arrays: dict[str, ArrayLike] = {key: getattr(matrix, key) for key in ("shape", "data", "indices", "indptr")}
    if not is_numbered(names):
        arrays["names"] = found = np.array(names)
        if found.dtype.kind not in "iU" or found.tolist() != names:
            raise ArgumentError("A vertex name ends in a NUL character or has over 64 bits; write .csv.")
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, allow_pickle=False, format=b"csr", _is_array=True, directed=bool(graph.directed), **arrays
    )
    return buffer.getvalue()
