/* named_barrier.c - barriers with an id and a thread count (PTX bar.sync a,
 * b).
 *
 * Called by kernels. The worker owns the state, which belongs to its current
 * block; only fibers of that block access it, one at a time. A waiting thread
 * yields until the barrier's phase changes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cpu/run/fiber.h"
#include "cpu/run/named_barrier.h"
#include "cpu/run/named_barrier_state.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"

/* Releases all threads that wait at the barrier with this id. */
static void
barrier_release(struct cpu_worker *worker, struct cpu_named_barrier *named)
{
    worker->waiting -= named->arrived;
    named->arrived = 0;
    named->phase++;
}

void
cpu_named_barriers_reset(struct cpu_worker *worker)
{
    if (worker->named_used) {
        worker->named_used = false;
        worker->waiting = 0;
        memset(worker->named, 0, sizeof worker->named);
    }
}

static bool
barrier_is_complete(const struct cpu_worker *worker,
                    const struct cpu_named_barrier *named, unsigned count)
{
    return named->arrived >= (count ? count : worker->live);
}

CPU_ON_FIBER void
__pycuda_barrier_named(uint32_t id, uint32_t count)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_named_barrier *named = &worker->named[id % CPU_NAMED_BARRIERS];
    unsigned phase = named->phase;

    if (id >= CPU_NAMED_BARRIERS || count > worker->threads) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_INSTRUCTION);
    }
    worker->named_used = true;
    named->arrived++;
    worker->waiting++;
    while (named->phase == phase) {
        if (barrier_is_complete(worker, named, count)) {
            barrier_release(worker, named);
            break;
        }
        if (worker->waiting + worker->arrived >= worker->live) {
            cpu_fibers_fail(
                /* error: the barrier can never complete */
                CUDA_ERROR_LAUNCH_FAILED);
        }
        __pycuda_yield();
    }
}
