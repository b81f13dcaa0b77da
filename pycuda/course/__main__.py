"""The course on the command line; ``python -m pycuda.course help``."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from dataclasses import asdict
from pathlib import Path

import pycuda.driver as drv
from pycuda._command_line import run
from pycuda._compile.files import read_regular
from pycuda._progress import Progress
from pycuda.course._exercises import EXERCISES
from pycuda.course._grading import Result, check
from pycuda.course._notebooks import read, write

_TIMEOUT = "10"  # time limit of a kernel in seconds
_MOST_BYTES = 1 << 20  # maximum size of a file that is checked


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pycuda.course",
        description="Exercises in CUDA C++ and Python that check themselves.",
    )
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("list", help="list the exercises (the default)")
    start = commands.add_parser("start", help="copy the templates")
    start.add_argument("folder", nargs="?", default=".", type=Path)
    start.add_argument(
        "--notebooks", action="store_true", help="write notebooks instead"
    )
    one = commands.add_parser("check", help="check files, or exercises")
    one.add_argument(
        "file",
        nargs="*",
        help="a file, or an exercise such as 06, whose file is in the "
        "current folder; without one, all files of the current folder",
    )
    grade = commands.add_parser("grade", help="check all files of a folder")
    grade.add_argument("folder", nargs="?", default=".", type=Path)
    grade.add_argument("--json", action="store_true", help="print JSON")
    solution = commands.add_parser("solution", help="print a solution")
    solution.add_argument("name", help="such as 01 or 01_map")
    return parser


def _find(name: str) -> str:
    """Return the exercise whose name or number is the given one.

    The beginning of a name, such as 06, and numbers without the 0 are enough.
    """
    if name.isdigit():
        name = name.zfill(2)
    found = [known for known in EXERCISES if known.startswith(name)]
    if len(found) != 1:
        raise SystemExit(
            f"no exercise {name!r}: expected one of {', '.join(EXERCISES)}"
        )
    return found[0]


def _files_of(name: str, folder: Path) -> list[Path]:
    """Return the learner's files for an exercise that exist in a folder."""
    path = folder / EXERCISES[name].file
    return [p for p in (path, path.with_suffix(".ipynb")) if p.exists()]


def _elsewhere(name: str) -> str:
    """Say what to do about an exercise without a file in the folder."""
    found = [
        path
        for folder in sorted(Path.cwd().iterdir())
        if folder.is_dir()
        for path in _files_of(name, folder)
    ]
    if found:
        return (
            f"there is {found[0].relative_to(Path.cwd())}: go to its folder, "
            f"or run `python -m pycuda.course check "
            f"{found[0].relative_to(Path.cwd())}`"
        )
    return (
        "`python -m pycuda.course start` writes the templates of all "
        "exercises to the current folder, `start FOLDER` to another one"
    )


def _paths(given: list[str]) -> list[Path]:
    """Return the files to check for names of files or of exercises."""
    here = Path.cwd()
    if not given:
        paths = [p for name in EXERCISES for p in _files_of(name, here)]
        if not paths:
            raise SystemExit(
                "no file of an exercise is in the current folder: "
                + _elsewhere(next(iter(EXERCISES)))
            )
        return [path.relative_to(here) for path in paths]
    paths = []
    for text in given:
        path = Path(text)
        if path.suffix or path.exists():
            paths.append(path)
            continue
        name = _find(path.name)
        found = _files_of(name, path.parent)
        if not found:
            raise SystemExit(
                f"{path.parent / EXERCISES[name].file} does not exist: "
                + _elsewhere(name)
            )
        paths.append(found[0])
    return paths


def _start(folder: Path, as_notebooks: bool) -> None:
    """Write the templates that the folder does not have yet."""
    folder.mkdir(parents=True, exist_ok=True)
    present = 0
    for exercise in EXERCISES.values():
        path, text = folder / exercise.file, exercise.template
        if as_notebooks:
            path, text = path.with_suffix(".ipynb"), write(exercise)
        if path.exists():
            present += 1
        else:
            path.write_text(text)
            print(path)
    if present:
        files = "file exists and is" if present == 1 else "files exist and are"
        print(f"{present} {files} left unchanged in {folder}")


def _check(path: Path) -> Result:
    """Check a file, whose name is the exercise's."""
    exercise = EXERCISES[_find(path.stem)]
    try:
        source = read_regular(os.fspath(path), _MOST_BYTES).decode()
        if path.suffix == ".ipynb":
            source = read(source)
    except OSError as error:
        return Result(exercise.name, False, f"{path}: {error.strerror}")
    except UnicodeDecodeError as error:
        return Result(exercise.name, False, f"{path} is not UTF-8: {error}")
    except ValueError as error:
        return Result(exercise.name, False, f"{path}: {error}")
    return check(exercise, source)


def _show(result: Result) -> None:
    mark = "ok   " if result.passed else "wrong"
    text = result.message.replace("\n", "\n      ")
    print(f"{mark} {result.name}: {text}", flush=True)


def _grade(folder: Path, as_json: bool) -> int:
    results = []
    with Progress(len(EXERCISES), "grading") as progress:
        for name in EXERCISES:
            progress.begin(name)
            path = folder / EXERCISES[name].file
            notebook = path.with_suffix(".ipynb")
            if notebook.exists() and not path.exists():
                path = notebook
            result = _check(path)
            results.append(result)
            progress.step()
            if not as_json:
                progress.clear()
                _show(result)
    passed = sum(result.passed for result in results)
    if as_json:
        rows = [asdict(result) for result in results]
        print(json.dumps({"passed": passed, "results": rows}, indent=1))
    else:
        print(f"{passed} of {len(results)} exercises are correct")
    return 0 if passed == len(results) else 1


def main(arguments: list[str]) -> int:
    """Run one command; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    # no device was found, or PYCUDA_DEVICE is invalid
    except drv.Error as error:
        print(f"pycuda.course: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    os.environ.setdefault("PYCUDA_CPU_TIMEOUT", _TIMEOUT)
    warnings.filterwarnings("ignore", message=".*CPU device.*")
    if options.command == "start":
        _start(options.folder, options.notebooks)
    elif options.command == "check":
        results = [_check(path) for path in _paths(options.file)]
        for result in results:
            _show(result)
        return 0 if all(result.passed for result in results) else 1
    elif options.command == "grade":
        return _grade(options.folder, options.json)
    elif options.command == "solution":
        print(EXERCISES[_find(options.name)].solution, end="")
    else:
        for exercise in EXERCISES.values():
            print(f"{exercise.name:14} {exercise.title}")
    return 0


if __name__ == "__main__":
    sys.exit(run("pycuda.course", main))
