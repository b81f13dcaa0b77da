"""Runs the programs of cases_streams.py and stores their reports as JSON.

Started by test_streams.py with ``PYCUDA_CPU_CHECK=streams,continue``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import sys

import cases_streams
from new_reports import new_reports

import pycuda.autoinit
import pycuda.driver as drv


def _run(program, ordered):
    def run():
        program(cases_streams.Streams(ordered))
        drv.Context.synchronize()

    return new_reports(run)


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
