/* memory_pool.c - DeviceMemoryPool and PageLockedMemoryPool, with PyCUDA's
 * interface, for programs that create their own pools.
 *
 * A bin holds the idle blocks of one size class. Its number is 16 * floor(log2
 * size) + the four bits after the leading 1 bit of the size. All blocks of a
 * bin have the largest size of its class. A freed block returns to its bin,
 * and the block freed last is reused first. These pools are not
 * stream-ordered; the default pool (default_pool.c) is. All functions need the
 * GIL; native calls that free memory release it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/cross_context.h"
#include "core/memory/default_pool.h"
#include "core/memory/free_site.h"
#include "core/memory/host_memory.h"
#include "core/numpy.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"

enum {
    BIN_COUNT = 64 * 16,
};

struct bin {
    void **blocks;
    size_t count, capacity;
};

/* A pool of device memory or page-locked memory. `held` is the number of idle
 * blocks, `active` the number of blocks in use. `managed_bytes` is the size of
 * all blocks, rounded up to their size classes; `active_bytes` is the sum of
 * the sizes that callers requested. */
struct mempool {
    CORE_HEAD
    struct bin *bins; /* array of BIN_COUNT bins */
    size_t held, active;
    size_t managed_bytes, active_bytes;
    bool host;      /* true: page-locked memory; false: device memory */
    bool released;  /* true: the program has called stop_holding() */
    unsigned flags; /* flags for cuMemHostAlloc (page-locked memory only) */
};

/* Base object of a NumPy array whose memory is a block of the pool. */
struct pooled_host {
    CORE_HEAD
    struct mempool *pool; /* strong reference */
    void *pointer;
    size_t bytes;
    bool freed;
};

/* Returns the number of the bin for a size in bytes. */
static unsigned
bin_number(size_t bytes)
{
    if (bytes == 0) {
        return 0;
    }
    unsigned log = 63u - (unsigned)__builtin_clzll(bytes);
    size_t shifted = log >= 4 ? bytes >> (log - 4) : bytes << (4 - log);
    return log * 16 + (unsigned)(shifted & 15);
}

/* Returns the largest size in bytes of a bin's size class. */
static size_t
bin_bytes(unsigned bin)
{
    unsigned log = bin / 16, mantissa = bin % 16;
    if (log < 4) {
        return ((size_t)(16 + mantissa)) >> (4 - log);
    }
    size_t unit = (size_t)1 << (log - 4);
    return unit * (16 + mantissa) + (unit - 1);
}

/* Allocates a block of host or device memory from the driver. Raises no
 * exception. */
static CUresult
block_allocate(struct mempool *self, size_t bytes, void **block)
{
    CUdeviceptr pointer = 0;
    if (self->host) {
        return driver.cuMemHostAlloc(block, bytes, self->flags);
    }
    CUresult code = driver.cuMemAlloc(&pointer, bytes);
    *block = (void *)(uintptr_t)pointer;
    return code;
}

/* Frees a block in the pool's context without the GIL. Does nothing if the
 * context is gone. */
static void
block_free(struct mempool *self, void *block)
{
    struct core_scope scope;
    if (!core_enter(self->context, &scope)) {
        return;
    }
    bool host = self->host;
    PyThreadState *thread = core_gil_release();
    if (host) {
        driver.cuMemFreeHost(block);
    } else {
        driver.cuMemFree((CUdeviceptr)(uintptr_t)block);
    }
    core_gil_acquire(thread);
    core_leave(&scope);
}

/* Frees one idle block of the bin with the largest blocks; returns false if no
 * bin has an idle block. */
static bool
free_one(struct mempool *self)
{
    for (unsigned i = BIN_COUNT; i-- > 0;) {
        struct bin *bin = &self->bins[i];
        if (bin->count > 0) {
            void *block = bin->blocks[--bin->count];
            self->held--;
            self->managed_bytes -= bin_bytes(i);
            block_free(self, block);
            return true;
        }
    }
    return false;
}

/* Takes an idle block from bin `number`; returns false if the bin is empty. */
static bool
bin_pop(struct mempool *self, unsigned number, void **block)
{
    struct bin *bin = &self->bins[number];
    if (bin->count == 0) {
        return false;
    }
    *block = bin->blocks[--bin->count];
    self->held--;
    return true;
}

/* Takes a block from its bin, or allocates one from the driver. If memory is
 * short, frees idle blocks of other bins and retries. May run Python code. */
static int
pool_acquire(struct mempool *self, size_t bytes, void **block)
{
    unsigned number = bin_number(bytes);
    size_t rounded = bin_bytes(number);
    struct core_scope scope;
    bool tried = false;
    if (!bin_pop(self, number, block)) {
        if (!core_enter(self->context, &scope)) {
            return core_fail(CUDA_ERROR_INVALID_CONTEXT,
                             "memory_pool::allocate", NULL);
        }
        CUresult code = block_allocate(self, rounded, block);
        if (core_reclaim_memory(code, &tried)) {
            if (bin_pop(self, number, block)) {
                code = CUDA_SUCCESS;
                self->managed_bytes -= rounded;
            } else {
                code = block_allocate(self, rounded, block);
            }
        }
        while (code == CUDA_ERROR_OUT_OF_MEMORY && free_one(self)) {
            code = block_allocate(self, rounded, block);
        }
        core_leave(&scope);
        if (code == CUDA_ERROR_OUT_OF_MEMORY) {
            return core_fail(code, "memory_pool::allocate",
                             "failed to free memory for allocation");
        }
        if (core_allocate_check(code, bytes,
                                self->host ? "cuMemHostAlloc" : "cuMemAlloc") <
            0) {
            return -1;
        }
        self->managed_bytes += rounded;
    }
    self->active++;
    self->active_bytes += bytes;
    return 0;
}

/* Returns a block to its bin. Frees the block instead after stop_holding(), or
 * if the bin cannot grow. */
static void
pool_return(struct mempool *self, void *block, size_t bytes)
{
    unsigned number = bin_number(bytes);
    struct bin *bin = &self->bins[number];
    self->active--;
    self->active_bytes -= bytes;
    if (bin->count == bin->capacity && !self->released) {
        size_t capacity = bin->capacity * 2 + 4;
        void **blocks = PyMem_Realloc(bin->blocks, capacity * sizeof *blocks);
        if (blocks != NULL) {
            bin->blocks = blocks;
            bin->capacity = capacity;
        }
    }
    if (self->released || bin->count == bin->capacity) {
        self->managed_bytes -= bin_bytes(number);
        block_free(self, block);
        return;
    }
    bin->blocks[bin->count++] = block;
    self->held++;
}

/* Creates a pool for the current context. `flags` are passed to cuMemHostAlloc
 * and only matter for a host pool. */
static PyObject *
pool_new(PyTypeObject *type, bool host, unsigned flags)
{
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    struct mempool *self = (struct mempool *)core_object_new(type, context);
    if (self == NULL) {
        return NULL;
    }
    self->host = host;
    self->flags = flags;
    self->bins = PyMem_Calloc(BIN_COUNT, sizeof *self->bins);
    if (self->bins == NULL) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static PyObject *
device_pool_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    /* The arguments are ignored, because a subclass may take other
     * arguments. */
    (void)kwargs;
    return pool_new(type, false, 0);
}

/* Object of PageLockedAllocator, which only stores the flags for
 * cuMemHostAlloc. */
struct allocator {
    CORE_HEAD
    unsigned flags;
};

static int
allocator_read(PyObject *args, PyObject *kwargs, unsigned *flags)
{
    return core_flags_read(args, kwargs, "|O:PageLockedAllocator", flags);
}

static int allocator_init(PyObject *op, PyObject *args, PyObject *kwargs);

static PyObject *
allocator_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct allocator *self = (struct allocator *)core_object_new(type, NULL);
    if (self != NULL &&
        !core_init_reads(type, allocator_new, allocator_init) &&
        allocator_read(args, kwargs, &self->flags) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int
allocator_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    return core_init_reads(Py_TYPE(op), allocator_new, allocator_init)
               ? allocator_read(args, kwargs, &((struct allocator *)op)->flags)
               : 0;
}

static int
host_pool_read(PyObject *args, PyObject *kwargs, unsigned *flags)
{
    static char *keywords[] = {"allocator", NULL};
    PyObject *allocator = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O!:PageLockedMemoryPool",
                                     keywords, core.host_allocator_type,
                                     &allocator)) {
        return -1;
    }
    *flags = allocator == NULL ? 0 : ((struct allocator *)allocator)->flags;
    return 0;
}

static int host_pool_init(PyObject *op, PyObject *args, PyObject *kwargs);

static PyObject *
host_pool_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    unsigned flags = 0;
    if (!core_init_reads(type, host_pool_new, host_pool_init) &&
        host_pool_read(args, kwargs, &flags) < 0) {
        return NULL;
    }
    return pool_new(type, true, flags);
}

static int
host_pool_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    return core_init_reads(Py_TYPE(op), host_pool_new, host_pool_init)
               ? host_pool_read(args, kwargs, &((struct mempool *)op)->flags)
               : 0;
}

static PyObject *
pool_free_held(PyObject *op, PyObject *unused)
{
    (void)unused;
    while (free_one((struct mempool *)op)) {
    }
    Py_RETURN_NONE;
}

/* Python method stop_holding(): frees all idle blocks. From then on each block
 * is freed when it is returned. */
static PyObject *
pool_stop_holding(PyObject *op, PyObject *unused)
{
    ((struct mempool *)op)->released = true;
    return pool_free_held(op, unused);
}

/* Frees the idle blocks. No block is in use when this runs, since each block
 * in use has a reference to the pool. */
static void
pool_dealloc(PyObject *op)
{
    struct mempool *self = (struct mempool *)op;
    core_object_begin_dealloc(op);
    if (self->bins != NULL) {
        while (free_one(self)) {
        }
        for (unsigned i = 0; i < BIN_COUNT; i++) {
            PyMem_Free(self->bins[i].blocks);
        }
        PyMem_Free(self->bins);
    }
    core_object_end_dealloc(op);
}

static PyObject *
pool_bin_number(PyObject *op, PyObject *object)
{
    (void)op;
    size_t bytes;
    return core_size(object, &bytes) < 0
               ? NULL
               : PyLong_FromUnsignedLong(bin_number(bytes));
}

static PyObject *
pool_alloc_size(PyObject *op, PyObject *object)
{
    (void)op;
    unsigned bin;
    if (core_unsigned(object, &bin) < 0) {
        return NULL;
    }
    if (bin >= BIN_COUNT) {
        PyErr_Format(PyExc_ValueError, "bin %u is beyond %d", bin,
                     BIN_COUNT - 1);
        return NULL;
    }
    return PyLong_FromSize_t(bin_bytes(bin));
}

static PyObject *
device_pool_allocate(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {"allocate", 1, {"size"}};
    struct mempool *self = (struct mempool *)op;
    PyObject *values[1];
    size_t bytes;
    void *block;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_size(values[0], &bytes) < 0 ||
        pool_acquire(self, bytes, &block) < 0) {
        return NULL;
    }
    PyObject *result = core_allocation_wrap(
        core.pooled_type, self->context, (CUdeviceptr)(uintptr_t)block, bytes);
    if (result == NULL) {
        pool_return(self, block, bytes);
        return NULL;
    }
    ((struct core_allocation *)result)->pool = Py_NewRef(op);
    return result;
}

/* Returns the pooled allocation's block to its pool at the first call. Later
 * calls do nothing. */
static void
pooled_release(struct core_allocation *self)
{
    if (!self->freed && self->pool != NULL) {
        self->freed = true;
        core_cross_use_end(self);
        pool_return((struct mempool *)self->pool,
                    (void *)(uintptr_t)self->pointer, self->bytes);
    }
    self->freed = true;
    Py_CLEAR(self->pool);
}

static PyObject *
pooled_free(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct core_allocation *self = (struct core_allocation *)op;
    if (self->freed) {
        core_free_site_fail(op, "pooled_device_allocation::free",
                            "this device memory");
        return NULL;
    }
    core_free_site_record(op);
    pooled_release(self);
    Py_RETURN_NONE;
}

static void
pooled_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    pooled_release((struct core_allocation *)op);
    core_object_end_dealloc(op);
}

static int
pooled_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct core_allocation *)op)->pool);
    return core_object_traverse(op, visit, arg);
}

static Py_ssize_t
pooled_length(PyObject *op)
{
    return (Py_ssize_t)((struct core_allocation *)op)->bytes;
}

static void
pooled_host_release(struct pooled_host *self)
{
    if (!self->freed) {
        pool_return(self->pool, self->pointer, self->bytes);
    }
    self->freed = true;
}

static PyObject *
pooled_host_free(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct pooled_host *self = (struct pooled_host *)op;
    if (self->freed) {
        core_free_site_fail(op, "pooled_host_allocation::free",
                            "this host memory");
        return NULL;
    }
    core_free_site_record(op);
    pooled_host_release(self);
    Py_RETURN_NONE;
}

static void
pooled_host_dealloc(PyObject *op)
{
    struct pooled_host *self = (struct pooled_host *)op;
    core_object_begin_dealloc(op);
    pooled_host_release(self);
    Py_CLEAR(self->pool);
    core_object_end_dealloc(op);
}

static int
pooled_host_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)((struct pooled_host *)op)->pool);
    return core_object_traverse(op, visit, arg);
}

static Py_ssize_t
pooled_host_length(PyObject *op)
{
    return (Py_ssize_t)((struct pooled_host *)op)->bytes;
}

/* Returns an object that owns the block. If that fails, returns the block to
 * the pool. */
static PyObject *
pooled_host_wrap(struct mempool *pool, void *block, size_t bytes)
{
    struct pooled_host *base = (struct pooled_host *)core_object_new(
        core.pooled_host_type, pool->context);
    if (base == NULL) {
        pool_return(pool, block, bytes);
        return NULL;
    }
    base->pool = (struct mempool *)Py_NewRef((PyObject *)pool);
    base->pointer = block;
    base->bytes = bytes;
    return (PyObject *)base;
}

/* Python method allocate(shape, dtype, order="C") -> ndarray */
static PyObject *
host_pool_allocate(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "allocate", 2, {"shape", "dtype", "order"}};
    PyObject *values[3];
    Py_intptr_t shape[32];
    PyArray_Descr *descr;
    if (core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    const char *order =
        values[2] == NULL ? "C" : core_text(values[2], "order");
    int ndim = order == NULL ? -1 : core_shape(values[0], shape);
    if (ndim < 0) {
        return NULL;
    }
    bool fortran = strcmp(order, "F") == 0 || strcmp(order, "f") == 0;
    if (!fortran && strcmp(order, "C") != 0 && strcmp(order, "c") != 0) {
        PyErr_SetString(PyExc_RuntimeError, "unrecognized order specifier");
        return NULL;
    }
    if (!PyArray_DescrConverter(values[1], &descr)) {
        return NULL;
    }
    size_t bytes;
    void *block;
    if (core_host_bytes(descr, ndim, shape, &bytes) < 0 ||
        pool_acquire((struct mempool *)op, bytes, &block) < 0) {
        Py_DECREF(descr);
        return NULL;
    }
    PyObject *base = pooled_host_wrap((struct mempool *)op, block, bytes);
    if (base == NULL) {
        Py_DECREF(descr);
        return NULL;
    }
    PyObject *array = PyArray_NewFromDescr(
        &PyArray_Type, descr, ndim, shape, NULL, block,
        fortran ? NPY_ARRAY_FARRAY : NPY_ARRAY_CARRAY, NULL);
    if (array == NULL) {
        Py_DECREF(base);
        return NULL;
    }
    if (PyArray_SetBaseObject((PyArrayObject *)array, base) < 0) {
        Py_CLEAR(array);
    }
    return array;
}

static PyObject *
pool_statistic(PyObject *op, void *offset)
{
    size_t value;
    memcpy(&value, (char *)op + (uintptr_t)offset, sizeof value);
    return PyLong_FromSize_t(value);
}

#define STATISTIC(name, field, doc)                                           \
    {                                                                         \
        name, pool_statistic, NULL, doc,                                      \
            (void *)offsetof(struct mempool, field)                           \
    }
static PyGetSetDef pool_getset[] = {
    STATISTIC("held_blocks", held, "unused blocks that the pool keeps"),
    STATISTIC("active_blocks", active, "blocks in use"),
    STATISTIC("managed_bytes", managed_bytes, "bytes of all blocks"),
    STATISTIC("active_bytes", active_bytes, "requested bytes in use"),
    {NULL},
};

#define POOL_METHODS                                                          \
    {"free_held", pool_free_held, METH_NOARGS, "Free all unused blocks."},    \
        {"stop_holding", pool_stop_holding, METH_NOARGS,                      \
         "Free all idle blocks, and keep none in future."},                   \
        {"bin_number", pool_bin_number, METH_O,                               \
         "Return the index of the size class for a size in bytes."},          \
    {                                                                         \
        "alloc_size", pool_alloc_size, METH_O,                                \
            "Return the size of the blocks of a size class, in bytes."        \
    }
static PyMethodDef device_pool_methods[] = {
    {"allocate", CORE_METHOD(device_pool_allocate),
     "Return a PooledDeviceAllocation of that many bytes."},
    POOL_METHODS,
    {NULL},
};
static PyMethodDef host_pool_methods[] = {
    {"allocate", CORE_METHOD(host_pool_allocate),
     "Return a NumPy array in page-locked memory of the pool."},
    POOL_METHODS,
    {NULL},
};
static PyMethodDef pooled_methods[] = {
    {"free", pooled_free, METH_NOARGS, "Return the block to its pool."},
    {"__long__", (PyCFunction)(void (*)(void))core_allocation_int, METH_NOARGS,
     NULL},
    {NULL},
};
static PyMethodDef pooled_host_methods[] = {
    {"free", pooled_host_free, METH_NOARGS, "Return the block to its pool."},
    {NULL},
};

static void
allocator_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    core_object_end_dealloc(op);
}

#define COMMON_SLOTS(make, unmake, visit)                                     \
    {Py_tp_new, make}, {Py_tp_dealloc, unmake}, {Py_tp_traverse, visit},      \
        {Py_tp_clear, core_object_clear},                                     \
    {                                                                         \
        Py_tp_members, core_object_members                                    \
    }
static PyType_Slot device_pool_slots[] = {
    {Py_tp_doc, "A pool of device memory; pass its allocate as allocator."},
    COMMON_SLOTS(device_pool_new, pool_dealloc, core_object_traverse),
    {Py_tp_methods, device_pool_methods},
    {Py_tp_getset, pool_getset},
    {0, NULL},
};
static PyType_Slot host_pool_slots[] = {
    {Py_tp_doc, "A pool of page-locked host memory."},
    COMMON_SLOTS(host_pool_new, pool_dealloc, core_object_traverse),
    {Py_tp_init, host_pool_init},
    {Py_tp_methods, host_pool_methods},
    {Py_tp_getset, pool_getset},
    {0, NULL},
};
static PyType_Slot allocator_slots[] = {
    {Py_tp_doc, "PageLockedAllocator(flags=0)"},
    COMMON_SLOTS(allocator_new, allocator_dealloc, core_object_traverse),
    {Py_tp_init, allocator_init},
    {0, NULL},
};
static PyType_Slot pooled_slots[] = {
    {Py_tp_doc, "Device memory of a DeviceMemoryPool."},
    COMMON_SLOTS(core_no_new, pooled_dealloc, pooled_traverse),
    {Py_nb_int, core_allocation_int},
    {Py_nb_index, core_allocation_int},
    {Py_mp_length, pooled_length},
    {Py_tp_methods, pooled_methods},
    {0, NULL},
};
static PyType_Slot pooled_host_slots[] = {
    {Py_tp_doc, "Host memory of a PageLockedMemoryPool."},
    COMMON_SLOTS(core_no_new, pooled_host_dealloc, pooled_host_traverse),
    {Py_mp_length, pooled_host_length},
    {Py_tp_methods, pooled_host_methods},
    {0, NULL},
};

#define POOL_SPEC(variable, text, type, slot_table)                           \
    static PyType_Spec variable = {                                           \
        .name = "pycuda._driver." text,                                       \
        .basicsize = sizeof(struct type),                                     \
        .flags =                                                              \
            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,    \
        .slots = slot_table,                                                  \
    }
POOL_SPEC(device_pool_spec, "DeviceMemoryPool", mempool, device_pool_slots);
POOL_SPEC(host_pool_spec, "PageLockedMemoryPool", mempool, host_pool_slots);
POOL_SPEC(allocator_spec, "PageLockedAllocator", allocator, allocator_slots);
POOL_SPEC(pooled_spec, "PooledDeviceAllocation", core_allocation,
          pooled_slots);
POOL_SPEC(pooled_host_spec, "PooledHostAllocation", pooled_host,
          pooled_host_slots);

/* Registers all types of this file. */
int
core_memory_pool_setup(PyObject *module)
{
    struct {
        PyTypeObject **field;
        PyType_Spec *spec;
    } rows[] = {
        {&core.pooled_type, &pooled_spec},
        {&core.pooled_host_type, &pooled_host_spec},
        {&core.device_pool_type, &device_pool_spec},
        {&core.host_pool_type, &host_pool_spec},
        {&core.host_allocator_type, &allocator_spec},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (core_add_type(module, rows[i].field, rows[i].spec, NULL) < 0) {
            return -1;
        }
    }
    return 0;
}
