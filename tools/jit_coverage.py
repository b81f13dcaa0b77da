"""Which lines of pycuda-jit the random kernels and the kernels' tests reach.

    .venv/bin/python tools/jit_coverage.py [--kernels N] [--tests] [--keep]
                                           [--missed] [--least PERCENT]

Builds pycuda-jit in build/coverage with counters, compiles N random kernels of
each kind (100) in every setting, with checks and for `explain`, and with
--tests runs the tests that compile kernels.  Prints the share of lines that
were run, by folder; with --missed also the lines that were not.  --keep adds
to the counts of earlier runs.  The exit status is 1 if less than PERCENT (90)
of all lines were run.  gcov, a part of gcc, counts.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "coverage"
PROGRAM = BUILD / "src" / "jit" / "pycuda-jit"
TESTS = ["tests/kernels", "tests/checks", "tests/compiler"]
OPTIONS = [
    "-Dcpu=enabled",
    "-Db_coverage=true",
    "-Dbuildtype=debug",
    "-Doptimization=1",
    # The program leaves by _exit, which would not write the counts.
    "-Dc_args=-D_exit=exit",
]
# Settings in addition to the default one.
VARIANTS: list[dict[str, str]] = [
    {},
    {"PYCUDA_CPU_TARGET": "x86-64-v3", "PYCUDA_CPU_WARPS": "0"},
    {"PYCUDA_CPU_CHECK": "memory,race,sync,init"},
    {"PYCUDA_CPU_DEBUG": "1"},
]


def build() -> None:
    if not (BUILD / "build.ninja").exists():
        subprocess.run(
            ["meson", "setup", BUILD, *OPTIONS],
            check=True,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
    target = PROGRAM.relative_to(BUILD)
    subprocess.run(["ninja", "-C", BUILD, "--quiet", target], check=True)


def run(words: list[str], variant: dict[str, str]) -> None:
    """Run a Python program whose kernels the counting program compiles."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | variant
        environment |= {"PYCUDA_DEVICE": "cpu", "PYCUDA_JIT": str(PROGRAM)}
        environment["PYCUDA_CACHE_DIR"] = cache
        done = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL if "explain" in words else None,
        )
    if done.returncode:
        print(f"jit_coverage: {' '.join(words)} failed", file=sys.stderr)


def compile_kernels(count: int) -> None:
    for variant in VARIANTS:
        run(["tools/fuzz_kernels.py", str(count)], variant)
    explain_kernels(min(count, 20))


def explain_kernels(count: int) -> None:
    """Explain the first kernel of each kind, as one source."""
    sys.path.insert(0, str(ROOT / "tests" / "kernels"))
    from kernel_corpus import GENERATORS, HEAD

    texts = [
        make(seed, f"{kind}_{seed}").text
        for kind, make in GENERATORS.items()
        for seed in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.cu"
        path.write_text(HEAD + "\n".join(texts))
        run(["-P", "-m", "pycuda.cpu", "explain", "--json", str(path)], {})


def count_lines() -> dict[str, dict[int, bool]]:
    """Return the code lines of each source file, and whether they ran."""
    lines: dict[str, dict[int, bool]] = defaultdict(dict)
    counted = sorted(BUILD.glob("src/jit/pycuda-jit.p/*.gcda"))
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", *map(str, counted)],
        check=True,
        cwd=BUILD,
        capture_output=True,
        text=True,
    )
    for line in done.stdout.splitlines():
        for file in json.loads(line)["files"]:
            path = (BUILD / file["file"]).resolve()
            if not path.is_relative_to(ROOT / "src" / "jit"):
                continue
            rows = lines[str(path.relative_to(ROOT))]
            for row in file["lines"]:
                number = row["line_number"]
                rows[number] = rows.get(number, False) or row["count"] > 0
    return lines


def print_table(lines: dict[str, dict[int, bool]], missed: bool) -> float:
    """Print the shares by folder and file; return the total in percent."""
    folders: dict[str, list[bool]] = defaultdict(list)
    for path, rows in sorted(lines.items()):
        folders[str(Path(path).parent)] += rows.values()
        if missed:
            gone = [str(number) for number in sorted(rows) if not rows[number]]
            share = percent(list(rows.values()))
            print(f"{share:6.1f} %  {path}: {', '.join(gone)}")
    for folder, ran in sorted(folders.items()):
        print(f"{percent(ran):6.1f} % of {len(ran):5} lines  {folder}")
    everything = [one for ran in folders.values() for one in ran]
    print(f"{percent(everything):6.1f} % of {len(everything):5} lines")
    return percent(everything)


def percent(ran: list[bool]) -> float:
    return 100 * sum(ran) / max(len(ran), 1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kernels", type=int, default=100, metavar="N")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--least", type=float, default=90, metavar="PERCENT")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    build()
    if not args.keep:
        for path in BUILD.glob("**/*.gcda"):
            path.unlink()
    if args.kernels:
        compile_kernels(args.kernels)
    if args.tests:
        run(["-P", "-m", "pytest", "-q", "-m", "not slow", *TESTS], {})
    return print_table(count_lines(), args.missed) < args.least


if __name__ == "__main__":
    sys.exit(main())
