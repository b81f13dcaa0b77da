/* nccl_watch.c - observes whether the calls of a communicator complete.
 *
 * NCCL waits for ever for a rank that does not call an operation. The Python
 * module pycuda.nccl has a thread that asks here, a few times per second,
 * whether the oldest observed call is complete. Each communicator has two CUDA
 * events. One stays behind the oldest observed call until that call is
 * complete. The other one is recorded again after each call, and takes over
 * when the first one is complete.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/nccl/nccl.h"
#include "core/stream/current_stream.h"

#define COMMUNICATOR "nccl communicator"

/* Records a CUDA event after an issued call, unless its stream is capturing a
 * graph. */
static void
event_record(struct core_communicator *self, const struct core_nccl_mark *mark,
             CUstream stream)
{
    if (core_stream_captures(stream)) {
        return;
    }
    bool is_oldest = self->oldest_mark.number == 0;
    if (driver.cuEventRecord(is_oldest ? self->oldest : self->latest,
                             stream) == CUDA_SUCCESS) {
        *(is_oldest ? &self->oldest_mark : &self->latest_mark) = *mark;
    }
}

void
core_nccl_mark(struct core_communicator *self,
               const struct core_nccl_mark *mark, CUstream stream, bool now)
{
    self->calls++;
    if (!self->watched) {
        return;
    }
    struct core_nccl_mark counted = *mark;
    counted.number = self->calls;
    if (now) {
        event_record(self, &counted, stream);
    } else {
        self->group_mark = counted;
        self->group_stream = stream;
    }
}

/* _nccl_watch(communicator): creates the events by which the communicator's
 * calls are observed. */
static PyObject *
nccl_watch(PyObject *module, PyObject *capsule)
{
    (void)module;
    struct core_communicator *self = core_nccl_get(capsule);
    if (self == NULL) {
        return NULL;
    }
    if (!self->watched) {
        CUresult code =
            driver.cuEventCreate(&self->oldest, CU_EVENT_DISABLE_TIMING);
        if (code == CUDA_SUCCESS) {
            code =
                driver.cuEventCreate(&self->latest, CU_EVENT_DISABLE_TIMING);
        }
        if (core_check(code, "cuEventCreate") < 0) {
            return NULL;
        }
        self->watched = true;
    }
    Py_RETURN_NONE;
}

/* _nccl_issued(communicator): records an event after the communicator's latest
 * call in a group that has just ended. */
static PyObject *
nccl_issued(PyObject *module, PyObject *capsule)
{
    (void)module;
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    struct core_scope scope;
    if (self == NULL) {
        return NULL;
    }
    if (self->group_mark.number != 0 && core_enter(self->context, &scope)) {
        event_record(self, &self->group_mark, self->group_stream);
        core_leave(&scope);
    }
    self->group_mark.number = 0;
    Py_RETURN_NONE;
}

/* Returns whether the oldest observed call is complete. If it is, the event
 * `latest` takes the place of `oldest`. Failed calls count as complete: they
 * are reported elsewhere. */
static bool
oldest_ended(struct core_communicator *self)
{
    struct core_scope scope;
    if (self->oldest_mark.number == 0 || !core_enter(self->context, &scope)) {
        return true;
    }
    bool ended = driver.cuEventQuery(self->oldest) != CUDA_ERROR_NOT_READY;
    core_leave(&scope);
    if (ended) {
        CUevent event = self->oldest;
        self->oldest = self->latest;
        self->latest = event;
        self->oldest_mark = self->latest_mark;
        self->latest_mark.number = 0;
    }
    return ended;
}

/* _nccl_pending(communicator): returns (number, kind, count, bytes of an
 * element, thread) of the oldest call that is not complete, or None. Callable
 * in any thread. */
static PyObject *
nccl_pending(PyObject *module, PyObject *capsule)
{
    (void)module;
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    if (self == NULL) {
        return NULL;
    }
    if (!self->watched || oldest_ended(self)) {
        Py_RETURN_NONE;
    }
    const struct core_nccl_mark *mark = &self->oldest_mark;
    return Py_BuildValue("Kinnk", (unsigned long long)mark->number, mark->kind,
                         mark->count, (Py_ssize_t)mark->bytes, mark->thread);
}

PyMethodDef core_nccl_watch[] = {
    {"_nccl_watch", nccl_watch, METH_O,
     "_nccl_watch(communicator, /)\n--\n\n"
     "Begin to observe the communicator's calls."},
    {"_nccl_issued", nccl_issued, METH_O,
     "_nccl_issued(communicator, /)\n--\n\n"
     "Observe the calls of a group that has ended."},
    {"_nccl_pending", nccl_pending, METH_O,
     "_nccl_pending(communicator, /)\n--\n\n"
     "Return the oldest call that is not complete, or None."},
    {NULL},
};
