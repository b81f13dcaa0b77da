/* argument_handler.c - ArgumentHandler and its subclasses In, Out and InOut,
 * which pass host arrays to kernels.
 *
 * The launch path asks a handler for its device address, calls pre_call before
 * the launch and post_call after it. Copies use the launch's stream; without a
 * stream they are complete when the call returns. The device memory is
 * allocated from the default pool at the first use, and the handler owns it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/core.h"
#include "core/launch/argument_handler.h"
#include "core/memory/address.h"
#include "core/memory/allocation.h"
#include "core/memory/peer_memory.h"
#include "core/python/args.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

/* Python object of type ArgumentHandler, In, Out or InOut. */
struct handler {
    CORE_HEAD
    PyObject *array;
    /* device memory of the handler: a DeviceAllocation, or NULL */
    PyObject *dev_alloc;
    /* strong reference: the latest result of get_device_alloc of a Python
     * subclass */
    PyObject *given;
};

static int handler_init(PyObject *op, PyObject *args, PyObject *kwargs);

/* Reads the constructor's argument `ary`, the host array, and keeps a
 * reference to it. */
static int
handler_read(struct handler *self, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"ary", NULL};
    PyObject *array;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:ArgumentHandler",
                                     keywords, &array)) {
        return -1;
    }
    Py_XSETREF(self->array, Py_NewRef(array));
    return 0;
}

static PyObject *
handler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct handler *self = (struct handler *)core_object_new(type, NULL);
    if (self != NULL && !core_init_reads(type, handler_new, handler_init) &&
        handler_read(self, args, kwargs) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int
handler_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    return core_init_reads(Py_TYPE(op), handler_new, handler_init)
               ? handler_read((struct handler *)op, args, kwargs)
               : 0;
}

static int
handler_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct handler *)op)->array);
    Py_VISIT(((struct handler *)op)->dev_alloc);
    Py_VISIT(((struct handler *)op)->given);
    return core_object_traverse(op, visit, arg);
}

static int
handler_clear(PyObject *op)
{
    Py_CLEAR(((struct handler *)op)->array);
    Py_CLEAR(((struct handler *)op)->dev_alloc);
    Py_CLEAR(((struct handler *)op)->given);
    return core_object_clear(op);
}

static void
handler_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    handler_clear(op);
    core_object_end_dealloc(op);
}

/* Raises TypeError: the handler has no array, because a subclass has not
 * called __init__ or the attribute was deleted. */
static int
array_missing(void)
{
    PyErr_SetString(PyExc_TypeError, "the handler has no array");
    return -1;
}

/* Allocates device memory of the array's size, unless the handler already has
 * memory. */
static int
handler_allocate(struct handler *self, CUstream stream)
{
    size_t bytes;
    if (self->dev_alloc == Py_None) {
        Py_CLEAR(self->dev_alloc);
    }
    if (self->dev_alloc != NULL) {
        return 0;
    }
    if (self->array == NULL) {
        return array_missing();
    }
    PyObject *nbytes = PyObject_GetAttrString(self->array, "nbytes");
    if (nbytes == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return -1;
    }
    if (nbytes == NULL) {
        PyErr_Format(PyExc_TypeError,
                     "could not determine array length of '%s': In, Out "
                     "and InOut accept NumPy arrays and other objects with "
                     "nbytes",
                     Py_TYPE(self->array)->tp_name);
        return -1;
    }
    int status = core_size(nbytes, &bytes);
    Py_DECREF(nbytes);
    if (status == 0) {
        self->dev_alloc = core_allocate(bytes, stream);
    }
    return self->dev_alloc == NULL ? -1 : 0;
}

/* Returns whether the object's type is exactly ArgumentHandler, In, Out or
 * InOut, so that no Python subclass overrides its methods. */
static bool
is_builtin_type(PyObject *op)
{
    return Py_IS_TYPE(op, core.in_type) || Py_IS_TYPE(op, core.out_type) ||
           Py_IS_TYPE(op, core.inout_type) ||
           Py_IS_TYPE(op, core.handler_type);
}

static PyObject *handler_get_device_alloc(PyObject *op, PyObject *unused);

/* Calls get_device_alloc if a Python subclass overrides it, and stores its
 * result in `given`. Returns 1 if no subclass does, 0 after the call, -1 with
 * an exception. */
static __attribute__((noinline)) int
handler_call_override(struct handler *self)
{
    PyObject *op = (PyObject *)self;
    PyObject *method = PyObject_GetAttrString(op, "get_device_alloc");
    if (method == NULL) {
        return -1;
    }
    int status = 1;
    if (!PyCFunction_CheckExact(method) ||
        PyCFunction_GET_SELF(method) != op ||
        PyCFunction_GET_FUNCTION(method) != handler_get_device_alloc) {
        PyObject *memory = PyObject_CallNoArgs(method);
        status = memory == NULL ? -1 : 0;
        if (memory != NULL) {
            Py_XSETREF(self->given, memory);
        }
    }
    Py_DECREF(method);
    return status;
}

/* Returns a new reference to the object that owns the device memory. */
static PyObject *
handler_memory(struct handler *self, CUstream stream)
{
    if (UNLIKELY(!is_builtin_type((PyObject *)self))) {
        int asked = handler_call_override(self);
        if (asked <= 0) {
            return asked < 0 ? NULL : Py_NewRef(self->given);
        }
    }
    return handler_allocate(self, stream) < 0 ? NULL
                                              : Py_NewRef(self->dev_alloc);
}

/* Reads the address of `memory`, and records its use by a kernel on the
 * stream. */
static int
memory_use(PyObject *memory, CUstream stream, CUdeviceptr *pointer)
{
    if (core_pointer_on(memory, stream, pointer) < 0 ||
        (!core_is_own_type(memory) && core_foreign_reach(*pointer) < 0)) {
        return -1;
    }
    return core_use_in_kernel(
        core_is_allocation(memory) ? memory : core_memory_owner(memory),
        stream);
}

/* Reads the device address, and records its use on the stream. Allocates the
 * memory at the first use, or calls a Python subclass's get_device_alloc(). */
int
core_handler_pointer(PyObject *op, CUstream stream, CUdeviceptr *pointer)
{
    PyObject *memory = handler_memory((struct handler *)op, stream);
    int status = memory == NULL ? -1 : memory_use(memory, stream, pointer);
    Py_XDECREF(memory);
    return status;
}

/* Returns whether the handler is an In or InOut, which copies its array to the
 * device before the launch. */
static bool
copies_in(PyObject *op)
{
    return PyObject_TypeCheck(op, core.in_type) ||
           PyObject_TypeCheck(op, core.inout_type);
}

/* Returns whether the array may be copied to the host after the launch.
 * Returns true for Python subclasses, too, which may define post_call. */
bool
core_handler_has_output(PyObject *op)
{
    return PyObject_TypeCheck(op, core.out_type) ||
           PyObject_TypeCheck(op, core.inout_type) ||
           !(Py_IS_TYPE(op, core.handler_type) ||
             Py_IS_TYPE(op, core.in_type));
}

/* Returns the name of the handler's type without its module: "InOut". */
static const char *
handler_name(const struct handler *self)
{
    const char *name = Py_TYPE((const PyObject *)self)->tp_name;
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* Gets the host array's buffer. If it has none, the error message names the
 * handler (In, Out or InOut) instead of the buffer protocol. */
static int
host_buffer(struct handler *self, bool writable, Py_buffer *view)
{
    if (self->array == NULL) {
        return array_missing();
    }
    if (core_buffer(self->array, writable, view) == 0) {
        return 0;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError) &&
        !PyErr_ExceptionMatches(PyExc_BufferError)) {
        return -1;
    }
    if (core_buffer_refuse_objects(self->array) < 0) {
        return -1;
    }
    if (core_is_array(self->array)) {
        PyErr_Format(PyExc_ValueError,
                     "%s copies a host array: pass a GPUArray directly",
                     handler_name(self));
        return -1;
    }
    PyErr_Format(PyExc_ValueError,
                 "%s needs a%s contiguous array: an object of %s is not; "
                 "numpy.ascontiguousarray(x) makes a contiguous copy%s",
                 handler_name(self), writable ? " writable," : "",
                 Py_TYPE(self->array)->tp_name,
                 writable ? ": assign it back after the call, as in x[...] ="
                            " copy"
                          : "");
    return -1;
}

/* The stream, device memory and host buffer of a copy. */
struct host_transfer {
    CUstream stream;
    CUdeviceptr pointer;
    PyObject *memory; /* strong reference */
    Py_buffer view;
};

static void
transfer_release(struct host_transfer *ends)
{
    PyBuffer_Release(&ends->view);
    Py_DECREF(ends->memory);
}

/* Reads the host buffer and the device address of a copy. Checks that the
 * array still fits in the device memory: since the allocation the array may
 * have grown or the memory may have been freed. */
static int
transfer_begin(struct handler *self, PyObject *stream, bool writable,
               struct host_transfer *ends)
{
    if (core_stream(stream, &ends->stream) < 0) {
        return -1;
    }
    ends->memory = handler_memory(self, ends->stream);
    if (ends->memory == NULL) {
        return -1;
    }
    if (host_buffer(self, writable, &ends->view) < 0) {
        Py_DECREF(ends->memory);
        return -1;
    }
    if (memory_use(ends->memory, ends->stream, &ends->pointer) < 0 ||
        core_check_extent(ends->memory, ends->pointer, 0, ends->view.len) <
            0) {
        transfer_release(ends);
        return -1;
    }
    return 0;
}

/* Copies the array to the device. Waits for the copy if no stream was given;
 * otherwise the copy is asynchronous. */
static int
copy_in(struct handler *self, PyObject *stream_object)
{
    struct host_transfer ends;
    if (transfer_begin(self, stream_object, false, &ends) < 0) {
        return -1;
    }
    int status = core_stream_is_synchronous(stream_object)
                     ? core_memcpy_htod(ends.pointer, ends.view.buf,
                                        (size_t)ends.view.len, ends.stream)
                     : core_memcpy_htod_async(ends.pointer, ends.view.buf,
                                              (size_t)ends.view.len,
                                              ends.stream, self->array);
    transfer_release(&ends);
    return status;
}

/* Copies the device memory to the array. Waits for the copy if no stream was
 * given; otherwise the copy is asynchronous. */
static int
copy_out(struct handler *self, PyObject *stream_object)
{
    struct host_transfer ends;
    if (transfer_begin(self, stream_object, true, &ends) < 0) {
        return -1;
    }
    int status = core_stream_is_synchronous(stream_object)
                     ? core_memcpy_dtoh(ends.view.buf, ends.pointer,
                                        (size_t)ends.view.len, ends.stream)
                     : core_memcpy_dtoh_async(ends.view.buf, ends.pointer,
                                              (size_t)ends.view.len,
                                              ends.stream, self->array);
    transfer_release(&ends);
    return status;
}

/* Calls the method `method` (pre_call or post_call) of a Python subclass. */
static int
step_by_method(PyObject *op, const char *method, PyObject *stream)
{
    PyObject *result = PyObject_CallMethod(op, method, "O", stream);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

/* Called before the launch: copies the array of In or InOut to the device, or
 * calls a Python subclass's pre_call. Checks that the array of Out or InOut is
 * writable first, so that no kernel runs in vain. */
int
core_handler_before_launch(PyObject *op, PyObject *stream)
{
    Py_buffer view;
    if (!is_builtin_type(op)) {
        return step_by_method(op, "pre_call", stream);
    }
    if (core_handler_has_output(op)) {
        if (host_buffer((struct handler *)op, true, &view) < 0) {
            return -1;
        }
        PyBuffer_Release(&view);
    }
    return copies_in(op) ? copy_in((struct handler *)op, stream) : 0;
}

PyObject *
core_handler_array(PyObject *handler)
{
    return ((struct handler *)handler)->array;
}

/* Called after the launch: copies the array of Out or InOut to the host, or
 * calls a Python subclass's post_call if it has one. */
int
core_handler_after_launch(PyObject *op, PyObject *stream)
{
    if (is_builtin_type(op)) {
        return core_handler_has_output(op)
                   ? copy_out((struct handler *)op, stream)
                   : 0;
    }
    PyObject *method = PyObject_GetAttrString(op, "post_call");
    if (method == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
        return 0;
    }
    Py_DECREF(method);
    return step_by_method(op, "post_call", stream);
}

static PyObject *
handler_get_device_alloc(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct handler *self = (struct handler *)op;
    if (handler_allocate(self, NULL) < 0) {
        return NULL;
    }
    return Py_NewRef(self->dev_alloc);
}

static PyObject *
handler_pre_call(PyObject *op, PyObject *stream)
{
    if (copies_in(op) && copy_in((struct handler *)op, stream) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
handler_post_call(PyObject *op, PyObject *stream)
{
    if (copy_out((struct handler *)op, stream) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef handler_methods[] = {
    {"get_device_alloc", handler_get_device_alloc, METH_NOARGS,
     "Return the device memory, which is allocated at the first call."},
    {"pre_call", handler_pre_call, METH_O,
     "Called with the stream before the launch: allocates the device "
     "copy, and copies the host array to it if the kernel reads it."},
    {NULL},
};

static PyMethodDef out_methods[] = {
    {"post_call", handler_post_call, METH_O,
     "Called with the stream after the launch: copies the device copy "
     "to the host array."},
    {NULL},
};

static PyMemberDef handler_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(struct handler, dict), READONLY,
     NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct handler, weakrefs),
     READONLY, NULL},
    {"array", T_OBJECT, offsetof(struct handler, array), 0, "The host array."},
    {"dev_alloc", T_OBJECT, offsetof(struct handler, dev_alloc), 0,
     "The device copy during a launch, else None."},
    {NULL},
};

static PyType_Slot handler_slots[] = {
    {Py_tp_doc, "Base of In, Out and InOut."},
    {Py_tp_new, handler_new},
    {Py_tp_init, handler_init},
    {Py_tp_dealloc, handler_dealloc},
    {Py_tp_traverse, handler_traverse},
    {Py_tp_clear, handler_clear},
    {Py_tp_methods, handler_methods},
    {Py_tp_members, handler_members},
    {0, NULL},
};

static PyType_Slot in_slots[] = {
    {Py_tp_doc, "Copy the array to the device before the launch."},
    {0, NULL},
};

static PyType_Slot out_slots[] = {
    {Py_tp_doc, "Copy the device memory to the array after the launch."},
    {Py_tp_methods, out_methods},
    {0, NULL},
};

#define HANDLER_FLAGS Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE
static PyType_Spec handler_spec = {
    .name = "pycuda._driver.ArgumentHandler",
    .basicsize = sizeof(struct handler),
    .flags = HANDLER_FLAGS | Py_TPFLAGS_HAVE_GC,
    .slots = handler_slots,
};
static PyType_Spec in_spec = {
    .name = "pycuda._driver.In",
    .basicsize = sizeof(struct handler),
    .flags = HANDLER_FLAGS,
    .slots = in_slots,
};
static PyType_Spec out_spec = {
    .name = "pycuda._driver.Out",
    .basicsize = sizeof(struct handler),
    .flags = HANDLER_FLAGS,
    .slots = out_slots,
};
static PyType_Spec inout_spec = {
    .name = "pycuda._driver.InOut",
    .basicsize = sizeof(struct handler),
    .flags = HANDLER_FLAGS,
    .slots = in_slots,
};

/* Creates the type InOut, which derives from both In and Out. */
static int
inout_setup(PyObject *module)
{
    PyObject *bases =
        PyTuple_Pack(2, (PyObject *)core.in_type, (PyObject *)core.out_type);
    if (bases == NULL) {
        return -1;
    }
    core.inout_type = (PyTypeObject *)core_type_new(module, &inout_spec, bases,
                                                    CORE_CALL_HEAD);
    Py_DECREF(bases);
    return core.inout_type == NULL ? -1
                                   : PyModule_AddType(module, core.inout_type);
}

int
core_argument_handler_setup(PyObject *module)
{
    if (core_add_type(module, &core.handler_type, &handler_spec, NULL) < 0 ||
        core_add_type(module, &core.in_type, &in_spec, core.handler_type) <
            0 ||
        core_add_type(module, &core.out_type, &out_spec, core.handler_type) <
            0) {
        return -1;
    }
    return inout_setup(module);
}
