/* wrapper.h - how the types begin whose objects stand for a Python function.
 *
 * Shortcut, PlannedMethod and UsualCall have a way of their own for usual
 * calls and pass others on.  To programs they look like the function: its
 * name, text and signature are in the dict (functools.update_wrapper).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "array/array.h"

struct wrapper {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *dict; /* __name__, __doc__ and others of the function */
    PyObject *weakrefs;
    PyObject *function; /* strong; until the end, tp_clear leaves it */
};

/* A new object; its type's own fields are zero. */
PyObject *wrapper_new(PyTypeObject *type, vectorcallfunc call,
                      PyObject *function);
void wrapper_dealloc(PyObject *op);

/* Adds a type called `name` to the module: what all wrappers have, and the
 * slots `own`, which end with {0}.  Returns 0, or -1 with an exception. */
int wrapper_add_type(PyObject *module, const char *name, size_t bytes,
                     const PyType_Slot *own);
