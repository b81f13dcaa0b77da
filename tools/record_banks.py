"""Records the memory transactions that Nsight Compute counts on a GPU.

usage: python tools/record_banks.py OUT

Runs each kernel of tests/checks/cases_bank.py once under ``ncu`` and writes
JSON: for each case, the transactions of each space and access, summed over the
kernel.  tests/checks/test_bank.py compares the check ``bank`` with them.  The
kernels are compiled with ``-G``, so that the compiler removes and combines no
accesses.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "checks"))

SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
METRICS = {
    f"{SECTORS}ld.sum": "global read",
    f"{SECTORS}st.sum": "global write",
    f"{SECTORS}atom.sum": "global atomic operation",
    f"{SECTORS}red.sum": "global atomic operation",
    f"{WAVEFRONTS}ld.sum": "shared read",
    f"{WAVEFRONTS}st.sum": "shared write",
    f"{WAVEFRONTS}atom.sum": "shared atomic operation",
}


def run_cases() -> None:
    """Launch the kernel of each case once."""
    import cases_bank
    import numpy as np

    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    for case in cases_bank.CASES.values():
        module = SourceModule(case["source"], options=["-G"])
        arrays = [
            np.zeros(a, np.float32) if isinstance(a, int) else a.copy()
            for a in case["arrays"]
        ]
        module.get_function("k")(
            *map(drv.InOut, arrays),
            block=case["block"],
            grid=case.get("grid", (1, 1)),
        )


def count() -> list[dict[str, int]]:
    """Return the transactions of each launch, under ncu."""
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    done = subprocess.run(
        [ncu, "--csv", "--page=raw", "--print-units=base",
         "--kernel-name=k", f"--metrics={','.join(METRICS)}",
         sys.executable, "-P", "-W", "ignore", __file__, "--child"],
        env=dict(os.environ, PYCUDA_DEVICE="gpu"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.split("\n") if line.startswith('"')]
    if done.returncode or len(lines) < 3:
        sys.exit(f"ncu failed:\n{done.stdout}\n{done.stderr}")
    head, _, *rows = csv.reader(lines)
    return [transactions(dict(zip(head, row, strict=True))) for row in rows]


def transactions(row: dict[str, str]) -> dict[str, int]:
    """Return the counts of a launch other than zero."""
    found: defaultdict[str, int] = defaultdict(int)
    for metric, name in METRICS.items():
        found[name] += int(float(row[metric].replace(",", "")))
    return {name: value for name, value in found.items() if value}


def main() -> None:
    """Write the table."""
    import cases_bank

    counts = count()
    if len(counts) != len(cases_bank.CASES):
        sys.exit(f"{len(counts)} launches of {len(cases_bank.CASES)} cases")
    table = dict(zip(cases_bank.CASES, counts, strict=True))
    Path(sys.argv[1]).write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--child"]:
        run_cases()
    else:
        main()
