"""Geometry of points: metrics, neighbour search, shortest paths, affinities, reconstruction weights."""
