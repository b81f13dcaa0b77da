/* race.c - accesses of one word by two threads that nothing orders.
 *
 * Called by call.c at each access.  Two accesses of which one writes
 * are ordered by a barrier of the block between them, by a meeting of both
 * lanes at __syncwarp (or another warp operation), by the grid's barrier, or
 * by a fence and an atomic operation of the one, after it an atomic operation
 * of the other.  The last rule is kept loosely (for whole blocks, and by
 * time), so that nothing right is reported.  Atomic and volatile accesses do
 * not race with one another; nor do two that write the same value.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cpu/check/area.h"
#include "cpu/check/race.h"
#include "cpu/run/warp.h"

#define RELEASES 4096 /* blocks whose last release is kept, by number */
#define SITES    65536

static atomic_uint releases[RELEASES];
static struct image_site *_Atomic sites[SITES]; /* by number */
static atomic_uint last_site;

struct access {
    struct cpu_check *check;
    const struct cpu_check_access *what;
    uint64_t value; /* as __pycuda_check has it */
    uint64_t now;
    unsigned thread;
    bool shared;
    bool found;
    uint64_t other; /* the first conflict */
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

/* ---- order ---- */

static bool
ordered_in_block(const struct cpu_check *check,
                 const struct cpu_check_interval *then, uint64_t slot,
                 unsigned thread)
{
    unsigned first = cpu_race_thread(slot), warp = thread / CPU_WARP;
    uint32_t number = (uint32_t)(slot >> CPU_RACE_INTERVAL_AT);
    const struct cpu_check_order *one = &check->threads[first];
    const struct cpu_check_order *two = &check->threads[thread];

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

/* What another block did, or another launch. */
static bool
ordered_outside(struct cpu_check *check, uint32_t number,
                const struct cpu_check_interval *then)
{
    bool ordered =
        then->serial != (uint32_t)check->serial ||
        (atomic_load(&releases[then->block % RELEASES]) > then->time &&
         check->acquired > then->time);

    check->other = number;
    check->other_ordered = ordered;
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
    if (number == check->other && !shared) {
        return check->other_ordered;
    }
    const struct cpu_check_interval *then = cpu_check_interval_find(number);
    if (!then) {
        return true;
    }
    if (then->serial == (uint32_t)check->serial &&
        then->block == (uint32_t)check->block) {
        return ordered_in_block(check, then, slot, thread);
    }
    return shared || ordered_outside(check, number, then);
}

/* ---- a word ---- */

static bool
meet(const struct access *access, uint64_t slot)
{
    return cpu_race_bytes(slot) & cpu_race_bytes(access->now) &&
           !(slot & access->now & CPU_RACE_ATOMIC) && !access->found;
}

/* May all bytes in common be the thread's own?  Who wrote which of those of
 * several threads of a block is not known. */
static bool
may_be_own(const struct access *access, uint64_t slot)
{
    const struct cpu_check_interval *then =
        cpu_check_interval_find((uint32_t)(slot >> CPU_RACE_INTERVAL_AT));

    return slot & CPU_RACE_SEVERAL &&
           cpu_race_bytes(slot) & ~cpu_race_bytes(access->now) && then &&
           then->block == (uint32_t)access->check->block;
}

static void
compare(struct access *access, uint64_t slot)
{
    if (meet(access, slot) &&
        !cpu_race_ordered(access->check, slot, access->thread,
                          access->shared) &&
        !may_be_own(access, slot)) {
        access->found = true;
        access->other = slot;
    }
}

/* With the last write of a word, of which `bytes` at `address` are accessed.
 */
static void
compare_write(struct access *access, uint64_t slot, uintptr_t address,
              uint64_t bytes)
{
    const struct cpu_check_write write = {access->what, access->value, address,
                                          bytes};

    if (meet(access, slot) &&
        !cpu_race_is_past(slot,
                          cpu_race_past(access->check, access->shared)) &&
        !cpu_race_is_same(&write)) {
        compare(access, slot);
        access->found =
            access->found && !cpu_race_gets_same(access->check, &write, slot);
    }
}

static void
word_visit(struct access *access, struct cpu_check_words *words,
           uintptr_t address, uint64_t bytes)
{
    bool writes = access->what->site->flags & IMAGE_SITE_WRITE;
    uintptr_t at = address % CPU_SHADOW_GRANULE / 4;
    uint64_t known = cpu_race_load(&words->writes[at]);

    compare_write(access, known, address, bytes);
    if (!writes) {
        cpu_race_stamp(access->check, &words->read);
        cpu_race_note_read(access->check, words, at, access->now,
                           access->shared);
        return;
    }
    if (!cpu_race_stamp_is_past(
            &words->read, cpu_race_past(access->check, access->shared))) {
        for (int i = 0; i < 2; i++) {
            compare(access, cpu_race_load(&words->reads[i][at]));
            compare(access, cpu_race_span_slot(words, i, at));
        }
        cpu_race_clear_reads(words, at, access->now);
    }
    cpu_race_stamp(access->check, &words->written);
    cpu_race_store(&words->writes[at], cpu_race_joined(access->now, known));
}

static inline struct cpu_check_words *
words_of(uintptr_t address)
{
    struct cpu_check_words *words = cpu_shadow_find(CPU_SHADOW_CELLS, address);

    return words ? words : cpu_shadow_words(address);
}

static void
words_visit(struct access *access)
{
    uintptr_t address = access->what->address;
    uint64_t left = access->what->bytes, who = access->now;
    struct cpu_check_words *words = words_of(address);

    if (words && left == 4 && address % 4 == 0) { /* most are so */
        access->now = who | (uint64_t)15 << CPU_RACE_BYTES_AT;
        word_visit(access, words, address, 4);
        return;
    }
    while (left) {
        uintptr_t first = address % 4;
        uint64_t n = 4 - first < left ? 4 - first : left;

        if (address % CPU_SHADOW_GRANULE == 0) {
            words = words_of(address);
        }
        if (!words) {
            return;
        }
        access->now = who | (uint64_t)(((1u << n) - 1) << first)
                                << CPU_RACE_BYTES_AT;
        word_visit(access, words, address, n);
        address += n;
        left -= n;
    }
}

/* ---- an access ---- */

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
                  : "blocks of one launch have no order");
    cpu_check_report(&finding);
}

/* What atomic and volatile accesses do to the order of others. */
static void
order_note(struct cpu_check *check, unsigned thread,
           const struct image_site *site)
{
    struct cpu_check_order *order = &check->threads[thread];
    bool special = site->flags & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE);

    if (!special) {
        if (check->fenced) {
            order->fenced &= !(site->flags & IMAGE_SITE_WRITE);
        }
        return;
    }
    check->ordered = check->launch->threads;
    if (site->flags & IMAGE_SITE_RELEASE) {
        order->fenced = check->fenced = true;
    }
    if (order->fenced && site->flags & IMAGE_SITE_WRITE) {
        unsigned now = atomic_fetch_add(&cpu_check_clock, 1) + 1;

        order->released = now;
        atomic_store(&releases[check->block % RELEASES], now);
        cpu_check_trace_leave(check);
        cpu_check_pending_note(check);
        cpu_check_interval_begin(check);
    }
    if (site->flags & IMAGE_SITE_READ) {
        check->acquiring = order;
    }
}

void
cpu_check_acquire(struct cpu_check *check)
{
    check->acquired = atomic_load(&cpu_check_clock);
    check->acquiring->acquired = check->acquired;
    check->acquiring = NULL;
    check->other = 0;
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
    cpu_check_interval_need(check);
    cpu_check_acquire_need(check);
    struct access access = {
        .check = check,
        .what = what,
        .now = cpu_race_who(check, check->thread) | cpu_race_site(what->site) |
               (flags & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE) ? 1 : 0),
        .value = value,
        .thread = check->thread,
        .shared = shared};

    if (access.shared && !cpu_check_pending_is_noted(check)) {
        cpu_check_pending_note(check);
    }
    words_visit(&access);
    order_note(check, check->thread, what->site);
    if (access.found) {
        report(&access);
    }
}

/* A kernel has got memory that another thread may have given back. */
void
cpu_check_renewed(const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory & ~(uintptr_t)3;

    for (; cpu_check_flags & CPU_CHECK_RACE && at < (uintptr_t)memory + bytes;
         at += 4) {
        struct cpu_check_words *words = cpu_shadow_find(CPU_SHADOW_CELLS, at);
        uintptr_t i = at % CPU_SHADOW_GRANULE / 4;

        if (words) {
            uintptr_t span = i / CPU_SHADOW_SPAN; /* with words beside it */

            words->writes[i] = words->reads[0][i] = words->reads[1][i] = 0;
            words->spans[0][span] = words->spans[1][span] = 0;
        }
    }
}

void
__pycuda_check_fence(uint32_t linear)
{
    struct cpu_check *check = cpu_check_self();

    check->ordered = check->launch->threads;
    check->threads[linear].fenced = check->fenced = true;
}

/* All that the block has done so far comes before what others do after the
 * grid's barrier; what it does next is another interval's, since a barrier of
 * the block follows. */
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
    worker->check->other = 0;
}

/* Lanes have met: each knows what the others had done. */
void
cpu_check_lanes(struct cpu_worker *worker, unsigned index, uint32_t set)
{
    uint32_t joined[CPU_WARP] = {0};
    struct cpu_check *check = worker->check;
    struct cpu_check_warp *warp = &check->warps[index];

    if (!(cpu_check_flags & CPU_CHECK_RACE)) {
        return;
    }
    cpu_check_trace_leave(check);
    cpu_check_interval_need(check);
    cpu_check_pending_note(check);
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
