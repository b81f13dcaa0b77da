"""Records what a device gives for every case of tests/kernels/warp_cases.py.

usage: python tools/record_warps.py [--workers N] [--seconds S] OUT

A child process runs cases one after the other, each twice; a case that does
not answer within the time limit costs its child, and runs once more in a
process of its own before "hang" is written down.  The parent opens no device.
The table has a line for each case: its name, " = ", and the results of all
lanes (`warp_cases.encode`), "hang", "error: ..." or "varies: ...".  Where OUT
exists, only the cases run that have no answer in it; "hang?" is a case that
ran once, "absent" one whose headers are not installed.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import lzma
import queue
import random
import selectors
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "kernels"))

START_SECONDS = 120.0  # compiling included


class Lost(Exception):
    """The child did not answer in time, or ended."""


class Child:
    """A process that runs cases."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self.left = b""
        self.ready = self.read_line(START_SECONDS)

    def read_line(self, seconds: float) -> str:
        """Return its next line."""
        assert self.process.stdout
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.left:
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise Lost("hang")
                more = self.process.stdout.read(65536)
                if not more:
                    raise Lost("error: the process ended")
                self.left += more
        read_line, _, self.left = self.left.partition(b"\n")
        return read_line.decode()

    def ask(self, index: int, seconds: float) -> str:
        """Return the results of a case."""
        assert self.process.stdin
        self.process.stdin.write(f"{index}\n".encode())
        return self.read_line(seconds)

    def close(self) -> None:
        self.process.kill()


def serve() -> None:
    """Run the requested cases, until an error ends the context."""
    from warp_cases import CASES, run, sources

    import pycuda.autoinit  # noqa: F401
    from pycuda.compiler import SourceModule
    from pycuda.driver import Error

    texts = sources()
    modules, absent = {}, {}
    for name in texts:
        try:
            modules[name] = SourceModule(texts[name], no_extern_c=True)
        except Error as error:  # a header is not installed
            absent[name] = str(error).split("\n")[0][:200]
    print("ready", absent or "", flush=True)
    for read_line in sys.stdin:
        case = CASES[int(read_line)]
        if case.operation.module in absent:
            print("absent", flush=True)
            continue
        function = modules[case.operation.module].get_function(case.kernel)
        try:
            first, second = run(case, function), run(case, function)
        except Error as error:
            print("error:", str(error).split(" - ")[0], flush=True)
            return
        same = first == second
        print(first if same else f"varies: {first} | {second}", flush=True)


def work(
    todo: queue.Queue[int],
    told: dict[int, str],
    retries: queue.Queue[int],
    seconds: float,
    end: float,
) -> None:
    """Run cases until `end`; add those without an answer to `retries`, too."""
    child: Child | None = None
    while time.monotonic() < end:
        try:
            index = todo.get_nowait()
        except queue.Empty:
            break
        try:
            child = child or Child()
            answer = child.ask(index, seconds)
        except (Lost, OSError) as error:
            answer = str(error) if isinstance(error, Lost) else "error: lost"
        told[index] = answer
        if answer.startswith(("hang", "error")):
            told[index] = "hang?" if answer == "hang" else answer
            retries.put(index)
            if child:
                child.close()
            child = None
    if child:
        child.close()


def alone(
    todo: queue.Queue[int], told: dict[int, str], seconds: float, end: float
) -> None:
    """Run each case once more, in a separate process."""
    while time.monotonic() < end:
        try:
            index = todo.get_nowait()
        except queue.Empty:
            return
        child = None
        try:
            child = Child()
            told[index] = child.ask(index, seconds)
        except (Lost, OSError) as error:
            told[index] = str(error)  # "hang", confirmed
        if child:
            child.close()


def side_by_side(count: int, function, *arguments) -> None:
    threads = [
        threading.Thread(target=function, args=arguments) for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def read(path: Path) -> dict[str, str]:
    """Return the lines of a table that are confirmed."""
    text = ""
    if path.exists():
        with (lzma.open if path.suffix == ".xz" else open)(path, "rt") as file:
            text = file.read()
    pairs = (read_line.split(" = ", 1) for read_line in text.splitlines())
    uncertain = ("hang?", "absent")
    return {name: told for name, told in pairs if told not in uncertain}


def record(options: argparse.Namespace) -> None:
    """Run the cases that the table lacks and write it."""
    from warp_cases import CASES

    began, path = time.monotonic(), Path(options.out)
    first = Child()  # fills the cache of compiled kernels
    print(f"{first.ready}, {time.monotonic() - began:.1f} s", flush=True)
    first.close()
    lines = read(path)
    left = [i for i, case in enumerate(CASES) if case.name not in lines]
    # distributes the cases that hang, which are adjacent
    random.Random(1).shuffle(left)
    todo: queue.Queue[int] = queue.Queue()
    retries: queue.Queue[int] = queue.Queue()
    for index in left:
        todo.put(index)
    told: dict[int, str] = {}
    rest = (options.seconds, began + 0.7 * options.budget)
    side_by_side(options.workers, work, todo, told, retries, *rest)
    print(
        f"{len(told)} cases, {retries.qsize()} of them lost, "
        f"{time.monotonic() - began:.1f} s",
        flush=True,
    )
    rest = (options.seconds, began + options.budget)
    side_by_side(options.workers, alone, retries, told, *rest)
    lines |= {CASES[index].name: answer for index, answer in told.items()}
    rows = [(case.name, lines.get(case.name)) for case in CASES]
    with (lzma.open if path.suffix == ".xz" else open)(path, "wt") as file:
        file.writelines(f"{n} = {told}\n" for n, told in rows if told)
    words = ("hang?", "hang", "error", "varies", "absent")
    answers = [told or "" for _, told in rows]
    print(
        f"{answers.count('')} did not run, "
        + ", ".join(
            f"{word}: {sum(told.startswith(word) for told in answers)}"
            for word in words
        )
        + f"; {time.monotonic() - began:.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?")
    parser.add_argument("--child", action="store_true")
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--budget", type=float, default=150.0)
    options = parser.parse_args()
    if options.child:
        serve()
    else:
        record(options)


if __name__ == "__main__":
    main()
