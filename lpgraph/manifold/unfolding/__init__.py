"""Learning a kernel whose embedding keeps the distances of neighbours (semidefinite embedding)."""
