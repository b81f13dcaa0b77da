"""Results of the sections with a kernel `run(unsigned *out)`.

They are written on one device and compared on another: a line for each
section, with its name and a digest of the words, or the words themselves if
few are not 0.

The sections run in a separate process, because a failing launch ends the
context, and often the driver's state in the whole process.  The error is the
result of that section alone; the next one runs in a new process.

SPDX-License-Identifier: MIT
"""

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
from fnmatch import fnmatchcase
from pathlib import Path

import known
import numpy as np
from entries import Entry

RUN = re.compile(r"\brun\s*\(\s*unsigned(?: int)?\s*\*\s*out\b")
# Variables of dynamic shared memory, which the launch must allocate.
DYNAMIC = re.compile(r"\bextern\b[^;{}]*\b__shared__\b")
WORDS, THREADS, SHOWN, DYNAMIC_BYTES = 1024, 32, 32, 4096


def has_run(entry: Entry) -> bool:
    """Return whether an entry is a source with the kernel to run."""
    return entry.alone and RUN.search(entry.code) is not None


def keep_to_nvrtc() -> None:
    """Make pycuda accept what NVRTC accepts in the requested C++ standard.

    Otherwise it tries a later standard or nvcc for what NVRTC refuses.
    """
    from pycuda._compile import job, standards

    standards.remedy = lambda options, log: None
    job.Job._try_nvcc = lambda self: None


def compute(code: str, options: list[str]) -> str:
    """Return the words that the kernel leaves in `out`, as text."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    out = np.zeros(WORDS, np.uint32)
    wrap = 'extern "C" __global__ void run(unsigned *out);\n'
    module = SourceModule(wrap + code, no_extern_c=True, options=options)
    module.get_function("run")(
        drv.InOut(out),
        block=(THREADS, 1, 1),
        shared=DYNAMIC_BYTES if DYNAMIC.search(code) else 0,
    )
    last = int(np.flatnonzero(out)[-1]) + 1 if out.any() else 0
    if last <= SHOWN:
        return " ".join(f"{word:x}" for word in out[:last])
    return f"{last} words {hashlib.sha256(out.tobytes()).hexdigest()[:16]}"


def serve() -> None:
    """Print the device's name, then run the requests of standard input.

    The process ends after an error that may have ended its context.
    """
    import pycuda.autoinit
    import pycuda.driver as drv

    warnings.simplefilter("ignore")
    keep_to_nvrtc()
    print(json.dumps(pycuda.autoinit.device.name()), flush=True)
    for line in sys.stdin:
        try:
            answer, last = compute(*json.loads(line)), False
        except drv.Error as error:
            last = not isinstance(error, drv.CompileError)
            answer = f"error {type(error).__name__}"
        print(json.dumps(answer), flush=True)
        if last:
            return


class Runner:
    """Runs sections one after the other in a separate process.

    Parameters
    ----------
    environment
        Additional variables of the process.
    """

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self.environment = os.environ | (environment or {})
        self.process: subprocess.Popen[str] | None = None
        self.device = ""

    def start(self) -> "subprocess.Popen[str]":
        """Return the running process, or a new one."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=self.environment,
            )
            name = self.process.stdout.readline()  # type: ignore[union-attr]
            if not name:
                raise RuntimeError("no device, see the error above")
            self.device = json.loads(name)
        return self.process

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                self.process.communicate()
            self.process = None

    def words_as_text(self, entry: Entry) -> str:
        """Return the words in `out`, or the error, as text."""
        process = self.start()
        request = json.dumps([entry.code, list(entry.options)])
        process.stdin.write(request + "\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        line = process.stdout.readline()  # type: ignore[union-attr]
        answer = json.loads(line) if line else "error: the process ended"
        if answer.startswith("error") and answer != "error CompileError":
            self.close()
        return answer


def read(path: Path) -> dict[str, str]:
    """Return the lines of a file of results."""
    lines = path.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line[:1] != "#")


def has_reason(key: str) -> bool:
    """Return whether `known.toml` explains why this entry differs."""
    return any(
        fnmatchcase(key, pattern)
        for row in known.reasons()
        for pattern in row["entries"]
    )


def main(entries: list[Entry], path: Path, compare: bool) -> int:
    """Write the results to `path`, or print the differences from it."""
    runner = Runner()
    found = {e.key: runner.words_as_text(e) for e in entries if has_run(e)}
    runner.start()
    device = runner.device
    runner.close()
    if not compare:
        lines = [f"# {device}", *(f"{k}: {v}" for k, v in found.items())]
        path.write_text("\n".join(lines) + "\n")
        print(f"{len(found)} results of {device}")
        return 0
    expected = read(path)
    common = [k for k in found if k in expected and not has_reason(k)]
    wrong = [key for key in common if found[key] != expected[key]]
    for key in sorted(wrong):
        print(f"{key}: expected {expected[key]}, {device} has {found[key]}")
    print(f"{len(common)} results compared, {len(wrong)} differ")
    return int(bool(wrong))


if __name__ == "__main__":
    serve()
