"""Make a link of every public name that a page writes as code.

The pages stay plain Markdown, which reads as well on a forge; `Isomap`, ``lp.procrustes`` and
``lpgraph.manifold.Isomap(2)`` all lead to the reference.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

_NAME = re.compile(r"(?:lp\.)?([A-Za-z_][\w.]*\w)(?:\(.*\))?")
_ROOMS = ("", "lpgraph.", "lpgraph.manifold.", "lpgraph.metrics.")


def _full_name(text: str, known: object) -> str | None:
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    for room in _ROOMS:
        if (full := room + match[1]) in known:
            return full
    return None


def link_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Wrap literals that are public names in references; leave those alone that are links already."""
    domain = app.env.get_domain("py")
    for literal in list(doctree.findall(nodes.literal)):
        if any(isinstance(above, nodes.reference | nodes.title) for above in _ancestors(literal)):
            continue
        full = _full_name(literal.astext(), domain.objects)
        if full is None:
            continue
        entry = domain.objects[full]
        if entry.docname == page:
            continue
        uri = app.builder.get_relative_uri(page, entry.docname) + f"#{entry.node_id}"
        reference = nodes.reference("", "", internal=True, refuri=uri, reftitle=full)
        literal.replace_self(reference)
        reference += literal


def _ancestors(node: nodes.Node):
    while node.parent is not None:
        node = node.parent
        yield node


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
