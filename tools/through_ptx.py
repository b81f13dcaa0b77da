#!/usr/bin/env python3
"""Run a command in which each kernel is compiled by way of PTX.

    .venv/bin/python tools/through_ptx.py [--folder FOLDER] COMMAND...

The CPU device calls this program in place of pycuda-jit, by PYCUDA_JIT.  It
has pycuda-jit translate the bitcode of a source to PTX, and that PTX to the
image.  So a program that passes its own tests here, such as pytest on a folder
of tests, shows that C++ to PTX to an image gives the same results as C++ to an
image.  Sources that only the direct way compiles are compiled that way; FOLDER
(build/through_ptx) gets their bitcode and PTX.  At the end the program prints
how many modules went by way of PTX, and the reasons of the others.  The exit
status is the command's.
"""

# SPDX-License-Identifier: MIT

import argparse
import collections
import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
JIT = "PYCUDA_THROUGH_PTX_JIT"
FOLDER = "PYCUDA_THROUGH_PTX_FOLDER"


def run(words: list[str], data: bytes) -> subprocess.CompletedProcess:
    """Run pycuda-jit with these options."""
    return subprocess.run(
        [os.environ[JIT], *words], input=data, capture_output=True
    )


def note(data: bytes, ptx: bytes, words: list[str], reason: str) -> None:
    """Append a record to the log, and store what was not compiled."""
    folder = Path(os.environ[FOLDER])
    name = hashlib.sha256(data).hexdigest()[:16]
    if reason:
        (folder / f"{name}.bc").write_bytes(data)
        (folder / f"{name}.ptx").write_bytes(ptx)
    record = {"name": name, "words": words, "reason": reason}
    with (folder / "log").open("a") as log:
        log.write(json.dumps(record) + "\n")


def through_ptx(data: bytes, words: list[str]) -> tuple[str, bytes, object]:
    """Compile by way of PTX; return the reason of a failure, PTX, result."""
    kept = [w for w in words if not w.startswith("--kind")]
    written = run(["--kind=ptx", *kept], data)
    if written.returncode:
        return "not written: " + written.stderr.decode(), b"", written
    done = run(kept, written.stdout)
    if done.returncode:
        return "not read: " + done.stderr.decode(), written.stdout, done
    return "", written.stdout, done


def compile_one(words: list[str]) -> int:
    """Do what pycuda-jit does with these options, by way of PTX."""
    other = any(
        w.startswith("--kind=") and w != "--kind=native" for w in words
    )
    data = sys.stdin.buffer.read()
    if other or data.lstrip()[:2] in (b"//", b".v"):
        done = run(words, data)
    else:
        reason, ptx, done = through_ptx(data, words)
        if reason:
            done = run(words, data)
        if done.returncode == 0:
            note(data, ptx, words, reason)
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    return 70 if done.returncode < 0 else done.returncode


def report(folder: Path) -> None:
    """Print how many modules went by way of PTX."""
    log = folder / "log"
    rows = {}
    if log.exists():
        records = [json.loads(line) for line in log.read_text().splitlines()]
        rows = {(r["name"], *r["words"]): r["reason"] for r in records}
    failed = [reason for reason in rows.values() if reason]
    for reason, count in collections.Counter(failed).most_common():
        print(f"{count:5d} {reason[:200]}")
    print(f"{len(rows) - len(failed)} of {len(rows)} modules by way of PTX")


def run_command(command: list[str], folder: Path) -> int:
    """Run the command; print what the compilations of its kernels were."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log").unlink(missing_ok=True)
    installed = Path(sysconfig.get_path("platlib")) / "pycuda/bin/pycuda-jit"
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {
            JIT: os.environ.get("PYCUDA_JIT", str(installed)),
            FOLDER: str(folder.resolve()),
            "PYCUDA_JIT": str(Path(__file__).resolve()),
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_QUICK": "0",
            "PYCUDA_CACHE_DIR": cache,
        }
        status = subprocess.run(command, env=environment).returncode
    report(folder)
    return status


def main() -> int:
    if FOLDER in os.environ:
        return compile_one(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "through_ptx"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    return run_command(args.command, args.folder)


if __name__ == "__main__":
    sys.exit(main())
