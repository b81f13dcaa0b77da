"""Checks the built site: links, anchors, pictures, search, and no network.

    python tools/site/check_site.py FOLDER

Every link leads to a file of the site and to an anchor in it, no page loads a
script, style sheet or picture from elsewhere, and the search finds each
public name.  The exit status is 1 otherwise.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import posixpath
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import api

# Kinds of links that the browser loads with the page.
LOADED = {"script", "link", "img", "source", "iframe", "video"}


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        """Collect the addresses and names of an element."""
        for name, value in attributes:
            if value is None:
                continue
            if name in {"id", "name"}:
                self.anchors.add(value)
            elif name in {"href", "src"}:
                self.links.append((tag, value))


def read_pages(folder: Path) -> dict[str, Page]:
    """Return the pages of a site, by path."""
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text())
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.relative_to(folder).parts
    }


def broken(pages: dict[str, Page], folder: Path) -> list[str]:
    """Return descriptions of links without a target."""
    wrong = []
    for name, page in pages.items():
        for tag, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                relation = "canonical" in link
                if tag in LOADED and parts.scheme != "data" and not relation:
                    wrong.append(f"{name}: loads {link}")
                continue
            target = name
            if parts.path:
                target = posixpath.normpath(
                    posixpath.join(
                        posixpath.dirname(name), unquote(parts.path)
                    )
                )
            if not (folder / target).is_file():
                wrong.append(f"{name}: no file {link}")
            elif parts.fragment and target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[target].anchors:
                    wrong.append(f"{name}: no anchor {link}")
    return wrong


def inventory(folder: Path) -> set[str]:
    """Return the names that the site's index has."""
    data = (folder / "objects.inv").read_bytes()
    text = zlib.decompress(data.split(b"\n", 4)[4]).decode()
    return {line.split()[0] for line in text.splitlines() if " py:" in line}


def missing_names(folder: Path) -> list[str]:
    """Return public names that the site's index lacks."""
    known = inventory(folder)
    return [
        f"the index has no {name}"
        for name, _ in api.public_objects()
        if name not in known
    ]


def main() -> int:
    """Check the site; return the exit status."""
    folder = Path(sys.argv[1])
    pages = read_pages(folder)
    wrong = broken(pages, folder) + missing_names(folder)
    print("\n".join(wrong[:100]))
    figures = sum(
        any(
            tag in {"img", "video"} and "logo" not in link
            for tag, link in page.links
        )
        for page in pages.values()
    )
    print(
        f"{len(pages)} pages, {figures} with pictures, "
        f"{sum(len(page.links) for page in pages.values())} links, "
        f"{len(wrong)} faults"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
