"""The launches of the exercises that are CUDA C++, and NumPy's results."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray

#: A function that returns the kernel, or the Python function, of a name.
Kernels = Callable[[str], Any]
#: A description of the input, the result, and the right result.
Case = tuple[str, np.ndarray, np.ndarray]


def numbers(*shape: int) -> np.ndarray:
    """Return the same random numbers in each run."""
    return np.random.default_rng(1).random(shape, np.float32)


def unset(*shape: int) -> gpuarray.GPUArray:
    """Return an array of NaN, which a kernel has to overwrite."""
    return gpuarray.full(shape, np.nan, np.float32)


def map_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise map."""
    for n in (1, 256, 1000):
        x, out = numbers(n), unset(n)
        kernels("map")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(256, 1, 1),
            grid=((n + 255) // 256, 1),
        )
        yield f"n = {n}", out.get(), 2 * x + 1


def mirror_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise mirror."""
    for height, width in ((8, 16), (30, 50)):
        image, out = numbers(height, width), unset(height, width)
        kernels("mirror")(
            gpuarray.to_gpu(image),
            out,
            np.int32(width),
            np.int32(height),
            block=(16, 8, 1),
            grid=((width + 15) // 16, (height + 7) // 8),
        )
        yield f"{height} x {width}", out.get(), image[:, ::-1]


def stride_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise stride."""
    for n in (100, 256, 1000):
        x, y = numbers(n), np.ones(n, np.float32)
        out = gpuarray.to_gpu(y)
        kernels("saxpy")(
            np.float32(3),
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(64, 1, 1),
            grid=(4, 1),
        )
        yield f"n = {n}", out.get(), 3 * x + 1


def reverse_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise reverse."""
    x = numbers(4, 128)
    out = gpuarray.to_gpu(x)
    kernels("reverse")(out, block=(128, 1, 1), grid=(4, 1))
    yield "4 groups", out.get(), x[:, ::-1]


def smooth_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise smooth."""
    for n in (128, 300):
        x, out = numbers(n), unset(n)
        kernels("smooth")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(128, 1, 1),
            grid=((n + 127) // 128, 1),
        )
        yield f"n = {n}", out.get(), np.convolve(x, np.ones(3), "same") / 3


def histogram_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise histogram."""
    x = np.random.default_rng(1).integers(0, 16, 1000, np.int32)
    count = gpuarray.zeros(16, np.int32)
    kernels("histogram")(
        gpuarray.to_gpu(x),
        count,
        np.int32(x.size),
        block=(256, 1, 1),
        grid=(4, 1),
    )
    yield "n = 1000", count.get(), np.bincount(x, minlength=16)


def sum_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise sum."""
    n = 1000
    x, out = numbers(n), unset(4)
    kernels("sum")(
        gpuarray.to_gpu(x),
        out,
        np.int32(n),
        block=(256, 1, 1),
        grid=(4, 1),
    )
    yield "n = 1000", out.get(), np.add.reduceat(x, range(0, n, 256))


def warp_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise warp."""
    x, out = numbers(10, 32), unset(10)
    kernels("rows")(
        gpuarray.to_gpu(x),
        out,
        np.int32(10),
        block=(32, 4, 1),
        grid=(3, 1),
    )
    yield "10 rows", out.get(), x.sum(1)


def matmul_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise matmul."""
    for n in (16, 40):
        a, b = numbers(2, n, n)
        out, blocks = unset(n, n), (n + 15) // 16
        kernels("matmul")(
            gpuarray.to_gpu(a),
            gpuarray.to_gpu(b),
            out,
            np.int32(n),
            block=(16, 16, 1),
            grid=(blocks, blocks),
        )
        yield f"n = {n}", out.get(), a @ b


def _transpose(kernels: Kernels, x: np.ndarray) -> gpuarray.GPUArray:
    """Return the result of the learner's kernel."""
    height, width = x.shape
    out = unset(width, height)
    kernels("transpose")(
        gpuarray.to_gpu(x),
        out,
        np.int32(width),
        np.int32(height),
        block=(16, 16, 1),
        grid=((width + 15) // 16, (height + 15) // 16),
    )
    return out


def transpose_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise transpose."""
    for height, width in ((16, 16), (20, 50)):
        x = numbers(height, width)
        yield f"{height} x {width}", _transpose(kernels, x).get(), x.T


def transpose_accesses(kernels: Kernels) -> None:
    """Transpose a matrix whose rows begin at multiples of 32 bytes."""
    _transpose(kernels, numbers(64, 64))


def _printed(launch: Callable[[], None]) -> str:
    """Return the text that a kernel writes to the standard output."""
    sys.stdout.flush()
    saved = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            launch()
            drv.Context.synchronize()
            ctypes.CDLL(None).fflush(None)
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return file.read().decode(errors="replace")


def printf_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise printf."""
    for grid, size in ((1, 32), (3, 64)):
        text = _printed(
            lambda grid=grid, size=size: kernels("report")(
                block=(size, 1, 1), grid=(grid, 1)
            )
        )
        right = [f"block {b}: {size} threads" for b in range(grid)]
        yield (
            f"grid = {grid}",
            np.array(sorted(text.splitlines())),
            np.array(right),
        )


def assert_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise assert."""
    x, out = numbers(100), unset(100)
    where = {"block": (64, 1, 1), "grid": (2, 1)}
    kernel = kernels("root")
    kernel(gpuarray.to_gpu(x), out, np.int32(100), **where)
    yield "n = 100", out.get(), np.sqrt(x)
    if not drv.Context.get_device().name().startswith("PyCUDA CPU"):
        return  # a failed assertion would end the use of the GPU
    x[70] = -1
    ended = "no failed assertion"
    try:
        kernel(gpuarray.to_gpu(x), out, np.int32(100), **where)
        drv.Context.synchronize()
    except drv.Error as error:
        if "assert" not in str(error):
            raise
        ended = "a failed assertion"
    yield "x[70] = -1", np.array([ended]), np.array(["a failed assertion"])


def stencil_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise stencil."""
    for n in (2, 100):
        x = numbers(n)
        right = x.copy()
        right[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        out = gpuarray.to_gpu(x)
        kernels("smooth")(out, np.int32(n), block=(n, 1, 1))
        yield f"n = {n}", out.get(), right


def dynamic_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise dynamic."""
    for size in (32, 100):
        x = numbers(3, size)
        out = gpuarray.to_gpu(x)
        kernels("reverse")(
            out, block=(size, 1, 1), grid=(3, 1), shared=4 * size
        )
        yield f"blocks of {size}", out.get(), x[:, ::-1]


def local_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise local."""
    for n in (64, 100):
        x, out = numbers(n, 5), unset(n)
        kernels("median")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(64, 1, 1),
            grid=((n + 63) // 64, 1),
        )
        yield f"n = {n}", out.get(), np.median(x, 1)


def initial_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise initial."""
    for height, width in ((32, 7), (50, 20)):
        x, out = numbers(height, width), gpuarray.empty(height, np.float32)
        kernels("rows")(
            gpuarray.to_gpu(x),
            out,
            np.int32(width),
            np.int32(height),
            block=(32, 1, 1),
            grid=((height + 31) // 32, 1),
        )
        yield f"{height} x {width}", out.get(), x.sum(1)


def maximum_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise maximum."""
    for n in (100, 2000):
        x = np.random.default_rng(1).integers(-5000, -10, n, np.int32)
        out = gpuarray.to_gpu(np.array([-6000], np.int32))
        kernels("maximum")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(128, 1, 1),
            grid=(4, 1),
        )
        yield f"n = {n}", out.get(), x.max(keepdims=True)


def barrier_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise barrier."""
    for n in (64, 100):
        x, out = numbers(n), unset(n)
        kernels("shift")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(64, 1, 1),
            grid=((n + 63) // 64, 1),
        )
        smallest = np.minimum.reduceat(x, range(0, n, 64))
        yield f"n = {n}", out.get(), x - smallest[np.arange(n) // 64]


def scan_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise scan."""
    x, out = numbers(256), unset(256)
    kernels("scan")(gpuarray.to_gpu(x), out, block=(256, 1, 1))
    yield "256 elements", out.get(), np.cumsum(x, dtype=np.float64)


def vector_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise vector."""
    for n in (256, 300):
        x, out = numbers(n), unset(n)
        kernels("twice")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(64, 1, 1),
            grid=((n // 4 + 63) // 64, 1),
        )
        yield f"n = {n}", out.get(), 2 * x


def last_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise last."""
    for n in (64, 1000):
        x, out, blocks = numbers(n), unset(1), (n + 63) // 64
        kernels("total")(
            gpuarray.to_gpu(x),
            out,
            unset(blocks),
            gpuarray.zeros(1, np.uint32),
            np.int32(n),
            block=(64, 1, 1),
            grid=(blocks, 1),
        )
        yield f"n = {n}", out.get(), x.sum(keepdims=True)


def _total(kernels: Kernels, x: gpuarray.GPUArray) -> gpuarray.GPUArray:
    out = gpuarray.zeros(1, np.float32)
    kernels("total")(x, out, np.int32(x.size), block=(256, 1, 1), grid=(64, 1))
    return out


def speed_cases(kernels: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise speed."""
    for n in (1000, 50000):
        x = (np.arange(n) % 7).astype(np.float32)
        out = _total(kernels, gpuarray.to_gpu(x))
        yield f"n = {n}", out.get(), x.sum(keepdims=True)


def speed_seconds(kernels: Kernels) -> float:
    """Return the time of one launch with 2^19 elements."""
    x = gpuarray.zeros(1 << 19, np.float32)
    start, end = drv.Event(), drv.Event()
    start.record()
    _total(kernels, x)
    end.record()
    end.synchronize()
    return start.time_till(end) / 1000
