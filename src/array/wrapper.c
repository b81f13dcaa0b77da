/* wrapper.c - common implementation of Shortcut, PlannedMethod and UsualCall.
 *
 * Called by shortcut.c, planned.c and usual.c, and by Python for their
 * objects.
 *
 * SPDX-License-Identifier: MIT */
#include "array/wrapper.h"

#include <structmember.h>

enum { MOST_OWN = 4 }; /* maximum number of slots that a type adds */

PyObject *
wrapper_new(PyTypeObject *type, vectorcallfunc call, PyObject *function)
{
    struct wrapper *self = (struct wrapper *)type->tp_alloc(type, 0);

    if (self) {
        self->vectorcall = call;
        self->function = Py_NewRef(function);
    }
    return (PyObject *)self;
}

static int
wrapper_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct wrapper *self = (struct wrapper *)op;

    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->dict);
    Py_VISIT(self->function);
    return 0;
}

static int
wrapper_clear(PyObject *op)
{
    Py_CLEAR(((struct wrapper *)op)->dict);
    return 0;
}

void
wrapper_dealloc(PyObject *op)
{
    struct wrapper *self = (struct wrapper *)op;
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

/* Implements tp_descr_get: if the object is an attribute of a class, returns a
 * method bound to the instance, as a Python function does. */
static PyObject *
wrapper_get(PyObject *op, PyObject *instance, PyObject *owner)
{
    (void)owner;
    return instance && instance != Py_None ? PyMethod_New(op, instance)
                                           : Py_NewRef(op);
}

static PyObject *
wrapper_repr(PyObject *op)
{
    return PyObject_Repr(((struct wrapper *)op)->function);
}

/* Implements __reduce__: returns the name, since functions are pickled by
 * name. */
static PyObject *
wrapper_reduce(PyObject *op, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(op, "__qualname__");
}

static PyMethodDef methods[] = {
    {"__reduce__", wrapper_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct wrapper, vectorcall),
     READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct wrapper, dict), READONLY,
     NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct wrapper, weakrefs),
     READONLY, NULL},
    {NULL},
};

static PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL},
};

static const PyType_Slot common[] = {
    {Py_tp_traverse, wrapper_traverse}, {Py_tp_clear, wrapper_clear},
    {Py_tp_call, PyVectorcall_Call},    {Py_tp_repr, wrapper_repr},
    {Py_tp_methods, methods},           {Py_tp_members, members},
    {Py_tp_getset, attributes},         {Py_tp_descr_get, wrapper_get},
};

int
wrapper_add_type(PyObject *module, const char *name, size_t bytes,
                 const PyType_Slot *own)
{
    enum { COMMON = sizeof common / sizeof *common };
    PyType_Slot slots[COMMON + MOST_OWN + 1] = {{0}};
    PyType_Spec spec = {
        .name = name,
        .basicsize = (int)bytes,
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                 Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
        .slots = slots,
    };

    memcpy(slots, common, sizeof common);
    for (int i = 0; own[i].slot && i < MOST_OWN; i++) {
        slots[COMMON + i] = own[i];
    }
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type) {
        return -1;
    }
    int status = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return status;
}
