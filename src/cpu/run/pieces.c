/* pieces.c - assigns the blocks of a launch to threads, in chunks.
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
#include <sched.h>

#include "cpu/cpu.h"

#define PIECES_A_WORKER 8     /* chunks per worker at the start of a launch */
#define SMALL_PIECES    64    /* at its end: workers finish together */
#define PIECE_NS        1000u /* minimum expected time of a chunk */
/* Limit on the workers of a launch whose stacks have guards, because each
 * guard takes a mapping. */
#define RECURSIVE_PIECES 8

static pthread_once_t places_once = PTHREAD_ONCE_INIT;
static unsigned short places[CPU_SETSIZE];

/* Number of blocks that are expected to take PIECE_NS; 0: unknown. */
static uint64_t
blocks_worth_taking(const struct cpu_launch *launch)
{
    struct cpu_function *function = launch->function;
    uint64_t ns =
        atomic_load_explicit(&function->ns_a_launch, memory_order_relaxed);
    uint64_t known = atomic_load_explicit(&function->threads_a_launch,
                                          memory_order_relaxed);

    return known ? known * PIECE_NS / (ns + 1) / launch->threads : 0;
}

/* Sets the number of blocks per chunk at the start and at the end. */
static void
sizes_plan(struct cpu_launch *launch)
{
    uint64_t workers = (uint64_t)cpu_state.threads;
    uint64_t most = workers * PIECES_A_WORKER;
    uint64_t small = workers * SMALL_PIECES;
    uint64_t worth = blocks_worth_taking(launch);

    if (launch->function->kernel->flags & IMAGE_KERNEL_RECURSIVE) {
        most = small = RECURSIVE_PIECES;
    }
    if (launch->function->kernel->flags & IMAGE_KERNEL_ROUNDS) {
        /* Blocks take equal time, and long chunks read long rows. */
        small = most;
        worth *= 2; /* longer chunks also make these rows longer */
    }
    if (workers == 1) {
        most = small = 1;
    }
    launch->most = (launch->total + most - 1) / most;
    launch->least = (launch->total + small - 1) / small;
    if (launch->cooperative) {
        launch->most = launch->least = (launch->total + workers - 1) / workers;
    } else if (launch->least < worth) {
        /* Every worker still gets at least one chunk. */
        uint64_t part = (launch->total + workers - 1) / workers;
        launch->least = worth < part ? worth : part;
        launch->most =
            launch->most > launch->least ? launch->most : launch->least;
    }
}

/* Returns one share per thread if each share is worth a chunk, else 1. */
static unsigned
shares_wanted(const struct cpu_launch *launch)
{
    uint64_t pieces = launch->total / launch->least;
    uint64_t most = (uint64_t)cpu_state.threads;

    if (!(launch->function->kernel->flags & IMAGE_KERNEL_APART) ||
        launch->cooperative || cpu_check_flags || pieces < 2) {
        return 1;
    }
    most = most < CPU_SHARES ? most : CPU_SHARES;
    return (unsigned)(most < pieces ? most : pieces);
}

void
cpu_pieces_plan(struct cpu_op *op)
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

/* Numbers the processors that the process may use, from 0. */
static void
places_note(void)
{
    unsigned short next = 0;
    cpu_set_t set;

    if (!sched_getaffinity(0, sizeof set, &set)) {
        for (int i = 0; i < CPU_SETSIZE; i++) {
            places[i] = CPU_ISSET(i, &set) ? next++ : 0;
        }
    }
}

unsigned
cpu_share_near(const struct cpu_launch *launch)
{
    if (launch->share_count == 1) {
        return 0;
    }
    int processor = sched_getcpu();

    pthread_once(&places_once, places_note);
    return processor >= 0 && processor < CPU_SETSIZE
               ? places[processor] % launch->share_count
               : 0;
}

/* Takes a fraction of the remaining blocks per thread, so that all threads
 * finish at about the same time. */
static uint64_t
share_take(const struct cpu_launch *launch, struct cpu_share *share,
           uint64_t *first)
{
    /* Threads that steal work may join a share. */
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
cpu_piece_take(struct cpu_launch *launch, unsigned near, uint64_t *first)
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
cpu_pieces_left(const struct cpu_launch *launch)
{
    for (unsigned i = 0; i < launch->share_count; i++) {
        const struct cpu_share *share = &launch->shares[i];

        if (atomic_load(&share->next) < share->end) {
            return true;
        }
    }
    return false;
}
