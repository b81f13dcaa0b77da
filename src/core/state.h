/* state.h - the extension's process-wide state.
 *
 * CUDA is process-wide, and so is this state: import in a second interpreter
 * is an error. Most fields are rows of the macros CORE_TYPES and CORE_OBJECTS,
 * from which the struct and the visits of the garbage collector are generated.
 * extension_module.c and the *_setup functions write the fields during import.
 * Afterwards the fields are read-only unless a comment says otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STATE_H
#define PYCUDA_CORE_STATE_H

#include "core/core.h"

/* Python types, as TYPE(field of struct core_state, Python name). */
#define CORE_TYPES(TYPE)                                                      \
    TYPE(context_type, "Context")                                             \
    TYPE(stack_type, "_ContextStack")                                         \
    TYPE(device_type, "Device")                                               \
    TYPE(allocation_type, "DeviceAllocation")                                 \
    TYPE(managed_type, "ManagedAllocation")                                   \
    TYPE(pooled_type, "PooledDeviceAllocation")                               \
    TYPE(holder_type, "PointerHolderBase")                                    \
    TYPE(host_view_type, "_HostView")                                         \
    TYPE(host_pointer_type, "HostPointer")                                    \
    TYPE(pagelocked_type, "PagelockedHostAllocation")                         \
    TYPE(aligned_type, "AlignedHostAllocation")                               \
    TYPE(registered_type, "RegisteredHostMemory")                             \
    TYPE(pooled_host_type, "PooledHostAllocation")                            \
    TYPE(device_pool_type, "DeviceMemoryPool")                                \
    TYPE(host_pool_type, "PageLockedMemoryPool")                              \
    TYPE(host_allocator_type, "PageLockedAllocator")                          \
    TYPE(ipc_type, "IPCMemoryHandle")                                         \
    TYPE(stream_type, "Stream")                                               \
    TYPE(event_type, "Event")                                                 \
    TYPE(module_type, "Module")                                               \
    TYPE(function_type, "Function")                                           \
    TYPE(timer_type, "_LaunchTimer")                                          \
    TYPE(handler_type, "ArgumentHandler")                                     \
    TYPE(in_type, "In")                                                       \
    TYPE(out_type, "Out")                                                     \
    TYPE(inout_type, "InOut")                                                 \
    TYPE(descriptor_type, "ArrayDescriptor")                                  \
    TYPE(descriptor3d_type, "ArrayDescriptor3D")                              \
    TYPE(cuarray_type, "Array")                                               \
    TYPE(mipmap_type, "MipmappedArray")                                       \
    TYPE(texref_type, "TextureReference")                                     \
    TYPE(surfref_type, "SurfaceReference")                                    \
    TYPE(texobj_type, "TextureObject")                                        \
    TYPE(surfobj_type, "SurfaceObject")                                       \
    TYPE(memcpy2d_type, "Memcpy2D")                                           \
    TYPE(memcpy3d_type, "Memcpy3D")                                           \
    TYPE(memcpy3dpeer_type, "Memcpy3DPeer")                                   \
    TYPE(linker_type, "Linker")                                               \
    TYPE(async_pool_type, "AsyncMemoryPool")                                  \
    TYPE(async_allocation_type, "AsyncAllocation")                            \
    TYPE(graph_type, "Graph")                                                 \
    TYPE(graph_exec_type, "GraphExec")                                        \
    TYPE(capture_type, "_Capture")                                            \
    TYPE(use_type, "_StreamUse")                                              \
    TYPE(held_callback_type, "_HeldCallback")

/* Python objects, as OBJECT(field of struct core_state); strong references.
 * The fields str_... are interned strings. The text of each is the part of the
 * field's name after "str_", unless a comment gives the text. */
#define CORE_OBJECTS(OBJECT)                                                  \
    OBJECT(module) /* this extension module */                                \
    OBJECT(error)                                                             \
    OBJECT(memory_error)                                                      \
    OBJECT(logic_error)                                                       \
    OBJECT(launch_error)                                                      \
    OBJECT(runtime_error)                                                     \
    OBJECT(enums)          /* dict: name of an enum -> its class */           \
    OBJECT(kernel_factory) /* Python function, set by _set_kernel_factory */  \
    OBJECT(context_end)    /* Python function, set by _set_context_end */     \
    OBJECT(nccl_error)     /* class CommunicationError; NULL until import */  \
    OBJECT(nccl_report)    /* Python function, set by _nccl_set_failed */     \
    OBJECT(thread_context) /* Context, set by set_thread_context; or NULL */  \
    OBJECT(driver_notice)  /* str: why the CPU device is used */              \
    OBJECT(str_grid)                                                          \
    OBJECT(str_block)                                                         \
    OBJECT(str_stream)                                                        \
    OBJECT(str_shared)                                                        \
    OBJECT(str_texrefs)                                                       \
    OBJECT(str_time_kernel)                                                   \
    OBJECT(str_cooperative)                                                   \
    OBJECT(str_cluster)                                                       \
    OBJECT(str_shared_size)                                                   \
    OBJECT(str_cuda_stream)                                                   \
    OBJECT(str_cuda_stream_protocol) /* "__cuda_stream__" */                  \
    OBJECT(str_gpudata)                                                       \
    OBJECT(str_interface) /* "__cuda_array_interface__" */                    \
    OBJECT(str_data)                                                          \
    OBJECT(str_dlpack) /* "__dlpack__" */                                     \
    OBJECT(str_stack)  /* "pycuda.context_stack" */                           \
    OBJECT(str_thread) /* "pycuda.thread" */                                  \
    OBJECT(str_source) /* "_source" */                                        \
    OBJECT(str_get_pointer)                                                   \
    OBJECT(struct_error) /* pycuda._pvt_struct.error; NULL until used */

struct core_state {
    /* The following fields share a cache line with the first type pointers of
     * CORE_TYPES, because each operation of this module reads these fields and
     * those pointers. */
    /* this process was forked from one that had initialized CUDA, so CUDA is
     * unusable */
    bool forked;
    /* the default pool is off (PYCUDA_POOL=0, or PYCUDA_CPU_CHECK is set) */
    bool pool_off;
    /* kernel checks are selected */
    bool checked;
    /* number of entered streams plus number of open captures, in all threads;
     * accessed by ADD_SHARED and READ_SHARED */
    unsigned stream_defaults;
#define TYPE(field, name) PyTypeObject *field;
    CORE_TYPES(TYPE)
#undef TYPE
#define OBJECT(field) PyObject *field;
    CORE_OBJECTS(OBJECT)
#undef OBJECT
    /* strong reference; the class ArrayBase, which core_set_array_type
     * stores */
    PyTypeObject *array_type;
    /* returns the bytes from an array's first element to the end of its
     * memory; set by core_set_array_type */
    size_t (*array_bytes_to_end)(PyObject *);
    bool opened;      /* true: the driver library is loaded */
    bool is_cpu;      /* true: the driver library is the CPU device's */
    bool initialised; /* true: cuInit succeeded in this process */
    /* the context key assigned last; only increases, by ADD_SHARED */
    uint64_t next_serial;
};

extern struct core_state core;

#endif
