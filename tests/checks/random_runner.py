"""Runs random kernels under PYCUDA_CPU_CHECK and stores the reports.

Started by test_random_kernels.py in a separate process, with ``continue``
among the checks: ``python random_runner.py OUTPUT KIND FIRST --count=N``. With
``--plant`` each kernel receives faults, one for each check in turn, and the
output gives their lines.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))

import kernel_corpus  # noqa: E402
import numpy as np  # noqa: E402
from kernel_generator import Generator  # noqa: E402
from kernel_machine import INPUT  # noqa: E402

import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as drv  # noqa: E402

# Statements inserted at the start of a kernel, by the check to detect them.
FAULTS = {
    "memory": "out[me + 100000000u] = me;",
    "race": "planted[me / 2] = me;",
    "init": "if (planted[me] == 12345u) out[0] = 1;",
    "sync": "if (me) __syncthreads(); else __syncthreads();",
}
LEAD = """\
    __shared__ unsigned planted[1024];
    unsigned me = threadIdx.x + blockDim.x * (threadIdx.y
        + blockDim.y * threadIdx.z);"""


def plant(kernel: Generator, check: str) -> bool:
    """Insert a fault into the kernel; return False if there is no place for
    it."""
    if np.prod(kernel.block) == 1 and check in ("race", "sync"):
        return False
    lines = kernel.text.split("\n")
    lines.insert(lines.index("{") + 1, f"{LEAD}\n    {FAULTS[check]} // HERE")
    kernel.text = "\n".join(lines)
    return True


def planted_kernels(kind: str, seeds: range) -> list[tuple[Generator, str]]:
    make, made = kernel_corpus.GENERATORS[kind], []
    for check in FAULTS:
        for seed in seeds:
            kernel = make(seed, f"kernel_{check}_{seed}")
            if plant(kernel, check):
                made.append((kernel, check))
    return made


def run_planted(kind: str, seeds: range) -> list[dict]:
    """Run kernels with planted faults and return the reports and the lines."""
    told = []
    data = np.ones(INPUT, np.uint32)
    kernels = planted_kernels(kind, seeds)
    for setting in kernel_corpus.SETTINGS[:2]:
        module = kernel_corpus.compiled([k for k, _ in kernels], setting)
        for kernel, _ in kernels:
            kernel_corpus.output(module, kernel, data)
    text = kernel_corpus.HEAD + "\n".join(k.text for k, _ in kernels)
    places = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if line.endswith("// HERE")
    ]
    for (kernel, check), line in zip(kernels, places, strict=True):
        told.append({"kernel": kernel.name, "check": check, "line": line})
    return told


def reports() -> list[dict]:
    path = Path(os.environ["PYCUDA_CPU_CHECK_REPORT"])
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("kind", choices=list(kernel_corpus.GENERATORS))
    parser.add_argument("first", type=int)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--plant", action="store_true")
    wanted = parser.parse_args()
    seeds = range(wanted.first, wanted.first + wanted.count)
    found: dict[str, list] = {"planted": [], "differences": []}
    if wanted.plant:
        found["planted"] = run_planted(wanted.kind, seeds)
    else:
        found["differences"] = list(
            kernel_corpus.differences(
                wanted.kind, seeds, kernel_corpus.SETTINGS[:2]
            )
        )
    drv.Context.synchronize()
    found["reports"] = reports()
    wanted.output.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
