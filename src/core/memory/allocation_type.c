/* allocation_type.c - DeviceAllocation and ManagedAllocation, which own device
 * memory.
 *
 * Created by mem_alloc, by core_allocate (from the default pool,
 * default_pool.c) and by managed_empty. An allocation can be freed from any
 * thread and after its context is gone. int() of a freed allocation still
 * returns the old address; a kernel or a copy that uses it raises an error.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/context/stream_list.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/cross_context.h"
#include "core/memory/default_pool.h"
#include "core/memory/free_site.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/pointer_holder.h"
#include "core/state.h"
#include "core/stream/current_stream.h"
#include "core/stream/open_captures.h"

/* Calls cuMemFree without the GIL. */
static CUresult
free_native(CUdeviceptr pointer)
{
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuMemFree(pointer);
    core_gil_acquire(thread);
    return code;
}

/* Frees the memory at the first call; later calls do nothing. If the context
 * is invalid, its memory is already gone. */
static CUresult
allocation_release(struct core_allocation *self)
{
    struct core_scope scope;
    if (self->freed) {
        return CUDA_SUCCESS;
    }
    self->freed = true;
    if (self->context == NULL || !self->context->valid) {
        return CUDA_SUCCESS;
    }
    if (self->cached && core_pool_return(self)) {
        return CUDA_SUCCESS;
    }
    core_cross_use_end(self);
    CUresult code = CUDA_SUCCESS;
    if (core_enter(self->context, &scope)) {
        code = free_native(self->pointer);
        core_leave(&scope);
    }
    return code;
}

/* Deallocates an allocation. Its device memory and the Python object go to the
 * pool if that accepts both. */
static void
allocation_dealloc(PyObject *self)
{
    core_object_begin_dealloc(self);
    if (LIKELY(core_pool_recycle((struct core_allocation *)self))) {
        return;
    }
    allocation_release((struct core_allocation *)self);
    core_object_end_dealloc(self);
}

/* Python method free(); raises LogicError if the memory was freed before. */
static PyObject *
allocation_free(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct core_allocation *self = (struct core_allocation *)op;
    if (self->freed) {
        core_free_site_fail(op, "device_allocation::free",
                            "this device memory");
        return NULL;
    }
    core_free_site_record(op);
    if (core_check(allocation_release(self), "cuMemFree") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns a memoryview of the bytes at the device address. The caller must
 * make sure that the host can access them. */
static PyObject *
allocation_as_buffer(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "as_buffer", 1, {"size", "offset"}};
    PyObject *values[2];
    size_t size, offset = 0;
    struct core_allocation *self = (struct core_allocation *)op;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_size(values[0], &size) < 0 ||
        (values[1] != NULL && core_size(values[1], &offset) < 0) ||
        core_allocation_alive(self) < 0) {
        return NULL;
    }
    if (size > self->bytes || offset > self->bytes - size) {
        PyErr_Format(PyExc_ValueError,
                     "as_buffer: %zu bytes from byte %zu on are not inside an "
                     "allocation of %zu bytes",
                     size, offset, self->bytes);
        return NULL;
    }
    self->escaped = true;
    return core_host_view(op, self->pointer + offset, size);
}

static PyMethodDef allocation_methods[] = {
    {"free", allocation_free, METH_NOARGS,
     "Free the memory now. Raises LogicError if it was freed before, "
     "with the line of that call."},
    {"as_buffer", CORE_METHOD(allocation_as_buffer),
     "Return a writable memoryview of the memory, which stays allocated "
     "until free(). Only for memory that the host can access."},
    {"__long__", (PyCFunction)(void (*)(void))core_allocation_int, METH_NOARGS,
     NULL},
    {NULL},
};

static PyType_Slot allocation_slots[] = {
    {Py_tp_doc, "Device memory; freed with its last reference."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, allocation_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_nb_int, core_allocation_int},
    {Py_nb_index, core_allocation_int},
    {Py_tp_methods, allocation_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec allocation_spec = {
    .name = "pycuda._driver.DeviceAllocation",
    .basicsize = sizeof(struct core_allocation),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = allocation_slots,
};

static PyObject *
managed_get_device_pointer(PyObject *self, PyObject *unused)
{
    (void)unused;
    return core_allocation_int(self);
}

/* Restricts the memory's use to one stream, by cuStreamAttachMemAsync. */
static PyObject *
managed_attach(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "attach", 1, {"mem_flags", "stream"}};
    PyObject *values[2];
    unsigned flags;
    CUstream stream;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_unsigned(values[0], &flags) < 0 ||
        core_stream(values[1], &stream) < 0 ||
        core_allocation_alive((struct core_allocation *)op) < 0 ||
        core_check(
            driver.cuStreamAttachMemAsync(
                stream, ((struct core_allocation *)op)->pointer, 0, flags),
            "cuStreamAttachMemAsync") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef managed_methods[] = {
    {"get_device_pointer", managed_get_device_pointer, METH_NOARGS,
     "Return the address, which host and device share."},
    {"attach", CORE_METHOD(managed_attach),
     "attach(flags, stream=None): restrict the use of the memory to a "
     "stream or to the host (mem_attach_flags)."},
    {NULL},
};

static PyType_Slot managed_slots[] = {
    {Py_tp_doc, "Memory that the host and the device can access."},
    {Py_tp_methods, managed_methods},
    {0, NULL},
};

static PyType_Spec managed_spec = {
    .name = "pycuda._driver.ManagedAllocation",
    .basicsize = sizeof(struct core_allocation),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = managed_slots,
};

PyObject *
core_allocate(size_t bytes, CUstream stream)
{
    struct core_context *context = core_current_known();
    return context == NULL ? NULL : core_allocate_in(context, bytes, stream);
}

PyObject *
core_allocate_in(struct core_context *context, size_t bytes, CUstream stream)
{
    stream = stream == NULL ? core_stream_default() : stream;
    PyObject *ready = core_allocate_fast(context, bytes, stream);
    if (ready != NULL) {
        return ready;
    }
    struct core_allocation *self =
        (struct core_allocation *)core_allocation_wrap(core.allocation_type,
                                                       context, 0, bytes);
    if (self == NULL) {
        return NULL;
    }
    /* marked as freed, since the object owns no memory yet: its dealloc then
     * frees nothing */
    self->freed = true;
    self->stream = stream;
    self->scattered = !core_stream_known(context, stream);
    CUresult code = core_pool_allocate(context, bytes, stream, self);
    if (core_allocate_check(code, bytes, "cuMemAlloc") < 0) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    self->freed = false;
    /* in a capture, the graph keeps a reference to the allocation: the memory
     * is freed after the graph is destroyed */
    if (core_capture_retain(context, (PyObject *)self) < 0) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

int
core_allocation_setup(PyObject *module)
{
    if (core_add_type(module, &core.allocation_type, &allocation_spec, NULL) <
        0) {
        return -1;
    }
    return core_add_type(module, &core.managed_type, &managed_spec,
                         core.allocation_type);
}
