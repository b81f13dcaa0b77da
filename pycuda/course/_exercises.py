"""The exercises: how each kernel is launched, and what NumPy computes."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pycuda import gpuarray

_FOLDER = Path(__file__).parent
# Function that returns the kernel of a source by its name.
_Kernels = Callable[[str], Any]
# (description of the computation, its result, the correct result)
_Case = tuple[str, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Exercise:
    """One exercise of the course.

    Attributes
    ----------
    name : str
        Number and subject, such as ``"01_map"``; the name of its files.
    title : str
        The subject in words.
    cases : callable
        Launches the kernel on several inputs; yields, for each, a
        description, the result and the right result.
    """

    name: str
    title: str
    cases: Callable[[_Kernels], Iterator[_Case]]

    @property
    def template(self) -> str:
        """The source that the learner completes."""
        return (_FOLDER / "exercises" / f"{self.name}.cu").read_text()

    @property
    def solution(self) -> str:
        """A right source."""
        return (_FOLDER / "solutions" / f"{self.name}.cu").read_text()


def _numbers(*shape: int) -> np.ndarray:
    """Return the same random numbers in each run."""
    return np.random.default_rng(1).random(shape, np.float32)


def _unset(*shape: int) -> gpuarray.GPUArray:
    """Return an array of NaN, which a kernel has to overwrite."""
    return gpuarray.full(shape, np.nan, np.float32)


def _map(kernels: _Kernels) -> Iterator[_Case]:
    for n in (1, 256, 1000):
        x, out = _numbers(n), _unset(n)
        kernels("map")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(256, 1, 1),
            grid=((n + 255) // 256, 1),
        )
        yield f"n = {n}", out.get(), 2 * x + 1


def _mirror(kernels: _Kernels) -> Iterator[_Case]:
    for height, width in ((8, 16), (30, 50)):
        image, out = _numbers(height, width), _unset(height, width)
        kernels("mirror")(
            gpuarray.to_gpu(image),
            out,
            np.int32(width),
            np.int32(height),
            block=(16, 8, 1),
            grid=((width + 15) // 16, (height + 7) // 8),
        )
        yield f"{height} x {width}", out.get(), image[:, ::-1]


def _stride(kernels: _Kernels) -> Iterator[_Case]:
    for n in (100, 256, 1000):
        x, y = _numbers(n), np.ones(n, np.float32)
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


def _reverse(kernels: _Kernels) -> Iterator[_Case]:
    x = _numbers(4, 128)
    out = gpuarray.to_gpu(x)
    kernels("reverse")(out, block=(128, 1, 1), grid=(4, 1))
    yield "4 groups", out.get(), x[:, ::-1]


def _smooth(kernels: _Kernels) -> Iterator[_Case]:
    for n in (128, 300):
        x, out = _numbers(n), _unset(n)
        kernels("smooth")(
            gpuarray.to_gpu(x),
            out,
            np.int32(n),
            block=(128, 1, 1),
            grid=((n + 127) // 128, 1),
        )
        yield f"n = {n}", out.get(), np.convolve(x, np.ones(3), "same") / 3


def _histogram(kernels: _Kernels) -> Iterator[_Case]:
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


def _sum(kernels: _Kernels) -> Iterator[_Case]:
    n = 1000
    x, out = _numbers(n), _unset(4)
    kernels("sum")(
        gpuarray.to_gpu(x),
        out,
        np.int32(n),
        block=(256, 1, 1),
        grid=(4, 1),
    )
    yield "n = 1000", out.get(), np.add.reduceat(x, range(0, n, 256))


def _warp(kernels: _Kernels) -> Iterator[_Case]:
    x, out = _numbers(10, 32), _unset(10)
    kernels("rows")(
        gpuarray.to_gpu(x),
        out,
        np.int32(10),
        block=(32, 4, 1),
        grid=(3, 1),
    )
    yield "10 rows", out.get(), x.sum(1)


def _matmul(kernels: _Kernels) -> Iterator[_Case]:
    for n in (16, 40):
        a, b = _numbers(2, n, n)
        out, blocks = _unset(n, n), (n + 15) // 16
        kernels("matmul")(
            gpuarray.to_gpu(a),
            gpuarray.to_gpu(b),
            out,
            np.int32(n),
            block=(16, 16, 1),
            grid=(blocks, blocks),
        )
        yield f"n = {n}", out.get(), a @ b


def _transpose(kernels: _Kernels) -> Iterator[_Case]:
    for height, width in ((16, 16), (20, 50)):
        x, out = _numbers(height, width), _unset(width, height)
        kernels("transpose")(
            gpuarray.to_gpu(x),
            out,
            np.int32(width),
            np.int32(height),
            block=(16, 16, 1),
            grid=((width + 15) // 16, (height + 15) // 16),
        )
        yield f"{height} x {width}", out.get(), x.T


#: All exercises, by name.
EXERCISES = {
    exercise.name: exercise
    for exercise in (
        Exercise("01_map", "Map, with a guard", _map),
        Exercise("02_mirror", "Two indices", _mirror),
        Exercise("03_stride", "A grid-stride loop", _stride),
        Exercise("04_reverse", "Shared memory and a barrier", _reverse),
        Exercise("05_smooth", "Neighbours of a block", _smooth),
        Exercise("06_histogram", "Atomic functions", _histogram),
        Exercise("07_sum", "A sum as a tree", _sum),
        Exercise("08_warp", "Shuffles within a warp", _warp),
        Exercise("09_matmul", "A matrix product in tiles", _matmul),
        Exercise("10_transpose", "A transpose in tiles", _transpose),
    )
}
