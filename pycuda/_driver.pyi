"""Types of the compiled half of pycuda.driver.

SPDX-License-Identifier: MIT
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np

from pycuda._enum import Enum

# What stands for a device address, a host buffer, a grid or block.
Pointer: TypeAlias = Any
Buffer: TypeAlias = Any
Dimensions: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Shape: TypeAlias = SupportsIndex | Iterable[SupportsIndex]

class Error(Exception): ...
class MemoryError(Error): ...
class LogicError(Error): ...
class LaunchError(Error): ...
class RuntimeError(Error): ...

class address_mode(Enum):
    WRAP: address_mode
    CLAMP: address_mode
    MIRROR: address_mode
    BORDER: address_mode

class array_cubemap_face(Enum):
    POSITIVE_X: array_cubemap_face
    NEGATIVE_X: array_cubemap_face
    POSITIVE_Y: array_cubemap_face
    NEGATIVE_Y: array_cubemap_face
    POSITIVE_Z: array_cubemap_face
    NEGATIVE_Z: array_cubemap_face

class array_format(Enum):
    UNSIGNED_INT8: array_format
    UNSIGNED_INT16: array_format
    UNSIGNED_INT32: array_format
    SIGNED_INT8: array_format
    SIGNED_INT16: array_format
    SIGNED_INT32: array_format
    HALF: array_format
    FLOAT: array_format

class compute_mode(Enum):
    DEFAULT: compute_mode
    PROHIBITED: compute_mode
    EXCLUSIVE_PROCESS: compute_mode

class ctx_flags(Enum):
    SCHED_AUTO: ctx_flags
    SCHED_SPIN: ctx_flags
    SCHED_YIELD: ctx_flags
    BLOCKING_SYNC: ctx_flags
    SCHED_BLOCKING_SYNC: ctx_flags
    SCHED_MASK: ctx_flags
    MAP_HOST: ctx_flags
    LMEM_RESIZE_TO_MAX: ctx_flags
    FLAGS_MASK: ctx_flags

class device_attribute(Enum):
    MAX_THREADS_PER_BLOCK: device_attribute
    MAX_BLOCK_DIM_X: device_attribute
    MAX_BLOCK_DIM_Y: device_attribute
    MAX_BLOCK_DIM_Z: device_attribute
    MAX_GRID_DIM_X: device_attribute
    MAX_GRID_DIM_Y: device_attribute
    MAX_GRID_DIM_Z: device_attribute
    MAX_SHARED_MEMORY_PER_BLOCK: device_attribute
    SHARED_MEMORY_PER_BLOCK: device_attribute
    TOTAL_CONSTANT_MEMORY: device_attribute
    WARP_SIZE: device_attribute
    MAX_PITCH: device_attribute
    MAX_REGISTERS_PER_BLOCK: device_attribute
    REGISTERS_PER_BLOCK: device_attribute
    CLOCK_RATE: device_attribute
    TEXTURE_ALIGNMENT: device_attribute
    GPU_OVERLAP: device_attribute
    MULTIPROCESSOR_COUNT: device_attribute
    KERNEL_EXEC_TIMEOUT: device_attribute
    INTEGRATED: device_attribute
    CAN_MAP_HOST_MEMORY: device_attribute
    COMPUTE_MODE: device_attribute
    MAXIMUM_TEXTURE1D_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_HEIGHT: device_attribute
    MAXIMUM_TEXTURE3D_WIDTH: device_attribute
    MAXIMUM_TEXTURE3D_HEIGHT: device_attribute
    MAXIMUM_TEXTURE3D_DEPTH: device_attribute
    MAXIMUM_TEXTURE2D_ARRAY_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_LAYERED_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_ARRAY_HEIGHT: device_attribute
    MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: device_attribute
    MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES: device_attribute
    MAXIMUM_TEXTURE2D_LAYERED_LAYERS: device_attribute
    SURFACE_ALIGNMENT: device_attribute
    CONCURRENT_KERNELS: device_attribute
    ECC_ENABLED: device_attribute
    PCI_BUS_ID: device_attribute
    PCI_DEVICE_ID: device_attribute
    TCC_DRIVER: device_attribute
    MEMORY_CLOCK_RATE: device_attribute
    GLOBAL_MEMORY_BUS_WIDTH: device_attribute
    L2_CACHE_SIZE: device_attribute
    MAX_THREADS_PER_MULTIPROCESSOR: device_attribute
    ASYNC_ENGINE_COUNT: device_attribute
    UNIFIED_ADDRESSING: device_attribute
    MAXIMUM_TEXTURE1D_LAYERED_WIDTH: device_attribute
    MAXIMUM_TEXTURE1D_LAYERED_LAYERS: device_attribute
    MAXIMUM_TEXTURE2D_GATHER_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_GATHER_HEIGHT: device_attribute
    MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: device_attribute
    MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: device_attribute
    MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: device_attribute
    PCI_DOMAIN_ID: device_attribute
    TEXTURE_PITCH_ALIGNMENT: device_attribute
    MAXIMUM_TEXTURECUBEMAP_WIDTH: device_attribute
    MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: device_attribute
    MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: device_attribute
    MAXIMUM_SURFACE1D_WIDTH: device_attribute
    MAXIMUM_SURFACE2D_WIDTH: device_attribute
    MAXIMUM_SURFACE2D_HEIGHT: device_attribute
    MAXIMUM_SURFACE3D_WIDTH: device_attribute
    MAXIMUM_SURFACE3D_HEIGHT: device_attribute
    MAXIMUM_SURFACE3D_DEPTH: device_attribute
    MAXIMUM_SURFACE1D_LAYERED_WIDTH: device_attribute
    MAXIMUM_SURFACE1D_LAYERED_LAYERS: device_attribute
    MAXIMUM_SURFACE2D_LAYERED_WIDTH: device_attribute
    MAXIMUM_SURFACE2D_LAYERED_HEIGHT: device_attribute
    MAXIMUM_SURFACE2D_LAYERED_LAYERS: device_attribute
    MAXIMUM_SURFACECUBEMAP_WIDTH: device_attribute
    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: device_attribute
    MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: device_attribute
    MAXIMUM_TEXTURE1D_LINEAR_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_LINEAR_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: device_attribute
    MAXIMUM_TEXTURE2D_LINEAR_PITCH: device_attribute
    MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: device_attribute
    MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: device_attribute
    COMPUTE_CAPABILITY_MAJOR: device_attribute
    COMPUTE_CAPABILITY_MINOR: device_attribute
    MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: device_attribute
    STREAM_PRIORITIES_SUPPORTED: device_attribute
    GLOBAL_L1_CACHE_SUPPORTED: device_attribute
    LOCAL_L1_CACHE_SUPPORTED: device_attribute
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: device_attribute
    MAX_REGISTERS_PER_MULTIPROCESSOR: device_attribute
    MANAGED_MEMORY: device_attribute
    MULTI_GPU_BOARD: device_attribute
    MULTI_GPU_BOARD_GROUP_ID: device_attribute
    HOST_NATIVE_ATOMIC_SUPPORTED: device_attribute
    SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: device_attribute
    PAGEABLE_MEMORY_ACCESS: device_attribute
    CONCURRENT_MANAGED_ACCESS: device_attribute
    COMPUTE_PREEMPTION_SUPPORTED: device_attribute
    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: device_attribute
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: device_attribute
    PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: device_attribute
    DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: device_attribute
    HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: device_attribute
    HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: device_attribute
    HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: device_attribute
    MAX_BLOCKS_PER_MULTIPROCESSOR: device_attribute
    GENERIC_COMPRESSION_SUPPORTED: device_attribute
    MAX_PERSISTING_L2_CACHE_SIZE: device_attribute
    RESERVED_SHARED_MEMORY_PER_BLOCK: device_attribute
    READ_ONLY_HOST_REGISTER_SUPPORTED: device_attribute
    MEMORY_POOLS_SUPPORTED: device_attribute
    COOPERATIVE_LAUNCH: device_attribute
    CAN_FLUSH_REMOTE_WRITES: device_attribute
    HOST_REGISTER_SUPPORTED: device_attribute
    VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: device_attribute
    MAX_ACCESS_POLICY_WINDOW_SIZE: device_attribute
    GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: device_attribute
    SPARSE_CUDA_ARRAY_SUPPORTED: device_attribute
    TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: device_attribute
    GPU_DIRECT_RDMA_SUPPORTED: device_attribute
    GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: device_attribute
    GPU_DIRECT_RDMA_WRITES_ORDERING: device_attribute
    MEMPOOL_SUPPORTED_HANDLE_TYPES: device_attribute
    CLUSTER_LAUNCH: device_attribute
    DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: device_attribute
    CAN_USE_64_BIT_STREAM_MEM_OPS: device_attribute
    CAN_USE_STREAM_WAIT_VALUE_NOR: device_attribute
    DMA_BUF_SUPPORTED: device_attribute
    IPC_EVENT_SUPPORTED: device_attribute
    MEM_SYNC_DOMAIN_COUNT: device_attribute
    TENSOR_MAP_ACCESS_SUPPORTED: device_attribute
    HANDLE_TYPE_FABRIC_SUPPORTED: device_attribute
    UNIFIED_FUNCTION_POINTERS: device_attribute
    NUMA_CONFIG: device_attribute
    NUMA_ID: device_attribute
    MULTICAST_SUPPORTED: device_attribute
    MPS_ENABLED: device_attribute
    HOST_NUMA_ID: device_attribute
    D3D12_CIG_SUPPORTED: device_attribute
    MEM_DECOMPRESS_ALGORITHM_MASK: device_attribute
    MEM_DECOMPRESS_MAXIMUM_LENGTH: device_attribute
    VULKAN_CIG_SUPPORTED: device_attribute
    GPU_PCI_DEVICE_ID: device_attribute
    GPU_PCI_SUBSYSTEM_ID: device_attribute
    HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: device_attribute
    HOST_NUMA_MEMORY_POOLS_SUPPORTED: device_attribute
    HOST_NUMA_MULTINODE_IPC_SUPPORTED: device_attribute
    HOST_MEMORY_POOLS_SUPPORTED: device_attribute
    HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: device_attribute
    HOST_ALLOC_DMA_BUF_SUPPORTED: device_attribute
    ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: device_attribute

class direction_vector_set(Enum):
    VECTOR_32: direction_vector_set
    SCRAMBLED_VECTOR_32: direction_vector_set
    VECTOR_64: direction_vector_set
    SCRAMBLED_VECTOR_64: direction_vector_set

class event_flags(Enum):
    DEFAULT: event_flags
    BLOCKING_SYNC: event_flags
    DISABLE_TIMING: event_flags
    INTERPROCESS: event_flags

class filter_mode(Enum):
    POINT: filter_mode
    LINEAR: filter_mode

class func_cache(Enum):
    PREFER_NONE: func_cache
    PREFER_SHARED: func_cache
    PREFER_L1: func_cache
    PREFER_EQUAL: func_cache

class function_attribute(Enum):
    MAX_THREADS_PER_BLOCK: function_attribute
    SHARED_SIZE_BYTES: function_attribute
    CONST_SIZE_BYTES: function_attribute
    LOCAL_SIZE_BYTES: function_attribute
    NUM_REGS: function_attribute
    PTX_VERSION: function_attribute
    BINARY_VERSION: function_attribute
    CACHE_MODE_CA: function_attribute
    MAX_DYNAMIC_SHARED_SIZE_BYTES: function_attribute
    PREFERRED_SHARED_MEMORY_CARVEOUT: function_attribute
    MAX: function_attribute

class graphics_register_flags(Enum):
    NONE: graphics_register_flags
    READ_ONLY: graphics_register_flags
    WRITE_DISCARD: graphics_register_flags
    SURFACE_LDST: graphics_register_flags
    TEXTURE_GATHER: graphics_register_flags

class ipc_mem_flags(Enum):
    LAZY_ENABLE_PEER_ACCESS: ipc_mem_flags

class jit_fallback(Enum):
    PREFER_PTX: jit_fallback
    PREFER_BINARY: jit_fallback

class jit_input_type(Enum):
    CUBIN: jit_input_type
    PTX: jit_input_type
    FATBINARY: jit_input_type
    OBJECT: jit_input_type
    LIBRARY: jit_input_type

class jit_option(Enum):
    MAX_REGISTERS: jit_option
    THREADS_PER_BLOCK: jit_option
    WALL_TIME: jit_option
    INFO_LOG_BUFFER: jit_option
    INFO_LOG_BUFFER_SIZE_BYTES: jit_option
    ERROR_LOG_BUFFER: jit_option
    ERROR_LOG_BUFFER_SIZE_BYTES: jit_option
    OPTIMIZATION_LEVEL: jit_option
    TARGET_FROM_CUCONTEXT: jit_option
    TARGET: jit_option
    FALLBACK_STRATEGY: jit_option

class jit_target(Enum):
    COMPUTE_30: jit_target
    COMPUTE_32: jit_target
    COMPUTE_35: jit_target
    COMPUTE_37: jit_target
    COMPUTE_50: jit_target
    COMPUTE_52: jit_target
    COMPUTE_53: jit_target
    COMPUTE_60: jit_target
    COMPUTE_61: jit_target
    COMPUTE_62: jit_target
    COMPUTE_70: jit_target
    COMPUTE_72: jit_target
    COMPUTE_75: jit_target
    COMPUTE_80: jit_target
    COMPUTE_86: jit_target
    COMPUTE_90: jit_target
    COMPUTE_90A: jit_target

class limit(Enum):
    STACK_SIZE: limit
    PRINTF_FIFO_SIZE: limit
    MALLOC_HEAP_SIZE: limit
    DEV_RUNTIME_SYNC_DEPTH: limit
    DEV_RUNTIME_PENDING_LAUNCH_COUNT: limit

class mem_attach_flags(Enum):
    GLOBAL: mem_attach_flags
    HOST: mem_attach_flags
    SINGLE: mem_attach_flags

class memory_type(Enum):
    HOST: memory_type
    DEVICE: memory_type
    ARRAY: memory_type
    UNIFIED: memory_type

class pointer_attribute(Enum):
    CONTEXT: pointer_attribute
    MEMORY_TYPE: pointer_attribute
    DEVICE_POINTER: pointer_attribute
    HOST_POINTER: pointer_attribute

class profiler_output_mode(Enum):
    KEY_VALUE_PAIR: profiler_output_mode
    CSV: profiler_output_mode

class shared_config(Enum):
    DEFAULT_BANK_SIZE: shared_config
    FOUR_BYTE_BANK_SIZE: shared_config
    EIGHT_BYTE_BANK_SIZE: shared_config

class array3d_flags:
    ARRAY3D_2DARRAY: int
    ARRAY3D_LAYERED: int
    LAYERED: int
    SURFACE_LDST: int
    CUBEMAP: int
    TEXTURE_GATHER: int

class host_alloc_flags:
    PORTABLE: int
    DEVICEMAP: int
    WRITECOMBINED: int

class mem_host_register_flags:
    PORTABLE: int
    DEVICEMAP: int

class Device:
    def __init__(
        self, ordinal_or_pci_bus_id: SupportsIndex | str, /
    ) -> None: ...
    @staticmethod
    def count() -> int: ...
    def name(self) -> str: ...
    def pci_bus_id(self) -> str: ...
    def compute_capability(self) -> tuple[int, int]: ...
    def total_memory(self) -> int: ...
    def get_attribute(self, attribute: device_attribute, /) -> Any: ...
    def get_attributes(self) -> dict[device_attribute, Any]: ...
    def can_access_peer(self, peer: Device, /) -> bool: ...
    def make_context(self, flags: int = 0) -> Context: ...
    def retain_primary_context(self) -> Context: ...
    def __getattr__(self, name: str) -> Any: ...

class Context:
    @property
    def handle(self) -> int: ...
    @staticmethod
    def attach(flags: int = 0) -> Context: ...
    def detach(self) -> None: ...
    def push(self) -> None: ...
    @staticmethod
    def pop() -> None: ...
    @staticmethod
    def get_current() -> Context | None: ...
    @staticmethod
    def get_device() -> Device: ...
    @staticmethod
    def synchronize() -> None: ...
    @staticmethod
    def set_limit(which: limit, value: int, /) -> None: ...
    @staticmethod
    def get_limit(which: limit, /) -> int: ...
    @staticmethod
    def get_cache_config() -> func_cache: ...
    @staticmethod
    def set_cache_config(config: func_cache, /) -> None: ...
    @staticmethod
    def get_shared_config() -> shared_config: ...
    @staticmethod
    def set_shared_config(config: shared_config, /) -> None: ...
    @staticmethod
    def enable_peer_access(peer: Context, flags: int = 0) -> None: ...
    @staticmethod
    def disable_peer_access(peer: Context, /) -> None: ...
    @staticmethod
    def priority_range() -> tuple[int, int]: ...
    def get_api_version(self) -> int: ...
    def __enter__(self) -> Context: ...
    def __exit__(self, *exception: object) -> None: ...

class DeviceAllocation:
    def free(self) -> None: ...
    def as_buffer(self, size: int, offset: int = 0) -> memoryview: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

class ManagedAllocation(DeviceAllocation):
    def get_device_pointer(self) -> int: ...
    def attach(self, mem_flags: int, stream: Stream | None = None) -> None: ...

class PooledDeviceAllocation:
    def free(self) -> None: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __len__(self) -> int: ...

class AsyncAllocation(DeviceAllocation):
    def free(self, stream: Stream | None = None) -> None: ...

class AsyncMemoryPool:
    def __init__(self, max_size: int = 0) -> None: ...
    @staticmethod
    def default() -> AsyncMemoryPool: ...
    def allocate(
        self, size: int, stream: Stream | None = None
    ) -> AsyncAllocation: ...
    def trim(self, keep: int = 0) -> None: ...
    def reset_high(self) -> None: ...
    @property
    def used_bytes(self) -> int: ...
    @property
    def used_high(self) -> int: ...
    @property
    def reserved_bytes(self) -> int: ...
    @property
    def reserved_high(self) -> int: ...
    release_threshold: int
    @property
    def handle(self) -> int: ...

class PointerHolderBase:
    def get_pointer(self) -> int: ...
    def as_buffer(self, size: int, offset: int = 0) -> memoryview: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

class IPCMemoryHandle:
    def __init__(self, handle: Buffer, flags: int = ..., /) -> None: ...
    def close(self) -> None: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

class HostPointer:
    def get_device_pointer(self) -> int: ...

class PagelockedHostAllocation(HostPointer):
    def free(self) -> None: ...
    def get_flags(self) -> int: ...

class AlignedHostAllocation(HostPointer):
    def free(self) -> None: ...

class RegisteredHostMemory(HostPointer):
    @property
    def base(self) -> np.ndarray | None: ...
    def unregister(self) -> None: ...

class PooledHostAllocation:
    def free(self) -> None: ...
    def __len__(self) -> int: ...

class _Pool:
    @property
    def held_blocks(self) -> int: ...
    @property
    def active_blocks(self) -> int: ...
    @property
    def managed_bytes(self) -> int: ...
    @property
    def active_bytes(self) -> int: ...
    def bin_number(self, size: int, /) -> int: ...
    def alloc_size(self, bin: int, /) -> int: ...
    def free_held(self) -> None: ...
    def stop_holding(self) -> None: ...

class DeviceMemoryPool(_Pool):
    def allocate(self, size: int) -> PooledDeviceAllocation: ...

class PageLockedAllocator:
    def __init__(self, flags: int = 0) -> None: ...

class PageLockedMemoryPool(_Pool):
    def __init__(self, allocator: PageLockedAllocator = ...) -> None: ...
    def allocate(
        self, shape: Shape, dtype: Any, order: str = "C"
    ) -> np.ndarray: ...

class Stream:
    def __init__(self, flags: int = 0, priority: int = 0) -> None: ...
    @classmethod
    def from_handle(cls, handle: SupportsIndex, /) -> Stream: ...
    @property
    def handle(self) -> int: ...
    @property
    def flags(self) -> int: ...
    @property
    def priority(self) -> int: ...
    @property
    def is_capturing(self) -> bool: ...
    def synchronize(self) -> None: ...
    def is_done(self) -> bool: ...
    def wait_for_event(self, event: Event, /) -> None: ...
    def capture(self, mode: str = "relaxed") -> _Capture: ...
    def add_callback(
        self, function: Callable[..., Any], /, *args: Any
    ) -> None: ...
    def launch_host_function(
        self, function: Callable[..., Any], /, *args: Any
    ) -> None: ...
    def use(self) -> _StreamUse: ...
    def __enter__(self) -> Stream: ...
    def __exit__(self, *exception: object) -> None: ...

class _StreamUse:
    def __enter__(self) -> Stream: ...
    def __exit__(self, *exception: object) -> None: ...

def current_stream() -> Stream | None: ...
def set_thread_context(context: Context | None, /) -> None: ...

class _Capture:
    def __enter__(self) -> Graph: ...
    def __exit__(self, *exception: object) -> None: ...

class Graph:
    @property
    def handle(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    def instantiate(self) -> GraphExec: ...
    def launch(self, stream: Stream | None = None) -> None: ...

class GraphExec:
    @property
    def handle(self) -> int: ...
    def launch(self, stream: Stream | None = None) -> None: ...
    def update(self, graph: Graph, /) -> None: ...

class Event:
    def __init__(self, flags: int = 0) -> None: ...
    def record(self, stream: Stream | None = None) -> Event: ...
    def synchronize(self) -> Event: ...
    def query(self) -> bool: ...
    def time_since(self, start: Event, /) -> float: ...
    def time_till(self, end: Event, /) -> float: ...
    def elapsed(self, start: Event, /) -> float: ...
    @property
    def handle(self) -> int: ...
    def __enter__(self) -> Event: ...
    def __exit__(self, *exception: object) -> None: ...
    def ipc_handle(self) -> bytearray: ...
    @staticmethod
    def from_ipc_handle(handle: Buffer, /) -> Event: ...

class Module:
    def get_function(self, name: str) -> Function: ...
    def get_global(self, name: str) -> tuple[int, int]: ...
    def get_texref(self, name: str) -> TextureReference: ...
    def get_surfref(self, name: str) -> SurfaceReference: ...

class Function:
    arg_format: str
    texrefs: list[TextureReference]
    def __call__(
        self,
        *args: Any,
        grid: Dimensions = (1, 1),
        block: Dimensions = ...,
        stream: Stream | None = None,
        shared: int = 0,
        texrefs: Iterable[TextureReference] = (),
        time_kernel: bool = False,
        cooperative: bool = False,
        cluster: Dimensions | None = None,
    ) -> float | None: ...
    def _launch_kernel(
        self,
        grid: Dimensions,
        block: Dimensions,
        arguments: Buffer,
        shared: int,
        stream: Stream | None,
        /,
    ) -> None: ...
    def _set_block_shape(self, x: int, y: int, z: int, /) -> None: ...
    def _set_shared_size(self, size: int, /) -> None: ...
    def _param_set_size(self, size: int, /) -> None: ...
    def _param_seti(self, offset: int, value: int, /) -> None: ...
    def _param_setf(self, offset: int, value: float, /) -> None: ...
    def _param_setv(self, offset: int, buffer: Buffer, /) -> None: ...
    def _launch(self) -> None: ...
    def _launch_grid(self, grid_width: int, grid_height: int) -> None: ...
    def _launch_grid_async(
        self, grid_width: int, grid_height: int, s: Stream | None
    ) -> None: ...
    def param_set(self, *args: Any) -> list[ArgumentHandler]: ...
    def set_block_shape(self, x: int, y: int, z: int, /) -> None: ...
    def set_shared_size(self, size: int, /) -> None: ...
    def param_set_size(self, size: int, /) -> None: ...
    def param_seti(self, offset: int, value: int, /) -> None: ...
    def param_setf(self, offset: int, value: float, /) -> None: ...
    def param_setv(self, offset: int, buffer: Buffer, /) -> None: ...
    def launch(self) -> None: ...
    def launch_grid(self, grid_width: int, grid_height: int) -> None: ...
    def launch_grid_async(
        self, grid_width: int, grid_height: int, s: Stream | None
    ) -> None: ...
    def prepare(
        self,
        arg_types: str | Iterable[Any],
        texrefs: Iterable[TextureReference] | None = None,
    ) -> Function: ...
    def prepared_call(
        self,
        grid: Dimensions,
        block: Dimensions,
        *args: Any,
        shared_size: int = 0,
    ) -> None: ...
    def prepared_async_call(
        self,
        grid: Dimensions,
        block: Dimensions,
        stream: Stream | None,
        *args: Any,
        shared_size: int = 0,
    ) -> None: ...
    def prepared_timed_call(
        self,
        grid: Dimensions,
        block: Dimensions,
        *args: Any,
        shared_size: int = 0,
    ) -> Callable[[], float]: ...
    def max_active_blocks_per_multiprocessor(
        self, block: Dimensions, shared: int = 0
    ) -> int: ...
    def max_potential_block_size(
        self, shared: int = 0, limit: int = 0
    ) -> tuple[int, int]: ...
    def get_attribute(self, attribute: function_attribute, /) -> int: ...
    def set_attribute(
        self, attribute: function_attribute, value: int, /
    ) -> None: ...
    def set_cache_config(self, config: func_cache, /) -> None: ...
    def set_shared_config(self, config: shared_config, /) -> None: ...
    def param_set_texref(self, texref: TextureReference, /) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class ArgumentHandler:
    array: Any
    dev_alloc: DeviceAllocation | None
    def __init__(self, ary: Any) -> None: ...
    def get_device_alloc(self) -> DeviceAllocation: ...
    def pre_call(self, stream: Stream | None, /) -> None: ...

class In(ArgumentHandler): ...

class Out(ArgumentHandler):
    def post_call(self, stream: Stream | None, /) -> None: ...

class InOut(In, Out): ...

class ArrayDescriptor:
    width: int
    height: int
    format: array_format
    num_channels: int

class ArrayDescriptor3D:
    width: int
    height: int
    depth: int
    format: array_format
    num_channels: int
    flags: int

class Array:
    def __init__(
        self, descriptor: ArrayDescriptor | ArrayDescriptor3D, /
    ) -> None: ...
    @property
    def handle(self) -> int: ...
    def free(self) -> None: ...
    def get_descriptor(self) -> ArrayDescriptor: ...
    def get_descriptor_3d(self) -> ArrayDescriptor3D: ...

class MipmappedArray:
    def __init__(
        self,
        descriptor: ArrayDescriptor | ArrayDescriptor3D,
        /,
        levels: int | None = None,
    ) -> None: ...
    @property
    def handle(self) -> int: ...
    @property
    def levels(self) -> int: ...
    def free(self) -> None: ...
    def get_level(self, level: int, /) -> Array: ...

class TextureReference:
    def set_array(self, array: Array, /) -> None: ...
    def set_address(
        self, devptr: Pointer, bytes: int, allow_offset: bool = False
    ) -> int: ...
    def set_address_2d(
        self, devptr: Pointer, descr: ArrayDescriptor, pitch: int
    ) -> None: ...
    def set_format(
        self, format: array_format, num_components: int
    ) -> None: ...
    def set_address_mode(self, dim: int, am: address_mode) -> None: ...
    def set_filter_mode(self, mode: filter_mode, /) -> None: ...
    def set_flags(self, flags: int, /) -> None: ...
    def get_address(self) -> int: ...
    def get_array(self) -> Array: ...
    def get_address_mode(self, dim: int, /) -> address_mode: ...
    def get_filter_mode(self) -> filter_mode: ...
    def get_format(self) -> tuple[array_format, int]: ...
    def get_flags(self) -> int: ...
    def set_border_color(self, color: Sequence[float], /) -> None: ...
    def get_border_color(self) -> tuple[float, float, float, float]: ...

class SurfaceReference:
    def set_array(self, array: Array, flags: int = 0) -> None: ...
    def get_array(self) -> Array: ...

class TextureObject:
    def __init__(
        self,
        resource: Array | MipmappedArray | Pointer,
        *,
        address_mode: address_mode | Sequence[address_mode] = ...,
        filter_mode: filter_mode = ...,
        normalized_coordinates: bool = False,
        normalized_float: bool = False,
        srgb: bool = False,
        border_color: Sequence[float] | None = None,
        format: array_format = ...,
        num_channels: int = 1,
        bytes: int = ...,
        descr: ArrayDescriptor = ...,
        pitch: int = ...,
        mipmap_filter_mode: filter_mode = ...,
        mipmap_level_bias: float = 0,
        min_mipmap_level_clamp: float = 0,
        max_mipmap_level_clamp: float | None = None,
    ) -> None: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def free(self) -> None: ...
    @property
    def handle(self) -> int: ...
    @property
    def resource(self) -> Any: ...

class SurfaceObject:
    def __init__(self, array: Array) -> None: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def free(self) -> None: ...
    @property
    def handle(self) -> int: ...
    @property
    def array(self) -> Array | None: ...

class _Copy:
    src_x_in_bytes: int
    src_y: int
    src_memory_type: memory_type
    src_device: int
    src_pitch: int
    dst_x_in_bytes: int
    dst_y: int
    dst_memory_type: memory_type
    dst_device: int
    dst_pitch: int
    width_in_bytes: int
    height: int
    def set_src_host(self, buffer: Buffer, /) -> None: ...
    def set_dst_host(self, buffer: Buffer, /) -> None: ...
    def set_src_unified(self, buffer: Buffer, /) -> None: ...
    def set_dst_unified(self, buffer: Buffer, /) -> None: ...
    def set_src_device(self, pointer: Pointer, /) -> None: ...
    def set_dst_device(self, pointer: Pointer, /) -> None: ...
    def set_src_array(self, array: Array, /) -> None: ...
    def set_dst_array(self, array: Array, /) -> None: ...

class Memcpy2D(_Copy):
    def __call__(self, aligned: bool | Stream | None = True) -> None: ...

class Memcpy3D(_Copy):
    src_z: int
    src_lod: int
    src_height: int
    dst_z: int
    dst_lod: int
    dst_height: int
    depth: int
    def __call__(self, stream: Stream | None = None, /) -> None: ...

class Memcpy3DPeer(Memcpy3D):
    def set_src_context(self, context: Context, /) -> None: ...
    def set_dst_context(self, context: Context, /) -> None: ...

class Linker:
    def __init__(
        self,
        message_handler: Callable[[bool, str, str], Any] | None = None,
        options: Iterable[tuple[jit_option, int]] | None = None,
        log_verbose: bool = False,
        /,
    ) -> None: ...
    def add_data(
        self, data: Buffer, input_type: jit_input_type, name: str = "unknown"
    ) -> None: ...
    def add_file(self, filename: str, input_type: jit_input_type) -> None: ...
    def link_module(self) -> Module: ...

def aligned_empty(
    shape: Shape, dtype: Any, order: str = "C", alignment: int = 4096
) -> np.ndarray: ...
def bitlog2(arg0: int, /) -> int: ...
def get_driver_version() -> int: ...
def get_version() -> tuple[Any, ...]: ...
def have_gl_ext() -> bool: ...
def init(flags: int = 0) -> None: ...
def initialize_profiler(
    arg0: str, arg1: str, arg2: profiler_output_mode, /
) -> None: ...
def managed_empty(
    shape: Shape, dtype: Any, order: str = "C", mem_flags: int = 0
) -> np.ndarray: ...
def mem_alloc(arg0: int, /) -> DeviceAllocation: ...
def mem_alloc_async(
    size: int, stream: Stream | None = None
) -> AsyncAllocation: ...
def mem_alloc_pitch(
    width: int, height: int, access_size: int
) -> tuple[Any, ...]: ...
def mem_get_address_range(arg0: Pointer, /) -> tuple[Any, ...]: ...
def mem_get_info() -> tuple[Any, ...]: ...
def mem_get_ipc_handle(arg0: Pointer, /) -> Any: ...
def memcpy_atoa(
    dest: Array, dest_index: int, src: Array, src_index: int, len: int
) -> None: ...
def memcpy_atod(dest: Any, ary: Array, index: int, len: int) -> None: ...
def memcpy_dtoa(ary: Array, index: int, src: Any, len: int) -> None: ...
def memcpy_dtod(dest: Any, src: Any, size: int) -> None: ...
def memcpy_dtod_async(
    dest: Any, src: Any, size: int, stream: Stream | None = None
) -> None: ...
def memcpy_dtoh(dest: Any, src: Any, stream: Stream | None = None) -> None: ...
def memcpy_dtoh_async(
    dest: Any, src: Any, stream: Stream | None = None
) -> None: ...
def memcpy_htod(dest: Any, src: Any, stream: Stream | None = None) -> None: ...
def memcpy_htod_async(
    dest: Any, src: Any, stream: Stream | None = None
) -> None: ...
def memcpy_peer(
    dest: Any,
    src: Any,
    size: int,
    dest_context: Any = None,
    src_context: Any = None,
) -> None: ...
def memcpy_peer_async(
    dest: Any,
    src: Any,
    size: int,
    dest_context: Any = None,
    src_context: Any = None,
    stream: Stream | None = None,
) -> None: ...
def memset_d16(dest: Any, data: int, size: int) -> None: ...
def memset_d16_async(
    dest: Any, data: int, size: int, stream: Stream | None = None
) -> None: ...
def memset_d2d16(
    dest: Any, pitch: int, data: int, width: int, height: int
) -> None: ...
def memset_d2d16_async(
    dest: Any,
    pitch: int,
    data: int,
    width: int,
    height: int,
    stream: Stream | None = None,
) -> None: ...
def memset_d2d32(
    dest: Any, pitch: int, data: int, width: int, height: int
) -> None: ...
def memset_d2d32_async(
    dest: Any,
    pitch: int,
    data: int,
    width: int,
    height: int,
    stream: Stream | None = None,
) -> None: ...
def memset_d2d8(
    dest: Any, pitch: int, data: int, width: int, height: int
) -> None: ...
def memset_d2d8_async(
    dest: Any,
    pitch: int,
    data: int,
    width: int,
    height: int,
    stream: Stream | None = None,
) -> None: ...
def memset_d32(dest: Any, data: int, size: int) -> None: ...
def memset_d32_async(
    dest: Any, data: int, size: int, stream: Stream | None = None
) -> None: ...
def memset_d8(dest: Any, data: int, size: int) -> None: ...
def memset_d8_async(
    dest: Any, data: int, size: int, stream: Stream | None = None
) -> None: ...
def module_from_buffer(
    buffer: Buffer, options: Any = (), message_handler: Any = None
) -> Module: ...
def module_from_file(filename: str) -> Module: ...
def pagelocked_empty(
    shape: Shape, dtype: Any, order: str = "C", mem_flags: int = 0
) -> np.ndarray: ...
def py_memcpy_atoh(dest: Any, ary: Array, index: int) -> None: ...
def py_memcpy_htoa(ary: Array, index: int, src: Any) -> None: ...
def register_host_memory(ary: Any, flags: int = 0) -> np.ndarray: ...
def start_profiler() -> None: ...
def stop_profiler() -> None: ...
def memcpy_htoa(ary: Array, index: int, src: Buffer) -> None: ...
def memcpy_atoh(dest: Buffer, ary: Array, index: int) -> None: ...
def _compile(
    source: str,
    name: str,
    options: Sequence[str],
    headers: dict[str, str] | None = None,
    target: str = "cubin",
    name_expressions: Sequence[str] = (),
) -> tuple[int, bytes | None, str, dict[str, str]]: ...
def _nvrtc_info() -> tuple[str, int, int, list[int]]: ...
def _device_kind() -> str: ...
def _set_kernel_factory(factory: Callable[[tuple], Any], /) -> None: ...
def _contexts() -> list[Context]: ...
def _set_context_end(ended: Callable[[Context], None], /) -> None: ...
def _context_results() -> dict[tuple, Any]: ...
def _drop_kernels() -> None: ...

# Of the array room.
class ArrayBase: ...

def _set_array_class(cls: type, /) -> None: ...
def _set_indexer(
    get: Callable[[Any, Any], Any], set: Callable[[Any, Any, Any], None], /
) -> None: ...
def _address_bits(array: ArrayBase, /) -> int: ...
def _is_misaligned(array: ArrayBase, /) -> bool: ...
def _are_alike(a: Any, b: Any, /) -> bool: ...
def _take_indexed(
    row: ArrayBase,
    indices: ArrayBase,
    axis: int,
    result: ArrayBase,
    stream: Stream | None = None,
    /,
) -> bool: ...
def _put_indexed(
    row: ArrayBase,
    indices: ArrayBase,
    axis: int,
    values: ArrayBase,
    stream: Stream | None = None,
    /,
) -> bool: ...
def _cublas_open() -> str | None: ...
def _cublas_handle(stream: Stream | None, /) -> bool | None: ...
def _cublas_product(
    types: tuple[int, int],
    transposed: tuple[bool, bool],
    shape: tuple[int, int, int],
    leads: tuple[int, int, int],
    steps: tuple[int, int, int],
    count: int,
    /,
) -> Any: ...
def _cublas_gemm(
    product: Any,
    a: ArrayBase,
    b: ArrayBase,
    c: ArrayBase,
    stream: Stream | None,
    /,
) -> bool | None: ...
def _distance(a: ArrayBase, b: ArrayBase, /) -> int: ...
def _identity(
    array: ArrayBase, /
) -> tuple[int, tuple[int, ...], tuple[int, ...], np.dtype]: ...
def _register_faults(address: int, device: int, owner: Any, /) -> None: ...
def _registered_faults() -> Any: ...
def _check_faults() -> None: ...
def _apply(*args: Any, **kwargs: Any) -> Any: ...
