/* host_memory.c - allocates page-locked, aligned and managed host memory, and
 * registers existing host memory with the driver.
 *
 * Each function returns a NumPy array whose base object owns the memory. The
 * base object can be freed from any thread and after its context is gone.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/default_pool.h"
#include "core/memory/free_site.h"
#include "core/memory/host_memory.h"
#include "core/numpy.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"

enum host_kind {
    HOST_PAGELOCKED, /* allocated by cuMemHostAlloc */
    HOST_ALIGNED,    /* allocated by aligned_alloc */
    HOST_REGISTERED, /* user's array, registered by cuMemHostRegister */
};

struct host_object {
    CORE_HEAD
    void *pointer;
    /* registered memory only: the user's array, which owns it */
    PyObject *base;
    enum host_kind kind;
    bool freed;
};

/* Frees or unregisters the memory at the first call, without the GIL. Later
 * calls do nothing. */
static CUresult
host_release(struct host_object *self)
{
    struct core_scope scope;
    CUresult code = CUDA_SUCCESS;
    if (self->freed) {
        return code;
    }
    self->freed = true;
    if (self->kind == HOST_ALIGNED) {
        free(self->pointer);
    } else if (core_enter(self->context, &scope)) {
        void *pointer = self->pointer;
        bool registered = self->kind == HOST_REGISTERED;
        PyThreadState *thread = core_gil_release();
        code = registered ? driver.cuMemHostUnregister(pointer)
                          : driver.cuMemFreeHost(pointer);
        core_gil_acquire(thread);
        core_leave(&scope);
    }
    Py_CLEAR(self->base);
    return code;
}

static void
host_dealloc(PyObject *self)
{
    core_object_begin_dealloc(self);
    host_release((struct host_object *)self);
    core_object_end_dealloc(self);
}

static int
host_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct host_object *)op)->base);
    return core_object_traverse(op, visit, arg);
}

/* Python method free() or unregister(); raises LogicError if it was called
 * before. */
static PyObject *
host_free(PyObject *op, PyObject *unused)
{
    (void)unused;
    static const char *const labels[] = {
        [HOST_PAGELOCKED] = "pagelocked_host_allocation::free",
        [HOST_ALIGNED] = "aligned_host_allocation::free",
        [HOST_REGISTERED] = "registered_host_memory::free",
    };
    struct host_object *self = (struct host_object *)op;
    if (self->freed) {
        core_free_site_fail(op, labels[self->kind], "this host memory");
        return NULL;
    }
    core_free_site_record(op);
    if (core_check(host_release(self), self->kind == HOST_REGISTERED
                                           ? "cuMemHostUnregister"
                                           : "cuMemFreeHost") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
host_get_device_pointer(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUdeviceptr pointer;
    if (core_check(driver.cuMemHostGetDevicePointer(
                       &pointer, ((struct host_object *)op)->pointer, 0),
                   "cuMemHostGetDevicePointer") < 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(pointer);
}

static PyObject *
host_get_flags(PyObject *op, PyObject *unused)
{
    (void)unused;
    unsigned flags;
    if (core_check(driver.cuMemHostGetFlags(
                       &flags, ((struct host_object *)op)->pointer),
                   "cuMemHostGetFlags") < 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLong(flags);
}

static PyMethodDef host_methods[] = {
    {"get_device_pointer", host_get_device_pointer, METH_NOARGS,
     "Return the address that kernels use for this memory."},
    {NULL},
};
static PyMethodDef pagelocked_methods[] = {
    {"free", host_free, METH_NOARGS,
     "Release the memory. Its arrays must not be used afterwards."},
    {"get_flags", host_get_flags, METH_NOARGS,
     "Return the host_alloc_flags of the allocation."},
    {NULL},
};
static PyMethodDef aligned_methods[] = {
    {"free", host_free, METH_NOARGS,
     "Release the memory. Its arrays must not be used afterwards."},
    {NULL},
};
static PyMethodDef registered_methods[] = {
    {"unregister", host_free, METH_NOARGS,
     "End the registration. The array remains usable."},
    {NULL},
};

static PyObject *
registered_base(PyObject *op, void *unused)
{
    (void)unused;
    PyObject *base = ((struct host_object *)op)->base;
    return Py_NewRef(base == NULL ? Py_None : base);
}

static PyGetSetDef registered_getset[] = {
    {"base", registered_base, NULL,
     "Return the array whose memory is registered.", NULL},
    {NULL},
};

static PyType_Slot host_slots[] = {
    {Py_tp_doc, "Host memory that the device can access."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, host_dealloc},
    {Py_tp_traverse, host_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, host_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};
static PyType_Slot pagelocked_slots[] = {
    {Py_tp_methods, pagelocked_methods},
    {0, NULL},
};
static PyType_Slot aligned_slots[] = {
    {Py_tp_methods, aligned_methods},
    {0, NULL},
};
static PyType_Slot registered_slots[] = {
    {Py_tp_methods, registered_methods},
    {Py_tp_getset, registered_getset},
    {0, NULL},
};

#define HOST_SPEC(variable, text, slot_table, more)                           \
    static PyType_Spec variable = {                                           \
        .name = "pycuda._driver." text,                                       \
        .basicsize = sizeof(struct host_object),                              \
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | (more),           \
        .slots = slot_table,                                                  \
    }
/* Only the base type sets HAVE_GC. The derived types inherit it. */
HOST_SPEC(host_spec, "HostPointer", host_slots, Py_TPFLAGS_HAVE_GC);
HOST_SPEC(pagelocked_spec, "PagelockedHostAllocation", pagelocked_slots, 0);
HOST_SPEC(aligned_spec, "AlignedHostAllocation", aligned_slots, 0);
HOST_SPEC(registered_spec, "RegisteredHostMemory", registered_slots, 0);

/* Shape, dtype and order of a new array. */
struct request {
    int ndim;
    Py_intptr_t shape[32];
    PyArray_Descr *descr; /* strong reference */
    bool fortran;
    size_t bytes;
};

/* Reads an `order` argument: "C", or "F" for Fortran order. */
static int
order_read(PyObject *object, bool *fortran)
{
    *fortran = false;
    if (object == NULL) {
        return 0;
    }
    const char *text = core_text(object, "order");
    if (text == NULL) {
        return -1;
    }
    if (strcmp(text, "C") == 0 || strcmp(text, "c") == 0) {
        return 0;
    }
    *fortran = strcmp(text, "F") == 0 || strcmp(text, "f") == 0;
    return *fortran ? 0
                    : core_fail(CUDA_ERROR_INVALID_VALUE, "numpy_empty",
                                "unrecognized order specifier");
}

int
core_host_bytes(PyArray_Descr *descr, int ndim, const Py_intptr_t *shape,
                size_t *bytes)
{
    if (PyDataType_REFCHK(descr)) {
        PyErr_Format(
            PyExc_TypeError,
            "dtype %S contains Python objects, which this memory cannot hold",
            (PyObject *)descr);
        return -1;
    }
    *bytes = (size_t)PyDataType_ELSIZE(descr);
    for (int i = 0; i < ndim; i++) {
        if (__builtin_mul_overflow(*bytes, (size_t)shape[i], bytes)) {
            PyErr_SetString(PyExc_OverflowError, "the array is too large");
            return -1;
        }
    }
    return 0;
}

/* Reads shape, dtype and order into `request`. On success the caller owns
 * request->descr. */
static int
request_read(PyObject *shape, PyObject *dtype, PyObject *order,
             struct request *request)
{
    request->descr = NULL;
    request->ndim = core_shape(shape, request->shape);
    if (request->ndim < 0 || order_read(order, &request->fortran) < 0 ||
        !PyArray_DescrConverter(dtype, &request->descr)) {
        return -1;
    }
    if (core_host_bytes(request->descr, request->ndim, request->shape,
                        &request->bytes) < 0) {
        Py_CLEAR(request->descr);
        return -1;
    }
    return 0;
}

/* Returns an array over the memory at `pointer`, which `base` owns. Takes over
 * the caller's references to request->descr and `base`. */
static PyObject *
request_array(struct request *request, void *pointer, PyObject *base)
{
    int flags = request->fortran ? NPY_ARRAY_FARRAY : NPY_ARRAY_CARRAY;
    PyObject *array =
        PyArray_NewFromDescr(&PyArray_Type, request->descr, request->ndim,
                             request->shape, NULL, pointer, flags, NULL);
    if (array == NULL ||
        PyArray_SetBaseObject((PyArrayObject *)array, base) < 0) {
        if (array == NULL) {
            Py_DECREF(base);
        }
        Py_XDECREF(array);
        return NULL;
    }
    return array;
}

/* Returns a Python object that owns the memory. If that fails, the caller
 * still owns the memory. */
static PyObject *
host_wrap(PyTypeObject *type, struct core_context *context, void *pointer,
          enum host_kind kind)
{
    struct host_object *self =
        (struct host_object *)core_object_new(type, context);
    if (self != NULL) {
        self->pointer = pointer;
        self->kind = kind;
    }
    return (PyObject *)self;
}

/* Raises the exception for an error of cuMemHostAlloc. The message does not
 * state the free memory of the device, since page-locked memory is host
 * memory. */
static int
host_check(CUresult code, size_t bytes)
{
    char detail[64];
    if (code != CUDA_ERROR_OUT_OF_MEMORY) {
        return core_check(code, "cuMemHostAlloc");
    }
    snprintf(detail, sizeof detail, "%zu bytes requested", bytes);
    return core_fail(code, "cuMemHostAlloc", detail);
}

/* Allocates page-locked memory and returns an array of the requested shape;
 * takes over the reference to request->descr. */
static PyObject *
pagelocked_make(struct request *request, unsigned flags)
{
    struct core_context *context = core_current();
    void *pointer;
    if (context == NULL ||
        host_check(driver.cuMemHostAlloc(&pointer, request->bytes, flags),
                   request->bytes) < 0) {
        Py_DECREF(request->descr);
        return NULL;
    }
    PyObject *base =
        host_wrap(core.pagelocked_type, context, pointer, HOST_PAGELOCKED);
    if (base == NULL) {
        driver.cuMemFreeHost(pointer);
        Py_DECREF(request->descr);
        return NULL;
    }
    return request_array(request, pointer, base);
}

static PyObject *
hostmem_pagelocked_empty(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "pagelocked_empty", 2, {"shape", "dtype", "order", "mem_flags"}};
    PyObject *values[4];
    struct request request;
    unsigned flags = 0;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[3] != NULL && core_unsigned(values[3], &flags) < 0) ||
        request_read(values[0], values[1], values[2], &request) < 0) {
        return NULL;
    }
    return pagelocked_make(&request, flags);
}

/* Allocates aligned memory. It asks for one byte more than needed, so that an
 * empty array has an address, too. */
static PyObject *
hostmem_aligned_empty(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "aligned_empty", 2, {"shape", "dtype", "order", "alignment"}};
    PyObject *values[4];
    struct request request;
    size_t alignment = 4096;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[3] != NULL && core_size(values[3], &alignment) < 0)) {
        return NULL;
    }
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "aligned_malloc",
                  alignment == 0 ? "alignment must not be zero"
                                 : "alignment must be a power of two");
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL ||
        request_read(values[0], values[1], values[2], &request) < 0) {
        return NULL;
    }
    void *pointer = NULL;
    size_t least = alignment < sizeof pointer ? sizeof pointer : alignment;
    if (posix_memalign(&pointer, least, request.bytes + 1) != 0) {
        Py_DECREF(request.descr);
        return PyErr_NoMemory();
    }
    PyObject *base =
        host_wrap(core.aligned_type, context, pointer, HOST_ALIGNED);
    if (base == NULL) {
        free(pointer);
        Py_DECREF(request.descr);
        return NULL;
    }
    return request_array(&request, pointer, base);
}

/* Allocates managed memory. If memory is short, frees idle device memory and
 * retries. */
static PyObject *
hostmem_managed_empty(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "managed_empty", 2, {"shape", "dtype", "order", "mem_flags"}};
    PyObject *values[4];
    struct request request;
    unsigned flags = 0;
    CUdeviceptr pointer;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[3] != NULL && core_unsigned(values[3], &flags) < 0) ||
        request_read(values[0], values[1], values[2], &request) < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    flags = flags == 0 ? CU_MEM_ATTACH_GLOBAL : flags;
    if (context == NULL) {
        Py_DECREF(request.descr);
        return NULL;
    }
    /* a destructor may pop the context from the stack and free it */
    Py_INCREF((PyObject *)context);
    PyObject *base = NULL;
    bool tried = false;
    CUresult code;
    do {
        code = driver.cuMemAllocManaged(&pointer, request.bytes, flags);
    } while (core_reclaim_memory(code, &tried));
    if (core_allocate_check(code, request.bytes, "cuMemAllocManaged") == 0) {
        base = core_allocation_wrap(core.managed_type, context, pointer,
                                    request.bytes);
        if (base == NULL) {
            driver.cuMemFree(pointer);
        }
    }
    Py_DECREF((PyObject *)context);
    if (base == NULL) {
        Py_DECREF(request.descr);
        return NULL;
    }
    return request_array(&request, (void *)(uintptr_t)pointer, base);
}

/* Page-locks the memory of a contiguous array, and returns an array that
 * shares it. The new array's base keeps the given one alive. */
static PyObject *
hostmem_register_host_memory(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "register_host_memory", 1, {"ary", "flags"}};
    PyObject *values[2];
    unsigned flags = 0;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[1] != NULL && core_unsigned(values[1], &flags) < 0)) {
        return NULL;
    }
    if (!PyArray_Check(values[0])) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "register_host_memory",
                  "ary is not a numpy array");
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)values[0];
    if (!PyArray_IS_C_CONTIGUOUS(array) && !PyArray_IS_F_CONTIGUOUS(array)) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "register_host_memory",
                  "ary is not contiguous");
        return NULL;
    }
    struct core_context *context = core_current();
    void *pointer = PyArray_DATA(array);
    if (context == NULL ||
        core_check(driver.cuMemHostRegister(
                       pointer, (size_t)PyArray_NBYTES(array), flags),
                   "cuMemHostRegister") < 0) {
        return NULL;
    }
    PyObject *base =
        host_wrap(core.registered_type, context, pointer, HOST_REGISTERED);
    if (base == NULL) {
        driver.cuMemHostUnregister(pointer);
        return NULL;
    }
    ((struct host_object *)base)->base = Py_NewRef(values[0]);
    struct request request = {
        .ndim = PyArray_NDIM(array),
        .descr = (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(array)),
        .fortran = !PyArray_IS_C_CONTIGUOUS(array),
    };
    memcpy(request.shape, PyArray_DIMS(array),
           (size_t)request.ndim * sizeof *request.shape);
    PyObject *result = request_array(&request, pointer, base);
    if (result != NULL && !PyArray_ISWRITEABLE(array)) {
        PyArray_CLEARFLAGS((PyArrayObject *)result, NPY_ARRAY_WRITEABLE);
    }
    return result;
}

static PyMethodDef functions[] = {
    {"pagelocked_empty", CORE_METHOD(hostmem_pagelocked_empty),
     "pagelocked_empty(shape, dtype, order='C', mem_flags=0)\n--\n\n"
     "Return a NumPy array in page-locked memory."},
    {"aligned_empty", CORE_METHOD(hostmem_aligned_empty),
     "aligned_empty(shape, dtype, order='C', alignment=4096)\n--\n\n"
     "Return a NumPy array at an aligned address."},
    {"managed_empty", CORE_METHOD(hostmem_managed_empty),
     "managed_empty(shape, dtype, order='C', mem_flags=0)\n--\n\n"
     "Return a NumPy array in memory that the host and the device can "
     "access."},
    {"register_host_memory", CORE_METHOD(hostmem_register_host_memory),
     "register_host_memory(ary, flags=0)\n--\n\n"
     "Page-lock an existing array; return an array that shares its memory."},
    {NULL},
};

int
core_host_memory_setup(PyObject *module)
{
    if (core_add_type(module, &core.host_pointer_type, &host_spec, NULL) < 0 ||
        core_add_type(module, &core.pagelocked_type, &pagelocked_spec,
                      core.host_pointer_type) < 0 ||
        core_add_type(module, &core.aligned_type, &aligned_spec,
                      core.host_pointer_type) < 0 ||
        core_add_type(module, &core.registered_type, &registered_spec,
                      core.host_pointer_type) < 0) {
        return -1;
    }
    return core_add_functions(module, functions);
}
