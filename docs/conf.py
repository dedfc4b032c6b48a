"""Sphinx configuration; build with ``sphinx-build -W -b html docs docs/_build/html``."""

from importlib.metadata import version as installed_version

project = "lpgraph"
author = "The lpgraph developers"
copyright = "2026, the lpgraph developers"
release = version = installed_version("lpgraph")
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "lpgraph"
exclude_patterns = ["_build"]
templates_path = ["_templates"]
