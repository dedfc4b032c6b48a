"""Graphs in files: tables of edges and labels, GML, GraphML, Pajek, GEXF, JSON, Matrix Market, npz and Parquet."""

from lpgraph.graph.files.labels import load_labels, read_labels
from lpgraph.graph.files.reading import load_graph, read_graph
from lpgraph.graph.files.writing import write_graph

__all__ = ["load_graph", "load_labels", "read_graph", "read_labels", "write_graph"]
