"""Packs installed files into wheels, with their metadata, and checks them."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from wheel_parts.building import DEBUGGER_SYMBOLS, GLIBC, ROOT

#: Files of pycuda-c-cpu; the others belong to pycuda-c.
_CPU = ("pycuda/lib/", "pycuda/bin/", "pycuda/include/", "pycuda/cuda/cpu/")
_SUMMARY = "The CPU device of pycuda-c: CUDA's driver API and NVRTC on CPUs"


def platform_tag(machine: str) -> str:
    """Return the tag of the platform."""
    return f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{machine}"


def distribution(wheel: Path) -> str:
    """Return the name of a wheel's distribution."""
    return wheel.name.split("-")[0].replace("_", "-")


def version() -> str:
    """Return the version, from the one place that has it."""
    script = ROOT / "tools" / "version.py"
    words = [sys.executable, str(script)]
    return subprocess.check_output(words, text=True).strip()


def _requirements(name: str, project: dict) -> list[str]:
    """Return lines of the metadata about requirements."""
    if name != "pycuda-c":
        return []
    lines = [f"Requires-Dist: {r}" for r in project["dependencies"]]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        for requirement in requirements:
            if requirement == "pycuda-c-cpu":
                requirement += f"=={version()}"
            lines.append(f'Requires-Dist: {requirement}; extra == "{extra}"')
    return lines


def metadata(name: str) -> str:
    """Return the file METADATA of a distribution."""
    text = (ROOT / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    summary = project["description"] if name == "pycuda-c" else _SUMMARY
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version()}",
        f"Summary: {summary}",
        "License: MIT",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {line}" for line in project["classifiers"]),
        *_requirements(name, project),
    ]
    if name != "pycuda-c":
        return "\n".join(lines) + "\n"
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text()


def _belongs(name: str, file: str) -> bool:
    in_cpu = file.startswith(_CPU)
    return in_cpu if name == "pycuda-c-cpu" else not in_cpu


def _record(content: dict[str, bytes], path: str) -> bytes:
    lines = []
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        text = digest.rstrip(b"=").decode()
        lines.append(f"{name},sha256={text},{len(data)}\n")
    return "".join([*lines, f"{path},,\n"]).encode()


def pack(name: str, tag: str, site: Path, folder: Path) -> Path:
    """Pack a distribution's files below `site`; return the wheel's path."""
    stem = f"{name.replace('-', '_')}-{version()}"
    info = f"{stem}.dist-info"
    content: dict[str, bytes] = {}
    for path in sorted(site.rglob("*")):
        file = path.relative_to(site).as_posix()
        if path.is_file() and _belongs(name, file):
            content[file] = path.read_bytes()
    content[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    content[f"{info}/METADATA"] = metadata(name).encode()
    content[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: tools/wheels\n"
        f"Root-Is-Purelib: false\nTag: {tag}\n"
    ).encode()
    content[f"{info}/RECORD"] = _record(content, f"{info}/RECORD")
    wheel = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, True, 9) as archive:
        for file, data in content.items():
            entry = zipfile.ZipInfo(file)
            mode = 0o755 if file.startswith("pycuda/bin/") else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def glibc_needed(wheel: Path) -> tuple[int, int]:
    """Return the newest version of glibc that a library's symbol names."""
    newest = (2, 17)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".so"):
                found = re.findall(
                    rb"GLIBC_(\d+)\.(\d+)(?:\.\d+)?\0", archive.read(name)
                )
                newest = max([newest, *((int(a), int(b)) for a, b in found)])
    return newest


def check(wheel: Path) -> str | None:
    """Return what is wrong with a wheel, or None."""
    needed = glibc_needed(wheel)
    if needed > GLIBC:
        return f"needs glibc {needed[0]}.{needed[1]}"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        if distribution(wheel) == "pycuda-c":
            if any(name.startswith("pycuda/_driver.") for name in names):
                return None
            return "has no extension"
        if "pycuda/lib/libpycuda_cpu.so" not in names:
            return "has no libpycuda_cpu.so"
        library = archive.read("pycuda/lib/libpycuda_cpu.so")
    lost = [name for name in DEBUGGER_SYMBOLS if name.encode() not in library]
    return f"lacks the symbol {lost[0]}, which GDB needs" if lost else None
