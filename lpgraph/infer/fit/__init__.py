"""Random graph models fitted to a graph."""
