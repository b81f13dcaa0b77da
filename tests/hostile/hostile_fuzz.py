"""Runs hostile kernels for so many CPU-minutes: ``./run fuzz hostile``.

A process after the other, each for at most half a minute of CPU time, under
one after the other of `CHECKS`; the compiler's time does not count.  Ends
with what ran, or with the program that was wrong and how to run it again.
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
# A process hangs that makes no progress for so many seconds of its threads'
# time, or, if they only wait, of the clock's: machines may be busy with other
# things.
STILL, WAITING = 30 * max(os.cpu_count() or 1, 2), 600


class HostileError(Exception):
    """A process that died, hung, or found something wrong."""


def _used(pid: int) -> float:
    """Seconds of processor time that the process has taken, in all threads."""
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
    """Exit status and output; ends a process whose log does not grow.

    The third is how long it had not, or "" for one that ended by itself.
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
    """One process; what it tells, or a HostileError."""
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
