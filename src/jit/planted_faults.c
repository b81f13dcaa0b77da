/* planted_faults.c - selects the planted fault that is active.
 *
 * A planted fault is a fault that is built in on purpose, to prove that a
 * fuzzer finds it (planted_faults.h). This file is compiled only with
 * -Dplants=true.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/planted_faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define ROW_NAME(name, what) #name,
    JIT_EACH_PLANTED_FAULT(ROW_NAME)};

/* Returns the fault that the environment variable PYCUDA_JIT_PLANT names,
 * JIT_PLANTS_END if it is not set. */
static enum jit_planted_fault
chosen(void)
{
    const char *name = getenv("PYCUDA_JIT_PLANT");
    if (!name || !*name) {
        return JIT_PLANTS_END;
    }
    for (int i = 0; i < JIT_PLANTS_END; i++) {
        if (strcmp(name, names[i]) == 0) {
            return (enum jit_planted_fault)i;
        }
    }
    fprintf(stderr,
            "PYCUDA_JIT_PLANT is '%s', which src/jit/planted_faults.h lacks\n",
            name);
    exit(1);
}

bool
jit_has_planted_fault(enum jit_planted_fault plant)
{
    static bool asked;
    static enum jit_planted_fault at_work;
    if (!asked) {
        asked = true;
        at_work = chosen();
    }
    return plant == at_work;
}
