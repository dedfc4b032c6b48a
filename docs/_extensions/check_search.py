"""Check the search of the built pages: ``python docs/_extensions/check_search.py docs/_build/html``.

A query finds the pages that contain all its words, as the search of the pages does. Each query must find the page
that answers it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sphinx.search.en import SearchEnglish

#: Queries that people type, and the page that must be among the results.
QUERIES = {
    "bipartite": "vertices",
    "citation": "index",
    "conda": "install",
    "connectome": "data",
    "core-periphery": "choose",
    "directed graph": "vertices",
    "disassortative": "choose",
    "DCSBM": "glossary",
    "embedding new nodes": "new_vertices",
    "graspologic": "coming_from",
    "GRDPG": "glossary",
    "heavy tail": "choose",
    "install": "install",
    "Leiden": "results/cluster",
    "node2vec": "limits",
    "number of dimensions": "vertices",
    "out-of-sample": "new_vertices",
    "pandas": "tutorial_classify",
    "RDPG": "glossary",
    "row normalization": "vertices",
    "SBM": "glossary",
    "scree plot": "pictures",
    "spectral clustering": "choose",
    "stochastic block model": "glossary",
    "text ids": "tutorial_classify",
    "t-SNE": "limits",
    "UMAP": "limits",
    "weighted": "choose",
}


def _index(site: Path) -> dict[str, object]:
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


def found(index: dict[str, object], query: str) -> set[str]:
    """Return the pages that contain all words of a query, in their text or title."""
    language = SearchEnglish({})
    words = [word for word in language.split(query.lower()) if language.word_filter(word)]
    matches: list[set[int]] = []
    for word in words:
        stem = language.stem(word)
        pages = [index[part].get(stem, []) for part in ("terms", "titleterms")]
        matches.append({page for listed in pages for page in ([listed] if isinstance(listed, int) else listed)})
    return {index["docnames"][page] for page in set.intersection(*matches)} if matches else set()


def missing(site: Path) -> list[str]:
    """Return one line for each query that does not find its page."""
    index = _index(site)
    return [
        f"{query!r} does not find {page}" for query, page in QUERIES.items() if page not in found(index, query)
    ]


def main(arguments: list[str]) -> int:
    """Print the queries without their page; return 1 if there are any."""
    lines = missing(Path(arguments[0]))
    print("\n".join([*lines, f"{len(QUERIES)} queries, {len(lines)} without their page"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
