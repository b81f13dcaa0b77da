"""Writes the README's short table from a suite's results.

Usage: ``python benchmarks/readme_table.py RESULTS.json``.  The table stands
in README.md between two comments.  Scripts that ended with another status
than 0, the void ones among them, are left out, and with `launch.py` all that
stands beside the twin's launches.

SPDX-License-Identifier: MIT
"""

import json
import re
import sys
from pathlib import Path

from common import HERE, number_text, table_text

OURS = "this package"
README = HERE.parent / "README.md"
# script: rows that are shown
SHOWN = {
    "launch": ["plain call", "prepared_call"],
    "arrays": ["a + b", "a += b", "sin(a)", "sum(a)", "empty(1024)"],
    "bandwidth": [
        "x + y",
        "sin(x)",
        "a*x + y, ElementwiseKernel",
        "sum(x)",
        "inclusive scan",
        "uniform random floats",
        "x.sum(0)",
        "transpose copy",
    ],
    "functions": [
        "sort float32, 2^24",
        "random normal float32, 2^24",
        "@ float32, side 4096",
    ],
}
NO_PEER = {"ratio", "goal", "met", "ratio to the best", "raw C", OURS}


def best_peer(heads: list[str], row: list, more: bool) -> tuple[str, object]:
    """Name and figure of the best of the others."""
    found = [
        (row[k], head)
        for k, head in enumerate(heads[1:], 1)
        if head not in NO_PEER and isinstance(row[k], int | float)
    ]
    if not found:
        return "", None
    figure, name = max(found) if more else min(found)
    return name, figure


def lines_of(result: dict) -> list[list[object]]:
    """The rows to show of one script."""
    lines = []
    for table in result["tables"]:
        heads = table["heads"]
        if OURS not in heads:
            continue
        unit, more = heads[0], heads[0] == "GB/s"
        for row in table["rows"]:
            if row[0] not in SHOWN[result["script"]]:
                continue
            mine = row[heads.index(OURS)]
            raw = row[heads.index("raw C")] if "raw C" in heads else None
            name, figure = best_peer(heads, row, more)
            peer = f"{number_text(figure)} ({name})" if name else ""
            lines.append([f"{row[0]}, {unit}", raw, mine, peer])
    return lines


def section(document: dict, stem: str) -> str:
    """What stands between the comments."""
    about = document["machine"]
    ended = {r["script"]: r["status"] for r in document["results"]}
    void = {"launch", "arrays"} if ended.get("launch") else set()
    lines = [
        line
        for result in document["results"]
        if result["script"] in SHOWN.keys() - void and not result["status"]
        for line in lines_of(result)
    ]
    heads = [about["device"], "C, by hand", OURS, "best of the others"]
    scaling = Path("benchmarks") / "results" / f"{stem}-scaling.png"
    picture = ""
    if (HERE.parent / scaling).exists():
        picture = f"\n![Time as arrays grow]({scaling})\n"
    return (
        f"{table_text(heads, lines)}\n\n"
        f"One run, {about['date']}; all of it, with goals and machine: "
        f"[benchmarks/results](benchmarks/results/{stem}.md).\n{picture}"
    )


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: readme_table.py RESULTS.json")
    path = Path(sys.argv[1])
    document = json.loads(path.read_text())
    text = README.read_text()
    begin, end = "<!-- figures -->\n", "<!-- end of figures -->"
    if begin not in text or end not in text:
        sys.exit("README.md lacks the comments around its figures")
    made = f"{begin}{section(document, path.stem)}{end}"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    README.write_text(re.sub(pattern, lambda _: made, text, flags=re.DOTALL))


if __name__ == "__main__":
    main()
