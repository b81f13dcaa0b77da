"""A typical program, which type checkers accept in their strict modes."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import pycuda.autoinit
import pycuda.curandom as curandom
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda import cumath
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import DeviceMemoryPool, context_dependent_memoize

Floats = npt.NDArray[np.float32]

SOURCE = """
__constant__ float gain[2];
__global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] *= by * gain[0]; }
}
"""


@dataclass
class Setup:
    """What a run needs."""

    module: SourceModule
    stream: drv.Stream
    pool: DeviceMemoryPool
    grid: tuple[int, int]
    block: tuple[int, int, int] = (128, 1, 1)


@context_dependent_memoize
def square_sum() -> ReductionKernel:
    """Make a kernel once for each context."""
    return ReductionKernel(
        np.float32, "0", "a + b", "x[i] * x[i]", "const float *x"
    )


def make_setup(n: int) -> Setup:
    """Compile, and make a stream and a pool."""
    module = SourceModule(SOURCE, options=["-lineinfo"], no_extern_c=False)
    address, size = module.get_global("gain")
    drv.memcpy_htod(address, np.ones(size // 4, np.float32))
    return Setup(
        module, drv.Stream(), DeviceMemoryPool(), ((n + 127) // 128, 1)
    )


def timed(work: Callable[[], None], stream: drv.Stream) -> float:
    """Return milliseconds."""
    start, end = drv.Event(), drv.Event()
    start.record(stream)
    work()
    end.record(stream)
    end.synchronize()
    return end.time_since(start)


def run(setup: Setup, x: GPUArray) -> tuple[float, Floats]:
    """Scale in place, then compute on the array."""
    scale = setup.module.get_function("scale")
    scale.prepare("Pfi")
    scale.prepared_async_call(
        setup.grid, setup.block, setup.stream, x.gpudata, 2.0, x.size
    )
    scale(
        x, np.float32(0.5), np.int32(x.size), grid=setup.grid,
        block=setup.block, stream=setup.stream, shared=0,
    )  # fmt: skip
    add = ElementwiseKernel("float *z, float *x, float a", "z[i] = x[i] + a")
    z = gpuarray.empty_like(x)
    add(z, x, np.float32(1), stream=setup.stream)
    host: Floats = (cumath.sqrt(abs(z)) - 2 * x / 3).get()
    total = float(square_sum()(x).get())
    InclusiveScanKernel(np.float32, "a + b")(z)
    return total, host


def main() -> None:
    """Run everything and describe the device."""
    n = 1000
    setup = make_setup(n)
    x = gpuarray.to_gpu(np.arange(n, dtype=np.float32), setup.pool.allocate)
    noise = curandom.rand((n,), np.float32)
    generator = curandom.XORWOWRandomNumberGenerator()
    generator.fill_normal(noise)
    result: list[Any] = []

    def work() -> None:
        result.append(run(setup, x + noise))

    print(f"{timed(work, setup.stream):.3f} ms", result[0][0])
    host = drv.pagelocked_zeros(n, np.float32)
    memory = drv.mem_alloc(host.nbytes)
    drv.memcpy_htod_async(memory, host, setup.stream)
    drv.memcpy_dtoh(host, memory)
    memory.free()
    free, total = drv.mem_get_info()
    device = pycuda.autoinit.device
    print(device.name(), device.compute_capability(), free < total)
    print(device.get_attribute(drv.device_attribute.WARP_SIZE))
    pycuda.autoinit.context.synchronize()
    try:
        SourceModule("nonsense")
    except drv.CompileError as error:
        print(error.stderr or error.msg)


if __name__ == "__main__":
    main()
