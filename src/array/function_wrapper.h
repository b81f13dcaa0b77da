/* function_wrapper.h - common part of the types whose objects wrap a Python
 * function.
 *
 * FastUfunc, PlannedMethod, FastCall and FastCollective have C fast paths for
 * some calls and pass other calls to the wrapped function. To a program, a
 * wrapper looks like the function that it wraps: functools.update_wrapper
 * copies the function's name, docstring and signature to the wrapper's dict.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/core.h"

struct function_wrapper {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    /* Strong reference; attributes of the object, copied from the function. */
    PyObject *dict;
    PyObject *weakrefs;
    /* strong reference; released by dealloc, not by tp_clear */
    PyObject *function;
};

/* Creates a wrapper object of `type` for `function`, with a new reference to
 * it. The fields that the type adds are zero. Returns NULL with an exception
 * on failure. */
PyObject *function_wrapper_new(PyTypeObject *type, vectorcallfunc call,
                               PyObject *function);
/* Releases the common fields and frees the object. The destructor of a type
 * releases the fields that the type adds, and then calls this function. */
void function_wrapper_dealloc(PyObject *op);

/* Creates a type called `name` and adds it to the module. It has the common
 * slots and the slots `own`, an array that ends with {0}. `bytes` is the size
 * of an object. Returns 0, or -1 with an exception. */
int function_wrapper_add_type(PyObject *module, const char *name, size_t bytes,
                              const PyType_Slot *own);
