/* local_storage.c - context-local storage: objects owned by a context and
 * released with it.
 *
 * The storage has the compiled kernels and launch plans
 * (src/array/kernel_cache.c), the results that Python functions cache by
 * context, and the buffer in which kernels record faults. Most of these
 * objects refer to the context, as every Function does. Only the context owns
 * the objects. Therefore Python's garbage collector can release an unused
 * context together with its objects, and detach() releases all of them.
 *
 * A context has a key, a number that other caches use to find entries for the
 * context (src/array/cached_elementwise.c). The key changes when the context's
 * kernels are dropped, so that entries with the old key are not found any
 * more.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/cublas.h"
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/local_storage.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/python/locked_calls.h"
#include "core/state.h"
#include "core/stream/open_captures.h"

PyObject **
core_local_slot(enum core_local which)
{
    struct core_context *context = core_current_known();
    return context == NULL ? NULL : &context->local[which];
}

/* core_local_traverse visits the objects of the context-local storage for the
 * garbage collector; core_local_drop drops them and changes the context's
 * key. */
int
core_local_traverse(struct core_context *context, visitproc visit, void *arg)
{
    for (int i = 0; i < CORE_LOCAL_COUNT; i++) {
        Py_VISIT(context->local[i]);
    }
    return 0;
}

/* Moves the context's rebuildable objects (kernels, launch plans, cached
 * results) to `list`. Gives the context a new key, so that caches do not find
 * entries of the old key. */
static int
local_move(struct core_context *context, PyObject *list)
{
    context->serial = ADD_SHARED(core.next_serial, 1);
    for (int i = 0; i < CORE_LOCAL_FAULTS; i++) {
        PyObject *object = context->local[i];
        if (object != NULL && (core_capture_retain(context, object) < 0 ||
                               PyList_Append(list, object) < 0)) {
            return -1;
        }
        /* `list` has its own reference to the object */
        Py_CLEAR(context->local[i]);
    }
    return 0;
}

void
core_local_drop(struct core_context *context)
{
    context->serial = ADD_SHARED(core.next_serial, 1);
    for (int i = 0; i < CORE_LOCAL_COUNT; i++) {
        Py_CLEAR(context->local[i]);
    }
}

/* Drops the kernels and cached results of all contexts. Moves the references
 * to a list first, so that no destructor runs during the loop over the
 * contexts. */
static PyObject *
drop_kernels(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *contexts = core_contexts_list();
    PyObject *list = contexts == NULL ? NULL : PyList_New(0);
    int status = list == NULL ? -1 : 0;
    Py_ssize_t count = status < 0 ? 0 : PyList_GET_SIZE(contexts);
    struct core_section section;
    for (Py_ssize_t i = 0; i < count && status == 0; i++) {
        struct core_context *context = (void *)PyList_GET_ITEM(contexts, i);
        CORE_CONTEXT_BEGIN(&section, context);
        status = local_move(context, list);
        CORE_CONTEXT_END(&section);
    }
    /* Destroy the cuBLAS handles of the contexts, then drop `list`, which
     * destroys kernels. Both steps release the GIL, so other threads may run.
     * A context that captures a graph keeps its cuBLAS handle: destroying the
     * handle would wait for the device, which ends the capture with an
     * error. */
    for (Py_ssize_t i = 0; i < count && status == 0; i++) {
        struct core_context *context = (void *)PyList_GET_ITEM(contexts, i);
        CORE_CONTEXT_BEGIN(&section, context);
        if (context->captures == 0) {
            core_cublas_drop(context);
        }
        CORE_CONTEXT_END(&section);
    }
    Py_XDECREF(list);
    Py_XDECREF(contexts);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
context_results(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject **slot = core_local_slot(CORE_LOCAL_RESULTS);
    if (slot == NULL || (*slot == NULL && (*slot = PyDict_New()) == NULL)) {
        return NULL;
    }
    return Py_NewRef(*slot);
}

static PyObject *
set_context_end(PyObject *module, PyObject *callable)
{
    (void)module;
    Py_XSETREF(core.context_end, Py_NewRef(callable));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_drop_kernels", drop_kernels, METH_NOARGS,
     "Drop the caches of all contexts: compiled kernels, launch plans, "
     "cached results of Python functions."},
    {"_context_results", context_results, METH_NOARGS,
     "Return a dict that belongs to the current context and is dropped "
     "with it."},
    {"_set_context_end", set_context_end, METH_O,
     "Set the callable(context) that is called after detach()."},
    {NULL},
};

int
core_local_storage_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
