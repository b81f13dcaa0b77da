/* function_wrapper.c - common implementation of FastUfunc, PlannedMethod,
 * FastCall and FastCollective.
 *
 * Called by fast_ufunc.c, planned_method.c, fast_call.c and fast_collective.c,
 * and by Python for their objects.
 *
 * SPDX-License-Identifier: MIT */
#include "array/function_wrapper.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

#include <structmember.h>

/* maximum number of type slots that one of these types adds to the common
 * ones */
enum { MAX_OWN = 4 };

PyObject *
function_wrapper_new(PyTypeObject *type, vectorcallfunc call,
                     PyObject *function)
{
    struct function_wrapper *self =
        (struct function_wrapper *)type->tp_alloc(type, 0);

    if (self) {
        self->vectorcall = call;
        self->function = Py_NewRef(function);
    }
    return (PyObject *)self;
}

static int
function_wrapper_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct function_wrapper *self = (struct function_wrapper *)op;

    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->dict);
    Py_VISIT(self->function);
    return 0;
}

static int
function_wrapper_clear(PyObject *op)
{
    Py_CLEAR(((struct function_wrapper *)op)->dict);
    return 0;
}

void
function_wrapper_dealloc(PyObject *op)
{
    struct function_wrapper *self = (struct function_wrapper *)op;
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
function_wrapper_get(PyObject *op, PyObject *instance, PyObject *owner)
{
    (void)owner;
    return instance && instance != Py_None ? PyMethod_New(op, instance)
                                           : Py_NewRef(op);
}

static PyObject *
function_wrapper_repr(PyObject *op)
{
    return PyObject_Repr(((struct function_wrapper *)op)->function);
}

/* Implements __reduce__: returns the name, since functions are pickled by
 * name. */
static PyObject *
function_wrapper_reduce(PyObject *op, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(op, "__qualname__");
}

static PyMethodDef methods[] = {
    {"__reduce__", function_wrapper_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET,
     offsetof(struct function_wrapper, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct function_wrapper, dict),
     READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET,
     offsetof(struct function_wrapper, weakrefs), READONLY, NULL},
    {NULL},
};

static PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL},
};

static const PyType_Slot common[] = {
    {Py_tp_traverse, function_wrapper_traverse},
    {Py_tp_clear, function_wrapper_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_repr, function_wrapper_repr},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {Py_tp_descr_get, function_wrapper_get},
};

int
function_wrapper_add_type(PyObject *module, const char *name, size_t bytes,
                          const PyType_Slot *own)
{
    enum { COMMON = sizeof common / sizeof *common };
    PyType_Slot slots[COMMON + MAX_OWN + 1] = {{0}};
    PyType_Spec spec = {
        .name = name,
        .basicsize = (int)bytes,
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                 Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
        .slots = slots,
    };

    memcpy(slots, common, sizeof common);
    for (int i = 0; own[i].slot && i < MAX_OWN; i++) {
        slots[COMMON + i] = own[i];
    }
    PyObject *type = core_type_new(module, &spec, NULL, CORE_CALL_CURRENT);
    if (!type) {
        return -1;
    }
    int status = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return status;
}
