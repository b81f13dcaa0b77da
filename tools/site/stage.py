"""Copies the pages of the site to one folder, from which Sphinx builds it.

    python tools/site/stage.py FOLDER

The pages in ``docs/`` keep their paths.  Other pages of the project, such as
``README.md``, become ``project/*.md``.  Links follow.  Links to files that are
no pages become the file's path.  The menu comes from ``docs/site.toml``, and
``api.py`` and ``error_page.py`` write the generated pages of the reference.
Files whose content is unchanged keep their times, so that Sphinx reads
changed pages only.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import fnmatch
import os
import re
import sys
import tomllib
from pathlib import Path, PurePosixPath

import error_page
import gallery_times

import api
import examples

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Pages outside docs/, and their names on the site.
PROJECT = {
    "README.md": "project/readme.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "examples/README.md": "project/examples.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "benchmarks/results/README.md": "project/results.md",
    "packaging/README.md": "project/packaging.md",
    "tests/README.md": "project/tests.md",
}
# Folders that pages link to, and the page that has their list.
FOLDERS = {
    "docs/decisions": "internals/index.md",
    "docs/design": "internals/index.md",
    "examples": "project/examples.md",
    "examples/gallery": "gallery/index.rst",
    "benchmarks": "project/benchmarks.md",
    "packaging": "project/packaging.md",
    "docs": "index.md",
}
PICTURES = {".png", ".svg"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```|^~~~.*?^~~~)", re.DOTALL | re.MULTILINE)


def site_path(path: PurePosixPath) -> str | None:
    """Return the site's name of a file of the repository, if it has one."""
    name = str(path)
    if name in PROJECT:
        return PROJECT[name]
    if name in FOLDERS:
        return FOLDERS[name]
    if path.suffix in PICTURES and path.parts[0] == "benchmarks":
        return f"project/{path.name}"
    if re.fullmatch(r"benchmarks/results/.*\.md", name):
        return f"project/{path.name}"
    if path.parts[0] == "docs" and (path.suffix in {".md", *PICTURES}):
        return str(path.relative_to("docs"))
    return None


def rewritten(text: str, source: PurePosixPath, target: str) -> str:
    """Return a page's text with the links of its new place.

    Parameters
    ----------
    text
        The page.
    source, target
        The page's path in the repository and on the site.
    """

    def link(match: re.Match[str]) -> str:
        mark, label, address = match.groups()
        if re.match(r"[a-z]+:|#", address):
            return match[0]
        name, hash_mark, anchor = address.partition("#")
        joined = os.path.normpath(source.parent / name)
        found = site_path(PurePosixPath(joined))
        if found is None:
            if not (ROOT / joined).exists():
                return match[0]  # a page that is generated
            return label if label == f"`{joined}`" else f"{label} (`{joined}`)"
        folder = PurePosixPath(target).parent
        relative = PurePosixPath(os.path.relpath(found, folder)).as_posix()
        return f"{mark}[{label}]({relative}{hash_mark}{anchor})"

    parts = FENCE.split(text)
    return "".join(
        part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts)
    )


def pages() -> dict[str, str | bytes]:
    """Return the contents of all files of the site, by path."""
    files: dict[str, str | bytes] = {}
    sources = [
        path
        for path in DOCS.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    sources += [ROOT / name for name in PROJECT]
    sources += sorted((ROOT / "benchmarks/results").glob("*.*"))
    for path in sources:
        source = PurePosixPath(path.relative_to(ROOT).as_posix())
        target = site_path(source)
        if target is None and source.parts[0] == "docs":
            target = str(source.relative_to("docs"))
        if target is None:
            continue
        if path.suffix == ".md":
            files[target] = rewritten(path.read_text(), source, target)
        else:
            files[target] = path.read_bytes()
    add_exercises(files)
    files.update(api.pages())
    setup = f"```python\n{examples.table()[0].strip()}\n```\n"
    files["reference/index.md"] = (
        f"{files['reference/index.md']!s}\n## Names in the examples\n\n"
        f"The examples of the API pages follow these lines:\n\n{setup}"
    )
    files.update(error_page.pages())
    files["gallery_times.inc"] = gallery_times.rst()
    return files


def add_exercises(files: dict[str, str | bytes]) -> None:
    """Append the template and the solution to each lesson."""
    folder = ROOT / "pycuda/course"
    for name, text in files.items():
        lesson = re.fullmatch(r"course/(\d\d-\w+)\.md", name)
        if not lesson or not isinstance(text, str):
            continue
        stem = lesson[1].replace("-", "_")
        suffix, language = ".cu", "cuda"
        if (folder / f"exercises/{stem}.py").exists():
            suffix, language = ".py", "python"
        template = (folder / f"exercises/{stem}{suffix}").read_text()
        solution = (folder / f"solutions/{stem}{suffix}").read_text()
        files[name] = (
            f"{text}\n## Exercise\n\n`{stem}{suffix}`:\n\n"
            f"```{language}\n{template}```\n"
            "\n<details><summary>Solution</summary>\n\n"
            f"```{language}\n{solution}```\n\n</details>\n"
        )


def toctree(entries: list[str], folder: PurePosixPath) -> str:
    """Return a hidden table of contents for the end of an index page."""
    lines = [os.path.relpath(entry, folder) for entry in entries]
    return "\n".join(["\n```{toctree}", ":hidden:", "", *lines, "```\n"])


def expand(patterns: list[str], names: list[str]) -> list[str]:
    """Return the pages that match each pattern, without their suffixes."""
    found: list[str] = []
    for pattern in patterns:
        some = sorted(fnmatch.filter(names, pattern))
        if not some:
            raise SystemExit(f"docs/site.toml: no page {pattern}")
        found += [name for name in some if name not in found]
    return found


def add_menu(files: dict[str, str | bytes]) -> None:
    """Append tables of contents to the index pages."""
    sections = tomllib.loads((DOCS / "site.toml").read_text())["section"]
    names = [
        name.removesuffix(".md").removesuffix(".rst")
        for name in files
        if name.endswith((".md", ".rst"))
    ]
    named = {page for s in sections for page in expand(s["pages"], names)}
    named.update(section["index"] for section in sections)
    rest = [name for name in names if "/" not in name and name not in named]
    sections[-1]["pages"] += [name for name in rest if name != "index"]
    for section in sections:
        if section.get("generated"):
            continue
        name = f"{section['index']}.md"
        folder = PurePosixPath(name).parent
        text = files[name]
        assert isinstance(text, str)
        entries = [
            entry
            for entry in expand(section["pages"], names)
            if entry != section["index"]
        ]
        if entries:
            files[name] = text + toctree(entries, folder)
    text = files["index.md"]
    assert isinstance(text, str)
    files["index.md"] = text + toctree(
        [section["index"] for section in sections], PurePosixPath(".")
    )


def write(files: dict[str, str | bytes], folder: Path) -> None:
    """Write changed files, and remove those that are gone."""
    for name, content in files.items():
        path = folder / name
        data = content.encode() if isinstance(content, str) else content
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        # sphinx-gallery writes the folder gallery, and sg_execution_times.
        if name.startswith(("gallery", "sg_")) or path.is_dir():
            continue
        if name not in files:
            path.unlink()


def main() -> int:
    """Stage the site; return the exit status."""
    files = pages()
    add_menu(files)
    write(files, Path(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
