/* stream_dependencies.c - records the stream that uses device memory, and
 * makes other streams wait for it.
 *
 * core_use is called for each array of a launch or copy,
 * core_stream_wait_owner and core_interface_stream when memory is passed to
 * another library, core_stream_wait_interface when memory of another library
 * is used. All functions need the GIL; waits on the host release it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/context/stream_list.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/cross_context.h"
#include "core/memory/peer_memory.h"
#include "core/memory/stream_dependencies.h"
#include "core/memory/use_fast.h"
#include "core/python/args.h"
#include "core/python/locks.h"
#include "core/state.h"
#include "core/stream/current_stream.h"
#include "core/stream/open_captures.h"

/* Returns whether the stream belongs to an existing Stream object of the
 * context that is blocking (ordered with the default stream). */
static bool
stream_blocks(const struct core_context *context, CUstream stream)
{
    for (size_t i = 0; i < context->stream_count; i++) {
        if (context->streams[i].handle == stream) {
            return context->streams[i].blocking;
        }
    }
    return false;
}

/* Records the first use of an allocation, if `stream` is not the stream that
 * it was allocated for. Makes `stream` wait for pending work of the previous
 * owner of the block. If the stream of the previous owner was destroyed, its
 * work is complete and no wait is needed. */
static int
use_first(struct core_allocation *self, CUstream stream)
{
    if (!self->settled && core_stream_known(self->context, self->stream) &&
        core_stream_follow(self->context, self->stream, stream) < 0) {
        return -1;
    }
    self->touched = true;
    self->stream = stream;
    return 0;
}

/* Records a use on another stream than the last use. The legacy default stream
 * is ordered with every blocking stream. Any other two streams are not
 * ordered, and then the allocation is marked as `scattered`. */
static int
use_on_other_stream(struct core_allocation *self, CUstream stream)
{
    struct core_context *context = self->context;
    bool ordered = (self->stream == NULL && stream_blocks(context, stream)) ||
                   (stream == NULL && stream_blocks(context, self->stream));
    if (!ordered && !self->touched && self->cached && !self->scattered &&
        core_stream_known(context, stream)) {
        return use_first(self, stream);
    }
    self->scattered |= !ordered;
    self->touched = true;
    self->stream = stream;
    return 0;
}

bool
core_owners_are_disjoint(PyObject *owner, PyObject *other)
{
    return owner != other && owner != NULL && other != NULL &&
           Py_IS_TYPE(owner, core.allocation_type) &&
           Py_IS_TYPE(other, core.allocation_type);
}

/* Records that the stream uses the memory to which the attribute gpudata of an
 * object of a user's class refers. Ignores an object without this
 * attribute. */
static int
use_gpudata_of(PyObject *object, CUstream stream)
{
    PyObject *memory = NULL;
    if (PyLong_CheckExact(object) || object == Py_None) {
        return 0;
    }
    if (core_attribute(object, core.str_gpudata, &memory) < 0) {
        return -1;
    }
    int status = 0;
    if (memory != NULL) {
        status = Py_EnterRecursiveCall(" while following gpudata");
    }
    if (memory != NULL && status == 0) {
        status = core_use(memory, stream);
        Py_LeaveRecursiveCall();
    }
    Py_XDECREF(memory);
    return status;
}

/* Records that the stream uses an allocation. The caller has the lock of the
 * allocation's context. */
static int
use_allocation(struct core_allocation *self, CUstream stream)
{
    if (self->freed || !self->context->valid) {
        return core_allocation_alive(self);
    }
    if (self->context->captures != 0) {
        /* the captured graph may use the memory at any time */
        self->scattered = true;
        if (core_capture_retain(self->context, (PyObject *)self) < 0) {
            return -1;
        }
    }
    stream = stream == NULL ? core_stream_default() : stream;
    struct core_context *here = core_stack_top();
    if (core_is_cross_use(self, here, stream)) {
        return core_cross_use_begin(self, here, stream);
    }
    if (self->crossed) {
        return core_cross_use_return(self, here, stream);
    }
    if (self->stream == stream) {
        self->touched = true;
        return 0;
    }
    return use_on_other_stream(self, stream);
}

/* Slow path of core_use, for all uses in which comparing the stream with the
 * memory's last stream is not enough. */
static __attribute__((noinline)) int
use_slow(PyObject *owner, CUstream stream)
{
    if (owner == NULL) {
        return 0;
    }
    if (!core_is_allocation(owner)) {
        return core_is_array(owner)
                   ? core_use(((struct core_array_head *)owner)->owner, stream)
                   : use_gpudata_of(owner, stream);
    }
    struct core_allocation *self = (struct core_allocation *)owner;
    struct core_section section;
    CORE_CONTEXT_BEGIN(&section, self->context);
    int status = use_allocation(self, stream);
    CORE_CONTEXT_END(&section);
    return status;
}

int
core_use(PyObject *owner, CUstream stream)
{
    return LIKELY(owner != NULL && Py_IS_TYPE(owner, core.allocation_type)) &&
                   use_fast((struct core_allocation *)owner,
                            stream == NULL ? core_stream_default() : stream)
               ? 0
               : use_slow(owner, stream);
}

/* Records that `stream` uses the memory at `pointer`, which belongs to
 * `object`. If `object` does not record its uses (an int, an object of another
 * library) and the memory belongs to another context, waits on the host for
 * that context. */
int
core_use_at(PyObject *object, CUdeviceptr pointer, CUstream stream)
{
    if (object != NULL && PyLong_CheckExact(object)) {
        /* an int is the address itself, so no object records uses of the
         * memory */
        return core_cross_wait_address(pointer);
    }
    bool is_tracked = object != NULL && core_is_allocation(object);
    PyObject *owner = is_tracked ? object : core_memory_owner(object);
    is_tracked = is_tracked || (owner != NULL && core_is_allocation(owner));
    return !is_tracked && core_cross_wait_address(pointer) < 0
               ? -1
               : core_use(owner, stream);
}

int
core_use_array(const struct core_array_head *array, CUstream stream)
{
    PyObject *owner = array->owner;
    return LIKELY(owner != NULL && Py_IS_TYPE(owner, core.allocation_type)) &&
                   use_fast((struct core_allocation *)owner,
                            stream == NULL ? core_stream_default() : stream)
               ? 0
               : core_use_at(owner, array->pointer, stream);
}

/* Slow path of core_use_in_kernel: checks that the kernel can access the
 * memory, then records the use. */
static __attribute__((noinline)) int
use_in_kernel_unusual(PyObject *owner, CUstream stream)
{
    const struct core_allocation *self = (struct core_allocation *)owner;
    return owner != NULL && core_is_allocation(owner) && !self->freed &&
                   READ_SHARED(self->context->guarded) &&
                   self->context != core_stack_top() &&
                   core_foreign_reach(self->pointer) < 0
               ? -1
               : use_slow(owner, stream);
}

/* The fast path needs no check that the kernel can access the memory: use_fast
 * declines if several contexts exist. */
int
core_use_in_kernel(PyObject *owner, CUstream stream)
{
    return LIKELY(owner != NULL && Py_IS_TYPE(owner, core.allocation_type)) &&
                   use_fast((struct core_allocation *)owner,
                            stream == NULL ? core_stream_default() : stream)
               ? 0
               : use_in_kernel_unusual(owner, stream);
}

/* During a capture, makes the stream `later` join the capture by an event
 * wait. Earlier work outside the capture is not waited for, since a graph must
 * not depend on it. */
static int
wait_in_capture(CUstream later)
{
    CUstream earlier = core_stream_default();
    if (earlier == NULL || earlier == later) {
        return 0;
    }
    if (later == NULL || later == CU_STREAM_LEGACY) {
        return core_fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                         "cuStreamWaitEvent",
                         "a consumer on the default stream cannot join a "
                         "capture");
    }
    return core_stream_follow(core_stack_top(), earlier, later);
}

int
core_stream_wait_owner(PyObject *owner, CUstream later)
{
    struct core_context *context = core_current();
    owner = core_memory_owner(owner);
    struct core_allocation *self = (struct core_allocation *)owner;
    if (context == NULL) {
        return -1;
    }
    if (context->captures != 0) {
        return wait_in_capture(later);
    }
    if (owner == NULL || !core_is_allocation(owner)) {
        return core_context_wait(context);
    }
    if (self->scattered || !core_stream_known(self->context, self->stream)) {
        return core_cross_wait(self);
    }
    return self->context == context && self->stream == later
               ? 0
               : core_stream_follow(self->context, self->stream, later);
}

/* ---- the stream of __cuda_array_interface__ ---- */

/* Returns the value of `stream` in a __cuda_array_interface__. The values of
 * the default streams are the same as in CUDA, but NULL becomes 1 (legacy),
 * since 0 is not allowed. */
static PyObject *
stream_as_integer(CUstream stream)
{
    stream = stream == NULL ? CU_STREAM_LEGACY : stream;
    return PyLong_FromUnsignedLongLong((uintptr_t)stream);
}

PyObject *
core_interface_stream(PyObject *owner)
{
    owner = core_memory_owner(owner);
    struct core_allocation *self = (struct core_allocation *)owner;
    struct core_context *context;
    const bool is_ours = owner != NULL && core_is_allocation(owner);

    if (is_ours) {
        context = self->context;
        if (self->freed || !context->valid) {
            Py_RETURN_NONE;
        }
        /* A stream handle is only useful to a consumer in the same context. */
        if (context == core_stack_top() && !self->scattered &&
            core_stream_known(context, self->stream)) {
            return stream_as_integer(self->stream);
        }
    } else if ((context = core_current()) == NULL) {
        return NULL;
    }
    if (context->captures != 0) { /* waiting would invalidate the capture */
        return stream_as_integer(core_stream_default());
    }
    if ((is_ours ? core_cross_wait(self) : core_context_wait(context)) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns whether the driver orders two streams: they are the same, or one is
 * the legacy default stream and the other is blocking. */
static bool
streams_are_ordered(const struct core_context *context, CUstream earlier,
                    CUstream later)
{
    return earlier == later ||
           (earlier == NULL && stream_blocks(context, later)) ||
           (later == NULL && stream_blocks(context, earlier));
}

int
core_stream_wait_interface(PyObject *interface, CUstream later)
{
    PyObject *number = PyDict_GetItemWithError(interface, core.str_stream);

    if (number == NULL || number == Py_None) {
        return PyErr_Occurred() ? -1 : 0;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return -1;
    }
    CUstream earlier = (CUstream)(uintptr_t)PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred()) {
        return -1;
    }
    earlier = earlier == CU_STREAM_LEGACY ? NULL : earlier;
    later = later == NULL ? core_stream_default() : later;
    if (context->captures != 0 ||
        streams_are_ordered(context, earlier, later)) {
        return 0; /* a capture must not depend on work outside it */
    }
    return core_stream_follow(context, earlier, later);
}
