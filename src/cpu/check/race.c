/* race.c - detects data races between two accesses of a word.
 *
 * Called by single_access.c at each access. Two accesses, at least one of them
 * a write, race unless they are ordered. They are ordered if one of the
 * following comes between them: a barrier of the thread block, a __syncwarp or
 * other warp operation of both lanes, the grid barrier, or a fence and an
 * atomic operation of the first thread, followed by an atomic operation of the
 * second thread. To avoid false reports, the two atomic operations may have
 * different addresses, and between thread blocks the last rule is applied to
 * whole blocks instead of threads. Atomic and volatile accesses do not race
 * with each other; two writes of the same value do not race either.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpu/check/access_range.h"
#include "cpu/check/hooks.h"
#include "cpu/check/race.h"
#include "cpu/device/limits.h"
#include "cpu/run/runtime.h"
#include "cpu/run/warp.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* RELEASES: number of elements of `releases`, which has the times of the last
 * release operations of thread blocks. The index of an element is the thread
 * block's linear index modulo RELEASES. SITES: maximum number of source
 * locations that have a number. */
#define RELEASES 4096
#define SITES    65536

static atomic_uint releases[RELEASES];
/* source locations of accesses; the index is the number that access records
 * contain */
static struct image_site *_Atomic sites[SITES];
static atomic_uint last_site;

/* An access that the race check compares with earlier accesses, and the result
 * of the comparison. */
struct access {
    struct cpu_check *check;
    const struct cpu_check_access *what;
    /* the value that a write will store, as the kernel passes it to
     * __pycuda_check */
    uint64_t value;
    uint64_t slot;
    unsigned thread;
    bool shared;
    bool found;
    /* record (slot) of the earlier access that conflicts with this one; the
     * first such access that was found */
    uint64_t other;
};

uint64_t
cpu_race_site(struct image_site *site)
{
    uint32_t number = __atomic_load_n(&site->number, __ATOMIC_RELAXED);

    if (atomic_load_explicit(&sites[number], memory_order_relaxed) != site) {
        number = (atomic_fetch_add(&last_site, 1) + 1) % SITES;
        atomic_store(&sites[number], site);
        __atomic_store_n(&site->number, number, __ATOMIC_RELAXED);
    }
    return (uint64_t)number << CPU_RACE_SITE_AT;
}

/* ---- happens-before ---- */

static bool
ordered_in_block(const struct cpu_check *check,
                 const struct cpu_check_interval *then, uint64_t slot,
                 unsigned thread)
{
    unsigned first = cpu_race_thread(slot), warp = thread / CPU_WARP;
    uint32_t number = (uint32_t)(slot >> CPU_RACE_INTERVAL_AT);
    const struct cpu_check_thread_clock *one = &check->clocks[first];
    const struct cpu_check_thread_clock *two = &check->clocks[thread];

    if (first == thread || then->epoch != check->epoch) {
        return true;
    }
    if (first / CPU_WARP == warp &&
        (int32_t)(check->warps[warp]
                      .seen[thread % CPU_WARP][first % CPU_WARP] -
                  number) > 0) {
        return true;
    }
    return one->released > then->time && two->acquired > then->time;
}

/* `then` describes time interval `number`, in which another thread block or
 * another launch made accesses. Returns whether these accesses happen before
 * the current access. Caches the result. */
static bool
ordered_between_blocks(struct cpu_check *check, uint32_t number,
                       const struct cpu_check_interval *then)
{
    bool ordered =
        then->serial != (uint32_t)check->serial ||
        (atomic_load(&releases[then->block % RELEASES]) > then->time &&
         check->acquired > then->time);

    check->cached_interval = number;
    check->cached_ordered = ordered;
    return ordered;
}

bool
cpu_race_ordered(struct cpu_check *check, uint64_t slot, unsigned thread,
                 bool shared)
{
    uint32_t number = (uint32_t)(slot >> CPU_RACE_INTERVAL_AT);

    if (!slot || cpu_race_is_past(slot, cpu_race_past(check, shared))) {
        return true;
    }
    if (number == check->interval) {
        return cpu_race_thread(slot) == thread && !(slot & CPU_RACE_SEVERAL);
    }
    if (number == check->cached_interval && !shared) {
        return check->cached_ordered;
    }
    const struct cpu_check_interval *then = cpu_check_interval_find(number);
    if (!then) {
        return true;
    }
    if (then->serial == (uint32_t)check->serial &&
        then->block == (uint32_t)check->block) {
        return ordered_in_block(check, then, slot, thread);
    }
    return shared || ordered_between_blocks(check, number, then);
}

/* ---- one word ---- */

static bool
overlaps(const struct access *access, uint64_t slot)
{
    return cpu_race_bytes(slot) & cpu_race_bytes(access->slot) &&
           !(slot & access->slot & CPU_RACE_ATOMIC) && !access->found;
}

/* Returns whether the record of an earlier access may describe an access by
 * the current thread itself to the bytes of the new access. If so, no conflict
 * is reported. The record leaves this open if it merges accesses of several
 * threads to more bytes than those of the new access, since it does not say
 * which thread accessed which byte. */
static bool
may_be_same_thread(const struct access *access, uint64_t slot)
{
    const struct cpu_check_interval *then =
        cpu_check_interval_find((uint32_t)(slot >> CPU_RACE_INTERVAL_AT));

    return slot & CPU_RACE_SEVERAL &&
           cpu_race_bytes(slot) & ~cpu_race_bytes(access->slot) && then &&
           then->block == (uint32_t)access->check->block;
}

static void
slot_compare(struct access *access, uint64_t slot)
{
    if (overlaps(access, slot) &&
        !cpu_race_ordered(access->check, slot, access->thread,
                          access->shared) &&
        !may_be_same_thread(access, slot)) {
        access->found = true;
        access->other = slot;
    }
}

/* Checks for a conflict with the last write of a word. The new access covers
 * the `bytes` bytes of this word at `address`. */
static void
write_compare(struct access *access, uint64_t slot, uintptr_t address,
              uint64_t bytes)
{
    const struct cpu_check_write write = {access->what, access->value, address,
                                          bytes};

    if (overlaps(access, slot) &&
        !cpu_race_is_past(slot,
                          cpu_race_past(access->check, access->shared)) &&
        !cpu_race_write_is_equal(&write)) {
        slot_compare(access, slot);
        access->found = access->found && !cpu_race_write_becomes_equal(
                                             access->check, &write, slot);
    }
}

static void
word_visit(struct access *access, struct cpu_shadow_granule *granule,
           uintptr_t address, uint64_t bytes)
{
    bool writes = access->what->site->flags & IMAGE_SITE_WRITE;
    uintptr_t at = address % CPU_SHADOW_GRANULE / 4;
    uint64_t known = cpu_race_load(&granule->writes[at]);

    write_compare(access, known, address, bytes);
    if (!writes) {
        cpu_race_stamp(access->check, &granule->read);
        cpu_race_record_read(access->check, granule, at, access->slot,
                             access->shared);
        return;
    }
    if (!cpu_race_stamp_is_past(
            &granule->read, cpu_race_past(access->check, access->shared))) {
        for (int i = 0; i < 2; i++) {
            slot_compare(access, cpu_race_load(&granule->reads[i][at]));
            slot_compare(access, cpu_race_span_slot(granule, i, at));
        }
        cpu_race_clear_reads(granule, at, access->slot);
    }
    cpu_race_stamp(access->check, &granule->written);
    cpu_race_store(&granule->writes[at], cpu_race_merge(access->slot, known));
}

static inline struct cpu_shadow_granule *
granule_get(uintptr_t address)
{
    struct cpu_shadow_granule *granule =
        cpu_shadow_find(CPU_SHADOW_ACCESSES, address);

    return granule ? granule : cpu_shadow_granule_get(address);
}

static void
access_visit(struct access *access)
{
    uintptr_t address = access->what->address;
    uint64_t left = access->what->bytes, accessor = access->slot;
    struct cpu_shadow_granule *granule = granule_get(address);

    /* fast path: the access is exactly one aligned 4-byte word */
    if (granule && left == 4 && address % 4 == 0) {
        access->slot = accessor | (uint64_t)15 << CPU_RACE_BYTES_AT;
        word_visit(access, granule, address, 4);
        return;
    }
    while (left) {
        uintptr_t first = address % 4;
        uint64_t n = 4 - first < left ? 4 - first : left;

        if (address % CPU_SHADOW_GRANULE == 0) {
            granule = granule_get(address);
        }
        if (!granule) {
            return;
        }
        access->slot = accessor | (uint64_t)(((1u << n) - 1) << first)
                                      << CPU_RACE_BYTES_AT;
        word_visit(access, granule, address, n);
        address += n;
        left -= n;
    }
}

/* ---- one access ---- */

static void
report(const struct access *access)
{
    char detail[200];
    const struct cpu_check *check = access->check;
    const struct cpu_check_interval *then = cpu_check_interval_find(
        (uint32_t)(access->other >> CPU_RACE_INTERVAL_AT));
    uint64_t block = then ? then->block : check->block;
    bool same = block == (uint32_t)check->block;
    struct image_site *site = access->what->site;
    struct cpu_check_finding finding = {
        .check = "race",
        .kind = access->shared ? "shared-race"
                : same         ? "global-race"
                               : "block-race",
        .site = site,
        .code = CUDA_ERROR_LAUNCH_FAILED,
        .has_address = true,
        .address = access->what->address,
        .bytes = access->what->bytes,
        .detail = detail,
        .second = atomic_load(
            &sites[access->other >> CPU_RACE_SITE_AT & (SITES - 1)]),
        .second_thread = cpu_race_thread(access->other),
        .second_block = block};

    snprintf(detail, sizeof detail, "data race in %s memory%s%s%s, %s",
             access->shared ? "shared" : "global", *site->object ? " ('" : "",
             site->object, *site->object ? "')" : "",
             same ? "no barrier between them"
                  : "the blocks of a launch are not ordered");
    cpu_check_report(&finding);
}

/* Updates the thread's clock: an atomic or volatile access may release and
 * acquire, and an ordinary write ends the effect of an earlier fence. */
static void
clock_update(struct cpu_check *check, unsigned thread,
             const struct image_site *site)
{
    struct cpu_check_thread_clock *clock = &check->clocks[thread];
    bool special = site->flags & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE);

    if (!special) {
        if (check->fenced) {
            clock->fenced &= !(site->flags & IMAGE_SITE_WRITE);
        }
        return;
    }
    check->clocks_used = check->launch->threads;
    if (site->flags & IMAGE_SITE_RELEASE) {
        clock->fenced = check->fenced = true;
    }
    if (clock->fenced && site->flags & IMAGE_SITE_WRITE) {
        unsigned now = atomic_fetch_add(&cpu_check_clock, 1) + 1;

        clock->released = now;
        atomic_store(&releases[check->block % RELEASES], now);
        cpu_check_trace_stop(check);
        cpu_check_pending_flush(check);
        cpu_check_interval_begin(check);
    }
    if (site->flags & IMAGE_SITE_READ) {
        check->acquiring = clock;
    }
}

void
cpu_check_acquire(struct cpu_check *check)
{
    check->acquired = atomic_load(&cpu_check_clock);
    check->acquiring->acquired = check->acquired;
    check->acquiring = NULL;
    check->cached_interval = 0;
}

void
cpu_check_race(struct cpu_check *check, const struct cpu_check_access *what,
               uint64_t value)
{
    unsigned flags = what->site->flags;
    bool shared = cpu_check_is_shared(check, what->address);

    if (!shared && cpu_check_is_stack(cpu_worker_tls, what->address)) {
        return;
    }
    cpu_check_interval_ensure(check);
    cpu_check_acquire_ensure(check);
    struct access access = {
        .check = check,
        .what = what,
        .slot = cpu_race_accessor(check, check->thread) |
                cpu_race_site(what->site) |
                (flags & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE) ? 1 : 0),
        .value = value,
        .thread = check->thread,
        .shared = shared};

    if (access.shared && !cpu_check_pending_is_flushed(check)) {
        cpu_check_pending_flush(check);
    }
    access_visit(&access);
    clock_update(check, check->thread, what->site);
    if (access.found) {
        report(&access);
    }
}

/* Clears the access records of memory that a kernel has just allocated from
 * its heap. Otherwise accesses to the heap block that had the same addresses
 * before could be reported as races. */
void
cpu_check_heap_allocated(const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory & ~(uintptr_t)3;

    for (; cpu_check_flags & CPU_CHECK_RACE && at < (uintptr_t)memory + bytes;
         at += 4) {
        struct cpu_shadow_granule *granule =
            cpu_shadow_find(CPU_SHADOW_ACCESSES, at);
        uintptr_t i = at % CPU_SHADOW_GRANULE / 4;

        if (granule) {
            /* Clear the records of the whole span (16 words), since one span
             * record describes all its words. */
            uintptr_t span = i / CPU_SHADOW_SPAN;

            granule->writes[i] = granule->reads[0][i] = granule->reads[1][i] =
                0;
            granule->spans[0][span] = granule->spans[1][span] = 0;
        }
    }
}

void
__pycuda_check_fence(uint32_t linear)
{
    struct cpu_check *check = cpu_check_self();

    check->clocks_used = check->launch->threads;
    check->clocks[linear].fenced = check->fenced = true;
}

/* Called when the thread block arrives at the grid barrier: everything that it
 * has done is ordered before later acquires of other thread blocks. Does not
 * call cpu_check_interval_begin, because the block barrier that follows does
 * so. */
void
cpu_check_grid_arrive(struct cpu_worker *worker)
{
    unsigned now = atomic_fetch_add(&cpu_check_clock, 1) + 1;

    atomic_store(&releases[worker->check->block % RELEASES], now);
}

void
cpu_check_grid_pass(struct cpu_worker *worker)
{
    worker->check->acquired = atomic_load(&cpu_check_clock);
    worker->check->cached_interval = 0;
}

/* Merges the clocks of the warp's lanes in the bit set `set`: each of these
 * lanes is then ordered after everything that the other lanes of the set have
 * done. */
void
cpu_check_lanes(struct cpu_worker *worker, unsigned index, uint32_t set)
{
    uint32_t joined[CPU_WARP] = {0};
    struct cpu_check *check = worker->check;
    struct cpu_check_warp *warp = &check->warps[index];

    if (!(cpu_check_flags & CPU_CHECK_RACE)) {
        return;
    }
    cpu_check_trace_stop(check);
    cpu_check_interval_ensure(check);
    cpu_check_pending_flush(check);
    cpu_check_interval_begin(check);
    for (unsigned i = 0; i < CPU_WARP; i++) {
        for (unsigned k = 0; set >> i & 1 && k < CPU_WARP; k++) {
            bool later = (int32_t)(warp->seen[i][k] - joined[k]) > 0;
            joined[k] = later ? warp->seen[i][k] : joined[k];
        }
    }
    for (unsigned i = 0; i < CPU_WARP; i++) {
        joined[i] = set >> i & 1 ? check->interval : joined[i];
    }
    for (unsigned i = 0; i < CPU_WARP; i++) {
        if (set >> i & 1) {
            memcpy(warp->seen[i], joined, sizeof joined);
        }
    }
}
