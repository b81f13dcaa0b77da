/* wrapper.h - common part of the types whose objects wrap a Python function.
 *
 * Shortcut, PlannedMethod and UsualCall have C fast paths for some calls and
 * pass other calls to the wrapped function. To programs they look like the
 * function: functools.update_wrapper stores its name, text and signature in
 * their dict.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "array/array.h"

struct wrapper {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *dict; /* strong; attributes copied from the function */
    PyObject *weakrefs;
    PyObject *function; /* strong; released by dealloc, not by tp_clear */
};

/* Creates an object. The fields of the derived type are zero. Takes a new
 * reference to `function`. Returns NULL with an exception on failure. */
PyObject *wrapper_new(PyTypeObject *type, vectorcallfunc call,
                      PyObject *function);
/* Destructor. Derived types release their own fields first. */
void wrapper_dealloc(PyObject *op);

/* Creates a type called `name` with the common slots and the slots `own`,
 * which end with {0}, and adds it to the module. `bytes` is the size of an
 * object. Returns 0, or -1 with an exception. */
int wrapper_add_type(PyObject *module, const char *name, size_t bytes,
                     const PyType_Slot *own);
