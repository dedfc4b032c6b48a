"""Kinds of files that other programs write, found in bug reports of other projects."""

import json
import warnings
from io import BytesIO

import networkx as nx
import pytest

import lpgraph as lp
from lpgraph.errors import FileFormatError, LpgraphWarning

MATRIX = b"%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n2 1 5\n3 2 7\n"


def read(text, form="csv", **options):
    return lp.read_graph(BytesIO(text if isinstance(text, bytes) else text.encode()), format=form, **options)


def edges(graph):
    names, (source, target, weight) = list(graph.names), graph.edge_list()
    return [(names[i], names[j], w) for i, j, w in zip(source, target, weight.tolist(), strict=True)]


@pytest.mark.parametrize("mark", [b"%", b"%%", b"##", b"% "])
@pytest.mark.parametrize("suffix", [".mtx", ".edges", ".txt"])
def test_matrix_market_by_its_banner(tmp_path, mark, suffix):
    path = tmp_path / f"web{suffix}"
    path.write_bytes(mark + MATRIX[2:])
    assert edges(lp.read_graph(path)) == [(0, 1, 5.0), (1, 2, 7.0)]
    with pytest.raises(FileFormatError, match="format="):
        lp.read_graph(path, format="txt")


def test_columns_without_titles_go_by_their_position():
    text = "6,2,4,1289241911.7\n6,5,-2,1289241941.5\n1,15,1,1289243140.4\n"
    with pytest.raises(FileFormatError, match="header=False, source='1'"):
        read(text)
    graph = read(text, header=False, source="1", target="2", weight="3")
    assert edges(graph) == [(1, 15, 1.0), (2, 6, 4.0), (5, 6, -2.0)]


GEPHI = "Source,Target,Type,Id,Label,Weight\na,b,{},0,,1.0\nb,c,{},1,,2.0\n"
PAJEK = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Arcs\n1 2 1\n*Edges\n2 3 2\n'
GEXF = (
    '<gexf xmlns="http://{0}" version="1.3"><graph defaultedgetype="{1}"><attributes class="node">'
    '<attribute id="0" title="pop" type="{2}"/></attributes><nodes><node id="a" label="A"><attvalues>'
    '<attvalue for="0" value="3"/></attvalues></node><node id="b"/><node id="c"/></nodes><edges>'
    '<edge id="0" source="a" target="b"/><edge id="1" source="b" target="c" weight="2" {3}/></edges></graph>'
    "</gexf>"
)
GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" attr.name="weight" '
    'attr.type="double"/><graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>'
    '<edge source="a" target="b"/><edge source="b" target="c" directed="false"><data key="w">2</data></edge>'
    "</graph></graphml>"
)
GRAPHOLOGY = {
    "options": {"type": "mixed"},
    "nodes": [{"key": "a", "attributes": {"pop": 3}}, {"key": "b"}, {"key": "c"}],
    "edges": [
        {"source": "a", "target": "b"},
        {"source": "b", "target": "c", "undirected": True, "attributes": {"weight": 2}},
    ],
}


@pytest.mark.parametrize("kind", ["Directed", "undirected"])
def test_the_type_of_edges_in_gephis_tables(kind):
    graph = read(GEPHI.format(kind, kind))
    assert graph.directed is (kind == "Directed")
    assert edges(graph) == [("a", "b", 1.0), ("b", "c", 2.0)]
    assert read(GEPHI.format(kind, kind), directed=False).n_edges == 2
    assert not read(GEPHI.format("friend", kind)).directed
    assert read(f"Source,Target,Type\na,b,{kind}\n").directed is (kind == "Directed")  # without weights


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("csv", GEPHI.format("Directed", "Undirected")),
        ("pajek", PAJEK),
        ("gexf", GEXF.format("www.gexf.net/1.2draft", "directed", "integer", 'type="undirected"')),
        ("graphml", GRAPHML),
        ("json", json.dumps(GRAPHOLOGY)),
    ],
)
def test_arcs_and_edges_in_one_file(form, text):
    with pytest.warns(LpgraphWarning, match="1 of 2 edges are undirected.*directed=False"):
        assert edges(read(text, form)) == [("a", "b", 1.0), ("b", "c", 2.0), ("c", "b", 2.0)]
    assert edges(read(text, form, directed=False)) == [("a", "b", 1.0), ("b", "c", 2.0)]
    assert read(text, form, directed=True).n_edges == 3  # as asked for: no warning


@pytest.mark.parametrize("space", ["www.gexf.net/1.3", "gexf.net/1.3", "www.gexf.net/1.3draft"])
@pytest.mark.parametrize("kind", ["integer", "short", "bigdecimal", "char"])
def test_gexf_1_3(space, kind):
    graph = read(GEXF.format(space, "undirected", kind, ""), "gexf")
    assert edges(graph) == [("a", "b", 1.0), ("b", "c", 2.0)]
    assert list(graph.vertex_attributes["pop"]) == ["3" if kind == "char" else 3, None, None]


def test_gexf_with_default_values_and_mutual_arcs():
    text = GEXF.format("gexf.net/1.3", "directed", "integer", 'type="mutual"')
    text = text.replace('type="integer"/>', 'type="integer"><default>7</default></attribute>')
    with pytest.warns(LpgraphWarning, match="1 of 2 edges are undirected"):
        graph = read(text, "gexf")
    assert edges(graph) == [("a", "b", 1.0), ("b", "c", 2.0), ("c", "b", 2.0)]
    assert list(graph.vertex_attributes["pop"]) == [3, 7, 7]
    assert list(
        read(text.replace('attvalue for="0"', 'attvalue id="0"'), "gexf", directed=False).vertex_attributes["pop"]
    ) == [3, 7, 7]  # GEXF 1.1


@pytest.mark.parametrize("space", ["", ' xmlns="http://graphml.graphdrawing.org/xmlns/graphml"'])
def test_graphml_of_any_namespace(space):
    text = GRAPHML.replace(' xmlns="http://graphml.graphdrawing.org/xmlns"', space)
    assert edges(read(text, "graphml", directed=False)) == [("a", "b", 1.0), ("b", "c", 2.0)]
    with pytest.raises(FileFormatError, match="key 'w' of a value is not declared for edges"):
        read(text.replace('for="edge"', 'for="node"'), "graphml")
    with pytest.raises(FileFormatError, match="hyperedge"):
        read(text.replace("</graph>", "<hyperedge/></graph>"), "graphml")


YED = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'
    '<key for="node" id="d6" yfiles.type="nodegraphics"/><key for="edge" id="d9" yfiles.type="edgegraphics"/>'
    '<graph edgedefault="undirected"><node id="n0"><data key="d6"><y:ShapeNode><y:NodeLabel>Ann</y:NodeLabel>'
    '</y:ShapeNode></data></node><node id="n1" yfiles.foldertype="group"><graph edgedefault="undirected">'
    '<node id="n1::n0"><data key="d6"><y:UMLClassNode><y:NodeLabel>Bob</y:NodeLabel></y:UMLClassNode></data>'
    '</node></graph><data key="d6"><y:ShapeNode><y:NodeLabel>{}</y:NodeLabel></y:ShapeNode></data></node>'
    '<edge source="n0" target="n1::n0"><data key="d9"><y:PolyLineEdge><y:EdgeLabel>2.5</y:EdgeLabel>'
    "</y:PolyLineEdge></data></edge></graph></graphml>"
)


def test_labels_of_yed():
    assert sorted(read(YED.format("Firm"), "graphml").names) == ["Ann", "Bob", "Firm"]
    graph = read(YED.format("Ann"), "graphml", weight="label")
    assert dict(zip(graph.names, graph.vertex_attributes["label"], strict=True)) == {
        "n0": "Ann",
        "n1": "Ann",
        "n1::n0": "Bob",
    }
    assert edges(graph)[0][2] == 2.5


SMALL = {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b", "weight": 3}]}
JSONS = {
    "networkx": nx.node_link_data(nx.Graph([("a", "b", {"weight": 3})]), edges="links"),
    "networkx edges": nx.node_link_data(nx.Graph([("a", "b", {"weight": 3})]), edges="edges"),
    "cytoscape of networkx": nx.cytoscape_data(nx.Graph([("a", "b", {"weight": 3})])),
    "d3": {"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1, "weight": 3}]},
    "vis.js": {"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"from": "a", "to": "b", "weight": 3}]},
    "cytoscape.js": {
        "elements": {"nodes": [{"data": node} for node in SMALL["nodes"]], "edges": [{"data": SMALL["links"][0]}]}
    },
}


@pytest.mark.parametrize("kind", JSONS)
def test_kinds_of_json(kind):
    graph = read(json.dumps(JSONS[kind]), "json")
    assert edges(graph) == [("a", "b", 3.0)]
    assert not graph.directed


def test_json_with_other_keys_names_what_reads_it():
    data = {"nodes": SMALL["nodes"], "relationships": SMALL["links"]}
    with pytest.raises(FileFormatError, match=r"'nodes', 'relationships'.*node_link_graph\(data, edges=NAME\)"):
        read(json.dumps(data), "json")
    assert edges(lp.as_adjacency(nx.node_link_graph(data, edges="relationships"))) == [("a", "b", 3.0)]
    for other, words in (
        ({"nodes": [1], "edges": []}, "not lists of objects"),
        ({"nodes": [{"id": 1}], "links": [{"source": {"id": 1}, "target": {"id": 1}}]}, "no names of source"),
    ):
        with pytest.raises(FileFormatError, match=words):
            read(json.dumps(other), "json")


@pytest.mark.parametrize("stranger", ["", "99999,West\n", "99999,South\n"])
def test_titles_of_labels_are_found_by_the_graph(stranger):
    graph = lp.from_edges(["01001", "01003"], ["01003", "01005"])
    text = f"fips,region\n01001,South\n01003,South\n01005,North\n{stranger}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = lp.read_labels(BytesIO(text.encode()), graph, format="csv")
    assert labels == {"01001": "South", "01003": "South", "01005": "North"}
    assert len(caught) == bool(stranger)
    assert all("lacks 1 of them, such as '99999'" in str(one.message) for one in caught)


def test_a_number_is_no_title_of_labels():
    graph = lp.from_edges(["a", "b"], ["b", "c"])
    with pytest.warns(LpgraphWarning, match="lacks 1 of them, such as 'z'"):
        assert lp.read_labels(BytesIO(b"z,3\na,1\nb,2\n"), graph, format="csv") == {"a": 1, "b": 2}


def test_labels_that_stand_for_no_label():
    read_labels = lambda **options: lp.read_labels(BytesIO(b"a,0\nb,1\nc,2\n"), format="csv", **options)  # noqa: E731
    assert read_labels(missing="0") == {"b": 1, "c": 2}
    assert read_labels() == {"a": 0, "b": 1, "c": 2}


def test_labels_of_pajek_that_repeat_are_an_attribute():
    graph = read('*Vertices 3\n1 "a"\n2 "a"\n3 "b"\n*Edges\n1 2\n', "pajek")
    assert (list(graph.names), graph.vertex_attributes["label"]) == ([1, 2, 3], ["a", "a", "b"])


def test_integers_of_more_than_64_bits_are_texts_or_python_integers():
    assert list(read(f"{2**64},1\n{2**70},2\n").names) == [1, 2, 2**64, 2**70]
    assert list(read(f"{2**64},x\n{2**70},y\n").names) == [str(2**64), "x", str(2**70), "y"]


def test_pajek_in_latin_1():
    assert list(read(b'*Vertices 2\n1 "\xe9"\n2 "\xe8"\n*Edges\n1 2\n', "pajek").names) == ["\u00e9", "\u00e8"]


def test_lists_of_neighbors_of_pajek():
    text = "*Vertices 3\n*Arcslist\n1 2 3\n3 1\n"
    assert edges(read(text, "pajek")) == [(1, 2, 1.0), (1, 3, 1.0), (3, 1, 1.0)]


@pytest.mark.parametrize("weight", ["", " 4"])
def test_size_lines(weight):
    with pytest.raises(FileFormatError, match=r"line 2: 3 3 2 is the size"):
        read(f"%% x\n3 3 2\n2 1{weight}\n3 2{weight}\n", "txt")
    assert read("2 2 1\n2 0 5\n", "txt").n_edges == read("1 1 1\n1 2 5\n", "txt").n_edges == 2


@pytest.mark.parametrize(
    "times", [[1082040961, 1082155839, 1082414391], [1082040961000, 1082155839000, 1382155839000]]
)
def test_a_third_column_of_times_is_no_weight(times):
    text = "".join(f"{i} {i + 1} {time}\n" for i, time in enumerate(times))
    with pytest.warns(LpgraphWarning, match="third column has Unix times"):
        assert not read(text, "txt").weighted
    assert read(text, "txt", header=False).lowest_weight == times[0]
    assert read("1 2 1000000000\n2 3 5\n", "txt").weighted


def test_names_that_look_equal_are_told():
    with pytest.warns(LpgraphWarning, match=r"'1' and '1.0', .* \(2 pairs\)"):
        assert len(read("1,2\n1.0,3\n100000,2\n1e+05,3\n").names) == 6
    for name, other in (("Jos\u00e9", "Jose\u0301"), ("New\u00a0York", "New York"), ("x\u200b", "x")):
        with pytest.warns(LpgraphWarning, match="probably one"):
            lp.from_edges([name, "x1"], ["b", other])
        with pytest.warns(LpgraphWarning, match="probably one"):
            read(f"source,target\n{name},b\n{other},c\n")
    assert list(read("1.1,01\n1.10,1\n").names) == ["1.1", "01", "1.10", "1"]


def test_different_weights_in_both_directions_are_told():
    text = "source,target,weight\na,b,1\nb,a,2\nb,c,3\nc,b,3\n"
    with pytest.warns(LpgraphWarning, match=r"1 pair.*'a', 'b'.*directed=True"):
        assert edges(read(text)) == [("a", "b", 3.0), ("b", "c", 6.0)]
    for options in ({"directed": True}, {"directed": False}, {"weight": None}, {"multi_edges": "collapse"}):
        read(text, **options)


def test_titles_without_a_column_of_numbers():
    pairs = [(f"p{i}", f"p{i * 7 % 11}") for i in range(1, 11)]
    lines = "".join(f"{a},{b}\n" for a, b in pairs)
    for titles in ("person,friend", "User_1,User_2", "author id,paper", "gene,gene name", "a,b,weight"):
        rows = lines if titles.count(",") == 1 else lines.replace("\n", ",1\n").replace("1\n", "\n", 1)
        if titles.endswith("weight"):
            with pytest.raises(FileFormatError, match="line 2: the weight '' is not a finite number"):
                read(f"{titles}\n{rows}", weight="weight", source="a", target="b")
        else:
            assert set(read(f"{titles}\n{rows}").names) == {f"p{i}" for i in range(1, 11)}
    with pytest.warns(LpgraphWarning, match="'ego' and 'alter', are in no other line; pass header=True"):
        assert len(read(f"ego,alter\n{lines}").names) == 12
    assert len(read(f"ego,alter\n{lines}", header=True).names) == 10
    assert len(read(f"ego,p1\n{lines}").names) == 11
    assert len(read("node1,node2\nnode2,node3\n").names) == 3
