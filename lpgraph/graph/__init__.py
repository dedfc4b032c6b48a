"""What a graph is: sparse adjacency matrices, conversions, files, components, arriving vertices."""
