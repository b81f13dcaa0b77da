/* kernels.h - what a context keeps for the array room.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_KERNELS_H
#define PYCUDA_ARRAY_KERNELS_H

#include "array/array.h"
#include "array/table.h"

#define PLAN_PLACES 512 /* a power of two */

struct plan;

struct kernels {
    PyObject_HEAD
    struct table table;              /* of struct entry */
    struct plan *plans[PLAN_PLACES]; /* plan.c */
};

/* Those of the current context, borrowed: they may go whenever Python runs or
 * the GIL is given away.  NULL where there are none yet, or with a LogicError;
 * `kernels_made` makes them. */
struct kernels *kernels_here(void);
struct kernels *kernels_made(void);

/* plan.c */
int plans_traverse(struct plan *const *plans, visitproc visit, void *arg);
void plans_clear(struct plan **plans);

#endif
