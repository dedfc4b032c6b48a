"""Latent position models: kernels, distributions of positions, and sampling of graphs."""
