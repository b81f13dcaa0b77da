"""Runs the programs of cases_streams.py and stores their reports as JSON.

Started by test_streams.py with ``PYCUDA_CPU_CHECK=streams,continue``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import sys

import cases_streams

import pycuda.autoinit
import pycuda.driver as drv


def _run(program, ordered):
    report = os.environ["PYCUDA_CPU_CHECK_REPORT"]
    before = os.path.getsize(report) if os.path.exists(report) else 0
    program(cases_streams.Streams(ordered))
    drv.Context.synchronize()
    if not os.path.exists(report):
        return []
    with open(report) as stream:
        stream.seek(before)
        return [json.loads(line) for line in stream]


def main():
    assert pycuda.autoinit.context is not None
    missing = cases_streams.MISSING
    found = {
        "ordered": {f.__name__: _run(f, True) for f in missing},
        "missing": {f.__name__: _run(f, False) for f in missing},
        "right": {f.__name__: _run(f, True) for f in cases_streams.RIGHT},
    }
    with open(sys.argv[1], "w") as stream:
        json.dump(found, stream)


if __name__ == "__main__":
    main()
