/* cached_reduction.c - cache of launches of reductions of whole arrays.
 *
 * Called by reduce.c and fast_ufunc.c. The cache maps a few properties of the
 * operands (operation, dtype, number of elements, alignment) to the kernel,
 * the grid and the number of elements per block. cached_elementwise.c is the
 * equivalent for element-wise operations.
 *
 * The cache owns references to the dtypes that it compares by address, but no
 * references to kernels. A context gets a new key when its kernels are
 * released, and each launch compares the context's key with that of the cache
 * entry. Result dtypes are borrowed from type rules, which exist until the
 * process ends. The GIL protects the cache. In free-threaded Python each
 * context has its own cache.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/cached_reduction.h"
#include "array/kernel.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "core/core.h"

#define CACHE_ENTRIES 64 /* number of cache entries; a power of two */

/* A cache entry, which fills one cache line of the CPU. */
struct cached_reduction {
    /* Kernel, grid and block of the launch. The member `key`, the key of the
     * context, is also part of the cache key. */
    struct core_relaunch launch;
    PyArray_Descr *dtype; /* strong reference; dtype of all inputs */
    npy_intp size;
    /* the operation and its number of inputs, packed into one integer */
    uint32_t form;
    uint32_t mask;      /* the kernel needs inputs with these address bits 0 */
    npy_intp per_block; /* number of elements that a thread block reduces */
    /* Dtype of the result, borrowed from the type rule. */
    PyArray_Descr *result;
};

#ifdef Py_GIL_DISABLED
/* Returns the entries of the current context's cache, or NULL. */
static inline struct cached_reduction *
cache_entries(void)
{
    return core_current_table(CORE_TABLE_REDUCTIONS,
                              CACHE_ENTRIES * sizeof(struct cached_reduction));
}
#else
static struct cached_reduction places[CACHE_ENTRIES]
    __attribute__((aligned(64)));

static inline struct cached_reduction *
cache_entries(void)
{
    return places;
}
#endif

/* Computes the key of a reduction, except the context's key, and the bitwise
 * OR of all addresses. Returns false unless the operands are C-contiguous
 * arrays of one shape and dtype. */
static inline bool
key_describe(struct cached_reduction *key, int operation, int inputs,
             PyObject *const *objects, CUdeviceptr *bits)
{
    const struct array *first = (const struct array *)objects[0];

    if (!array_is_own_class(objects[0]) || !(first->flags & ARRAY_C)) {
        return false;
    }
    key->dtype = first->dtype;
    key->size = first->size;
    key->form = (uint32_t)operation << 8 | (uint32_t)inputs;
    *bits = first->head.pointer;
    for (int i = 1; i < inputs; i++) {
        const struct array *other = (const struct array *)objects[i];
        if (!array_is_own_class(objects[i]) || !(other->flags & ARRAY_C) ||
            other->dtype != first->dtype || !array_same_shape(other, first)) {
            return false;
        }
        *bits |= other->head.pointer;
    }
    return key->size > 0;
}

/* Returns the cache entry that the hash of the key selects. The entry may
 * belong to another key. Returns NULL if there is no cache. */
static inline struct cached_reduction *
cache_slot(const struct cached_reduction *key)
{
    uint64_t hash = (uintptr_t)key->dtype + (uint64_t)key->size +
                    ((uint64_t)key->form << 32);

    struct cached_reduction *entries = cache_entries();
    return entries == NULL ? NULL
                           : &entries[hash * 0x9e3779b97f4a7c15u >> 58 &
                                      (CACHE_ENTRIES - 1)];
}

static inline bool
is_equal(const struct cached_reduction *a, const struct cached_reduction *b)
{
    return a->launch.key == b->launch.key && a->dtype == b->dtype &&
           a->size == b->size && a->form == b->form;
}

/* Launches a reduction. Returns 0; -1 with an exception; or 1, without a
 * launch, if the context has released the kernel. */
static inline int
launch(const struct cached_reduction *reduced, struct core_context *context,
       CUstream stream, int inputs, PyObject *const *objects,
       struct array *out, CUdeviceptr *done, CUdeviceptr *rest)
{
    struct core_array_head *used[ARRAY_OPERANDS];
    int64_t size = reduced->size, share = reduced->per_block;
    void *arguments[ARRAY_OPERANDS + 4];
    int at = 1;

    used[0] = &out->head;
    arguments[0] = &out->head.pointer;
    for (int i = 0; i < inputs; i++, at++) {
        used[at] = &((struct array *)objects[i])->head;
        arguments[at] = &used[at]->pointer;
    }
    arguments[at++] = &size;
    arguments[at++] = &share;
    arguments[at++] = rest;
    arguments[at++] = done;
    return core_launch_arrays(context, &reduced->launch, stream, inputs + 1,
                              used, arguments);
}

/* Slow path of the allocation of the result and of the partial results, which
 * may run Python code. That code may evict the entry or change an operand.
 * Returns NULL with an exception on failure, or without an exception if the
 * entry no longer matches the operands. reduce.c then performs the whole
 * reduction. */
static __attribute__((noinline)) struct array *
result_new_slow(const struct cached_reduction *reduced,
                struct core_context *context, CUstream stream,
                PyObject *const *objects, CUdeviceptr *done, CUdeviceptr *rest)
{
    int operation = (int)(reduced->form >> 8);
    int inputs = (int)(reduced->form & 0xff);
    size_t bytes =
        reduced->launch.blocks * (size_t)PyDataType_ELSIZE(reduced->result);
    struct cached_reduction now = {.launch.key = reduced->launch.key};
    CUdeviceptr bits;

    if (reduced->launch.blocks > 1 &&
        (core_scratch(stream, bytes, done, rest) < 0 || !*done)) {
        return NULL;
    }
    struct array *out = array_new_slow((struct array *)objects[inputs - 1], 0,
                                       reduced->result, context, stream);
    if (out && (!key_describe(&now, operation, inputs, objects, &bits) ||
                !is_equal(reduced, &now) || bits & reduced->mask)) {
        Py_CLEAR(out);
    }
    return out;
}

/* Fast path of array_reduce_all. Returns false if the reduction is not in the
 * cache. Otherwise returns true and stores the result in *result, which is
 * NULL with an exception on failure. */
bool
cached_reduction_run(int operation, int inputs, PyObject *const *objects,
                     PyObject **result)
{
    struct cached_reduction key, copy;
    CUdeviceptr bits, done = 0, rest = 0;
    CUstream stream = NULL;
    struct array *out = NULL;

    struct core_context *context =
        core_current_with_stream(&key.launch.key, &stream);
    if (UNLIKELY(!context)) {
        PyErr_Clear();
        return false;
    }
    if (!key_describe(&key, operation, inputs, objects, &bits)) {
        return false;
    }
    const struct cached_reduction *entry = cache_slot(&key);
    if (!entry || !is_equal(entry, &key) || bits & entry->mask) {
        return false;
    }
    if (LIKELY(entry->launch.blocks == 1)) {
        out = array_new_fast((struct array *)objects[inputs - 1], 0,
                             entry->result, context, stream);
    }
    if (UNLIKELY(!out)) {
        copy = *entry;
        entry = &copy;
        out = result_new_slow(&copy, context, stream, objects, &done, &rest);
    }
    *result = NULL;
    if (UNLIKELY(!out)) {
        return PyErr_Occurred() != NULL;
    }
    int status =
        launch(entry, context, stream, inputs, objects, out, &done, &rest);
    if (UNLIKELY(status != 0)) {
        Py_CLEAR(out);
    }
    *result = (PyObject *)out;
    return status <= 0;
}

/* Adds the first launch of a completed reduction to the cache, if the operands
 * are suitable. A cached reduction has no other launch: cached_reduction_run
 * declines streams that need a second one. */
void
cached_reduction_add(int operation, int inputs, PyObject *const *objects,
                     PyArray_Descr *result, const struct kernel *kernel,
                     npy_intp blocks, npy_intp per_block)
{
    struct cached_reduction key;
    CUdeviceptr bits;

    if (!key_describe(&key, operation, inputs, objects, &bits)) {
        return;
    }
    key.launch = (struct core_relaunch){
        .key = kernel->context,
        .function = kernel->handle,
        .blocks = (unsigned)blocks,
        .threads = {(uint16_t)kernel->block, 1},
    };
    key.mask = (uint32_t)PyDataType_ALIGNMENT(key.dtype) - 1;
    key.per_block = per_block;
    key.result = result;
    struct cached_reduction *entry = cache_slot(&key);
    if (!entry) {
        return;
    }
    PyArray_Descr *old = entry->dtype;
    Py_INCREF(key.dtype);
    *entry = key;
    Py_XDECREF(old);
}
