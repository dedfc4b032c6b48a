"""Graphs in files: edge lists, Parquet, GraphML, GML, Matrix Market and npz, each also gzipped."""

from lpgraph.graph.files.reading import load_graph, read_graph
from lpgraph.graph.files.reading_labels import load_labels, read_labels
from lpgraph.graph.files.writing import write_graph

__all__ = ["load_graph", "load_labels", "read_graph", "read_labels", "write_graph"]
