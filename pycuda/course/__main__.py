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
    one = commands.add_parser("check", help="check files")
    one.add_argument("file", nargs="+", type=Path)
    grade = commands.add_parser("grade", help="check all files of a folder")
    grade.add_argument("folder", nargs="?", default=".", type=Path)
    grade.add_argument("--json", action="store_true", help="print JSON")
    solution = commands.add_parser("solution", help="print a solution")
    solution.add_argument("name", help="such as 01 or 01_map")
    return parser


def _find(name: str) -> str:
    """Return the exercise whose name begins with the given one."""
    found = [known for known in EXERCISES if known.startswith(name)]
    if len(found) != 1:
        raise SystemExit(
            f"no exercise {name!r}: expected one of {', '.join(EXERCISES)}"
        )
    return found[0]


def _start(folder: Path, as_notebooks: bool) -> None:
    """Write the templates that the folder does not have yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for exercise in EXERCISES.values():
        path, text = folder / exercise.file, exercise.template
        if as_notebooks:
            path, text = path.with_suffix(".ipynb"), write(exercise)
        if path.exists():
            print(f"{path} exists and is left as it is")
        else:
            path.write_text(text)
            print(path)


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
        results = [_check(path) for path in options.file]
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
