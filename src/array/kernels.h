/* kernels.h - kernel table and plan cache of a context.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_KERNELS_H
#define PYCUDA_ARRAY_KERNELS_H

#include "array/array.h"
#include "array/table.h"

#define PLAN_PLACES 512 /* entries of the plan cache; a power of two */

struct plan;

/* Object in the context's local storage. */
struct kernels {
    PyObject_HEAD
    /* Values are struct entry of kernels.c. */
    struct table table;
    struct plan *plans[PLAN_PLACES]; /* owned; NULL or a plan, see plan.c */
};

/* Return the object of the current context, a borrowed reference. It may be
 * released whenever Python code runs or the GIL is released. kernels_here
 * returns NULL without an exception if there is none yet; kernels_made creates
 * it. Both return NULL with a LogicError if no context is current. */
struct kernels *kernels_here(void);
struct kernels *kernels_made(void);

/* For the object's garbage collector support. plans_clear releases all
 * plans. */
int plans_traverse(struct plan *const *plans, visitproc visit, void *arg);
void plans_clear(struct plan **plans);

#endif
