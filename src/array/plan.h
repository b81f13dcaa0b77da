/* plan.h - launch plans: recorded launches of Python functions.
 *
 * A plan owns its Functions and dtypes. Plans are reference-counted, so a
 * running plan stays valid if the cache releases it. Functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_PLAN_H
#define PYCUDA_ARRAY_PLAN_H

#include "array/layout.h"
#include "array/numpy.h"
#include "core/core.h"

/* Number of entries of the plan cache; a power of two. */
#define PLAN_CACHE_ENTRIES 512

#define PLAN_MAX_LAUNCHES  12
#define PLAN_MAX_ARGUMENTS 11
#define PLAN_MAX_TEMPS     5
#define PLAN_MAX_INPUTS    2
#define PLAN_MAX_AXES      8 /* maximum length of a tuple of axes */
#define PLAN_MAX_SLOTS     (PLAN_MAX_TEMPS + PLAN_MAX_INPUTS + 1)
/* low address bits that affect the choice of the kernel */
#define PLAN_ALIGNMENT 15u

/* Properties of an input array that select a plan. */
struct plan_input {
    /* Borrowed, compared by address. The plan in the cache owns a
     * reference. */
    PyArray_Descr *dtype;
    /* bits of PLAN_ALIGNMENT in the array's address; they affect the choice of
     * the kernel */
    unsigned bits;
    int ndim;
    const npy_intp *shape, *strides;
};

/* Key of a plan in the cache. */
struct plan_key {
    const void *name; /* interned string; compared by address */
    /* `whole` and `axis` encode the argument `axis` of the call. `whole` is 0
     * for an int, whose value is in `axis`; 1 for None; 2 + n for a tuple of n
     * ints, which are packed in `axis`. */
    int whole;
    long axis;
    int inputs;
    struct plan_input input[PLAN_MAX_INPUTS];
};

/* Argument of a launch: the address in a slot of the plan, or constant bytes.
 * The slots of a plan are first its inputs, then the result, then temporary
 * memory. */
struct plan_argument {
    /* number of the slot (input array, temporary array or result) whose
     * address is passed; -1: the constant `bytes` is passed */
    int slot;
    void *bytes;
};

struct plan_launch {
    PyObject *function; /* strong reference; a Function or a cuBLAS product */
    /* NULL: no kernel is launched; cuBLAS computes a matrix product, and the
     * first three arguments are its arrays */
    CUfunction handle;
    unsigned grid[3], block[3], shared;
    int arguments;
    struct plan_argument argument[PLAN_MAX_ARGUMENTS];
};

struct plan {
    /* reference count of the plan; the plan cache holds one reference */
    int count;
    struct plan_key key;
    /* Memory for the shapes and strides to which `key` points. */
    npy_intp dims[PLAN_MAX_INPUTS][2 * ARRAY_MAX_NDIM];
    /* Strong reference; dtype of the result. */
    PyArray_Descr *dtype;
    int ndim;
    npy_intp shape[ARRAY_MAX_NDIM], strides[ARRAY_MAX_NDIM];
    int temps;
    size_t temp_bytes[PLAN_MAX_TEMPS];
    int launches;
    struct plan_launch launch[PLAN_MAX_LAUNCHES];
};

/* Drops a reference to the plan, and frees the plan if it was the last. NULL
 * is allowed. */
void plan_release(struct plan *plan);
/* plans_traverse visits the Python objects of all plans for the garbage
 * collector. plans_clear releases all plans. */
int plans_traverse(struct plan *const *plans, visitproc visit, void *arg);
void plans_clear(struct plan **plans);

#endif
