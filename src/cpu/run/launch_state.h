/* launch_state.h - the state of a launch, as a part of its operation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_LAUNCH_STATE_H
#define PYCUDA_CPU_RUN_LAUNCH_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cpu_function;

/* A share: consecutive blocks that one processor runs first (run/chunks.c). */
struct cpu_share {
    /* Index of the first block that no thread has taken. */
    _Alignas(64) _Atomic uint64_t next;
    uint64_t end;
};

#define CPU_SHARES 16

struct cpu_launch {
    struct cpu_function *function;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t dynamic_shared;
    uint32_t threads; /* number of threads per block */
    void *params;
    uint64_t total; /* number of blocks in the grid */
    /* numbers of blocks per chunk at the start and at the end of the launch */
    uint64_t most, least;
    /* The shares into which the blocks are divided, an array in the
     * operation. */
    struct cpu_share *shares;
    unsigned share_count;
    _Atomic uint64_t left; /* number of blocks that are not finished */
    /* total time in ns for which all threads together have run blocks */
    _Atomic uint64_t ns;
    atomic_int error;
    atomic_uint running; /* number of threads that are running a block */
    /* number of threads that have joined the launch; guarded by the scheduler
     * lock */
    unsigned joined;
    uint64_t started_ns;
    /* For a launch by a kernel: start time in ns of the program's launch from
     * which this launch descends; used for the time limit. 0 for a launch by
     * the program. */
    uint64_t root_started_ns;
    uint64_t serial; /* number of the launch, unique in the process */
    /* For the kernel checks: number of the last time interval that began
     * before the launch. A time interval is the time between two
     * synchronization events of a thread block (check/epoch_interval.c). */
    uint32_t before;
    /* the kernel checks count this launch among the running launches */
    atomic_bool checked;
    bool cooperative;
    /* state of the grid barrier: number of blocks that have arrived at it, and
     * number of times that all blocks have passed it */
    atomic_uint grid_arrived, grid_phase;
    atomic_uint grid_ended; /* number of blocks that have ended */
};

#endif
