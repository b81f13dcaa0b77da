"""Launches each kernel that the package generates once, with small arrays.

Usage: ``compute-sanitizer --tool memcheck python tools/every_kernel.py
[PART...]``; on the CPU device ``PYCUDA_CPU_CHECK=memory,race,sync,init python
tools/every_kernel.py``.  A PART is the name of a function here, without its
``run_``.  Results are compared with NumPy's, so that a kernel that does
nothing is noticed, too.

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
    """Return small positive numbers, valid for every function and dtype."""
    steps = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) % 7 + 1
    if np.dtype(dtype).kind in "fc":
        steps = steps / 8
    return steps.astype(dtype)


def check(what: str, got: gpuarray.GPUArray, expected: object) -> None:
    """Exit if a result differs from NumPy's."""
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
    """Return every dtype in every layout, on the host and on the device."""
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


def run_ends() -> None:
    """Run reductions whose last block combines the results of many blocks."""
    for dtype in DTYPES:
        host = (np.arange(300_001) % 7 == 0).astype(dtype)
        device = gpuarray.to_gpu(host)
        count = np.count_nonzero(host)
        for _ in range(2):  # the counter of blocks must be reset
            if dtype[0] not in "c?":
                check(f"max {dtype}", gpuarray.max(device), host.max())
            check(f"any {dtype}", gpuarray.any(device), True)
            if dtype not in ("?", "i1", "f2"):
                check(f"sum {dtype}", gpuarray.sum(device), count)
                check(f"dot {dtype}", gpuarray.dot(device, device), count)


def run_rest() -> None:
    host = numbers("i4")
    flat, device = host.ravel(), gpuarray.to_gpu(host)
    which = np.arange(0, flat.size, 5).astype(np.int32)
    taken = gpuarray.take(device.ravel(), gpuarray.to_gpu(which))
    check("take", taken, flat[which])
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


def run_indexing() -> None:
    which = np.array([0, 18, -2, 7], np.int32)
    for name, host, device in operands():
        key = gpuarray.to_gpu(which)
        host = host.copy()
        for mine, its in (
            (which, key),
            ((slice(None), which), (slice(None), key)),
            ((which, which), (key, key)),
            ((which, 2), (which.tolist(), 2)),
        ):
            check(f"index {name}", device[its], host[mine])
            if name.endswith(" C"):
                values = host[mine].copy()
                device[its] = gpuarray.to_gpu(values[::-1].copy())
                host[mine] = values[::-1]
                check(f"put {name}", device, host)
                device[its] = 1
                host[mine] = 1
                check(f"fill {name}", device, host)
        if host.dtype.kind != "b":
            mask, flags = host != 1, device != 1
            check(f"choose {name}", device[flags], host[mask])
            check(f"nonzero {name}", gpuarray.nonzero(flags)[0],
                  np.nonzero(mask)[0])  # fmt: skip
        check(f"repeat {name}", gpuarray.repeat(device, 3),
              np.repeat(host, 3))  # fmt: skip


def run_sorting() -> None:
    random = np.random.default_rng(5)
    for dtype in ("i1", "u2", "i4", "u8", "f2", "f4", "f8"):
        for shape in ((7,), (150,), (5000,), (100_003,), (37, 150), (3, 9000)):
            host = random.integers(0, 100, shape).astype(dtype)
            device = gpuarray.to_gpu(host)
            for axis in range(-1, len(shape) - 1):
                order = np.argsort(host, axis, "stable")
                check(f"sort {dtype} {shape}", gpuarray.sort(device, axis),
                      np.sort(host, axis))  # fmt: skip
                check(f"argsort {dtype} {shape}",
                      gpuarray.argsort(device, axis), order)  # fmt: skip
        if dtype in ("f4", "f8"):  # the largest tiles
            host = random.normal(0, 9, 1_600_003).astype(dtype)
            device = gpuarray.to_gpu(host)
            check(f"long sort {dtype}", gpuarray.sort(device), np.sort(host))
            check(f"long argsort {dtype}", gpuarray.argsort(device),
                  np.argsort(host, kind="stable"))  # fmt: skip
        ordered = np.sort(random.integers(0, 100, 999)).astype(dtype)
        wanted = np.arange(0, 99, 7).astype(dtype)
        check(f"searchsorted {dtype}",
              gpuarray.searchsorted(gpuarray.to_gpu(ordered),
                                    gpuarray.to_gpu(wanted)),
              np.searchsorted(ordered, wanted))  # fmt: skip


def run_products() -> None:
    random = np.random.default_rng(6)
    shapes = [((5,), (5,)), ((9, 5), (5,)), ((5,), (5, 9)), ((3, 2), (2, 7)),
              ((33, 65), (65, 47)), ((150, 140), (140, 130)),
              ((4, 9, 5), (4, 5, 8)), ((1000, 3), (3, 1000))]  # fmt: skip
    for dtype in ("?", "i1", "i4", "u8", "f2", "f4", "f8", "c8", "c16"):
        for left, right in shapes:
            a = random.integers(0, 2, left).astype(dtype)
            b = random.integers(0, 2, right).astype(dtype)
            check(f"{dtype} {left} @ {right}",
                  gpuarray.to_gpu(a) @ gpuarray.to_gpu(b), a @ b)  # fmt: skip


def run_random() -> None:
    g = curandom.PhiloxRandomNumberGenerator(1)
    true = np.ones(1001, bool)
    for dtype in (np.float32, np.float64):
        means = gpuarray.zeros(1001, np.float64) + 3
        for name, draw in {
            "rand": lambda t=dtype: curandom.rand((1001,), t),
            "uniform": lambda t=dtype: g.uniform(0, 2, 1001, t),
            "gen_uniform": lambda t=dtype: g.gen_uniform(1001, t),
            "normal": lambda t=dtype: abs(g.standard_normal(1001, t)),
            "lognormal": lambda t=dtype: g.lognormal(0, 1, 1001, t),
            "exponential": lambda t=dtype: g.exponential(2, 1001, t),
            "gamma": lambda t=dtype: g.standard_gamma(0.5, 1001, t),
            "poisson": lambda t=dtype: g.poisson(3, 1001, t),
            "poisson of 300": lambda t=dtype: g.poisson(300, 1001, t),
            "poisson of means": lambda t=dtype, m=means: g.poisson(m, dtype=t),
        }.items():
            values = draw()
            check(name, (values >= 0) & (values < 1e4), true)
    for dtype in ("i1", "u4", "i8", "u8"):
        for most in (3, 100):
            values = g.integers(0, most, 1001, dtype)
            check("integers", (values >= 0) & (values < most), true)
    check("permutation", gpuarray.sort(g.permutation(1001)), np.arange(1001))
    for kind in (
        curandom.XORWOWRandomNumberGenerator,
        curandom.MRG32k3aRandomNumberGenerator,
        curandom.Sobol32RandomNumberGenerator,
        curandom.ScrambledSobol64RandomNumberGenerator,
    ):
        for dtype in (np.float32, np.float64):
            values = kind().gen_uniform(1001, dtype)
            check(kind.__name__, (values >= 0) & (values <= 1), true)
            values = abs(kind().gen_normal(1001, dtype))
            check(kind.__name__, values < 99, true)


def main() -> None:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    parts = [
        run_elementwise, run_functions, run_reductions, run_ends, run_indexing,
        run_sorting, run_products, run_random, run_rest,
    ]  # fmt: skip
    names = [part.__name__.removeprefix("run_") for part in parts]
    for name in sys.argv[1:]:
        if name not in names:
            sys.exit(f"no part {name}, there are {', '.join(names)}")
    for name, part in zip(names, parts, strict=True):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        part()
        drv.Context.synchronize()
        print(f"{part.__name__}: {launched} results so far", flush=True)
    print(f"Success on {pycuda.autoinit.device.name()}")


if __name__ == "__main__":
    main()
