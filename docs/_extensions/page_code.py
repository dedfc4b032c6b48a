"""Code in pages: links of public names and of source pages, and doctests without a blank line at their end.

The pages are plain Markdown, which a forge also shows; `Isomap`, ``lp.procrustes`` and
``lpgraph.manifold.Isomap(2)`` all link to the reference.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

_NAME = re.compile(r"(?:lp\.)?([A-Za-z_][\w.]*\w)(?:\(.*\))?")
_CORE = ("construction", "embedding", "placement", "extension", "operators", "eigen", "bottom")
_PACKAGES = ("", "manifold.", "metrics.", "infer.dimension.", "errors.", *(f"spectral.{name}." for name in _CORE))
_PREFIXES = ("", *(f"lpgraph.{package}" for package in _PACKAGES))
#: If the first column of a table has one of these titles, its names are those of another library.
_LIBRARIES = {"graspologic", "scikit-learn", "networkx", "igraph"}


def _full_name(text: str, known: Container[str]) -> str | None:
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    return next((prefix + match[1] for prefix in _PREFIXES if prefix + match[1] in known), None)


def _above(node: nodes.Node) -> Iterator[nodes.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def _is_foreign(literal: nodes.literal) -> bool:
    """Whether a literal is in the first column of a table of another library's names."""
    above = list(_above(literal))
    entry = next((node for node in above if isinstance(node, nodes.entry)), None)
    if entry is None or entry.parent.index(entry) > 0:
        return False
    table = next(node for node in above if isinstance(node, nodes.table))
    return next(iter(table.findall(nodes.entry))).astext() in _LIBRARIES


def link_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Turn literals that are public names into links, unless they are in a link or a heading."""
    known = app.env.get_domain("py").objects
    for literal in list(doctree.findall(nodes.literal)):
        if any(isinstance(node, nodes.reference | nodes.title) for node in _above(literal)):
            continue
        full = _full_name(literal.astext(), known)
        if full is None or known[full].docname == page or _is_foreign(literal):
            continue
        uri = app.builder.get_relative_uri(page, known[full].docname) + f"#{known[full].node_id}"
        reference = nodes.reference("", "", internal=True, refuri=uri, reftitle=full)
        literal.replace_self(reference)
        reference += literal


def end_blocks(app: Sphinx, doctree: nodes.document) -> None:
    """Remove the blank line that a doctest needs before the closing fence."""
    for block in doctree.findall(nodes.literal_block):
        text = block.rawsource.rstrip()
        if block.rawsource == block.astext() and text != block.rawsource:
            block.rawsource = text
            block.children = []
            block += nodes.Text(text)


def add_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Add the anchors of links from source pages: a module documented under two names has them for one only."""
    pages = [page for page in getattr(app.env, "_viewcode_modules", {}).values() if page]
    for signature in doctree.findall(addnodes.desc_signature):
        name = signature.get("fullname")
        for _, _, used, module in pages:
            if used.get(name) == app.env.docname and f"{module}.{name}" not in signature["ids"]:
                signature["ids"].append(f"{module}.{name}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-read", end_blocks)
    app.connect("doctree-read", add_anchors, priority=600)  # after sphinx.ext.viewcode
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
