/* fast_ufunc.c - FastUfunc: a Python function of one or two arrays with a C
 * fast path.
 *
 * pycuda.cumath, pycuda._array.mathematics and pycuda._array.reductions wrap
 * their functions in FastUfunc objects. The fast path handles calls with one
 * array, two arrays of one shape, or an array and a number, and at most the
 * keywords `out` and `stream`; for reductions, also an `axis` for which there
 * is a launch plan. It needs no Python frame. All other calls, and calls with
 * empty arrays, run the wrapped Python function.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/cached_elementwise.h"
#include "array/cached_reduction.h"
#include "array/elementwise_operation.h"
#include "array/function_wrapper.h"
#include "array/layout.h"
#include "array/operation_table.h"
#include "array/plan_cache.h"
#include "array/reduce.h"
#include "array/setups.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

struct fast_ufunc {
    struct function_wrapper wrapper;
    int operation;
    int reduces;
    int inputs;
    /* strong reference, interned; the name under which the function's launch
     * plans are cached */
    PyObject *name;
};

/* Returns whether the fast path handles the object as an operand: for a
 * reduction, an array that array_reduces_all accepts; for any other operation,
 * an array that is not empty. */
static int
handles_array(const struct fast_ufunc *self, PyObject *object)
{
    const struct array *array = (const struct array *)object;

    return array_check(object) &&
           (self->reduces ? array_reduces_all(array) : array->size > 0);
}

/* Returns whether the fast path handles the operands: arrays of one shape. In
 * element-wise operations, operands may also be Python numbers, but at least
 * one must be an array. */
static int
handles_operands(const struct fast_ufunc *self, PyObject *const *args)
{
    const struct array *first = NULL;

    for (int i = 0; i < self->inputs; i++) {
        const struct array *array = (const struct array *)args[i];
        if (!self->reduces &&
            (PyFloat_CheckExact(args[i]) || PyLong_CheckExact(args[i]))) {
            continue;
        }
        if (!handles_array(self, args[i]) ||
            (first &&
             (array->ndim != first->ndim ||
              memcmp(array->shape, first->shape,
                     (size_t)first->ndim * sizeof *first->shape) != 0))) {
            return 0;
        }
        first = first ? first : array;
    }
    return first != NULL;
}

static PyObject *axis_name, *out_name, *stream_name; /* interned str objects */

/* Stores the values of the keywords `out` and `stream`, NULL for one that was
 * not passed. Returns 0 if there is any other keyword or an unsuitable value,
 * else 1. */
static int
handles_keywords(const struct fast_ufunc *self, PyObject *const *values,
                 PyObject *names, struct array **out, PyObject **stream)
{
    *out = NULL;
    *stream = NULL;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (self->reduces) {
            return 0;
        }
        bool is_none = values[i] == Py_None;
        if (name == out_name && (is_none || array_check(values[i]))) {
            *out = is_none ? NULL : (struct array *)values[i];
        } else if (name == stream_name) {
            *stream = values[i];
        } else {
            return 0;
        }
    }
    return 1;
}

/* Executes the launch plan of a reduction of one array along an axis. Returns
 * the result, or NULL without an exception if there is no such plan. */
static PyObject *
reduce_planned(const struct fast_ufunc *self, PyObject *const *args,
               Py_ssize_t nargs, PyObject *names)
{
    return self->reduces && nargs == 1 && names &&
                   PyTuple_GET_SIZE(names) == 1 &&
                   PyTuple_GET_ITEM(names, 0) == axis_name
               ? plan_replay(self->name, args, 1, args[1])
               : NULL;
}

/* Fast path for cached operations, with the keyword `out` or without keywords.
 * Does not check all operands, since cached_apply and cached_reduction_run do
 * this. Returns false if the operation is not in the cache. Otherwise returns
 * true and stores the result in *result, NULL with an exception on failure. */
static inline bool
call_cached(const struct fast_ufunc *self, PyObject *const *args,
            Py_ssize_t nargs, PyObject *names, PyObject **result)
{
    PyObject *out = NULL;

    if (nargs != self->inputs) {
        return false;
    }
    if (self->reduces) {
        return !names && cached_reduction_run(self->operation, self->inputs,
                                              args, result);
    }
    if (names) {
        out = args[nargs];
        if (PyTuple_GET_SIZE(names) != 1 ||
            PyTuple_GET_ITEM(names, 0) != out_name || !array_check(out)) {
            return false;
        }
    }
    return cached_apply(self->operation, self->inputs, args,
                        (struct array *)out, NULL, result);
}

/* Performs an operation that is not in the cache. Returns NULL without an
 * exception if the Python function must be called. */
static PyObject *
call_uncached(struct fast_ufunc *self, PyObject *const *args, size_t nargsf,
              PyObject *names)
{
    struct array *out;
    PyObject *stream;
    CUstream handle = NULL;

    if (PyVectorcall_NARGS(nargsf) != self->inputs ||
        !handles_keywords(self, args + self->inputs, names, &out, &stream) ||
        !handles_operands(self, args)) {
        return reduce_planned(self, args, PyVectorcall_NARGS(nargsf), names);
    }
    if (self->reduces) {
        return array_reduce_all(self->operation, self->inputs, args);
    }
    return stream && core_stream(stream, &handle) < 0
               ? NULL
               : array_apply(self->operation, self->inputs, args, out, NULL,
                             handle);
}

/* Slow path: performs operations that are not in the cache, or calls the
 * Python function. Ends `call`, which releases the locks of the call. */
static __attribute__((noinline)) PyObject *
call_slow(struct fast_ufunc *self, PyObject *const *args, size_t nargsf,
          PyObject *names, struct core_call *call)
{
    PyObject *result = call_uncached(self, args, nargsf, names);

    core_call_end(call);
    return result || PyErr_Occurred()
               ? result
               : PyObject_Vectorcall(self->wrapper.function, args, nargsf,
                                     names);
}

static PyObject *
fast_ufunc_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                      PyObject *names)
{
    struct fast_ufunc *self = (struct fast_ufunc *)op;
    struct core_call call;
    PyObject *made;

    core_call_begin(&call, op, CORE_CALL_CURRENT);
    if (!call_cached(self, args, PyVectorcall_NARGS(nargsf), names, &made)) {
        return call_slow(self, args, nargsf, names, &call);
    }
    core_call_end(&call);
    return made;
}

/* FastUfunc(function, name, reduces=False, inputs=1): wraps a Python function
 * that applies the operation `name` to `inputs` arrays. `reduces`: the
 * operation reduces the arrays to one element. */
static PyObject *
fast_ufunc_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"function", "name", "reduces", "inputs", NULL};
    PyObject *function, *name;
    int reduces = 0, inputs = 1;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU|pi:FastUfunc", keywords,
                                     &function, &name, &reduces, &inputs)) {
        return NULL;
    }
    if (inputs < 1 || inputs > ARRAY_INPUTS) {
        PyErr_Format(PyExc_ValueError, "%d inputs are not supported", inputs);
        return NULL;
    }
    int operation = operation_number(name);
    struct fast_ufunc *self = operation < 0
                                  ? NULL
                                  : (struct fast_ufunc *)function_wrapper_new(
                                        type, fast_ufunc_vectorcall, function);
    if (self) {
        self->operation = operation;
        self->reduces = reduces;
        self->inputs = inputs;
        self->name = Py_NewRef(name);
        PyUnicode_InternInPlace(&self->name);
    }
    return (PyObject *)self;
}

static void
fast_ufunc_dealloc(PyObject *op)
{
    Py_CLEAR(((struct fast_ufunc *)op)->name);
    function_wrapper_dealloc(op);
}

int
array_fast_ufunc_setup(PyObject *module)
{
    static const PyType_Slot own[] = {
        {Py_tp_new, fast_ufunc_new},
        {Py_tp_dealloc, fast_ufunc_dealloc},
        {Py_tp_doc, "A Python function of one or two arrays with a fast "
                    "path in C."},
        {0},
    };

    axis_name = PyUnicode_InternFromString("axis");
    out_name = PyUnicode_InternFromString("out");
    stream_name = PyUnicode_InternFromString("stream");
    if (!axis_name || !out_name || !stream_name) {
        return -1;
    }
    return function_wrapper_add_type(module, "pycuda._driver.FastUfunc",
                                     sizeof(struct fast_ufunc), own);
}
