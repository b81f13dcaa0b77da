/* warp.c - warp operations: lanes that name each other meet.
 *
 * Called by kernels on fibers.  A lane leaves its request in its warp's table
 * and stops; the last lane of those that the mask names computes the results
 * of all.  Lanes that have exited are not waited for.  All state is the
 * worker's, which one thread runs.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

enum warp_kind {
    WARP_BARRIER,
    WARP_BALLOT,
    WARP_MATCH,
    WARP_REDUCE,
    WARP_SHUFFLE, /* + enum image_shuffle */
};

/* The lanes of `set`, lowest first. */
#define EACH_LANE(lane, set)                                                  \
    for (uint32_t rest_ = (set), lane = 0;                                    \
         rest_ && ((lane = (uint32_t)__builtin_ctz(rest_)), 1);               \
         rest_ &= rest_ - 1)

static int
shuffle_source(const struct cpu_warp *warp, int lane, int kind)
{
    int width = warp->width[lane], argument = warp->lane[lane];

    if (width < 1 || width > CPU_WARP) {
        width = CPU_WARP;
    }
    int first = lane & ~(width - 1), source = lane;
    switch (kind) {
    case IMAGE_SHUFFLE_IDX:
        return first + (argument & (width - 1));
    case IMAGE_SHUFFLE_UP:
        source = lane - argument;
        return argument >= 0 && source >= first ? source : lane;
    case IMAGE_SHUFFLE_DOWN:
        source = lane + argument;
        return argument >= 0 && argument < width && source < first + width
                   ? source
                   : lane;
    default: /* of a later segment: its own; of an earlier one: allowed */
        source = lane ^ argument;
        return source >= 0 && source < first + width ? source : lane;
    }
}

static void
shuffle(struct cpu_warp *warp, struct cpu_fiber *fibers, uint32_t set,
        int kind)
{
    EACH_LANE(lane, set)
    {
        int source = shuffle_source(warp, (int)lane, kind);
        bool there = set >> source & 1;

        fibers[lane].result = warp->value[there ? source : (int)lane];
    }
}

static void
ballot(struct cpu_warp *warp, struct cpu_fiber *fibers, uint32_t set)
{
    uint32_t result = 0;

    EACH_LANE(lane, set)
    {
        result |= (uint32_t)(warp->value[lane] != 0) << lane;
    }
    EACH_LANE(lane, set)
    {
        fibers[lane].result = result;
    }
}

static void
match(struct cpu_warp *warp, struct cpu_fiber *fibers, uint32_t set)
{
    EACH_LANE(lane, set)
    {
        uint32_t result = 0;

        EACH_LANE(other, set)
        {
            result |= (uint32_t)(warp->value[other] == warp->value[lane])
                      << other;
        }
        fibers[lane].result = result;
    }
}

static uint32_t
reduce_two(int operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case IMAGE_REDUCE_ADD:
        return a + b;
    case IMAGE_REDUCE_MIN_S32:
        return (int32_t)a < (int32_t)b ? a : b;
    case IMAGE_REDUCE_MAX_S32:
        return (int32_t)a > (int32_t)b ? a : b;
    case IMAGE_REDUCE_MIN_U32:
        return a < b ? a : b;
    case IMAGE_REDUCE_MAX_U32:
        return a > b ? a : b;
    case IMAGE_REDUCE_AND:
        return a & b;
    case IMAGE_REDUCE_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void
reduce(struct cpu_warp *warp, struct cpu_fiber *fibers, uint32_t set)
{
    int first = __builtin_ctz(set);
    uint32_t result = (uint32_t)warp->value[first];

    EACH_LANE(lane, set & (set - 1))
    {
        result =
            reduce_two(warp->lane[first], result, (uint32_t)warp->value[lane]);
    }
    EACH_LANE(lane, set)
    {
        fibers[lane].result = result;
    }
}

/* True if all lanes that this one's mask names have come, for the same
 * operation with the same mask. */
static bool
lanes_together(const struct cpu_warp *warp, unsigned lane)
{
    uint32_t set = warp->mask[lane] & warp->live;

    if (set & ~warp->waiting) {
        return false;
    }
    EACH_LANE(other, set)
    {
        if (warp->mask[other] != warp->mask[lane] ||
            warp->kind[other] != warp->kind[lane]) {
            return false;
        }
    }
    return true;
}

/* Computes the results and lets the lanes go on. */
static void
lanes_finish(struct cpu_worker *worker, unsigned index, unsigned lane)
{
    struct cpu_warp *warp = &worker->warps[index];
    struct cpu_fiber *fibers = &worker->fibers[index * CPU_WARP];
    uint32_t set = warp->mask[lane] & warp->live;

    switch (warp->kind[lane]) {
    case WARP_BARRIER:
        break;
    case WARP_BALLOT:
        ballot(warp, fibers, set);
        break;
    case WARP_MATCH:
        match(warp, fibers, set);
        break;
    case WARP_REDUCE:
        reduce(warp, fibers, set);
        break;
    default:
        shuffle(warp, fibers, set, warp->kind[lane] - WARP_SHUFFLE);
    }
    if (cpu_check_flags) {
        cpu_check_lanes(worker, index, set);
    }
    warp->waiting &= ~set;
    worker->ready[index / 2] |= (uint64_t)set << (index % 2 * 32);
}

/* Answers the lanes that ask who is active: those at the same call. */
static void
asking_answer(struct cpu_worker *worker, unsigned index)
{
    struct cpu_warp *warp = &worker->warps[index];
    struct cpu_fiber *fibers = &worker->fibers[index * CPU_WARP];

    EACH_LANE(lane, warp->asking)
    {
        uint32_t result = 0;

        EACH_LANE(other, warp->asking)
        {
            result |= (uint32_t)(warp->place[other] == warp->place[lane])
                      << other;
        }
        fibers[lane].result = result;
    }
    worker->ready[index / 2] |= (uint64_t)warp->asking << (index % 2 * 32);
    warp->asking = 0;
}

/* A lane of this warp has stopped: are all that others ask for? */
void
cpu_warp_stop(struct cpu_worker *worker, unsigned index)
{
    struct cpu_warp *warp = &worker->warps[index];
    uint32_t still = warp->waiting | warp->asking | warp->stopped;

    if (warp->asking && (still & warp->live) == warp->live) {
        asking_answer(worker, index);
    }
}

/* A lane of this warp spins: nobody shall wait for it to stop. */
void
cpu_warp_give_way(struct cpu_worker *worker, unsigned index)
{
    if (worker->warps[index].asking) {
        asking_answer(worker, index);
    }
}

/* A lane of this warp has exited: who waited for it only goes on. */
void
cpu_warp_resolve(struct cpu_worker *worker, unsigned index)
{
    struct cpu_warp *warp = &worker->warps[index];

    EACH_LANE(lane, warp->waiting)
    {
        if (warp->waiting >> lane & 1 && lanes_together(warp, lane)) {
            lanes_finish(worker, index, lane);
        }
    }
    cpu_warp_stop(worker, index);
}

CPU_ON_FIBER static uint64_t
operation(uint32_t mask, int kind, uint64_t value, int32_t argument,
          int32_t width)
{
    struct cpu_worker *worker = cpu_worker_tls;
    unsigned linear = worker->current;
    unsigned index = linear / CPU_WARP, lane = linear % CPU_WARP;
    struct cpu_warp *warp = &worker->warps[index];

    if (cpu_check_flags) {
        cpu_check_mask(worker, mask);
    }
    warp->mask[lane] = mask | 1u << lane;
    warp->kind[lane] = kind;
    warp->value[lane] = value;
    warp->lane[lane] = argument;
    warp->width[lane] = width;
    warp->waiting |= 1u << lane;
    if (lanes_together(warp, lane)) {
        lanes_finish(worker, index, lane);
    } else {
        worker->ready[linear / 64] &= ~(1ull << (linear % 64));
        cpu_warp_stop(worker, index);
        cpu_fibers_next(worker);
    }
    return worker->fibers[linear].result;
}

void
__pycuda_warp_barrier(uint32_t mask)
{
    operation(mask, WARP_BARRIER, 0, 0, 0);
}

uint64_t
__pycuda_shuffle(uint32_t mask, uint64_t value, int32_t kind, int32_t lane,
                 int32_t width)
{
    return operation(mask, WARP_SHUFFLE + kind, value, lane, width);
}

uint32_t
__pycuda_ballot(uint32_t mask, int32_t predicate)
{
    return (uint32_t)operation(mask, WARP_BALLOT, predicate != 0, 0, 0);
}

uint32_t
__pycuda_match_any(uint32_t mask, uint64_t value)
{
    return (uint32_t)operation(mask, WARP_MATCH, value, 0, 0);
}

uint32_t
__pycuda_reduce(uint32_t mask, uint32_t value, int32_t kind)
{
    return (uint32_t)operation(mask, WARP_REDUCE, value, kind, 0);
}

CPU_ON_FIBER uint32_t
__pycuda_activemask(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    unsigned linear = worker->current;
    unsigned index = linear / CPU_WARP, lane = linear % CPU_WARP;
    struct cpu_warp *warp = &worker->warps[index];

    warp->place[lane] = __builtin_return_address(0);
    warp->asking |= 1u << lane;
    worker->ready[linear / 64] &= ~(1ull << (linear % 64));
    cpu_warp_stop(worker, index);
    if (warp->asking >> lane & 1) {
        cpu_fibers_next(worker);
    }
    return (uint32_t)worker->fibers[linear].result;
}
