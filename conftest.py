"""Settings of all tests and doctests: one thread of BLAS a worker, no open figures, tests of POSIX only there."""

import os
import sys

import pytest

#: A program, which `tests/test_names.py` runs.
collect_ignore = ["tests/typed_program.py"]

if "PYTEST_XDIST_WORKER" in os.environ:
    # BLAS threads wait busily, on cores that other workers could use. BLAS reads this when it is loaded, and
    # processes that tests start inherit it. Compiled loops keep two threads, so that these are tested.
    for name, threads in {"LPGRAPH_NUM_THREADS": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}.items():
        os.environ.setdefault(name, threads)


def pytest_collection_modifyitems(items):
    """Skip the tests of POSIX on other systems."""
    if os.name != "posix":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="needs POSIX"))


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    """Close the figures that a test or an example drew: which of them share a process is chance."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
