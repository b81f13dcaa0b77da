/* planned_method.c - PlannedMethod: a method of arrays, or a function of one
 * array, whose launches are replayed from a launch plan.
 *
 * pycuda._array wraps reductions and scans along an axis in PlannedMethod
 * objects. If a call has no argument besides the array and the axis, and
 * plan_cache.c has a plan for it, the plan is executed without a Python frame.
 * Other calls run the wrapped Python function, which may create a plan.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/function_wrapper.h"
#include "array/operation_table.h"
#include "array/plan_cache.h"
#include "array/reduce.h"
#include "array/setups.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

static PyObject *axis_name; /* the str "axis", interned */

struct planned {
    struct function_wrapper wrapper;
    /* strong reference, interned; the name under which the launch plans are
     * cached */
    PyObject *name;
    /* Operation of array_reduce_all, which handles calls without an axis; -1:
     * the wrapped Python function handles these calls. */
    int operation;
};

/* Fast path of a call. Returns NULL without an exception if there is no plan
 * for the call. */
static PyObject *
run_planned(const struct planned *self, PyObject *const *args, PyObject *axis)
{
    if (axis == Py_None && self->operation >= 0) {
        return array_check(args[0]) &&
                       array_reduces_all((const struct array *)args[0])
                   ? array_reduce_all(self->operation, 1, args)
                   : NULL;
    }
    return plan_replay(self->name, args, 1, axis);
}

static PyObject *
planned_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                   PyObject *names)
{
    struct planned *self = (struct planned *)op;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;

    if (nargs >= 1 && nargs + keywords <= 2 &&
        (!keywords || PyTuple_GET_ITEM(names, 0) == axis_name)) {
        PyObject *axis = nargs + keywords == 2 ? args[1] : Py_None;
        struct core_call call;
        core_call_begin(&call, op, CORE_CALL_CURRENT);
        PyObject *result = run_planned(self, args, axis);
        core_call_end(&call);
        if (result || PyErr_Occurred()) {
            return result;
        }
    }
    return PyObject_Vectorcall(self->wrapper.function, args, nargsf, names);
}

/* PlannedMethod(function, name, reduces=False): wraps a function whose plans
 * have the name `name`. If `reduces`, a call without an axis reduces all
 * elements to one by the operation `name`. */
static PyObject *
planned_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"function", "name", "reduces", NULL};
    PyObject *function, *name;
    int reduces = 0, operation = -1;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU|p:PlannedMethod",
                                     keywords, &function, &name, &reduces)) {
        return NULL;
    }
    if (reduces) {
        operation = operation_number(name);
        if (operation < 0) {
            return NULL;
        }
    }
    struct planned *self = (struct planned *)function_wrapper_new(
        type, planned_vectorcall, function);
    if (self) {
        self->name = Py_NewRef(name);
        PyUnicode_InternInPlace(&self->name);
        self->operation = operation;
    }
    return (PyObject *)self;
}

static void
planned_dealloc(PyObject *op)
{
    Py_CLEAR(((struct planned *)op)->name);
    function_wrapper_dealloc(op);
}

int
array_planned_setup(PyObject *module)
{
    static const PyType_Slot own[] = {
        {Py_tp_new, planned_new},
        {Py_tp_dealloc, planned_dealloc},
        {Py_tp_doc, "A method with launch plans, cached by the layout of "
                    "the arrays."},
        {0},
    };

    axis_name = PyUnicode_InternFromString("axis");
    return axis_name
               ? function_wrapper_add_type(module,
                                           "pycuda._driver.PlannedMethod",
                                           sizeof(struct planned), own)
               : -1;
}
