/* prepared_call.c - slow path of Function.prepared_call, the other prepared
 * calls (such as prepared_async_call), and _launch_kernel, which passes all
 * arguments as one buffer.
 *
 * fast_path.c calls core_prepared_first if a prepared_call does not repeat the
 * previous call. Python calls the other methods directly.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/inline.h"
#include "core/launch/launch.h"
#include "core/launch/launch_error.h"
#include "core/launch/legacy.h"
#include "core/launch/pack_buffer.h"
#include "core/launch/prepared_call.h"
#include "core/launch/prepared_format.h"
#include "core/launch/shape_inline.h"
#include "core/numpy.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

/* Reads shared_size, the only keyword of the prepared calls. */
static int
shared_size_read(struct core_function *function, const char *method,
                 PyObject *const *values, PyObject *names, unsigned *shared)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (name != core.str_shared_size &&
            PyUnicode_Compare(name, core.str_shared_size) != 0) {
            return core_launch_error(PyExc_TypeError, function,
                                     "prepared_keyword", "(sO)", method, name);
        }
        if (core_shared_size(values[i], "shared_size", shared) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The arguments of a prepared call after they were read and checked. */
struct prepared {
    unsigned grid[3], block[3], shared;
    /* true: the call has no block argument, as in old programs that set the
     * block by _set_block_shape. The kernel's arguments then begin at the
     * position of the block. */
    bool old;
    PyObject *const *args;
    Py_ssize_t count;
};

/* Returns whether a prepared call has no block, as in old programs that call
 * _set_block_shape; `block` is then the first kernel argument. */
static __attribute__((noinline)) bool
block_is_omitted(const struct core_function *function, PyObject *block,
                 Py_ssize_t count)
{
    if (PyTuple_Check(block) || PyList_Check(block)) {
        return false;
    }
    return count + 1 == (Py_ssize_t)function->format->count ||
           !(PyLong_Check(block) || PyArray_IsScalar(block, Integer));
}

/* Uses the block size that _set_block_shape has stored, and issues a
 * DeprecationWarning. Raises TypeError if none was stored. */
static __attribute__((noinline)) int
block_from_legacy(struct core_function *function, const char *method,
                  PyObject *given, struct prepared *call)
{
    if (!core_block_shape(function, call->block, &call->shared)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() of kernel '%U': block must be a tuple of 1 to 3 "
                     "ints, not %s",
                     method, function->name, Py_TYPE(given)->tp_name);
        return -1;
    }
    call->args--;
    call->count++;
    call->old = true;
    return PyErr_WarnFormat(PyExc_DeprecationWarning, 1,
                            "Not passing the block size to %s is deprecated",
                            method);
}

/* Reads the first `leading` arguments of a prepared call: grid, block and
 * perhaps the stream. Raises RuntimeError if prepare() was not called. */
static int
prepared_read(struct core_function *function, const char *method,
              Py_ssize_t leading, struct prepared *call, CORE_ARGS)
{
    if (function->format == NULL) {
        PyErr_Format(PyExc_RuntimeError,
                     "%s() of kernel '%U': call prepare() first", method,
                     function->name);
        return -1;
    }
    if (nargs < leading) {
        PyErr_Format(PyExc_TypeError, "%s() needs %zd leading arguments",
                     method, leading);
        return -1;
    }
    call->args = args + leading;
    call->count = nargs - leading;
    call->shared = 0;
    call->old = false;
    if (launch_shape_read(function, &function->grid, args[0], "grid",
                          call->grid) < 0) {
        return -1;
    }
    if (UNLIKELY(function->block.tuple != args[1] &&
                 block_is_omitted(function, args[1], call->count))) {
        if (block_from_legacy(function, method, args[1], call) < 0) {
            return -1;
        }
    } else if (launch_shape_read(function, &function->block, args[1], "block",
                                 call->block) < 0) {
        return -1;
    }
    return names == NULL ? 0
                         : shared_size_read(function, method, args + nargs,
                                            names, &call->shared);
}

/* Packs the arguments by the prepared format and launches. */
static int
prepared_launch(struct core_function *function, struct prepared *call,
                PyObject *stream)
{
    struct core_pack pack;
    if (function->context->captures != 0 &&
        core_launch_hold(function, call->args, call->count) < 0) {
        return -1;
    }
    if (pack_begin(&pack, &function->layout, stream) < 0) {
        return -1;
    }
    int status = core_format_pack(function, call->args, call->count, &pack);
    if (status == 0) {
        status = core_launch_packed(function, call->grid, call->block,
                                    call->shared, &pack);
    }
    pack_end(&pack);
    return status;
}

int
core_launch_prepared(PyObject *op, const unsigned grid[3],
                     const unsigned block[3], PyObject *stream,
                     PyObject *const *arguments, Py_ssize_t count)
{
    struct core_function *function = (struct core_function *)op;
    if (!Py_IS_TYPE(op, core.function_type) || function->format == NULL) {
        PyErr_SetString(PyExc_TypeError, "expected a prepared Function");
        return -1;
    }
    struct prepared call = {.args = arguments, .count = count};
    memcpy(call.grid, grid, sizeof call.grid);
    memcpy(call.block, block, sizeof call.block);
    return prepared_launch(function, &call, stream);
}

PyObject *
core_prepared_first(struct core_function *function, CORE_ARGS)
{
    struct prepared call;
    if (prepared_read(function, "prepared_call", 2, &call, args, nargs,
                      names) < 0 ||
        prepared_launch(function, &call, NULL) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *
core_prepared_async_call(PyObject *op, CORE_ARGS)
{
    struct core_function *function = (struct core_function *)op;
    struct prepared call;
    if (prepared_read(function, "prepared_async_call", 3, &call, args, nargs,
                      names) < 0 ||
        prepared_launch(function, &call, args[call.old ? 1 : 2]) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Result of prepared_timed_call: the events before and after the launch. */
struct timer {
    CORE_HEAD
    CUevent start, end;
};

/* Waits for the end event without the GIL; returns the time in seconds. */
static PyObject *
timer_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct timer *self = (struct timer *)op;
    float milliseconds;
    CUresult code;
    if (PyTuple_GET_SIZE(args) > 0 || kwargs != NULL) {
        PyErr_SetString(PyExc_TypeError, "takes no arguments");
        return NULL;
    }
    if (!self->context->valid) {
        core_context_fail_detached("cuEventSynchronize");
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    code = driver.cuEventSynchronize(self->end);
    core_gil_acquire(thread);
    if (core_check(code, "cuEventSynchronize") < 0 ||
        core_check(
            driver.cuEventElapsedTime(&milliseconds, self->start, self->end),
            "cuEventElapsedTime") < 0) {
        return NULL;
    }
    return PyFloat_FromDouble(1e-3 * (double)milliseconds);
}

static void
timer_dealloc(PyObject *op)
{
    struct timer *self = (struct timer *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    if (core_enter(self->context, &scope)) {
        if (self->start != NULL) {
            driver.cuEventDestroy(self->start);
        }
        if (self->end != NULL) {
            driver.cuEventDestroy(self->end);
        }
        core_leave(&scope);
    }
    core_object_end_dealloc(op);
}

static PyType_Slot timer_slots[] = {
    {Py_tp_doc, "Measures one launch; calling it returns the GPU seconds."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, timer_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_call, timer_call},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

PyType_Spec core_timer_spec = {
    .name = "pycuda._driver._LaunchTimer",
    .basicsize = sizeof(struct timer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = timer_slots,
};

/* Launches on the current stream, with an event before and one after it. */
PyObject *
core_prepared_timed_call(PyObject *op, CORE_ARGS)
{
    struct core_function *function = (struct core_function *)op;
    struct prepared call;
    if (prepared_read(function, "prepared_timed_call", 2, &call, args, nargs,
                      names) < 0) {
        return NULL;
    }
    struct timer *self =
        (struct timer *)core_object_new(core.timer_type, function->context);
    CUstream stream = core_stream_default();
    if (self == NULL) {
        return NULL;
    }
    core_stack_claim();
    if (core_check(driver.cuEventCreate(&self->start, 0), "cuEventCreate") <
            0 ||
        core_check(driver.cuEventCreate(&self->end, 0), "cuEventCreate") < 0 ||
        core_check(driver.cuEventRecord(self->start, stream),
                   "cuEventRecord") < 0 ||
        prepared_launch(function, &call, NULL) < 0 ||
        core_check(driver.cuEventRecord(self->end, stream), "cuEventRecord") <
            0) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

/* Method _launch_kernel: launches with one buffer, which holds the bytes of
 * all parameters. */
PyObject *
core_launch_buffer(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_launch_kernel", 5, {"", "", "", "", ""}};
    struct core_function *function = (struct core_function *)op;
    PyObject *values[5];
    unsigned grid[3], block[3], shared;
    Py_buffer view;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_dimensions(values[0], "grid", grid) < 0 ||
        core_dimensions(values[1], "block", block) < 0 ||
        core_unsigned(values[3], &shared) < 0 ||
        core_buffer(values[2], false, &view) < 0) {
        return NULL;
    }
    struct core_pack pack;
    int status = pack_begin(&pack, &function->layout, values[4]);
    if (status == 0) {
        status = core_pack_reserve(&pack, (size_t)view.len, 0);
    }
    if (status == 0) {
        memcpy(pack.buffer, view.buf, (size_t)view.len);
        pack.bytes = (size_t)view.len;
        pack.as_buffer = true;
        status = core_launch_packed(function, grid, block, shared, &pack);
    }
    pack_end(&pack);
    PyBuffer_Release(&view);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}
