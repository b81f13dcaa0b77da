/* locked_calls.h - takes locks (locks.h) during each call from Python into the
 * extension, in free-threaded Python.
 *
 * In builds with the GIL, the functions take no locks and only call the
 * corresponding functions of Python.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_LOCKED_CALLS_H
#define PYCUDA_CORE_PYTHON_LOCKED_CALLS_H

#include "core/core.h"

/* Locks that a call takes, in addition to that of the current context. */
enum core_call_lock {
    CORE_CALL_CURRENT, /* no other one */
    /* the lock of the context of the first argument, an object that begins
     * with CORE_HEAD; if the object has no context, its own lock */
    CORE_CALL_HEAD,
    CORE_CALL_OWN, /* the first argument's own lock */
};

/* Does the same as PyType_FromModuleAndSpec, except that the methods,
 * attributes and slots of the type take locks. If `lock` is CORE_CALL_HEAD,
 * destructors take the lock of the object's context only. Numeric operators
 * take the lock of the current context only. Returns a new reference, or NULL
 * with an exception. */
PyObject *core_type_new(PyObject *module, PyType_Spec *spec, PyObject *bases,
                        enum core_call_lock lock);
/* Adds functions that take the lock of the current context to the module.
 * Returns 0, or -1 with an exception. */
int core_add_functions(PyObject *module, PyMethodDef *functions);
/* Returns a table of methods that take locks: a copy, which exists until the
 * process ends, or with the GIL `methods` itself. Returns NULL with an
 * exception on failure. */
PyMethodDef *core_locked_methods(PyMethodDef *methods,
                                 enum core_call_lock lock);

/* The locks that a call holds, from core_call_begin to core_call_end. In
 * builds with the GIL it has no members. */
struct core_call {
#ifdef Py_GIL_DISABLED
    PyCriticalSection2 section;
#endif
};

#ifdef Py_GIL_DISABLED
/* Takes the locks of a call with the first argument `self`, until
 * core_call_end. For functions that Python calls and that were registered
 * neither by core_type_new nor by core_add_functions. Nested calls of a thread
 * end in reverse order: the last one begun ends first. */
void core_call_begin(struct core_call *call, PyObject *self,
                     enum core_call_lock lock);
/* Releases the locks that core_call_begin has taken. */
void core_call_end(struct core_call *call);
/* Returns a function that takes locks and calls `call`, for the field that
 * __vectorcalloffset__ names. Returns NULL with an exception on failure. */
vectorcallfunc core_locked_vectorcall(vectorcallfunc call,
                                      enum core_call_lock lock);
/* Returns the function behind the slot of a type: if `slot` is a trampoline
 * that takes locks, the function that was passed to core_type_new, else
 * `slot`. */
void *core_unlocked_slot(void *slot);
/* Sets the function that returns the lock of the calling thread's current
 * context, or NULL. Called by context/stack.c during import. */
void core_calls_set_lock(struct core_lock *(*function)(void));
#else
/* In builds of Python that have a GIL, core_call_begin does nothing. */
static inline void
core_call_begin(struct core_call *call, PyObject *self,
                enum core_call_lock lock)
{
    (void)call, (void)self, (void)lock;
}

/* In builds of Python that have a GIL, core_call_end does nothing. */
static inline void
core_call_end(struct core_call *call)
{
    (void)call;
}

/* With the GIL, returns `call`. */
static inline vectorcallfunc
core_locked_vectorcall(vectorcallfunc call, enum core_call_lock lock)
{
    (void)lock;
    return call;
}
#endif

#endif
