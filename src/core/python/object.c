/* object.c - type slots shared by all Python objects that belong to a context.
 *
 * The struct of every such object begins with CORE_HEAD: a dict of attributes,
 * a list of weak references, and a strong reference to the context. The
 * context therefore exists until the object's resource is released.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/core.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"

PyMemberDef core_object_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(struct core_object, dict),
     READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct core_object, weakrefs),
     READONLY, NULL},
    {NULL},
};

/* Allocates an object whose struct begins with CORE_HEAD, and stores a
 * reference to `context` (or NULL) in it. The other fields are zero. */
PyObject *
core_object_new(PyTypeObject *type, struct core_context *context)
{
    struct core_object *self = (struct core_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->context = (struct core_context *)Py_XNewRef((PyObject *)context);
    }
    return (PyObject *)self;
}

/* tp_traverse and tp_clear for the fields of CORE_HEAD. tp_clear keeps the
 * reference to the context, since deallocation needs it. */
int
core_object_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct core_object *object = (struct core_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(object->dict);
    Py_VISIT((PyObject *)object->context);
    return 0;
}

int
core_object_clear(PyObject *self)
{
    Py_CLEAR(((struct core_object *)self)->dict);
    return 0;
}

/* First and last step of tp_dealloc. core_object_begin_dealloc untracks the
 * object and clears its weak references. core_object_end_dealloc drops the
 * fields of CORE_HEAD and frees the object. */
void
core_object_begin_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    if (((struct core_object *)self)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(self);
    }
}

void
core_object_end_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    struct core_object *object = (struct core_object *)self;
    Py_CLEAR(object->dict);
    Py_CLEAR(object->context);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject *
core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    PyErr_Format(PyExc_RuntimeError,
                 "%s: this class cannot be instantiated from Python",
                 type->tp_name);
    return NULL;
}

/* Creates a type whose methods take locks (locked_calls.h), stores it in
 * *field and adds it to the module. */
static int
type_add(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
         PyTypeObject *base, enum core_call_lock lock)
{
    PyObject *type = core_type_new(module, spec, (PyObject *)base, lock);
    if (type == NULL) {
        return -1;
    }
    *field = (PyTypeObject *)type;
    return PyModule_AddType(module, *field);
}

int
core_add_type(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
              PyTypeObject *base)
{
    return type_add(module, field, spec, base, CORE_CALL_HEAD);
}

int
core_add_headless_type(PyObject *module, PyTypeObject **field,
                       PyType_Spec *spec)
{
    return type_add(module, field, spec, NULL, CORE_CALL_CURRENT);
}

/* Sets an attribute of a class with vectorcall. When a program replaces the
 * class's __call__, clears the class's vectorcall flag: Python before 3.12
 * does not clear the flag, and would never call the new __call__. */
static int
callable_type_setattro(PyObject *op, PyObject *name, PyObject *value)
{
    PyTypeObject *type = (PyTypeObject *)op;
    if (PyType_Type.tp_setattro(op, name, value) < 0) {
        return -1;
    }
    if (PyUnicode_CompareWithASCIIString(name, "__call__") == 0) {
        type->tp_flags &= ~Py_TPFLAGS_HAVE_VECTORCALL;
        if (type->tp_call == PyVectorcall_Call) { /* the program restored the
                                                     original __call__ */
            type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
        }
    }
    return 0;
}

/* Allows programs to assign a new __call__ to a class that implements
 * vectorcall: gives the class a metatype whose attribute setter is
 * callable_type_setattro. */
int
core_type_allow_call_override(PyTypeObject *type)
{
    static PyType_Slot slots[] = {
        {Py_tp_setattro, callable_type_setattro},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "pycuda._driver._CallableType",
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    PyObject *metatype =
        PyType_FromSpecWithBases(&spec, (PyObject *)&PyType_Type);
    if (metatype == NULL) {
        return -1;
    }
    Py_SET_TYPE((PyObject *)type, (PyTypeObject *)metatype);
    PyType_Modified(type);
    return 0;
}

void
core_set_array_type(PyTypeObject *type, size_t (*room)(PyObject *))
{
    core.array_bytes_to_end = room;
    PyTypeObject *old = core.array_type;
    core.array_type = (PyTypeObject *)Py_NewRef((PyObject *)type);
    Py_XDECREF((PyObject *)old);
}
