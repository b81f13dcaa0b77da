/* plan.c - launch plans: recorded launches of Python functions.
 *
 * SPDX-License-Identifier: MIT */
#include "array/plan.h"
#include "core/core.h"

/* Drops a reference to the plan, and frees the plan if it was the last. NULL
 * is allowed. */
void
plan_release(struct plan *plan)
{
    if (!plan || --plan->count > 0) {
        return;
    }
    for (int i = 0; i < plan->launches; i++) {
        struct plan_launch *launch = &plan->launch[i];
        for (int k = 0; k < launch->arguments; k++) {
            PyMem_Free(launch->argument[k].bytes);
        }
        Py_XDECREF(launch->function);
    }
    Py_XDECREF(plan->dtype);
    for (int i = 0; i < plan->key.inputs; i++) {
        Py_XDECREF(plan->key.input[i].dtype);
    }
    PyMem_Free(plan);
}

int
plans_traverse(struct plan *const *plans, visitproc visit, void *arg)
{
    for (size_t at = 0; at < PLAN_CACHE_ENTRIES; at++) {
        const struct plan *plan = plans[at];
        for (int i = 0; plan && i < plan->launches; i++) {
            Py_VISIT(plan->launch[i].function);
        }
    }
    return 0;
}

void
plans_clear(struct plan **plans)
{
    for (size_t at = 0; at < PLAN_CACHE_ENTRIES; at++) {
        struct plan *plan = plans[at];
        plans[at] = NULL;
        plan_release(plan);
    }
}
