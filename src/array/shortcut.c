/* shortcut.c - Shortcut: a function of Python whose usual call, one array (or
 * two of one shape) and nothing else, needs no Python frame.
 *
 * pycuda.cumath and pycuda._array.reductions wrap their functions in it.
 * Anything but arrays that are not empty goes to the Python function.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

#include <structmember.h>

struct shortcut {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *dict; /* __name__, __doc__ and others of the function */
    PyObject *weakrefs;
    PyObject *function; /* strong */
    int operation;
    int reduces;
    int inputs;
};

/* An array that the short way is right for: reductions of float16 and bfloat16
 * are accumulated in float32, which Python arranges. */
static int
is_usual(const struct shortcut *self, PyObject *object)
{
    const struct array *array = (const struct array *)object;

    return array_check(object) && array->size > 0 &&
           !(self->reduces && PyDataType_ELSIZE(array->dtype) == 2 &&
             !PyTypeNum_ISINTEGER(array->dtype->type_num));
}

static int
are_usual(const struct shortcut *self, PyObject *const *args)
{
    const struct array *first = (const struct array *)args[0];

    for (int i = 0; i < self->inputs; i++) {
        const struct array *array = (const struct array *)args[i];
        if (!is_usual(self, args[i]) || array->ndim != first->ndim ||
            memcmp(array->shape, first->shape,
                   (size_t)first->ndim * sizeof *first->shape) != 0) {
            return 0;
        }
    }
    return 1;
}

static PyObject *
shortcut_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                    PyObject *names)
{
    struct shortcut *self = (struct shortcut *)op;

    if (PyVectorcall_NARGS(nargsf) == self->inputs && !names &&
        are_usual(self, args)) {
        return self->reduces
                   ? array_reduce_all(self->operation, self->inputs, args)
                   : array_apply(self->operation, 1, args, NULL, NULL, NULL);
    }
    return PyObject_Vectorcall(self->function, args, nargsf, names);
}

static PyObject *
shortcut_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"function", "name", "reduces", "inputs", NULL};
    PyObject *function, *name;
    int reduces = 0, inputs = 1;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU|pi:Shortcut", keywords,
                                     &function, &name, &reduces, &inputs)) {
        return NULL;
    }
    if (inputs < 1 || inputs > (reduces ? ARRAY_INPUTS : 1)) {
        PyErr_Format(PyExc_ValueError, "%d inputs are not possible", inputs);
        return NULL;
    }
    int operation = operation_number(name);
    struct shortcut *self =
        operation < 0 ? NULL : (struct shortcut *)type->tp_alloc(type, 0);
    if (self) {
        self->vectorcall = shortcut_vectorcall;
        self->function = Py_NewRef(function);
        self->operation = operation;
        self->reduces = reduces;
        self->inputs = inputs;
    }
    return (PyObject *)self;
}

static int
shortcut_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct shortcut *self = (struct shortcut *)op;

    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->dict);
    Py_VISIT(self->function);
    return 0;
}

static int
shortcut_clear(PyObject *op)
{
    Py_CLEAR(((struct shortcut *)op)->dict);
    return 0;
}

static void
shortcut_dealloc(PyObject *op)
{
    struct shortcut *self = (struct shortcut *)op;
    PyTypeObject *type = Py_TYPE(op);

    PyObject_GC_UnTrack(op);
    if (self->weakrefs) {
        PyObject_ClearWeakRefs(op);
    }
    Py_CLEAR(self->dict);
    Py_CLEAR(self->function);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyObject *
shortcut_repr(PyObject *op)
{
    return PyObject_Repr(((struct shortcut *)op)->function);
}

/* Pickled by name, as a function is. */
static PyObject *
shortcut_reduce(PyObject *op, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(op, "__qualname__");
}

static PyMethodDef shortcut_methods[] = {
    {"__reduce__", shortcut_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef shortcut_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct shortcut, vectorcall),
     READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct shortcut, dict), READONLY,
     NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct shortcut, weakrefs),
     READONLY, NULL},
    {NULL},
};

static PyGetSetDef shortcut_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL},
};

static PyType_Slot shortcut_slots[] = {
    {Py_tp_new, shortcut_new},
    {Py_tp_dealloc, shortcut_dealloc},
    {Py_tp_traverse, shortcut_traverse},
    {Py_tp_clear, shortcut_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_repr, shortcut_repr},
    {Py_tp_methods, shortcut_methods},
    {Py_tp_members, shortcut_members},
    {Py_tp_getset, shortcut_attributes},
    {Py_tp_doc, "A function with a short way for one array."},
    {0},
};

int
array_shortcut_setup(PyObject *module)
{
    PyType_Spec spec = {
        .name = "pycuda._driver.Shortcut",
        .basicsize = sizeof(struct shortcut),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                 Py_TPFLAGS_HAVE_VECTORCALL,
        .slots = shortcut_slots,
    };
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);

    if (!type) {
        return -1;
    }
    int status = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return status;
}
