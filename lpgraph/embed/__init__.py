"""Spectral embeddings of networks, and placement of new vertices."""
