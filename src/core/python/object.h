/* object.h - common fields and slots of the objects of a context.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_OBJECT_H
#define PYCUDA_CORE_PYTHON_OBJECT_H

#include "core/core.h"

#include <structmember.h>

struct core_context;

/* Puts a thread-local variable where an access needs no function call. */
#define CORE_AT_ONCE __attribute__((tls_model("initial-exec")))
/* First fields of each object that belongs to a context. `context` is a strong
 * reference, which tp_clear does not drop. */
#define CORE_HEAD                                                             \
    PyObject_HEAD                                                             \
    PyObject *dict;                                                           \
    PyObject *weakrefs;                                                       \
    struct core_context *context;

struct core_object {
    CORE_HEAD
};

/* Allocates a zeroed object with a reference to `context`, or NULL. */
PyObject *core_object_new(PyTypeObject *type, struct core_context *context);
/* tp_traverse and tp_clear for the fields of CORE_HEAD but `context`. */
int core_object_traverse(PyObject *self, visitproc visit, void *arg);
int core_object_clear(PyObject *self);
/* First and last step of tp_dealloc; the last one frees the object. */
void core_object_begin_dealloc(PyObject *self);
void core_object_end_dealloc(PyObject *self);
/* tp_new of classes that Python cannot instantiate: RuntimeError. */
PyObject *core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* Returns whether a subclass has its own __init__, so that tp_init instead of
 * tp_new (`make`) reads the arguments. */
static inline bool
core_init_reads(const PyTypeObject *type, newfunc make, initproc init)
{
    return type->tp_init != init && type->tp_new == make;
}

/* Creates the type, stores it in *field (strong) and adds it to the module. */
int core_add_type(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
                  PyTypeObject *base);
/* Makes calls of a vectorcall type use a __call__ that is assigned to it. */
int core_type_allow_call_override(PyTypeObject *type);
/* __dictoffset__ and __weaklistoffset__ of CORE_HEAD. */
extern PyMemberDef core_object_members[];
int core_open(void); /* loads the driver library once */
/* core_open; LogicError, naming `routine`, before pycuda.driver.init(). */
int core_open_ready(const char *routine);

#endif
