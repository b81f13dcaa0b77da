/* thread_context.c - the context of threads that have not pushed one.
 *
 * As in PyCUDA, each thread has a stack of Contexts, which is empty in a new
 * thread. set_thread_context chooses the context that such a thread pushes
 * with its first use of the device. With PYCUDA_THREAD_CONTEXT=1, this is the
 * process's oldest context. Independently of that, reading an array (get,
 * pickle, repr) works in a thread without a context: it temporarily uses the
 * context of the array's memory.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/python/locks.h"
#include "core/python/locked_calls.h"
#include "core/setups.h"
#include "core/state.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether PYCUDA_THREAD_CONTEXT is 1: threads without a context then
 * use the process's oldest context. The extension module warns of values other
 * than 0 and 1 when it is imported. */
static bool
is_oldest_wanted(void)
{
    const char *value = getenv("PYCUDA_THREAD_CONTEXT");
    return value != NULL && strcmp(value, "1") == 0;
}

static bool
is_live(const struct core_context *context)
{
    return context->valid && !context->ending;
}

/* Returns the oldest context that is not detached, a new reference. Returns
 * NULL if there is none, or if there is not enough memory. */
static struct core_context *
oldest_context(void)
{
    PyObject *list = core_contexts_list();
    struct core_context *oldest = NULL;
    for (Py_ssize_t i = list == NULL ? 0 : PyList_GET_SIZE(list); i-- > 0;) {
        struct core_context *context = (void *)PyList_GET_ITEM(list, i);
        if (oldest == NULL && is_live(context)) {
            oldest = (void *)Py_NewRef((PyObject *)context);
        }
    }
    if (list == NULL) {
        PyErr_Clear();
    }
    Py_XDECREF(list);
    return oldest;
}

/* Protects core.thread_context. */
LEAF_LOCK(thread_context_lock);

/* Returns the context that a thread without a context pushes: the context
 * passed to set_thread_context or, if there is none and PYCUDA_THREAD_CONTEXT
 * is 1, the oldest context. Returns a new reference, or NULL if there is no
 * such context. */
static struct core_context *
chosen_context(void)
{
    LEAF_BEGIN(thread_context_lock);
    PyObject *chosen = Py_XNewRef(core.thread_context);
    LEAF_END(thread_context_lock);
    if (chosen == NULL && is_oldest_wanted()) {
        chosen = (PyObject *)oldest_context();
    }
    if (chosen != NULL && !is_live((struct core_context *)chosen)) {
        Py_CLEAR(chosen);
    }
    return (struct core_context *)chosen;
}

/* If this thread has never pushed a context, pushes the context that the
 * program chose for such threads. Returns whether it has pushed one. Raises no
 * exception. */
static bool
thread_context_adopt(void)
{
    if (core.forked || core_stack_was_used()) {
        return false;
    }
    /* save the exception that a caller may have set */
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    struct core_context *context = chosen_context();
    bool entered = context != NULL &&
                   driver.cuCtxSetCurrent(context->handle) == CUDA_SUCCESS &&
                   core_stack_push(context) == 0;
    Py_XDECREF((PyObject *)context);
    PyErr_Restore(type, value, trace);
    return entered;
}

#ifdef Py_GIL_DISABLED
/* Returns the lock of the context that thread_context_adopt would push, or
 * NULL. */
static struct core_lock *
thread_context_lock_find(void)
{
    if (core.forked || core_stack_was_used()) {
        return NULL;
    }
    struct core_context *context = chosen_context();
    struct core_lock *lock = context == NULL ? NULL : context->lock;
    Py_XDECREF((PyObject *)context);
    return lock;
}
#endif

/* Makes the context current in CUDA and pushes it on this thread's stack until
 * core_home_leave. On failure returns false, with an exception only if the
 * push on the stack has failed. */
static bool
home_push(struct core_context *home, struct core_scope *scope)
{
    if (!core_enter(home, scope)) {
        return false;
    }
    if (core_stack_push_temporarily(home) < 0) {
        core_leave(scope);
        return false;
    }
    return true;
}

bool
core_home_enter(PyObject *owner, struct core_scope *scope)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (core_stack_top() != NULL ||
        !home_push(core_memory_context(owner), scope)) {
        PyErr_Clear();
        PyErr_Restore(type, value, trace);
        return false;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return true;
}

void
core_home_leave(struct core_scope *scope)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_XDECREF((PyObject *)core_stack_pop());
    core_leave(scope);
    PyErr_Restore(type, value, trace);
}

static PyObject *
set_thread_context(PyObject *module, PyObject *context)
{
    (void)module;
    if (context != Py_None &&
        !PyObject_TypeCheck(context, core.context_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Context or None, not %s",
                     Py_TYPE(context)->tp_name);
        return NULL;
    }
    if (context != Py_None && !((struct core_context *)context)->valid) {
        core_context_fail_detached("set_thread_context");
        return NULL;
    }
    PyObject *chosen = context == Py_None ? NULL : Py_NewRef(context);
    LEAF_BEGIN(thread_context_lock);
    PyObject *old = core.thread_context;
    core.thread_context = chosen;
    LEAF_END(thread_context_lock);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static PyObject *
live_contexts(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *all = core_contexts_list();
    PyObject *list = all == NULL ? NULL : PyList_New(0);
    Py_ssize_t count = list == NULL ? 0 : PyList_GET_SIZE(all);
    for (Py_ssize_t i = 0; i < count && list != NULL; i++) {
        PyObject *context = PyList_GET_ITEM(all, i);
        if (is_live((struct core_context *)context) &&
            PyList_Append(list, context) < 0) {
            Py_CLEAR(list);
        }
    }
    Py_XDECREF(all);
    return list;
}

static PyMethodDef functions[] = {
    {"set_thread_context", set_thread_context, METH_O,
     "set_thread_context(context, /)\n--\n\n"
     "Choose the context of threads that have not pushed one; with None, "
     "such threads have no context."},
    {"_contexts", live_contexts, METH_NOARGS,
     "Return a list of the process's Contexts, the newest first."},
    {NULL},
};

int
core_thread_context_setup(PyObject *module)
{
    core_stack_set_adopt(thread_context_adopt);
#ifdef Py_GIL_DISABLED
    core_stack_set_adopted_lock(thread_context_lock_find);
#endif
    return core_add_functions(module, functions);
}
