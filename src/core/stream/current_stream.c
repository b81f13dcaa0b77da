/* current_stream.c - the current stream of a thread: the stream of calls
 * without a stream= argument, in place of the default stream.
 *
 * `with stream:` and `with stream.use():` enter a stream in their thread: they
 * add an entry to the thread's list, which stack.c stores and which is dropped
 * with the thread. An open capture (capture.c) enters its stream, too. The
 * current stream is the one that was entered last among the streams of the
 * current context. All functions need the GIL.
 *
 * Synchronous calls use the current stream, too, and wait for it. They are an
 * error in a capture: they would run once, immediately, and not at each launch
 * of the graph.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/python/gil.h"
#include "core/python/locks.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/current_stream.h"
#include "core/stream/foreign_stream.h"
#include "core/stream/legacy_stream.h"
#include "core/stream/open_captures.h"
#include "core/stream/stream.h"

static uint64_t entered_so_far;

uint64_t
core_stream_next_turn(void)
{
    return ADD_SHARED(entered_so_far, 1);
}

/* Returns the newest stream of `context` that this thread has entered,
 * borrowed; NULL if there is none. */
static struct core_stream_object *
current_find(const struct core_context *context)
{
    uint64_t turn = 0;
    struct core_stream_object *found = core_capture_newest(context, &turn);
    const struct core_entered *entered = core_stack_entered(false);
    for (size_t i = entered == NULL ? 0 : entered->count; i-- > 0;) {
        const struct core_entry *entry = &entered->entries[i];
        if (entry->stream->context == context) {
            return entry->turn > turn ? entry->stream : found;
        }
    }
    return found;
}

CUstream
core_stream_default_find(void)
{
    struct core_context *context = core_stack_top();
    struct core_stream_object *found =
        context == NULL ? NULL : current_find(context);
    return found == NULL ? NULL : found->handle;
}

struct core_context *
core_current_with_stream(void **key, CUstream *stream)
{
    struct core_context *context = core_stack_top();
    if (UNLIKELY(context == NULL || core.forked)) {
        /* raises LogicError: the thread has no context */
        return core_current();
    }
    *key = (void *)(uintptr_t)context->serial;
    *stream = *stream == NULL ? core_stream_default() : *stream;
    return context;
}

/* Slow path of core_stream: a stream of another library, or a TypeError. */
static __attribute__((noinline)) int
stream_of_other(PyObject *object, CUstream *stream)
{
    int found = core_stream_foreign(object, stream);
    if (found == 0) {
        PyErr_Format(PyExc_TypeError,
                     "stream must be a pycuda.driver.Stream, an object with "
                     "__cuda_stream__, or None, not %s",
                     Py_TYPE(object)->tp_name);
    }
    return found > 0 ? 0 : -1;
}

int
core_stream(PyObject *object, CUstream *stream)
{
    if (object == NULL || object == Py_None) {
        *stream = core_stream_default();
        return 0;
    }
    if (!PyObject_TypeCheck(object, core.stream_type)) {
        return stream_of_other(object, stream);
    }
    struct core_stream_object *self = (struct core_stream_object *)object;
    *stream = self->handle;
    return self->context->valid ? 0 : core_context_fail_detached("stream");
}

/* Returns the Stream for a stream= argument, borrowed: the given one, or the
 * current one for None; NULL for the default stream. */
PyObject *
core_stream_resolve(PyObject *object)
{
    if (object != NULL && object != Py_None) {
        return object;
    }
    struct core_context *context =
        READ_SHARED(core.stream_defaults) == 0 ? NULL : core_stack_top();
    return context == NULL ? NULL : (PyObject *)current_find(context);
}

/* -- synchronous calls */

/* Returns whether the stream captures, or must not be used because another
 * stream's capture would include it. */
bool
core_stream_captures(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult code = driver.cuStreamIsCapturing(stream, &status);
    /* The driver returns CUDA_ERROR_STREAM_CAPTURE_IMPLICIT for the legacy
     * default stream while a stream that synchronizes with it captures. */
    return code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
           (code == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* If *stream is NULL, sets it to the current stream. It stays NULL if the
 * current stream is the legacy default stream. Raises LogicError if the stream
 * captures, since a synchronous call would run immediately and not at the
 * launch of the graph. */
int
core_stream_without_capture(CUstream *stream, const char *routine)
{
    *stream = *stream == NULL ? core_stream_default() : *stream;
    if (*stream == NULL || !core_stream_captures(*stream)) {
        return 0;
    }
    return core_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, routine,
                     "a synchronous call cannot be captured: it would run "
                     "immediately instead of when the graph is launched");
}

int
core_stream_for_sync_call(CUstream *stream, const char *routine)
{
    core_stack_claim();
    return core_stream_without_capture(stream, routine);
}

/* Returns whether a call with the stream= argument `object` is synchronous.
 * This is so if `object` is None or NULL, and the current stream does not
 * capture. */
bool
core_stream_is_synchronous(PyObject *object)
{
    if (object != NULL && object != Py_None) {
        return false;
    }
    CUstream stream = core_stream_default();
    return stream == NULL || !core_stream_captures(stream);
}

int
core_stream_wait(CUstream stream)
{
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuStreamSynchronize(stream);
    core_gil_acquire(thread);
    return core_check(code, "cuStreamSynchronize");
}

int
core_legacy_stream_begin(struct core_legacy_stream_call *plain,
                         const char *routine)
{
    plain->stream = NULL;
    if (core_stream_for_sync_call(&plain->stream, routine) < 0) {
        return -1;
    }
    return plain->stream == NULL ? 0 : core_stream_wait(plain->stream);
}

/* Called after a driver call on the legacy stream: waits for that stream,
 * unless it is also the current stream. */
CUresult
core_legacy_stream_end(const struct core_legacy_stream_call *plain,
                       CUresult code)
{
    if (plain->stream == NULL || code != CUDA_SUCCESS) {
        return code;
    }
    PyThreadState *thread = core_gil_release();
    code = driver.cuStreamSynchronize(NULL);
    core_gil_acquire(thread);
    return code;
}

/* -- entering and leaving */

/* Enters a stream in this thread: makes it the current stream. */
int
core_stream_push(struct core_stream_object *stream)
{
    struct core_entered *entered = core_stack_entered(true);
    if (entered == NULL) {
        return -1;
    }
    if (entered->count == entered->capacity) {
        size_t capacity = entered->capacity * 2 + 4;
        struct core_entry *entries =
            PyMem_Realloc(entered->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        entered->entries = entries;
        entered->capacity = capacity;
    }
    entered->entries[entered->count++] = (struct core_entry){
        .stream = (struct core_stream_object *)Py_NewRef((PyObject *)stream),
        .turn = core_stream_next_turn(),
    };
    ADD_SHARED(core.stream_defaults, 1);
    return 0;
}

/* Leaves a stream: removes its newest entry from the thread's list. The entry
 * need not be the last one, since with statements in generators can end in any
 * order. Raises RuntimeError if the stream was not entered. */
int
core_stream_pop(struct core_stream_object *stream)
{
    struct core_entered *entered = core_stack_entered(false);
    size_t i = entered == NULL ? 0 : entered->count;
    while (i > 0 && entered->entries[i - 1].stream != stream) {
        i--;
    }
    if (i == 0) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this thread cannot leave a stream that it has not "
                        "entered");
        return -1;
    }
    memmove(&entered->entries[i - 1], &entered->entries[i],
            (entered->count - i) * sizeof *entered->entries);
    entered->count--;
    ADD_SHARED(core.stream_defaults, -1);
    Py_DECREF((PyObject *)stream);
    return 0;
}

/* -- Stream.use */

/* The context manager that Stream.use returns. */
struct use {
    CORE_HEAD
    struct core_stream_object *stream; /* strong reference */
};

PyObject *
core_stream_entered_use(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct core_stream_object *stream = (struct core_stream_object *)op;
    struct use *self =
        (struct use *)core_object_new(core.use_type, stream->context);
    if (self != NULL) {
        self->stream = (struct core_stream_object *)Py_NewRef(op);
    }
    return (PyObject *)self;
}

static PyObject *
use_enter(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct core_stream_object *stream = ((struct use *)op)->stream;
    return core_stream_push(stream) < 0 ? NULL : Py_NewRef((PyObject *)stream);
}

static PyObject *
use_exit(PyObject *op, PyObject *unused)
{
    (void)unused;
    return core_stream_pop(((struct use *)op)->stream) < 0
               ? NULL
               : Py_NewRef(Py_None);
}

static int
use_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)((struct use *)op)->stream);
    return core_object_traverse(op, visit, arg);
}

static void
use_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    Py_CLEAR(((struct use *)op)->stream);
    core_object_end_dealloc(op);
}

static PyMethodDef use_methods[] = {
    {"__enter__", use_enter, METH_NOARGS, "Enter; gives the Stream."},
    {"__exit__", use_exit, METH_VARARGS, "Leave, without a wait."},
    {NULL},
};

static PyType_Slot use_slots[] = {
    {Py_tp_doc, "Context manager that Stream.use() returns."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, use_dealloc},
    {Py_tp_traverse, use_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, use_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec use_spec = {
    .name = "pycuda._driver._StreamUse",
    .basicsize = sizeof(struct use),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = use_slots,
};

static PyObject *
current_stream(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    struct core_stream_object *found = current_find(context);
    return Py_NewRef(found == NULL ? Py_None : (PyObject *)found);
}

static PyMethodDef functions[] = {
    {"current_stream", current_stream, METH_NOARGS,
     "current_stream()\n--\n\n"
     "Return the Stream that calls without stream= use in this thread and "
     "context; None: the default stream."},
    {NULL},
};

int
core_current_stream_setup(PyObject *module)
{
    return core_add_type(module, &core.use_type, &use_spec, NULL) < 0
               ? -1
               : core_add_functions(module, functions);
}
