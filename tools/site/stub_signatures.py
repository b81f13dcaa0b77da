"""Sphinx extension: signatures from the stub, and examples of the reference.

Functions in C have their signatures in ``pycuda/_driver.pyi``.  The examples
are those that ``examples.py`` has run.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any


def stub_signatures(path: Path) -> dict[str, str]:
    """Return the parameters of each function and method in a stub.

    The keys are names such as ``mem_alloc`` and ``Stream.synchronize``.  Of
    overloaded functions the last signature counts.
    """
    found: dict[str, str] = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                found[prefix + node.name] = parameters(node)

    visit(ast.parse(path.read_text()).body, "")
    return found


def parameters(node: ast.FunctionDef) -> str:
    """Return the parameters without their types, in parentheses."""
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    first = [*node.args.posonlyargs, *node.args.args][:1]
    text = ast.unparse(node.args)
    if first and first[0].arg in {"self", "cls"}:
        text = text[len(first[0].arg) :].removeprefix(", /").removeprefix(", ")
    return f"({text})"


def setup(app: Any) -> dict[str, bool]:
    """Connect the extension to Sphinx."""
    root = Path(os.environ["PYCUDA_SITE_ROOT"])
    table = stub_signatures(root / "pycuda/_driver.pyi")

    def process(
        app: Any,
        what: str,
        name: str,
        value: Any,
        options: Any,
        signature: str | None,
        returns: str | None,
    ) -> tuple[str, None] | None:
        module = getattr(value, "__module__", None)
        owner = getattr(value, "__objclass__", None)
        if module == "pycuda._driver" or owner is not None:
            short = name.removeprefix("pycuda.").partition(".")[2]
            for key in (f"{short}.__init__", f"{short}.__new__", short):
                if key in table and table[key] != "(...)":
                    return table[key], None
        return None

    file = root / "build/docs/examples.json"
    examples: dict[str, list[str]] = json.loads(file.read_text())

    def add_example(
        app: Any, what: str, name: str, value: Any, options: Any, lines: Any
    ) -> None:
        # Docstrings in C are plain text.
        if getattr(value, "__module__", None) == "pycuda._driver" or hasattr(
            value, "__objclass__"
        ):
            lines[:] = [line.replace("*", "\\*") for line in lines]
        if name in examples:
            lines += ["", "Examples", "--------", *examples[name], ""]

    app.connect("autodoc-process-signature", process)
    # Before napoleon, which formats the section.
    app.connect("autodoc-process-docstring", add_example, priority=400)
    return {"parallel_read_safe": True}
