"""Installs the wheels where there is no compiler, and runs programs there."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wheel_parts import packing
from wheel_parts.building import GLIBC, ROOT


def _auditwheel(wheel: Path) -> str | None:
    """Return what auditwheel objects to; None if nothing, or no program."""
    program = shutil.which("auditwheel")
    if program is None:
        print(f"{wheel.name}: not audited, auditwheel is not on PATH")
        return None
    done = subprocess.run(
        [program, "show", str(wheel)], capture_output=True, text=True
    )
    said = " ".join(done.stdout.split())
    found = re.search(r'platform tag: "manylinux_2_(\d+)_', said)
    if found and int(found[1]) <= GLIBC[1]:
        return None
    problem = said or done.stderr.strip()
    return problem[:300] or f"no output, exit status {done.returncode}"


def _bare(folder: Path) -> dict[str, str]:
    """Return variables of a user without programs and without a cache."""
    (folder / "bin").mkdir()
    return {
        "PATH": str(folder / "bin"),
        "HOME": str(folder),
        "PYCUDA_DEVICE": "cpu",
        "LANG": "C.UTF-8",
    }


def install(python: str, wheels: Path, folder: Path) -> Path:
    """Install both wheels into a new environment; return its Python."""
    subprocess.run([python, "-m", "venv", folder / "v"], check=True)
    own = folder / "v" / "bin" / "python"
    words = [own, "-m", "pip", "install", "-q", "--find-links", wheels]
    words += ["--disable-pip-version-check"]
    requirement = f"pycuda-c[cpu]=={packing.version()}"
    subprocess.run([*words, requirement], check=True)
    return own


def _output(words: list[str], folder: Path, env: dict[str, str]) -> str | None:
    """Run a program; return its output, or None and print why it failed."""
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env=env
    )
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
        return None
    return done.stdout


def check(python: str, wheels: Path) -> bool:
    """Check the wheels with one Python; print and return the result."""
    wrong = []
    for wheel in sorted(wheels.glob("pycuda_c*.whl")):
        problem = _auditwheel(wheel)
        if problem is not None:
            wrong.append(f"auditwheel, {wheel.name}: {problem}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        own = install(python, wheels, folder)
        env = _bare(folder)
        programs = sorted((ROOT / "examples").glob("tutorial_*.py"))
        programs = [p for p in programs if p.stem != "tutorial_mpi"]
        for program in programs:
            words = [str(own), "-W", "ignore", str(program)]
            if "Success" not in (_output(words, folder, env) or ""):
                wrong.append(program.name)
        words = [str(own), "-m", "pycuda", "doctor"]
        if _output(words, folder, env) is None:
            wrong.append("python -m pycuda doctor")
    version = subprocess.check_output([python, "-V"], text=True).strip()
    print(
        f"{version} ({os.path.realpath(python)}): "
        + ("; ".join(wrong) or f"{len(programs)} tutorials succeed")
    )
    return not wrong
