"""Exercises as notebooks: the source is a string in a cell."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ast
import json
from typing import Any

from pycuda.course._exercises import Exercise


def write(exercise: Exercise) -> str:
    """Return the text of a notebook with the exercise's template.

    Its cells are the title, the source as a string, and a call of `check`.
    """
    source = f"source = r'''\n{exercise.template}'''"
    grade = (
        "from pycuda.course import EXERCISES, check\n\n"
        f'print(check(EXERCISES["{exercise.name}"], source).message)'
    )
    cells = [
        _cell("markdown", f"# {exercise.title}", "title"),
        _cell("code", source, "source"),
        _cell("code", grade, "check"),
    ]
    kernel = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1) + "\n"


def _cell(kind: str, text: str, name: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": name,
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def read(text: str) -> str:
    """Return the source in a notebook's text.

    The last assignment of a string to `source` counts.

    Raises
    ------
    ValueError
        The text is no notebook, or none of its cells assigns the source.
    """
    try:
        cells = json.loads(text)["cells"]
        codes = ["".join(c["source"]) for c in cells if _is_code(c)]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"not a notebook: {error}") from None
    for code in reversed(codes):
        source = _assigned(code)
        if source is not None:
            return source
    raise ValueError("no cell assigns a string to `source`")


def _is_code(cell: dict[str, Any]) -> bool:
    return cell["cell_type"] == "code"


def _assigned(code: str) -> str | None:
    """Return the string that the code assigns to `source`, if it does."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    for step in reversed(body):
        if (
            isinstance(step, ast.Assign)
            and isinstance(step.value, ast.Constant)
            and isinstance(step.value.value, str)
            and ast.unparse(step.targets[0]) == "source"
        ):
            return step.value.value.removeprefix("\n")
    return None
