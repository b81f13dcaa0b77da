"""Launches each kernel that the package generates, small and once.

Usage: ``compute-sanitizer --tool memcheck python tools/every_kernel.py``; on
the CPU device ``PYCUDA_CPU_CHECK=memory,race,sync,init python
tools/every_kernel.py``.  Results are compared with NumPy's, so that a kernel
that does nothing is seen too.

SPDX-License-Identifier: MIT
"""

import itertools
import operator
import sys
import warnings
from collections.abc import Callable, Iterator

import numpy as np

import pycuda.autoinit
import pycuda.driver as drv
from pycuda import cumath, curandom, gpuarray, scan

ROWS, COLUMNS = 37, 150  # no multiples of a warp or of 16 bytes
DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]
BINARY = {
    "add": operator.add,
    "multiply": operator.mul,
    "true_divide": operator.truediv,
    "less": operator.lt,
    "equal": operator.eq,
}
LAYOUTS: dict[str, Callable] = {
    "C": lambda a: a,
    "odd": lambda a: a[:, 1:],
    "strided": lambda a: a[::2, ::-3],
    "transposed": lambda a: a.T,
}
REDUCTIONS = ["sum", "min", "max", "any", "all", "mean", "var", "argmax"]
FUNCTIONS = [
    "sin", "cos", "tan", "exp", "log", "sqrt", "floor", "ceil", "fabs",
    "tanh", "sinh", "cosh", "asin", "acos", "atan", "log10",
]  # fmt: skip

launched = 0


def numbers(dtype: str) -> np.ndarray:
    """Small positive numbers that every function and dtype can take."""
    steps = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) % 7 + 1
    if np.dtype(dtype).kind in "fc":
        steps = steps / 8
    return steps.astype(dtype)


def check(what: str, got: gpuarray.GPUArray, expected: object) -> None:
    """End the program where a result is not NumPy's."""
    global launched
    launched += 1
    expected = np.asarray(expected)
    host = got.get()
    tolerance = 1e-2 if expected.dtype == np.float16 else 1e-4
    if expected.dtype.kind in "biu":
        same = np.array_equal(host, expected)
    else:
        same = np.allclose(host, expected, tolerance, equal_nan=True)
    if not same:
        sys.exit(f"{what}: {host.ravel()[:5]}, not {expected.ravel()[:5]}")


def operands() -> Iterator[tuple[str, np.ndarray, gpuarray.GPUArray]]:
    """Every dtype in every layout, on the host and on the device."""
    for dtype, (layout, view) in itertools.product(DTYPES, LAYOUTS.items()):
        host = numbers(dtype)
        yield f"{dtype} {layout}", view(host), view(gpuarray.to_gpu(host))


def run_elementwise() -> None:
    for name, host, device in operands():
        check(f"copy {name}", device.copy(), host)
        for operation, function in BINARY.items():
            if host.dtype.kind == "c" and operation == "less":
                continue
            other, on_device = host[:, :1], device[:, :1]
            expected = function(host, other)
            check(f"{operation} {name}", function(device, on_device), expected)
            check(
                f"{operation} {name}, scalar",
                function(device, 2),
                function(host, 2),
            )
        for target in ("f4", "i8"):
            if host.dtype.kind != "c":
                check(f"astype {name}", device.astype(target),
                      host.astype(target))  # fmt: skip


def run_functions() -> None:
    renamed = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
    for dtype, name in itertools.product(["f2", "f4", "f8"], FUNCTIONS):
        host = numbers(dtype)
        expected = getattr(np, renamed.get(name, name))(host)
        function = getattr(cumath, name)
        check(f"{name} {dtype}", function(gpuarray.to_gpu(host)), expected)


def run_reductions() -> None:
    for name, host, device in operands():
        for reduction, axis in itertools.product(REDUCTIONS, (None, 0, 1)):
            unordered = host.dtype.kind == "c" and reduction[:3] != "sum"
            if unordered and reduction not in ("any", "all", "mean"):
                continue
            wide = host
            if reduction in ("sum", "mean", "var") and host.dtype.char == "e":
                wide = host.astype("f4")
            expected = getattr(np, reduction)(wide, axis=axis)
            got = getattr(gpuarray, reduction)(device, axis=axis)
            if got.dtype.char == "e":
                expected = np.asarray(expected).astype("f2")
            check(f"{reduction} {name}, axis {axis}", got, expected)
        if host.dtype.kind in "iuf" and host.dtype.char != "e":
            for axis in (None, 0, 1):
                expected = np.cumsum(host, axis)
                check(f"cumsum {name}", gpuarray.cumsum(device, axis),
                      expected)  # fmt: skip


def run_rest() -> None:
    host = numbers("i4")
    flat, device = host.ravel(), gpuarray.to_gpu(host)
    which = np.arange(0, flat.size, 5).astype(np.int32)
    taken = gpuarray.take(device.ravel(), gpuarray.to_gpu(which))
    check("take", taken, flat[which])
    device.ravel()[gpuarray.to_gpu(which)] = taken * 2
    flat[which] *= 2
    check("put", device, host)
    device.ravel()[gpuarray.to_gpu(which)] = 3
    flat[which] = 3
    check("fill", device, host)
    for dtype in ("f4", "f8"):
        wide = device.astype(dtype)
        check("mul_add", wide.mul_add(0.5, wide, 3), host * 3.5)
    check("where", gpuarray.where(device > 3, device, -device),
          np.where(host > 3, host, -host))  # fmt: skip
    check("dot", gpuarray.dot(device, device), np.vdot(host, host))
    long = gpuarray.to_gpu(np.ones(100_003, np.int32))
    scan.InclusiveScanKernel(np.int32, "a+b")(long)
    check("inclusive scan", long, np.arange(1, 100_004))
    scan.ExclusiveScanKernel(np.int32, "max(a, b)", neutral=0)(long)
    check("exclusive scan", long, np.arange(100_003))
    for dtype in (np.float32, np.float64):
        values = curandom.rand((1000,), dtype)
        check("rand", (values >= 0) & (values <= 1), np.ones(1000, bool))


def main() -> None:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for part in (run_elementwise, run_functions, run_reductions, run_rest):
        part()
        drv.Context.synchronize()
        print(f"{part.__name__}: {launched} results so far", flush=True)
    print(f"Success on {pycuda.autoinit.device.name()}")


if __name__ == "__main__":
    main()
