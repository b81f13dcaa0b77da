#!/usr/bin/env python3
"""Prints the version, which pycuda/__init__.py defines."""

# SPDX-License-Identifier: MIT

import ast
from pathlib import Path


def main() -> None:
    """Read VERSION and VERSION_STATUS without importing the package."""
    path = Path(__file__).resolve().parents[1] / "pycuda" / "__init__.py"
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            name = ast.unparse(node.target)
            if name in ("VERSION", "VERSION_STATUS"):
                found[name] = ast.literal_eval(node.value)
    numbers = ".".join(str(part) for part in found["VERSION"])
    print(numbers + found["VERSION_STATUS"])


if __name__ == "__main__":
    main()
