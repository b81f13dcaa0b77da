"""Compares what NVRTC 13.0 and the CPU device's compiler take.

Usage: ``python tools/oracle [--check] [--feed NAME...] [--folder PATH...]``

Prints a line for each difference: taken by one compiler and refused by the
other, or another value.  ``--check`` compares the differences with those of
`known.toml`, each of which has a reason, and fails if one is new or gone.
NVRTC is that of PYCUDA_ORACLE_NVRTC, of pip's wheels or of a toolkit;
``--install`` downloads the wheels into `build/oracle`.

``python tools/oracle results FILE`` runs the sections that have a kernel
`run(unsigned *out)` on the device that is there and writes their words;
``--compare`` reads the file and prints what differs.
``python tools/oracle evaluate FILE`` computes functions on fixed operands:
see `evaluate.py`.
``python tools/oracle constants`` and ``python tools/oracle library`` write
the names of these feeds.
``python tools/oracle verdicts FILE`` writes the names of the sections that
NVRTC refuses, for tests that have no NVRTC.

SPDX-License-Identifier: MIT
"""

import argparse
import importlib
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import compilers  # noqa: E402
import evaluate  # noqa: E402
import known  # noqa: E402
import results  # noqa: E402
import survey  # noqa: E402
from batches import Judge  # noqa: E402
from entries import Entry, folder  # noqa: E402

# jn and yn take time proportional to their first argument.
SIDE_EFFECTS = re.compile(
    r"^[jy]nf?$|" + r"atomic|_sync|__(ld|st)[a-z]{1,2}$|activemask|oracle"
)
SOURCES = HERE.parents[1] / "tests" / "oracle"


def feeds() -> list[str]:
    """Return all feeds: modules of names, then folders of sources."""
    modules = [path.stem for path in sorted((HERE / "names").glob("*.py"))]
    folders = [path.name for path in sorted(SOURCES.iterdir())]
    return [
        name
        for name in modules + folders
        if name[0] not in "_." and not name.endswith(".py")
    ]


def entries_of(feed: str) -> Iterator[Entry]:
    """Return the entries of one feed."""
    if (HERE / "names" / f"{feed}.py").is_file():
        yield from importlib.import_module(f"names.{feed}").entries()
    else:
        yield from folder(SOURCES / feed)


def ask(nvidia: compilers.Compiler, entries: list[Entry]) -> list[tuple]:
    """Return (key, NVRTC's answer, ours) of each entry or survey call."""
    theirs = Judge(nvidia).ask(entries)
    ours = Judge(compilers.cpu()).ask(entries)
    return [
        row
        for entry in entries
        for row in survey.rows(entry, theirs[entry.key], ours[entry.key])
    ]


def write_signatures(nvidia: compilers.Compiler) -> int:
    """Write the calls that both compilers accept, for `evaluate`."""
    entries = [
        entry
        for feed in ("math", "half", "warps")
        for entry in entries_of(feed)
        if entry.calls
        and re.fullmatch(r"\w+", entry.function)
        and not SIDE_EFFECTS.search(entry.function)
    ]
    theirs = Judge(nvidia).ask(entries)
    ours = Judge(compilers.cpu()).ask(entries)
    lines = []
    for entry in entries:
        answer = theirs[entry.key]
        if answer != ours[entry.key] or not answer.startswith("="):
            continue
        numbers = answer.removeprefix("= ").split(",")
        results = dict(zip(entry.calls, numbers, strict=True))
        for call in evaluate.choose(entry, answer):
            kind = survey.ALL_TYPES[int(results[call]) // 10 - 1]
            if kind in evaluate.DTYPES:
                lines.append(f"{entry.function}|{kind}|{','.join(call)}")
    lines = list(dict.fromkeys(lines))
    evaluate.SIGNATURES.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} signatures")
    return 0


def write_constants(nvidia: compilers.Compiler) -> int:
    """Write the macros and enumerators that a compiler knows."""
    from names import constants

    folder = compilers.headers_dir()
    headers = [p for p in folder.rglob("*") if p.is_file()]
    words = constants.candidates(Path(nvidia.path), headers)
    values = [constants.constant(word) for word in words]
    macros = [constants.macro(word) for word in words]
    lines: set[str] = set()
    for compiler in (nvidia, compilers.cpu()):
        answers = Judge(compiler).ask([*values, *macros])
        for word, value, macro in zip(words, values, macros, strict=True):
            answer = answers[value.key]
            if answer.startswith("=") and not answer.startswith("= 2000"):
                lines.add(word)
            elif answers[macro.key] == "= 1":
                lines.add(f"#{word}")
    accepted = sorted(lines - {f"#{word}" for word in lines})
    constants.NAMES.write_text("\n".join(accepted) + "\n")
    print(f"{len(accepted)} constants and macros")
    return 0


def write_library(nvidia: compilers.Compiler) -> int:
    """Write the names of libcu++ and Thrust that NVRTC knows."""
    from names import library

    include = next(
        Path(option.partition("=")[2])
        for option in nvidia.options
        if option.endswith("cccl")
    )
    probes = [library.probe(*pair) for pair in library.candidates(include)]
    answers = Judge(nvidia).ask(probes)
    accepted = [p.name for p in probes if answers[p.key] == "taken"]
    accepted = [name for name in accepted if not library.STREAMS.search(name)]
    library.NAMES.write_text("\n".join(accepted) + "\n")
    print(f"{len(accepted)} names")
    return 0


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="oracle",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = ["results", "verdicts", "evaluate", "signatures"]
    commands += ["constants", "library"]
    parser.add_argument("command", nargs="?", choices=commands)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--pack", type=Path, help="of evaluate: the file")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--feed", nargs="+", default=[], choices=feeds())
    parser.add_argument("--folder", nargs="+", default=[], type=Path)
    parser.add_argument("--all", action="store_true", help="print all answers")
    return parser.parse_args()


def main() -> int:
    """Print the differences; 1: a check failed, 2: there is no NVRTC."""
    given = arguments()
    chosen = given.feed or ([] if given.folder else feeds())
    entries = [entry for feed in chosen for entry in entries_of(feed)]
    entries += [entry for path in given.folder for entry in folder(path)]
    if given.command == "results":
        return results.main(entries, given.file, given.compare)
    if given.command == "evaluate" and given.pack:
        with evaluate.np.load(given.file) as full:
            evaluate.pack(dict(full), evaluate.read(), given.pack)
        return 0
    if given.command == "evaluate":
        return evaluate.main(given.file.absolute(), given.compare)
    if given.install:
        compilers.install()
    nvidia = compilers.nvidia()
    if nvidia is None:
        print("No NVRTC 13.0 with its headers: use --install")
        return 2
    if given.command == "verdicts":
        answers = Judge(nvidia).ask(entries)
        names = [k for k, v in sorted(answers.items()) if v != "taken"]
        given.file.write_text("".join(f"{name}\n" for name in names))
        return 0
    if given.command == "signatures":
        return write_signatures(nvidia)
    if given.command == "constants":
        return write_constants(nvidia)
    if given.command == "library":
        return write_library(nvidia)
    begun = time.monotonic()
    rows = ask(nvidia, entries)
    for key, theirs, ours in rows:
        if given.all:
            print(f"{key}: {theirs} | {ours}")
    differences = known.differences(rows)
    taken = {
        row[0].partition("(")[0]
        for row in rows
        if not row[1].startswith("refused")
    }
    print(
        f"{len(entries)} entries, of which NVRTC takes {len(taken)}; "
        f"{len(differences)} differences, {time.monotonic() - begun:.0f} s"
    )
    if given.check:
        return known.check(differences, {e.key for e in entries})
    print(*known.summary(differences), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
