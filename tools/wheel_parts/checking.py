"""Installs the wheels where there is no compiler, and runs programs there.

The programs are the tutorials and the doctor and, if wanted, a quarter of the
test files.
"""

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


#: Names of programs that compile or link.
_COMPILER = re.compile(
    r"(.*-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|c89|c99|cpp|ld|as|nvcc|ptxas|"
    r"gold|lld|mold|tcc|zig|llc|opt)([-.].*)?"
)


def _bare(folder: Path) -> dict[str, str]:
    """Return variables of a user without programs and without a cache."""
    (folder / "bin").mkdir()
    return {
        "PATH": str(folder / "bin"),
        "HOME": str(folder),
        "PYCUDA_DEVICE": "cpu",
        "LANG": "C.UTF-8",
    }


def _add_programs(folder: Path) -> None:
    """Link the system's programs, except compilers, into a folder of PATH."""
    for root in ("/usr/bin", "/bin"):
        for program in Path(root).glob("*"):
            link = folder / program.name
            if not _COMPILER.fullmatch(program.name) and not link.is_symlink():
                link.symlink_to(program)


def install(python: str, wheels: Path, folder: Path, extras: str) -> Path:
    """Install both wheels into a new environment; return its Python."""
    subprocess.run([python, "-m", "venv", folder / "v"], check=True)
    own = folder / "v" / "bin" / "python"
    words = [own, "-m", "pip", "install", "-q", "--find-links", wheels]
    words += ["--disable-pip-version-check", "--only-binary", ":all:"]
    requirement = f"pycuda-c[{extras}]=={packing.version()}"
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


def quarter() -> list[str]:
    """Return every fourth test file, by name, counted from the first."""
    files = (ROOT / "tests").rglob("test_*.py")
    return sorted(path.relative_to(ROOT).as_posix() for path in files)[::4]


def _run_tests(own: Path, env: dict[str, str]) -> tuple[str, list[str]]:
    """Run a quarter of the test files; return the summary and the failures."""
    words = [str(own.parent / "pytest"), "-q", "-m", "not slow", "--tb=short"]
    words += ["-n", "auto", "--dist", "loadfile", "--maxprocesses", "8"]
    words += ["-p", "no:cacheprovider", "--disable-warnings", "-rfE"]
    words += quarter()
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=ROOT, env=env
    )
    lines = done.stdout.splitlines()
    summary = lines[-1].strip("= ") if lines else "no output of pytest"
    if done.returncode == 0:
        return summary, []
    print(done.stdout[-8000:], done.stderr[-2000:], file=sys.stderr)
    failed = [x for x in lines if x.startswith(("FAILED ", "ERROR "))]
    return summary, failed or [f"pytest ended with {done.returncode}"]


def _audit(wheels: Path) -> list[str]:
    """Return what auditwheel objects to in all wheels of a folder."""
    wrong = []
    for wheel in sorted(wheels.glob("pycuda_c*.whl")):
        problem = _auditwheel(wheel)
        if problem is not None:
            wrong.append(f"auditwheel, {wheel.name}: {problem}")
    return wrong


def check(python: str, wheels: Path, tests: bool = False) -> bool:
    """Check the wheels with one Python; print and return the result."""
    wrong = _audit(wheels)
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        own = install(python, wheels, folder, "cpu,test" if tests else "cpu")
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
        said = f"{len(programs)} tutorials"
        if tests:
            _add_programs(folder / "bin")
            summary, failed = _run_tests(own, env)
            wrong += failed
            said += f"; {len(quarter())} test files: {summary}"
    words = [python, "-c", "import sys; print(sys.version.split(' (')[0])"]
    version = subprocess.check_output(words, text=True).strip()
    print(f"Python {version} ({os.path.realpath(python)}): {said}")
    print("  " + ("\n  ".join(wrong) or "all succeed"))
    return not wrong
