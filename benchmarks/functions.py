"""Sorting, gathering, random numbers and products on a GPU, and peers.

Usage: ``python benchmarks/functions.py [--log2 16 20 24 26]``.  CuPy and torch
do the same work in separate processes; a figure is the least of several
batches.  The ratio is the better peer's time over ours.  The goals: 1 for
sorting, random numbers, gathering and scattering; for products the speed of
cuBLAS, which torch and CuPy call (0.97: the same function, within the noise).
For the CPU device, `cpu_arrays.py` and `random_numbers.py` compare with NumPy.

SPDX-License-Identifier: MIT
"""

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from common import (
    describe_machine,
    measure_rows,
    merge_least,
    print_table,
    run_json,
)
from twin import device_kind

GOALS = {
    "sort": 1.0,
    "argsort": 1.0,
    "take": 1.0,
    "put": 1.0,
    "random": 1.0,
    "@": 0.97,
}
SIDES = (64, 256, 1024, 4096)
SORTED = ("float32", "float64", "int32", "int64")
ORDERED = ("float32", "float64", "int32")
Rows = dict[str, Callable[[], object]]


def host_arrays(n: int) -> dict[str, np.ndarray]:
    """Return the arrays to sort and gather, the same for all packages."""
    random = np.random.default_rng(7)
    return {
        "float32": random.random(n, np.float32),
        "float64": random.random(n),
        "int32": random.integers(-(1 << 31), 1 << 31, n, np.int32),
        "int64": random.integers(-(1 << 62), 1 << 62, n),
        "order": random.permutation(n),
    }


def host_square(side: int, dtype: type) -> np.ndarray:
    """Return a factor of the products."""
    random = np.random.default_rng(side)
    return random.random((side, side)).astype(dtype)


def ordered_rows(host: dict, to: Callable, sort: Any, argsort: Any) -> Rows:
    """Return the rows of sorting."""
    arrays = {name: to(value) for name, value in host.items()}
    rows: Rows = {
        f"sort {name}": lambda x=arrays[name]: sort(x) for name in SORTED
    }
    for name in ORDERED:
        rows[f"argsort {name}"] = lambda x=arrays[name]: argsort(x)
    return rows


def put(row: Any, order: Any, values: Any) -> None:
    row[order] = values


def product_rows(to: Callable) -> Rows:
    """Return the rows of products of square matrices."""
    rows: Rows = {}
    for side in SIDES:
        for dtype in (np.float16, np.float32, np.float64):
            factor = to(host_square(side, dtype))
            name = f"@ {np.dtype(dtype).name}, side {side}"
            rows[name] = lambda a=factor: a @ a
    return rows


def named_rows(n: int, xp: Any, to: Callable, random: Any) -> Rows:
    """Return the rows of a package with NumPy's function names."""
    host = host_arrays(n)
    x, d, order = (to(host[k]) for k in ("float32", "float64", "order"))
    x_target, d_target = to(host["float32"]), to(host["float64"])
    return ordered_rows(host, to, xp.sort, xp.argsort) | {
        "take float32": lambda: xp.take(x, order),
        "take float64": lambda: xp.take(d, order),
        "put float32": lambda: put(x_target, order, x),
        "put float64": lambda: put(d_target, order, d),
        "random float32": lambda: random.random(n, np.float32),
        "random float64": lambda: random.random(n),
        "random normal float32": (
            lambda: random.standard_normal(n, np.float32)
        ),
        "random normal float64": lambda: random.standard_normal(n),
        "random integers int64": lambda: random.integers(0, 1000, n),
    }


def pycuda_rows(n: int) -> Rows:
    """Return this package's call for each row."""
    from pycuda import curandom, gpuarray

    random = curandom.PhiloxRandomNumberGenerator(1)
    return named_rows(n, gpuarray, gpuarray.to_gpu, random)


def cupy_rows(n: int) -> Rows:
    import cupy

    return named_rows(n, cupy, cupy.asarray, cupy.random.default_rng(1))


def torch_rows(n: int) -> Rows:
    import torch

    host = host_arrays(n)

    def to(array: np.ndarray) -> Any:
        return torch.from_numpy(array).to("cuda")

    x, d, order = (to(host[k]) for k in ("float32", "float64", "order"))
    x_target, d_target = to(host["float32"]), to(host["float64"])
    f8 = {"dtype": torch.float64, "device": "cuda"}
    return ordered_rows(host, to, torch.sort, torch.argsort) | {
        "take float32": lambda: torch.index_select(x, 0, order),
        "take float64": lambda: torch.index_select(d, 0, order),
        "put float32": lambda: put(x_target, order, x),
        "put float64": lambda: put(d_target, order, d),
        "random float32": lambda: torch.rand(n, device="cuda"),
        "random float64": lambda: torch.rand(n, **f8),
        "random normal float32": lambda: torch.randn(n, device="cuda"),
        "random normal float64": lambda: torch.randn(n, **f8),
        "random integers int64": (
            lambda: torch.randint(1000, (n,), device="cuda")
        ),
    }


def open_pycuda() -> tuple[Callable, Callable, Callable]:
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as cuda
    from pycuda import gpuarray

    return pycuda_rows, gpuarray.to_gpu, cuda.Context.synchronize


def open_cupy() -> tuple[Callable, Callable, Callable]:
    import cupy

    return cupy_rows, cupy.asarray, cupy.cuda.Device().synchronize


def open_torch() -> tuple[Callable, Callable, Callable]:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch has no GPU")
    return (
        torch_rows,
        lambda array: torch.from_numpy(array).to("cuda"),
        torch.cuda.synchronize,
    )


PEERS = {"pycuda": open_pycuda, "CuPy": open_cupy, "torch": open_torch}


def peer(name: str, sizes: list[int]) -> None:
    """Run a peer's process: print the seconds of each row, by size."""
    try:
        rows_of, to, finish = PEERS[name]()
    except ImportError:
        sys.exit(77)
    found = {}
    for log2 in sizes:
        seconds = measure_rows(rows_of(1 << log2), finish)
        found |= {f"{row}, 2^{log2}": time for row, time in seconds.items()}
    found |= measure_rows(product_rows(to), finish)
    print(json.dumps(found))


def report(ours: dict, columns: dict[str, dict]) -> None:
    """Print microseconds per row, ratio to the better peer, and goal."""
    lines = []
    for row, seconds in ours.items():
        others = [column.get(row) for column in columns.values()]
        best = min((one for one in others if one), default=None)
        goal = GOALS[row.split()[0]]
        ratio = best / seconds if best else None
        met = "" if ratio is None else "yes" if ratio >= goal else "no"
        lines.append(
            [
                row,
                1e6 * seconds,
                "" if ratio is None else f"{ratio:.2f}",
                f">= {goal:.2f}",
                met,
                *(one and 1e6 * one for one in others),
            ]
        )
    heads = ["microseconds", "this package", "ratio", "goal", "met"]
    print_table([*heads, *columns], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--log2", type=int, nargs="+", default=[16, 20, 24])
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        peer(options.peer, options.log2)
        return
    if device_kind() != "gpu":
        sys.exit("functions.py is for GPUs; cpu_arrays.py has the CPU device")
    command = [sys.executable, __file__, "--log2", *map(str, options.log2)]
    columns: dict[str, dict] = {}
    for name in ["pycuda", "CuPy", "torch", "pycuda"]:
        found = run_json([*command, "--peer", name], may_fail=True)
        if found and "failed" not in found:
            merge_least(columns.setdefault(name, {}), found)
    if "pycuda" not in columns:
        sys.exit("this package's rows failed")
    ours = columns.pop("pycuda")
    import pycuda.driver as cuda

    describe_machine(cuda.Device(0).name())
    report(ours, columns)


if __name__ == "__main__":
    main()
