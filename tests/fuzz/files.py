"""Mutated files of every format, read as graphs, labels and tables: ``python -m fuzz.files --count 50000``."""

from __future__ import annotations

import io
import json
import tempfile
from functools import cache
from pathlib import Path
from traceback import format_tb

import networkx as nx
import numpy as np
import pyarrow.parquet  # noqa: F401 - its memory is not that of a file
from fuzz.containers import npz_file, parquet_file
from fuzz.harness import main
from fuzz.mutations import gzipped, mutated

import lpgraph as lp
from lpgraph.cli.inputs import read_numbers

_WRITTEN = ("csv", "tsv", "txt", "npz", "parquet")
FORMATS = (*_WRITTEN, "graphml", "gml", "mtx", "pajek", "gexf", "json")
_TABLES = ("csv", "tsv", "txt", "parquet")
_BY_HAND: dict[str, list[bytes]] = {
    "csv": [b"a,b\nb,c\n", b"from;to;w\n1;2;0,5\n", b"a,b,{}\nb,c,{'weight': 2.5, 'x': [1]}\n", b"1,2,3\n" * 50],
    "tsv": [
        "Source\tTarget\tType\na\te\u0301\tDirected\n1.0\t1e+05\tUndirected\n".encode(),
        b"x\ty z\ny z\tw\n",
        b"source\ttarget\tyear\n1\t2\t1999\n",
    ],
    "txt": [b"1 2\n2 3\n", b"a b {}\nb c {'weight': 2}\n", b"% comment\n1 2 0.5\n", b"0 1 2\n1 0 3\n2 3 0\n"],
    "graphml": [
        b'<?xml version="1.0" encoding="latin-1"?><graphml xmlns:y="u"><key id="d" for="all" attr.type="int">'
        b'<default>1</default></key><graph edgedefault="directed"><node id="n0"><data key="d">2</data></node>'
        b'<node id="n1"/><edge source="n0" target="n1"><data key="d">3</data></edge></graph></graphml>',
        b'<graphml xmlns:y="u"><key id="d" yfiles.type="nodegraphics"/><graph edgedefault="directed">'
        b'<node id="n0"><data key="d"><y:ShapeNode><y:NodeLabel>a</y:NodeLabel></y:ShapeNode></data></node>'
        b'<node id="n1"/><edge source="n0" target="n1" directed="false"/>'
        b'<edge source="n0" target="n1"/></graph></graphml>',
    ],
    "gml": [b'Creator "igraph" graph [ directed 1 node [ id 1 name "a" x [ y 2 ] ] edge [ source 1 target 1 ] ]'],
    "mtx": [
        b"%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n",
        b"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1.5\n3 2 -1e3\n",
    ],
    "pajek": [b'*Vertices 3\n1 "a b" 0.5 0.5 ellipse\n2 "b"\n*Arcs\n1 2 1.5\n*Edges\n2 3\n'],
    "gexf": ["\n".join(nx.generate_gexf(nx.path_graph(["a", "b"]))).encode()],
    "json": [
        json.dumps(nx.node_link_data(nx.path_graph(["a", "b", "c"]))).encode(),
        b'{"graphDataset": {"fullGraph": {"options": {"type": "mixed"}, "nodes": [{"key": "a"}, {"key": "b"}],'
        b'"edges": [{"source": "a", "target": "b", "attributes": {"weight": 2}, "undirected": true}]}}}',
    ],
}
_LABELS = [b"vertex,label\n1,a\n2,b\n3,\n", b"1;2\n3;4\n", b"id,x,class\n1,2,3\n", b"'=a,'-b\nx,y\n"]


@cache
def _originals(form: str) -> list[bytes]:
    """Return sound files of a format."""
    clubs = nx.karate_club_graph()
    graphs = [
        lp.as_adjacency(clubs),
        lp.as_adjacency(nx.relabel_nodes(clubs, str)),
        lp.from_edges(["a", "é"], ["é", "=c"], [1.5, -2e-300], directed=True, vertices=["z", "a", "é", "=c"]),
        lp.from_edges([0, 10**12], [1, 5], directed=True),
    ]
    files = list(_BY_HAND.get(form, []))
    for graph in graphs if form in _WRITTEN else ():
        stream = io.BytesIO()
        lp.write_graph(graph, stream, format=form)
        files.append(stream.getvalue())
    return files


def trial(seed: int) -> int:
    """Read the file of a seed in one of the ways there are, and return its size."""
    rng = np.random.default_rng(seed)
    way = rng.choice(["graph", "labels", "table"], p=[0.7, 0.2, 0.1])
    forms = FORMATS if way == "graph" else _TABLES
    form = forms[rng.integers(len(forms))]
    content = _content(form, way, rng)
    if rng.random() < 0.25:
        content = gzipped(content, rng)
    read_file(content, form, way, _options(way, rng))
    return len(content)


def _content(form: str, way: str, rng: np.random.Generator) -> bytes:
    if form == "npz" and rng.random() < 0.7:
        return npz_file(rng)
    if form == "parquet" and rng.random() < 0.7:
        content = parquet_file(rng)
        return content if rng.random() < 0.6 else mutated(content, rng)
    files = _LABELS if way == "labels" and form in ("csv", "tsv", "txt") else _originals(form)
    content = files[rng.integers(len(files))]
    others = _originals(FORMATS[rng.integers(len(FORMATS))])
    content = mutated(content, rng, others[rng.integers(len(others))])
    if form not in ("npz", "parquet") and rng.random() < 0.1:
        encoding = ("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32")[rng.integers(5)]
        content = content.decode("utf-8", "replace").encode(encoding)
    return content


def _options(way: str, rng: np.random.Generator) -> dict[str, object]:
    """Return options of reading, most often none."""
    if way != "graph" or rng.random() < 0.7:
        return {}
    values = {"directed": [None, True, False], "weight": ["weight", None], "multi_edges": ["sum", "collapse"]}
    return {name: choices[rng.integers(len(choices))] for name, choices in values.items()}


def read_file(content: bytes, form: str, way: str, options: dict[str, object]) -> None:
    """Read a file as a graph, labels or a table of numbers; use what was read."""
    try:
        if way == "labels":
            lp.read_labels(io.BytesIO(content), format=form, **options)
        elif way == "table":
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"table.{form}"
                path.write_bytes(content)
                read_numbers(str(path))
        else:
            graph = lp.read_graph(io.BytesIO(content), format=form, **options)
            if graph.n_edges < 2000 and graph.n_vertices < 2000:
                stream, form = io.BytesIO(), form if form in _WRITTEN else "npz"
                lp.write_graph(graph, stream, format=form)
                lp.read_graph(io.BytesIO(stream.getvalue()), format=form)
    except lp.errors.LpgraphError as error:
        cause = error.__cause__
        if isinstance(cause, NameError | AttributeError) and "lpgraph" in format_tb(cause.__traceback__)[-1]:
            raise cause from None  # a fault of lpgraph itself, which it takes for one of the file


if __name__ == "__main__":
    main(trial, __doc__)
