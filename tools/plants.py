"""Plant faults in the kernel compiler, one at a time, and let fuzzing look.

    .venv/bin/python tools/plants.py [NAME...] [--first SEED] [--record FILE]

Builds pycuda-jit with -Dplants=true in build/plants, and runs random kernels
(tools/fuzz_kernels.py) with each fault of src/jit/planted_faults.h, or with
the named ones, up to the first kernel that has a wrong result, does not
compile, crashes or does not end.  Faults whose names begin with "ptx_" get
random modules in PTX (tools/fuzz_ptx.py) instead.  No failure may occur
without a fault; each fault has to be found within 500 kernels.  Otherwise the
exit status is 1.
`--record` writes the rows that were found to a new file.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
HEADER = ROOT / "src" / "jit" / "planted_faults.h"
BUILD = ROOT / "build" / "plants"
MOST = 500  # kernels
GROUP = 5  # of one kind, compiled together
PTX = "ptx_"  # start of the names of faults in the translation of PTX
# kinds for which the faults are planted
KINDS = ["regions", "warps", "grids", "packs", "barrier_packs"]


class Search(NamedTuple):
    """Number of kernels run until the last ones were wrong; the symptom."""

    kernels: int
    symptom: str  # "" if none was wrong


def plants() -> dict[str, str]:
    """Return the planted faults and their effects."""
    rows = re.findall(r'ROW\((\w+),\s*"([^"]*)"\)', HEADER.read_text())
    return dict(rows)


def build() -> Path:
    """Build pycuda-jit with all faults, none of them active."""
    if not (BUILD / "build.ninja").exists():
        subprocess.run(
            ["meson", "setup", BUILD, "-Dcpu=enabled", "-Dplants=true"],
            check=True,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
    program = BUILD / "src" / "jit" / "pycuda-jit"
    subprocess.run(
        ["ninja", "-C", BUILD, "--quiet", program.relative_to(BUILD)],
        check=True,
    )
    return program


def search(program: Path, plant: str, first: int) -> Search:
    """Run random kernels or, for `PTX`, modules until one fails."""
    environment = os.environ | {
        "PYCUDA_DEVICE": "cpu",
        "PYCUDA_JIT": str(program),
        "PYCUDA_JIT_PLANT": "" if plant == PTX else plant,
    }
    if plant.startswith(PTX):
        words = ["fuzz_ptx.py", str(MOST), str(first)]
    else:
        words = ["fuzz_kernels.py", "--settings=1", f"--group={GROUP}"]
        words += [str(-(-MOST // len(KINDS))), str(first)]
        words += [f"--kind={kind}" for kind in KINDS]
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / words[0]), *words[1:], "--stop"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    right = [line for line in lines if re.match(r"\d+ \w+, last", line)]
    kernels = int(right[-1].split()[0]) if right else 0
    if done.returncode == 0:
        return Search(kernels, "")
    return Search(kernels + GROUP, symptom(done, lines))


def symptom(done: subprocess.CompletedProcess, lines: list[str]) -> str:
    if done.returncode == -signal.SIGALRM:
        return "does not end"
    if done.returncode != 1:
        return f"ends the process ({done.returncode})"
    last = lines[-1] if lines else done.stderr.strip().rpartition("\n")[2]
    if "wrote" in last:
        return "wrong numbers"
    return "not compiled" if "compil" in last.lower() else "an error"


def table(found: dict[str, Search], faults: dict[str, str]) -> list[str]:
    lines = ["| fault | what goes wrong | kernels | seen as |"]
    lines.append("| --- | --- | --- | --- |")
    for name, result in found.items():
        count = str(result.kernels) if result.symptom else f"> {MOST}"
        what, seen = faults[name], result.symptom or "**not found**"
        lines.append(f"| `{name}` | {what} | {count} | {seen} |")
    return lines


def arguments(faults: dict[str, str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    for name in args.names:
        if name not in faults:
            parser.error(f"src/jit/planted_faults.h has no '{name}'")
    return args


def main() -> int:
    faults = plants()
    args = arguments(faults)
    program = build()
    if not args.names:
        for kind in ("", PTX):
            clean = search(program, kind, args.first)
            seen = clean.symptom or "nothing"
            print(f"none: {seen} in {clean.kernels} kernels")
            if clean.symptom:
                return 1
    found = {}
    for name in args.names or faults:
        result = found[name] = search(program, name, args.first)
        print(f"{name}: {result.symptom or 'NOT FOUND'} ({result.kernels})")
        sys.stdout.flush()
    missed = [name for name, result in found.items() if not result.symptom]
    print(f"{len(found) - len(missed)} of {len(found)} found")
    if args.record:
        args.record.write_text("\n".join(table(found, faults)) + "\n")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
