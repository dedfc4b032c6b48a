"""The one spectral core: operators, eigenpairs, embeddings, extensions, alignment."""
