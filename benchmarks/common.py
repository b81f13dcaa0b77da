"""Common parts of the benchmarks: timing, processes for peers, tables."""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "benchmarks"
ABOVE = "above raw C, median (quartiles)"  # title of a column


def best_of(
    call: str | Callable[[], object],
    finish: Callable[[], object],
    rounds: int = 5,
    number: int = 1000,
    names: dict[str, object] | None = None,
) -> float:
    """Return the least time of one `call`, in microseconds.

    Parameters
    ----------
    call
        The timed call, run `number` times in a row: a statement, which
        becomes the loop's body, or a callable.
    finish
        Waits for the device; called between rounds, outside the timing.
    rounds, number
        Number of rounds, and of calls per round.
    names
        Values of the names in a statement.  They are the loop's local
        variables, so that a statement may also assign to them.
    """
    setup = "; ".join(f"{name} = names[{name!r}]" for name in names or ())
    timer = timeit.Timer(call, setup or "pass", globals={"names": names})
    best = float("inf")
    for _ in range(rounds):
        finish()
        best = min(best, timer.timeit(number))
    finish()
    return best / number * 1e6


def least_seconds(
    call: Callable[[], object], rounds: int = 7, budget: float = 2.0
) -> float:
    """Return the least time, in seconds, of a `call` that waits for its end.

    No further round starts after `budget` seconds.
    """
    best, spent = float("inf"), 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        seconds = time.perf_counter() - start
        best, spent = min(best, seconds), spent + seconds
        if spent > budget:
            break
    return best


def seconds_in_batches(
    call: Callable[[], object],
    finish: Callable[[], object],
    rounds: int = 5,
) -> float:
    """Return the least time of one call, over batches of at least 20 ms."""
    call()
    finish()
    number, best = 1, float("inf")
    while True:
        start = time.perf_counter()
        for _ in range(number):
            call()
        finish()
        spent = time.perf_counter() - start
        if spent > 0.02 or number > 1000:
            break
        number *= 4
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(number):
            call()
        finish()
        best = min(best, (time.perf_counter() - start) / number)
    return best


def measure_rows(
    calls: dict[str, Callable[[], object]], finish: Callable[[], object]
) -> dict[str, float]:
    """Return seconds per row; omit a failing row and report it on stderr."""
    result = {}
    for row, call in calls.items():
        try:
            result[row] = seconds_in_batches(call, finish)
        except Exception as error:
            print(f"{row}: {type(error).__name__}: {error}", file=sys.stderr)
    return result


def quiet_cores() -> list[int]:
    """Return this process's processors, the one with fastest launches first.

    Other users of a shared machine slow some of them down for a while, so this
    is measured again before each benchmark, by a separate process (`twin.py`).
    """
    return run_json([sys.executable, str(HERE / "twin.py")])


def build_c(source: str, *flags: str, shared: bool = False) -> Path:
    """Build `benchmarks/<source>` with cc; return the program."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit(f"{source} needs a C compiler: apt install gcc")
    BUILD.mkdir(parents=True, exist_ok=True)
    built = BUILD / (Path(source).stem + (".so" if shared else ""))
    command = [compiler, str(HERE / source), "-o", str(built)]
    command += ["-shared", "-fPIC"] if shared else []
    command += [*flags, "-lm", "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return built


def run_json(
    command: list[str], may_fail: bool = False, **environment: str
) -> dict | None:
    """Run a process that prints one JSON object as its last line.

    Returns None if it ends with status 77: the package to measure is not
    installed.  Any other failure ends the benchmark, or with `may_fail` gives
    ``{"failed": reason}``.
    """
    done = subprocess.run(
        command,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if may_fail else None,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode == 77:
        return None
    if done.returncode == 0:
        return json.loads(done.stdout.strip().split("\n")[-1])
    if not may_fail:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}")
    print(done.stderr, file=sys.stderr)
    said = done.stderr.strip().split("\n")[-1].split(":")[0]
    return {"failed": f"failed: {said or f'status {done.returncode}'}"}


def run_passes(
    script: str,
    name: str,
    options: argparse.Namespace,
    may_fail: bool = False,
    **environment: str,
) -> dict | None:
    """Return the least figures of one peer, over passes in processes.

    Each pass is ``script --peer name --rounds N``, with ``--core K`` if it has
    to stay on a processor: a different one each, the quiet ones first.
    """
    least = {}
    cores = quiet_cores() if options.pin else []
    for turn in range(options.passes):
        command = [sys.executable, script, "--peer", name]
        command += ["--rounds", str(options.rounds)]
        if cores:
            command += ["--core", str(cores[turn % len(cores)])]
        result = run_json(command, may_fail, **environment)
        if result is None or "failed" in result:
            return result
        merge_least(least, result)
    return least


def peer_main(
    measure: Callable[[int], dict], rounds: int, core: int | None
) -> None:
    """Run a peer's process; exit with status 77 if its import fails."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        print(json.dumps(measure(rounds)))
    except ImportError:
        sys.exit(77)


def options_of(
    doc: str, passes: int, rounds: int, peers: Iterable[str]
) -> argparse.ArgumentParser:
    """Return the parser of the options that these benchmarks share."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--passes", type=int, default=passes)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--core", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--peer", choices=peers, help=argparse.SUPPRESS)
    return parser


def peer_cell(peer: dict, row: str) -> object:
    """Return a peer's figure in a row, or the reason of its failure."""
    return peer.get(row, peer.get("failed"))


def merge_least(into: dict, new: dict) -> None:
    """Keep the lesser number for each key, and join lists."""
    for key, value in new.items():
        if isinstance(value, int | float):
            into[key] = min(into.get(key, value), value)
        elif isinstance(value, list):
            into[key] = into.get(key, []) + value
        else:
            into[key] = value


def spread_text(values: list[float]) -> str:
    """Return the median of many values, and their quartiles."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def number_text(value: float) -> str:
    """Return a number with three significant digits."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def table_text(heads: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table."""

    def cell(value: object) -> str:
        if value is None:
            return ""
        return number_text(value) if isinstance(value, float) else str(value)

    lines = [heads, ["---"] * len(heads), *(map(cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def print_table(heads: list[str], rows: list[list[object]]) -> None:
    """Print a Markdown table; store it for `suite.py` if requested."""
    print(table_text(heads, rows))
    if path := os.environ.get("BENCHMARK_TABLES"):
        with open(path, "a") as file:
            file.write(json.dumps({"heads": heads, "rows": rows}) + "\n")


def describe_machine(device: str) -> None:
    """Print the machine and the device."""
    print(
        f"\nDevice: {device}; Python {platform.python_version()}; "
        f"{os.cpu_count()} cores.\n"
    )
