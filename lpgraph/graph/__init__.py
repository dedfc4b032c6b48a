"""Networks: sparse adjacency matrices, vertex names, conversions, files, components, new vertices."""
