/* block_state.c - state of the kernel checks (memory, races, barriers) for the
 * thread block that a worker runs.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/arch/arch.h"
#include "cpu/check/check.h"
#include "cpu/check/deferred_read.h"
#include "cpu/check/hooks.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/check/bank/warp_accesses.h"
#include "cpu/module/module_state.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/runtime.h"
#include "cpu/run/shared_memory.h"
#include "cpu/stream/worker.h"
#include "image/image.h"

CUresult
cpu_check_state_prepare(struct cpu_worker *worker)
{
    size_t bytes = (sizeof(struct cpu_check) + 63) / 64 * 64;

    if (worker->check) {
        return CUDA_SUCCESS;
    }
    worker->check = aligned_alloc(64, bytes);
    if (!worker->check) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memset(worker->check, 0, bytes);
    if (!cpu_check_pending_open(worker->check) ||
        !cpu_check_trace_open(worker->check) ||
        !cpu_check_loops_open(worker->check)) {
        cpu_check_state_free(worker);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

/* Clears the data of the previous thread block in the arrays `sites`,
 * `returned` and `clocks`, which only some kernels use. */
static void
threads_clear(struct cpu_check *check)
{
    if (check->sites_used) {
        memset(check->returned, 0, sizeof check->returned);
        memset(check->sites, 0, check->sites_used * sizeof *check->sites);
        check->sites_used = 0;
    }
    if (check->clocks_used) {
        memset(check->clocks, 0, check->clocks_used * sizeof *check->clocks);
        check->clocks_used = 0;
    }
}

void
cpu_check_block_begin(struct cpu_worker *worker)
{
    struct cpu_check *check = worker->check;
    const struct cpu_launch *launch = worker->launch;
    const uint32_t *at = worker->block.ctaid, *grid = launch->grid;

    cpu_check_deferred_flush(check);
    cpu_check_interval_end(check);
    cpu_check_warp_accesses_flush(check);
    check->launch = worker->launch;
    check->serial = launch->serial;
    check->before_launch = launch->before;
    check->block =
        at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
    check->thread = 0;
    check->epoch = 0;
    check->acquired = 0;
    check->acquiring = NULL;
    check->fenced = false;
    check->shared_count = 0;
    check->shared_base = (uintptr_t)worker->shared;
    check->shared_bytes = cpu_block_shared(launch);
    threads_clear(check);
    cpu_check_pending_clear(check);
    check->interval_due = check->block_due = true;
    check->cached_interval = 0;
    check->loops_used = 0;
    cpu_check_trace_begin(check);
}

static void
deferred_flush(void *argument)
{
    cpu_check_deferred_flush(argument);
}

CUresult
cpu_check_deferred_end(struct cpu_worker *worker)
{
    struct cpu_worker *self = cpu_worker_tls;

    if (!worker->check || !worker->check->deferred.site) {
        return CUDA_SUCCESS;
    }
    cpu_worker_tls = worker;
    CUresult code = (CUresult)cpu_fiber_guard(&worker->guard, deferred_flush,
                                              worker->check, NULL);
    worker->in_kernel = 0;
    worker->check->deferred.site = NULL;
    cpu_worker_tls = self;
    return code;
}

void
cpu_check_block_end(struct cpu_worker *worker)
{
    if (worker->check) {
        cpu_check_interval_end(worker->check);
        cpu_check_warp_accesses_end(worker->check);
        cpu_check_footprint_end(worker->check);
    }
}

void
__pycuda_check_block(uint32_t x, uint32_t y, uint32_t z)
{
    struct cpu_worker *worker = cpu_worker_tls;

    worker->block.ctaid[0] = x;
    worker->block.ctaid[1] = y;
    worker->block.ctaid[2] = z;
    cpu_check_block_begin(worker);
}

void
cpu_check_state_free(struct cpu_worker *worker)
{
    if (worker->check) {
        cpu_check_warp_accesses_free(worker->check);
        cpu_check_footprint_free(worker->check);
        free(worker->check->pending);
        free(worker->check->trace);
        free(worker->check->loops);
    }
    free(worker->check);
    worker->check = NULL;
}

unsigned
cpu_check_thread(void)
{
    const struct cpu_worker *worker = cpu_worker_tls;

    return worker->launch->function->kernel->flags & IMAGE_KERNEL_FIBERS
               ? worker->current
               : worker->check->thread;
}
