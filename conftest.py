"""What every test and doctest leaves behind: no open figures."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    """Close the figures that a test or an example drew: which of them share a process is chance."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
