/* harness_absent.c - runtime functions that no test kernel calls.
 *
 * Weak definitions of every name of image/abi.h, so that the loader's table
 * links, a memory budget without a limit, and launches that no one abandons.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "cpu/memory/budget.h"
#include "cpu/run/fiber.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

static _Noreturn void
absent(const char *name)
{
    fprintf(stderr, "the harness has no %s\n", name);
    abort();
}

#define ABSENT(result, name, arguments, stops)                                \
    void name(void);                                                          \
    __attribute__((weak)) void name(void)                                     \
    {                                                                         \
        absent(#name);                                                        \
    }

IMAGE_RUNTIME(ABSENT)

bool
cpu_arena_admit(uint64_t bytes)
{
    (void)bytes;
    return true;
}

const char *
cpu_budget_refusal(void)
{
    return NULL;
}

_Thread_local struct cpu_worker *cpu_worker_tls;

void
cpu_fibers_leave_abandoned(struct cpu_worker *worker)
{
    (void)worker;
}
