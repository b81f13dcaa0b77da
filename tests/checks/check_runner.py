"""Runs the kernels of a case file under PYCUDA_CPU_CHECK, stores reports.

Started by test_checks.py in a separate process, with ``continue`` among the
checks, so that all cases run in one process: ``python check_runner.py CASES
OUTPUT``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib.util
import json
import sys

import numpy as np
from new_reports import new_reports

import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule


def _argument(value, keep):
    """Return device memory for an array: new for None, freed for a tuple."""
    if isinstance(value, np.ndarray):
        memory = drv.mem_alloc(value.nbytes)
        drv.memcpy_htod(memory, value)
    elif isinstance(value, int):
        memory = drv.mem_alloc(value)
    elif isinstance(value, tuple):
        memory = drv.mem_alloc(value[0])
        address = int(memory)
        memory.free()
        return np.uintp(address)
    else:
        return value
    keep.append(memory)
    return memory


def _launch(case, kernel):
    """Launch ``times`` times on the same memory, then free it."""
    keep = []
    arguments = [_argument(v, keep) for v in case.get("args", ())]
    if case.get("special") == "end_pointer":
        data = _argument(np.ones(16, np.float32), keep)
        out = _argument(256, keep)
        arguments = [data, np.uintp(int(data) + 64), out]
    for _ in range(case.get("times", 1)):
        kernel(
            *arguments,
            grid=case.get("grid", (1, 1)),
            block=case.get("block", (64, 1, 1)),
            shared=case.get("shared", 0),
            **case.get("how", {}),
        )
        drv.Context.synchronize()


def _launch_all(case):
    module = SourceModule(case["source"], no_extern_c=case.get("cpp", False))
    for name, value in case.get("globals", {}).items():
        drv.memcpy_htod(module.get_global(name)[0], value)
    kernel = module.get_function(case.get("kernel", "k"))
    for _ in range(case.get("rounds", 1)):
        _launch(case, kernel)


def _run(case):
    return new_reports(lambda: _launch_all(case))


def main():
    spec = importlib.util.spec_from_file_location("cases", sys.argv[1])
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    found = {}
    for case in cases.CASES:
        try:
            found[case["name"]] = _run(case)
        except Exception as error:  # reported to the test, which fails
            found[case["name"]] = f"{type(error).__name__}: {error}"
            if "failed" in str(error):
                break
    with open(sys.argv[2], "w") as stream:
        json.dump(found, stream)


if __name__ == "__main__":
    main()
