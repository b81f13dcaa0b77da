"""Runs the kernels of cases_bank.py and prints their counts as JSON.

Started by test_bank.py with ``PYCUDA_CPU_CHECK=bank``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import dataclasses
import json
import sys

import cases_bank
import numpy as np

import pycuda.autoinit
import pycuda.debug
import pycuda.driver as drv
from pycuda.compiler import SourceModule


def _run(case):
    kernel = SourceModule(case["source"]).get_function("k")
    arrays = [
        np.zeros(a, np.float32) if isinstance(a, int) else a
        for a in case["arrays"]
    ]
    kernel(
        *map(drv.InOut, arrays),
        block=case["block"],
        grid=case.get("grid", (1, 1)),
    )
    counts = pycuda.debug.access_counts(clear=True)
    return {
        "rows": [dataclasses.asdict(row) for row in counts],
        "text": repr(counts),
        "html": counts._repr_html_(),
    }


def main():
    found = {name: _run(case) for name, case in cases_bank.CASES.items()}
    assert len(pycuda.debug.access_counts()) == 0
    with open(sys.argv[1], "w") as stream:
        json.dump(found, stream)


if __name__ == "__main__":
    main()
