/* ipc.c - IPCMemoryHandle and mem_get_ipc_handle, by which processes share
 * device memory.
 *
 * All functions need the GIL; closing a handle releases it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"

/* Memory of another process, mapped into this one. */
struct ipc_object {
    CORE_HEAD
    CUdeviceptr pointer;
    bool closed;
};

/* Returns the handle by which another process can open the allocation. Marks
 * its address as escaped: that process may use the memory at any time, so the
 * pool must not reuse it. */
static PyObject *
ipc_get_handle(PyObject *unused, PyObject *object)
{
    (void)unused;
    CUdeviceptr pointer;
    CUipcMemHandle handle;
    if (core_pointer(object, &pointer) < 0) {
        return NULL;
    }
    core_escape(object);
    /* the CPU device may wait for kernels */
    PyThreadState *thread = core_gil_release();
    CUresult code = driver.cuIpcGetMemHandle(&handle, pointer);
    core_gil_acquire(thread);
    if (core_check(code, "cuIpcGetMemHandle") < 0) {
        return NULL;
    }
    return PyByteArray_FromStringAndSize((const char *)&handle, sizeof handle);
}

static PyObject *
ipc_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"", "", NULL};
    PyObject *bytes, *flags_object = NULL;
    unsigned flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
    CUipcMemHandle handle;
    CUdeviceptr pointer;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:IPCMemoryHandle",
                                     keywords, &bytes, &flags_object) ||
        (flags_object != NULL && core_unsigned(flags_object, &flags) < 0) ||
        core_ipc_handle(bytes, &handle, "IPCMemoryHandle",
                        "a memory handle has 64 bytes") < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL ||
        core_check(driver.cuIpcOpenMemHandle(&pointer, handle, flags),
                   "cuIpcOpenMemHandle") < 0) {
        return NULL;
    }
    struct ipc_object *self =
        (struct ipc_object *)core_object_new(type, context);
    if (self == NULL) {
        driver.cuIpcCloseMemHandle(pointer);
        return NULL;
    }
    self->pointer = pointer;
    return (PyObject *)self;
}

/* Unmaps the memory at the first call, without the GIL. Later calls do
 * nothing. */
static CUresult
ipc_release(struct ipc_object *self)
{
    struct core_scope scope;
    CUresult code = CUDA_SUCCESS;
    bool closed = self->closed;
    /* set before the GIL is released below, since another thread may then call
     * this function */
    self->closed = true;
    if (!closed && core_enter(self->context, &scope)) {
        CUdeviceptr pointer = self->pointer;
        PyThreadState *thread = core_gil_release();
        code = driver.cuIpcCloseMemHandle(pointer);
        core_gil_acquire(thread);
        core_leave(&scope);
    }
    return code;
}

static void
ipc_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    ipc_release((struct ipc_object *)op);
    core_object_end_dealloc(op);
}

static PyObject *
ipc_close(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct ipc_object *self = (struct ipc_object *)op;
    if (self->closed) {
        core_fail(CUDA_ERROR_INVALID_HANDLE, "ipc_mem_handle::close", NULL);
        return NULL;
    }
    if (core_check(ipc_release(self), "cuIpcCloseMemHandle") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
ipc_int(PyObject *op)
{
    return PyLong_FromUnsignedLongLong(((struct ipc_object *)op)->pointer);
}

static PyMethodDef ipc_methods[] = {
    {"close", ipc_close, METH_NOARGS, "Unmap the other process's memory."},
    {NULL},
};

static PyType_Slot ipc_slots[] = {
    {Py_tp_doc, "IPCMemoryHandle(handle, flags): another process's memory."},
    {Py_tp_new, ipc_new},
    {Py_tp_dealloc, ipc_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_nb_int, ipc_int},
    {Py_nb_index, ipc_int},
    {Py_tp_methods, ipc_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec ipc_spec = {
    .name = "pycuda._driver.IPCMemoryHandle",
    .basicsize = sizeof(struct ipc_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = ipc_slots,
};

static PyMethodDef functions[] = {
    {"mem_get_ipc_handle", ipc_get_handle, METH_O,
     "mem_get_ipc_handle(devptr, /)\n--\n\n"
     "Return a bytearray of 64 bytes that identifies the allocation in "
     "other processes."},
    {NULL},
};

int
core_ipc_setup(PyObject *module)
{
    if (core_add_type(module, &core.ipc_type, &ipc_spec, NULL) < 0) {
        return -1;
    }
    return core_add_functions(module, functions);
}
