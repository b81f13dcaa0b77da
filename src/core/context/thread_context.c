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
#include "core/setups.h"
#include "core/state.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether threads without a context use the process's oldest one: the
 * environment variable PYCUDA_THREAD_CONTEXT is 1. The extension module warns
 * of values other than 0 and 1 when it is imported. */
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

/* Returns the oldest live context, borrowed; NULL if there is none. */
static struct core_context *
oldest_context(void)
{
    struct core_context *oldest = NULL;
    for (struct core_context *context = core_contexts_first(); context != NULL;
         /* the list begins with the newest context */
         context = context->next) {
        oldest = is_live(context) ? context : oldest;
    }
    return oldest;
}

/* Returns, borrowed, the context that a thread pushes if it has none: the one
 * passed to set_thread_context, else the oldest if the environment requests
 * it. Returns NULL if there is none. */
static struct core_context *
chosen_context(void)
{
    struct core_context *chosen = (struct core_context *)core.thread_context;
    if (chosen == NULL && is_oldest_wanted()) {
        chosen = oldest_context();
    }
    return chosen != NULL && is_live(chosen) ? chosen : NULL;
}

/* If this thread has never pushed a context, pushes the one that the program
 * chose for such threads. Returns whether it did; raises nothing. */
static bool
thread_context_adopt(void)
{
    if (core.forked || core_stack_was_used()) {
        return false;
    }
    struct core_context *context = chosen_context();
    if (context == NULL) {
        return false;
    }
    /* save the exception that a caller may have set */
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    bool entered = driver.cuCtxSetCurrent(context->handle) == CUDA_SUCCESS &&
                   core_stack_push(context) == 0;
    PyErr_Restore(type, value, trace);
    return entered;
}

/* Makes the context current in CUDA and pushes it on this thread's stack until
 * core_home_leave. Returns false, maybe with an exception, if it cannot. */
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
    Py_XSETREF(core.thread_context,
               context == Py_None ? NULL : Py_NewRef(context));
    Py_RETURN_NONE;
}

static PyObject *
live_contexts(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (struct core_context *context = core_contexts_first();
         context != NULL && list != NULL; context = context->next) {
        if (is_live(context) && PyList_Append(list, (PyObject *)context) < 0) {
            Py_CLEAR(list);
        }
    }
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
    return PyModule_AddFunctions(module, functions);
}
