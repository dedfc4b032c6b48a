"""Kernels that preserve distances between neighbors, for semidefinite embedding."""
