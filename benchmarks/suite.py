"""Runs benchmarks one after the other and keeps what they print.

Usage: ``python benchmarks/suite.py [cpu|gpu|NAME...] [--out FOLDER] [--budget
SECONDS]``.  Writes FOLDER/<date>-<machine>.json (all tables), .md (the same
for readers) and, with matplotlib, .png: each package's figure relative to this
one's, and -scaling.png: time as arrays grow.  Without ``--out`` it writes no
files.  The files are rewritten after each script, so that a run that is cut
off leaves its results so far.  On a machine that was too busy for launches,
these are measured again at the end, if there is time, and the second figures
are kept if it was quieter then.

SPDX-License-Identifier: MIT
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import ABOVE, HERE, table_text
from twin import device_kind

from pycuda._progress import Progress

CPU = ["launch", "arrays", "compile", "start"]
GPU = ["launch", "arrays", "bandwidth", "functions", "scaling", "compile"]
GPU += ["start"]
BUDGET = 480  # seconds on a GPU
# benchmarks that other work on the machine disturbs
AGAIN = ["launch", "arrays"]
AGAIN_REMARK = "Measured again: launches were void at first."
OURS = "this package"
PEERS = ["numpy", "cupy-cuda13x", "torch", "cuda-core", "numba-cuda"]


def scripts_of(names: list[str]) -> list[Path]:
    """Return the scripts that the command line requests."""
    on_cpu = sorted(path.stem for path in HERE.glob("cpu_*.py"))
    groups = {"cpu": CPU + on_cpu, "gpu": GPU}
    chosen = [one for name in names for one in groups.get(name, [name])]
    paths = [HERE / f"{name}.py" for name in chosen]
    for path in paths:
        if not path.exists():
            sys.exit(f"no benchmark is named {path.stem}")
    return paths


def run(path: Path, seconds: float) -> tuple[int, str, list[dict]]:
    """Return one script's exit status, output and tables.

    A script that exceeds its seconds is ended, with all its processes; the
    status is then 124.
    """
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as tables:
        started = subprocess.Popen(
            [sys.executable, str(path)],
            env=os.environ | {"BENCHMARK_TABLES": tables.name},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = started.communicate(timeout=max(seconds, 1))
            status = started.returncode
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            said, _ = started.communicate()
            status = 124
        found = [json.loads(line) for line in tables]
    return status, said, found


def processor() -> str:
    """Return the processor's name, as Linux reports it."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else platform.processor()


def machine() -> dict:
    """Describe the machine of the figures."""
    import pycuda.driver as cuda

    cuda.init()
    versions = {}
    for name in PEERS:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "device": cuda.Device(0).name(),
        "driver": cuda.get_driver_version(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "Python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        **versions,
    }


def to_markdown(about: dict, results: list[dict]) -> str:
    """Return the tables as Markdown."""
    parts = [f"# {about['device']}, {about['date']}", ""]
    parts += [f"- {key}: {value}" for key, value in about.items()]
    for result in results:
        parts += ["", f"## {result['script']}", ""]
        if result["status"]:
            parts += [ended(result), ""]
        for table in result["tables"]:
            parts += [table_text(table["heads"], table["rows"]), ""]
        if result["said"]:
            parts += ["```", result["said"], "```"]
    return "\n".join(parts).rstrip() + "\n"


def ended(result: dict) -> str:
    """Describe the effect of a script's status on its tables."""
    if result["status"] == 124:
        return "Ended unfinished: the suite's time was up."
    if void(result):
        return "Void: the twin was slow, so the machine was too busy."
    return f"Ended with status {result['status']}."


def void(result: dict) -> bool:
    """Return whether a script found the machine too busy for launches."""
    return "void:" in result["said"]


def outside_tables(text: str) -> str:
    """Return a script's output without its tables."""
    lines = [line for line in text.split("\n") if not line.startswith("|")]
    return re.sub(r"\n{2,}", "\n", "\n".join(lines)).strip()


def figures(table: dict) -> tuple[list[str], list[list[float | None]]]:
    """Return rows and, per package, its figure over this package's."""
    heads = table["heads"]
    if OURS not in heads:
        return [], []
    mine = heads.index(OURS)
    skipped = {"ratio", "goal", "met", "ratio to the best", OURS, heads[0]}
    skipped |= {"spread", "GB/s", ABOVE}
    others = [k for k, head in enumerate(heads) if head not in skipped]
    rows, values = [], []
    for row in table["rows"]:
        if not isinstance(row[mine], int | float) or not row[mine]:
            continue
        rows.append(str(row[0]))
        values.append(
            [
                row[k] / row[mine] if isinstance(row[k], int | float) else None
                for k in others
            ]
        )
    return rows, [
        [heads[k], *column]
        for k, column in zip(others, zip(*values, strict=True), strict=True)
    ]


def plot(about: dict, results: list[dict], path: Path) -> None:
    """Draw bars: each package's figure as a multiple of this package's."""
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no picture", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    tables = [
        (result["script"], table, *figures(table))
        for result in results
        for table in result["tables"]
        if result["script"] != "scaling"
    ]
    tables = [entry for entry in tables if entry[2] and entry[3]]
    if not tables:
        return
    height = sum(1.2 + 0.4 * len(entry[2]) for entry in tables)
    figure, axes = pyplot.subplots(
        len(tables),
        figsize=(9, height),
        squeeze=False,
        height_ratios=[1.2 + 0.4 * len(entry[2]) for entry in tables],
        layout="constrained",
    )
    for axis, (script, table, rows, columns) in zip(
        axes[:, 0], tables, strict=True
    ):
        width = 0.8 / len(columns)
        for k, (name, *values) in enumerate(columns):
            places = [row + k * width for row in range(len(rows))]
            axis.barh(places, [v or 0 for v in values], width, label=name)
        axis.axvline(1, color="black", linewidth=1)
        axis.set_yticks([r + 0.4 - width / 2 for r in range(len(rows))], rows)
        axis.set_ylim(len(rows), -0.2)
        axis.set_title(f"{script}: {table['heads'][0]}, this package = 1")
        axis.legend(fontsize="small", bbox_to_anchor=(1, 1), loc="upper left")
    figure.suptitle(f"{about['device']}, {about['date']}")
    figure.savefig(path, dpi=80)


def plot_scaling(about: dict, results: list[dict], path: Path) -> None:
    """Draw lines: time as arrays grow, relative to the handwritten kernel."""
    tables = [
        table
        for result in results
        if result["script"] == "scaling"
        for table in result["tables"]
        if table["rows"]
    ]
    if not tables:
        return
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    columns = min(4, len(tables))
    lines = -(-len(tables) // columns)
    figure, axes = pyplot.subplots(
        lines, columns, figsize=(3 * columns, 2.6 * lines), squeeze=False,
        sharey=True,
    )  # fmt: skip
    for axis, table in zip(axes.flat, tables, strict=False):
        heads = table["heads"]
        sizes = [int(row[0].removeprefix("2^")) for row in table["rows"]]
        packages = [OURS, *heads[heads.index("GB/s") + 1 :]]
        for name in packages:
            k = heads.index(name)
            points = [
                (size, row[k] / row[1])
                for size, row in zip(sizes, table["rows"], strict=True)
                if isinstance(row[k], int | float)
            ]
            axis.plot(*zip(*points, strict=True), marker=".", label=name)
        axis.axhline(1, color="black", linewidth=1)
        axis.axhline(1.1, color="black", linewidth=0.5, linestyle=":")
        axis.set_title(heads[0].removesuffix(": us"), fontsize="small")
        axis.set_yscale("log", base=2)
        axis.set_ylim(0.5, 16)
    for axis in list(axes.flat)[len(tables) :]:
        axis.set_visible(False)
    axes[0][0].legend(fontsize="x-small")
    figure.supxlabel("log2 of the elements", fontsize="small")
    figure.supylabel("time, kernel by hand = 1", fontsize="small")
    figure.suptitle(f"{about['device']}, {about['date']}")
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def draw(about: dict, results: list[dict], base: Path) -> None:
    """Draw both pictures, in the folder of the other files."""
    plot(about, results, base.with_suffix(".png"))
    scaling = base.with_name(f"{base.stem}-scaling.png")
    plot_scaling(about, results, scaling)


def rerunnable(
    paths: list[Path], results: dict[str, dict], left: float
) -> list[Path]:
    """Return the disturbed scripts that can run again in the time left."""
    if "launch" not in results or not void(results["launch"]):
        return []
    chosen = [path for path in paths if path.stem in AGAIN]
    needed = sum(results[path.stem]["seconds"] for path in chosen)
    return chosen if 1.2 * needed < left else []


def keep(folder: Path, results: list[dict]) -> None:
    """Write the files."""
    about = machine()
    slug = re.sub(r"[^a-z0-9]+", "-", about["device"].lower()).strip("-")
    base = folder / f"{about['date']}-{slug}"
    folder.mkdir(parents=True, exist_ok=True)
    document = {"machine": about, "results": results}
    base.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
    base.with_suffix(".md").write_text(to_markdown(about, results))
    draw(about, results, base)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="default: by the device")
    parser.add_argument("--out", type=Path, help="folder to keep results in")
    parser.add_argument("--budget", type=float, help="seconds for all")
    parser.add_argument("--plot", type=Path, help="a .json: its pictures only")
    options = parser.parse_args()
    if options.plot:
        document = json.loads(options.plot.read_text())
        draw(document["machine"], document["results"], options.plot)
        return
    kind = device_kind()
    paths = scripts_of(options.names or [kind])
    budget = options.budget or (BUDGET if kind == "gpu" else 7200)
    start = time.monotonic()
    results: dict[str, dict] = {}

    progress = Progress(len(paths), "benchmarks")

    def measure(path: Path, remark: str = "") -> dict:
        progress.begin(path.stem)
        begin = time.monotonic()
        status, text, tables = run(path, budget - (begin - start))
        progress.clear()
        print(f"\n== {path.stem}\n{text}", flush=True)
        return {
            "script": path.stem,
            "status": status,
            "seconds": round(time.monotonic() - begin, 1),
            "said": f"{outside_tables(text)}\n{remark}".strip(),
            "tables": tables,
        }

    def note(result: dict) -> None:
        results[result["script"]] = result
        if options.out:
            keep(options.out, list(results.values()))

    with progress:
        for path in paths:
            note(measure(path))
            progress.step()
        for path in rerunnable(
            paths, results, budget - (time.monotonic() - start)
        ):
            second = measure(path, AGAIN_REMARK)
            if second["status"]:
                break  # no better than the first
            note(second)
    sys.exit(any(result["status"] for result in results.values()))


if __name__ == "__main__":
    main()
