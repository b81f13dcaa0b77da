/* cooperative.c - runs several blocks of a cooperative grid on one thread.
 *
 * Called by block.c with a worker that belongs to the calling thread. Each
 * block has a separate worker state: the first block has the worker state of
 * the thread, the other blocks have states that are linked to the thread's
 * state. While the fibers of a block run, cpu_worker_tls points to the state
 * of the block. A block runs until it ends, or until all its ready threads
 * wait in a loop; then the next block runs.
 *
 * Blocks are divided evenly among the threads. A thread that sleeps or runs
 * another launch does not take its blocks. Another thread, whose blocks all
 * wait, then takes these blocks too, so that the grid completes with the
 * available threads.
 *
 * SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpu/arch/arch.h"
#include "cpu/run/chunks.h"
#include "cpu/run/cooperative.h"
#include "cpu/run/fiber.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/worker.h"

#define TURNS_BEFORE_SLEEP 4096
/* A thread takes more blocks after it has called sched_yield this many times
 * without progress. */
#define SLEEPS_BEFORE_MORE 16

struct cooperative_run {
    /* Worker state of this thread, which its first block uses. The worker
     * states of the other blocks are linked to this one. */
    struct cpu_worker *home;
    struct cpu_launch *launch;
    unsigned live; /* number of blocks on this thread that have not ended */
    /* number of times that blocks were resumed since the last sched_yield */
    unsigned turns;
    /* number of calls of sched_yield since this thread last took more
     * blocks */
    unsigned sleeps;
};

/* Returns a worker state that no block uses, or NULL if there is not enough
 * memory. */
static struct cpu_worker *
spare_worker_find(struct cooperative_run *together)
{
    struct cpu_worker *host_worker = together->home;

    while (host_worker->live && host_worker->next_block) {
        host_worker = host_worker->next_block;
    }
    if (!host_worker->live) {
        return host_worker;
    }
    host_worker->next_block = cpu_worker_new();
    return host_worker->next_block;
}

/* Unwinds all thread blocks that the calling worker thread runs, because the
 * launch has failed. */
static void
cooperative_fail(struct cooperative_run *together, CUresult code)
{
    cpu_fiber_unwind(together->home->guard, (int)code);
}

static void
block_start(struct cooperative_run *together, uint64_t index)
{
    struct cpu_worker *host_worker = spare_worker_find(together);
    void *unused;
    CUresult code =
        host_worker ? cpu_block_prepare(host_worker, together->launch, &unused)
                    : CUDA_ERROR_OUT_OF_MEMORY;

    if (code) {
        cooperative_fail(together, code);
    }
    host_worker->guard = together->home->guard;
    host_worker->cooperative = true;
    cpu_worker_tls = host_worker;
    cpu_fibers_begin(host_worker, index);
    cpu_worker_tls = together->home;
    together->live++;
}

/* Runs a thread block of a cooperative launch until all of its threads wait
 * for other thread blocks, or have ended. */
static void
block_resume(struct cooperative_run *together, struct cpu_worker *host_worker)
{
    cpu_worker_tls = host_worker;
    host_worker->in_kernel = 1;
    cpu_fibers_resume(host_worker);
    host_worker->in_kernel = 0;
    cpu_worker_tls = together->home;
    if (!host_worker->live) {
        together->live--;
        atomic_fetch_add(&together->launch->grid_ended, 1);
    }
}

static void
blocks_take(struct cooperative_run *together)
{
    uint64_t first, count = cpu_chunk_take(together->launch, 0, &first);

    together->sleeps = 0;
    /* `left` stays above 0, since it still includes the blocks of the chunk
     * that this thread began with. */
    atomic_fetch_sub(&together->launch->left, count);
    for (uint64_t i = 0; i < count; i++) {
        block_start(together, first + i);
    }
}

/* Called when each block of this thread has had a turn. Regularly yields the
 * processor, since the blocks may wait for blocks of another thread. Takes
 * more blocks if yielding does not help. */
static void
round_end(struct cooperative_run *together)
{
    together->turns += together->live;
    if (together->turns >= TURNS_BEFORE_SLEEP) {
        together->turns = 0;
        sched_yield();
        if (++together->sleeps == SLEEPS_BEFORE_MORE) {
            blocks_take(together);
        }
    }
}

void
cpu_cooperative_run(struct cpu_worker *worker, struct cpu_launch *launch,
                    uint64_t first, uint64_t count)
{
    struct cooperative_run together = {.home = worker, .launch = launch};

    worker->in_kernel = 0;
    for (struct cpu_worker *at = worker; at; at = at->next_block) {
        at->live = 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        block_start(&together, first + i);
    }
    while (together.live) {
        for (struct cpu_worker *at = worker; at; at = at->next_block) {
            if (at->live) {
                block_resume(&together, at);
            }
        }
        round_end(&together);
    }
}

CPU_ON_FIBER void
cpu_cooperative_next(struct cpu_worker *worker)
{
    cpu_fiber_switch(&worker->fibers[worker->current].sp, worker->main_sp);
}
