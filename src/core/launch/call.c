/* call.c - slow path of f(...), a call of a Function.
 *
 * fast_path.c calls this file if a call does not repeat the previous one. The
 * common case allocates nothing.
 *
 * SPDX-License-Identifier: MIT */
#include <time.h>

#include "core/code/function.h"
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/launch/argument_handler.h"
#include "core/launch/call.h"
#include "core/launch/inline.h"
#include "core/launch/launch.h"
#include "core/launch/launch_error.h"
#include "core/launch/pack.h"
#include "core/launch/pack_buffer.h"
#include "core/launch/shape_inline.h"
#include "core/launch/throttle.h"
#include "core/python/args.h"
#include "core/python/locked_calls.h"
#include "core/state.h"
#include "core/texture/texture_reference.h"

/* Keyword arguments of one call of a Function, borrowed; NULL if absent. */
struct call {
    PyObject *grid, *block, *stream, *shared, *texrefs, *time_kernel;
    PyObject *cooperative, *cluster;
};

/* Returns the field of `call` for a keyword name; NULL if the name is unknown.
 * Compares the pointers of interned names first, then texts. */
static PyObject **
keyword_find(struct call *call, PyObject *name)
{
    const struct {
        PyObject *name, **value;
    } rows[] = {
        {core.str_block, &call->block},
        {core.str_grid, &call->grid},
        {core.str_stream, &call->stream},
        {core.str_shared, &call->shared},
        {core.str_texrefs, &call->texrefs},
        {core.str_time_kernel, &call->time_kernel},
        {core.str_cooperative, &call->cooperative},
        {core.str_cluster, &call->cluster},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].name == name) {
            return rows[i].value;
        }
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (PyUnicode_Compare(rows[i].name, name) == 0) {
            return rows[i].value;
        }
    }
    return NULL;
}

/* Caches the tuple of keyword names if the keywords are only block, or block
 * and grid. The tuple is a constant of the caller's code, so the next call
 * passes the same object. */
static void
names_learn(struct core_function *function, PyObject *names)
{
    Py_ssize_t count = PyTuple_GET_SIZE(names);
    int grid_at = -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (name == core.str_grid && grid_at < 0) {
            grid_at = (int)i;
        } else if (name != core.str_block) {
            return;
        }
    }
    if (count == 1 + (grid_at >= 0)) {
        Py_XSETREF(function->names, Py_NewRef(names));
        function->grid_at = grid_at;
    }
}

/* Raises ValueError for wrong keyword arguments. The Python function `writer`
 * (pycuda._launch.messages) writes the message. `writer` gets the names of the
 * keywords, unless `names` is NULL, and the kernel's arguments. */
static int
keywords_refuse(struct core_function *function, const char *writer,
                PyObject *names, PyObject *const *args, Py_ssize_t count)
{
    PyObject *all = core_launch_arguments(args, count);
    return names == NULL ? core_launch_error(PyExc_ValueError, function,
                                             writer, "(N)", all)
                         : core_launch_error(PyExc_ValueError, function,
                                             writer, "(ON)", names, all);
}

/* Reads the keyword arguments, which follow the positional ones. Skips the
 * comparison of names if the tuple of names is the one that names_learn has
 * cached. */
static int
call_read(struct core_function *function, struct call *call,
          PyObject *const *args, Py_ssize_t positional, PyObject *names)
{
    PyObject *const *values = args + positional;
    *call = (struct call){0};
    if (LIKELY(names != NULL && names == function->names)) {
        call->block = values[function->grid_at == 0];
        call->grid = function->grid_at < 0 ? NULL : values[function->grid_at];
        if (LIKELY(call->block != Py_None)) {
            return 0;
        }
    } else if (names != NULL) {
        names_learn(function, names);
    }
    Py_ssize_t count = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject **slot = keyword_find(call, PyTuple_GET_ITEM(names, i));
        if (slot == NULL) {
            return keywords_refuse(function, "extra_keywords", names, args,
                                   positional);
        }
        *slot = values[i];
    }
    if (call->block == NULL || call->block == Py_None) {
        return keywords_refuse(function, "no_block", NULL, args, positional);
    }
    return 0;
}

/* Calls `step` for every ArgumentHandler among the arguments, with the
 * handler's lock. */
static int
handlers_run(PyObject *const *args, Py_ssize_t count, PyObject *stream,
             int (*step)(PyObject *, PyObject *))
{
    int status = 0;
    for (Py_ssize_t i = 0; i < count && status >= 0; i++) {
        if (PyObject_TypeCheck(args[i], core.handler_type)) {
            struct core_call call;
            core_call_begin(&call, args[i], CORE_CALL_OWN);
            status = step(args[i], stream);
            core_call_end(&call);
        }
    }
    return status < 0 ? -1 : 0;
}

/* Waits for all work of the context, which need not be CUDA's current one,
 * without the GIL. */
static int
context_wait(struct core_context *context)
{
    struct core_scope scope;
    bool inside = core_enter(context, &scope);
    CUresult code = core_throttles_wait(context);
    if (inside) {
        core_leave(&scope);
    }
    return core_check(code, "cuCtxSynchronize");
}

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Copies the arrays of In and InOut arguments to the device, launches, and
 * copies those of Out and InOut back. Returns the time in seconds if `timed`,
 * else None. */
static PyObject *
call_run(struct core_function *function, PyObject *const *args,
         Py_ssize_t count, const unsigned grid[3], const unsigned block[3],
         unsigned shared, bool timed, struct core_pack *pack)
{
    PyObject *stream =
        pack->stream_object == NULL ? Py_None : pack->stream_object;
    double start = 0;
    if (pack->handlers &&
        handlers_run(args, count, stream, core_handler_before_launch) < 0) {
        return NULL;
    }
    if (timed) {
        if (context_wait(function->context) < 0) {
            return NULL;
        }
        start = seconds_now();
    }
    if (core_launch_packed(function, grid, block, shared, pack) < 0) {
        return NULL;
    }
    if (!timed && !pack->handlers) {
        Py_RETURN_NONE;
    }
    if ((timed || (pack->stream == NULL && pack->outputs)) &&
        context_wait(function->context) < 0) {
        return NULL;
    }
    double seconds = timed ? seconds_now() - start : 0;
    if (pack->outputs &&
        handlers_run(args, count, stream, core_handler_after_launch) < 0) {
        return NULL;
    }
    return timed ? PyFloat_FromDouble(seconds) : Py_NewRef(Py_None);
}

/* Reads the keyword arguments that PyCUDA lacks: cooperative and cluster. */
static int
options_read(const struct call *call, struct core_pack *pack)
{
    if (call->cooperative != NULL) {
        int truth = PyObject_IsTrue(call->cooperative);
        if (truth < 0) {
            return -1;
        }
        pack->cooperative = truth;
    }
    if (call->cluster == NULL || call->cluster == Py_None) {
        return 0;
    }
    if (core_dimensions(call->cluster, "cluster", pack->cluster) < 0) {
        return -1;
    }
    if (pack->cluster[0] == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the dimensions of cluster must be 1 or more");
        return -1;
    }
    return 0;
}

/* Slow path of f(...), a call of a Function. */
PyObject *
core_function_call(struct core_function *function, PyObject *const *args,
                   Py_ssize_t count, PyObject *names)
{
    struct call call;
    unsigned grid[3] = {1, 1, 1}, block[3], shared = 0;
    if (call_read(function, &call, args, count, names) < 0 ||
        launch_shape_read(function, &function->block, call.block, "block",
                          block) < 0 ||
        (call.grid != NULL &&
         launch_shape_read(function, &function->grid, call.grid, "grid",
                           grid) < 0) ||
        (call.shared != NULL &&
         core_shared_size(call.shared, "shared", &shared) < 0)) {
        return NULL;
    }
    if (UNLIKELY(call.texrefs != NULL) &&
        core_texrefs_check(call.texrefs) < 0) {
        return NULL;
    }
    int timed =
        call.time_kernel == NULL ? 0 : PyObject_IsTrue(call.time_kernel);
    if (timed < 0) {
        return NULL;
    }
    if (timed && call.stream != NULL && call.stream != Py_None) {
        PyErr_SetString(PyExc_AssertionError,
                        "time_kernel works only without a stream");
        return NULL;
    }
    if (function->context->captures != 0 &&
        core_launch_hold(function, args, count) < 0) {
        return NULL;
    }
    struct core_pack pack;
    PyObject *result = NULL;
    if (pack_begin(&pack, &function->layout, call.stream) == 0 &&
        (LIKELY(call.cooperative == NULL && call.cluster == NULL) ||
         options_read(&call, &pack) == 0) &&
        core_pack_arguments(function, args, count, &pack) == 0) {
        result =
            call_run(function, args, count, grid, block, shared, timed, &pack);
    }
    pack_end(&pack);
    return result;
}
