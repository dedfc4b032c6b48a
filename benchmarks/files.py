"""Files in the packages of igraph, networkx, force-graph and vis: read, or refused with a remedy that reads them.

``python benchmarks/files.py FOLDER`` writes ``docs/results/files.md``. The folder has the unpacked packages:

    pip download --no-binary :all: --no-deps igraph==1.0.0 networkx==3.6.1
    npm pack 3d-force-graph@1.80.0 force-graph@1.52.0 vis@4.21.0

Nothing of them is part of lpgraph. Files that are broken on purpose are left out.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import warnings
from pathlib import Path

import igraph
import networkx as nx
import pandas as pd
import scipy.io

import lpgraph as lp
from lpgraph.errors import LpgraphError

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples"))
from _report import report

SIMPLE, UNIT, FUZZ = (
    f"igraph-1.0.0/vendor/source/igraph/{name}/"
    for name in ("examples/simple", "tests/unit", "fuzzing/test_inputs")
)
FILES = [
    *(SIMPLE + name for name in ("celegansneural.gml", "karate.gml", "weighted.gml", "test.graphml", "links.net")),
    *(SIMPLE + f"igraph_read_graph_lgl-{k}.lgl" for k in (1, 2)),
    *(SIMPLE + f"{name}.dl" for name in ("edgelist1", "edgelist2", "fullmatrix1", "fullmatrix2", "nodelist1")),
    *(UNIT + f"pajek{k}.net" for k in range(1, 7)),
    *(
        UNIT + f"{name}.net"
        for name in (
            "bipartite",
            "pajek_arcslist",
            "pajek_edgeslist",
            "pajek_bip",
            "pajek_signed",
            "utf8_with_bom",
        )
    ),
    *(
        UNIT + f"graphml-{name}.xml"
        for name in ("default-attrs", "hsa05010", "lenient", "namespace", "whitespace", "yed")
    ),
    *(UNIT + name for name in ("graph1.gml", "ak-4102.max")),
    *(FUZZ + name for name in ("graph1.gml", "graph1.ncol", "graph2.ncol", "graph3.ncol", "yfiles.graphml")),
    *(FUZZ + f"wa{k}.graphml" for k in (1, 4, 7)),
    "igraph-1.0.0/doc/examples_sphinx-gallery/lesmis/lesmis.gml",
    "networkx-3.6.1/examples/algorithms/WormNet.v3.benchmark.txt",
    "networkx-3.6.1/examples/algorithms/hartford_drug.edgelist",
    "networkx-3.6.1/examples/graphviz_layout/lanl_routes.edgelist",
    "3d-force-graph-1.80.0/package/example/datasets/miserables.json",
    "3d-force-graph-1.80.0/package/example/datasets/blocks.json",
    "3d-force-graph-1.80.0/package/example/datasets/d3-dependencies.csv",
    "force-graph-1.52.0/package/example/datasets/mplate.mtx",
    "vis-4.21.0/package/examples/network/datasources/WorldCup2014.json",
]
#: Texts in networkx's tests by class and attribute.
TEXTS = {
    "graphml": (
        "BaseGraphML",
        ["simple_directed_data", "attribute_data", "simple_undirected_data", "undirected_multigraph_data"],
    ),
    "gexf": ("TestGEXF", ["simple_directed_data", "attribute_data", "simple_undirected_data"]),
    "gml": ("TestGraph", ["simple_data"]),
    "pajek": ("TestPajek", ["data"]),
}
#: What the messages advise, by suffix.
REMEDIES = {
    ".dl": ("igraph.Graph.Read_DL(path)", igraph.Graph.Read_DL),
    ".lgl": (
        "igraph.Graph.Read_Lgl(path, directed=False)",
        lambda path: igraph.Graph.Read_Lgl(path, directed=False),
    ),
    ".max": (
        "igraph.Graph.Read_DIMACS(path, directed=True)",
        lambda path: igraph.Graph.Read_DIMACS(path, directed=True),
    ),
    ".ncol": (
        "igraph.Graph.Read_Ncol(path, directed=False)",
        lambda path: igraph.Graph.Read_Ncol(path, directed=False),
    ),
    ".gml": ("igraph.Graph.Read_GML(path)", igraph.Graph.Read_GML),
    ".xml": ("igraph.Graph.Read_GraphML(path)", igraph.Graph.Read_GraphML),
    ".graphml": ("igraph.Graph.Read_GraphML(path)", igraph.Graph.Read_GraphML),
    ".net": ("igraph.Graph.Read_Pajek(path)", igraph.Graph.Read_Pajek),
    ".mtx": ("abs(scipy.io.mmread(path))", lambda path: abs(scipy.io.mmread(path))),
    ".csv": ("pandas.read_csv(path).dropna()", lambda path: pd.read_csv(path).dropna()),
}


def attempt(path: Path, form: str | None) -> dict[str, object]:
    """Return how a file was read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found, how = lp.read_graph(path, format=form), "read"
        except LpgraphError as error:
            words = str(error).removeprefix(str(path)).lstrip(",: ")
            if "weight=None" in words:
                found, remedy = lp.read_graph(path, format=form, weight=None), "weight=None"
            else:
                remedy, call = REMEDIES[path.suffix]
                try:
                    found = lp.as_adjacency(call(str(path)))
                except LpgraphError:  # of an edge without a weight, which igraph reads as NaN
                    found, remedy = lp.as_adjacency(call(str(path)), weight=None), f"{remedy}, weight=None"
            how = f"refused: {words.split(';')[0][:90]}; read by `{remedy}`"
    kind = "directed" if found.directed else "undirected"
    return {"result": how, "vertices": found.n_vertices, "edges": found.n_edges, "kind": kind}


def main() -> None:
    """Read all files, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder, rows = parser.parse_args().folder, []
    for name in FILES:
        form = {".xml": "graphml", ".dl": "txt", ".lgl": "txt"}.get(Path(name).suffix)
        package = name.split("/")[0]
        rows.append({"package": package, "file": Path(name).name} | attempt(folder / name, form))
    with tempfile.TemporaryDirectory() as temporary:
        for form, (kind, texts) in TEXTS.items():
            case = getattr(importlib.import_module(f"networkx.readwrite.tests.test_{form}"), kind)
            case.setup_class()
            for text in texts:
                path, content = Path(temporary) / f"{text}.{form}", getattr(case, text)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
                origin = {"package": f"networkx-{nx.__version__}", "file": f"test_{form}.py: {text}"}
                rows.append(origin | attempt(path, form))
    read = sum(row["result"] == "read" for row in rows)
    notes = (
        f"{read} of {len(rows)} files are read. The others are refused, and read as messages or data.md advise."
    )
    report(
        "files",
        "Files of other packages",
        rows,
        notes,
        folder="benchmarks",
        peers=("igraph", "networkx", "pandas"),
    )


if __name__ == "__main__":
    main()
