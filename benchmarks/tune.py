"""Measures each candidate of what is tuned for GPUs.

Usage: ``python benchmarks/tune.py [NAME...] [--log2 26]``.  The names are
those of the table in ``pycuda/_kernels/tuning.py``.  Each candidate has a
process of its own; the rows are those of ``bandwidth.py``, the figures GB/s,
the most of two turns.  What is in the table is in brackets; within two per
cent of the best it is well chosen.
"""

import argparse
import json
import sys
from collections import defaultdict

from bandwidth import ROWS, pycuda_calls
from common import describe_machine, print_table, run_json, seconds_in_batches
from launch import device_kind

TURNS = 2
NEAR = 0.98  # of the best


def measure(name: str, value: int, log2: int) -> dict[str, float]:
    """Seconds of each row of an entry with one of its candidates."""
    import pycuda.autoinit
    import pycuda.driver as cuda
    from pycuda._kernels.tuning import TABLE, forced

    with forced(name, value):
        calls = pycuda_calls(1 << log2)
        finish = cuda.Context.synchronize
        seconds = {
            row: seconds_in_batches(calls[row], finish)
            for row in TABLE[name].rows
        }
    return {"device": pycuda.autoinit.device.name(), **seconds}


def main() -> None:
    from pycuda._kernels.tuning import TABLE

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", choices=[[], *TABLE])
    parser.add_argument("--log2", type=int, default=26, help="of elements")
    parser.add_argument("--value", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.value is not None:
        print(json.dumps(measure(*options.names, options.value, options.log2)))
        return
    if device_kind() != "gpu":
        sys.exit("tune: there is no GPU; the CPU device uses none of this")

    speeds: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    device = ""
    for _ in range(TURNS):
        for name in options.names or TABLE:
            for value in TABLE[name].candidates:
                command = [sys.executable, __file__, name, f"--value={value}"]
                result = run_json([*command, f"--log2={options.log2}"])
                assert result is not None
                device = result.pop("device")
                for row, seconds in result.items():
                    speed = ROWS[row][0] * (1 << options.log2) / seconds / 1e9
                    known = speeds[name, row].get(value, 0)
                    speeds[name, row][value] = max(known, speed)
    describe_machine(device)
    print(f"2^{options.log2} floats; GB/s.\n")
    report(speeds)


def report(speeds: dict[tuple[str, str], dict[int, float]]) -> None:
    """A line for each entry and row; the table's value is in brackets."""
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
