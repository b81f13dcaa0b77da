"""Empty functions one at a time and see whether a test notices.

    .venv/bin/python tools/mutate.py [--count N] [--seed N] [--only PATH]...
                                     [--list] [--related] [--limit SECONDS]

Each of N functions of the package, Python or C, taken at random, loses its
body in turn: it returns a default of its type.  What was changed is built in
a copy of the tree, and the tests run there, those that belong to the file
first, up to the first failure.  A function that no test misses is printed as
a survivor: a test is missing, or the function is not needed.

The checkout is only read.  Exit status 1 if there are survivors.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

# Tests by what they look at: the first row whose pattern is found in a file's
# path says which run first.
RELATED = (
    (r"^pycuda/(compiler|_compile/)", ["compiler", "tools"]),
    (
        r"^pycuda/(tools|characterize|debug|auto|_pvt|_cluda|_mymako|compyte/)",
        ["tools", "kernels", "array", "driver"],
    ),
    (
        r"^pycuda/(elementwise|reduction|scan|curandom|cumath|_kernels|_random)",
        ["kernels", "array"],
    ),
    (r"^pycuda/(driver|_enum|_callbacks)", ["driver", "errors", "isolated"]),
    (r"^pycuda/cpu", ["native", "errors"]),
    (r"^(pycuda/|src/array/)", ["array", "kernels"]),
    (r"^src/core/mempool", ["tools", "driver"]),
    (r"^src/core/(nvrtc|linker)", ["compiler", "driver"]),
    (r"^src/core/", ["driver", "errors", "tools", "isolated", "kernels"]),
    (r"^src/api/", ["api", "errors"]),
    (r"^src/cpu/(nvrtc|jit)", ["native", "compiler", "kernels"]),
    (r"^src/jit/", ["native", "kernels"]),
    (r"^src/cpu/", ["native", "driver", "kernels"]),
)
SECONDS_A_TEST = 60
NO_END = "the tests did not end within --limit"


class Mutant(NamedTuple):
    """A file's text with one function emptied."""

    path: str  # from the root of the tree
    name: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.name}"


# ---- Python ---------------------------------------------------------------

_PYTHON_DEFAULTS = {
    "None": "return",
    "int": "return 0",
    "float": "return 0.0",
    "bool": "return False",
    "str": "return ''",
    "bytes": "return b''",
    "list": "return []",
    "dict": "return {}",
    "set": "return set()",
    "tuple": "return ()",
    "Iterator": "yield from ()",
}


def python_default(function: ast.FunctionDef) -> str:
    """The statement that stands for the body."""
    if function.returns is None:
        return "return None"
    kind = re.match(r"\w+", ast.unparse(function.returns))
    return _PYTHON_DEFAULTS.get(kind[0] if kind else "", "return None")


def is_trivial(body: list[ast.stmt], default: str) -> bool:
    """Whether emptying would change nothing, or only a constant."""
    if len(body) != 1:
        return not body
    only = body[0]
    if isinstance(only, ast.Return):
        return only.value is None or isinstance(only.value, ast.Constant)
    constant = isinstance(only, ast.Expr) and isinstance(
        only.value, ast.Constant
    )
    return (
        isinstance(only, ast.Pass) or constant or ast.unparse(only) == default
    )


def python_mutants(path: str, text: str) -> list[Mutant]:
    """One mutant a function of a Python file; docstrings stay."""
    lines = text.splitlines(keepends=True)
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        body = node.body
        if ast.get_docstring(node, clean=False) is not None:
            body = body[1:]
        default = python_default(node)
        if is_trivial(body, default):
            continue
        first, last = body[0].lineno - 1, body[-1].end_lineno
        if first == node.lineno - 1:
            continue  # on the line of its def
        blank = " " * body[0].col_offset
        changed = [*lines[:first], f"{blank}{default}\n", *lines[last:]]
        found.append(Mutant(path, node.name, node.lineno, "".join(changed)))
    return found


# ---- C --------------------------------------------------------------------

_QUALIFIERS = re.compile(
    r"\b(?:static|inline|extern|const|unsigned|signed)\b|__attribute__\(\(.*\)\)"
)
_TRIVIAL = re.compile(
    r"(?:\(void\)\w+;\s*)*(?:return[^;(]*;|Py_RETURN_NONE;)?\s*"
)


def c_default(kind: str) -> str:
    """The statement that returns a default of the type `kind`."""
    plain = " ".join(_QUALIFIERS.sub(" ", kind).split())
    if plain == "PyObject *":
        return "Py_RETURN_NONE;"
    if plain.endswith("*"):
        return "return NULL;"
    if "void" in plain.split():
        return ""
    if plain.startswith("struct "):
        return f"return ({plain}){{0}};"
    return "return 0;"


def c_mutants(path: str, text: str) -> list[Mutant]:
    """One mutant a function of a C file in the project's layout."""
    lines = text.splitlines(keepends=True)
    found = []
    name = None
    for number, line in enumerate(lines):
        header = re.match(r"(\w+)\(", line)
        if header and number:
            name, kind, start = header[1], lines[number - 1].strip(), number
        if line != "{\n" or name is None:
            continue
        end = lines.index("}\n", number)
        default = c_default(kind)
        body = "".join(lines[number + 1 : end]).strip()
        if not _TRIVIAL.fullmatch(body) and "_Noreturn" not in kind:
            changed = [*lines[: number + 1], f"    {default}\n", *lines[end:]]
            found.append(Mutant(path, name, start + 1, "".join(changed)))
        name = None
    return found


# ---- the copy -------------------------------------------------------------


def tracked() -> list[str]:
    """Files of the tree that git knows and that are there."""
    done = subprocess.run(
        ["git", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = done.stdout.split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def all_mutants(only: list[str]) -> list[Mutant]:
    """Every mutant of the package, of the paths in `only` if there are any."""
    found: list[Mutant] = []
    for name in tracked():
        if only and not any(name.startswith(path) for path in only):
            continue
        python = name.startswith("pycuda/") and name.endswith(".py")
        if python or (name.startswith("src/") and name.endswith(".c")):
            read = python_mutants if python else c_mutants
            found += read(name, (ROOT / name).read_text())
    return found


def related(path: str) -> list[str]:
    """Folders of tests to run first for a file."""
    for pattern, folders in RELATED:
        if re.search(pattern, path):
            return folders
    return []


class Copy:
    """The tree in a folder of its own, built there."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self.site = folder / "site"
        self.passing: set[str] = set()
        for name in tracked():
            target = folder / "tree" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        self.tree = folder / "tree"
        # The style's tests ask git for the files.
        for words in (["init", "-q"], ["add", "-A"]):
            self._run(["git", *words], self.tree)
        bin_dir = Path(sys.executable).parent
        self.environment = {
            **os.environ,
            "PATH": f"{bin_dir}:{os.environ['PATH']}",
            "PYTHONPATH": str(self.site),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.environment.pop("PYCUDA_CACHE_DIR", None)

    def _run(
        self, words: list[str], where: Path, limit: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["nice", *words],
            cwd=where,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            env=getattr(self, "environment", None),
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def configure(self) -> str:
        """Set the build up and build; the reason if that fails."""
        done = self._run(
            [
                "meson", "setup", "../build", "--prefix", str(self.folder),
                f"-Dpython.platlibdir={self.site}",
                f"-Dpython.purelibdir={self.site}", "-Dcpu=enabled",
            ],
            self.tree,
        )  # fmt: skip
        if done.returncode:
            return done.stdout + done.stderr
        why = self.build()
        if not why:
            import ziglang  # the package looks for it beside itself

            zig = Path(ziglang.__file__).parent
            (self.site / "ziglang").symlink_to(zig)
        return why

    def build(self) -> str:
        """Build and install what changed; the reason if that fails."""
        for words in (
            ["ninja", "-C", "../build", "--quiet"],
            ["meson", "install", "-C", "../build", "--no-rebuild",
             "--only-changed", "--quiet"],
        ):  # fmt: skip
            done = self._run(words, self.tree)
            if done.returncode:
                return done.stdout + done.stderr
        return ""

    def passes(self, failure: str) -> bool:
        """Whether a test that failed passes in the tree as it is."""
        if "::" not in failure or failure in self.passing:
            return True  # a crash, or an end by time, was seen
        if self.tests_fail([failure]):
            return False
        self.passing.add(failure)
        return True

    def tests_fail(self, paths: list[str]) -> str:
        """What the tests in `paths` end with, "" if they pass."""
        words = [
            sys.executable, "-P", "-m", "pytest", "-x", "-q",
            "-m", "not slow", "-p", "no:cacheprovider",
            "-o", f"timeout={SECONDS_A_TEST}",
            *paths,
        ]  # fmt: skip
        try:
            done = self._run(words, self.tree, self.limit)
        except subprocess.TimeoutExpired:
            return NO_END
        if done.returncode == 0:
            return ""
        failed = re.findall(
            r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.M
        )
        return failed[-1] if failed else f"exit status {done.returncode}"


def judge(copy: Copy, mutant: Mutant, others: list[str]) -> str:
    """ "killed by ...", "does not build", "SURVIVED" or "undecided"."""
    target = copy.tree / mutant.path
    original = target.read_text()
    target.write_text(mutant.text)
    try:
        if copy.build():
            return "does not build"
        failure = first_failure(copy, related(mutant.path), others)
    finally:
        target.write_text(original)
    if not failure:
        return "SURVIVED"
    if failure == NO_END:
        return f"undecided: {NO_END}"
    if copy.build() or not copy.passes(failure):
        return f"undecided: {failure} fails without it too"
    return f"killed by {failure}"


def first_failure(copy: Copy, first: list[str], others: list[str]) -> str:
    """What fails among the tests, the related ones first; "" if none does."""
    for folders in (first, [name for name in others if name not in first]):
        paths = [f"tests/{name}" for name in folders]
        failure = copy.tests_fail(paths) if paths else ""
        if failure:
            return failure
    return ""


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="N")
    parser.add_argument("--only", action="append", default=[], metavar="PATH")
    parser.add_argument(
        "--list", action="store_true", help="name the functions, run nothing"
    )
    parser.add_argument(
        "--related",
        action="store_true",
        help="run only the tests that belong to the file",
    )
    parser.add_argument(
        "--limit", type=int, default=900, metavar="SECONDS",
        help="longest run of tests",
    )  # fmt: skip
    return parser.parse_args()


def run(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """Judge every mutant; those that survived."""
    survivors = []
    folders = sorted(
        path.name
        for path in (ROOT / "tests").iterdir()
        if path.is_dir() and path.name not in ("__pycache__", "style")
    )
    with tempfile.TemporaryDirectory(prefix="pycuda-mutate-") as name:
        copy = Copy(Path(name), options.limit)
        why = copy.configure()
        if why:
            sys.exit(f"the tree does not build as it is:\n{why}")
        for number, mutant in enumerate(mutants, 1):
            start = time.monotonic()
            verdict = judge(copy, mutant, [] if options.related else folders)
            seconds = time.monotonic() - start
            print(
                f"{number}. {mutant}: {verdict} ({seconds:.0f} s)", flush=True
            )
            if verdict == "SURVIVED":
                survivors.append(mutant)
    return survivors


def main() -> int:
    """Choose, judge, report; the exit status."""
    options = read_arguments()
    if options.seed is None:
        options.seed = random.randrange(10**6)
    found = all_mutants(options.only)
    chosen = random.Random(options.seed).sample(
        found, min(options.count, len(found))
    )
    print(f"{len(chosen)} of {len(found)} functions, --seed {options.seed}")
    if options.list:
        print("\n".join(str(mutant) for mutant in chosen))
        return 0
    survivors = run(chosen, options)
    print(f"{len(survivors)} survivors")
    for mutant in survivors:
        print(f"  {mutant}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
