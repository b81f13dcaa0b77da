/* state.c - what is known of the block that a worker runs.
 *
 * Called by all __pycuda_check* functions.  A block's beginning is noticed by
 * its number, since kernels without barriers run many blocks in one call.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"

static void
block_begin(struct cpu_check *check, const struct cpu_worker *worker)
{
    const uint32_t *at = worker->block.ctaid, *grid = worker->launch->grid;
    size_t warps = (worker->launch->threads + CPU_WARP - 1) / CPU_WARP;

    check->launch = worker->launch;
    check->serial = worker->launch->serial;
    check->block =
        at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
    memcpy(check->ctaid, at, sizeof check->ctaid);
    check->epoch = 0;
    check->acquired = 0;
    check->shared_count = 0;
    memset(check->returned, 0, sizeof check->returned);
    memset(check->at, 0, worker->launch->threads * sizeof *check->at);
    memset(check->threads, 0,
           worker->launch->threads * sizeof *check->threads);
    if (cpu_check_flags & CPU_CHECK_RACE) {
        memset(check->warps, 0, warps * sizeof *check->warps);
    }
}

struct cpu_check *
cpu_check_enter(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_check *check = worker->check;
    const uint32_t *at = worker->block.ctaid;

    if (check && check->serial == worker->launch->serial &&
        check->launch == worker->launch && check->ctaid[0] == at[0] &&
        check->ctaid[1] == at[1] && check->ctaid[2] == at[2]) {
        return check;
    }
    if (!check) {
        worker->in_kernel = 0;
        check = aligned_alloc(64, (sizeof *check + 63) / 64 * 64);
        worker->in_kernel = 1;
        if (!check) {
            cpu_fibers_fail(CUDA_ERROR_OUT_OF_MEMORY);
            return NULL;
        }
        memset(check, 0, sizeof *check);
        worker->check = check;
    }
    block_begin(check, worker);
    return check;
}

void
cpu_check_drop(struct cpu_worker *worker)
{
    free(worker->check);
    worker->check = NULL;
}

unsigned
cpu_check_thread(void)
{
    return cpu_worker_tls->self->linear;
}
