/* allocations.c - list of live and freed device allocations, and their call
 * sites.
 *
 * Called by arena.c and runtime.c when memory is allocated and freed, and by
 * the checks of accesses. A freed allocation stays in the list until its
 * addresses are reused or many others have been freed. One lock guards the
 * list, which is sorted by address.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/check/shadow.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/stream/worker.h"

/* A report names the nearest allocation if it is at most this many bytes from
 * the address. */
#define NEAR ((uintptr_t)1 << 20)
/* After every 1024 frees, all freed allocations but the 1024 most recent ones
 * are removed from the list. So the list never has more than 2048 freed
 * allocations. */
#define FREED_RECORDS_MAX 1024

static pthread_mutex_t allocations_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cpu_check_allocation *allocations;
static size_t allocation_count, allocation_capacity;
static uint64_t last_serial, last_free;

atomic_uint cpu_check_frees;

/* Returns the index of the first allocation whose base is above `address`. */
static size_t
index_above(uintptr_t address)
{
    size_t low = 0, high = allocation_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (allocations[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void
rows_remove(size_t at, size_t count)
{
    if (count == 0) { /* the array `allocations` may be NULL if it is empty */
        return;
    }
    memmove(allocations + at, allocations + at + count,
            (allocation_count - at - count) * sizeof *allocations);
    allocation_count -= count;
}

/* Removes freed allocations that overlap the new allocation [base, base +
 * bytes). An allocation of zero bytes overlaps one with the same base. */
static void
overlaps_remove(uintptr_t base, size_t bytes)
{
    size_t at = index_above(base), end = at;

    while (at &&
           (allocations[at - 1].base == base ||
            allocations[at - 1].base + allocations[at - 1].bytes > base)) {
        at--;
    }
    while (end < allocation_count && allocations[end].base < base + bytes) {
        end++;
    }
    rows_remove(at, end - at);
}

static bool
row_reserve(void)
{
    if (allocation_count < allocation_capacity) {
        return true;
    }
    size_t capacity = allocation_capacity ? 2 * allocation_capacity : 256;
    struct cpu_check_allocation *grown =
        realloc(allocations, capacity * sizeof *allocations);

    if (grown) {
        allocations = grown;
        allocation_capacity = capacity;
    }
    return grown != NULL;
}

/* Adds a live allocation to the list, and gives it a serial number. If the
 * list cannot grow, the allocation is not added. */
static void
row_add(struct cpu_check_allocation row)
{
    pthread_mutex_lock(&allocations_lock);
    overlaps_remove(row.base, row.bytes);
    row.serial = ++last_serial;
    if (row_reserve()) {
        size_t at = index_above(row.base);

        memmove(allocations + at + 1, allocations + at,
                (allocation_count - at) * sizeof *allocations);
        allocations[at] = row;
        allocation_count++;
    }
    pthread_mutex_unlock(&allocations_lock);
}

void
cpu_check_allocated(uintptr_t base, size_t bytes, const char *maker,
                    bool tracked)
{
    struct cpu_check_allocation row = {
        .base = base, .bytes = bytes, .maker = maker, .tracked = tracked};

    if (cpu_worker_tls && cpu_worker_tls->in_kernel) {
        strcpy(row.made_at, "a kernel");
    } else {
        cpu_check_call_site(row.made_at);
    }
    row_add(row);
    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_history_drop(base, bytes);
    }
    if (cpu_check_flags & CPU_CHECK_INIT) {
        cpu_check_set_written(base, bytes, !tracked);
    }
}

/* Removes all freed allocations but the FREED_RECORDS_MAX most recently freed
 * ones. */
static void
freed_forget(void)
{
    size_t remaining = 0;

    for (size_t i = 0; i < allocation_count; i++) {
        if (!allocations[i].freed ||
            allocations[i].freed + FREED_RECORDS_MAX > last_free) {
            allocations[remaining++] = allocations[i];
        }
    }
    allocation_count = remaining;
}

/* Tells the check `streams` that the memory is freed. */
static void
stream_accesses_end(uintptr_t base)
{
    struct cpu_check_allocation found;

    if (cpu_check_find(base, &found) && found.base == base) {
        cpu_check_history_free(base, found.bytes);
    }
}

void
cpu_check_freed(uintptr_t base)
{
    char freed_at[CPU_CHECK_CALL_SITE_SIZE] = "a kernel";

    if (!cpu_worker_tls || !cpu_worker_tls->in_kernel) {
        cpu_check_call_site(freed_at);
    }
    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        stream_accesses_end(base);
    }
    pthread_mutex_lock(&allocations_lock);
    size_t at = index_above(base);
    if (at && allocations[at - 1].base == base) {
        allocations[at - 1].freed = ++last_free;
        memcpy(allocations[at - 1].freed_at, freed_at, sizeof freed_at);
        if (last_free % FREED_RECORDS_MAX == 0) {
            freed_forget();
        }
    }
    atomic_fetch_add(&cpu_check_frees, 1);
    pthread_mutex_unlock(&allocations_lock);
}

bool
cpu_check_warn_once(uintptr_t address, struct cpu_check_allocation *found)
{
    pthread_mutex_lock(&allocations_lock);
    size_t at = index_above(address);
    struct cpu_check_allocation *row = at ? &allocations[at - 1] : NULL;
    bool is_first =
        row && !row->freed && !row->warned && address - row->base < row->bytes;
    if (is_first) {
        row->warned = true;
        *found = *row;
    }
    pthread_mutex_unlock(&allocations_lock);
    return is_first;
}

static uintptr_t
address_distance(const struct cpu_check_allocation *row, uintptr_t address)
{
    if (address < row->base) {
        return row->base - address;
    }
    uintptr_t over = address - row->base;
    return over < row->bytes ? 0 : over - row->bytes + 1;
}

void
cpu_check_adopt(uintptr_t address)
{
    struct cpu_check_allocation known;
    struct cpu_allocation live;

    if (!cpu_arena_contains(address) || !cpu_arena_find(address, &live) ||
        live.kind == CPU_MEMORY_QUARANTINED ||
        live.kind == CPU_MEMORY_RESERVED ||
        (cpu_check_find(address, &known) && !known.freed &&
         address - known.base < known.bytes)) {
        return;
    }
    struct cpu_check_allocation row = {.base = live.base,
                                       .bytes = live.bytes,
                                       .maker = cpu_arena_maker(live.kind),
                                       .made_at =
                                           "before checks were selected"};
    row_add(row);
}

CPU_API void
pycuda_cpu_check_size(CUdeviceptr pointer, size_t bytes)
{
    uintptr_t base = (uintptr_t)pointer;

    cpu_check_adopt(base);
    pthread_mutex_lock(&allocations_lock);
    size_t at = index_above(base);
    if (bytes && at && allocations[at - 1].base == base &&
        !allocations[at - 1].freed) {
        allocations[at - 1].bytes = bytes;
    }
    atomic_fetch_add(&cpu_check_frees, 1);
    pthread_mutex_unlock(&allocations_lock);
}

bool
cpu_check_find(uintptr_t address, struct cpu_check_allocation *found)
{
    struct cpu_check_allocation *best = NULL;

    pthread_mutex_lock(&allocations_lock);
    size_t above = index_above(address);
    for (size_t i = above ? above - 1 : 0; i <= above && i < allocation_count;
         i++) {
        if (!best || address_distance(&allocations[i], address) <
                         address_distance(best, address)) {
            best = &allocations[i];
        }
    }
    if (best && address_distance(best, address) > NEAR) {
        best = NULL;
    }
    if (best) {
        *found = *best;
    }
    pthread_mutex_unlock(&allocations_lock);
    return best != NULL;
}
