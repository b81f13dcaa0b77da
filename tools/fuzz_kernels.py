"""Run random kernels in every setting and compare what they write.

    .venv/bin/python tools/fuzz_kernels.py [COUNT] [FIRST] [--kind KIND]...
                                           [--group N] [--settings N] [--stop]

Runs COUNT kernels of each kind, from seed FIRST on; see
tests/kernels/kernel_corpus.py for kinds and settings.  Each difference is
printed with the kernel's seed.  A kernel that the device cannot compile or run
ends the program.  The exit status is 1 in either case.  `./run fuzz kernels`
calls this program.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "kernels"))

import kernel_corpus  # noqa: E402

import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402

REPORT = 60  # seconds between progress lines
PATIENCE = 120  # seconds per group, after which SIGALRM ends the process


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("first", nargs="?", type=int, default=0)
    parser.add_argument(
        "--kind", action="append", choices=list(kernel_corpus.GENERATORS)
    )
    parser.add_argument("--group", type=int, default=20)
    most = len(kernel_corpus.SETTINGS)
    parser.add_argument(
        "--settings",
        type=int,
        default=most,
        choices=range(1, most + 1),
        help="how many of the settings",
    )
    parser.add_argument(
        "--stop",
        action="store_true",
        help="end at the first difference; tell of every group",
    )
    return parser.parse_args()


def groups(args: argparse.Namespace) -> Iterator[tuple[str, range]]:
    """Yield groups of alternating kinds, so that a short run has all kinds."""
    end = args.first + args.count
    for first in range(args.first, end, args.group):
        for kind in args.kind or kernel_corpus.GENERATORS:
            yield kind, range(first, min(first + args.group, end))


def faults(kind: str, seeds: range, settings: int) -> list[str]:
    """Return the faults of the group; an error of the device is one fault."""
    chosen = kernel_corpus.SETTINGS[:settings]
    try:
        return list(kernel_corpus.differences(kind, seeds, chosen))
    except cuda.Error as error:
        print(f"{kind}, {seeds}: {error}", flush=True)
        raise SystemExit(1) from None


def main() -> int:
    args = arguments()
    done = wrong = 0
    said = time.monotonic()
    for kind, seeds in groups(args):
        signal.alarm(PATIENCE if args.stop else 0)
        found = faults(kind, seeds, args.settings)
        wrong += len(found)
        for text in found:
            print(text, flush=True)
        if found and args.stop:
            return 1
        done += len(seeds)
        if args.stop or time.monotonic() > said + REPORT:
            said = time.monotonic()
            print(f"{done} kernels, last {kind} {seeds}", flush=True)
    print(f"{done} kernels, {wrong} differences")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
