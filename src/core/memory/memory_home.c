/* memory_home.c - functions of pycuda._driver about memory of other contexts
 * and devices.
 *
 * The package's Python code calls them to find out to which context and device
 * an array's memory belongs. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/peer_memory.h"
#include "core/memory/stream_dependencies.h"
#include "core/python/locked_calls.h"
#include "core/stream/current_stream.h"

static bool
has_handle(const struct core_context *context, const void *handle)
{
    return context->valid && context->handle == (CUcontext)handle;
}

/* Returns the Context object of a native handle: an existing object, or a new
 * one that does not own the native context. */
static PyObject *
context_object(CUcontext handle, int device)
{
    struct core_context *found = core_contexts_find(has_handle, handle);
    return found != NULL ? (PyObject *)found
                         : core_context_wrap(handle, device, CONTEXT_FOREIGN);
}

/* Returns (context or None, device ordinal) of the memory of an array. */
static PyObject *
memory_home(PyObject *unused, PyObject *object)
{
    (void)unused;
    struct core_context *owner = core_memory_context(object);
    CUdeviceptr pointer = core_is_array(object)
                              ? ((struct core_array_head *)object)->pointer
                              : 0;
    int device = -1;
    if (owner != NULL) {
        return Py_BuildValue("(Oi)", (PyObject *)owner, (int)owner->device);
    }
    if (pointer != 0 &&
        core_check(driver.cuPointerGetAttribute(
                       &device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer),
                   "cuPointerGetAttribute") < 0) {
        return NULL;
    }
    const struct core_context *here = core_stack_top();
    int there;
    PyObject *context =
        here != NULL && device == (int)here->device &&
                core_peer_is_elsewhere(here, pointer, &there)
            ? context_object(core_peer_context(pointer), device)
            : Py_NewRef(Py_None);
    return context == NULL ? NULL : Py_BuildValue("(Ni)", context, device);
}

/* Returns whether the array's memory belongs to another device or context than
 * the current one. */
static PyObject *
memory_is_foreign(PyObject *unused, PyObject *object)
{
    (void)unused;
    const struct core_context *here = core_stack_top();
    const struct core_context *owner = core_memory_context(object);
    int device;
    if (here == NULL || !core_is_array(object)) {
        Py_RETURN_FALSE;
    }
    if (owner != NULL) {
        return PyBool_FromLong(owner->handle != here->handle);
    }
    return PyBool_FromLong(core_peer_is_elsewhere(
        here, ((struct core_array_head *)object)->pointer, &device));
}

static PyObject *
current_device(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    const struct core_context *here = core_stack_top();
    return PyLong_FromLong(here == NULL ? -1 : (long)here->device);
}

/* Waits on the host until the work of the current stream is complete, and thus
 * all work on the array's memory that is ordered before it. Without a current
 * stream, or if the memory belongs to another context, waits for the memory's
 * whole context. */
static PyObject *
memory_wait(PyObject *unused, PyObject *object)
{
    (void)unused;
    CUdeviceptr pointer;
    int device;
    CUstream stream = core_stream_default();
    if (core_pointer(object, &pointer) < 0) {
        return NULL;
    }
    if (stream != NULL && core_memory_context(object) == core_stack_top()) {
        return core_use_at(object, pointer, stream) < 0 ||
                       core_stream_for_sync_call(&stream, "MPI") < 0 ||
                       core_stream_wait(stream) < 0
                   ? NULL
                   : Py_NewRef(Py_None);
    }
    if (pointer != 0 &&
        (core_check(driver.cuPointerGetAttribute(
                        &device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer),
                    "cuPointerGetAttribute") < 0 ||
         core_peer_wait(pointer, device) < 0)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_memory_wait", memory_wait, METH_O,
     "Wait for the current stream, or without one for all work in the "
     "context of an array's memory."},
    {"_memory_home", memory_home, METH_O,
     "Return (context or None, device ordinal) of an array's memory; "
     "ordinal -1: no device memory."},
    {"_memory_is_foreign", memory_is_foreign, METH_O,
     "Return whether an array's memory belongs to another device or "
     "context than the current one."},
    {"_current_device", current_device, METH_NOARGS,
     "Return the ordinal of the current context's device; -1: no context."},
    {NULL},
};

int
core_memory_home_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
