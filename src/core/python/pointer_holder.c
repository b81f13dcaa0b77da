/* pointer_holder.c - PointerHolderBase, a base class for users' own objects
 * that stand for a device address.
 *
 * A subclass, written in Python, defines get_pointer(). The file also has the
 * buffer object behind as_buffer().
 *
 * SPDX-License-Identifier: MIT */
#include "core/core.h"
#include "core/python/args.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/python/pointer_holder.h"
#include "core/state.h"

/* Raises TypeError: a subclass must override get_pointer(). */
static PyObject *
holder_get_pointer(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyErr_Format(PyExc_TypeError, "%s must define get_pointer() -> int",
                 Py_TYPE(self)->tp_name);
    return NULL;
}

/* Implements int(holder): converts the result of get_pointer() to an int. */
static PyObject *
holder_int(PyObject *self)
{
    PyObject *value = PyObject_CallMethodNoArgs(self, core.str_get_pointer);
    if (value == NULL) {
        return NULL;
    }
    PyObject *number = PyNumber_Index(value);
    Py_DECREF(value);
    return number;
}

static PyObject *
holder_as_buffer(PyObject *self, CORE_ARGS)
{
    static const struct core_signature signature = {
        "as_buffer", 1, {"size", "offset"}};
    PyObject *values[2];
    size_t size, offset = 0;
    CUdeviceptr pointer;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_size(values[0], &size) < 0 ||
        (values[1] != NULL && core_size(values[1], &offset) < 0) ||
        core_pointer(self, &pointer) < 0) {
        return NULL;
    }
    return core_host_view(self, pointer + offset, size);
}

/* Python object that exports memory at an address as a buffer. It has a
 * reference to `owner`, which owns the memory. */
struct host_view {
    PyObject_HEAD
    PyObject *owner;
    CUdeviceptr pointer;
    Py_ssize_t bytes;
};

/* Returns a writable memoryview of `bytes` bytes at the address. The view
 * keeps a reference to `owner`. */
PyObject *
core_host_view(PyObject *owner, CUdeviceptr pointer, size_t bytes)
{
    if (bytes > PY_SSIZE_T_MAX) {
        PyErr_SetString(PyExc_OverflowError, "as_buffer: size is too large");
        return NULL;
    }
    struct host_view *self = (struct host_view *)core.host_view_type->tp_alloc(
        core.host_view_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->owner = Py_NewRef(owner);
    self->pointer = pointer;
    self->bytes = (Py_ssize_t)bytes;
    PyObject *memory = PyMemoryView_FromObject((PyObject *)self);
    Py_DECREF((PyObject *)self);
    return memory;
}

static int
host_view_get(PyObject *op, Py_buffer *view, int flags)
{
    struct host_view *self = (struct host_view *)op;
    return PyBuffer_FillInfo(view, op, (void *)(uintptr_t)self->pointer,
                             self->bytes, 0, flags);
}

static int
host_view_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((struct host_view *)op)->owner);
    return 0;
}

/* Deallocates the buffer object. Its type has no tp_clear: until now a view
 * may have accessed the memory that `owner` keeps. */
static void
host_view_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_CLEAR(((struct host_view *)op)->owner);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot host_view_slots[] = {
    {Py_tp_doc, "Owner of the memory of as_buffer()'s view."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, host_view_dealloc},
    {Py_tp_traverse, host_view_traverse},
    {Py_bf_getbuffer, host_view_get},
    {0, NULL},
};

static PyType_Spec host_view_spec = {
    .name = "pycuda._driver._HostView",
    .basicsize = sizeof(struct host_view),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = host_view_slots,
};

static void
holder_dealloc(PyObject *self)
{
    core_object_begin_dealloc(self);
    core_object_end_dealloc(self);
}

static PyMethodDef holder_methods[] = {
    {"get_pointer", holder_get_pointer, METH_NOARGS,
     "Return the device address as an int; subclasses must define this."},
    {"as_buffer", CORE_METHOD(holder_as_buffer),
     "as_buffer(size, offset=0): a buffer of `size` bytes of the "
     "memory, from byte `offset` on; for memory that the host can "
     "access."},
    {NULL},
};

static PyType_Slot holder_slots[] = {
    {Py_tp_doc, "Base class of user-defined objects that represent device "
                "memory."},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, holder_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_nb_int, holder_int},
    {Py_nb_index, holder_int},
    {Py_tp_methods, holder_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec holder_spec = {
    .name = "pycuda._driver.PointerHolderBase",
    .basicsize = sizeof(struct core_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = holder_slots,
};

int
core_pointer_holder_setup(PyObject *module)
{
    if (core_add_headless_type(module, &core.host_view_type, &host_view_spec) <
        0) {
        return -1;
    }
    return core_add_type(module, &core.holder_type, &holder_spec, NULL);
}
