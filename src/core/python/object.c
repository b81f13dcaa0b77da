/* object.c - slots that all objects of a context share.
 *
 * Every such object begins with CORE_HEAD: attributes, weak references, and a
 * strong reference to its context, so that the context exists when the
 * object's resource is released.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

PyMemberDef core_object_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(struct core_object, dict),
     READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct core_object, weakrefs),
     READONLY, NULL},
    {NULL},
};

/* Allocates an object that begins with CORE_HEAD, with a reference to
 * `context`, which may be NULL; the other fields are zero. */
PyObject *
core_object_new(PyTypeObject *type, struct core_context *context)
{
    struct core_object *self = (struct core_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->context = (struct core_context *)Py_XNewRef((PyObject *)context);
    }
    return (PyObject *)self;
}

/* tp_traverse and tp_clear for the fields of CORE_HEAD. `context` stays, since
 * deallocation needs it. */
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

/* First and last step of tp_dealloc: untrack the object and clear its weak
 * references; drop the fields of CORE_HEAD and free the memory. */
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

int
core_add_type(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
              PyTypeObject *base)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, (PyObject *)base);
    if (type == NULL) {
        return -1;
    }
    *field = (PyTypeObject *)type;
    return PyModule_AddType(module, *field);
}

/* Setter of class attributes. Before Python 3.12 a class with vectorcall keeps
 * that flag when a program replaces its __call__, which would then never be
 * called. */
static int
callable_type_setattro(PyObject *op, PyObject *name, PyObject *value)
{
    PyTypeObject *type = (PyTypeObject *)op;
    if (PyType_Type.tp_setattro(op, name, value) < 0) {
        return -1;
    }
    if (PyUnicode_CompareWithASCIIString(name, "__call__") == 0) {
        type->tp_flags &= ~Py_TPFLAGS_HAVE_VECTORCALL;
        if (type->tp_call == PyVectorcall_Call) { /* the original again */
            type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
        }
    }
    return 0;
}

/* Makes a type with vectorcall call a __call__ that a program assigns to
 * it. */
int
core_let_replace_call(PyTypeObject *type)
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
    core.array_room = room;
    PyTypeObject *old = core.array_type;
    core.array_type = (PyTypeObject *)Py_NewRef((PyObject *)type);
    Py_XDECREF((PyObject *)old);
}
