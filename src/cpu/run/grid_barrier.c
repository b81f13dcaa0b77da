/* grid_barrier.c - the barrier of all blocks of a cooperative launch.
 *
 * Called by kernels. One thread of each block spins and yields to other blocks
 * of its worker (cooperative.c). The launch owns the state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpu/check/hooks.h"
#include "cpu/run/fiber.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* Returns true if `phase` of the barrier can never complete: it is the current
 * phase, and a block has ended. The ended block has not arrived in this phase,
 * since a block cannot end between its arrival and the end of the phase. */
static bool
grid_is_stuck(struct cpu_launch *launch, unsigned phase)
{
    unsigned ended = atomic_load(&launch->grid_ended);

    return ended && atomic_load(&launch->grid_phase) == phase;
}

CPU_ON_FIBER static void
grid_wait(struct cpu_launch *launch)
{
    unsigned phase = atomic_load(&launch->grid_phase);

    if (atomic_fetch_add(&launch->grid_arrived, 1) + 1 == launch->total) {
        atomic_store(&launch->grid_arrived, 0);
        atomic_fetch_add(&launch->grid_phase, 1);
        return;
    }
    while (atomic_load(&launch->grid_phase) == phase) {
        int error = atomic_load(&launch->error);

        /* a block has failed and will never arrive at the barrier */
        if (error) {
            cpu_fibers_fail((CUresult)error);
        }
        if (grid_is_stuck(launch, phase)) {
            cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED);
        }
        __pycuda_yield();
    }
}

CPU_ON_FIBER void
__pycuda_grid_barrier(void)
{
    struct cpu_worker *worker = cpu_worker_tls;

    if (!worker->launch->cooperative) {
        cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED);
    }
    __pycuda_barrier(IMAGE_BARRIER_PLAIN, 0);
    if (worker->self->linear == 0) {
        if (cpu_check_flags) {
            cpu_check_grid_arrive(worker);
        }
        grid_wait(worker->launch);
        if (cpu_check_flags) {
            cpu_check_grid_pass(worker);
        }
    }
    __pycuda_barrier(IMAGE_BARRIER_PLAIN, 0);
}

CPU_ON_FIBER int32_t
__pycuda_grid_valid(void)
{
    return cpu_worker_tls->launch->cooperative;
}
