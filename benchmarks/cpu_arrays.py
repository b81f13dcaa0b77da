"""Arrays on the CPU device beside NumPy and beside a copy.

Usage: ``python benchmarks/cpu_arrays.py [--log2 10 16 24] [--only PATTERN]``.
Each row is timed in turns with NumPy's, in one process.  NumPy uses one
thread, the device as many as the process may.  The goal is a ratio of 1.  The
physical bound is how fast memory is: "of copy" is the bytes that an operation
reads and writes each second, as a part of those that the device's own copy of
as many elements moves in the same run.
"""

import argparse
import os
import re
import time

os.environ.setdefault("PYCUDA_DEVICE", "cpu")

import numpy as np
from common import describe_machine, print_table

GOAL = 1.0


def once(call, number: int) -> float:
    """Seconds of one of `number` calls."""
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def pair(ours, theirs, finish) -> tuple[float, float]:
    """Least seconds of both, measured in turns."""

    def finished() -> None:
        ours()
        finish()

    finished()
    theirs()
    number = max(1, int(2e-3 / max(once(theirs, 1), 1e-7)))
    best = [float("inf")] * 2
    until = time.perf_counter() + 0.3
    rounds = 0
    while rounds < 5 or time.perf_counter() < until:
        rounds += 1
        best[0] = min(best[0], once(finished, number))
        best[1] = min(best[1], once(theirs, number))
    return best[0], best[1]


def rows(n: int) -> dict:
    """name -> (call on the device, NumPy's call)."""
    from pycuda import cumath, curandom, gpuarray

    side = 1 << ((n.bit_length() - 1) // 2)
    x = np.random.rand(n).astype(np.float32)
    i = np.random.randint(0, 100, n).astype(np.int32)
    a, k = gpuarray.to_gpu(x), gpuarray.to_gpu(i)
    square, on_device = x.reshape(-1, side), a.reshape(-1, side)
    whole, on = i.reshape(-1, side), k.reshape(-1, side)
    half = side // 2
    turned = np.empty(square.shape[::-1], np.float32)
    into = gpuarray.empty(turned.shape, np.float32)
    random = np.random.default_rng(1)

    def transpose() -> None:
        into[...] = on_device.T

    def copy_turned() -> None:
        turned[...] = square.T

    return {
        "x + x": (lambda: a + a, lambda: x + x),
        "i + i": (lambda: k + k, lambda: i + i),
        "x * 2": (lambda: a * 2, lambda: x * 2),
        "x < 0.5": (lambda: a < 0.5, lambda: x < 0.5),
        "sin(x)": (lambda: cumath.sin(a), lambda: np.sin(x)),
        "sqrt(x)": (lambda: cumath.sqrt(a), lambda: np.sqrt(x)),
        "i -> float32": (
            lambda: k.astype(np.float32),
            lambda: i.astype(np.float32),
        ),
        "x[:, :h] + x[:, h:]": (
            lambda: on_device[:, :half] + on_device[:, half:],
            lambda: square[:, :half] + square[:, half:],
        ),
        "x[:, ::2] + x[:, 1::2]": (
            lambda: on_device[:, ::2] + on_device[:, 1::2],
            lambda: square[:, ::2] + square[:, 1::2],
        ),
        "x + row": (
            lambda: on_device + on_device[0],
            lambda: square + square[0],
        ),
        "x + x.T": (
            lambda: on_device + into.T,
            lambda: square + turned.T,
        ),
        "transpose": (transpose, copy_turned),
        "sum(x)": (lambda: gpuarray.sum(a), lambda: x.sum()),
        "sum(i)": (lambda: gpuarray.sum(k), lambda: i.sum()),
        "max(x)": (lambda: gpuarray.max(a), lambda: x.max()),
        "min(i)": (lambda: gpuarray.min(k), lambda: i.min()),
        "dot(x, x)": (lambda: gpuarray.dot(a, a), lambda: x.dot(x)),
        "any(x)": (lambda: gpuarray.any(a), lambda: x.any()),
        "x.sum(0)": (lambda: on_device.sum(0), lambda: square.sum(0)),
        "x.sum(1)": (lambda: on_device.sum(1), lambda: square.sum(1)),
        "i.sum(0)": (lambda: on.sum(0), lambda: whole.sum(0)),
        "i.sum(1)": (lambda: on.sum(1), lambda: whole.sum(1)),
        "x.max(0)": (lambda: on_device.max(0), lambda: square.max(0)),
        "x.max(1)": (lambda: on_device.max(1), lambda: square.max(1)),
        "x.argmax(1)": (
            lambda: on_device.argmax(1),
            lambda: square.argmax(1),
        ),
        "x.var(0)": (lambda: on_device.var(0), lambda: square.var(0)),
        "x.cumsum()": (lambda: a.cumsum(), lambda: x.cumsum()),
        "i.cumsum()": (lambda: k.cumsum(), lambda: i.cumsum()),
        "x.cumsum(0)": (lambda: on_device.cumsum(0), lambda: square.cumsum(0)),
        "x.cumsum(1)": (lambda: on_device.cumsum(1), lambda: square.cumsum(1)),
        "uniform floats": (
            lambda: curandom.rand((n,)),
            lambda: random.random(n, np.float32),
        ),
    }


# Bytes that an operation reads and writes for each element of 4 bytes; where
# it is not said, it reads 4.
BYTES = {
    "x + x": 8, "i + i": 8, "x * 2": 8, "x < 0.5": 5, "sin(x)": 8,
    "sqrt(x)": 8, "i -> float32": 8, "x[:, :h] + x[:, h:]": 6,
    "x[:, ::2] + x[:, 1::2]": 6, "x + row": 8, "x + x.T": 12, "transpose": 8,
    "x.var(0)": 8, "x.cumsum()": 8, "i.cumsum()": 12, "x.cumsum(0)": 8,
    "x.cumsum(1)": 8,
}  # fmt: skip


def copy_seconds(n: int, finish) -> float:
    """The device's copy of n floats."""
    from pycuda import gpuarray

    a = gpuarray.zeros(n, np.float32)
    b = gpuarray.empty_like(a)

    def copy() -> None:
        b[...] = a

    return pair(copy, lambda: None, finish)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--log2", type=int, nargs="+", default=[10, 16, 24],
        help="log2 of the elements",
    )  # fmt: skip
    parser.add_argument("--only", default="", help="of the rows' names")
    options = parser.parse_args()
    sizes = options.log2

    import pycuda.autoinit
    import pycuda.driver as cuda

    columns: dict[str, dict[int, tuple[float, float]]] = {}
    copies = {}
    for log2 in sizes:
        copies[log2] = copy_seconds(1 << log2, cuda.Context.synchronize)
        for name, (ours, theirs) in rows(1 << log2).items():
            if not re.search(options.only, name):
                continue
            columns.setdefault(name, {})[log2] = pair(
                ours, theirs, cuda.Context.synchronize
            )
    describe_machine(pycuda.autoinit.device.name())
    heads, table = ["operation"], []
    for log2 in sizes:
        heads += [f"2^{log2}, us", "NumPy, us", "ratio", "of copy"]
    below = dict.fromkeys(sizes, 0)
    for name, found in columns.items():
        row: list[object] = [name]
        for log2, (mine, numpys) in found.items():
            part = BYTES.get(name, 4) / 8 * copies[log2] / mine
            row += [mine * 1e6, numpys * 1e6, f"{numpys / mine:.2f}"]
            row += [f"{part:.2f}"]
            below[log2] += numpys / mine < GOAL
        table.append(row)
    print("Ratio: NumPy's time by ours; 1 or more is the goal.")
    for log2, seconds in copies.items():
        speed = 8 * (1 << log2) / seconds / 1e9
        print(f"A copy of 2^{log2} floats: {speed:.1f} GB/s.")
    print()
    print_table(heads, table)
    for log2, count in below.items():
        print(f"\n2^{log2}: {count} of {len(columns)} rows miss the goal.")


if __name__ == "__main__":
    main()
