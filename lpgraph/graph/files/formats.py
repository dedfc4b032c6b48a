"""Files that list nodes and edges (GML, GraphML, Pajek, GEXF, JSON) and matrices (npz, Matrix Market).

networkx, scipy and pandas read them, but for Pajek: there networkx 3.6 merges vertices of one label, reads edges
after arcs as arcs, and refuses vertices without labels. Two readers are not used, since damaged files can end the
process: those of igraph, and scipy's of Matrix Market.
"""

from __future__ import annotations

import io
import json
import re
import warnings
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import Foreign
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList
from lpgraph.graph.construct import recognise
from lpgraph.graph.files.source import file_names
from lpgraph.graph.files.tables import EXACT, after_comments
from lpgraph.graph.names import as_names, integer_names, is_numbered, listed, texts_of, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import networkx as nx
    from numpy.typing import NDArray

    from lpgraph.graph.files.source import Source

    #: A matrix with names and direction, None if that is not known.
    Graph = nx.Graph[Hashable]
    Matrix = tuple[Foreign, Sequence[Hashable], bool | None]

NAME_KIND = "lpgraph_names"  # notes in GraphML that names which look like integers are strings

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Parts of GML that networkx reads otherwise or not at all.
_GML_PART = re.compile(
    r"""(?P<graph>\bgraph\s*+\[)
    |(?P<text>"[^"]*+")
    |(?P<number>(?<![\w.+-])[-+]?[0-9]++(?=[eE][-+]?[0-9]))
    |\#.*+""",
    re.VERBOSE,
)


def _edges(source: Source, graph: Graph, n: int, *keys: str, whole: bool = True) -> EdgeList:
    """Return the edges of a graph with n nodes, which are called by the first attribute that names all of them.

    If `whole`, names that are texts of integers become integers if all are.
    """
    if len(graph) != n:  # networkx adds the ends of edges
        raise source.error("a node id is missing or given twice, or an edge ends in no node")
    source.check_size(n)
    edges: EdgeList = recognise(graph, source.weight)[0]
    names, attributes = listed(edges.names), dict(edges.vertex_attributes)
    for key in keys:
        values = list(attributes.get(key, ()))
        if None not in values and len(set(map(str, values))) == len(names):
            names = values
            del attributes[key]
            break
    texts = texts_of(names)
    if whole and len(texts) == len(names) and graph.graph.get(NAME_KIND) != "string":
        names = list(integer_names(texts) or texts)
    return replace(edges, names=as_names(names), vertex_attributes=attributes)


def read_gml(source: Source) -> EdgeList:
    """Read GML, as written by igraph, networkx, Gephi and Newman's archive."""
    import networkx as nx

    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.content.decode("latin-1")  # GML's own encoding is ASCII with Latin-1 entities
    graph: Graph = nx.parse_gml(_GML_PART.sub(_for_networkx, text), label="id")
    for _, data in graph.nodes.data():
        for key, value in list(data.items()):
            if not isinstance(value, str | int | float):
                del data[key]  # a list, which is a drawing
    of_igraph = text.lstrip().startswith('Creator "igraph')
    named = of_igraph or not any("label" in data for _, data in graph.nodes.data())
    return _edges(source, graph, len(graph), *(["name"] if named else []), "label", whole=not named)


def _for_networkx(part: re.Match[str]) -> str:
    """Return a part of GML as networkx reads it."""
    match part.lastgroup:
        case "graph":
            return "graph [ multigraph 1 "  # else parallel edges are refused
        case "text":  # on one line
            return re.sub("[^ -~]", lambda character: f"&#{ord(character[0])};", part[0])
        case "number":
            return f"{part[0]}."  # it refuses 1e-05, which igraph writes
    return ""  # a comment


def _read_xml(source: Source, read: Callable[[io.BytesIO], Graph]) -> tuple[Graph, Counter[str]]:
    """Return what networkx reads, and the number of elements of each kind; refuse declared entities."""
    counts: Counter[str] = Counter()

    def refuse(*_: object) -> None:
        raise source.error("it has a document type definition; remove it")

    def count(tag: str, attributes: dict[str, str]) -> None:
        counts[tag.rpartition(":")[2]] += tag != "node" or "id" in attributes

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.StartElementHandler = refuse, count
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of drawings, such as ports, and of encodings
        parser.Parse(source.content, True)
        return read(io.BytesIO(source.content)), counts


def read_graphml(source: Source) -> EdgeList:
    """Read GraphML by networkx; default values of attributes, which it leaves out, are added."""
    import networkx as nx

    graph, counts = _read_xml(source, partial(nx.read_graphml, force_multigraph=True))
    if counts["graph"] != 1:  # networkx returns the first one
        raise source.error(f"it has {counts['graph']} elements <graph>, and should have one")
    for defaults, rows in (("node_default", graph.nodes.data()), ("edge_default", graph.edges.data())):
        for *_, data in rows:
            data.update({key: value for key, value in graph.graph.get(defaults, {}).items() if key not in data})
    # igraph's ids are row numbers, and its names are an attribute.
    keys = ["name"] if list(graph) == [f"n{i}" for i in range(len(graph))] else []
    return _edges(source, graph, counts["node"], *keys, whole=not keys)


def read_gexf(source: Source) -> EdgeList:
    """Read GEXF by networkx, which names nodes by their ids."""
    import networkx as nx

    graph, counts = _read_xml(source, nx.read_gexf)
    return _edges(source, graph, counts["node"])


def read_json(source: Source) -> EdgeList:
    """Read the JSON of nodes and links that networkx and d3 write."""
    import networkx as nx

    content = json.loads(source.content)
    graph = nx.node_link_graph(content, edges="edges" if "edges" in content else "links")
    return _edges(source, graph, len(content["nodes"]))


def read_pajek(source: Source) -> EdgeList:
    """Read Pajek, whose vertices are called by their labels if these are unique, else by their numbers."""
    numbers, labels, section = range(0), dict[int, str](), ""
    lines: dict[str, list[tuple[int, int, float]]] = {"*edges": [], "*arcs": []}
    for line, raw in enumerate(source.content.decode("utf-8-sig", "replace").splitlines(), 1):
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
                labels[numbers.index(int(fields[0]))] = fields[-1] if len(fields) < 2 else fields[1]
            else:
                one, two = (numbers.index(int(field)) for field in fields[:2])
                lines[section].append((one, two, float(fields[2]) if len(fields) > 2 else 1.0))
        except (ValueError, LookupError):
            raise source.error(f"{raw[:40]!r} is no vertex, edge or arc of the list before it", line) from None
    source.check_size(len(numbers))
    names = [labels.get(k, str(k + 1)) for k in range(len(numbers))]
    edges, arcs = lines["*edges"], lines["*arcs"]
    if arcs:  # an edge is an arc in both directions
        edges += [(two, one, weight) for one, two, weight in edges if one != two]
    table = np.array(edges + arcs, dtype=np.float64).reshape(-1, 3)
    return EdgeList(
        as_names(integer_names(names) or names if len(set(names)) == len(names) else numbers),
        table[:, 0].astype(np.intp),
        table[:, 1].astype(np.intp),
        None if source.weight is None else table[:, 2],
        bool(arcs),
    )


def read_npz(source: Source) -> Matrix:
    """Read a file of `write_graph` or `scipy.sparse.save_npz`; nothing is unpickled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types that are refused later
        try:
            matrix: Foreign = sparse.load_npz(io.BytesIO(source.content))
        except ValueError:  # its words advise to unpickle
            raise source.error("it has no matrix of write_graph or scipy.sparse.save_npz") from None
    n = matrix.shape[0]
    source.check_size(n)
    with np.load(io.BytesIO(source.content), allow_pickle=False) as archive:
        names, directed = archive.get("names"), archive.get("directed")
    return matrix, range(n) if names is None else names, None if directed is None else bool(directed.item())


def read_mtx(source: Source) -> Matrix:
    """Read a Matrix Market file; a matrix may be symmetric even if its banner says general.

    scipy reads the banner only: its reader of entries ended the process for about 20 of 20,000 mutated files.
    """
    import pandas as pd
    from scipy.io import mminfo

    content = source.content
    n, columns, n_entries, layout, field, symmetry = mminfo(io.BytesIO(content))
    if n != columns or layout != "coordinate" or field == "complex" or symmetry == "hermitian":
        found = f"{symmetry}, {field}, in {layout} layout and {n} x {columns}"
        raise source.error(f"its matrix is {found}; a square real one in coordinate layout is needed")
    source.check_size(n)
    width = 2 if field == "pattern" else 3
    table = pd.DataFrame(columns=range(width), dtype=np.int64)
    entries = content[content.find(b"\n", after_comments(content)) + 1 :]
    if entries.strip():
        options = {"dtype": {2: np.float64}, "na_filter": False, "low_memory": False, **EXACT}
        table = pd.read_csv(io.BytesIO(entries), sep=r"\s+", header=None, **options)
    if table.shape != (n_entries, width):
        raise source.error(f"it has {len(table)} entries and should have {n_entries}; it may be truncated")
    if any(table[k].dtype != np.int64 for k in (0, 1)):
        raise source.error("an index is no integer; correct it")
    row, column = (table[k].to_numpy() - 1 for k in (0, 1))
    weight = np.ones(len(row)) if field == "pattern" else table[2].to_numpy()
    if symmetry != "general":
        other, sign = row != column, -1.0 if symmetry == "skew-symmetric" else 1.0
        row, column = np.append(row, column[other]), np.append(column, row[other])
        weight = np.append(weight, sign * weight[other])
    matrix = sparse.coo_array((weight, (row, column)), shape=(n, n))
    return matrix, range(n), False if symmetry == "symmetric" else None


def write_graphml(graph: Adjacency) -> bytes:
    """Write the graph by networkx; a node's id is its name, and attributes that are None are left out."""
    import networkx as nx

    names, buffer = file_names(graph), io.BytesIO()
    made = Adjacency.of_canonical(graph.matrix, graph.names, graph.directed).to_networkx()
    texts = [*map(str, names), *graph.vertex_attributes]
    for key, values in graph.vertex_attributes.items():
        found = {name: unwrapped(value) for name, value in zip(names, values, strict=True) if value is not None}
        own = texts_of(found.values())
        numbers = [value for value in found.values() if isinstance(value, int | float)]
        if len(found) not in (len(own), len(numbers)):
            raise ArgumentError(f"vertex_attributes[{key!r}] is not all numbers or all texts; convert its values.")
        texts += own
        nx.set_node_attributes(made, found, key)
    bad = next(filter(_NO_XML.search, texts), None)
    if bad is not None:
        raise ArgumentError(f"{bad!r} has a character that XML cannot hold; write .csv or .parquet.")
    if texts_of(names) and integer_names([str(name) for name in names]):
        made.graph[NAME_KIND] = "string"
    nx.write_graphml_xml(made, buffer, infer_numeric_types=True)
    return buffer.getvalue().replace(b"\r", b"&#13;")  # it would be read as a line feed


def write_npz(graph: Adjacency) -> bytes:
    """Write the arrays of `scipy.sparse.save_npz`, and names and direction in addition."""
    names, matrix = file_names(graph), graph.matrix
    arrays: dict[str, NDArray[np.generic]] = {
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape, dtype=np.int64),
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "_is_array": np.array(True),
        "directed": np.array(bool(graph.directed)),
    }
    if not is_numbered(names):
        arrays["names"] = np.array(names)
        if arrays["names"].dtype.kind not in "iU" or arrays["names"].tolist() != list(names):
            raise ArgumentError("A vertex name ends in a NUL character or has over 64 bits; write .csv.")
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()
