/* fast_call.c - FastCall: a Python function or method with a C implementation
 * for its frequent argument forms.
 *
 * pycuda.gpuarray and pycuda._array wrap functions that create, copy or
 * multiply whole arrays in FastCall objects. For each wrapped function, a row
 * of a table has a C function and the name of the one keyword that the C
 * function accepts, if any. Calls with positional arguments, with or without
 * that keyword, go to the C function without a Python frame. If the C function
 * declines the call, and for all other calls, the wrapped Python function
 * runs.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/create.h"
#include "array/function_wrapper.h"
#include "array/gather.h"
#include "array/join.h"
#include "array/plan_cache.h"
#include "array/setups.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

typedef PyObject *fast_call_function(PyObject *const *args, Py_ssize_t count,
                                     PyObject *named);

/* A wrapped function. `call` returns NULL without an exception to decline a
 * call; its argument `named` is the value of the keyword, or NULL. `keyword`
 * is the name of the keyword. */
struct row {
    const char *name;
    fast_call_function *call;
    PyObject **keyword;
};

struct fast_call {
    struct function_wrapper wrapper;
    const struct row *row;
};

static PyObject *axis_name, *dtype_name; /* interned str objects */

/* Interned names of the Python functions that have launch plans. */
static struct {
    const char *text;
    PyObject *name;
} planned[] = {{"matmul"}, {"repeat"}, {"sort"}, {"argsort"}};

enum { MATMUL, REPEAT, SORT, ARGSORT, PLANNED };

/* Computes the matrix product of two arrays by a cached launch plan. Returns
 * NULL without an exception if there is no plan. */
static PyObject *
fast_matmul(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    return count == 2 && !axis && array_is_own_class(args[0]) &&
                   array_is_own_class(args[1])
               ? plan_replay(planned[MATMUL].name, args, count, Py_None)
               : NULL;
}

/* Repeats each element by a cached launch plan. The key of the plan has the
 * repeat count in place of an axis. Returns NULL without an exception if there
 * is no plan. */
static PyObject *
fast_repeat(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    return count == 2 && !axis && array_is_own_class(args[0]) &&
                   PyLong_CheckExact(args[1])
               ? plan_replay(planned[REPEAT].name, args, 1, args[1])
               : NULL;
}

static PyObject *
sort_planned(int which, PyObject *const *args, Py_ssize_t count,
             PyObject *axis)
{
    return count == 1 && !axis && array_is_own_class(args[0])
               ? plan_replay(planned[which].name, args, 1, Py_None)
               : NULL;
}

static PyObject *
fast_sort(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    return sort_planned(SORT, args, count, axis);
}

static PyObject *
fast_argsort(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    return sort_planned(ARGSORT, args, count, axis);
}

static const struct row rows[] = {
    {"empty_like", create_empty_like, &dtype_name},
    {"zeros", create_zeros, &dtype_name},
    {"zeros_like", create_zeros_like, &dtype_name},
    {"ones", create_ones, &dtype_name},
    {"ones_like", create_ones_like, &dtype_name},
    {"arange", create_arange, &dtype_name},
    {"concatenate", join_concatenate, &axis_name},
    {"stack", join_stack, &axis_name},
    {"roll", join_roll, &axis_name},
    {"take", gather_take, &axis_name},
    {"matmul", fast_matmul, &axis_name},
    {"repeat", fast_repeat, &axis_name},
    {"sort", fast_sort, &axis_name},
    {"argsort", fast_argsort, &axis_name},
};

static PyObject *
fast_call_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                     PyObject *names)
{
    struct fast_call *self = (struct fast_call *)op;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;

    if (keywords == 0 ||
        (keywords == 1 && PyTuple_GET_ITEM(names, 0) == *self->row->keyword)) {
        struct core_call call;
        core_call_begin(&call, op, CORE_CALL_CURRENT);
        PyObject *result =
            self->row->call(args, count, keywords ? args[count] : NULL);
        core_call_end(&call);
        if (result || PyErr_Occurred()) {
            return result;
        }
    }
    return PyObject_Vectorcall(self->wrapper.function, args, nargsf, names);
}

/* FastCall(function, name): wraps a Python function and gives it the C
 * function of the table row called `name`. Raises ValueError for unknown
 * names. */
static PyObject *
fast_call_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"function", "name", NULL};
    PyObject *function;
    const char *name;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Os:FastCall", keywords,
                                     &function, &name)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            struct fast_call *self = (struct fast_call *)function_wrapper_new(
                type, fast_call_vectorcall, function);
            if (self) {
                self->row = &rows[i];
            }
            return (PyObject *)self;
        }
    }
    PyErr_Format(PyExc_ValueError, "no fast call has the name '%s'", name);
    return NULL;
}

int
array_fast_call_setup(PyObject *module)
{
    static const PyType_Slot own[] = {
        {Py_tp_new, fast_call_new},
        {Py_tp_dealloc, function_wrapper_dealloc},
        {Py_tp_doc, "A Python function with a fast path in C."},
        {0},
    };

    axis_name = PyUnicode_InternFromString("axis");
    dtype_name = PyUnicode_InternFromString("dtype");
    for (int i = 0; i < PLANNED; i++) {
        planned[i].name = PyUnicode_InternFromString(planned[i].text);
        if (!planned[i].name) {
            return -1;
        }
    }
    return axis_name && dtype_name
               ? function_wrapper_add_type(module, "pycuda._driver.FastCall",
                                           sizeof(struct fast_call), own)
               : -1;
}
