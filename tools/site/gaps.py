"""Lists what the docstrings of public names lack.

    python tools/site/gaps.py

prints, for each public name, whether it has no docstring, no example, or
raises an exception that its docstring does not name.  The exit status is 1 if
there is such a name.  The tests run the same checks.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import api
import examples

Names = list[tuple[str, Any]]
# Modules whose examples are programs of their own: several processes, cells of
# notebooks, command lines; and one that is deprecated.
WITHOUT_EXAMPLES = ("pycuda.mpi", "pycuda.nccl", "pycuda.jupyter")
WITHOUT_EXAMPLES += ("pycuda.sparse", "pycuda.debug.main")
# The constructors of vectors, such as vec.make_int2, are alike.
ALIKE = ("pycuda.gpuarray.vec.make_",)


def is_described(value: Any) -> bool:
    """Return whether an object is a callable or an attribute of a class."""
    return callable(value) or inspect.isdatadescriptor(value)


def without_docstring(names: Names) -> list[str]:
    """Return the names of callables and attributes without a docstring."""
    return [
        name
        for name, value in names
        if is_described(value) and not (inspect.getdoc(value) or "").strip()
    ]


def code_of(name: str, value: Any, rows: dict[str, str]) -> str:
    """Return the example of a name: of the table and of its docstring."""
    lines = (inspect.getdoc(value) or "").splitlines()
    shown = [line for line in lines if re.match(r"\s*(>>>|\.\.\.) ", line)]
    return "\n".join([rows.get(name, ""), *shown]).strip()


def without_example(names: Names, rows: dict[str, str]) -> list[str]:
    """Return the names that no example shows.

    A method or attribute is also shown where an example of its class, of a
    base of the class, or of another member uses it.
    """
    objects = dict(names)
    codes = {name: code_of(name, value, rows) for name, value in names}
    shown = {id(objects[name]) for name in codes if codes[name]}
    by_class: dict[str, str] = {}
    for name, code in codes.items():
        owner = name if inspect.isclass(objects[name]) else parent(name)
        by_class[owner] = f"{by_class.get(owner, '')}\n{code}"
    return [
        name
        for name, value in names
        if is_described(value)
        and not api.is_enumeration(value)
        and not name.startswith((*WITHOUT_EXAMPLES, *ALIKE))
        and id(value) not in shown
        and not is_used(name, objects, by_class)
    ]


def parent(name: str) -> str:
    """Return the name of the class or module that has a name."""
    return name.rpartition(".")[0]


def is_used(
    name: str, objects: dict[str, Any], by_class: dict[str, str]
) -> bool:
    """Return whether an example of the class, or of a base, uses a member."""
    owner = objects.get(parent(name))
    if not inspect.isclass(owner):
        return False
    member = name.rpartition(".")[2]
    return any(
        re.search(rf"\.{member}\b|def {member}\(", code)
        for other, code in by_class.items()
        if inspect.isclass(objects.get(other))
        and issubclass(owner, objects[other])
    )


def raised(value: Any) -> Iterator[str]:
    """Yield the exceptions that the body of a Python function raises."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError, SyntaxError):
        return
    nested = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.Lambda))
    ][1:]
    inner = {id(part) for node in nested for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and id(node) not in inner:
            cause = node.exc
            if isinstance(cause, ast.Call):
                cause = cause.func
            if isinstance(cause, (ast.Name, ast.Attribute)):
                yield ast.unparse(cause).rpartition(".")[2]


def is_named(error: str, text: str) -> bool:
    """Return whether a text names an exception, or a base such as OSError."""
    kind = getattr(builtins, error, None)
    bases = [base.__name__ for base in kind.__mro__[:-3]] if kind else [error]
    return any(name in text for name in bases)


def unnamed_errors(names: Names) -> list[str]:
    """Return names with exceptions that their docstrings do not name."""
    found = []
    for name, value in names:
        if not inspect.isfunction(value):
            continue
        text = inspect.getdoc(value) or ""
        for error in sorted(set(raised(value))):
            # Private classes are subclasses of public ones.
            if error[0].isupper() and not is_named(error, text):
                found.append(f"{name}: {error}")
    return found


def unique(names: Iterable[tuple[str, Any]]) -> Names:
    """Return the names, each once, in their order."""
    return list(dict(names).items())


def main() -> int:
    """Print the gaps; return the exit status."""
    names = unique(api.public_objects())
    gaps = [f"no docstring: {name}" for name in without_docstring(names)]
    rows = examples.table()[1]
    gaps += [f"no example: {name}" for name in without_example(names, rows)]
    gaps += [f"not named in its docstring: {n}" for n in unnamed_errors(names)]
    print("\n".join(gaps + [f"{len(names)} names, {len(gaps)} gaps"]))
    return bool(gaps)


if __name__ == "__main__":
    sys.exit(main())
