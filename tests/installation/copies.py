"""Copies of the installed package, with metadata as pip writes them."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pycuda

PACKAGE = Path(pycuda.__file__).parent


def copy_package(site: Path) -> Path:
    """Copy the Python files into a folder; link the compiled ones."""
    target = site / "pycuda"
    shutil.copytree(
        PACKAGE,
        target,
        ignore=shutil.ignore_patterns(
            "__pycache__", "lib", "bin", "cuda", "*.so"
        ),
    )
    for path in [*PACKAGE.glob("*.so"), *map(PACKAGE.joinpath, FOLDERS)]:
        if path.exists():
            (target / path.name).symlink_to(path)
    return target


FOLDERS = ("lib", "bin", "cuda")


def _line(site: Path, path: Path) -> str:
    digest = base64.urlsafe_b64encode(
        hashlib.sha256(path.read_bytes()).digest()
    )
    text = digest.rstrip(b"=").decode()
    size = path.stat().st_size
    return f"{path.relative_to(site)},sha256={text},{size}\n"


def add_metadata(
    site: Path, name: str, version: str, files: list[Path]
) -> Path:
    """Write METADATA and RECORD of a distribution with these files."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    (folder / "INSTALLER").write_text("pip\n")
    record = "".join(_line(site, path) for path in files)
    (folder / "RECORD").write_text(f"{record}{folder.name}/RECORD,,\n")
    return folder


def add_own_metadata(site: Path, version: str = "2026.1") -> Path:
    """Write the metadata of pycuda-c for the copy in a folder."""
    files = sorted((site / "pycuda").rglob("*.py"))
    return add_metadata(site, "pycuda-c", version, files)


def make_wheel(folder: Path, requirement: str) -> Path:
    """Make the wheel of a package that requires something."""
    path = folder / "needs_it-1.0-py3-none-any.whl"
    info = "needs_it-1.0.dist-info"
    content = {
        "needs_it.py": "import pycuda\nVERSION = pycuda.VERSION\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: needs-it\n"
        f"Version: 1.0\nRequires-Dist: {requirement}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    content[f"{info}/RECORD"] = "".join(
        f"{name},,\n" for name in [*content, f"{info}/RECORD"]
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def run(
    words: list[str], site: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run this Python with the copy in `site` first on its path.

    A package that this process found through PYTHONPATH is not on the path
    then: Python would take it for a copy without __init__.py.
    """
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if site:
        own = [p for p in paths if p and Path(p) != PACKAGE.parent]
        paths = [str(site), *own]
    return subprocess.run(
        [sys.executable, "-P", *words],
        capture_output=True,
        text=True,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        | environment,
        cwd="/",
    )
