"""Geometry of points: metrics, neighbor search, shortest paths, affinities, reconstruction weights."""
