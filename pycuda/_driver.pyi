"""Types of the compiled half of pycuda.driver.

SPDX-License-Identifier: MIT
"""

from collections.abc import Callable, Iterable, Sequence
from types import EllipsisType
from typing import (
    Any,
    ClassVar,
    NoReturn,
    Protocol,
    Self,
    SupportsIndex,
    TypeAlias,
    final,
    type_check_only,
)

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, disjoint_base

from pycuda._enum import Enum

class _HasPointer(Protocol):
    def get_pointer(self) -> int: ...

class _HasGpudata(Protocol):
    @property
    def gpudata(self) -> Any: ...

class _HasInterface(Protocol):
    @property
    def __cuda_array_interface__(self) -> Any: ...

# Device addresses, and objects that have one.
_Pointer: TypeAlias = SupportsIndex | _HasPointer | _HasGpudata | _HasInterface
# Host memory.
_HostArray: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_Buffer: TypeAlias = Buffer | _HostArray | np.generic
# Grids and blocks.
_Dimensions: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Shape: TypeAlias = SupportsIndex | Iterable[SupportsIndex]
# Operands of an array: other arrays and numbers.
_Number: TypeAlias = complex | np.number[Any] | np.bool_
_Operand: TypeAlias = ArrayBase | _Number | _HasInterface
_IndexEntry: TypeAlias = (
    SupportsIndex
    | slice
    | EllipsisType
    | ArrayBase
    | _HostArray
    | Sequence[Any]
    | None
)
_Index: TypeAlias = _IndexEntry | tuple[_IndexEntry, ...]

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
    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    ARRAY3D_2DARRAY: int
    ARRAY3D_LAYERED: int
    LAYERED: int
    SURFACE_LDST: int
    CUBEMAP: int
    TEXTURE_GATHER: int

class host_alloc_flags:
    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    PORTABLE: int
    DEVICEMAP: int
    WRITECOMBINED: int

class mem_host_register_flags:
    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    PORTABLE: int
    DEVICEMAP: int

# Device attributes by name, in both cases.
class _DeviceAttributes:
    max_threads_per_block: int
    MAX_THREADS_PER_BLOCK: int
    max_block_dim_x: int
    MAX_BLOCK_DIM_X: int
    max_block_dim_y: int
    MAX_BLOCK_DIM_Y: int
    max_block_dim_z: int
    MAX_BLOCK_DIM_Z: int
    max_grid_dim_x: int
    MAX_GRID_DIM_X: int
    max_grid_dim_y: int
    MAX_GRID_DIM_Y: int
    max_grid_dim_z: int
    MAX_GRID_DIM_Z: int
    max_shared_memory_per_block: int
    MAX_SHARED_MEMORY_PER_BLOCK: int
    shared_memory_per_block: int
    SHARED_MEMORY_PER_BLOCK: int
    total_constant_memory: int
    TOTAL_CONSTANT_MEMORY: int
    warp_size: int
    WARP_SIZE: int
    max_pitch: int
    MAX_PITCH: int
    max_registers_per_block: int
    MAX_REGISTERS_PER_BLOCK: int
    registers_per_block: int
    REGISTERS_PER_BLOCK: int
    clock_rate: int
    CLOCK_RATE: int
    texture_alignment: int
    TEXTURE_ALIGNMENT: int
    gpu_overlap: int
    GPU_OVERLAP: int
    multiprocessor_count: int
    MULTIPROCESSOR_COUNT: int
    kernel_exec_timeout: int
    KERNEL_EXEC_TIMEOUT: int
    integrated: int
    INTEGRATED: int
    can_map_host_memory: int
    CAN_MAP_HOST_MEMORY: int
    @property
    def compute_mode(self) -> Any: ...
    COMPUTE_MODE: Any
    maximum_texture1d_width: int
    MAXIMUM_TEXTURE1D_WIDTH: int
    maximum_texture2d_width: int
    MAXIMUM_TEXTURE2D_WIDTH: int
    maximum_texture2d_height: int
    MAXIMUM_TEXTURE2D_HEIGHT: int
    maximum_texture3d_width: int
    MAXIMUM_TEXTURE3D_WIDTH: int
    maximum_texture3d_height: int
    MAXIMUM_TEXTURE3D_HEIGHT: int
    maximum_texture3d_depth: int
    MAXIMUM_TEXTURE3D_DEPTH: int
    maximum_texture2d_array_width: int
    MAXIMUM_TEXTURE2D_ARRAY_WIDTH: int
    maximum_texture2d_layered_width: int
    MAXIMUM_TEXTURE2D_LAYERED_WIDTH: int
    maximum_texture2d_array_height: int
    MAXIMUM_TEXTURE2D_ARRAY_HEIGHT: int
    maximum_texture2d_layered_height: int
    MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: int
    maximum_texture2d_array_numslices: int
    MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES: int
    maximum_texture2d_layered_layers: int
    MAXIMUM_TEXTURE2D_LAYERED_LAYERS: int
    surface_alignment: int
    SURFACE_ALIGNMENT: int
    concurrent_kernels: int
    CONCURRENT_KERNELS: int
    ecc_enabled: int
    ECC_ENABLED: int
    PCI_BUS_ID: int
    pci_device_id: int
    PCI_DEVICE_ID: int
    tcc_driver: int
    TCC_DRIVER: int
    memory_clock_rate: int
    MEMORY_CLOCK_RATE: int
    global_memory_bus_width: int
    GLOBAL_MEMORY_BUS_WIDTH: int
    l2_cache_size: int
    L2_CACHE_SIZE: int
    max_threads_per_multiprocessor: int
    MAX_THREADS_PER_MULTIPROCESSOR: int
    async_engine_count: int
    ASYNC_ENGINE_COUNT: int
    unified_addressing: int
    UNIFIED_ADDRESSING: int
    maximum_texture1d_layered_width: int
    MAXIMUM_TEXTURE1D_LAYERED_WIDTH: int
    maximum_texture1d_layered_layers: int
    MAXIMUM_TEXTURE1D_LAYERED_LAYERS: int
    maximum_texture2d_gather_width: int
    MAXIMUM_TEXTURE2D_GATHER_WIDTH: int
    maximum_texture2d_gather_height: int
    MAXIMUM_TEXTURE2D_GATHER_HEIGHT: int
    maximum_texture3d_width_alternate: int
    MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: int
    maximum_texture3d_height_alternate: int
    MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: int
    maximum_texture3d_depth_alternate: int
    MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: int
    pci_domain_id: int
    PCI_DOMAIN_ID: int
    texture_pitch_alignment: int
    TEXTURE_PITCH_ALIGNMENT: int
    maximum_texturecubemap_width: int
    MAXIMUM_TEXTURECUBEMAP_WIDTH: int
    maximum_texturecubemap_layered_width: int
    MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: int
    maximum_texturecubemap_layered_layers: int
    MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: int
    maximum_surface1d_width: int
    MAXIMUM_SURFACE1D_WIDTH: int
    maximum_surface2d_width: int
    MAXIMUM_SURFACE2D_WIDTH: int
    maximum_surface2d_height: int
    MAXIMUM_SURFACE2D_HEIGHT: int
    maximum_surface3d_width: int
    MAXIMUM_SURFACE3D_WIDTH: int
    maximum_surface3d_height: int
    MAXIMUM_SURFACE3D_HEIGHT: int
    maximum_surface3d_depth: int
    MAXIMUM_SURFACE3D_DEPTH: int
    maximum_surface1d_layered_width: int
    MAXIMUM_SURFACE1D_LAYERED_WIDTH: int
    maximum_surface1d_layered_layers: int
    MAXIMUM_SURFACE1D_LAYERED_LAYERS: int
    maximum_surface2d_layered_width: int
    MAXIMUM_SURFACE2D_LAYERED_WIDTH: int
    maximum_surface2d_layered_height: int
    MAXIMUM_SURFACE2D_LAYERED_HEIGHT: int
    maximum_surface2d_layered_layers: int
    MAXIMUM_SURFACE2D_LAYERED_LAYERS: int
    maximum_surfacecubemap_width: int
    MAXIMUM_SURFACECUBEMAP_WIDTH: int
    maximum_surfacecubemap_layered_width: int
    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: int
    maximum_surfacecubemap_layered_layers: int
    MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: int
    maximum_texture1d_linear_width: int
    MAXIMUM_TEXTURE1D_LINEAR_WIDTH: int
    maximum_texture2d_linear_width: int
    MAXIMUM_TEXTURE2D_LINEAR_WIDTH: int
    maximum_texture2d_linear_height: int
    MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: int
    maximum_texture2d_linear_pitch: int
    MAXIMUM_TEXTURE2D_LINEAR_PITCH: int
    maximum_texture2d_mipmapped_width: int
    MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: int
    maximum_texture2d_mipmapped_height: int
    MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: int
    compute_capability_major: int
    COMPUTE_CAPABILITY_MAJOR: int
    compute_capability_minor: int
    COMPUTE_CAPABILITY_MINOR: int
    maximum_texture1d_mipmapped_width: int
    MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: int
    stream_priorities_supported: int
    STREAM_PRIORITIES_SUPPORTED: int
    global_l1_cache_supported: int
    GLOBAL_L1_CACHE_SUPPORTED: int
    local_l1_cache_supported: int
    LOCAL_L1_CACHE_SUPPORTED: int
    max_shared_memory_per_multiprocessor: int
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: int
    max_registers_per_multiprocessor: int
    MAX_REGISTERS_PER_MULTIPROCESSOR: int
    managed_memory: int
    MANAGED_MEMORY: int
    multi_gpu_board: int
    MULTI_GPU_BOARD: int
    multi_gpu_board_group_id: int
    MULTI_GPU_BOARD_GROUP_ID: int
    host_native_atomic_supported: int
    HOST_NATIVE_ATOMIC_SUPPORTED: int
    single_to_double_precision_perf_ratio: int
    SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: int
    pageable_memory_access: int
    PAGEABLE_MEMORY_ACCESS: int
    concurrent_managed_access: int
    CONCURRENT_MANAGED_ACCESS: int
    compute_preemption_supported: int
    COMPUTE_PREEMPTION_SUPPORTED: int
    can_use_host_pointer_for_registered_mem: int
    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: int
    max_shared_memory_per_block_optin: int
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: int
    pageable_memory_access_uses_host_page_tables: int
    PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: int
    direct_managed_mem_access_from_host: int
    DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: int
    handle_type_posix_file_descriptor_supported: int
    HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: int
    handle_type_win32_handle_supported: int
    HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: int
    handle_type_win32_kmt_handle_supported: int
    HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: int
    max_blocks_per_multiprocessor: int
    MAX_BLOCKS_PER_MULTIPROCESSOR: int
    generic_compression_supported: int
    GENERIC_COMPRESSION_SUPPORTED: int
    max_persisting_l2_cache_size: int
    MAX_PERSISTING_L2_CACHE_SIZE: int
    reserved_shared_memory_per_block: int
    RESERVED_SHARED_MEMORY_PER_BLOCK: int
    read_only_host_register_supported: int
    READ_ONLY_HOST_REGISTER_SUPPORTED: int
    memory_pools_supported: int
    MEMORY_POOLS_SUPPORTED: int
    cooperative_launch: int
    COOPERATIVE_LAUNCH: int
    can_flush_remote_writes: int
    CAN_FLUSH_REMOTE_WRITES: int
    host_register_supported: int
    HOST_REGISTER_SUPPORTED: int
    virtual_memory_management_supported: int
    VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: int
    max_access_policy_window_size: int
    MAX_ACCESS_POLICY_WINDOW_SIZE: int
    gpu_direct_rdma_with_cuda_vmm_supported: int
    GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: int
    sparse_cuda_array_supported: int
    SPARSE_CUDA_ARRAY_SUPPORTED: int
    timeline_semaphore_interop_supported: int
    TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: int
    gpu_direct_rdma_supported: int
    GPU_DIRECT_RDMA_SUPPORTED: int
    gpu_direct_rdma_flush_writes_options: int
    GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: int
    gpu_direct_rdma_writes_ordering: int
    GPU_DIRECT_RDMA_WRITES_ORDERING: int
    mempool_supported_handle_types: int
    MEMPOOL_SUPPORTED_HANDLE_TYPES: int
    cluster_launch: int
    CLUSTER_LAUNCH: int
    deferred_mapping_cuda_array_supported: int
    DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: int
    can_use_64_bit_stream_mem_ops: int
    CAN_USE_64_BIT_STREAM_MEM_OPS: int
    can_use_stream_wait_value_nor: int
    CAN_USE_STREAM_WAIT_VALUE_NOR: int
    dma_buf_supported: int
    DMA_BUF_SUPPORTED: int
    ipc_event_supported: int
    IPC_EVENT_SUPPORTED: int
    mem_sync_domain_count: int
    MEM_SYNC_DOMAIN_COUNT: int
    tensor_map_access_supported: int
    TENSOR_MAP_ACCESS_SUPPORTED: int
    handle_type_fabric_supported: int
    HANDLE_TYPE_FABRIC_SUPPORTED: int
    unified_function_pointers: int
    UNIFIED_FUNCTION_POINTERS: int
    numa_config: int
    NUMA_CONFIG: int
    numa_id: int
    NUMA_ID: int
    multicast_supported: int
    MULTICAST_SUPPORTED: int
    mps_enabled: int
    MPS_ENABLED: int
    host_numa_id: int
    HOST_NUMA_ID: int
    d3d12_cig_supported: int
    D3D12_CIG_SUPPORTED: int
    mem_decompress_algorithm_mask: int
    MEM_DECOMPRESS_ALGORITHM_MASK: int
    mem_decompress_maximum_length: int
    MEM_DECOMPRESS_MAXIMUM_LENGTH: int
    vulkan_cig_supported: int
    VULKAN_CIG_SUPPORTED: int
    gpu_pci_device_id: int
    GPU_PCI_DEVICE_ID: int
    gpu_pci_subsystem_id: int
    GPU_PCI_SUBSYSTEM_ID: int
    host_numa_virtual_memory_management_supported: int
    HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: int
    host_numa_memory_pools_supported: int
    HOST_NUMA_MEMORY_POOLS_SUPPORTED: int
    host_numa_multinode_ipc_supported: int
    HOST_NUMA_MULTINODE_IPC_SUPPORTED: int
    host_memory_pools_supported: int
    HOST_MEMORY_POOLS_SUPPORTED: int
    host_virtual_memory_management_supported: int
    HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: int
    host_alloc_dma_buf_supported: int
    HOST_ALLOC_DMA_BUF_SUPPORTED: int
    only_partial_host_native_atomic_supported: int
    ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: int

@disjoint_base
class Device(_DeviceAttributes):
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

@final
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

@disjoint_base
class DeviceAllocation:
    def free(self) -> None: ...
    def __long__(self) -> int: ...
    def as_buffer(self, size: int, offset: int = 0) -> memoryview: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

class ManagedAllocation(DeviceAllocation):
    def get_device_pointer(self) -> int: ...
    def attach(
        self, mem_flags: int, stream: _AnyStream | None = None
    ) -> None: ...

@disjoint_base
class PooledDeviceAllocation:
    def free(self) -> None: ...
    def __long__(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __len__(self) -> int: ...

@final
class AsyncAllocation(DeviceAllocation):
    def free(self, stream: _AnyStream | None = None) -> None: ...

@final
class AsyncMemoryPool:
    def __new__(cls, max_size: int = 0) -> Self: ...
    @staticmethod
    def default() -> AsyncMemoryPool: ...
    def allocate(
        self, size: int, stream: _AnyStream | None = None
    ) -> AsyncAllocation: ...
    def trim(self, keep: int = 0) -> None: ...
    def set_access(self, device: Device, access: bool = True) -> None: ...
    def has_access(self, device: Device, /) -> bool: ...
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

@disjoint_base
class PointerHolderBase:
    def get_pointer(self) -> int: ...
    def as_buffer(self, size: int, offset: int = 0) -> memoryview: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

@final
class IPCMemoryHandle:
    def __new__(cls, handle: _Buffer, flags: int = ..., /) -> Self: ...
    def close(self) -> None: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

@disjoint_base
class HostPointer:
    def get_device_pointer(self) -> int: ...

class PagelockedHostAllocation(HostPointer):
    def free(self) -> None: ...
    def get_flags(self) -> int: ...

class AlignedHostAllocation(HostPointer):
    def free(self) -> None: ...

class RegisteredHostMemory(HostPointer):
    @property
    def base(self) -> _HostArray | None: ...
    def unregister(self) -> None: ...

# Arrays of NumPy whose `base` is an object of this module.
@type_check_only
class _PagelockedArray(np.ndarray[Any, np.dtype[Any]]):
    @property
    def base(self) -> PagelockedHostAllocation: ...  # type: ignore[override]

@type_check_only
class _AlignedArray(np.ndarray[Any, np.dtype[Any]]):
    @property
    def base(self) -> AlignedHostAllocation: ...  # type: ignore[override]

@type_check_only
class _RegisteredArray(np.ndarray[Any, np.dtype[Any]]):
    @property
    def base(self) -> RegisteredHostMemory: ...  # type: ignore[override]

@type_check_only
class _ManagedArray(np.ndarray[Any, np.dtype[Any]]):
    @property
    def base(self) -> ManagedAllocation: ...  # type: ignore[override]

@disjoint_base
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

@disjoint_base
class DeviceMemoryPool(_Pool):
    def allocate(self, size: int) -> PooledDeviceAllocation: ...

@disjoint_base
class PageLockedAllocator:
    def __init__(self, flags: int = 0) -> None: ...

@disjoint_base
class PageLockedMemoryPool(_Pool):
    def __init__(self, allocator: PageLockedAllocator = ...) -> None: ...
    def allocate(
        self, shape: _Shape, dtype: npt.DTypeLike, order: str = "C"
    ) -> _HostArray: ...

class _AnyStream(Protocol):
    """A stream of any library, such as cuda.core's or this package's."""

    def __cuda_stream__(self) -> tuple[int, int]: ...

@disjoint_base
class Stream:
    def __init__(self, flags: int = 0, priority: int = 0) -> None: ...
    @classmethod
    def from_handle(cls, handle: SupportsIndex | _AnyStream, /) -> Stream: ...
    def __cuda_stream__(self) -> tuple[int, int]: ...
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

@final
class _StreamUse:
    def __enter__(self) -> Stream: ...
    def __exit__(self, *exception: object) -> None: ...

def current_stream() -> Stream | None: ...
def set_thread_context(context: Context | None, /) -> None: ...

@final
class _Capture:
    def __enter__(self) -> Graph: ...
    def __exit__(self, *exception: object) -> None: ...

@final
class Graph:
    @property
    def handle(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    def instantiate(self) -> GraphExec: ...
    def launch(self, stream: _AnyStream | None = None) -> None: ...

@final
class GraphExec:
    @property
    def handle(self) -> int: ...
    def launch(self, stream: _AnyStream | None = None) -> None: ...
    def update(self, graph: Graph, /) -> None: ...

@disjoint_base
class Event:
    def __init__(self, flags: int = 0) -> None: ...
    def record(self, stream: _AnyStream | None = None) -> Event: ...
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
    def from_ipc_handle(handle: _Buffer, /) -> Event: ...

@final
class Module:
    def get_function(self, name: str) -> Function: ...
    def get_global(self, name: str) -> tuple[int, int]: ...
    def get_texref(self, name: str) -> TextureReference: ...
    def get_surfref(self, name: str) -> SurfaceReference: ...
    def _kernel_names(self) -> list[str]: ...

# Function attributes by name, in both cases, and by earlier names.
class _FunctionAttributes:
    max_threads_per_block: int
    MAX_THREADS_PER_BLOCK: int
    shared_size_bytes: int
    SHARED_SIZE_BYTES: int
    const_size_bytes: int
    CONST_SIZE_BYTES: int
    local_size_bytes: int
    LOCAL_SIZE_BYTES: int
    num_regs: int
    NUM_REGS: int
    ptx_version: int
    PTX_VERSION: int
    binary_version: int
    BINARY_VERSION: int
    cache_mode_ca: int
    CACHE_MODE_CA: int
    max_dynamic_shared_size_bytes: int
    MAX_DYNAMIC_SHARED_SIZE_BYTES: int
    preferred_shared_memory_carveout: int
    PREFERRED_SHARED_MEMORY_CARVEOUT: int
    max: int
    MAX: int
    registers: int
    lmem: int
    smem: int

class _CallableType(type): ...

@final
class Function(_FunctionAttributes, metaclass=_CallableType):
    arg_format: str
    texrefs: list[TextureReference]
    __name__: str
    def __call__(
        self,
        *args: Any,
        grid: _Dimensions = (1, 1),
        block: _Dimensions = ...,
        stream: _AnyStream | None = None,
        shared: int = 0,
        texrefs: Iterable[TextureReference] = (),
        time_kernel: bool = False,
        cooperative: bool = False,
        cluster: _Dimensions | None = None,
    ) -> float | None: ...
    def _launch_kernel(
        self,
        grid: _Dimensions,
        block: _Dimensions,
        arguments: _Buffer,
        shared: int,
        stream: _AnyStream | None,
        /,
    ) -> None: ...
    def _set_block_shape(self, x: int, y: int, z: int, /) -> None: ...
    def _set_shared_size(self, size: int, /) -> None: ...
    def _param_set_size(self, size: int, /) -> None: ...
    def _param_seti(self, offset: int, value: int, /) -> None: ...
    def _param_setf(self, offset: int, value: float, /) -> None: ...
    def _param_setv(self, offset: int, buffer: _Buffer, /) -> None: ...
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
    def param_setv(self, offset: int, buffer: _Buffer, /) -> None: ...
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
        grid: _Dimensions,
        block: _Dimensions,
        *args: Any,
        shared_size: int = 0,
    ) -> None: ...
    def prepared_async_call(
        self,
        grid: _Dimensions,
        block: _Dimensions,
        stream: _AnyStream | None,
        *args: Any,
        shared_size: int = 0,
    ) -> None: ...
    def prepared_timed_call(
        self,
        grid: _Dimensions,
        block: _Dimensions,
        *args: Any,
        shared_size: int = 0,
    ) -> Callable[[], float]: ...
    def max_active_blocks_per_multiprocessor(
        self, block: _Dimensions, shared: int = 0
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

@disjoint_base
class ArgumentHandler:
    array: Any
    dev_alloc: DeviceAllocation | None
    def __init__(self, ary: _Buffer | _Pointer) -> None: ...
    def get_device_alloc(self) -> DeviceAllocation: ...
    def pre_call(self, stream: _AnyStream | None, /) -> None: ...

class In(ArgumentHandler): ...

class Out(ArgumentHandler):
    def post_call(self, stream: _AnyStream | None, /) -> None: ...

class InOut(In, Out): ...

@final
class ArrayDescriptor:
    width: int
    height: int
    format: array_format
    num_channels: int

@final
class ArrayDescriptor3D:
    width: int
    height: int
    depth: int
    format: array_format
    num_channels: int
    flags: int

@final
class Array:
    def __new__(
        cls, descriptor: ArrayDescriptor | ArrayDescriptor3D, /
    ) -> Self: ...
    @property
    def handle(self) -> int: ...
    def free(self) -> None: ...
    def get_descriptor(self) -> ArrayDescriptor: ...
    def get_descriptor_3d(self) -> ArrayDescriptor3D: ...

@final
class MipmappedArray:
    def __new__(
        cls,
        descriptor: ArrayDescriptor | ArrayDescriptor3D,
        /,
        levels: int | None = None,
    ) -> Self: ...
    @property
    def handle(self) -> int: ...
    @property
    def levels(self) -> int: ...
    def free(self) -> None: ...
    def get_level(self, level: int, /) -> Array: ...

@final
class TextureReference:
    def set_array(self, array: Array, /) -> None: ...
    def set_address(
        self, devptr: _Pointer, bytes: int, allow_offset: bool = False
    ) -> int: ...
    def set_address_2d(
        self, devptr: _Pointer, descr: ArrayDescriptor, pitch: int
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

@final
class SurfaceReference:
    def set_array(self, array: Array, flags: int = 0) -> None: ...
    def get_array(self) -> Array: ...

@final
class TextureObject:
    def __new__(
        cls,
        resource: Array | MipmappedArray | _Pointer,
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
    ) -> Self: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def free(self) -> None: ...
    @property
    def handle(self) -> int: ...
    @property
    def resource(self) -> Any: ...

@final
class SurfaceObject:
    def __new__(cls, array: Array) -> Self: ...
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
    def set_src_host(self, buffer: _Buffer, /) -> None: ...
    def set_dst_host(self, buffer: _Buffer, /) -> None: ...
    def set_src_unified(self, buffer: _Buffer, /) -> None: ...
    def set_dst_unified(self, buffer: _Buffer, /) -> None: ...
    def set_src_device(self, pointer: _Pointer, /) -> None: ...
    def set_dst_device(self, pointer: _Pointer, /) -> None: ...
    def set_src_array(self, array: Array, /) -> None: ...
    def set_dst_array(self, array: Array, /) -> None: ...

@final
class Memcpy2D(_Copy):
    def __call__(self, aligned: bool | Stream | None = True) -> None: ...

class _Copy3D(_Copy):
    src_z: int
    src_lod: int
    src_height: int
    dst_z: int
    dst_lod: int
    dst_height: int
    depth: int
    def __call__(self, stream: _AnyStream | None = None, /) -> None: ...

@final
class Memcpy3D(_Copy3D): ...

@final
class Memcpy3DPeer(_Copy3D):
    def set_src_context(self, context: Context, /) -> None: ...
    def set_dst_context(self, context: Context, /) -> None: ...

@disjoint_base
class Linker:
    def __init__(
        self,
        message_handler: Callable[[bool, str, str], Any] | None = None,
        options: Iterable[tuple[jit_option, int]] | None = None,
        log_verbose: bool = False,
        /,
    ) -> None: ...
    def add_data(
        self, data: _Buffer, input_type: jit_input_type, name: str = "unknown"
    ) -> None: ...
    def add_file(self, filename: str, input_type: jit_input_type) -> None: ...
    def link_module(self) -> Module: ...

def aligned_empty(
    shape: _Shape,
    dtype: npt.DTypeLike,
    order: str = "C",
    alignment: int = 4096,
) -> _AlignedArray: ...
def bitlog2(value: int, /) -> int: ...
def get_driver_version() -> int: ...
def get_version() -> tuple[int, ...]: ...
def have_gl_ext() -> bool: ...
def init(flags: int = 0) -> None: ...
def initialize_profiler(
    config_file: str, output_file: str, output_mode: profiler_output_mode, /
) -> None: ...
def managed_empty(
    shape: _Shape, dtype: npt.DTypeLike, order: str = "C", mem_flags: int = 0
) -> _ManagedArray: ...
def mem_alloc(bytes: SupportsIndex, /) -> DeviceAllocation: ...
def mem_alloc_async(
    size: int, stream: _AnyStream | None = None
) -> AsyncAllocation: ...
def mem_alloc_pitch(
    width: int, height: int, access_size: int
) -> tuple[DeviceAllocation, int]: ...
def mem_get_address_range(devptr: _Pointer, /) -> tuple[int, int]: ...
def mem_get_info() -> tuple[int, int]: ...
def mem_get_ipc_handle(devptr: _Pointer, /) -> Any: ...
def memcpy_atoa(
    dest: Array, dest_index: int, src: Array, src_index: int, len: int
) -> None: ...
def memcpy_atod(dest: _Pointer, ary: Array, index: int, len: int) -> None: ...
def memcpy_dtoa(ary: Array, index: int, src: _Pointer, len: int) -> None: ...
def memcpy_dtod(dest: _Pointer, src: _Pointer, size: int) -> None: ...
def memcpy_dtod_async(
    dest: _Pointer, src: _Pointer, size: int, stream: _AnyStream | None = None
) -> None: ...
def memcpy_dtoh(
    dest: _Buffer, src: _Pointer, stream: _AnyStream | None = None
) -> None: ...
def memcpy_dtoh_async(
    dest: _Buffer, src: _Pointer, stream: _AnyStream | None = None
) -> None: ...
def memcpy_htod(
    dest: _Pointer, src: _Buffer, stream: _AnyStream | None = None
) -> None: ...
def memcpy_htod_async(
    dest: _Pointer, src: _Buffer, stream: _AnyStream | None = None
) -> None: ...
def memcpy_peer(
    dest: _Pointer,
    src: _Pointer,
    size: int,
    dest_context: Any = None,
    src_context: Any = None,
) -> None: ...
def memcpy_peer_async(
    dest: _Pointer,
    src: _Pointer,
    size: int,
    dest_context: Any = None,
    src_context: Any = None,
    stream: _AnyStream | None = None,
) -> None: ...
def memset_d16(dest: _Pointer, data: int, size: int) -> None: ...
def memset_d16_async(
    dest: _Pointer, data: int, size: int, stream: _AnyStream | None = None
) -> None: ...
def memset_d2d16(
    dest: _Pointer, pitch: int, data: int, width: int, height: int
) -> None: ...
def memset_d2d16_async(
    dest: _Pointer,
    pitch: int,
    data: int,
    width: int,
    height: int,
    stream: _AnyStream | None = None,
) -> None: ...
def memset_d2d32(
    dest: _Pointer, pitch: int, data: int, width: int, height: int
) -> None: ...
def memset_d2d32_async(
    dest: _Pointer,
    pitch: int,
    data: int,
    width: int,
    height: int,
    stream: _AnyStream | None = None,
) -> None: ...
def memset_d2d8(
    dest: _Pointer, pitch: int, data: int, width: int, height: int
) -> None: ...
def memset_d2d8_async(
    dest: _Pointer,
    pitch: int,
    data: int,
    width: int,
    height: int,
    stream: _AnyStream | None = None,
) -> None: ...
def memset_d32(dest: _Pointer, data: int, size: int) -> None: ...
def memset_d32_async(
    dest: _Pointer, data: int, size: int, stream: _AnyStream | None = None
) -> None: ...
def memset_d8(dest: _Pointer, data: int, size: int) -> None: ...
def memset_d8_async(
    dest: _Pointer, data: int, size: int, stream: _AnyStream | None = None
) -> None: ...
def module_from_buffer(
    buffer: _Buffer, options: Any = (), message_handler: Any = None
) -> Module: ...
def module_from_file(filename: str) -> Module: ...
def pagelocked_empty(
    shape: _Shape, dtype: npt.DTypeLike, order: str = "C", mem_flags: int = 0
) -> _PagelockedArray: ...
def py_memcpy_atoh(dest: _Buffer, ary: Array, index: int) -> None: ...
def py_memcpy_htoa(ary: Array, index: int, src: _Buffer) -> None: ...
def register_host_memory(
    ary: _HostArray, flags: int = 0
) -> _RegisteredArray: ...
def start_profiler() -> None: ...
def stop_profiler() -> None: ...
def memcpy_htoa(ary: Array, index: int, src: _Buffer) -> None: ...
def memcpy_atoh(dest: _Buffer, ary: Array, index: int) -> None: ...
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
def _as_stream(stream: _AnyStream | None, /) -> Stream | None: ...
def _contexts() -> list[Context]: ...
def _access_counts(arg0: bool, /) -> str: ...
def _check_size(arg0: DeviceAllocation, /) -> None: ...
def _has_captures() -> bool: ...
def _select_checks(arg0: str, /) -> None: ...
def _set_kernel_factory(
    factory: Callable[[tuple[Any, ...]], Any], /
) -> None: ...
def _set_context_end(ended: Callable[[Context], None], /) -> None: ...
def _context_results() -> dict[tuple[Any, ...], Any]: ...
def _drop_kernels() -> None: ...

# GPUArray, less its methods in Python.

@final
class _ArrayFlags:
    @property
    def c_contiguous(self) -> bool: ...
    @property
    def f_contiguous(self) -> bool: ...
    @property
    def forc(self) -> bool: ...

@disjoint_base
class ArrayBase:
    def __init__(
        self,
        shape: _Shape,
        dtype: npt.DTypeLike,
        allocator: Callable[[int], Any] | None = None,
        base: Any = None,
        gpudata: _Pointer | None = None,
        strides: Iterable[SupportsIndex] | None = None,
        order: str = "C",
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def mem_size(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def flags(self) -> _ArrayFlags: ...
    @property
    def T(self) -> Self: ...
    @property
    def base(self) -> Any: ...
    @property
    def gpudata(self) -> Any: ...
    @property
    def ptr(self) -> int: ...
    allocator: Callable[[int], Any]
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def get(
        self,
        ary: _HostArray | None = None,
        pagelocked: bool = False,
        async_: bool = False,
        stream: _AnyStream | None = None,
    ) -> _HostArray: ...
    def get_async(
        self, stream: _AnyStream | None = None, ary: _HostArray | None = None
    ) -> _HostArray: ...
    def set(
        self,
        ary: _HostArray | ArrayBase,
        async_: bool = False,
        stream: _AnyStream | None = None,
    ) -> None: ...
    def set_async(
        self, ary: _HostArray | ArrayBase, stream: _AnyStream | None = None
    ) -> None: ...
    def fill(
        self,
        value: _Number | np.void | _HostArray,
        stream: _AnyStream | None = None,
    ) -> Self: ...
    def copy(
        self, order: str = "K", stream: _AnyStream | None = None
    ) -> Self: ...
    def astype(
        self, dtype: npt.DTypeLike, stream: _AnyStream | None = None
    ) -> Self: ...
    def view(self, dtype: npt.DTypeLike | None = None) -> Self: ...
    def reshape(self, *shape: _Shape, order: str = "C") -> Self: ...
    def ravel(self) -> Self: ...
    def squeeze(self, axis: _Shape | None = None) -> Self: ...
    def transpose(
        self, axes: Iterable[SupportsIndex] | None = None
    ) -> Self: ...
    def _new_like_me(
        self, dtype: npt.DTypeLike | None = None, order: str = "C"
    ) -> Self: ...
    def _strided(
        self, shape: Sequence[int], strides: Sequence[int]
    ) -> Self: ...
    def __copy__(self) -> Self: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __getitem__(self, key: _Index, /) -> Self: ...
    def __setitem__(
        self, key: _Index, value: _Operand | np.void | _HostArray, /
    ) -> None: ...
    def __delitem__(self, key: Any, /) -> NoReturn: ...
    def __neg__(self) -> Self: ...
    def __pos__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __invert__(self) -> Self: ...
    def __add__(self, value: _Operand, /) -> Self: ...
    def __radd__(self, value: _Operand, /) -> Self: ...
    def __iadd__(self, value: _Operand, /) -> Self: ...
    def __sub__(self, value: _Operand, /) -> Self: ...
    def __rsub__(self, value: _Operand, /) -> Self: ...
    def __isub__(self, value: _Operand, /) -> Self: ...
    def __mul__(self, value: _Operand, /) -> Self: ...
    def __rmul__(self, value: _Operand, /) -> Self: ...
    def __imul__(self, value: _Operand, /) -> Self: ...
    def __truediv__(self, value: _Operand, /) -> Self: ...
    def __rtruediv__(self, value: _Operand, /) -> Self: ...
    def __itruediv__(self, value: _Operand, /) -> Self: ...
    def __floordiv__(self, value: _Operand, /) -> Self: ...
    def __rfloordiv__(self, value: _Operand, /) -> Self: ...
    def __ifloordiv__(self, value: _Operand, /) -> Self: ...
    def __mod__(self, value: _Operand, /) -> Self: ...
    def __rmod__(self, value: _Operand, /) -> Self: ...
    def __imod__(self, value: _Operand, /) -> Self: ...
    def __and__(self, value: _Operand, /) -> Self: ...
    def __rand__(self, value: _Operand, /) -> Self: ...
    def __iand__(self, value: _Operand, /) -> Self: ...
    def __or__(self, value: _Operand, /) -> Self: ...
    def __ror__(self, value: _Operand, /) -> Self: ...
    def __ior__(self, value: _Operand, /) -> Self: ...
    def __xor__(self, value: _Operand, /) -> Self: ...
    def __rxor__(self, value: _Operand, /) -> Self: ...
    def __ixor__(self, value: _Operand, /) -> Self: ...
    def __lshift__(self, value: _Operand, /) -> Self: ...
    def __rlshift__(self, value: _Operand, /) -> Self: ...
    def __ilshift__(self, value: _Operand, /) -> Self: ...
    def __rshift__(self, value: _Operand, /) -> Self: ...
    def __rrshift__(self, value: _Operand, /) -> Self: ...
    def __irshift__(self, value: _Operand, /) -> Self: ...
    def __pow__(self, value: _Operand, mod: None = None, /) -> Self: ...
    def __rpow__(self, value: _Operand, mod: None = None, /) -> Self: ...
    def __ipow__(self, value: _Operand, /) -> Self: ...  # type: ignore[misc]
    def __eq__(self, value: object, /) -> Self: ...  # type: ignore[override]
    def __ne__(self, value: object, /) -> Self: ...  # type: ignore[override]
    def __lt__(self, value: _Operand, /) -> Self: ...
    def __le__(self, value: _Operand, /) -> Self: ...
    def __gt__(self, value: _Operand, /) -> Self: ...
    def __ge__(self, value: _Operand, /) -> Self: ...

# Callables with fast paths in C, which replace the functions they are given.

@final
class FastCall:
    def __new__(cls, function: Callable[..., Any], name: str, /) -> Self: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: Any, owner: Any = None, /) -> Any: ...

@final
class FastCollective:
    def __new__(
        cls,
        function: Callable[..., Any],
        name: str,
        group: type[_NcclGroup] | None = None,
    ) -> Self: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: Any, owner: Any = None, /) -> Any: ...

@final
class FastUfunc:
    def __new__(
        cls,
        function: Callable[..., Any],
        name: str,
        reduces: bool,
        inputs: int,
        /,
    ) -> Self: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: Any, owner: Any = None, /) -> Any: ...

@final
class PlannedMethod:
    def __new__(
        cls, function: Callable[..., Any], name: str, reduces: bool, /
    ) -> Self: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: Any, owner: Any = None, /) -> Any: ...

@disjoint_base
class ElementwiseBase:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def _set_plan(
        self,
        function: Any,
        arguments: Any,
        vectors: Any,
        most_blocks: Any,
        is_several: Any,
        several: Any,
    ) -> Any: ...

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
    stream: _AnyStream | None = None,
    /,
) -> bool: ...
def _put_indexed(
    row: ArrayBase,
    indices: ArrayBase,
    axis: int,
    values: ArrayBase,
    stream: _AnyStream | None = None,
    /,
) -> bool: ...
def _cublas_open() -> str | None: ...
def _cublas_handle(stream: _AnyStream | None, /) -> bool | None: ...
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
    stream: _AnyStream | None,
    /,
) -> bool | None: ...
def _nccl_open() -> tuple[str, int]: ...
def _nccl_unique_id() -> bytes: ...
def _nccl_init(size: int, rank: int, id: bytes, seconds: float, /) -> Any: ...
def _nccl_split(communicator: Any, color: int, key: int, /) -> Any: ...
def _nccl_end(communicator: Any, abort: bool, /) -> None: ...
def _nccl_error(communicator: Any, /) -> str | None: ...
def _nccl_describe(communicator: Any, /) -> tuple[int, int, int]: ...
def _nccl_check_context() -> None: ...
def _nccl_limit(
    communicator: Any, seconds: float, observe: bool, /
) -> None: ...
def _nccl_set_failed(
    error: type[Exception], report: Callable[[str, int], None], /
) -> None: ...
def _nccl_call(
    communicator: Any,
    kind: int,
    send: Any,
    recv: Any,
    count: int,
    type: int,
    bytes: int,
    op: int,
    peer: int,
    stream: _AnyStream | None,
    /,
) -> None: ...
def _nccl_group_defer(function: Callable[[], object], /) -> bool: ...

class _NcclGroup:
    def __enter__(self, /) -> None: ...
    def __exit__(self, /, *exception: object) -> None: ...

def _nccl_scaled_sum(
    communicator: Any, type: int, factor: bytes, /
) -> int: ...
def _nccl_op_destroy(communicator: Any, op: int, /) -> None: ...
def _distance(a: ArrayBase, b: ArrayBase, /) -> int: ...
def _identity(
    array: ArrayBase, /
) -> tuple[int, tuple[int, ...], tuple[int, ...], np.dtype[Any]]: ...
def _register_faults(address: int, device: int, owner: Any, /) -> None: ...
def _registered_faults() -> Any: ...
def _check_faults() -> None: ...
def _apply(
    name: str,
    inputs: tuple[Any, ...],
    out: Any = None,
    dtype: Any = None,
    stream: _AnyStream | None = None,
) -> Any: ...
