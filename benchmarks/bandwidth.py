"""Bandwidth of array operations: GB/s of bytes read and written.

Usage: ``python benchmarks/bandwidth.py [--log2 26]``.  Compares with the
device's own copy, with CuPy and torch on a GPU, and with NumPy on the CPU
device; each runs the same work in a separate process.
"""

import argparse
import json
import os
import sys

import numpy as np
from common import (
    describe_machine,
    measure_rows,
    merge_least,
    print_table,
    run_json,
)
from launch import device_kind

# row: (bytes per element of x, goal of the row, reference of the goal). The
# goals of a GPU are a factor of the best peer's figure in this run.
ROWS = {
    "copy": (8, None),
    "x + y": (12, 1.0),
    "sin(x)": (8, 1.0),
    "a*x + y, ElementwiseKernel": (12, 1.0),
    "sum(x)": (4, 1.02),
    "max(x)": (4, 1.02),
    "dot(x, y)": (8, 1.02),
    "inclusive scan": (8, 1.0),
    "uniform random floats": (4, 1.0),
    "x[:, :half] + x[:, half:]": (6, 1.0),
    "x.sum(0)": (4, 1.0),
    "x.sum(1)": (4, 1.0),
    "transpose copy": (8, 2.0),
}


def pycuda_calls(n: int) -> dict:
    """Return this package's call for each row, in the current context."""
    import pycuda.driver as cuda
    from pycuda import cumath, curandom, gpuarray
    from pycuda.elementwise import ElementwiseKernel
    from pycuda.scan import InclusiveScanKernel

    host = np.random.rand(n).astype(np.float32)
    x, y = gpuarray.to_gpu(host), gpuarray.to_gpu(host[::-1].copy())
    z = gpuarray.empty_like(x)
    side = 1 << (n.bit_length() // 2)
    square = x.reshape(side, n // side)
    half = square.shape[1] // 2
    kernel = ElementwiseKernel(
        "float a, float *x, float *y, float *z", "z[i] = a * x[i] + y[i]"
    )
    scan = InclusiveScanKernel(np.float32, "a+b")
    calls = {
        "copy": lambda: cuda.memcpy_dtod_async(z.gpudata, x.gpudata, 4 * n),
        "x + y": lambda: x + y,
        "sin(x)": lambda: cumath.sin(x),
        "a*x + y, ElementwiseKernel": lambda: kernel(2, x, y, z),
        "sum(x)": lambda: gpuarray.sum(x),
        "max(x)": lambda: gpuarray.max(x),
        "dot(x, y)": lambda: gpuarray.dot(x, y),
        "inclusive scan": lambda: scan(x, z),
        "uniform random floats": lambda: curandom.rand((n,)),
        "x[:, :half] + x[:, half:]": (
            lambda: square[:, :half] + square[:, half:]
        ),
        "x.sum(0)": lambda: gpuarray.sum(square, axis=0),
        "x.sum(1)": lambda: gpuarray.sum(square, axis=1),
    }
    # A copy of a transpose would keep its order; an assignment does not.
    into = gpuarray.empty((square.shape[1], square.shape[0]), np.float32)

    def transpose() -> None:
        into[...] = square.T

    calls["transpose copy"] = transpose
    return calls


def measure_pycuda(n: int) -> dict:
    import pycuda.autoinit
    import pycuda.driver as cuda

    result = measure_rows(pycuda_calls(n), cuda.Context.synchronize)
    result["device"] = pycuda.autoinit.device.name()
    return result


def measure_numpy(n: int) -> dict:
    x = np.random.rand(n).astype(np.float32)
    y, z = x[::-1].copy(), np.empty_like(x)
    side = 1 << (n.bit_length() // 2)
    square = x.reshape(side, n // side)
    half = square.shape[1] // 2
    random = np.random.default_rng(1)
    calls = {
        "copy": lambda: np.copyto(z, x),
        "x + y": lambda: x + y,
        "sin(x)": lambda: np.sin(x),
        "a*x + y, ElementwiseKernel": lambda: np.float32(2) * x + y,
        "sum(x)": lambda: x.sum(),
        "max(x)": lambda: x.max(),
        "dot(x, y)": lambda: x.dot(y),
        "inclusive scan": lambda: np.cumsum(x, out=z),
        "uniform random floats": lambda: random.random(n, np.float32),
        "x[:, :half] + x[:, half:]": (
            lambda: square[:, :half] + square[:, half:]
        ),
        "x.sum(0)": lambda: square.sum(0),
        "x.sum(1)": lambda: square.sum(1),
        "transpose copy": lambda: np.ascontiguousarray(square.T),
    }
    return measure_rows(calls, lambda: None)


def array_calls(xp, x, y, random) -> dict:
    """Return rows that are spelled alike in CuPy and torch."""
    n = x.size if hasattr(x, "nbytes") and isinstance(x.size, int) else len(x)
    side = 1 << (n.bit_length() // 2)
    square = x.reshape(side, n // side)
    half = square.shape[1] // 2
    return {
        "x + y": lambda: x + y,
        "sin(x)": lambda: xp.sin(x),
        "sum(x)": lambda: x.sum(),
        "max(x)": lambda: x.max(),
        "dot(x, y)": lambda: xp.dot(x, y),
        "inclusive scan": lambda: xp.cumsum(x, 0),
        "uniform random floats": random,
        "x[:, :half] + x[:, half:]": (
            lambda: square[:, :half] + square[:, half:]
        ),
        "x.sum(0)": lambda: square.sum(0),
        "x.sum(1)": lambda: square.sum(1),
    }


def measure_cupy(n: int) -> dict:
    import cupy

    x, y = cupy.random.rand(2, n, dtype=np.float32)
    z = cupy.empty_like(x)
    side = 1 << (n.bit_length() // 2)
    kernel = cupy.ElementwiseKernel(
        "float32 a, float32 x, float32 y", "float32 z", "z = a * x + y"
    )
    calls = array_calls(
        cupy, x, y, lambda: cupy.random.rand(n, dtype=np.float32)
    )
    calls |= {
        "copy": lambda: cupy.copyto(z, x),
        "a*x + y, ElementwiseKernel": lambda: kernel(2, x, y, z),
        "transpose copy": (
            lambda: cupy.ascontiguousarray(x.reshape(side, n // side).T)
        ),
    }
    return measure_rows(calls, cupy.cuda.Device().synchronize)


def measure_torch(n: int) -> dict:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch has no GPU")
    x, y = torch.rand(2, n, device="cuda")
    z = torch.empty_like(x)
    side = 1 << (n.bit_length() // 2)
    calls = array_calls(torch, x, y, lambda: torch.rand(n, device="cuda"))
    calls |= {
        "copy": lambda: z.copy_(x),
        "transpose copy": (lambda: x.reshape(side, n // side).T.contiguous()),
    }
    return measure_rows(calls, torch.cuda.synchronize)


PEERS = {
    "pycuda": measure_pycuda,
    "NumPy": measure_numpy,
    "CuPy": measure_cupy,
    "torch": measure_torch,
}


def run_peer(name: str, log2: int) -> dict | None:
    """Measure one peer in a separate process."""
    command = [sys.executable, os.path.abspath(__file__), "--peer", name]
    return run_json([*command, "--log2", str(log2)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--log2", type=int, help="log2 of the elements")
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        try:
            print(json.dumps(PEERS[options.peer](1 << options.log2)))
        except ImportError:
            sys.exit(77)
        return

    on_gpu = device_kind() == "gpu"
    log2 = options.log2 or (26 if on_gpu else 24)
    columns: dict[str, dict] = {}
    peers = ["CuPy", "torch"] if on_gpu else ["NumPy"]
    for name in ["pycuda", *peers, "pycuda"]:
        if result := run_peer(name, log2):
            merge_least(columns.setdefault(name, {}), result)
    ours = columns.pop("pycuda")
    describe_machine(ours["device"])
    print(f"2^{log2} floats; GB/s.\n")
    report(ours, columns, 1 << log2)


def report(ours: dict, columns: dict[str, dict], n: int) -> None:
    """Print GB/s per row, the ratio to the best peer, and the goal."""
    rows = []
    for row, (size, factor) in ROWS.items():
        speed = {
            name: size * n / column[row] / 1e9
            for name, column in columns.items()
            if row in column
        }
        mine = size * n / ours[row] / 1e9 if row in ours else None
        best = max(speed.values(), default=None)
        ratio = f"{mine / best:.2f}" if mine and best else ""
        goal = f">= {factor:.2f}" if factor else ""
        met = ""
        if ratio and factor:
            met = "yes" if mine >= factor * best else "no"
        others = [speed.get(name) for name in columns]
        rows.append([row, mine, ratio, goal, met, *others])
    heads = ["GB/s", "this package", "ratio to the best", "goal", "met"]
    print_table([*heads, *columns], rows)


if __name__ == "__main__":
    main()
