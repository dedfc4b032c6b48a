"""Settings of all tests and doctests: one BLAS thread, the same random numbers in any order, no open figures."""

import gc
import os
import sys
import zlib

import pytest

#: A program, which `tests/test_names.py` runs.
collect_ignore = ["tests/typed_program.py"]

if "PYTEST_XDIST_WORKER" in os.environ:
    # BLAS threads wait busily, on cores that other workers could use. BLAS reads this when it is loaded, and
    # processes that tests start inherit it. Compiled loops keep two threads, so that these are tested.
    for name, threads in {"LPGRAPH_NUM_THREADS": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}.items():
        os.environ.setdefault(name, threads)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    """Look for no garbage while tests are collected, and later not among them and the modules: they all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run each file in one worker: its loops are compiled and its fixtures made once."""
    if config.getoption("dist") == "load":
        from xdist.scheduler import LoadFileScheduling

        return LoadFileScheduling(config, log)
    return None


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


@pytest.fixture(autouse=True)
def _same_numbers_in_any_order(request):
    """Seed the module's generator by the test's name: what ran before, in this process, is chance."""
    import numpy as np  # here: BLAS reads the number of threads, set above, when it is loaded

    generator = getattr(getattr(request, "module", None), "RNG", None)
    if isinstance(generator, np.random.Generator):
        seed = zlib.crc32(request.node.nodeid.encode())
        generator.bit_generator.state = np.random.default_rng(seed).bit_generator.state
