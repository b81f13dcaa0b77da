"""Writes the README's short table from a suite's results.

Usage: ``python benchmarks/readme_table.py RESULTS.json...``.  The table is in
README.md between two comments.  For each script it uses the first valid
results, which are those with exit status 0.  If `launch.py` failed, those of
`arrays.py` are invalid, too, because they depend on the twin's launches.  The
picture is that of the first results that have one.

SPDX-License-Identifier: MIT
"""

import json
import re
import sys
from pathlib import Path

from common import HERE, number_text, table_text

OURS = "this package"
README = HERE.parent / "README.md"
# script: rows to show
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
        "argsort float32, 2^24",
        "sort int64, 2^24",
        "random normal float32, 2^24",
        "@ float32, side 4096",
    ],
}
NO_PEER = {"ratio", "goal", "met", "ratio to the best", "raw C", OURS}


def best_peer(heads: list[str], row: list, more: bool) -> tuple[str, object]:
    """Return name and figure of the best other package."""
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
    """Return the rows to show of one script."""
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


def valid_results(document: dict) -> dict[str, dict]:
    """Return the scripts of one page that the table may show."""
    ended = {r["script"]: r["status"] for r in document["results"]}
    void = {"launch", "arrays"} if ended.get("launch") else set()
    return {
        result["script"]: result
        for result in document["results"]
        if result["script"] in SHOWN.keys() - void and not result["status"]
    }


def section(pages: dict[str, dict]) -> str:
    """Return the text between the comments; `pages` are documents by stem."""
    chosen: dict[str, tuple[str, dict]] = {}
    for stem, document in pages.items():
        for script, result in valid_results(document).items():
            chosen.setdefault(script, (stem, result))
    lines = [
        line
        for script in SHOWN
        if script in chosen
        for line in lines_of(chosen[script][1])
    ]
    shown = {stem: pages[stem]["machine"] for stem, _ in chosen.values()}
    devices = {machine["device"] for machine in shown.values()}
    if len(devices) != 1:
        sys.exit(f"one device's results make a table, not {sorted(devices)}")
    heads = [devices.pop(), "C, by hand", OURS]
    scripts = {
        stem: [s for s in SHOWN if chosen.get(s, ["", 0])[0] == stem]
        for stem in shown
    }
    runs = "; ".join(
        f"{', '.join(scripts[stem])} of\n"
        f"[{machine['date']}](benchmarks/results/{stem}.md)"
        for stem, machine in shown.items()
    )
    pictures = [
        f"\n![Time as arrays grow]({path})\n"
        for path in (
            Path("benchmarks") / "results" / f"{stem}-scaling.png"
            for stem in pages
        )
        if (HERE.parent / path).exists()
    ]
    picture = "".join(pictures[:1])
    return (
        f"{table_text([*heads, 'best other package'], lines)}\n\n"
        f"Sources of the figures: {runs}.\n"
        "All figures, and the goals that were met and missed, are in "
        "[results](benchmarks/results/README.md).\n"
        f"{picture}"
    )


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: readme_table.py RESULTS.json...")
    paths = map(Path, sys.argv[1:])
    pages = {path.stem: json.loads(path.read_text()) for path in paths}
    text = README.read_text()
    begin, end = "<!-- figures -->\n", "<!-- end of figures -->"
    if begin not in text or end not in text:
        sys.exit("README.md lacks the comments around its figures")
    made = f"{begin}{section(pages)}{end}"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    README.write_text(re.sub(pattern, lambda _: made, text, flags=re.DOTALL))


if __name__ == "__main__":
    main()
