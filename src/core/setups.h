/* setups.h - the functions that register types and functions of the module,
 * one per file.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_SETUPS_H
#define PYCUDA_CORE_SETUPS_H

#include "core/core.h"

/* Each function registers the Python types or functions of one file. Returns
 * -1 with an exception on failure. */
#define CORE_SETUPS(SETUP)                                                    \
    SETUP(errors)                                                             \
    SETUP(diagnostics)                                                        \
    SETUP(enums)                                                              \
    SETUP(device)                                                             \
    SETUP(stack)                                                              \
    SETUP(context)                                                            \
    SETUP(local_storage)                                                      \
    SETUP(thread_context)                                                     \
    SETUP(kernel_checks)                                                      \
    SETUP(profiler)                                                           \
    SETUP(pointer_holder)                                                     \
    SETUP(allocation)                                                         \
    SETUP(pool)                                                               \
    SETUP(host_memory)                                                        \
    SETUP(stream)                                                             \
    SETUP(current_stream)                                                     \
    SETUP(event)                                                              \
    SETUP(memory)                                                             \
    SETUP(memory_home)                                                        \
    SETUP(module)                                                             \
    SETUP(function)                                                           \
    SETUP(argument_handler)                                                   \
    SETUP(cuda_array)                                                         \
    SETUP(mipmap)                                                             \
    SETUP(staging)                                                            \
    SETUP(texture_reference)                                                  \
    SETUP(texture_object)                                                     \
    SETUP(memcpy_nd)                                                          \
    SETUP(memory_pool)                                                        \
    SETUP(ipc)                                                                \
    SETUP(linker)                                                             \
    SETUP(nvrtc)                                                              \
    SETUP(cublas)                                                             \
    SETUP(nccl)                                                               \
    SETUP(capture)                                                            \
    SETUP(async_pool)                                                         \
    SETUP(graph)                                                              \
    SETUP(callback)                                                           \
    SETUP(gil)
#define SETUP(name) int core_##name##_setup(PyObject *module);
CORE_SETUPS(SETUP)
#undef SETUP

#endif
