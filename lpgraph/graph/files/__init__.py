"""Graphs in files: tables of edges and labels, GML, GraphML, Pajek, GEXF, JSON, Matrix Market, npz and Parquet."""

from .read_write import read_graph, read_labels, write_graph

__all__ = ["read_graph", "read_labels", "write_graph"]
