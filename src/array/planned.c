/* planned.c - PlannedMethod: a method of arrays whose launches are remembered,
 * so that the next call on an array of the same layout needs no Python frame.
 *
 * pycuda._array.statistics wraps reductions and scans along an axis in it.  A
 * call with an axis and nothing else repeats what plan.c remembers; any other
 * goes to the Python function, which may make a plan.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

#include <structmember.h>

static PyObject *axis_name; /* "axis", interned */

struct planned {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *dict; /* __name__, __doc__ and others of the function */
    PyObject *weakrefs;
    PyObject *function; /* strong */
    PyObject *name;     /* strong, interned */
};

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
        PyObject *result = plan_repeat(self->name, args[0], axis);
        if (result || PyErr_Occurred()) {
            return result;
        }
    }
    return PyObject_Vectorcall(self->function, args, nargsf, names);
}

static PyObject *
planned_get(PyObject *op, PyObject *instance, PyObject *owner)
{
    (void)owner;
    return instance && instance != Py_None ? PyMethod_New(op, instance)
                                           : Py_NewRef(op);
}

static PyObject *
planned_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"function", "name", NULL};
    PyObject *function, *name;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU:PlannedMethod",
                                     keywords, &function, &name)) {
        return NULL;
    }
    struct planned *self = (struct planned *)type->tp_alloc(type, 0);
    if (self) {
        self->vectorcall = planned_vectorcall;
        self->function = Py_NewRef(function);
        self->name = Py_NewRef(name);
        PyUnicode_InternInPlace(&self->name);
    }
    return (PyObject *)self;
}

static int
planned_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct planned *self = (struct planned *)op;

    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->dict);
    Py_VISIT(self->function);
    return 0;
}

static int
planned_clear(PyObject *op)
{
    Py_CLEAR(((struct planned *)op)->dict);
    Py_CLEAR(((struct planned *)op)->function);
    return 0;
}

static void
planned_dealloc(PyObject *op)
{
    struct planned *self = (struct planned *)op;
    PyTypeObject *type = Py_TYPE(op);

    PyObject_GC_UnTrack(op);
    if (self->weakrefs) {
        PyObject_ClearWeakRefs(op);
    }
    planned_clear(op);
    Py_CLEAR(self->name);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyObject *
planned_repr(PyObject *op)
{
    return PyObject_Repr(((struct planned *)op)->function);
}

/* Pickled by name, as a function is. */
static PyObject *
planned_reduce(PyObject *op, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(op, "__qualname__");
}

static PyMethodDef planned_methods[] = {
    {"__reduce__", planned_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef planned_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct planned, vectorcall),
     READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct planned, dict), READONLY,
     NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct planned, weakrefs),
     READONLY, NULL},
    {NULL},
};

static PyGetSetDef planned_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL},
};

static PyType_Slot planned_slots[] = {
    {Py_tp_new, planned_new},
    {Py_tp_dealloc, planned_dealloc},
    {Py_tp_traverse, planned_traverse},
    {Py_tp_clear, planned_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, planned_get},
    {Py_tp_repr, planned_repr},
    {Py_tp_methods, planned_methods},
    {Py_tp_members, planned_members},
    {Py_tp_getset, planned_attributes},
    {Py_tp_doc, "A method whose launches are remembered by layout."},
    {0},
};

int
array_planned_setup(PyObject *module)
{
    PyType_Spec spec = {
        .name = "pycuda._driver.PlannedMethod",
        .basicsize = sizeof(struct planned),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                 Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
        .slots = planned_slots,
    };
    PyObject *type;

    axis_name = PyUnicode_InternFromString("axis");
    if (!axis_name ||
        !(type = PyType_FromModuleAndSpec(module, &spec, NULL))) {
        return -1;
    }
    int status = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return status;
}
