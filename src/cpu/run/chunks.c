/* chunks.c - assigns the blocks of a launch to threads, in chunks.
 *
 * The launching thread plans the chunks; workers and waiting threads take
 * them. Blocks that may wait for earlier blocks are taken in index order.
 * Independent blocks are divided into as many shares as there are threads.
 * Each processor begins with the same share at every launch, so that arrays
 * stay in its cache, and then steals work from other shares.
 *
 * Thread-safe without locks: chunks are taken by atomic operations.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpu/check/hooks.h"
#include "cpu/device/state.h"
#include "cpu/module/module_state.h"
#include "cpu/run/chunks.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/operation.h"
#include "image/image.h"

/* Each of the first chunks of a launch has 1/8 of the blocks per worker (total
 * number of blocks / number of workers). Later chunks are smaller. */
#define CHUNKS_PER_WORKER 8
/* Each of the last and smallest chunks of a launch has 1/64 of the blocks per
 * worker. */
#define SMALL_CHUNKS 64
#define CHUNK_NS     1000u /* minimum expected run time of a chunk in ns */
/* Number of chunks of a launch of a recursive kernel. The number of chunks
 * limits the number of workers that run the launch, and so the number of
 * stacks. Each stack has a guard, which is a memory mapping, and the system
 * limits the number of mappings of a process. */
#define RECURSIVE_CHUNKS 8

static pthread_once_t processors_once = PTHREAD_ONCE_INIT;
static unsigned short processor_numbers[CPU_SETSIZE];

/* Returns how many blocks are expected to run for CHUNK_NS in total, the
 * minimum run time of a chunk. Returns 0 if the duration of a block is
 * unknown. */
static uint64_t
blocks_per_chunk_minimum(const struct cpu_launch *launch)
{
    struct cpu_function *function = launch->function;
    uint64_t ns =
        atomic_load_explicit(&function->ns_per_launch, memory_order_relaxed);
    uint64_t known = atomic_load_explicit(&function->threads_per_launch,
                                          memory_order_relaxed);

    return known ? known * CHUNK_NS / (ns + 1) / launch->threads : 0;
}

/* Computes the largest and the smallest number of blocks per chunk, for the
 * start and the end of the launch. */
static void
sizes_plan(struct cpu_launch *launch)
{
    uint64_t workers = (uint64_t)cpu_state.threads;
    uint64_t most = workers * CHUNKS_PER_WORKER;
    uint64_t small = workers * SMALL_CHUNKS;
    uint64_t worth = blocks_per_chunk_minimum(launch);

    if (launch->function->kernel->flags & IMAGE_KERNEL_RECURSIVE) {
        most = small = RECURSIVE_CHUNKS;
    }
    if (launch->function->kernel->flags & IMAGE_KERNEL_GRID_STRIDE) {
        /* Each block runs a grid-stride loop, so all blocks take equal time.
         * Chunks therefore need not become smaller toward the end of the
         * launch. */
        small = most;
        /* Larger chunks are better for a kernel with grid-stride loops, since
         * each chunk then accesses longer contiguous ranges of memory. */
        worth *= 2;
    }
    if (workers == 1) {
        most = small = 1;
    }
    launch->most = (launch->total + most - 1) / most;
    launch->least = (launch->total + small - 1) / small;
    if (launch->cooperative) {
        launch->most = launch->least = (launch->total + workers - 1) / workers;
    } else if (launch->least < worth) {
        /* A chunk has at most `part` blocks, so that every worker gets one. */
        uint64_t part = (launch->total + workers - 1) / workers;
        launch->least = worth < part ? worth : part;
        launch->most =
            launch->most > launch->least ? launch->most : launch->least;
    }
}

/* Returns the number of shares of the launch: one per thread if each share
 * then has at least one chunk, otherwise 1. A share is a range of blocks that
 * one processor runs first. */
static unsigned
shares_wanted(const struct cpu_launch *launch)
{
    uint64_t chunks = launch->total / launch->least;
    uint64_t most = (uint64_t)cpu_state.threads;

    if (!(launch->function->kernel->flags & IMAGE_KERNEL_INDEPENDENT_BLOCKS) ||
        launch->cooperative || cpu_check_flags || chunks < 2) {
        return 1;
    }
    most = most < CPU_SHARES ? most : CPU_SHARES;
    return (unsigned)(most < chunks ? most : chunks);
}

void
cpu_chunks_plan(struct cpu_op *op)
{
    struct cpu_launch *launch = &op->launch;

    sizes_plan(launch);
    launch->shares = op->shares;
    launch->share_count = shares_wanted(launch);
    uint64_t count = launch->share_count, first = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t end = launch->total * (i + 1) / count;

        atomic_store(&op->shares[i].next, first);
        op->shares[i].end = end;
        first = end;
    }
}

/* Numbers the processors that the process may use: 0, 1, ... */
static void
processors_enumerate(void)
{
    unsigned short next = 0;
    cpu_set_t set;

    if (!sched_getaffinity(0, sizeof set, &set)) {
        for (int i = 0; i < CPU_SETSIZE; i++) {
            processor_numbers[i] = CPU_ISSET(i, &set) ? next++ : 0;
        }
    }
}

unsigned
cpu_share_preferred(const struct cpu_launch *launch)
{
    if (launch->share_count == 1) {
        return 0;
    }
    int processor = sched_getcpu();

    pthread_once(&processors_once, processors_enumerate);
    return processor >= 0 && processor < CPU_SETSIZE
               ? processor_numbers[processor] % launch->share_count
               : 0;
}

/* Takes a chunk from the share (a range of blocks that one processor runs
 * first). The chunk is a fraction of the blocks left in the share, so that the
 * threads that work on the share finish at about the same time. */
static uint64_t
share_take(const struct cpu_launch *launch, struct cpu_share *share,
           uint64_t *first)
{
    /* Number of threads that take chunks of this share, including one that
     * steals from it. */
    uint64_t sharing = (uint64_t)cpu_state.threads / launch->share_count +
                       (launch->share_count > 1);
    uint64_t next = atomic_load(&share->next), count;

    do {
        if (next >= share->end) {
            return 0;
        }
        uint64_t left = share->end - next;

        count = left / (2 * sharing);
        count = count < launch->most ? count : launch->most;
        count = count > launch->least ? count : launch->least;
        count = count < left ? count : left;
    } while (!atomic_compare_exchange_weak(&share->next, &next, next + count));
    *first = next;
    return count;
}

uint64_t
cpu_chunk_take(struct cpu_launch *launch, unsigned near, uint64_t *first)
{
    for (unsigned i = 0; i < launch->share_count; i++) {
        unsigned at = (near + i) % launch->share_count;
        uint64_t count = share_take(launch, &launch->shares[at], first);

        if (count) {
            return count;
        }
    }
    return 0;
}

bool
cpu_chunks_left(const struct cpu_launch *launch)
{
    for (unsigned i = 0; i < launch->share_count; i++) {
        const struct cpu_share *share = &launch->shares[i];

        if (atomic_load(&share->next) < share->end) {
            return true;
        }
    }
    return false;
}
