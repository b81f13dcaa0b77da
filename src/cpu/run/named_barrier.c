/* named_barrier.c - barriers with an id and a thread count (PTX bar.sync a,
 * b, bar.arrive and bar.red).
 *
 * Called by kernels. The worker owns the state, which belongs to its current
 * block; only fibers of that block access it, one at a time. A waiting thread
 * yields until the barrier's phase changes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/run/fiber.h"
#include "cpu/run/named_barrier.h"
#include "cpu/run/named_barrier_state.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* Ends the phase of a barrier and releases all threads that wait at it. */
static void
barrier_release(struct cpu_worker *worker, struct cpu_named_barrier *named)
{
    unsigned slot = named->phase & 1;

    if (cpu_check_flags && named->waiting == worker->live) {
        __pycuda_check_meet(); /* all live threads wait at the barrier */
    }
    worker->waiting -= named->waiting;
    named->last_arrived[slot] = named->arrived;
    named->last_yes[slot] = named->yes;
    named->arrived = named->waiting = named->yes = 0;
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

/* Counts the arrival of a thread at the barrier `id`. Ends the launch if no
 * barrier has this id, or if `count` is more than the threads of the block. */
static struct cpu_named_barrier *
barrier_arrive(struct cpu_worker *worker, uint32_t id, uint32_t count,
               bool yes)
{
    struct cpu_named_barrier *named = &worker->named[id % CPU_NAMED_BARRIERS];

    if (id >= CPU_NAMED_BARRIERS || count > worker->threads) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_INSTRUCTION);
    }
    worker->named_used = true;
    named->arrived++;
    named->yes += yes;
    return named;
}

/* Waits for the end of the barrier's present phase. */
static CPU_ON_FIBER void
barrier_wait(struct cpu_worker *worker, struct cpu_named_barrier *named,
             uint32_t count)
{
    unsigned phase = named->phase;

    named->waiting++;
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

CPU_ON_FIBER void
__pycuda_barrier_named(uint32_t id, uint32_t count)
{
    struct cpu_worker *worker = cpu_worker_tls;

    barrier_wait(worker, barrier_arrive(worker, id, count, false), count);
}

CPU_ON_FIBER void
__pycuda_barrier_arrive(uint32_t id, uint32_t count)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_named_barrier *named = barrier_arrive(worker, id, count, false);

    if (barrier_is_complete(worker, named, count)) {
        barrier_release(worker, named);
    }
}

CPU_ON_FIBER uint32_t
__pycuda_barrier_reduce(uint32_t id, uint32_t count, int32_t kind,
                        int32_t predicate)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_named_barrier *named =
        barrier_arrive(worker, id, count, predicate != 0);
    unsigned slot = named->phase & 1;

    barrier_wait(worker, named, count);
    unsigned yes = named->last_yes[slot];
    return kind == IMAGE_BARRIER_COUNT ? yes
           : kind == IMAGE_BARRIER_AND ? yes == named->last_arrived[slot]
                                       : yes != 0;
}
