/* object.h - common fields and slots of the objects of a context.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_OBJECT_H
#define PYCUDA_CORE_PYTHON_OBJECT_H

#include "core/context/context.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

#include <structmember.h>

struct core_context;

/* Allocates a zeroed object with a reference to `context`, or NULL. */
PyObject *core_object_new(PyTypeObject *type, struct core_context *context);
/* Implement tp_traverse and tp_clear for the fields of CORE_HEAD, except that
 * tp_clear keeps `context`. */
int core_object_traverse(PyObject *self, visitproc visit, void *arg);
int core_object_clear(PyObject *self);
/* core_object_begin_dealloc is the first step of tp_dealloc and
 * core_object_end_dealloc the last one, which frees the object's memory. */
void core_object_begin_dealloc(PyObject *self);
void core_object_end_dealloc(PyObject *self);
/* tp_new of classes that Python programs cannot instantiate: raises
 * RuntimeError. */
PyObject *core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* Returns whether a subclass overrides __init__ but not __new__. Then tp_init
 * reads the constructor's arguments; otherwise tp_new (`make`) reads them. */
static inline bool
core_init_reads(const PyTypeObject *type, newfunc make, initproc init)
{
#ifdef Py_GIL_DISABLED
    return core_unlocked_slot((void *)type->tp_init) != (void *)init &&
           core_unlocked_slot((void *)type->tp_new) == (void *)make;
#else
    return type->tp_init != init && type->tp_new == make;
#endif
}

/* Creates the type, stores it in *field (strong) and adds it to the module.
 * The structs of its objects begin with CORE_HEAD. */
int core_add_type(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
                  PyTypeObject *base);
/* Does the same as core_add_type for a type whose structs do not begin with
 * CORE_HEAD. */
int core_add_headless_type(PyObject *module, PyTypeObject **field,
                           PyType_Spec *spec);
/* Allows programs to replace __call__ of a class although its instances are
 * called by vectorcall. */
int core_type_allow_call_override(PyTypeObject *type);
/* Python members __dictoffset__ and __weaklistoffset__ of all types whose
 * struct begins with CORE_HEAD. */
extern PyMemberDef core_object_members[];

#endif
