"""Random graphs: positions, kernels and the latent position model that joins them."""
