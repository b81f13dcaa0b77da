/* fast_path.c - launch fast path, for a call of a Function that repeats its
 * previous call.
 *
 * Python enters this file through the vectorcall protocol for f(...), and
 * through a method for f.prepared_call(...). The fast path applies if grid and
 * block are the same tuple objects as in the previous call, the arguments are
 * few and have the same types as before, no stream is passed, no capture is
 * open, and the driver's queue has space. The path to cuLaunchKernel is
 * inlined in this file and has no step that could run Python code. It is kept
 * short, because a call of the driver evicts most of this code from the
 * processor's caches.
 *
 * Every other call goes to the slow path in call.c or prepared_call.c. So does
 * a launch that the driver refuses, which the slow path repeats. The fast path
 * has no side effects before the driver accepts the launch.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/code/layout.h"
#include "core/code/module.h"
#include "core/context/context.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/launch/call.h"
#include "core/launch/fast_path.h"
#include "core/launch/field_inline.h"
#include "core/launch/inline.h"
#include "core/launch/pack_buffer.h"
#include "core/launch/prepared_call.h"
#include "core/launch/prepared_format.h"
#include "core/launch/throttle.h"
#include "core/numpy.h"
#include "core/state.h"

enum fast_result {
    LAUNCHED,
    /* not a repeated call, so the caller takes the slow path */
    NOT_APPLICABLE,
};

/* Packed arguments of one launch, and a pointer to each. */
struct small_arguments {
    void *pointers[CORE_SMALL_COUNT];
    _Alignas(16) char buffer[CORE_SMALL_BYTES];
};

/* Returns whether the fast path may launch the function: it has few arguments
 * and no textures, its context is valid and has no open capture, no stream was
 * entered (`with stream:`), so that launches go to the default stream, and the
 * driver's queue has space. */
static inline bool
allows_fast_path(const struct core_function *function)
{
    const struct core_context *context = function->context;
    return function->small && context->valid && context->captures == 0 &&
           READ_SHARED(core.stream_defaults) == 0 &&
           function->module->textures == NULL &&
           core_throttle_has_capacity(context->throttle, NULL);
}

/* Records the launch for error messages. Called when the context's newest
 * recorded launch is a different one. */
static __attribute__((noinline)) void
record_other_launch(struct core_function *function)
{
    launch_record(function->context, function->name, NULL,
                  function->grid.lengths, function->block.lengths);
    function->noted = function->context->noted;
}

/* Launches the function with the block of its previous call. `grid` is the
 * grid of that call or a constant. */
static inline __attribute__((always_inline)) enum fast_result
launch_fast(struct core_function *function, const unsigned grid[3],
            struct small_arguments *small)
{
    struct core_context *context = function->context;
    const unsigned *block = function->block.lengths;
    context->throttle->count++;
    CUresult code = driver.cuLaunchKernel(
        function->handle, grid[0], grid[1], grid[2], block[0], block[1],
        block[2], 0, NULL, small->pointers, NULL);
    if (UNLIKELY(code != CUDA_SUCCESS)) {
        return NOT_APPLICABLE;
    }
    if (grid != function->grid.lengths) {
        launch_record(context, function->name, NULL, grid, block);
    } else if (UNLIKELY(function->noted != context->noted)) {
        record_other_launch(function);
    }
    return LAUNCHED;
}

/* Fast path of prepared_call: converts the arguments by the prepared format,
 * and launches. Returns NOT_APPLICABLE if the caller must take the slow
 * path. */
static inline __attribute__((always_inline)) enum fast_result
prepared_call_fast(struct core_function *function, PyObject *const *args,
                   Py_ssize_t nargs)
{
    const struct core_format *format = function->format;
    if (UNLIKELY(format == NULL || !format->by_layout ||
                 nargs != (Py_ssize_t)format->count + 2 ||
                 args[0] != function->grid.tuple ||
                 args[1] != function->block.tuple ||
                 !allows_fast_path(function))) {
        return NOT_APPLICABLE;
    }
    struct small_arguments small;
    const struct core_context *context = function->context;
    const struct core_slot *slots = function->slots;
    const struct core_field *fields = format->fields;
    for (Py_ssize_t i = 0; i < nargs - 2; i++) {
        char *target = small.buffer + fields[i].target;
        small.pointers[i] = target;
        if (UNLIKELY(!field_store_fast(&fields[i], &slots[i], args[i + 2],
                                       context, NULL, target))) {
            return NOT_APPLICABLE;
        }
    }
    return launch_fast(function, function->grid.lengths, &small);
}

/* Method prepared_call of Function. Takes the fast path if possible, otherwise
 * the slow path, core_prepared_first. */
PyObject *
core_prepared_call(PyObject *op, CORE_ARGS)
{
    struct core_function *function = (struct core_function *)op;
    if (LIKELY(names == NULL &&
               prepared_call_fast(function, args, nargs) == LAUNCHED)) {
        Py_RETURN_NONE;
    }
    return core_prepared_first(function, args, nargs, names);
}

/* Fast path of f(...): converts the arguments by the types cached in the
 * slots, and launches. Returns NOT_APPLICABLE if the caller must take the slow
 * path. */
static inline __attribute__((always_inline)) enum fast_result
call_fast(struct core_function *function, PyObject *const *args,
          Py_ssize_t count, PyObject *names)
{
    static const unsigned ones[3] = {1, 1, 1};
    const int grid_at = function->grid_at;
    if (UNLIKELY(
            names == NULL || names != function->names ||
            args[count + (grid_at == 0)] != function->block.tuple ||
            (grid_at >= 0 && args[count + grid_at] != function->grid.tuple) ||
            !allows_fast_path(function) ||
            count != (Py_ssize_t)function->layout.count)) {
        return NOT_APPLICABLE;
    }
    struct small_arguments small;
    const struct core_context *context = function->context;
    const struct core_slot *slots = function->slots;
    const struct core_parameter *parameters = function->layout.parameters;
    for (Py_ssize_t i = 0; i < count; i++) {
        char *target = small.buffer + parameters[i].offset;
        small.pointers[i] = target;
        if (UNLIKELY(!argument_store_fast(&slots[i], args[i], context, NULL,
                                          parameters[i].bytes, target))) {
            return NOT_APPLICABLE;
        }
    }
    return launch_fast(function, grid_at < 0 ? ones : function->grid.lengths,
                       &small);
}

/* Calls a Function: takes the fast path if possible, otherwise the slow path,
 * core_function_call. `args` has `count` positional values, then one value for
 * each keyword in `names`. */
PyObject *
core_function_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                         PyObject *names)
{
    struct core_function *function = (struct core_function *)op;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    if (LIKELY(call_fast(function, args, count, names) == LAUNCHED)) {
        Py_RETURN_NONE;
    }
    return core_function_call(function, args, count, names);
}
