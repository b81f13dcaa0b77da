"""Fuzz what parses bytes, with coverage as the guide (docs/fuzzing.md).

    python tools/fuzz_parsers.py [MINUTES] [--target NAME]...
    python tools/fuzz_parsers.py --coverage
    python tools/fuzz_parsers.py --merge

Each target of tests/fuzz/parsers is built with the parser's sources under
AddressSanitizer and UndefinedBehaviorSanitizer and with libFuzzer, which is
part of clang, and gets its share of the MINUTES.  If no clang has libFuzzer,
only the corpus is run, with gcc's sanitizers.  An input that ends a target is
kept in build/fuzz/faults, and the exit status is 1.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGETS = ROOT / "tests" / "fuzz" / "parsers"
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
BUILD = ROOT / "build" / "fuzz"
LEDGER = BUILD / "ledger.json"
CLANGS = ("clang-19", "clang", "clang-18", "clang-17", "clang-16", "clang-14")
SANITIZE = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
]
ENVIRONMENT = {
    "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
MAX_BYTES = 8192  # largest size of an input
MAX_SECONDS = 5  # longest run of one input


def configuration() -> dict[str, dict[str, Any]]:
    """Return the rows of targets.toml, with this processor's files."""
    arch = "aarch64" if platform.machine() == "aarch64" else "x86_64"
    text = (TARGETS / "targets.toml").read_text().replace("@arch@", arch)
    return tomllib.loads(text)


def engine() -> str | None:
    """Return a clang with libFuzzer and the sanitizers, or None."""
    source = (
        "#include <stddef.h>\n#include <stdint.h>\n"
        "int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)"
        "{ return d && n > 1u << 30; }\n"
    )
    for name in CLANGS:
        if not shutil.which(name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [
                    *[name, "-x", "c", "-", "-fsanitize=fuzzer,address"],
                    *["-o", f"{folder}/try"],
                ],
                input=source,
                text=True,
                capture_output=True,
                check=False,
            )
            if done.returncode == 0:
                return name
    return None


def includes() -> list[str]:
    """Return the folders of headers that the parsers' sources need."""
    llvm = subprocess.run(
        ["llvm-config-19", "--includedir"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    python = sysconfig.get_path("include")
    return [
        f"-I{ROOT / 'src'}",
        f"-I{TARGETS}",
        *("-isystem", llvm),
        *("-isystem", python),
    ]


def build(
    name: str, row: dict[str, Any], mode: str, clang: str | None
) -> Path:
    """Compile a target.

    Parameters
    ----------
    name
        The target.
    row
        Its row in targets.toml.
    mode
        "fuzz" (needs clang), "replay" (gcc's sanitizers) or "coverage".
    clang
        The clang with libFuzzer, or None.
    """
    folder = BUILD / mode / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    compiler: list[str] = {
        "fuzz": [str(clang), "-O1", *SANITIZE, "-fsanitize=fuzzer"],
        "replay": ["gcc", "-O1", *SANITIZE],
        "coverage": ["gcc", "-O0", "--coverage", "-fprofile-abs-path"],
    }[mode]
    parsers = [] if row.get("included") else row["parsers"]
    sources = [
        ROOT / "src" / path for path in parsers + row.get("sources", [])
    ]
    sources += [
        TARGETS / path for path in [f"{name}.c", *row.get("helpers", [])]
    ]
    if mode != "fuzz":
        sources.append(TARGETS / "replay.c")
    flags = [
        *["-std=gnu11", "-D_GNU_SOURCE", "-g", "-w", *includes()],
        # Versions of clang before 17 do not know the names of levels; the call
        # is never executed.
        "-D__builtin_cpu_supports(level)=1",
        "-ffunction-sections",
    ]
    objects = [str(folder / f"{i}.o") for i in range(len(sources))]
    for source, made in zip(sources, objects, strict=True):
        words = [*compiler, *flags, "-c", str(source), "-o", made]
        subprocess.run(words, cwd=folder, check=True)
    program = folder / name
    words = [*compiler, "-Wl,--gc-sections", *objects, "-lm", "-lpthread"]
    subprocess.run([*words, "-o", str(program)], cwd=folder, check=True)
    return program


def dictionary(name: str, row: dict[str, Any]) -> list[str]:
    """Return the engine's option for literals in the parser's sources."""
    words = set()
    for path in row.get("dictionary", row["parsers"]):
        text = (ROOT / "src" / path).read_text()
        words |= set(re.findall(r'(?<!include )"([^"\\\n]{2,32})"', text))
        for inside in re.findall(r'"( [^"\\\n]{2,200} )"', text):
            words |= set(inside.split())
    file = BUILD / f"{name}.dict"
    file.write_text("".join(f'"{word}"\n' for word in sorted(words)))
    return [f"-dict={file}"] if words else []


def unpack(name: str, folder: Path) -> list[Path]:
    """Extract a target's corpus into a folder; return its files."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = CORPUS / f"{name}.zip"
    if archive.exists():
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder)
    for seed in sorted((CORPUS / name).glob("*")):
        shutil.copy(seed, folder / seed.name)
    return sorted(folder.iterdir())


def pack(name: str, folder: Path) -> int:
    """Write a target's archive: equal inputs give equal bytes."""
    seeds = {path.read_bytes() for path in (CORPUS / name).glob("*")}
    texts = {path.read_bytes() for path in folder.iterdir()} - seeds
    CORPUS.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(CORPUS / f"{name}.zip", "w") as packed:
        for index, data in enumerate(sorted(texts, key=lambda t: (len(t), t))):
            info = zipfile.ZipInfo(f"{index:04d}")
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, data)
    return len(texts)


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def note(name: str, executions: int, seconds: float, faults: int) -> None:
    """Add a run to the ledger, from which docs/fuzzing.md is generated."""
    ledger = json.loads(LEDGER.read_text()) if LEDGER.exists() else {}
    row = ledger.setdefault(name, {"executions": 0, "seconds": 0, "faults": 0})
    row["executions"] += executions
    row["seconds"] += round(seconds, 1)
    row["faults"] += faults
    LEDGER.write_text(json.dumps(ledger, indent=1))


def fuzz(name: str, program: Path, options: list[str], seconds: float) -> bool:
    """Run a target for some seconds; return False if an input ended it."""
    work, faults = BUILD / "corpus" / name, BUILD / "faults"
    unpack(name, work)
    faults.mkdir(exist_ok=True)
    before = children_seconds()
    done = subprocess.run(
        [
            *[str(program), str(work), *options],
            *[f"-max_total_time={max(1, round(seconds))}"],
            *[f"-max_len={MAX_BYTES}", f"-timeout={MAX_SECONDS}"],
            *["-rss_limit_mb=2048", "-print_final_stats=1"],
            f"-artifact_prefix={faults}/{name}-",
        ],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    used = children_seconds() - before
    found = re.search(r"stat::number_of_executed_units: +(\d+)", done.stderr)
    executions = int(found[1]) if found else 0
    note(name, executions, used, done.returncode != 0)
    print(f"{name:8} {executions:>10,} inputs {used:7.1f} s", flush=True)
    if done.returncode:
        print("\n".join(done.stderr.splitlines()[-60:]))
    return done.returncode == 0


def replay(name: str, program: Path, folder: Path) -> bool:
    """Run a target on its corpus; return False if an input ended it."""
    files = unpack(name, folder)
    done = subprocess.run(
        [str(program), *map(str, files)],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    print(f"{name:8} {len(files):>10,} inputs of the corpus", flush=True)
    if done.returncode:
        print(done.stdout + done.stderr)
    return done.returncode == 0


def covered(name: str, row: dict[str, Any], program: Path) -> dict[str, tuple]:
    """Return (lines that the corpus reaches, all lines) of each parser."""
    shown = subprocess.run(
        [
            "gcov",
            "-n",
            "-r",
            "-s",
            str(ROOT),
            *map(str, program.parent.glob("*.gcda")),
        ],
        cwd=program.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = {}
    for path, share, count in re.findall(
        r"File '([^']+)'\nLines executed:([\d.]+)% of (\d+)", shown
    ):
        wanted = path.removeprefix(f"{ROOT}/").removeprefix("src/")
        if wanted in row["parsers"]:
            lines[wanted] = (
                round(float(share) * int(count) / 100),
                int(count),
            )
    return lines


def report_coverage(rows: dict[str, dict[str, Any]]) -> int:
    """Print the corpus's coverage; return 1 if a target covers too little."""
    ledger = json.loads(LEDGER.read_text()) if LEDGER.exists() else {}
    low = 0
    print("| parser | files | lines | covered | executions | CPU minutes |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        program = build(name, row, "coverage", None)
        with tempfile.TemporaryDirectory() as folder:
            files = unpack(name, Path(folder))
            subprocess.run(
                [str(program), *map(str, files)],
                stdout=subprocess.DEVNULL,
                check=True,
            )
        lines = covered(name, row, program)
        reached = sum(part for part, _ in lines.values())
        whole = sum(count for _, count in lines.values())
        run = ledger.get(name, {"executions": 0, "seconds": 0})
        low |= reached < 0.9 * whole
        print(
            f"| {name} | {', '.join(f'`{path}`' for path in lines)} | {whole} "
            f"| {100 * reached / max(whole, 1):.1f} % "
            f"| {run['executions']:,} | {run['seconds'] / 60:.1f} |",
            flush=True,
        )
        for path, (part, count) in lines.items():
            if part < 0.9 * count:
                print(f"  {path}: {part} of {count}", file=sys.stderr)
    return low


def merge(name: str, program: Path) -> None:
    """Keep the inputs that together reach the same code as all inputs."""
    work = BUILD / "corpus" / name
    unpack(name, work)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [str(program), "-merge=1", folder, str(CORPUS / name), str(work)],
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            check=True,
        )
        print(f"{name:8} {pack(name, Path(folder)):>6} inputs")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("--target", action="append", help="only this one")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--engine", action="store_true", help="is it there?")
    return parser.parse_args()


def main() -> int:
    """Run the tasks of the command line."""
    asked = arguments()
    if asked.engine:
        return engine() is None
    rows = configuration()
    names = asked.target or list(rows)
    BUILD.mkdir(parents=True, exist_ok=True)
    if asked.coverage:
        return report_coverage({name: rows[name] for name in names})
    clang = engine()
    if clang is None:
        print(
            "no clang with libFuzzer (packages clang-19 and "
            "libclang-rt-19-dev): the corpus alone is run, nothing is fuzzed"
        )
    right = True
    for name in names:
        program = build(name, rows[name], "fuzz" if clang else "replay", clang)
        if asked.merge and clang:
            merge(name, program)
        elif clang:
            options = dictionary(name, rows[name])
            share = 60 * asked.minutes / len(names)
            right &= fuzz(name, program, options, share)
        else:
            with tempfile.TemporaryDirectory() as folder:
                right &= replay(name, program, Path(folder))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
