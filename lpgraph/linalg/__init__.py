"""Numbers only: solvers that know nothing of graphs or points."""
