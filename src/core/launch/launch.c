/* launch.c - launches a kernel with packed arguments.
 *
 * The callers are call.c, prepared_call.c, legacy.c and array_launch.c. The
 * GIL is released only if the launch may have to wait for the device
 * (throttle.c), since a release costs a thread switch if another thread is
 * busy.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/code/module.h"
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/launch/diagnostics.h"
#include "core/launch/inline.h"
#include "core/launch/launch.h"
#include "core/launch/pack_buffer.h"
#include "core/launch/retry.h"
#include "core/launch/throttle.h"
#include "core/numpy.h"
#include "core/python/gil.h"
#include "core/stream/open_captures.h"
#include "core/texture/texture_reference.h"

static inline CUresult
launch_now(CUfunction function, const unsigned grid[3],
           const unsigned block[3], unsigned shared, CUstream stream,
           void **arguments, void **extra)
{
    return driver.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0],
                                 block[1], block[2], shared, stream, arguments,
                                 extra);
}

/* Launches without the GIL. Holds a reference to the context's compiled
 * kernels, which another thread may drop in that time. */
static __attribute__((noinline)) CUresult
launch_without_gil(struct core_context *context, CUfunction function,
                   const unsigned grid[3], const unsigned block[3],
                   unsigned shared, CUstream stream, void **arguments,
                   void **extra)
{
    PyObject *kernels = Py_XNewRef(context->local[CORE_LOCAL_KERNELS]);
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = launch_now(function, grid, block, shared, stream, arguments, extra);
    core_gil_acquire(thread);
    Py_XDECREF(kernels);
    return code;
}

/* Launches a second time if core_launch_may_retry says so. */
static __attribute__((noinline)) CUresult
launch_retry(CUresult code, struct core_context *context, CUfunction function,
             const unsigned grid[3], const unsigned block[3], unsigned shared,
             CUstream stream, void **arguments, void **extra)
{
    PyObject *kernels = Py_XNewRef(context->local[CORE_LOCAL_KERNELS]);
    bool tried = false;
    if (core_launch_may_retry(code, context, &tried)) {
        code = launch_now(function, grid, block, shared, stream, arguments,
                          extra);
    }
    Py_XDECREF(kernels);
    return code;
}

/* Counts the launch, and launches: without the GIL if the driver's queue may
 * be full. If device memory is exhausted, retries once. */
static inline CUresult
launch_counted(struct core_context *context, CUfunction function,
               const unsigned grid[3], const unsigned block[3],
               unsigned shared, CUstream stream, void **arguments,
               void **extra)
{
    CUresult code = LIKELY(!core_throttle_add(context, stream))
                        ? launch_now(function, grid, block, shared, stream,
                                     arguments, extra)
                        : launch_without_gil(context, function, grid, block,
                                             shared, stream, arguments, extra);
    return LIKELY(code == CUDA_SUCCESS)
               ? code
               : launch_retry(code, context, function, grid, block, shared,
                              stream, arguments, extra);
}

/* Launches a kernel and counts the launch as pending, for callers in other
 * files; launch_counted does the work. Raises no exception. */
CUresult
core_launch_counted(struct core_context *context, CUfunction function,
                    const unsigned grid[3], const unsigned block[3],
                    unsigned shared, CUstream stream, void **arguments,
                    void **extra)
{
    return launch_counted(context, function, grid, block, shared, stream,
                          arguments, extra);
}

/* Launches by cuLaunchKernelEx: a cooperative launch, or one with clusters. */
static CUresult
launch_extended(struct core_function *function, const unsigned grid[3],
                const unsigned block[3], unsigned shared,
                struct core_pack *pack, void **extra)
{
    CUlaunchAttribute attributes[2];
    unsigned count = 0;
    memset(attributes, 0, sizeof attributes);
    if (pack->cooperative) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[count++].value.cooperative = 1;
    }
    if (pack->cluster[0] != 0) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[count].value.clusterDim.x = pack->cluster[0];
        attributes[count].value.clusterDim.y = pack->cluster[1];
        attributes[count++].value.clusterDim.z = pack->cluster[2];
    }
    CUlaunchConfig config = {
        .gridDimX = grid[0],
        .gridDimY = grid[1],
        .gridDimZ = grid[2],
        .blockDimX = block[0],
        .blockDimY = block[1],
        .blockDimZ = block[2],
        .sharedMemBytes = shared,
        .hStream = pack->stream,
        .attrs = attributes,
        .numAttrs = count,
    };
    core_throttle_add(function->context, pack->stream);
    void **arguments = extra == NULL ? pack->pointers : NULL;
    bool tried = false;
    CUresult code;
    do {
        PyThreadState *thread = core_gil_release();
        code = driver.cuLaunchKernelEx(&config, function->handle, arguments,
                                       extra);
        core_gil_acquire(thread);
    } while (core_launch_may_retry(code, function->context, &tried));
    return code;
}

/* Records a launch, for later error messages, if it was successful. Otherwise
 * raises its error. */
static int
launch_finish(CUresult code, struct core_function *function,
              const unsigned grid[3], const unsigned block[3], unsigned shared,
              struct core_pack *pack)
{
    if (LIKELY(code == CUDA_SUCCESS)) {
        launch_record(function->context, function->name, NULL, grid, block);
        return 0;
    }
    return core_launch_fail(code, function, grid, block, shared, pack);
}

/* Slow path of launch_packed: a detached context, changed texture references,
 * more dynamic shared memory than allowed so far, arguments passed as one
 * buffer, cooperative launches and clusters. */
static __attribute__((noinline)) int
launch_slow(struct core_function *function, const unsigned grid[3],
            const unsigned block[3], unsigned shared, struct core_pack *pack)
{
    if (!function->context->valid) {
        return core_context_fail_detached("cuLaunchKernel");
    }
    if (function->module->textures != NULL &&
        core_textures_update(function->module, pack->stream) < 0) {
        return -1;
    }
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, pack->buffer,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &pack->bytes,
                     CU_LAUNCH_PARAM_END};
    bool buffer = pack->as_buffer;
    CUresult code;
    if (core_shared_allow(function, shared) < 0) {
        return -1;
    }
    if (pack->cooperative || pack->cluster[0] != 0) {
        code = launch_extended(function, grid, block, shared, pack,
                               buffer ? extra : NULL);
    } else {
        code = core_launch_counted(function->context, function->handle, grid,
                                   block, shared, pack->stream,
                                   buffer ? NULL : pack->pointers,
                                   buffer ? extra : NULL);
    }
    return launch_finish(code, function, grid, block, shared, pack);
}

/* Launches with packed arguments. Cases that need more than one driver call or
 * a special one are passed to launch_slow. */
static inline int
launch_packed(struct core_function *function, const unsigned grid[3],
              const unsigned block[3], unsigned shared, struct core_pack *pack)
{
    struct core_context *context = function->context;
    if (UNLIKELY(!context->valid || function->module->textures != NULL ||
                 shared > function->shared_allowed || pack->as_buffer ||
                 pack->cooperative || pack->cluster[0] != 0)) {
        return launch_slow(function, grid, block, shared, pack);
    }
    CUresult code = launch_counted(context, function->handle, grid, block,
                                   shared, pack->stream, pack->pointers, NULL);
    return launch_finish(code, function, grid, block, shared, pack);
}

int
core_launch_packed(struct core_function *function, const unsigned grid[3],
                   const unsigned block[3], unsigned shared,
                   struct core_pack *pack)
{
    return launch_packed(function, grid, block, shared, pack);
}

int
core_launch_hold(struct core_function *function, PyObject *const *args,
                 Py_ssize_t count)
{
    int status = core_capture_retain(function->context, (PyObject *)function);
    for (Py_ssize_t i = 0; i < count && status == 0; i++) {
        status = core_capture_retain(function->context, args[i]);
    }
    return status;
}
