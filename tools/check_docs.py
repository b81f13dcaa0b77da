"""Checks the links of every Markdown page, and lists the pages.

A link to a file must name an existing one; a link with an anchor must name a
heading of its page.  The exit status is 1 if a link is broken.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("docs", "examples", "benchmarks")


def pages() -> list[Path]:
    """Return all Markdown pages of the project."""
    found = sorted(ROOT.glob("*.md"))
    for folder in FOLDERS:
        found += sorted((ROOT / folder).rglob("*.md"))
    return found


def prose(page: Path) -> str:
    """Return the page without its code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    """Return the anchors of the page's headings."""
    found = set()
    for title in re.findall(r"^#+ +(.+)$", page.read_text(), flags=re.M):
        words = re.sub(r"[^\w\- ]", "", title.lower())
        found.add(words.strip().replace(" ", "-"))
    return found


def broken_links(page: Path) -> list[str]:
    """Return descriptions of the page's links without a target."""
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        where = f"{page.relative_to(ROOT)}: {target}"
        if not path.exists():
            wrong.append(f"{where}: no such file")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            wrong.append(f"{where}: no such heading")
    return wrong


def main() -> int:
    """List pages with their titles, then report broken links."""
    wrong = []
    for page in pages():
        title = re.search(r"^# (.+)$", page.read_text(), flags=re.M)
        print(f"{page.relative_to(ROOT)!s:40} {title[1] if title else ''}")
        wrong += broken_links(page)
    print("\n".join(wrong) if wrong else "all links lead somewhere")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
