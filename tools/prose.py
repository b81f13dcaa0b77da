"""Count turns of phrase that make comments and pages hard to read.

    python tools/prose.py [ROOT] [--list N] [--check]

Reads the comments of C sources, the docstrings and comments of Python, and
the pages.  Prints, per 1,000 words, the bare relative clauses and the words
that technical English does not use, and the share of comments that open
without a subject.  --list prints N examples of each; --check exits with
status 1 above the limits.  The counts are a floor: a comment is good if a
stranger understands it without the code.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

RELATIVE = re.compile(
    r"\b(what|who|whom|whose|whatever|whoever|wherever)\b", re.IGNORECASE
)
ARCHAIC = re.compile(
    r"\b(nobody|meanwhile|anew|kin|at once|is told|tells? of|lies?|stands?|"
    r"goes on|comes to|let go|let through|the like|and its like|beside|"
    r"the others?'|as long as|by itself|made again|of its own|gives? back|"
    r"what it|of it)\b",
    re.IGNORECASE,
)
HEADLESS = re.compile(
    r"^(What|Who|Whom|Whose|Of|Which|That|Whether|The same|As |From|Else|"
    r"With|At |Behind|Nobody|Has |Does |Is |To )\b"
)
LIMITS = {"relative": 3.0, "archaic": 1.0, "open": 2.0}
SHORTEST = 25  # characters of a text that is counted

C_COMMENT = re.compile(
    r"/\*(.*?)\*/|((?:^[ \t]*//[^\n]*\n)+)", re.DOTALL | re.MULTILINE
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def c_comments(text: str) -> Iterator[str]:
    """Comments of a C source, without the name that opens a file."""
    for match in C_COMMENT.finditer(text):
        body = match.group(1) or match.group(2)
        body = re.sub(r"\s*\n\s*(\*|//+)?\s*", " ", body).strip(" /*!")
        if len(body) >= SHORTEST and "SPDX" not in body[:40]:
            yield re.sub(r"^\S+\.[chu]\w* - ", "", body)


def python_texts(text: str) -> Iterator[str]:
    """First paragraphs of the docstrings, and comments, of a module."""
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and (doc := ast.get_docstring(node)):
            yield " ".join(doc.split("\n\n")[0].split())
    for token in tokens:
        if token.type == tokenize.COMMENT:
            comment = token.string.lstrip("# ")
            if (
                len(comment) >= SHORTEST
                and "SPDX" not in comment
                and "noqa" not in comment
            ):
                yield comment


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs and table rows of a page, without code and links."""
    text = re.sub(r"```.*?```|`[^`]*`|<[^>]*>", " ", text, flags=re.DOTALL)
    for part in re.split(r"\n\s*\n|\n\|", text):
        if len(part) >= SHORTEST:
            yield " ".join(part.split())


def is_page(name: str) -> bool:
    """Result pages are written by programs."""
    return name.endswith(".md") and "benchmarks/results" not in name


KINDS: dict[str, tuple[Callable[[str], bool], Callable[..., Iterator[str]]]]
KINDS = {
    "C": (
        lambda name: name.endswith((".c", ".h", ".cu", ".cuh", ".hpp")),
        c_comments,
    ),
    "Python": (lambda name: name.endswith(".py"), python_texts),
    "pages": (is_page, paragraphs),
}


def count(kind: str, texts: list[tuple[str, str]]) -> dict[str, float]:
    """Counts of one kind, by the names of LIMITS."""
    words = sum(len(text.split()) for _, text in texts) or 1
    found = {
        "relative": RELATIVE,
        "archaic": ARCHAIC,
    }
    row = {
        name: 1000
        * sum(len(pattern.findall(text)) for _, text in texts)
        / words
        for name, pattern in found.items()
    }
    if kind != "pages":
        headless = sum(bool(HEADLESS.search(text)) for _, text in texts)
        row["open"] = 100 * headless / (len(texts) or 1)
    figures = ", ".join(f"{name} {value:.1f}" for name, value in row.items())
    print(f"{kind:7s} {len(texts):6d} texts, {words:7d} words: {figures}")
    return row


def show(texts: list[tuple[str, str]], most: int) -> None:
    """Print examples."""
    for label, pattern in [
        ("relative", RELATIVE),
        ("archaic", ARCHAIC),
        ("open", HEADLESS),
    ]:
        rows = [row for row in texts if pattern.search(row[1])]
        for path, text in rows[:most]:
            print(f"    {label}: {path}: {text[:140]}")


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(
        description="Count turns of phrase that are hard to read."
    )
    parser.add_argument("root", nargs="?", type=Path, default=Path())
    parser.add_argument("--list", type=int, default=0, metavar="N")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    names = subprocess.check_output(
        ["git", "ls-files"], cwd=options.root, text=True
    ).splitlines()
    above = False
    for kind, (chosen, reader) in KINDS.items():
        texts = []
        for name in filter(chosen, names):
            content = (options.root / name).read_text(errors="replace")
            texts += [(name, text) for text in reader(content)]
        row = count(kind, texts)
        above |= any(value > LIMITS[name] for name, value in row.items())
        show(texts, options.list)
    return int(options.check and above)


if __name__ == "__main__":
    raise SystemExit(main())
