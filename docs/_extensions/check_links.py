"""Check the links of the built pages: ``python docs/_extensions/check_links.py docs/_build/html``.

Links, anchors, pictures, scripts and style sheets within the site are checked. A script, style sheet or picture
from another site is an error, because the pages must work without a network. Links to other sites are not
followed.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

#: Elements that a page needs to be displayed, and the attributes with their addresses.
_NEEDED = {"script": "src", "img": "src", "source": "src"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.needed: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and "href" in given:
            (self.needed if "stylesheet" in given.get("rel", "") else self.links).append(given["href"])
        elif tag in _NEEDED and _NEEDED[tag] in given:
            self.needed.append(given[_NEEDED[tag]])


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def dead_links(site: Path) -> list[str]:
    """Return one line for each dead link of the HTML pages under `site`."""
    site = site.resolve()
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    dead = []
    for path, page in pages.items():
        where = path.relative_to(site)
        for link in page.links + page.needed:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if link in page.needed:
                    dead.append(f"{where}: {link} is on another site")
                continue
            address, anchor = urldefrag(link)
            address = unquote(address.split("?")[0])
            target = (path.parent / address).resolve() if address else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                dead.append(f"{where}: {link} does not exist")
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                dead.append(f"{where}: {link} has no such anchor")
    return dead


def main(arguments: list[str]) -> int:
    """Print the dead links of a site; return 1 if there are any, or if there is no page."""
    site = Path(arguments[0])
    pages = len(list(site.rglob("*.html")))
    dead = dead_links(site)
    print("\n".join([*dead, f"{pages} pages, {len(dead)} dead links"]))
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
