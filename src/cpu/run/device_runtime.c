/* device_runtime.c - the device runtime's functions in the form in which
 * kernels call them.
 *
 * Called by kernel code on a worker's thread. Each function first copies what
 * it needs from the kernel's memory; a fault in that step is a fault of the
 * kernel. It then calls a function that run/child_launch.c has installed;
 * during that call neither a fault signal nor a time limit ends the kernel.
 * Each thread of a kernel has a last error. A worker stores the last errors of
 * the threads of the block that it runs.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/limits.h"
#include "cpu/module/image.h"
#include "cpu/run/device_runtime.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* Error codes of the runtime API. */
enum { INVALID_VALUE = 1, INVALID_DEVICE_FUNCTION = 98 };

/* Flags that streams and events must have if a kernel creates them:
 * cudaStreamNonBlocking and cudaEventDisableTiming. */
enum { STREAM_FLAGS = 1, EVENT_FLAGS = 2 };

/* The last errors of the threads of one block. */
struct cpu_thread_errors {
    uint64_t serial, block; /* launch number, block index of the threads */
    int code[CPU_MAX_THREADS];
};

static const struct cpu_device_runtime *_Atomic runtime;

void
cpu_device_runtime_install(const struct cpu_device_runtime *functions)
{
    atomic_store(&runtime, functions);
}

/* Begins a part of a runtime function. A fault in this part is an error of
 * this library, not of the kernel. Returns the callbacks that
 * run/child_launch.c has installed. */
static const struct cpu_device_runtime *
enter(struct cpu_worker *worker)
{
    worker->in_kernel = 0;
    return atomic_load_explicit(&runtime, memory_order_relaxed);
}

static int
leave(struct cpu_worker *worker, int code)
{
    worker->in_kernel = 1;
    return code;
}

/* ---- last errors ---- */

/* Returns the worker's table of last errors for this block. If the worker has
 * no table for the block, creates it if `make` is true. Returns NULL if there
 * is no table, or not enough memory. */
static struct cpu_thread_errors *
errors_of(struct cpu_worker *worker, uint64_t block, bool make)
{
    struct cpu_thread_errors *errors = worker->thread_errors;
    uint64_t serial = worker->launch->serial;

    if (errors && errors->serial == serial && errors->block == block) {
        return errors;
    }
    if (!make) {
        return NULL;
    }
    if (!errors) {
        worker->in_kernel = 0;
        errors = worker->thread_errors = malloc(sizeof *errors);
        worker->in_kernel = 1;
    }
    if (errors) {
        memset(errors, 0, sizeof *errors);
        errors->serial = serial;
        errors->block = block;
    }
    return errors;
}

int32_t
__pycuda_device_error(uint64_t block, uint32_t thread, int32_t action,
                      int32_t code)
{
    struct cpu_thread_errors *errors =
        errors_of(cpu_worker_tls, block, action == IMAGE_ERROR_SET && code);

    if (!errors || thread >= CPU_MAX_THREADS) {
        return code;
    }
    if (action == IMAGE_ERROR_SET) {
        errors->code[thread] = code ? code : errors->code[thread];
        return code;
    }
    int last = errors->code[thread];
    if (action == IMAGE_ERROR_TAKE) {
        errors->code[thread] = 0;
    }
    return last;
}

/* ---- kernels ---- */

/* Returns the name of the kernel with this address, or NULL if the address is
 * not that of a kernel. */
static const char *
kernel_name(const void *kernel)
{
    const struct image_kernel_address *address = kernel;

    return (uintptr_t)kernel % _Alignof(struct image_kernel_address) == 0 &&
                   cpu_image_contains(address) &&
                   cpu_image_contains(address + 1) &&
                   address->magic == IMAGE_KERNEL_ADDRESS
               ? address->name
               : NULL;
}

int32_t
__pycuda_child_launch(const struct image_child_launch *launch,
                      const void *kernel, const void *params, uint64_t bytes)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct image_child_launch copy = *launch;
    const char *name = kernel_name(kernel);
    int code = INVALID_DEVICE_FUNCTION;

    if (name) {
        code = leave(worker, enter(worker)->launch(worker->launch, &copy, name,
                                                   params, bytes));
    }
    return __pycuda_device_error(copy.caller_block, copy.caller_thread,
                                 IMAGE_ERROR_SET, code);
}

int32_t
__pycuda_kernel_attribute(const void *kernel, int32_t attribute,
                          int32_t *value)
{
    struct cpu_worker *worker = cpu_worker_tls;
    const char *name = kernel_name(kernel);
    int result = 0;

    if (!name) {
        return INVALID_DEVICE_FUNCTION;
    }
    int code = leave(worker, enter(worker)->kernel_attribute(
                                 worker->launch, name, attribute, &result));
    *value = result;
    return code;
}

int32_t
__pycuda_kernel_occupancy(const void *kernel, int32_t threads, uint64_t shared,
                          int32_t *blocks)
{
    struct cpu_worker *worker = cpu_worker_tls;
    const char *name = kernel_name(kernel);
    int result = 0;

    if (!name) {
        return INVALID_DEVICE_FUNCTION;
    }
    int code =
        leave(worker, enter(worker)->occupancy(worker->launch, name, threads,
                                               shared, &result));
    *blocks = result;
    return code;
}

/* ---- streams, events, copies ---- */

int32_t
__pycuda_device_object(int32_t action, void **object, uint32_t flags)
{
    struct cpu_worker *worker = cpu_worker_tls;
    void *copy = *object;

    if ((action == IMAGE_STREAM_CREATE && flags != STREAM_FLAGS) ||
        (action == IMAGE_EVENT_CREATE && flags != EVENT_FLAGS)) {
        return INVALID_VALUE;
    }
    int code =
        leave(worker, enter(worker)->object(worker->launch, action, &copy));
    *object = copy;
    return code;
}

int32_t
__pycuda_device_event(void *event, void *stream, uint64_t block, int32_t wait)
{
    struct cpu_worker *worker = cpu_worker_tls;

    return leave(worker, enter(worker)->event(worker->launch, event, stream,
                                              block, wait != 0));
}

int32_t
__pycuda_device_copy(const struct image_device_copy *copy, void *stream,
                     uint64_t block)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct image_device_copy own = *copy;

    return leave(worker,
                 enter(worker)->copy(worker->launch, &own, stream, block));
}

/* ---- queries ---- */

int32_t
__pycuda_device_limit(int32_t limit, uint64_t *value)
{
    struct cpu_worker *worker = cpu_worker_tls;
    uint64_t result = 0;
    int code =
        leave(worker, enter(worker)->limit(worker->launch, limit, &result));

    *value = result;
    return code;
}

int32_t
__pycuda_device_attribute(int32_t attribute, int32_t device, int32_t *value)
{
    struct cpu_worker *worker = cpu_worker_tls;
    int result = 0;
    int code = leave(worker, enter(worker)->attribute(
                                 worker->launch, attribute, device, &result));

    *value = result;
    return code;
}
