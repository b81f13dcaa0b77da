"""Inserts switches that empty functions into sources.

Called by tools/mutate.py.  Each function gets a first statement that returns a
default of its type while the function is switched off by its number, so that
one build serves every function.  Bodies that only return a constant get no
switch.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

Numbers = Callable[[str], int]


class Function(NamedTuple):
    """One function of the package."""

    key: str  # "path:name", with "#2" after the second of that name
    line: int
    digest: str  # digest of its text

    def __str__(self) -> str:
        path, _, name = self.key.partition(":")
        return f"{path}:{self.line} {name}"


class Switched(NamedTuple):
    """A file with switches."""

    functions: list[Function]
    text: str


class _Keys:
    """Names of the functions of one file, each used once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.seen: Counter[str] = Counter()

    def take(self, name: str) -> str:
        self.seen[name] += 1
        count = self.seen[name]
        return f"{self.path}:{name}" + (f"#{count}" if count > 1 else "")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


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
    "Iterator": "return iter(())",
}


def _yields(function: ast.FunctionDef) -> bool:
    """Return whether a function is a generator."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False


def python_default(function: ast.FunctionDef) -> str:
    """Return the statement that replaces the body."""
    if _yields(function):
        return "return"
    if function.returns is None:
        return "return None"
    kind = re.match(r"\w+", ast.unparse(function.returns))
    return _PYTHON_DEFAULTS.get(kind[0] if kind else "", "return None")


def _python_trivial(body: list[ast.stmt], default: str) -> bool:
    """Return whether emptying changes nothing, or only a constant."""
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


def _first_line(body: list[ast.stmt]) -> int:
    """Return the first line of a body; decorators count."""
    if not body:
        return 0
    above = getattr(body[0], "decorator_list", [])
    return min(node.lineno for node in (body[0], *above))


def _definitions(
    node: ast.AST, prefix: str = ""
) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield every function with its qualified name."""
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{prefix}{child.name}."
        if isinstance(child, ast.FunctionDef):
            yield inner[:-1], child
        yield from _definitions(child, inner)


def switch_python(path: str, text: str, number: Numbers) -> Switched:
    """Return a Python file with switches; docstrings stay."""
    lines = text.splitlines(keepends=True)
    keys = _Keys(path)
    functions = []
    inserted: dict[int, str] = {}
    for name, node in _definitions(ast.parse(text)):
        body = node.body
        if ast.get_docstring(node, clean=False) is not None:
            body = body[1:]
        default = python_default(node)
        first = _first_line(body)
        if _python_trivial(body, default) or first == node.lineno:
            continue
        source = "".join(lines[node.lineno - 1 : node.end_lineno])
        found = Function(keys.take(name), node.lineno, _digest(source))
        functions.append(found)
        blank = " " * body[0].col_offset
        inserted[first - 1] = (
            f'{blank}if __import__("pycuda_mutation").off('
            f"{number(found.key)}): {default}\n"
        )
    changed = [inserted.get(i, "") + line for i, line in enumerate(lines)]
    made = "".join(changed)
    ast.parse(made)
    return Switched(functions, made)


# ---- C --------------------------------------------------------------------

_QUALIFIERS = re.compile(
    r"\b(?:static|inline|extern|const|unsigned|signed)\b|__attribute__\(\(.*\)\)"
)
_TRIVIAL = re.compile(
    r"(?:\(void\)\w+;\s*)*(?:return(?: -?\w+)?;|Py_RETURN_NONE;)?\s*"
)


def c_default(kind: str) -> str:
    """Return the statement that returns a default of the type `kind`."""
    plain = " ".join(_QUALIFIERS.sub(" ", kind).split())
    if plain == "PyObject *":
        return "Py_RETURN_NONE;"
    if plain.endswith("*"):
        return "return NULL;"
    if "void" in plain.split():
        return "return;"
    if not plain:
        return "return 0;"
    words = plain.split()
    name = plain if words[0] in ("struct", "union", "enum") else words[-1]
    return f"return ({name}){{0}};"


def switch_c(path: str, text: str, number: Numbers) -> Switched:
    """Return a C file, in the project's layout, with switches."""
    lines = text.splitlines(keepends=True)
    changed = list(lines)
    keys = _Keys(path)
    functions = []
    name = None
    for index, line in enumerate(lines):
        header = re.match(r"(\w+)\(", line)
        if header and index:
            name, kind, start = header[1], lines[index - 1].strip(), index
        if line != "{\n" or name is None:
            continue
        end = lines.index("}\n", index)
        body = "".join(lines[index + 1 : end])
        if not _TRIVIAL.fullmatch(body.strip()) and "_Noreturn" not in kind:
            digest = _digest("".join(lines[start:end]))
            found = Function(keys.take(name), start + 1, digest)
            functions.append(found)
            changed[index] = (
                f"{{\n    if (mutation_off({number(found.key)})) "
                f"{{ {c_default(kind)} }}\n"
            )
        name = None
    if functions:
        changed.insert(0, '#include "switch.h"\n#line 1\n')
    return Switched(functions, "".join(changed))


def switch(path: str, text: str, number: Numbers) -> Switched:
    """Return a file with switches; unchanged if it has no product code."""
    if path.startswith("pycuda/") and path.endswith(".py"):
        return switch_python(path, text, number)
    if path.startswith("src/") and path.endswith(".c"):
        return switch_c(path, text, number)
    return Switched([], text)
