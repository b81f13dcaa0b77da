"""One wrong call of each name of pycuda.driver, for test_wrong_calls.py.

A row has the exception's name, a part of its message, and the call, which
receives a `Kit`. For errors that the driver reports, the row holds if a GPU
and the CPU device agree; if they differ, a wrong type is passed instead.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

SOURCE = """
texture<float, 2> picture;
surface<void, 2> canvas;
__global__ void one(int *x) { *x = 1; }
__global__ void both(float *x)
{
    *x = tex2D(picture, 0, 0);
    surf2Dwrite(*x, canvas, 0, 0);
}
"""

Row = tuple[str, str, Callable[[Any], Any]]

INTEGER = "cannot be interpreted as an integer"
NEGATIVE = "can't convert negative"
NOT_A_STREAM = "expected a Stream or an object with __cuda_stream__, got int"
STREAM = (
    "stream must be a pycuda.driver.Stream, an object with __cuda_stream__, "
    "or None, not int"
)
ARRAY = "expected an Array, got"
ADDRESS = "expected a device address"
CONTEXT = "expected a Context, got int"
DETACHED = "this context was detached"
OF_DETACHED = "the object's context was detached"
FREED = "this array was freed"


def make_array(drv: Any) -> Any:
    """Return a CUDA array of 4 x 4 floats."""
    descriptor = drv.ArrayDescriptor()
    descriptor.width = descriptor.height = 4
    descriptor.format = drv.array_format.FLOAT
    descriptor.num_channels = 1
    return drv.Array(descriptor)


def freed(thing: Any) -> Any:
    """Free the object and return it."""
    thing.free()
    return thing


class Kit(SimpleNamespace):
    """Objects that the calls use; created once."""

    def __init__(self, drv: Any) -> None:
        from pycuda.compiler import SourceModule

        self.drv = drv
        self.memory = drv.mem_alloc(64)
        self.pool = drv.DeviceMemoryPool()
        self.host_pool = drv.PageLockedMemoryPool()
        self.managed = drv.managed_empty(4, np.int32).base
        self.module = SourceModule(SOURCE)
        self.function = self.module.get_function("one")
        gone = drv.Device(0).make_context()
        self.stream, self.event = drv.Stream(), drv.Event()
        gone.detach()
        self.gone = gone

    @property
    def texref(self) -> Any:
        return self.drv.TextureReference()

    @property
    def surfref(self) -> Any:
        return self.module.get_surfref("canvas")


def holed() -> np.ndarray:
    """Return an array that is neither in C nor in F order."""
    return np.zeros((4, 4))[::2, ::2]


# fmt: off
FUNCTIONS: dict[str, Row] = {
    "aligned_empty": ("LogicError", "must be a power of two",
        lambda k: k.drv.aligned_empty(4, "u1", alignment=3)),
    "aligned_empty_like": ("ValueError", "could not detect array order",
        lambda k: k.drv.aligned_empty_like(holed())),
    "aligned_zeros": ("LogicError", "must be a power of two",
        lambda k: k.drv.aligned_zeros(4, "u1", alignment=6)),
    "aligned_zeros_like": ("ValueError", "could not detect array order",
        lambda k: k.drv.aligned_zeros_like(holed())),
    "bind_array_to_texref": ("TypeError", ARRAY,
        lambda k: k.drv.bind_array_to_texref(k.memory, k.texref)),
    "bitlog2": ("OverflowError", NEGATIVE, lambda k: k.drv.bitlog2(-1)),
    "dtype_to_array_format": ("TypeError", "cannot convert dtype 'complex128",
        lambda k: k.drv.dtype_to_array_format(np.dtype(complex))),
    "from_device": ("LogicError", "cuMemcpyDtoH failed: invalid argument",
        lambda k: k.drv.from_device(0, 4, "u1")),
    "from_device_like": ("TypeError", ADDRESS,
        lambda k: k.drv.from_device_like(1.5, np.zeros(3))),
    "gpuarray_to_array": ("TypeError", "expected a GPUArray, not ndarray",
        lambda k: k.drv.gpuarray_to_array(np.zeros((2, 2)), "C")),
    "init": ("LogicError", "cuInit failed: invalid argument",
        lambda k: k.drv.init(flags=1)),
    "initialize_profiler": ("TypeError", "argument 2 must be str, not int",
        lambda k: k.drv.initialize_profiler("a", 1, 2)),
    "make_multichannel_2d_array": ("LogicError", "order must be either F or C",
        lambda k: k.drv.make_multichannel_2d_array(
            np.zeros((2, 2, 2), "f4"), "K")),
    "managed_empty": ("LogicError", "cuMemAllocManaged failed",
        lambda k: k.drv.managed_empty(4, "u1", mem_flags=99)),
    "managed_empty_like": ("LogicError", "cuMemAllocManaged failed",
        lambda k: k.drv.managed_empty_like(np.zeros(3), mem_flags=99)),
    "managed_zeros": ("LogicError", "cuMemAllocManaged failed",
        lambda k: k.drv.managed_zeros(4, "u1", mem_flags=99)),
    "managed_zeros_like": ("LogicError", "cuMemAllocManaged failed",
        lambda k: k.drv.managed_zeros_like(np.zeros(3), mem_flags=99)),
    "matrix_to_array": ("TypeError", "cannot convert dtype 'float64'",
        lambda k: k.drv.matrix_to_array(np.zeros((3, 3)), "C")),
    "matrix_to_texref": ("LogicError", "order must be either F or C",
        lambda k: k.drv.matrix_to_texref(
            np.zeros((3, 3), "f4"), k.texref, "K")),
    "mem_alloc": ("LogicError", "cuMemAlloc failed: invalid argument",
        lambda k: k.drv.mem_alloc(0)),
    "mem_alloc_like": ("LogicError", "cuMemAlloc failed: invalid argument",
        lambda k: k.drv.mem_alloc_like(np.zeros(0))),
    "mem_alloc_pitch": ("LogicError", "cuMemAllocPitch failed",
        lambda k: k.drv.mem_alloc_pitch(100, 3, 5)),
    "mem_get_address_range": ("LogicError", "cuMemGetAddressRange failed",
        lambda k: k.drv.mem_get_address_range(8)),
    "mem_get_ipc_handle": ("LogicError", "cuIpcGetMemHandle failed",
        lambda k: k.drv.mem_get_ipc_handle(8)),
    "memcpy_atoa": ("TypeError", ARRAY,
        lambda k: k.drv.memcpy_atoa(k.memory, 0, k.memory, 0, 4)),
    "memcpy_atod": ("TypeError", ARRAY,
        lambda k: k.drv.memcpy_atod(k.memory, k.memory, 0, 4)),
    "memcpy_dtoa": ("TypeError", ARRAY,
        lambda k: k.drv.memcpy_dtoa(k.memory, 0, k.memory, 4)),
    "memcpy_dtod": ("OverflowError", NEGATIVE,
        lambda k: k.drv.memcpy_dtod(k.memory, k.memory, -1)),
    "memcpy_dtod_async": ("TypeError", STREAM,
        lambda k: k.drv.memcpy_dtod_async(k.memory, k.memory, 4, stream=7)),
    "memcpy_dtoh": ("BufferError", "not writable",
        lambda k: k.drv.memcpy_dtoh(b"1234", k.memory)),
    "memcpy_dtoh_async": ("BufferError", "not writable",
        lambda k: k.drv.memcpy_dtoh_async(b"1234", k.memory)),
    "memcpy_htod": ("TypeError", "bytes-like object is required, not 'str'",
        lambda k: k.drv.memcpy_htod(k.memory, "text")),
    "memcpy_htod_async": ("TypeError", STREAM,
        lambda k: k.drv.memcpy_htod_async(k.memory, b"1234", stream=7)),
    "memcpy_peer": ("TypeError", CONTEXT,
        lambda k: k.drv.memcpy_peer(k.memory, k.memory, 4, dest_context=1)),
    "memcpy_peer_async": ("TypeError", CONTEXT,
        lambda k: k.drv.memcpy_peer_async(
            k.memory, k.memory, 4, src_context=1)),
    "module_from_buffer": ("TypeError", "needs bytes, not str",
        lambda k: k.drv.module_from_buffer("text")),
    "module_from_file": ("RuntimeError", "file not found - /nonexistent",
        lambda k: k.drv.module_from_file("/nonexistent")),
    "np_to_array": ("LogicError", "two or three dimensions",
        lambda k: k.drv.np_to_array(np.zeros((2, 2, 2, 2), "f4"), "C")),
    "pagelocked_empty": ("LogicError", "cuMemHostAlloc failed",
        lambda k: k.drv.pagelocked_empty(4, "u1", mem_flags=1 << 20)),
    "pagelocked_empty_like": ("LogicError", "cuMemHostAlloc failed",
        lambda k: k.drv.pagelocked_empty_like(
            np.zeros(3), mem_flags=1 << 20)),
    "pagelocked_zeros": ("LogicError", "cuMemHostAlloc failed",
        lambda k: k.drv.pagelocked_zeros(4, "u1", mem_flags=1 << 20)),
    "pagelocked_zeros_like": ("ValueError", "could not detect array order",
        lambda k: k.drv.pagelocked_zeros_like(holed())),
    "py_memcpy_atoh": ("TypeError", ARRAY,
        lambda k: k.drv.py_memcpy_atoh(bytearray(4), k.memory, 0)),
    "py_memcpy_htoa": ("TypeError", ARRAY,
        lambda k: k.drv.py_memcpy_htoa(k.memory, 0, b"1234")),
    "register_host_memory": ("LogicError", "ary is not contiguous",
        lambda k: k.drv.register_host_memory(np.zeros(8)[::2])),
    "to_device": ("TypeError", "bytes-like object is required, not 'int'",
        lambda k: k.drv.to_device(5)),
}
for bits in (8, 16, 32):
    FUNCTIONS |= {
        f"memset_d{bits}": ("OverflowError", f"does not fit in {bits} bits",
            lambda k, n=bits: getattr(k.drv, f"memset_d{n}")(
                k.memory, 1 << n, 1)),
        f"memset_d{bits}_async": ("TypeError", STREAM,
            lambda k, n=bits: getattr(k.drv, f"memset_d{n}_async")(
                k.memory, 1, 1, stream=7)),
        f"memset_d2d{bits}": ("LogicError", f"cuMemsetD2D{bits} failed",
            lambda k, n=bits: getattr(k.drv, f"memset_d2d{n}")(
                k.memory, 1, 7, 9, 4)),
        f"memset_d2d{bits}_async": ("TypeError", STREAM,
            lambda k, n=bits: getattr(k.drv, f"memset_d2d{n}_async")(
                k.memory, 64, 7, 9, 1, stream=7)),
    }

METHODS: dict[str, Row] = {
    "AlignedHostAllocation.free": (
        "LogicError", "aligned_host_allocation::free failed",
        lambda k: freed(k.drv.aligned_zeros(4, "u1").base).free()),
    "Array.__init__": ("TypeError", "expected an ArrayDescriptor, got int",
        lambda k: k.drv.Array(5)),
    "Array.get_descriptor": ("LogicError", FREED,
        lambda k: freed(make_array(k.drv)).get_descriptor()),
    "Array.get_descriptor_3d": ("LogicError", FREED,
        lambda k: freed(make_array(k.drv)).get_descriptor_3d()),
    "Context.attach": ("TypeError", INTEGER,
        lambda k: k.drv.Context.attach("flags")),
    "Context.detach": ("LogicError", "cannot detach from invalid context",
        lambda k: k.gone.detach()),
    "Context.disable_peer_access": ("TypeError", CONTEXT,
        lambda k: k.drv.Context.disable_peer_access(5)),
    "Context.enable_peer_access": ("LogicError", "cuCtxEnablePeerAccess fail",
        lambda k: k.drv.Context.enable_peer_access(
            k.drv.Context.get_current())),
    "Context.get_api_version": ("LogicError", DETACHED,
        lambda k: k.gone.get_api_version()),
    "Context.get_limit": ("Error", "cuCtxGetLimit failed",
        lambda k: k.drv.Context.get_limit(999)),
    "Context.push": ("LogicError", DETACHED, lambda k: k.gone.push()),
    "Context.set_cache_config": ("TypeError", INTEGER,
        lambda k: k.drv.Context.set_cache_config("x")),
    "Context.set_limit": ("Error", "cuCtxSetLimit failed",
        lambda k: k.drv.Context.set_limit(999, 1)),
    "Context.set_shared_config": ("TypeError", INTEGER,
        lambda k: k.drv.Context.set_shared_config("x")),
    "Device.__init__": ("LogicError", "cuDeviceGet failed: invalid device ord",
        lambda k: k.drv.Device(1000)),
    "Device.can_access_peer": ("TypeError", "expected a Device, got int",
        lambda k: k.drv.Device(0).can_access_peer(5)),
    "Device.get_attribute": ("LogicError", "cuDeviceGetAttribute failed",
        lambda k: k.drv.Device(0).get_attribute(99999)),
    "Device.make_context": ("TypeError", INTEGER,
        lambda k: k.drv.Device(0).make_context("x")),
    "DeviceAllocation.as_buffer": ("TypeError", INTEGER,
        lambda k: k.memory.as_buffer(1.5)),
    "DeviceAllocation.free": ("LogicError", "device_allocation::free failed",
        lambda k: freed(k.drv.mem_alloc(4)).free()),
    "DeviceMemoryPool.alloc_size": ("OverflowError", NEGATIVE,
        lambda k: k.pool.alloc_size(-1)),
    "DeviceMemoryPool.allocate": ("TypeError", INTEGER,
        lambda k: k.pool.allocate("4")),
    "DeviceMemoryPool.bin_number": ("OverflowError", NEGATIVE,
        lambda k: k.pool.bin_number(-1)),
    "Event.__init__": ("LogicError", "cuEventCreate failed: invalid argument",
        lambda k: k.drv.Event(99)),
    "Event.from_ipc_handle": ("LogicError", "event handle has 64 bytes",
        lambda k: k.drv.Event.from_ipc_handle(b"1234")),
    "Event.ipc_handle": ("LogicError", "cuIpcGetEventHandle failed",
        lambda k: k.drv.Event().ipc_handle()),
    "Event.query": ("LogicError", OF_DETACHED, lambda k: k.event.query()),
    "Event.record": ("TypeError", STREAM, lambda k: k.drv.Event().record(5)),
    "Event.synchronize": ("LogicError", OF_DETACHED,
        lambda k: k.event.synchronize()),
    "Event.time_since": ("LogicError", "cuEventElapsedTime failed",
        lambda k: k.drv.Event().time_since(k.drv.Event())),
    "Event.time_till": ("TypeError", "expected an Event, got int",
        lambda k: k.drv.Event().time_till(5)),
    "Function._launch": ("LogicError", "cuLaunchKernel failed: invalid arg",
        lambda k: (k.function._set_block_shape(0, 1, 1),
                   k.function._launch())),
    "Function._launch_grid": ("TypeError", "must be integers, not str",
        lambda k: k.function._launch_grid("1", 1)),
    "Function._launch_grid_async": ("TypeError", STREAM,
        lambda k: k.function._launch_grid_async(1, 1, 5)),
    "Function._launch_kernel": ("TypeError", STREAM,
        lambda k: k.function._launch_kernel(
            (1, 1), (1, 1, 1), np.int64(k.memory).tobytes(), 0, 5)),
    "Function._param_set_size": ("OverflowError", NEGATIVE,
        lambda k: k.function._param_set_size(-1)),
    "Function._param_setf": ("TypeError", "a float of 4 bytes, but a str",
        lambda k: k.function._param_setf(0, "x")),
    "Function._param_seti": ("LogicError", "have at most 4096 bytes",
        lambda k: k.function._param_seti(100000, 1)),
    "Function._param_setv": ("TypeError", "bytes-like object is required",
        lambda k: k.function._param_setv(0, 5)),
    "Function._set_block_shape": ("TypeError", "must be integers, not str",
        lambda k: k.function._set_block_shape("1", 1, 1)),
    "Function._set_shared_size": ("OverflowError", NEGATIVE,
        lambda k: k.function._set_shared_size(-1)),
    "Function.get_attribute": ("LogicError", "cuFuncGetAttribute failed",
        lambda k: k.function.get_attribute(9999)),
    "Function.param_set_texref": (
        "TypeError", "expected a TextureReference, got int",
        lambda k: k.function.param_set_texref(5)),
    "Function.set_attribute": ("LogicError", "cuFuncSetAttribute failed",
        lambda k: k.function.set_attribute(9999, 1)),
    "Function.set_cache_config": ("TypeError", INTEGER,
        lambda k: k.function.set_cache_config("x")),
    "HostPointer.get_device_pointer": (
        "LogicError", "cuMemHostGetDevicePointer failed",
        lambda k: freed(
            k.drv.pagelocked_zeros(4, "u1").base).get_device_pointer()),
    "IPCMemoryHandle.__init__": (
        "LogicError", "IPCMemoryHandle failed: .* handle has 64 bytes",
        lambda k: k.drv.IPCMemoryHandle(b"1234")),
    "Linker.add_data": ("Error", "cuLinkAddData failed",
        lambda k: k.drv.Linker().add_data(
            b"no image", k.drv.jit_input_type.CUBIN)),
    "Linker.add_file": ("Error", "cuLinkAddFile failed",
        lambda k: k.drv.Linker().add_file(
            "/nonexistent", k.drv.jit_input_type.CUBIN)),
    "ManagedAllocation.attach": ("LogicError", "cuStreamAttachMemAsync fail",
        lambda k: k.managed.attach(99)),
    "Memcpy2D.__call__": ("LogicError", "cuMemcpy2D",
        lambda k: too_narrow(k)(aligned=True)),
    "Memcpy3D.__call__": ("TypeError", NOT_A_STREAM,
        lambda k: k.drv.Memcpy3D()(5)),
    "Memcpy3DPeer.__call__": ("TypeError", NOT_A_STREAM,
        lambda k: k.drv.Memcpy3DPeer()(5)),
    "Memcpy3DPeer.set_dst_context": ("TypeError", CONTEXT,
        lambda k: k.drv.Memcpy3DPeer().set_dst_context(5)),
    "Memcpy3DPeer.set_src_context": ("TypeError", CONTEXT,
        lambda k: k.drv.Memcpy3DPeer().set_src_context(5)),
    "PageLockedAllocator.__init__": ("TypeError", INTEGER,
        lambda k: k.drv.PageLockedAllocator("x")),
    "PageLockedMemoryPool.__init__": ("TypeError", "PageLockedAllocator, not",
        lambda k: k.drv.PageLockedMemoryPool("x")),
    "PageLockedMemoryPool.alloc_size": ("ValueError", "bin 5000 is beyond",
        lambda k: k.host_pool.alloc_size(5000)),
    "PageLockedMemoryPool.allocate": ("TypeError", "data type 'nonsense' not",
        lambda k: k.host_pool.allocate(3, "nonsense")),
    "PageLockedMemoryPool.bin_number": ("TypeError", INTEGER,
        lambda k: k.host_pool.bin_number("x")),
    "PagelockedHostAllocation.free": (
        "LogicError", "pagelocked_host_allocation::free failed",
        lambda k: freed(k.drv.pagelocked_zeros(4, "u1").base).free()),
    "PagelockedHostAllocation.get_flags": (
        "LogicError", "cuMemHostGetFlags failed",
        lambda k: freed(k.drv.pagelocked_zeros(4, "u1").base).get_flags()),
    "PooledDeviceAllocation.free": (
        "LogicError", "pooled_device_allocation::free failed",
        lambda k: freed(k.pool.allocate(4)).free()),
    "PooledHostAllocation.free": (
        "LogicError", "pooled_host_allocation::free failed",
        lambda k: freed(k.host_pool.allocate(4, "u1").base).free()),
    "PointerHolderBase.as_buffer": ("TypeError", "must define get_pointer",
        lambda k: k.drv.PointerHolderBase().as_buffer(4)),
    "RegisteredHostMemory.unregister": (
        "LogicError", "registered_host_memory::free failed",
        lambda k: unregistered(k).unregister()),
    "Stream.__init__": ("LogicError", "cuStreamCreate failed: invalid arg",
        lambda k: k.drv.Stream(99)),
    "Stream.is_done": ("LogicError", OF_DETACHED,
        lambda k: k.stream.is_done()),
    "Stream.synchronize": ("LogicError", OF_DETACHED,
        lambda k: k.stream.synchronize()),
    "Stream.wait_for_event": ("TypeError", "expected an Event, got int",
        lambda k: k.drv.Stream().wait_for_event(5)),
    "SurfaceReference.get_array": ("LogicError", "no array is bound",
        lambda k: k.surfref.get_array()),
    "SurfaceReference.set_array": ("TypeError", INTEGER,
        lambda k: k.surfref.set_array(make_array(k.drv), flags="x")),
    "TextureReference.get_address": ("LogicError", "no address is bound",
        lambda k: k.texref.get_address()),
    "TextureReference.get_address_mode": (
        "LogicError", "cuTexRefGetAddressMode failed",
        lambda k: k.texref.get_address_mode(5)),
    "TextureReference.get_array": ("LogicError", "no array is bound",
        lambda k: k.texref.get_array()),
    "TextureReference.set_address": ("OverflowError", NEGATIVE,
        lambda k: k.texref.set_address(k.memory, -4)),
    "TextureReference.set_address_2d": (
        "TypeError", "expected an ArrayDescriptor, got int",
        lambda k: k.texref.set_address_2d(k.memory, 5, 32)),
    "TextureReference.set_address_mode": ("LogicError", "am an address_mode",
        lambda k: k.texref.set_address_mode(0, 99)),
    "TextureReference.set_array": ("TypeError", ARRAY,
        lambda k: k.texref.set_array(5)),
    "TextureReference.set_filter_mode": (
        "LogicError", "expected a filter_mode",
        lambda k: k.texref.set_filter_mode(5)),
    "TextureReference.set_flags": ("TypeError", INTEGER,
        lambda k: k.texref.set_flags("x")),
    "TextureReference.set_format": ("LogicError", "must be an array_format",
        lambda k: k.texref.set_format(77, 1)),
}
# fmt: on

for name in ("int", "index"):
    METHODS[f"PointerHolderBase.__{name}__"] = (
        "TypeError",
        "must define get_pointer",
        lambda k: int(k.drv.PointerHolderBase()),
    )
METHODS["PointerHolderBase.get_pointer"] = (
    "TypeError",
    "must define get_pointer",
    lambda k: k.drv.PointerHolderBase().get_pointer(),
)
for part in ("function", "global", "surfref", "texref"):
    METHODS[f"Module.get_{part}"] = (
        "LogicError",
        "named symbol not found - nowhere",
        lambda k, part=part: getattr(k.module, f"get_{part}")("nowhere"),
    )
for kind in ("Memcpy2D", "Memcpy3D", "Memcpy3DPeer"):
    for end in ("src", "dst"):
        for place, text in (
            ("array", ARRAY),
            ("device", ADDRESS),
            ("host", "bytes-like object is required"),
            ("unified", "bytes-like object is required"),
        ):
            METHODS[f"{kind}.set_{end}_{place}"] = (
                "TypeError",
                text,
                lambda k, kind=kind, name=f"set_{end}_{place}": getattr(
                    getattr(k.drv, kind)(), name
                )("text"),
            )


def too_narrow(k: Any) -> Any:
    """Return a copy with rows longer than the pitch."""
    copy = k.drv.Memcpy2D()
    copy.set_src_host(np.zeros(32, np.uint8))
    copy.set_dst_device(k.memory)
    copy.width_in_bytes, copy.height = 16, 2
    copy.src_pitch, copy.dst_pitch = 8, 16
    return copy


def unregistered(k: Any) -> Any:
    base = k.drv.register_host_memory(np.zeros(4096, np.uint8)).base
    base.unregister()
    return base


# Calls without possible errors: no arguments, or any value is valid.
_CANNOT_FAIL = """
    get_curand_version get_driver_version get_version have_gl_ext mem_get_info
    set_debugging start_profiler stop_profiler
    Array.free
    ArrayDescriptor.__init__ ArrayDescriptor3D.__init__
    Context.__eq__ Context.__hash__ Context.__ne__ Context.get_cache_config
    Context.get_current Context.get_device Context.get_shared_config
    Context.pop Context.synchronize
    Device.__eq__ Device.__hash__ Device.__ne__ Device.compute_capability
    Device.count Device.name Device.pci_bus_id Device.retain_primary_context
    Device.total_memory
    DeviceAllocation.__index__ DeviceAllocation.__int__
    DeviceMemoryPool.__init__ DeviceMemoryPool.free_held
    DeviceMemoryPool.stop_holding
    IPCMemoryHandle.__index__ IPCMemoryHandle.__int__ IPCMemoryHandle.close
    Linker.__init__ Linker.link_module
    ManagedAllocation.get_device_pointer
    Memcpy2D.__init__ Memcpy3D.__init__ Memcpy3DPeer.__init__
    PageLockedMemoryPool.free_held PageLockedMemoryPool.stop_holding
    PointerHolderBase.__init__
    PooledDeviceAllocation.__index__ PooledDeviceAllocation.__int__
    PooledDeviceAllocation.__len__ PooledHostAllocation.__len__
    TextureReference.__init__ TextureReference.get_filter_mode
    TextureReference.get_flags TextureReference.get_format
"""
CANNOT_FAIL = set(_CANNOT_FAIL.split())
