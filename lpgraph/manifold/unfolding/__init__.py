"""Learning a kernel whose embedding keeps the distances of neighbors (semidefinite embedding)."""
