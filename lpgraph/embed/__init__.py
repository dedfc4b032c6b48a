"""Vertices of a network: adjacency and Laplacian spectral embedding, out-of-sample vertices."""
