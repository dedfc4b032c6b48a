"""Files as networkx and igraph write them: the right graph or an error, and never another graph."""

import json
import warnings
from collections import Counter

import igraph
import networkx as nx
import pytest

import lpgraph as lp
from lpgraph.errors import LpgraphError


def networks():
    """Networks with integer and text names, weights, arcs, isolated vertices and parallel edges."""
    yield "les_miserables", nx.les_miserables_graph()
    yield "star", nx.star_graph(5)
    yield "path", nx.path_graph(["a", "b", "c"])
    yield "triangle", nx.complete_graph(3)
    yield "arcs", nx.gnp_random_graph(12, 0.3, directed=True, seed=1)
    yield "circulant", nx.DiGraph([(i, (i + k) % 5) for i in range(5) for k in (1, 2)])
    yield "weighted_arcs", nx.DiGraph([("a", "b", {"weight": 2.5}), ("b", "c", {"weight": 0.5, "colour": "red"})])
    yield "parallel", nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    yield "isolated", nx.from_dict_of_lists({"a": ["b"], "b": ["c"], "z": []})


NETWORKS = dict(networks())
#: Suffix and writer of each format; formats without weights or isolated vertices are compared without these.
OF_NETWORKX = {
    "edgelist": (".txt", nx.write_edgelist),
    "edgelist.tsv": (".tsv", lambda g, path: nx.write_edgelist(g, path, delimiter="\t")),
    "edgelist.plain": (".edgelist", lambda g, path: nx.write_edgelist(g, path, data=False)),
    "edgelist.weighted": (".edgelist", nx.write_weighted_edgelist),
    "gml": (".gml", lambda g, path: nx.write_gml(g, path, stringizer=str)),
    "graphml": (".graphml", nx.write_graphml_xml),
    "pajek": (".net", nx.write_pajek),
    "adjlist.txt": (".txt", nx.write_adjlist),
    "multiline.txt": (".txt", nx.write_multiline_adjlist),
    "gexf": (".gexf", nx.write_gexf),
    "json": (".json", lambda g, path: path.write_text(json.dumps(nx.node_link_data(g)))),
    "graph6.txt": (".txt", nx.write_graph6),
    "sparse6.txt": (".txt", nx.write_sparse6),
}
OF_IGRAPH = {
    "edgelist": (".txt", igraph.Graph.write_edgelist),
    "ncol": (".ncol", igraph.Graph.write_ncol),
    "gml": (".gml", igraph.Graph.write_gml),
    "graphml": (".graphml", igraph.Graph.write_graphml),
    "graphmlz": (".graphmlz", igraph.Graph.write_graphmlz),
    "pajek": (".net", igraph.Graph.write_pajek),
    "dimacs.txt": (".txt", lambda g, path: g.write_dimacs(path, 0, 1)),
    "leda.txt": (".txt", lambda g, path: g.write_leda(path, **attributes(g, names="name", weights="weight"))),
    "adjacency": (".txt", igraph.Graph.write_adjacency),
    "adjacency.csv": (".csv", lambda g, path: g.write_adjacency(path, sep=",")),
}
for table in (OF_NETWORKX, OF_IGRAPH):  # files of other formats that are called .txt
    table |= {f"{form}.txt": (".txt", write) for form, (suffix, write) in table.items() if suffix[1:4] != "txt"}
#: Formats that older versions read and write in another way: JSON with other keys, Pajek without names.
if int(nx.__version__.split(".")[1]) < 6 and nx.__version__.startswith("3."):
    del OF_NETWORKX["json"], OF_NETWORKX["json.txt"]
if igraph.__version__.startswith("0."):
    del OF_IGRAPH["pajek"], OF_IGRAPH["pajek.txt"]


def attributes(graph, **wanted):
    known = {*graph.vs.attributes(), *graph.es.attributes()}
    return {key: name if name in known else None for key, name in wanted.items()}


def as_igraph(graph):
    found = igraph.Graph.from_networkx(graph)
    names = found.vs["_nx_name"]
    del found.vs["_nx_name"]
    if isinstance(names[0], str):
        found.vs["name"] = names
    if "_nx_multiedge_key" in found.es.attributes():
        del found.es["_nx_multiedge_key"]
    return found


def edges(graph, *, named=True, weighted=True):
    """Edges with names as texts, and weights; or the sorted degrees, for formats without names."""
    if not named:
        ends = [(side * graph.directed, i) for side in (0, 1) for i in graph.edge_list()[side].tolist()]
        return sorted(Counter(ends).values())
    pairs = [[str(graph.names[i]) for i in ends] for ends in zip(*graph.edge_list()[:2], strict=True)]
    ends = [tuple(pair) if graph.directed else tuple(sorted(pair)) for pair in pairs]
    return sorted(zip(ends, graph.edge_list()[2].tolist() if weighted else [1.0] * len(ends), strict=True))


FORMS = {f"networkx {form}": row for form, row in OF_NETWORKX.items()}
FORMS |= {f"igraph {form}": row for form, row in OF_IGRAPH.items()}
#: Forms without weights, and those without names.
PLAIN = ("adjlist", "graph6", "sparse6", "plain", "igraph edgelist", "dimacs")
NAMELESS = ("graph6", "sparse6", "igraph edgelist", "dimacs")
#: What is read by its suffix is read, whatever it contains.
NEVER_REFUSED = ("gml", "graphml", "pajek", "gexf", "json", "ncol")


# write_graphmlz leaves files open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NETWORKS)
def test_files(tmp_path, name, form):
    library, _, kind = form.partition(" ")
    graph, nameless = NETWORKS[name], any(key in form for key in NAMELESS)
    if "6" in form and (graph.is_directed() or (graph.is_multigraph() and "graph6" in form)):
        pytest.skip("the format has neither arcs nor parallel edges")
    if library == "igraph" and "adjacency" in form and len(graph) == 3:
        pytest.skip("a matrix of three rows reads like three weighted edges")
    if "leda" in form and name == "parallel":
        pytest.skip("networkx.read_leda drops parallel edges")
    if library == "igraph":
        graph = as_igraph(graph)
        nameless = nameless or "name" not in graph.vs.attributes()
    elif nameless:
        graph = nx.convert_node_labels_to_integers(graph)
    suffix, write = FORMS[form]
    path = tmp_path / f"graph{suffix}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # igraph warns of missing names and weights
        write(graph, path if library == "networkx" else str(path))
    try:
        found = lp.read_graph(path, directed=graph.is_directed() or None)
    except LpgraphError:
        assert kind not in NEVER_REFUSED
        return
    kept = {"weighted": not any(key in form for key in PLAIN), "named": not nameless}
    assert edges(found, **kept) == edges(lp.as_adjacency(graph), **kept)
