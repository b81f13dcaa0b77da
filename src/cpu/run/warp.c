/* warp.c - warp operations: exchange of values between lanes of a warp.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/check/hooks.h"
#include "cpu/device/limits.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/run/warp.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

enum warp_kind {
    WARP_BARRIER,
    WARP_BALLOT,
    /* vote: its result is computed like that of WARP_BALLOT, but lanes in a
     * vote never synchronize with lanes in a ballot */
    WARP_VOTE,
    WARP_MATCH,
    WARP_MATCH_ALL,
    WARP_REDUCE,
    WARP_CONVERGED = IMAGE_SHUFFLE_CONVERGED,
    /* first of the shuffles: a shuffle is WARP_SHUFFLE + a value of enum
     * image_shuffle */
    WARP_SHUFFLE = 2 * WARP_CONVERGED,
};

/* Loops over the lanes in the bit set `set`, lowest first. */
#define EACH_LANE(lane, set)                                                  \
    for (uint32_t rest_ = (set), lane = 0;                                    \
         rest_ && ((lane = (uint32_t)__builtin_ctz(rest_)), 1);               \
         rest_ &= rest_ - 1)

/* Returns the lane whose value a shuffle gives to `lane`. As PTX specifies, a
 * lane whose source is outside its segment gets its own value. */
static int
shuffle_source(const struct cpu_warp *warp, int lane, int kind)
{
    int segment = IMAGE_SHUFFLE_SEGMENT(warp->width[lane]);
    int by = warp->lane[lane] & (CPU_WARP - 1);
    int first = lane & segment, last = first | (~segment & (CPU_WARP - 1));

    switch (kind) {
    case IMAGE_SHUFFLE_IDX:
        return first | (by & ~segment);
    case IMAGE_SHUFFLE_UP:
        return lane - by >= first ? lane - by : lane;
    case IMAGE_SHUFFLE_DOWN:
        return lane + by <= last ? lane + by : lane;
    /* A shuffle xor: if the source lane is in a later segment, the lane gets
     * its own value; a source in an earlier segment is allowed. */
    default:
        return (lane ^ by) <= last ? lane ^ by : lane;
    }
}

/* Replaces the mask of each lane of `set` by its group: the lanes of `set`
 * that are in the lane's mask and passed an equal mask. The lanes of a group
 * synchronize with each other. Exception for shuffles: if the group of every
 * lane contains all lanes of `set` that are in the lane's mask, all masks
 * become 0xffffffff. A shuffle may then read any lane, as on an H100. */
static void
find_groups(uint32_t *masks, uint32_t set, bool shuffle)
{
    uint32_t groups[CPU_WARP];
    bool apart = true;

    EACH_LANE(lane, set)
    {
        groups[lane] = 0;
        EACH_LANE(other, masks[lane] & set)
        {
            groups[lane] |= (uint32_t)(masks[other] == masks[lane]) << other;
        }
        apart = apart && groups[lane] == (masks[lane] & set);
    }
    EACH_LANE(lane, set)
    {
        masks[lane] = shuffle && apart ? UINT32_MAX : groups[lane];
    }
}

void
__pycuda_warp_groups(uint32_t *masks, int32_t shuffle)
{
    EACH_LANE(lane, UINT32_MAX)
    {
        if (!(masks[lane] >> lane & 1)) {
            cpu_fibers_fail(CUDA_ERROR_ILLEGAL_INSTRUCTION);
        }
    }
    find_groups(masks, UINT32_MAX, shuffle);
}

/* Exchanges the values of a shuffle between the lanes of `set`. If the source
 * lane is not in `set`, the result is 0, as on an H100. */
static inline void __attribute__((always_inline))
shuffle_kind(struct cpu_warp *warp, struct cpu_fiber *fibers, uint32_t set,
             int kind)
{
    EACH_LANE(lane, set)
    {
        int source = shuffle_source(warp, (int)lane, kind);

        fibers[lane].result = set >> source & 1 ? warp->value[source] : 0;
    }
}

static void
shuffle(struct cpu_warp *warp, struct cpu_fiber *fibers, uint32_t set,
        int kind)
{
    switch (kind) {
    case IMAGE_SHUFFLE_IDX:
        shuffle_kind(warp, fibers, set, IMAGE_SHUFFLE_IDX);
        break;
    case IMAGE_SHUFFLE_UP:
        shuffle_kind(warp, fibers, set, IMAGE_SHUFFLE_UP);
        break;
    case IMAGE_SHUFFLE_DOWN:
        shuffle_kind(warp, fibers, set, IMAGE_SHUFFLE_DOWN);
        break;
    default:
        shuffle_kind(warp, fibers, set, IMAGE_SHUFFLE_XOR);
    }
}

/* Exchanges the values of a shuffle for which all lanes have waited. The
 * lanes' masks may differ. */
static void
shuffle_converged(struct cpu_warp *warp, struct cpu_fiber *fibers,
                  uint32_t set, int kind)
{
    find_groups(warp->named, set, true);
    EACH_LANE(lane, set)
    {
        int source = shuffle_source(warp, (int)lane, kind);
        bool there = set & warp->named[lane] & 1u << source;

        fibers[lane].result = there ? warp->value[source] : 0;
    }
}

static void
shuffle_check(struct cpu_worker *worker, unsigned index, uint32_t set,
              int kind)
{
    const struct cpu_warp *warp = &worker->warps[index];

    EACH_LANE(lane, set)
    {
        int source = shuffle_source(warp, (int)lane, kind);
        int width = warp->width[lane];

        if (!(set >> source & 1) || width < 1 || width > CPU_WARP ||
            width & (width - 1)) {
            cpu_check_shuffle(worker, index * CPU_WARP + lane,
                              (unsigned)source, width);
        }
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

static void
match_all(struct cpu_warp *warp, struct cpu_fiber *fibers, uint32_t set)
{
    uint64_t first = warp->value[__builtin_ctz(set)];
    uint32_t result = set;

    EACH_LANE(lane, set)
    {
        result = warp->value[lane] == first ? result : 0;
    }
    EACH_LANE(lane, set)
    {
        fibers[lane].result = result;
    }
}

static uint32_t
reduce_two(int warp_operation, uint32_t a, uint32_t b)
{
    switch (warp_operation) {
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

/* Returns true if all lanes that this lane's mask names have arrived at the
 * same warp operation with the same mask. */
static bool
lanes_have_arrived(const struct cpu_warp *warp, unsigned lane)
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

/* Computes the results of the warp operation for all its lanes, and makes
 * their fibers ready. */
static void
lanes_finish(struct cpu_worker *worker, unsigned index, unsigned lane)
{
    struct cpu_warp *warp = &worker->warps[index];
    struct cpu_fiber *fibers = &worker->fibers[index * CPU_WARP];
    uint32_t set = warp->mask[lane] & warp->live;

    int kind = warp->kind[lane];
    /* for a shuffle: a value of enum image_shuffle */
    int how = kind & (WARP_CONVERGED - 1);

    switch (kind) {
    case WARP_BARRIER:
        break;
    case WARP_BALLOT:
    case WARP_VOTE:
        ballot(warp, fibers, set);
        break;
    case WARP_MATCH:
        match(warp, fibers, set);
        break;
    case WARP_MATCH_ALL:
        match_all(warp, fibers, set);
        break;
    case WARP_REDUCE:
        reduce(warp, fibers, set);
        break;
    default:
        if (kind & WARP_CONVERGED) {
            shuffle_converged(warp, fibers, set, how);
        } else {
            shuffle(warp, fibers, set, how);
        }
        if (cpu_check_flags) {
            shuffle_check(worker, index, set, how);
        }
    }
    if (cpu_check_flags) {
        cpu_check_lanes(worker, index, set);
    }
    warp->waiting &= ~set;
    worker->ready[index / 2] |= (uint64_t)set << (index % 2 * 32);
}

/* Lanes that wait at the same call of __pycuda_activemask get the set of these
 * lanes as their result. Gives a result only to the lanes at the call with the
 * lowest address: lanes at later calls may have to wait for these lanes. */
static void
active_mask_answer(struct cpu_worker *worker, unsigned index)
{
    struct cpu_warp *warp = &worker->warps[index];
    struct cpu_fiber *fibers = &worker->fibers[index * CPU_WARP];

    const void *call_address = NULL;
    uint32_t set = 0;

    EACH_LANE(lane, warp->asking)
    {
        if (!set || warp->call_address[lane] < call_address) {
            call_address = warp->call_address[lane];
            set = 0;
        }
        set |= (uint32_t)(warp->call_address[lane] == call_address) << lane;
    }
    EACH_LANE(lane, set)
    {
        fibers[lane].result = set;
    }
    worker->ready[index / 2] |= (uint64_t)set << (index % 2 * 32);
    warp->asking &= ~set;
}

/* Called when a lane waits at a barrier or in a warp operation. If all live
 * lanes of the warp wait now, gives the lanes that wait in __pycuda_activemask
 * their result. */
void
cpu_warp_stop(struct cpu_worker *worker, unsigned index)
{
    struct cpu_warp *warp = &worker->warps[index];
    uint32_t still = warp->waiting | warp->asking | warp->stopped;

    if (warp->asking && (still & warp->live) == warp->live) {
        active_mask_answer(worker, index);
    }
}

/* Called when a lane spins in a loop. A spinning lane will not arrive at a
 * warp operation, so lanes that wait in __pycuda_activemask get their result
 * now. */
void
cpu_warp_answer_spin(struct cpu_worker *worker, unsigned index)
{
    while (worker->warps[index].asking) {
        active_mask_answer(worker, index);
    }
}

/* Called when a lane has exited: completes the operations that waited only for
 * this lane. */
void
cpu_warp_resolve(struct cpu_worker *worker, unsigned index)
{
    struct cpu_warp *warp = &worker->warps[index];

    EACH_LANE(lane, warp->waiting)
    {
        if (warp->waiting >> lane & 1 && lanes_have_arrived(warp, lane)) {
            lanes_finish(worker, index, lane);
        }
    }
    cpu_warp_stop(worker, index);
}

CPU_ON_FIBER static uint64_t
warp_operation(uint32_t mask, int kind, uint64_t value, int32_t argument,
               int32_t width)
{
    struct cpu_worker *worker = cpu_worker_tls;
    unsigned linear = worker->current;
    unsigned index = linear / CPU_WARP, lane = linear % CPU_WARP;
    struct cpu_warp *warp = &worker->warps[index];

    if (cpu_check_flags & CPU_CHECK_SYNC) {
        cpu_check_mask(worker, mask);
    } else if (!(mask >> lane & 1)) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_INSTRUCTION);
    }
    mask |= 1u << lane;
    if (kind & WARP_CONVERGED) {
        warp->named[lane] = mask;
        mask = UINT32_MAX;
    }
    warp->mask[lane] = mask;
    warp->kind[lane] = kind;
    warp->value[lane] = value;
    warp->lane[lane] = argument;
    warp->width[lane] = width;
    warp->waiting |= 1u << lane;
    if (lanes_have_arrived(warp, lane)) {
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
    warp_operation(mask, WARP_BARRIER, 0, 0, 0);
}

uint64_t
__pycuda_shuffle(uint32_t mask, uint64_t value, int32_t kind, int32_t lane,
                 int32_t width)
{
    return warp_operation(mask, WARP_SHUFFLE + kind, value, lane, width);
}

uint32_t
__pycuda_ballot(uint32_t mask, int32_t predicate)
{
    return (uint32_t)warp_operation(mask, WARP_BALLOT, predicate != 0, 0, 0);
}

uint32_t
__pycuda_warp_vote(uint32_t mask, int32_t predicate)
{
    return (uint32_t)warp_operation(mask, WARP_VOTE, predicate != 0, 0, 0);
}

uint32_t
__pycuda_match_any(uint32_t mask, uint64_t value)
{
    return (uint32_t)warp_operation(mask, WARP_MATCH, value, 0, 0);
}

uint32_t
__pycuda_match_all(uint32_t mask, uint64_t value)
{
    return (uint32_t)warp_operation(mask, WARP_MATCH_ALL, value, 0, 0);
}

uint32_t
__pycuda_reduce(uint32_t mask, uint32_t value, int32_t kind)
{
    return (uint32_t)warp_operation(mask, WARP_REDUCE, value, kind, 0);
}

CPU_ON_FIBER uint32_t
__pycuda_activemask(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    unsigned linear = worker->current;
    unsigned index = linear / CPU_WARP, lane = linear % CPU_WARP;
    struct cpu_warp *warp = &worker->warps[index];

    warp->call_address[lane] = __builtin_return_address(0);
    warp->asking |= 1u << lane;
    worker->ready[linear / 64] &= ~(1ull << (linear % 64));
    cpu_warp_stop(worker, index);
    if (warp->asking >> lane & 1) {
        cpu_fibers_next(worker);
    }
    return (uint32_t)worker->fibers[linear].result;
}
