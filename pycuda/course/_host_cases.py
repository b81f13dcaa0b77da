"""The calls of the exercises that are Python, and the right results."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.course._kernel_cases import Case, Kernels, numbers

# `produce` takes long enough that a kernel which does not wait for it reads
# old numbers.
_SOURCE = """
__global__ void scale(float *x, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}
__global__ void square(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= x[i];
}
__global__ void produce(float *a)
{
    if (threadIdx.x == 0) {
        long long start = clock64();
        while (clock64() - start < 50000000)
            ;
    }
    __syncthreads();
    a[threadIdx.x] = threadIdx.x;
}
__global__ void consume(const float *a, float *b)
{
    b[threadIdx.x] = a[threadIdx.x] + 1;
}
"""


def grid_cases(functions: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise grid."""
    for n, size in ((1, 256), (256, 256), (257, 256), (1000, 32)):
        result = functions("blocks")(n, size)
        if not isinstance(result, int):
            raise TypeError(
                f"blocks({n}, {size}) returns {result!r}: an int is right"
            )
        right = [-(-n // size)]
        yield f"blocks({n}, {size})", np.array([result]), np.array(right)


def types_cases(functions: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise types."""
    kernel = SourceModule(_SOURCE).get_function("scale")
    for n in (3, 100):
        x = [0.5 * i for i in range(n)]
        result = functions("scale")(kernel, x, 3.0)
        yield f"{n} numbers", np.asarray(result), 3 * np.array(x)


def streams_cases(functions: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise streams."""
    module = SourceModule(_SOURCE)
    a, b = gpuarray.zeros((2, 64), np.float32)
    kernels = module.get_function("produce"), module.get_function("consume")
    result = functions("run")(*kernels, a, b)
    yield (
        "b, which has old numbers if consume does not wait for produce",
        np.asarray(result),
        np.arange(1, 65, dtype=np.float32),
    )


def free_cases(functions: Kernels) -> Iterator[Case]:
    """Yield the cases of the exercise free."""
    kernel = SourceModule(_SOURCE).get_function("square")
    for n in (10, 1000):
        x = numbers(n)
        result = functions("square")(kernel, x.copy())
        yield f"{n} numbers", np.asarray(result), x * x
