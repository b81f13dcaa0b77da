/* async_pool.c - memory that the driver allocates and frees in stream order.
 *
 * AsyncMemoryPool wraps a CUmemoryPool: a new one, or the default pool of a
 * device. It allocates an AsyncAllocation, a DeviceAllocation that is freed in
 * the order of its stream. If other streams used the memory as well, it is
 * freed after the work of these streams is complete. While streams of its
 * context capture, nothing is freed, since the capture would record the free
 * and repeat it at each launch; memory whose object is deallocated in that
 * time is stored in the context's list `late` and freed when the captures end.
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/device.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/cross_context.h"
#include "core/memory/default_pool.h"
#include "core/memory/deferred_free.h"
#include "core/memory/free_site.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

struct async_pool {
    CORE_HEAD
    CUmemoryPool handle;
    bool owned;
};

struct async_allocation {
    struct core_allocation base;
    PyObject *stream; /* strong reference; NULL: the default stream */
    PyObject *pool;   /* strong reference; NULL: the device's pool */
    CUstream handle;  /* native handle of `stream` */
};

/* -- AsyncAllocation */

/* Frees the memory at the first call. It is freed in the order of `stream` if
 * that is safe: the memory was used on its own stream only, or the caller of
 * free() named the stream (`given`). Otherwise the host first waits for the
 * context. */
static CUresult
async_release(struct async_allocation *self, CUstream stream, bool given)
{
    struct core_allocation *base = &self->base;
    struct core_scope scope;
    if (base->freed) {
        return CUDA_SUCCESS;
    }
    base->freed = true;
    core_cross_use_end(base);
    if (base->context == NULL || !core_enter(base->context, &scope)) {
        return CUDA_SUCCESS;
    }
    CUresult code;
    if (base->context->captures > 0) {
        code = core_deferred_add(base->context, base->pointer);
        core_leave(&scope);
        return code;
    }
    bool in_order =
        given || (!base->scattered && base->stream == self->handle);
    PyThreadState *thread = core_gil_release();
    if (in_order) {
        code = driver.cuMemFreeAsync(base->pointer, stream);
    } else {
        /* cuMemFreeAsync does not wait for other streams, which may still use
         * the memory. */
        driver.cuCtxSynchronize();
        code = driver.cuMemFree(base->pointer);
    }
    core_gil_acquire(thread);
    core_leave(&scope);
    return code;
}

/* Frees the memory in the order of the stream that it was allocated on. */
static void
async_allocation_dealloc(PyObject *op)
{
    struct async_allocation *self = (struct async_allocation *)op;
    core_object_begin_dealloc(op);
    async_release(self, self->handle, false);
    Py_CLEAR(self->stream);
    Py_CLEAR(self->pool);
    core_object_end_dealloc(op);
}

static int
async_allocation_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct async_allocation *)op)->stream);
    Py_VISIT(((struct async_allocation *)op)->pool);
    return core_object_traverse(op, visit, arg);
}

/* Python method free(); raises LogicError if the memory was freed before. */
static PyObject *
async_allocation_free(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {"free", 0, {"stream"}};
    struct async_allocation *self = (struct async_allocation *)op;
    PyObject *values[1];
    CUstream stream = self->handle;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[0] != NULL && core_stream(values[0], &stream) < 0)) {
        return NULL;
    }
    if (self->base.freed) {
        core_free_site_fail(op, "device_allocation::free",
                            "this device memory");
        return NULL;
    }
    core_free_site_record(op);
    if (core_check(async_release(self, stream, values[0] != NULL),
                   "cuMemFreeAsync") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef async_allocation_methods[] = {
    {"free", CORE_METHOD(async_allocation_free),
     "free($self, stream=None)\n--\n\n"
     "Free the memory in stream order, by default that of the stream of "
     "the allocation."},
    {NULL},
};

static PyType_Slot async_allocation_slots[] = {
    {Py_tp_doc, "Memory allocated in stream order by mem_alloc_async."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, async_allocation_dealloc},
    {Py_tp_traverse, async_allocation_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, async_allocation_methods},
    {0, NULL},
};

static PyType_Spec async_allocation_spec = {
    .name = "pycuda._driver.AsyncAllocation",
    .basicsize = sizeof(struct async_allocation),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = async_allocation_slots,
};

/* Checks that the stream is not being captured. Raises an exception if it is,
 * since each launch of the graph would allocate different memory. */
static int
stream_free(CUstream stream)
{
    return !core_stream_captures(stream)
               ? 0
               : core_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                           "cuMemAllocAsync",
                           "a capture cannot contain this allocation: "
                           "allocate before the capture, or use mem_alloc");
}

/* Allocates from `pool`, or from the device's default pool if NULL. */
static PyObject *
allocate(struct async_pool *pool, PyObject *size, PyObject *stream)
{
    size_t bytes;
    CUstream handle;
    CUdeviceptr pointer;
    struct core_context *context = core_current();
    if (context == NULL || core_size(size, &bytes) < 0 ||
        core_stream(stream, &handle) < 0 || stream_free(handle) < 0) {
        return NULL;
    }
    /* some drivers accept a size of 0 and others do not: refuse it always */
    if (bytes == 0) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAllocAsync",
                  "0 bytes were requested");
        return NULL;
    }
    struct async_allocation *self =
        (struct async_allocation *)core_allocation_wrap(
            core.async_allocation_type, context, 0, bytes);
    if (self == NULL) {
        return NULL;
    }
    /* marked as freed, since the object owns no memory yet: its dealloc then
     * frees nothing */
    self->base.freed = true;
    self->base.stream = self->handle = handle;
    self->stream = Py_XNewRef(core_stream_resolve(stream));
    self->pool = Py_XNewRef((PyObject *)pool);
    bool tried = false;
    CUresult code;
    do {
        PyThreadState *thread = core_gil_release();
        code = pool == NULL ? driver.cuMemAllocAsync(&pointer, bytes, handle)
                            : driver.cuMemAllocFromPoolAsync(
                                  &pointer, bytes, pool->handle, handle);
        core_gil_acquire(thread);
    } while (core_reclaim_memory(code, &tried));
    if (core_allocate_check(code, bytes, "cuMemAllocAsync") < 0) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    self->base.pointer = pointer;
    self->base.freed = false;
    return (PyObject *)self;
}

static PyObject *
mem_alloc_async(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "mem_alloc_async", 1, {"size", "stream"}};
    PyObject *values[2];
    return core_args(&signature, args, nargs, names, values) < 0
               ? NULL
               : allocate(NULL, values[0], values[1]);
}

/* -- AsyncMemoryPool */

static PyObject *
pool_wrap(struct core_context *context, CUmemoryPool handle, bool owned)
{
    struct async_pool *self =
        (struct async_pool *)core_object_new(core.async_pool_type, context);
    if (self != NULL) {
        self->handle = handle;
        self->owned = owned;
    }
    return (PyObject *)self;
}

/* Creates a pool on the current device; `max_size` is the largest size of the
 * pool in bytes. */
static PyObject *
pool_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)type;
    PyObject *object = NULL;
    size_t limit = 0;
    CUmemoryPool handle;
    static char *keywords[] = {"max_size", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:AsyncMemoryPool",
                                     keywords, &object) ||
        (object != NULL && core_size(object, &limit) < 0)) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    CUmemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = context->device;
    properties.maxSize = limit;
    if (core_check(driver.cuMemPoolCreate(&handle, &properties),
                   "cuMemPoolCreate") < 0) {
        return NULL;
    }
    PyObject *self = pool_wrap(context, handle, true);
    if (self == NULL) {
        driver.cuMemPoolDestroy(handle);
    }
    return self;
}

static void
pool_dealloc(PyObject *op)
{
    struct async_pool *self = (struct async_pool *)op;
    core_object_begin_dealloc(op);
    if (self->owned && !core.forked) {
        /* cuMemPoolDestroy works without a current context */
        driver.cuMemPoolDestroy(self->handle);
    }
    core_object_end_dealloc(op);
}

/* Returns the device's default pool, which the object does not own. */
static PyObject *
pool_default(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    CUmemoryPool handle;
    struct core_context *context = core_current();
    if (context == NULL ||
        core_check(driver.cuDeviceGetMemPool(&handle, context->device),
                   "cuDeviceGetMemPool") < 0) {
        return NULL;
    }
    return pool_wrap(context, handle, false);
}

static PyObject *
pool_allocate(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "allocate", 1, {"size", "stream"}};
    PyObject *values[2];
    return core_args(&signature, args, nargs, names, values) < 0
               ? NULL
               : allocate((struct async_pool *)op, values[0], values[1]);
}

/* Method trim(keep=0): returns idle memory of the pool to the device until the
 * pool holds only `keep` bytes. Releases the GIL. */
static PyObject *
pool_trim(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {"trim", 0, {"keep"}};
    struct async_pool *self = (struct async_pool *)op;
    PyObject *values[1];
    size_t keep = 0;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[0] != NULL && core_size(values[0], &keep) < 0)) {
        return NULL;
    }
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuMemPoolTrimTo(self->handle, keep);
    core_gil_acquire(thread);
    if (core_check(code, "cuMemPoolTrimTo") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static int
attribute_set(PyObject *op, CUmemPool_attribute which, cuuint64_t value)
{
    return core_check(driver.cuMemPoolSetAttribute(
                          ((struct async_pool *)op)->handle, which, &value),
                      "cuMemPoolSetAttribute");
}

static PyObject *
pool_reset_high(PyObject *op, PyObject *unused)
{
    (void)unused;
    if (attribute_set(op, CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0) < 0 ||
        attribute_set(op, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Allows or forbids a device to access all memory of the pool, also memory
 * that is allocated already. */
static PyObject *
pool_set_access(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "set_access", 1, {"device", "access"}};
    PyObject *values[2];
    CUdevice device;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_device_ordinal(values[0], &device) < 0) {
        return NULL;
    }
    int allowed = values[1] == NULL ? 1 : PyObject_IsTrue(values[1]);
    if (allowed < 0) {
        return NULL;
    }
    CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
        .flags = allowed ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                         : CU_MEM_ACCESS_FLAGS_PROT_NONE,
    };
    if (core_check(driver.cuMemPoolSetAccess(((struct async_pool *)op)->handle,
                                             &access, 1),
                   "cuMemPoolSetAccess") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns whether a device can access the memory of the pool. */
static PyObject *
pool_has_access(PyObject *op, PyObject *object)
{
    CUdevice device;
    if (core_device_ordinal(object, &device) < 0) {
        return NULL;
    }
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                              .id = device};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (core_check(driver.cuMemPoolGetAccess(
                       &flags, ((struct async_pool *)op)->handle, &location),
                   "cuMemPoolGetAccess") < 0) {
        return NULL;
    }
    return PyBool_FromLong(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

/* Get and set an attribute of the pool. The closure `which` is the number of
 * the CUmemPool_attribute. */
static PyObject *
pool_attribute(PyObject *op, void *which)
{
    cuuint64_t value = 0;
    if (core_check(driver.cuMemPoolGetAttribute(
                       ((struct async_pool *)op)->handle,
                       (CUmemPool_attribute)(intptr_t)which, &value),
                   "cuMemPoolGetAttribute") < 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(value);
}

static int
pool_set_attribute(PyObject *op, PyObject *object, void *which)
{
    size_t value;
    if (object == NULL) {
        PyErr_SetString(PyExc_AttributeError, "it cannot be deleted");
        return -1;
    }
    return core_size(object, &value) < 0
               ? -1
               : attribute_set(op, (CUmemPool_attribute)(intptr_t)which,
                               value);
}

static PyObject *
pool_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct async_pool *)op)->handle);
}

static PyMethodDef pool_methods[] = {
    {"default", pool_default, METH_NOARGS | METH_STATIC,
     "default()\n--\n\n"
     "Return the pool of mem_alloc_async for the current device."},
    {"allocate", CORE_METHOD(pool_allocate),
     "allocate($self, size, stream=None)\n--\n\n"
     "Return an AsyncAllocation of `size` bytes."},
    {"trim", CORE_METHOD(pool_trim),
     "trim($self, keep=0)\n--\n\n"
     "Return idle memory to the device until only `keep` bytes are "
     "reserved."},
    {"set_access", CORE_METHOD(pool_set_access),
     "set_access($self, device, access=True)\n--\n\n"
     "Allow or forbid kernels of another device to access the pool's "
     "memory."},
    {"has_access", pool_has_access, METH_O,
     "has_access($self, device, /)\n--\n\n"
     "Return whether kernels of a device can access the pool's memory."},
    {"reset_high", pool_reset_high, METH_NOARGS,
     "reset_high($self)\n--\n\nReset used_high and reserved_high to the "
     "current values."},
    {NULL},
};

#define STATISTIC(name, which, text)                                          \
    {                                                                         \
        name, pool_attribute, NULL, text, (void *)(intptr_t)(which)           \
    }

static PyGetSetDef pool_getset[] = {
    STATISTIC("used_bytes", CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
              "bytes in allocations"),
    STATISTIC("used_high", CU_MEMPOOL_ATTR_USED_MEM_HIGH,
              "most of used_bytes so far"),
    STATISTIC("reserved_bytes", CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
              "reserved bytes of the pool, used and unused"),
    STATISTIC("reserved_high", CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
              "maximum of reserved_bytes so far"),
    {"release_threshold", pool_attribute, pool_set_attribute,
     "number of idle bytes that a synchronisation leaves reserved",
     (void *)(intptr_t)CU_MEMPOOL_ATTR_RELEASE_THRESHOLD},
    {"handle", pool_handle, NULL, "CUmemoryPool as an int", NULL},
    {NULL},
};

static PyType_Slot pool_slots[] = {
    {Py_tp_doc, "AsyncMemoryPool(max_size=0): a pool of memory of the "
                "current device, allocated in stream order; at most "
                "`max_size` bytes (0: no limit)."},
    {Py_tp_new, pool_new},
    {Py_tp_dealloc, pool_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, pool_methods},
    {Py_tp_getset, pool_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec pool_spec = {
    .name = "pycuda._driver.AsyncMemoryPool",
    .basicsize = sizeof(struct async_pool),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = pool_slots,
};

static PyMethodDef functions[] = {
    {"mem_alloc_async", CORE_METHOD(mem_alloc_async),
     "mem_alloc_async(size, stream=None)\n--\n\n"
     "Return an AsyncAllocation of so many bytes from the device's "
     "pool, for work that follows on the stream. Raises LogicError for "
     "0 bytes, MemoryError if the device has too few."},
    {NULL},
};

int
core_async_pool_setup(PyObject *module)
{
    if (core_add_type(module, &core.async_pool_type, &pool_spec, NULL) < 0 ||
        core_add_type(module, &core.async_allocation_type,
                      &async_allocation_spec, core.allocation_type) < 0) {
        return -1;
    }
    return core_add_functions(module, functions);
}
