"""Wrong lines; type checkers must report each that ends in `# wrong`."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np

import pycuda
import pycuda.autoinit
import pycuda.curandom as curandom
import pycuda.driver as drv
import pycuda.gpuarray as ga
from pycuda import cumath
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray
from pycuda.reduction import ReductionKernel
from pycuda.tools import DeviceData, OccupancyRecord, make_default_context


def arrays(a: GPUArray, b: GPUArray) -> None:
    """Wrong uses of arrays."""
    a.shpae  # wrong
    a.sums()  # wrong
    a + "1"  # wrong
    a - [1, 2]  # wrong
    a * None  # wrong
    a @ 2.0  # wrong
    a += "x"  # wrong
    a < "x"  # wrong
    a[1.5]  # wrong
    a[0] = "text"  # wrong
    a.shape = (3,)  # wrong
    a.dtype = np.float32  # wrong
    a.get(5)  # wrong
    a.get(asynch=True)  # wrong
    a.set("host")  # wrong
    a.fill("zero")  # wrong
    a.astype(5)  # wrong
    a.reshape("3")  # wrong
    a.view(dtype=3.5)  # wrong
    a.transpose(1)  # wrong
    a.copy(order=1)  # wrong
    a.sum(stream=3)  # wrong
    a.max(axes=0)  # wrong
    a.clip(lo=1)  # wrong
    a.mul_add(1, 2.0, 3)  # wrong
    a.take()  # wrong
    n: int = a.sum()  # wrong
    t: np.ndarray = a + b  # wrong
    s: str = a.shape  # wrong
    print(n, t, s)


def functions(a: GPUArray, host: np.ndarray) -> None:
    """Wrong calls of functions of arrays."""
    GPUArray()  # wrong
    GPUArray(3)  # wrong
    GPUArray("3", np.float32)  # wrong
    ga.vec.float5  # wrong
    ga.vec.make_float3(1, 2)  # wrong
    ga.vec.make_int2(1, z=2)  # wrong
    ga.zeros(3.5, np.float32)  # wrong
    ga.zeros(3, dtype=7)  # wrong
    ga.to_gpu("abc")  # wrong
    ga.to_gpu([1, 2])  # wrong
    ga.to_gpu(host, stream=3)  # wrong
    ga.sin(host)  # wrong
    ga.sin(a, a, a)  # wrong
    ga.add(a)  # wrong
    ga.add(a, "x")  # wrong
    ga.sun(a)  # wrong
    ga.where(a, "x", a)  # wrong
    ga.where(a, a, a).shpae  # wrong
    ga.where(a, a)  # wrong
    ga.dot(a)  # wrong
    ga.concatenate(a, a)  # wrong
    ga.empty_like(3)  # wrong
    lengths: list[int] = ga.zeros(3, np.float32)  # wrong
    cumath.sin(host)  # wrong
    cumath.cosine(a)  # wrong
    curandom.rand("3")  # wrong
    curandom.rand((3,), dtype=5)  # wrong
    curandom.rand((3,)).mean_()  # wrong
    curandom.XORWOWRandomNumberGenerator().fill_uniform(3)  # wrong
    print(lengths)


def driver(a: GPUArray, host: np.ndarray, stream: drv.Stream) -> None:
    """Wrong uses of the driver API."""
    drv.mem_aloc(4)  # wrong
    drv.mem_alloc("4")  # wrong
    drv.mem_alloc(1.5)  # wrong
    drv.memcpy_htod(host, 3)  # wrong
    drv.memcpy_htod(host)  # wrong
    drv.memcpy_dtoh(3, a.gpudata)  # wrong
    drv.memcpy_dtoh(host, 1.5)  # wrong
    drv.memset_d32(a.gpudata, "0", 4)  # wrong
    drv.Device("0").naem()  # wrong
    drv.Device(1.5)  # wrong
    drv.Device(0).get_attribute("WARP_SIZE")  # wrong
    drv.Device(0).warp_sizes  # wrong
    drv.device_attribute.WARP_SIZES  # wrong
    drv.Stream("x")  # wrong
    stream.synchronise()  # wrong
    stream.wait_for_event(stream)  # wrong
    drv.Event().record(3)  # wrong
    drv.Event().time_since(3)  # wrong
    drv.Context.pop(3)  # wrong
    drv.Context()("x")  # wrong
    drv.pagelocked_empty(4)  # wrong
    drv.register_host_memory("x")  # wrong
    drv.aligned_empty(4, np.int8).base.unregister()  # wrong
    drv.pagelocked_zeros("4", np.float32)  # wrong
    drv.In(5.5)  # wrong
    drv.init("x")  # wrong
    drv.module_from_buffer("text")  # wrong
    drv.memcpy_htod_async(a.gpudata, host, 3)  # wrong
    drv.Context.synchronise()  # wrong
    drv.np_to_array(host, "C").width  # wrong
    free: int = drv.mem_get_info()  # wrong
    share: str = OccupancyRecord(DeviceData(), 128).occupancy  # wrong
    pycuda.autoinit.contxt  # wrong
    pycuda.drive  # wrong
    make_default_context(3)  # wrong
    print(free, share)


def kernels(a: GPUArray, stream: drv.Stream) -> None:
    """Wrong uses of kernels."""
    module = SourceModule()  # wrong
    module = SourceModule("", option=["-G"])  # wrong
    module = SourceModule("", options=["-G"], keep=True)
    module.get_funtion("k")  # wrong
    kernel = module.get_function(3)  # wrong
    kernel = module.get_function("k")
    kernel(a, grid="1", block=(1, 1, 1))  # wrong
    kernel(a, block=(1.5, 1, 1))  # wrong
    kernel(a, blocks=(1, 1, 1))  # wrong
    kernel(a, block=(1, 1, 1), stream=0.5)  # wrong
    kernel(a, block=(1, 1, 1), shared="16")  # wrong
    kernel.prepare()  # wrong
    kernel.prepare(3)  # wrong
    kernel.set_cache_config("L1")  # wrong
    module.get_texref(3)  # wrong
    kernel.prepared_call((1, 1))  # wrong
    kernel.num_reg  # wrong
    address: str = module.get_global("x")  # wrong
    ElementwiseKernel()  # wrong
    ElementwiseKernel("float *x", 3)  # wrong
    ReductionKernel(np.float32)  # wrong
    print(address)
