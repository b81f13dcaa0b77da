/* fiber.h - fibers: stacks on which the threads of a block run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_FIBER_H
#define PYCUDA_CPU_RUN_FIBER_H

#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* Attribute of functions that suspend a fiber. Sanitizers expect that no
 * function switches stacks, but a function with this attribute returns only
 * after other stacks have run. */
#define CPU_ON_FIBER __attribute__((no_sanitize_address, no_sanitize_thread))

struct cpu_fiber {
    void *sp;
    struct image_thread thread;
    uint64_t result;
};

/* Allocates the fibers and stacks for a block. Returns OUT_OF_MEMORY on
 * failure. */
CUresult cpu_fibers_prepare(struct cpu_worker *worker,
                            struct cpu_launch *launch);
/* Prepares the worker for blocks of the launch. Stores in `*stack` the stack
 * for a kernel that loops over its threads; NULL means the thread's own
 * stack. */
CUresult cpu_block_prepare(struct cpu_worker *worker,
                           struct cpu_launch *launch, void **stack);
/* Initializes the fibers for the block with this index in the grid. */
void cpu_fibers_begin(struct cpu_worker *worker, uint64_t index);
/* Runs the fibers until all have ended (`live` is then 0), or until the block
 * has to wait for other blocks. */
void cpu_fibers_resume(struct cpu_worker *worker);
/* Suspends the current fiber and runs another one. Returns when the suspended
 * fiber is resumed. If no fiber is ready, the launch fails. */
void cpu_fibers_next(struct cpu_worker *worker);
/* Ends the launch on the calling thread with error `code`. Does not return. */
void cpu_fibers_fail(CUresult code);
/* Leaves the kernel if its launch has failed or has been abandoned. Called by
 * runtime functions that take long. */
void cpu_fibers_leave_abandoned(struct cpu_worker *worker);
/* Calls function(argument) on a stack that is larger than that of a fiber. The
 * function may fail like a kernel, but must not switch fibers. */
void cpu_fibers_call_large_stack(struct cpu_worker *worker,
                                 void (*function)(void *), void *argument);
/* Makes the waiting fibers ready if all live threads have arrived at the
 * block's barrier. */
void cpu_fibers_barrier_check(struct cpu_worker *worker);

/* Marks the fiber of the thread with this linear index in its block as ready
 * to run. */
static inline void
cpu_fiber_ready(struct cpu_worker *worker, unsigned linear)
{
    worker->ready[linear / 64] |= 1ull << (linear % 64);
}

#endif
