"""Arrays on the CPU device compared with NumPy and with a copy.

Usage: ``python benchmarks/cpu_arrays.py [--log2 10 16 24] [--sides 64 256
1024] [--only PATTERN]``.  Matrix products have a separate table; a side of
4096, to which the goal applies too, takes half a minute.  Each row is timed in
turns with NumPy's, in one process.  NumPy uses one thread, or several for
matrix products; the device uses all that the process may use.  The goal is a
ratio of 1.  The physical bound is the speed of memory: "of copy" is the bytes
per second that an operation reads and writes, as a part of those of the
device's own copy of as many elements in the same run.
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
    """Return the seconds of one of `number` calls."""
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def pair(ours, theirs, finish) -> tuple[float, float]:
    """Return the least seconds of both, measured in turns."""

    def finished() -> None:
        ours()
        finish()

    finished()
    theirs()
    first = once(theirs, 1)
    number = max(1, int(2e-3 / max(first, 1e-7)))
    least = 5 if first < 0.3 else 2
    best = [float("inf")] * 2
    until = time.perf_counter() + 0.3
    rounds = 0
    while rounds < least or time.perf_counter() < until:
        rounds += 1
        best[0] = min(best[0], once(finished, number))
        best[1] = min(best[1], once(theirs, number))
    return best[0], best[1]


def rows(n: int) -> dict:
    """Return name -> (call on the device, NumPy's call)."""
    return {**element_rows(n), **function_rows(n)}


def function_rows(n: int) -> dict:
    """Return rows of functions that move, sort and search elements."""
    from pycuda import gpuarray

    random = np.random.default_rng(2)
    x = random.random(n, np.float32)
    d = random.random(n)
    i = random.integers(-(1 << 31), 1 << 31, n, np.int32)
    few = random.integers(0, 100, n, np.int32)
    order = random.permutation(n)
    third = random.random(n) < 1 / 3
    known = np.sort(x)
    a, e, k, f, to, mask, row = (
        gpuarray.to_gpu(part) for part in (x, d, i, few, order, third, known)
    )
    g = gpuarray
    return {
        "sort(x)": (lambda: g.sort(a), lambda: np.sort(x)),
        "sort(i)": (lambda: g.sort(k), lambda: np.sort(i)),
        "sort(float64)": (lambda: g.sort(e), lambda: np.sort(d)),
        "argsort(x)": (lambda: g.argsort(a), lambda: np.argsort(x)),
        "argsort(i)": (lambda: g.argsort(k), lambda: np.argsort(i)),
        "take": (lambda: g.take(a, to), lambda: np.take(x, order)),
        "x[order]": (lambda: a[to], lambda: x[order]),
        "concatenate": (
            lambda: g.concatenate((a, a)),
            lambda: np.concatenate((x, x)),
        ),
        "roll": (lambda: g.roll(a, 7), lambda: np.roll(x, 7)),
        "repeat": (lambda: g.repeat(a, 3), lambda: np.repeat(x, 3)),
        "nonzero": (lambda: g.nonzero(mask), lambda: np.nonzero(third)),
        "x[mask]": (lambda: a[mask], lambda: x[third]),
        "unique(x)": (lambda: g.unique(a), lambda: np.unique(x)),
        "unique(few)": (lambda: g.unique(f), lambda: np.unique(few)),
        "searchsorted": (
            lambda: g.searchsorted(row, a),
            lambda: np.searchsorted(known, x),
        ),
        "where": (lambda: g.where(mask, a, a), lambda: np.where(third, x, x)),
        "clip": (lambda: g.clip(a, 0.2, 0.7), lambda: np.clip(x, 0.2, 0.7)),
    }


def product_rows(side: int) -> dict:
    """Return rows of products of square matrices."""
    from pycuda import gpuarray

    random = np.random.default_rng(3)
    x = random.random((side, side))
    y = x.astype(np.float32)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    return {
        "float32": (lambda: b @ b, lambda: y @ y),
        "float64": (lambda: a @ a, lambda: x @ x),
        "float32, left transposed": (lambda: b.T @ b, lambda: y.T @ y),
        "float32, vector": (lambda: b @ b[0], lambda: y @ y[0]),
    }


def element_rows(n: int) -> dict:
    """Return rows of element-wise work, reductions and scans."""
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


# Bytes that an operation reads and writes per element of 4 bytes; if not
# listed, it reads 4.
BYTES = {
    "x + x": 8, "i + i": 8, "x * 2": 8, "x < 0.5": 5, "sin(x)": 8,
    "sqrt(x)": 8, "i -> float32": 8, "x[:, :h] + x[:, h:]": 6,
    "x[:, ::2] + x[:, 1::2]": 6, "x + row": 8, "x + x.T": 12, "transpose": 8,
    "x.var(0)": 8, "x.cumsum()": 8, "i.cumsum()": 12, "x.cumsum(0)": 8,
    "x.cumsum(1)": 8, "sort(x)": 8, "sort(i)": 8, "sort(float64)": 16,
    "argsort(x)": 12, "argsort(i)": 12, "take": 16, "x[order]": 16,
    "concatenate": 16, "roll": 8, "repeat": 16, "nonzero": 11 / 3,
    "x[mask]": 19 / 3, "searchsorted": 12, "where": 13, "clip": 8,
    "unique(x)": 8,
}  # fmt: skip


def copy_seconds(n: int, finish) -> float:
    """Return the seconds of the device's copy of n floats."""
    from pycuda import gpuarray

    a = gpuarray.zeros(n, np.float32)
    b = gpuarray.empty_like(a)

    def copy() -> None:
        b[...] = a

    return pair(copy, lambda: None, finish)[0]


def products(sides: list[int], only: str, finish) -> list[list[object]]:
    """Return a table's rows: our and NumPy's time and ratio for each side."""
    found: dict[str, list[object]] = {}
    for side in sides:
        for name, calls in product_rows(side).items():
            if re.search(only, "product " + name):
                mine, numpys = pair(*calls, finish)
                row = found.setdefault(name, [name])
                row += [mine * 1e6, numpys * 1e6, f"{numpys / mine:.2f}"]
    return list(found.values())


def print_products(sides: list[int], only: str, finish) -> None:
    table = products(sides, only, finish)
    if not table:
        return
    heads = ["product of matrices"]
    for side in sides:
        heads += [f"side {side}, us", "NumPy, us", "ratio"]
    print()
    print_table(heads, table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--log2", type=int, nargs="+", default=[10, 16, 24],
        help="log2 of the elements",
    )  # fmt: skip
    parser.add_argument("--only", default="", help="of the rows' names")
    parser.add_argument(
        "--sides", type=int, nargs="*", default=[64, 256, 1024],
        help="of matrices",
    )  # fmt: skip
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
    print_products(options.sides, options.only, cuda.Context.synchronize)


if __name__ == "__main__":
    main()
