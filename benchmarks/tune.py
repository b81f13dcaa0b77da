"""Measures each candidate of what is tuned for GPUs.

Usage: ``python benchmarks/tune.py [NAME...] [--log2 26]``.  The names are
those of the table in ``pycuda/_kernels/tuning.py``.  Each candidate has a
separate process; the rows are those of ``bandwidth.py`` and the sorts of
``functions.py`` (of 2^24 elements whatever --log2 is, as if they were read and
written once); the figures are GB/s, the greatest of two turns.  The table's
value is in brackets; it is well chosen if it is within two per cent of the
best.
"""

import argparse
import json
import sys
from collections import defaultdict

import functions
import numpy as np
from bandwidth import ROWS, pycuda_calls
from common import describe_machine, print_table, run_json, seconds_in_batches
from launch import device_kind

TURNS = 2
NEAR = 0.98  # fraction of the best
SORTED = 1 << 24
# Bytes per element that are read and written.
SORTS = {
    f"{sort} {dtype}": 2 * np.dtype(dtype).itemsize
    for sort, dtypes in (
        ("sort", functions.SORTED),
        ("argsort", functions.ORDERED),
    )
    for dtype in dtypes
}


def bytes_of(row: str, log2: int) -> int:
    """Return the bytes that a row moves."""
    if row in SORTS:
        return SORTS[row] * SORTED
    return ROWS[row][0] << log2


def measure(name: str, value: int | tuple, log2: int) -> dict[str, float]:
    """Return GB/s of each row of an entry with one of its candidates."""
    import pycuda.autoinit
    import pycuda.driver as cuda
    from pycuda._kernels.tuning import TABLE, forced

    rows = TABLE[name].rows
    with forced(name, value):
        if set(rows) <= set(SORTS):
            calls = functions.pycuda_rows(SORTED)
        else:
            calls = pycuda_calls(1 << log2)
        finish = cuda.Context.synchronize
        speeds = {
            row: bytes_of(row, log2)
            / seconds_in_batches(calls[row], finish)
            / 1e9
            for row in rows
        }
    return {"device": pycuda.autoinit.device.name(), **speeds}


def main() -> None:
    from pycuda._kernels.tuning import TABLE

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", choices=[[], *TABLE])
    parser.add_argument("--log2", type=int, default=26, help="of elements")
    parser.add_argument("--value", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.value is not None:
        value = options.value
        value = tuple(value) if isinstance(value, list) else value
        print(json.dumps(measure(*options.names, value, options.log2)))
        return
    if device_kind() != "gpu":
        sys.exit("tune: there is no GPU; the CPU device uses none of this")

    speeds: dict[tuple[str, str], dict] = defaultdict(dict)
    device = ""
    for _ in range(TURNS):
        for name in options.names or TABLE:
            for value in TABLE[name].candidates:
                command = [sys.executable, __file__, name]
                command += [f"--value={json.dumps(value)}"]
                result = run_json([*command, f"--log2={options.log2}"])
                assert result is not None
                device = result.pop("device")
                for row, speed in result.items():
                    known = speeds[name, row].get(value, 0)
                    speeds[name, row][value] = max(known, speed)
    describe_machine(device)
    print(f"2^{options.log2} floats, sorts of 2^24 elements; GB/s.\n")
    report(speeds)


def report(speeds: dict[tuple[str, str], dict]) -> None:
    """Print a line per entry and row; the table's value is in brackets."""
    from pycuda._kernels.tuning import TABLE

    rows = []
    for (name, row), measured in speeds.items():
        chosen = TABLE[name].value
        best = max(measured.values())
        ratio = measured[chosen] / best
        figures = ", ".join(
            f"[{value}]: {speed:.0f}"
            if value == chosen
            else f"{value}: {speed:.0f}"
            for value, speed in measured.items()
        )
        near = "yes" if ratio >= NEAR else "no"
        rows.append([name, row, figures, f"{ratio:.2f}", near])
    heads = ["entry", "row", "candidate: GB/s", "chosen / best", "near it"]
    print_table(heads, rows)


if __name__ == "__main__":
    main()
