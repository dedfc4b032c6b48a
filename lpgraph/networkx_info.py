"""Description of the backend, which networkx reads when it is imported; this file imports nothing."""

SPECTRAL = "algebraic_connectivity", "fiedler_vector", "spectral_bisection", "spectral_ordering"
_METHODS = (
    "`method` 'tracemin_lu' is Lanczos's method on a sparse factorisation, 'lanczos' on the matrix; otherwise "
    "the solver is chosen by the graph. `tol` is relative to the eigenvalue, and counts as 1e-8 if it is smaller."
)


def get_info() -> dict[str, object]:
    """Return the names of the functions, and how they differ from networkx's.

    Examples
    --------
    >>> from lpgraph.networkx_info import get_info
    >>> sorted(get_info()["functions"])[:2]
    ['algebraic_connectivity', 'fiedler_vector']
    """
    docs = dict.fromkeys(SPECTRAL, _METHODS)
    docs |= dict.fromkeys(("soft_random_geometric_graph", "stochastic_block_model"), "A seed gives another graph.")
    docs["harmonic_function"] = "The same labels."
    return {
        "backend_name": "lpgraph",
        "package": "lpgraph",
        "url": "https://lpgraph.readthedocs.io",
        "short_summary": "Eigenvectors of Laplacians by multigrid, and samplers of random graphs.",
        "functions": {name: {"additional_docs": text} for name, text in docs.items()},
    }
