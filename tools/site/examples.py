"""The examples of the API reference, run on the device of the process.

    python tools/site/examples.py FILE

writes the lines of each example of ``docs/reference/examples.toml``, with the
value of its last line, to a JSON file.  ``stub_signatures.py`` adds them to
the docstrings on the site.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
import tomllib
import warnings
from pathlib import Path
from typing import Any

from pycuda._progress import Progress

TABLE = Path(__file__).resolve().parents[2] / "docs/reference/examples.toml"


def table() -> tuple[str, dict[str, str]]:
    """Return the preparation, and the code of each full name."""
    rows = tomllib.loads(TABLE.read_text())
    setup = rows.pop("setup")
    return setup, {
        f"{module}.{name}": code.strip("\n")
        for module, names in rows.items()
        for name, code in names.items()
    }


def run(code: str, names: dict[str, Any]) -> str:
    """Run an example; return what an interpreter would print."""
    tree = ast.parse(code)
    output = io.StringIO()
    last = tree.body[-1]
    value = None
    with contextlib.redirect_stdout(output):
        if isinstance(last, ast.Expr):
            body = ast.Module(tree.body[:-1], [])
            exec(compile(body, "<example>", "exec"), names)
            value = eval(
                compile(ast.Expression(last.value), "<example>", "eval"), names
            )
        else:
            exec(compile(tree, "<example>", "exec"), names)
    text = output.getvalue()
    return text if value is None else f"{text}{value!r}"


def prompted(code: str, output: str) -> list[str]:
    """Return an example with the interpreter's prompts and its output."""
    starts = {node.lineno for node in ast.parse(code).body}
    lines = [
        (">>> " if number in starts else "... ") + line
        for number, line in enumerate(code.split("\n"), 1)
    ]
    return lines + output.splitlines()


def results() -> dict[str, list[str]]:
    """Run all examples; return their lines by name."""
    setup, rows = table()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with Progress(len(rows), "examples") as progress:
            for name, code in rows.items():
                progress.begin(name)
                names: dict[str, Any] = {}
                exec(setup, names)
                found[name] = prompted(code, run(code, names))
                progress.step()
        os.chdir("/")
    return found


def main() -> int:
    """Write the examples' lines; return the exit status."""
    warnings.simplefilter("ignore")
    target = Path(sys.argv[1]).resolve()
    target.write_text(json.dumps(results(), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
