"""Uses of the driver, kernels and tools that checkers accept, and that run."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import pycuda.autoinit
import pycuda.cumath
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pycuda.tools
from pycuda.compiler import SourceModule, compile
from pycuda.curandom import (
    MRG32k3aRandomNumberGenerator,
    XORWOWRandomNumberGenerator,
)
from pycuda.driver import (
    Context,
    Device,
    DeviceAllocation,
    Function,
    PooledDeviceAllocation,
)
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray, vec
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
from pycuda.tools import (
    DeviceData,
    OccupancyRecord,
    PageLockedMemoryPool,
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
    register_dtype,
)

Floats = npt.NDArray[np.float32]
SOURCE = "__global__ void one(float *a) { a[threadIdx.x] = 1; }"


def devices() -> None:
    """Devices, contexts and their attributes."""
    device: Device = cuda.Device(0)
    context: Context = device.make_context()
    context.push()
    Context.pop()
    context.pop()
    context.detach()
    print(device.compute_capability() >= (7, 0), device.pci_bus_id())
    print(device.total_memory() // 2**20, device.multiprocessor_count)
    for name, value in device.get_attributes().items():
        print(str(name), value)
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, 4096)
    print(cuda.get_version(), cuda.get_driver_version())
    data = DeviceData(device)
    print(OccupancyRecord(data, 128).occupancy * 100, data.warp_size + 1)


def launches(d: GPUArray, x: Floats) -> None:
    """Each form of launch."""
    module = SourceModule(
        SOURCE, arch="sm_70", options=["-O3"], include_dirs=[], nvcc="nvcc",
        keep=False, cache_dir=None,
    )  # fmt: skip
    kernel: Function = module.get_function("one")
    block = (4, 1, 1)
    kernel(d, block=block)
    kernel(d, block=block, grid=(1, 1, 1), stream=None, shared=16)
    kernel(cuda.InOut(x), block=block, grid=(1,))
    kernel(np.intp(d.gpudata), block=block, time_kernel=True)
    seconds: float | None = kernel(d, block=block, time_kernel=True)
    kernel.prepare("P")
    kernel.prepare([np.intp])
    kernel.prepared_call((1, 1), block, d.gpudata)
    stream = cuda.Stream()
    kernel.prepared_async_call((1, 1), block, stream, d.gpudata, shared_size=0)
    wait = kernel.prepared_timed_call((1, 1), block, d.gpudata)
    print(seconds, wait() * 1e3)
    kernel.set_cache_config(cuda.func_cache.PREFER_L1)
    print(kernel.num_regs + 1, kernel.shared_size_bytes)
    print(kernel.local_size_bytes, kernel.max_threads_per_block)
    image: bytes = compile("__global__ void nothing() {}")
    again = cuda.module_from_buffer(image).get_function("nothing")
    again(block=(1, 1, 1))


def memory(x: Floats) -> None:
    """Allocations, copies, pools, streams and events."""
    allocation: DeviceAllocation = cuda.mem_alloc(x.nbytes)
    cuda.memcpy_htod(allocation, x)
    cuda.memcpy_htod(int(allocation), x)
    out = np.empty_like(x)
    cuda.memcpy_dtoh(out, allocation)
    allocation.free()
    address, pitch = cuda.mem_alloc_pitch(64, 4, 4)
    print(int(address) + pitch)
    stream = cuda.Stream()
    event = cuda.Event(cuda.event_flags.DISABLE_TIMING)
    event.record(stream)
    stream.wait_for_event(event)
    print(stream.is_done(), event.query())
    sent = cuda.to_device(x)
    print(cuda.from_device(sent, x.shape, x.dtype).sum())
    print(cuda.from_device_like(sent, x).sum())
    flags = cuda.host_alloc_flags.DEVICEMAP
    pinned = cuda.pagelocked_empty((3, 4), np.float32, mem_flags=flags)
    print(pinned.base.get_device_pointer() + 1, pinned.shape[0] + 1)
    managed = cuda.managed_empty(
        (4,), np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL
    )
    managed[:] = 1
    pool = pycuda.tools.DeviceMemoryPool()
    pooled: PooledDeviceAllocation = pool.allocate(100)
    print(int(pooled), pool.held_blocks, pool.active_blocks)
    pool.free_held()
    pool.stop_holding()
    host = PageLockedMemoryPool().allocate((4,), np.float32)
    host[0] = 3
    copy = cuda.Memcpy2D()
    copy.set_src_host(x)
    copy.set_dst_device(cuda.mem_alloc(x.nbytes))
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = x.nbytes
    copy.height = 1
    copy(aligned=True)


def kernels(d: GPUArray) -> None:
    """Kernels from expressions, and random numbers."""
    multiply = ElementwiseKernel(
        [VectorArg(np.float32, "x"), ScalarArg(np.float32, "a")],
        "x[i] *= a", name="multiply", preamble="", options=[],
    )  # fmt: skip
    multiply(d, 3.0)
    multiply(d, np.float32(3), range=slice(0, 2, 1))
    dot = ReductionKernel(
        np.dtype(np.float32), neutral="0", reduce_expr="a+b",
        map_expr="x[i]*y[i]", arguments="float *x, float *y",
    )  # fmt: skip
    total: GPUArray = dot(d, d, stream=cuda.Stream())
    print(total.get().item())
    ExclusiveScanKernel(np.int32, "a+b", 0)(gpuarray.arange(8, dtype="i4"))
    InclusiveScanKernel(np.int32, "a>b?a:b")(gpuarray.arange(8, dtype="i4"))
    uniform: GPUArray = XORWOWRandomNumberGenerator().gen_uniform(
        (3, 4), np.float32
    )
    normal = MRG32k3aRandomNumberGenerator().gen_normal(10, np.float64)
    print(uniform.get() @ np.ones(4), normal.get().mean())
    print(pycuda.cumath.log10(d).get(), dtype_to_ctype(np.dtype(np.float32)))


def arrays(d: GPUArray, x: Floats) -> None:
    """Results of operations are arrays again."""
    y: GPUArray = (d * 2 + 1).astype(np.float64).reshape(-1)
    print(y.get().mean(), y.shape[0] * 4, y.nbytes // y.size)
    print(float(gpuarray.dot(d, d).get()) + float(gpuarray.max(d).get()))
    mask: GPUArray = (d > 0) & ~(d > 2)
    chosen: GPUArray = gpuarray.if_positive(d > 0, d, -d)
    print(chosen[mask], d[:2], d[::-1][0], d[..., None].shape)
    z = gpuarray.zeros(3, vec.float4)
    z.fill(vec.make_float4(1, 2, 3, 4))
    point = vec.make_float3(1, 2, 3)
    print(point["x"] + point["y"])
    several: list[GPUArray] = [gpuarray.zeros_like(d) for _ in range(3)]
    print(gpuarray.concatenate(several).shape)
    print(gpuarray.stack(several, axis=1).ndim)
    d.set(x[::1])
    d += gpuarray.ones_like(d)
    print(f"{sum(float(v) for v in d.get()):.3f}")
    register_dtype(np.dtype([("a", "f4")]), "struct of one field")
    try:
        cuda.mem_alloc(1 << 60)
    except cuda.MemoryError as error:
        print(error)
    except (cuda.LogicError, cuda.LaunchError, cuda.Error) as error:
        print(error.args)


def main() -> None:
    """Run all functions."""
    x: Floats = np.arange(4, dtype=np.float32)
    d = gpuarray.to_gpu(x)
    devices()
    launches(d, x)
    memory(x)
    kernels(d)
    arrays(d, x)
    pycuda.autoinit.context.synchronize()


if __name__ == "__main__":
    main()
