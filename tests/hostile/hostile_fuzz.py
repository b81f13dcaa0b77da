"""Runs hostile kernels for a number of CPU minutes: ``./run fuzz hostile``.

Processes run one after the other, each for at most half a minute of CPU time,
cycling through `CHECKS`; the compiler's time does not count. The output is a
summary, or the program that failed with the command to run it again.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNNER = Path(__file__).with_name("hostile_runner.py")
CHECKS = ["", "memory", "memory,race,sync,init"]
# A process hangs if it makes no progress for this many seconds of its threads'
# CPU time, or, if they only wait, of elapsed time: the machine may be busy
# with other processes.
STILL, WAITING = 30 * max(os.cpu_count() or 1, 2), 600


class HostileError(Exception):
    """A process crashed, hung, or found an error."""


def _used(pid: int) -> float:
    """Return the CPU seconds of the process, in all threads."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return 0
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def watched(
    command: list[str],
    environment: dict[str, str],
    log: Path,
    still: float = STILL,
    waiting: float = WAITING,
) -> tuple[int, str, str]:
    """Return exit status and output; end a process whose log does not grow.

    The third item is the time without growth, or "" if the process ended
    normally.
    """
    hung = ""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, env=environment, stdout=out)
        seen, used, since = -1, 0.0, 0.0
        while process.poll() is None:
            time.sleep(0.05)
            size = log.stat().st_size if log.exists() else 0
            now, clock = _used(process.pid), time.monotonic()
            if size != seen:
                seen, used, since = size, now, clock
            elif now - used > still or clock - since > waiting:
                hung = (
                    f"no progress in {now - used:.1f} s of processor time, "
                    f"{clock - since:.1f} s by the clock"
                )
                process.kill()
                process.wait()
        out.seek(0)
        return process.wait(), out.read(), hung


def run(
    seconds: float, first: int, checks: str, count: int = 10**9
) -> dict[str, object]:
    """Run one process; return its report, or raise a HostileError."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        arguments = [f"--seconds={seconds}", f"--first={first}"]
        status, out, hung = watched(
            [sys.executable, "-P", str(RUNNER), *arguments]
            + [f"--count={count}", f"--log={log}"],
            {**os.environ, "PYCUDA_CPU_CHECK": checks},
            log,
        )
        told = json.loads(out) if out else {}
        if status or told.get("wrong"):
            last = log.read_text()[-3000:] if log.exists() else ""
            raise HostileError(
                f"{last}\nstatus {status}: "
                f"{told.get('wrong', hung or 'no end')}\n"
                f"PYCUDA_CPU_CHECK={checks} python {RUNNER.name} "
                f"--first={first} --log=LOG"
            )
        return told


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 3
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    used, turn = 0.0, 0
    total: collections.Counter[str] = collections.Counter()
    while used < 60 * minutes:
        left = min(30.0, 60 * minutes - used)
        try:
            told = run(left, seed, CHECKS[turn % len(CHECKS)])
        except HostileError as error:
            print(error)
            return 1
        seed += int(told["programs"])
        used += float(told["cpu_seconds"])
        total.update(told["tally"])
        turn += 1
        print(
            f"{used / 60:.1f} of {minutes:g} CPU-minutes: "
            f"{total['launches']} kernels, {total['errors']} errors, "
            "nothing wrong",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
