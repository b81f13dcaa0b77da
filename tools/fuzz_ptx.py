"""Run random modules in PTX and compare them with an interpreter.

    .venv/bin/python tools/fuzz_ptx.py [COUNT] [FIRST] [--stop]

Loads and runs COUNT modules from seed FIRST on; see
tests/ptx/module_generator.py.  Each difference is printed with the module's
seed.  A module that the device refuses ends the program.  The exit status is 1
in either case.  `./run fuzz ptx` calls this program.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "ptx"))
os.environ["PYCUDA_DISABLE_CACHE"] = "1"

import random_modules  # noqa: E402

import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402

REPORT = 60  # seconds between progress lines
PATIENCE = 120  # seconds per group, after which SIGALRM ends the process
GROUP = 5


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("first", nargs="?", type=int, default=0)
    parser.add_argument(
        "--stop",
        action="store_true",
        help="end at the first difference; tell of every group",
    )
    return parser.parse_args()


def main() -> int:
    args = arguments()
    wrong = 0
    said = time.monotonic()
    end = args.first + args.count
    for first in range(args.first, end, GROUP):
        seeds = range(first, min(first + GROUP, end))
        signal.alarm(PATIENCE if args.stop else 0)
        try:
            for text in random_modules.differences(seeds):
                print(text, flush=True)
                wrong += 1
        except cuda.Error as error:
            print(f"{seeds}: {error}", flush=True)
            return 1
        if wrong and args.stop:
            return 1
        if args.stop or time.monotonic() > said + REPORT:
            said = time.monotonic()
            print(f"{seeds.stop - args.first} modules, last {seeds}")
            sys.stdout.flush()
    print(f"{args.count} modules, {wrong} differences")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
