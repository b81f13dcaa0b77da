"""Arrays on the CPU device beside NumPy: microseconds, and the ratio.

Usage: ``python benchmarks/cpu_arrays.py [--log2 10 16 24]``.  Each row is
timed in turns with NumPy's, in one process.  NumPy uses one thread, the
device as many as the process may.  The goal is a ratio of 1.
"""

import argparse
import os
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
    for _ in range(5):
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--log2", type=int, nargs="+", default=[10, 16, 24],
        help="log2 of the elements",
    )  # fmt: skip
    sizes = parser.parse_args().log2

    import pycuda.autoinit
    import pycuda.driver as cuda

    columns: dict[str, dict[int, tuple[float, float]]] = {}
    for log2 in sizes:
        for name, (ours, theirs) in rows(1 << log2).items():
            columns.setdefault(name, {})[log2] = pair(
                ours, theirs, cuda.Context.synchronize
            )
    describe_machine(pycuda.autoinit.device.name())
    heads, table = ["operation"], []
    for log2 in sizes:
        heads += [f"2^{log2}, us", "NumPy, us", "ratio"]
    below = dict.fromkeys(sizes, 0)
    for name, found in columns.items():
        row: list[object] = [name]
        for log2, (mine, numpys) in found.items():
            row += [mine * 1e6, numpys * 1e6, f"{numpys / mine:.2f}"]
            below[log2] += numpys / mine < GOAL
        table.append(row)
    print("Ratio: NumPy's time by ours; 1 or more is the goal.\n")
    print_table(heads, table)
    for log2, count in below.items():
        print(f"\n2^{log2}: {count} of {len(columns)} rows miss the goal.")


if __name__ == "__main__":
    main()
