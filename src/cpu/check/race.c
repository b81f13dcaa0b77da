/* race.c - accesses of one word by two threads that nothing orders.
 *
 * Called by checked kernels at each access.  Two accesses of which one writes
 * are ordered by a barrier of the block between them, by a meeting of both
 * lanes at __syncwarp (or another warp operation), or by a fence and an
 * atomic operation of the one, after it an atomic operation of the other.
 * The last rule is kept loosely (for whole blocks, and by time), so that
 * nothing right is reported.  Atomic and volatile accesses do not race with
 * one another; nor do two that write the same value.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cpu/check/shadow.h"

#define RELEASES 4096 /* blocks whose last release is kept, by number */

/* Time of a launch: it grows with each release. */
static atomic_uint clock_now;
static atomic_uint releases[RELEASES];

struct access {
    struct cpu_check *check;
    struct cpu_check_slot now;
    const struct image_site *site;
    uintptr_t address;
    uint64_t bytes;
    bool shared;
    bool silent; /* writes what is there already */
    bool found;
    struct cpu_check_slot other; /* the first conflict */
};

/* ---- order ---- */

static bool
ordered_in_block(const struct cpu_check *check,
                 const struct cpu_check_slot *first,
                 const struct cpu_check_slot *now)
{
    const struct cpu_check_order *one = &check->threads[first->thread];
    const struct cpu_check_order *two = &check->threads[now->thread];
    unsigned warp = now->thread / CPU_WARP;

    if (first->thread == now->thread || first->epoch != now->epoch) {
        return true;
    }
    if (first->thread / CPU_WARP == warp &&
        check->warps[warp].seen[now->thread % CPU_WARP]
                               [first->thread % CPU_WARP] > first->step) {
        return true;
    }
    return one->released > first->time && two->acquired > first->time;
}

static bool
ordered(const struct access *access, const struct cpu_check_slot *first)
{
    if (!first->serial || first->serial != access->now.serial) {
        return true;
    }
    if (first->block == access->now.block) {
        return ordered_in_block(access->check, first, &access->now);
    }
    return access->shared ||
           (atomic_load(&releases[first->block % RELEASES]) > first->time &&
            access->check->acquired > first->time);
}

static void
compare(struct access *access, const struct cpu_check_slot *first,
        unsigned bits)
{
    if (first->bytes & bits && !(first->atomic && access->now.atomic) &&
        !access->found && !ordered(access, first)) {
        access->found = true;
        access->other = *first;
    }
}

/* ---- a word ---- */

static void
read_note(struct access *access, struct cpu_check_cell *cell, unsigned bits)
{
    for (int i = 0; i < 2; i++) {
        struct cpu_check_slot *slot = &cell->reads[i];
        bool same = slot->serial == access->now.serial &&
                    slot->block == access->now.block &&
                    slot->thread == access->now.thread;

        if (same || ordered(access, slot)) {
            bits |=
                same && slot->epoch == access->now.epoch ? slot->bytes : 0u;
            *slot = access->now;
            slot->bytes = (uint8_t)bits;
            return;
        }
    }
}

static void
word_visit(struct cpu_check_cell *cell, unsigned bits, void *data)
{
    struct access *access = data;
    bool writes = access->site->flags & IMAGE_SITE_WRITE;

    if (!(writes && access->silent)) {
        compare(access, &cell->write, bits);
    }
    if (!writes) {
        read_note(access, cell, bits);
        return;
    }
    for (int i = 0; i < 2; i++) {
        compare(access, &cell->reads[i], bits);
        if (cell->reads[i].bytes & bits) {
            cell->reads[i].serial = 0;
        }
    }
    cell->write = access->now;
    cell->write.bytes = (uint8_t)bits;
}

/* ---- an access ---- */

static void
report(const struct access *access)
{
    char detail[200];
    const char *how = access->other.block == access->now.block
                          ? "no barrier between them"
                          : "blocks of one launch have no order";
    struct cpu_check_finding finding = {
        .check = "race",
        .kind = access->shared                             ? "shared-race"
                : access->other.block == access->now.block ? "global-race"
                                                           : "block-race",
        .site = access->site,
        .code = CUDA_ERROR_LAUNCH_FAILED,
        .has_address = true,
        .address = access->address,
        .bytes = access->bytes,
        .detail = detail,
        .second = access->other.site,
        .second_thread = access->other.thread,
        .second_block = access->other.block};

    snprintf(detail, sizeof detail, "data race in %s memory%s%s%s, %s",
             access->shared ? "shared" : "global",
             *access->site->object ? " ('" : "", access->site->object,
             *access->site->object ? "')" : "", how);
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
        order->fenced &= !(site->flags & IMAGE_SITE_WRITE);
        return;
    }
    if (order->fenced && site->flags & IMAGE_SITE_WRITE) {
        unsigned now = atomic_fetch_add(&clock_now, 1) + 1;

        order->released = now;
        atomic_store(&releases[check->block % RELEASES], now);
    }
    if (site->flags & IMAGE_SITE_READ) {
        order->acquired = check->acquired = atomic_load(&clock_now);
    }
}

static bool
writes_the_same(const void *pointer, uint64_t bytes, uint64_t value,
                const struct image_site *site)
{
    unsigned both = IMAGE_SITE_READ | IMAGE_SITE_WRITE;

    return (site->flags & both) == IMAGE_SITE_WRITE && bytes <= 8 &&
           memcmp(pointer, &value, bytes) == 0;
}

void
__pycuda_check_race(const void *pointer, uint64_t bytes, uint64_t value,
                    const struct image_site *site)
{
    struct cpu_worker *worker = cpu_worker_tls;
    uintptr_t address = (uintptr_t)pointer;

    if (!(cpu_check_flags & CPU_CHECK_RACE) || !bytes ||
        cpu_check_is_stack(worker, address)) {
        return;
    }
    struct cpu_check *check = cpu_check_enter();
    unsigned thread = cpu_check_thread(), lane = thread % CPU_WARP;
    struct access access = {
        .check = check,
        .site = site,
        .address = address,
        .bytes = bytes,
        .shared = cpu_check_is_shared(worker, address),
        .silent = writes_the_same(pointer, bytes, value, site),
        .now = {.block = (uint32_t)check->block,
                .serial = (uint32_t)check->serial,
                .epoch = check->epoch,
                .time = atomic_load(&clock_now),
                .thread = (uint16_t)thread,
                .step = check->warps[thread / CPU_WARP].seen[lane][lane],
                .atomic =
                    site->flags & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE),
                .site = site}};

    order_note(check, thread, site);
    cpu_check_cells(address, bytes, word_visit, &access);
    if (access.found) {
        report(&access);
    }
}

static void
word_forget(struct cpu_check_cell *cell, unsigned bits, void *data)
{
    (void)bits;
    (void)data;
    *cell = (struct cpu_check_cell){0};
}

/* A kernel has got memory that another thread may have given back. */
void
cpu_check_renewed(const void *memory, size_t bytes)
{
    if (cpu_check_flags & CPU_CHECK_RACE) {
        cpu_check_cells((uintptr_t)memory, bytes, word_forget, NULL);
    }
}

void
__pycuda_check_fence(void)
{
    cpu_check_enter()->threads[cpu_check_thread()].fenced = true;
}

/* Lanes have met: each knows what the others had done. */
void
cpu_check_lanes(struct cpu_worker *worker, unsigned index, uint32_t set)
{
    uint16_t joined[CPU_WARP] = {0};
    struct cpu_check_warp *warp = &cpu_check_enter()->warps[index];

    (void)worker;
    if (!(cpu_check_flags & CPU_CHECK_RACE)) {
        return;
    }
    for (unsigned i = 0; i < CPU_WARP; i++) {
        for (unsigned k = 0; set >> i & 1 && k < CPU_WARP; k++) {
            uint16_t known = warp->seen[i][k];
            joined[k] = known > joined[k] ? known : joined[k];
        }
    }
    for (unsigned i = 0; i < CPU_WARP; i++) {
        joined[i] = (uint16_t)(joined[i] + (set >> i & 1));
    }
    for (unsigned i = 0; i < CPU_WARP; i++) {
        if (set >> i & 1) {
            memcpy(warp->seen[i], joined, sizeof joined);
        }
    }
}
