"""The page of all error messages, from A to Z.

The driver's codes and texts come from ``src/api/cuda_codes.h``, causes and
remedies from ``docs/reference/messages.toml``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODES = ROOT / "src/api/cuda_codes.h"
TABLE = ROOT / "docs/reference/messages.toml"
ROW = re.compile(r"ROW\((\w+),\s*(\d+),((?:[\s\\]*\"(?:[^\"\\]|\\.)*\")+)\)")
OPENING = """---
html_theme.sidebar_secondary.remove: true
---

# Error messages, A to Z

The first table has the messages of the package, the second one those of the
driver, which follow the name of the call: `cuLaunchKernel failed: invalid
argument`. `...` stands for names and numbers. In the mistakes, `k` is the
kernel `k(float *x, int n)`, `a` a GPUArray, `host` a NumPy array and `n` is
`np.int32(8)`; `driver` is `pycuda.driver`. [Errors](../errors.md) describes
the classes of exceptions.
"""


def driver_texts() -> dict[str, str]:
    """Return the text of each error code of the driver, by name."""
    found = {}
    for name, _, text in ROW.findall(CODES.read_text()):
        if name != "CUDA_SUCCESS":
            found[name] = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
    return found


def table() -> dict[str, list[dict[str, str]]]:
    """Return causes and remedies, of messages and of the driver's codes."""
    return tomllib.loads(TABLE.read_text())


def cell(text: str) -> str:
    """Return a text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def pages() -> dict[str, str]:
    """Return the page, by its path."""
    rows = table()
    lines = [
        OPENING,
        "## Messages of the package\n",
        "| message, class | typical mistake | cause | remedy |\n"
        "|---|---|---|---|",
    ]
    for row in sorted(rows["message"], key=lambda row: row["text"].lower()):
        lines.append(
            f"| `{cell(row['text'])}`, {row['raised']} "
            f"| `{cell(row['mistake'])}` "
            f"| {cell(row['cause'])} | {cell(row['remedy'])} |"
        )
    lines += [
        "\n## Messages of the driver\n",
        "| message | code | cause | remedy |\n|---|---|---|---|",
    ]
    texts = driver_texts()
    by_code = {row["code"]: row for row in rows["code"]}
    for name in sorted(texts, key=lambda name: texts[name].lower()):
        row = by_code[name]
        lines.append(
            f"| `{cell(texts[name])}` | `{name}` | {cell(row['cause'])} "
            f"| {cell(row['remedy'])} |"
        )
    return {"reference/messages.md": "\n".join(lines) + "\n"}
