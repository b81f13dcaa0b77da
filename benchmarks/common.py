"""What the benchmarks share: timing, processes for peers, tables."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "benchmarks"


def best_of(
    call: Callable[[], object],
    finish: Callable[[], object],
    rounds: int = 5,
    number: int = 1000,
) -> float:
    """Least time of one `call`, in microseconds.

    Parameters
    ----------
    call
        What is timed, `number` times in a row.
    finish
        Waits for the device; called between rounds, outside the timing.
    """
    best = float("inf")
    for _ in range(rounds):
        finish()
        start = time.perf_counter()
        for _ in range(number):
            call()
        best = min(best, time.perf_counter() - start)
    finish()
    return best / number * 1e6


def least_seconds(
    call: Callable[[], object], rounds: int = 7, budget: float = 2.0
) -> float:
    """Least time of one `call` that waits for its own end, in seconds.

    No further round starts once `budget` seconds are spent.
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


def build_c(source: str, *flags: str, shared: bool = False) -> Path:
    """Compile `benchmarks/<source>` with cc; return the program."""
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

    Returns None where it ends with status 77: what it measures is not
    installed.  Any other failure ends the benchmark, or with `may_fail`
    gives ``{"failed": reason}``.
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


def peer_cell(peer: dict, row: str) -> object:
    """A peer's figure in a row; why there is none, where it failed."""
    return peer.get(row, peer.get("failed"))


def merge_least(into: dict, new: dict) -> None:
    """Keep the lesser number for each key."""
    for key, value in new.items():
        if isinstance(value, int | float):
            into[key] = min(into.get(key, value), value)
        else:
            into[key] = value


def print_table(heads: list[str], rows: list[list[object]]) -> None:
    """Print a Markdown table; numbers with three digits that count."""

    def cell(value: object) -> str:
        if value is None:
            return ""
        return f"{value:.3g}" if isinstance(value, float) else str(value)

    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(map(cell, row)) + " |")


def describe_machine(device: str) -> None:
    """Print where the figures were taken."""
    print(
        f"\nDevice: {device}; Python {platform.python_version()}; "
        f"{os.cpu_count()} cores.\n"
    )
