/* repeat_reduction.c - a reduction of whole arrays that was made before.
 *
 * Called by reduce.c.  As repeat.c does for element-wise operations: what a
 * reduction of contiguous arrays of one type comes to - kernel, grid, how many
 * elements a block has - is remembered by what a look at the operands tells.
 *
 * Owns references to the dtypes that it compares as pointers, and no kernels:
 * a context whose kernels are let go has another key from then on, which the
 * launch looks at.  Rules live as long as the process.  The GIL is the lock.
 *
 * SPDX-License-Identifier: MIT */
#include "array/repeat_reduction.h"

#define PLACES 64 /* a power of two */

/* One cache line. */
struct reduced {
    void *context;
    PyArray_Descr *dtype; /* strong: of each input */
    npy_intp size;
    uint32_t form; /* the operation and its inputs */
    uint32_t mask; /* address bits that are to be zero */
    unsigned blocks;
    unsigned threads;
    npy_intp per_block; /* elements */
    PyArray_Descr *result;
    CUfunction function;
} __attribute__((aligned(64)));

static struct reduced places[PLACES];

/* What the inputs have in common; false where they are not that simple. */
static bool
describe(struct reduced *key, int operation, int inputs,
         struct array *const *arrays, CUdeviceptr *bits)
{
    key->dtype = arrays[0]->dtype;
    key->size = arrays[0]->size;
    key->form = (uint32_t)operation << 8 | (uint32_t)inputs;
    *bits = 0;
    for (int i = 0; i < inputs; i++) {
        if (!array_plain((PyObject *)arrays[i]) ||
            !(arrays[i]->flags & ARRAY_C) || arrays[i]->dtype != key->dtype ||
            arrays[i]->size != key->size) {
            return false;
        }
        *bits |= arrays[i]->head.pointer;
    }
    return true;
}

static struct reduced *
place_of(const struct reduced *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key->dtype >> 4;

    hash = (hash * 31 + (uint64_t)key->size) * 31 + key->form;
    return &places[hash * 0x9e3779b97f4a7c15u >> 58 & (PLACES - 1)];
}

static bool
is_equal(const struct reduced *a, const struct reduced *b)
{
    return a->context == b->context && a->dtype == b->dtype &&
           a->size == b->size && a->form == b->form;
}

/* 1: launched; 0: the stream has no counter, or the kernel has gone; -1: an
 * exception. */
static int
launch(const struct reduced *reduced, struct core_context *context,
       CUstream stream, int inputs, struct array *const *arrays,
       struct array *out)
{
    CUdeviceptr rest = 0, done = 0;

    if (reduced->blocks > 1) { /* first: it may allocate */
        size_t bytes = reduced->blocks * (size_t)PyDataType_ELSIZE(out->dtype);
        if (core_scratch(stream, bytes, &done, &rest) < 0) {
            return -1;
        }
        if (!done) {
            return 0;
        }
    }
    struct core_array_head *used[ARRAY_OPERANDS] = {&out->head};
    CUdeviceptr pointer[ARRAY_OPERANDS] = {out->head.pointer};
    int64_t size = reduced->size, share = reduced->per_block;
    void *arguments[ARRAY_OPERANDS + 4] = {&pointer[0]};
    int at = 1;

    for (int i = 0; i < inputs; i++, at++) {
        used[at] = &arrays[i]->head;
        pointer[at] = arrays[i]->head.pointer;
        arguments[at] = &pointer[at];
    }
    arguments[at++] = &size;
    arguments[at++] = &share;
    arguments[at++] = &rest;
    arguments[at++] = &done;
    int status = core_launch_arrays(
        context, reduced->context, reduced->function, reduced->blocks,
        reduced->threads, stream, inputs + 1, used, arguments);
    return status < 0 ? -1 : status == 0;
}

/* Whether the reduction was made, or has failed with an exception: then
 * *result is what array_reduce_all returns. */
bool
reduction_again(int operation, int inputs, struct array *const *arrays,
                PyObject **result)
{
    struct reduced key;
    CUdeviceptr bits;
    CUstream stream = NULL;

    if (!describe(&key, operation, inputs, arrays, &bits)) {
        return false;
    }
    struct core_context *context = core_here(&key.context, &stream);
    if (!context) {
        PyErr_Clear();
        return false;
    }
    const struct reduced *place = place_of(&key);
    if (!is_equal(place, &key) || bits & place->mask) {
        return false;
    }
    /* An allocation may run Python's code, which may reduce as well, or give
     * an array other elements. */
    const struct reduced reduced = *place;
    struct array *out = array_new_again(arrays[inputs - 1], 0, reduced.result,
                                        context, stream);
    CUdeviceptr now;
    if (out && (!describe(&key, operation, inputs, arrays, &now) ||
                !is_equal(&reduced, &key) || now & reduced.mask)) {
        Py_DECREF(out);
        return false;
    }
    int status =
        out ? launch(&reduced, context, stream, inputs, arrays, out) : -1;
    if (status <= 0) {
        Py_CLEAR(out);
    }
    *result = (PyObject *)out;
    return status != 0;
}

/* Remembers what one launch of a reduction came to. */
void
reduction_learn(int operation, int inputs, struct array *const *arrays,
                PyArray_Descr *result, const struct kernel *kernel,
                npy_intp blocks, npy_intp per_block)
{
    struct reduced key;
    CUdeviceptr bits;

    if (!describe(&key, operation, inputs, arrays, &bits) || key.size == 0) {
        return;
    }
    key.context = kernel->context;
    key.mask = (uint32_t)PyDataType_ALIGNMENT(key.dtype) - 1;
    key.blocks = (unsigned)blocks;
    key.threads = kernel->block;
    key.per_block = per_block;
    key.result = result;
    key.function = kernel->handle;
    struct reduced *place = place_of(&key);
    PyArray_Descr *old = place->dtype;
    Py_INCREF(key.dtype);
    *place = key;
    Py_XDECREF(old);
}
