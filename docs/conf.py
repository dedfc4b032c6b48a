"""Sphinx configuration; build with ``sphinx-build -W -n -b html docs docs/_build/html``."""

import logging
import os
import sys
import warnings
from importlib.metadata import version as installed_version
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))
# One thread: the gallery's problems are small, and its numbers are then the same on every machine. numpy reads
# these variables when it is imported; `import lpgraph` does not import numpy.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

project = "lpgraph"
author = "The lpgraph developers"
copyright = "2026, the lpgraph developers"
release = version = installed_version("lpgraph")
extensions = [
    "page_code",
    "method_lists",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinx_design",
]

# Names in single backticks are links if they are documented, else they are emphasised.
default_role = "autolink"
autosummary_generate = True
# Names of attributes and packages in single backticks have no page; they are not broken links.
nitpick_ignore_regex = [
    (
        "py:obj",
        r"[A-Za-z_]+|(scipy|sklearn)\..*|lpgraph\.\w+|lpgraph\.(graph|models|points)\..*|lpgraph\.spectral\.\w+",
    )
]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
viewcode_line_numbers = True

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

# Copied code has neither prompts nor output.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

GALLERY = HERE.parent / "examples" / "gallery"
sphinx_gallery_conf = {
    "examples_dirs": [str(GALLERY)],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery_order.place",
    "abort_on_example_error": True,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("lpgraph",),
    "reference_url": {"lpgraph": None},
    "prefer_full_module": {r"lpgraph\.(kernels|positions|weights|plot|datasets)"},
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10,
    "thumbnail_size": (420, 260),
    "copyfile_regex": r".*\.rst",
    "download_all_examples": False,
    "parallel": False,
}
logging.getLogger("lpgraph").setLevel(logging.WARNING)  # no progress of solvers in the build's output
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive", category=UserWarning)

html_theme = "furo"
html_title = f"lpgraph {release}"
html_static_path = ["_static"]
html_css_files = ["lpgraph.css"]
html_theme_options = {"navigation_with_keys": True, "sidebar_hide_name": False}
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst", "gallery/backreferences", "**sg_execution_times.rst"]
templates_path = ["_templates"]
