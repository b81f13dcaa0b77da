/* cross_context.c - orders the uses of memory by several contexts.
 *
 * Called by core_use (stream_dependencies.c) if a process has several
 * contexts. Copies and fills may use memory of another context than the
 * current one, and so may kernels with managed memory, pools and enabled
 * peers. Streams of two contexts are not ordered, not even both default
 * streams, which have the same handle. The allocation records the context and
 * stream of its last use. If the next use is in another context, it waits on
 * the device for the last use.
 *
 * If the last use was in another context, the allocation's `stream` is set to
 * NO_STREAM, which equals no real stream. The fast paths compare `stream` with
 * the stream of a launch, so they decline without a test for this case.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/context/stream_list.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/memory/allocation.h"
#include "core/memory/cross_context.h"
#include "core/memory/peer_memory.h"
#include "core/python/gil.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/open_captures.h"

static char no_stream;
#define NO_STREAM ((CUstream)&no_stream)

int
core_stream_follow(struct core_context *context, CUstream earlier,
                   CUstream later)
{
    CUevent event;
    struct core_scope scope;
    if (!core_enter(context, &scope)) {
        return 0;
    }
    CUresult code = driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (code != CUDA_SUCCESS) {
        core_leave(&scope);
        return core_check(code, "cuEventCreate");
    }
    code = driver.cuEventRecord(event, earlier);
    core_leave(&scope);
    int status = core_check(code, "cuEventRecord");
    if (status == 0) {
        /* A NULL `later` means the default stream of the context at the top of
         * this package's stack. The driver may have another current context,
         * so make the driver's the same. */
        core_stack_claim();
        status = core_check(driver.cuStreamWaitEvent(later, event, 0),
                            "cuStreamWaitEvent");
    }
    driver.cuEventDestroy(event);
    return status;
}

static CUresult
context_synchronize(const struct core_context *context)
{
    struct core_scope scope;
    if (!core_enter(context, &scope)) {
        return core.forked ? CUDA_ERROR_NOT_INITIALIZED
                           : CUDA_ERROR_INVALID_CONTEXT;
    }
    PyThreadState *thread = core_gil_release();
    CUresult code = driver.cuCtxSynchronize();
    core_gil_acquire(thread);
    core_leave(&scope);
    return code;
}

int
core_context_wait(const struct core_context *context)
{
    return core_check(context_synchronize(context), "cuCtxSynchronize");
}

bool
core_is_cross_use(const struct core_allocation *self,
                  const struct core_context *here, CUstream stream)
{
    const struct core_context *owner = self->context;
    return here != NULL && here != owner && here->handle != owner->handle &&
           (stream == NULL || !core_stream_known(owner, stream));
}

static bool
is_valid_user(const struct core_context *context, const void *user)
{
    return context == user && context->valid;
}

/* Returns the other context that used the memory last, as a new reference.
 * Returns NULL if that context does not exist any more; its work is then
 * complete. */
static struct core_context *
live_user(const struct core_allocation *self)
{
    return self->crossed ? core_contexts_find(is_valid_user, self->user)
                         : NULL;
}

/* Makes the stream `later` of the current context wait for the stream
 * `earlier` of `context`. If other streams used the memory (`is_only` is
 * false) or `earlier` may have been destroyed, the host waits for the whole
 * context instead. */
static int
follow_use(struct core_context *context, CUstream earlier, bool is_only,
           CUstream later)
{
    return is_only && core_stream_known(context, earlier)
               ? core_stream_follow(context, earlier, later)
               : core_context_wait(context);
}

/* Makes the stream `later` wait for the last use of the memory, in any
 * context. */
static int
follow_last_use(struct core_allocation *self, CUstream later)
{
    if (!self->crossed) {
        return follow_use(self->context, self->stream, !self->scattered,
                          later);
    }
    struct core_context *user = live_user(self);
    int status = user == NULL || user->captures != 0
                     ? 0
                     : follow_use(user, self->user_stream, true, later);
    Py_XDECREF((PyObject *)user);
    return status;
}

int
core_cross_use_begin(struct core_allocation *self, struct core_context *here,
                     CUstream stream)
{
    if (here->captures != 0 || self->context->captures != 0) {
        self->scattered = self->was_scattered = self->touched = true;
        return core_capture_retain(here, (PyObject *)self);
    }
    bool is_last =
        self->crossed && self->user == here && self->user_stream == stream;
    if (!is_last && follow_last_use(self, stream) < 0) {
        return -1;
    }
    /* another thread freed the memory or detached its context */
    if (self->freed || !self->context->valid) {
        return core_allocation_alive(self);
    }
    if (!self->crossed) {
        self->was_scattered = self->scattered;
    }
    self->crossed = self->scattered = self->touched = true;
    self->user = here;
    self->user_stream = stream;
    self->stream = NO_STREAM;
    core_throttle_add(here,
                      /* makes the stream wait for the other context's work */
                      stream);
    return 0;
}

int
core_cross_use_return(struct core_allocation *self,
                      const struct core_context *here, CUstream stream)
{
    if (here == NULL || here->captures != 0) {
        self->was_scattered = true;
        return 0;
    }
    if (follow_last_use(self, stream) < 0) {
        return -1;
    }
    /* another thread freed the memory or detached its context */
    if (self->freed || !self->context->valid) {
        return core_allocation_alive(self);
    }
    self->crossed = false;
    self->scattered = self->was_scattered;
    self->touched = true;
    self->stream = stream;
    if (here == self->context) {
        core_throttle_add(self->context, stream);
    }
    return 0;
}

static int
wait_for_user(const struct core_allocation *self)
{
    struct core_context *user = live_user(self);
    int status =
        user == NULL || user->captures != 0 || self->context->captures != 0
            ? 0
            : core_context_wait(user);
    Py_XDECREF((PyObject *)user);
    return status;
}

int
core_wait_other_contexts(PyObject *owner)
{
    owner = core_memory_owner(owner);
    return owner != NULL && core_is_allocation(owner)
               ? wait_for_user((struct core_allocation *)owner)
               : 0;
}

int
core_cross_wait(struct core_allocation *self)
{
    return wait_for_user(self) < 0 ? -1 : core_context_wait(self->context);
}

void
core_cross_use_end(struct core_allocation *self)
{
    struct core_context *user = live_user(self);
    if (user != NULL && user->captures == 0 && !core.forked) {
        context_synchronize(user);
    }
    Py_XDECREF((PyObject *)user);
}

int
core_cross_wait_address(CUdeviceptr pointer)
{
    return core_contexts_are_several() ? core_foreign_wait(pointer) : 0;
}

/* Returns whether the CUDA array belongs to another context than the current
 * one, and neither of the two contexts is capturing. */
static bool
is_cross_array(const struct core_object *array)
{
    const struct core_context *here = core_stack_top();
    return here != NULL && here->handle != array->context->handle &&
           here->captures == 0 && array->context->captures == 0;
}

int
core_cross_wait_array(PyObject *array, bool *is_cross)
{
    const struct core_object *self = (struct core_object *)array;
    if (!is_cross_array(self)) {
        return 0;
    }
    *is_cross = true;
    return core_context_wait(self->context);
}
