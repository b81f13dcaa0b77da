"""`./run` names the packages of the system's own package manager."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALL = (
    "gcc g++ libc6-dev pkg-config python3 python3-dev python3-venv "
    "llvm-19-dev libzstd-dev zlib1g-dev"
)

pytestmark = pytest.mark.no_sanitizer


def advice(manager: str, packages: str, folder: Path) -> str:
    """Return the command for a system that has only this manager."""
    text = (ROOT / "run").read_text()
    found = re.search(r"^install_command\(\) \{\n.*?^\}$", text, re.M | re.S)
    assert found is not None
    for name in ("sed", "tr"):
        (folder / name).symlink_to(str(shutil.which(name)))
    if manager:
        program = folder / manager
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    done = subprocess.run(
        ["/bin/bash", "-c", f"{found[0]}\ninstall_command '{packages}'"],
        capture_output=True,
        text=True,
        env={"PATH": str(folder)},
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "manager, expected",
    [
        ("apt-get", f"on Debian or Ubuntu: sudo apt-get install {ALL}"),
        (
            "dnf",
            "sudo dnf install gcc gcc-c++ libstdc++-static glibc-devel "
            "glibc-static pkgconf-pkg-config python3 python3-devel "
            "llvm19-devel llvm19-static libzstd-devel libzstd-static "
            "zlib-devel zlib-static",
        ),
        (
            "pacman",
            "sudo pacman -S --needed gcc pkgconf python python llvm19 "
            "clang19 zstd zlib",
        ),
        ("", f"on Debian or Ubuntu: sudo apt-get install {ALL}"),
    ],
)
def test_all_packages(manager, expected, tmp_path):
    assert advice(manager, ALL, tmp_path) == expected


def test_one_package(tmp_path):
    assert advice("dnf", "python3-dev", tmp_path) == (
        "sudo dnf install python3-devel"
    )


@pytest.mark.skipif(
    importlib.util.find_spec("mesonbuild") is None
    or shutil.which("meson") is None
    or shutil.which("cc") is None,
    reason="nothing to build with",
)
@pytest.mark.parametrize("choice", ["enabled", "auto"])
def test_a_build_without_llvm(choice, tmp_path):
    """An error with -Dcpu=enabled, else a warning: both name packages."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in ("/usr/bin", "/bin"):
        for path in Path(folder).iterdir():
            link = programs / path.name
            if not path.name.startswith("llvm-") and not link.is_symlink():
                link.symlink_to(path)
    own = Path(sys.executable).parent
    done = subprocess.run(
        [sys.executable, "-P", str(shutil.which("meson")), "setup"]
        + [str(tmp_path / "build"), str(ROOT), f"-Dcpu={choice}"],
        capture_output=True,
        text=True,
        env={"PATH": f"{own}:{programs}", "LANG": "C.UTF-8"},
    )
    assert (done.returncode != 0) == (choice == "enabled"), done.stdout
    kind = "ERROR" if choice == "enabled" else "WARNING"
    lines = [x for x in done.stdout.splitlines() if f"{kind}: " in x]
    assert "llvm-19-dev g++ libzstd-dev zlib1g-dev" in " ".join(lines)


def test_alpine(tmp_path):
    assert "musl" in advice("apk", "gcc", tmp_path)
