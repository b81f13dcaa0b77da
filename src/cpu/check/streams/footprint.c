/* footprint.c - collects the bytes of global memory that a kernel accesses.
 *
 * Called by checked kernels for each access, or for each range of accesses,
 * while the check `streams` is selected. Each worker has a table of pages with
 * a bit for each byte; the table needs no lock. Its contents are moved to the
 * history (access_history.c) when the worker has run a part of a launch, and
 * when the table is full.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* Capacity of the table of pages, a power of two. When the table has MAX_PAGES
 * pages, they are moved to the history. */
enum { TABLE_SIZE = 4096, MAX_PAGES = TABLE_SIZE / 2 };

struct cpu_check_footprint {
    struct cpu_check_page *table[TABLE_SIZE];
    unsigned count;
    struct cpu_check_page *recent; /* the page that was found last, or NULL */
};

void
cpu_check_bits_set(uint64_t *bits, unsigned first, unsigned count)
{
    for (unsigned at = first, end = first + count; at < end;) {
        unsigned shift = at % 64;
        unsigned n = end - at < 64 - shift ? end - at : 64 - shift;
        uint64_t mask = n == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << n) - 1);

        bits[at / 64] |= mask << shift;
        at += n;
    }
}

static void
footprint_flush(struct cpu_check *check)
{
    struct cpu_check_footprint *footprint = check->footprint;
    struct cpu_check_order *order =
        footprint->count ? cpu_check_order_of(check->launch) : NULL;
    struct cpu_worker *worker = cpu_worker_tls;
    int in_kernel = worker->in_kernel;

    /* While a lock is held, an interrupt must not end the kernel. */
    worker->in_kernel = 0;
    for (unsigned i = 0; footprint->count && i < TABLE_SIZE; i++) {
        struct cpu_check_page *page = footprint->table[i];

        if (page && order && !page->ignored) {
            cpu_check_history_record(order, page);
        }
        free(page);
        footprint->table[i] = NULL;
    }
    footprint->count = 0;
    footprint->recent = NULL;
    worker->in_kernel = in_kernel;
}

/* Returns a pointer to the table's entry for a page. The entry is NULL if the
 * page is not in the table. */
static struct cpu_check_page **
page_slot(struct cpu_check_footprint *footprint, uintptr_t number)
{
    unsigned at = (unsigned)(number * 0x9E3779B97F4A7C15u >> 52) % TABLE_SIZE;

    while (footprint->table[at] && footprint->table[at]->number != number) {
        at = (at + 1) % TABLE_SIZE;
    }
    return &footprint->table[at];
}

/* Returns whether accesses to the address are recorded. This is the case if
 * the address is in device memory, allocated or freed. */
static bool
is_recorded(uintptr_t address)
{
    struct cpu_allocation live;
    struct cpu_check_allocation found;

    return cpu_arena_find(address, &live) ||
           (cpu_check_find(address, &found) && found.freed &&
            address - found.base < found.bytes &&
            strncmp(found.maker, "cuMem", 5) == 0);
}

/* Returns the page that contains the address; NULL if there is not enough
 * memory. */
static struct cpu_check_page *
page_find(struct cpu_check *check, uintptr_t address)
{
    struct cpu_check_footprint *footprint = check->footprint;
    uintptr_t number = address / CPU_CHECK_PAGE;

    if (footprint->recent && footprint->recent->number == number) {
        return footprint->recent;
    }
    struct cpu_check_page **slot = page_slot(footprint, number);
    if (!*slot) {
        if (footprint->count == MAX_PAGES) {
            footprint_flush(check);
            slot = page_slot(footprint, number);
        }
        *slot = calloc(1, sizeof **slot);
        if (!*slot) {
            return NULL;
        }
        footprint->count++;
        (*slot)->number = number;
        (*slot)->ignored = !is_recorded(address);
    }
    footprint->recent = *slot;
    return *slot;
}

void
cpu_check_touch(struct cpu_check *check, uintptr_t address, uint64_t bytes,
                const struct image_site *site)
{
    bool ordered = site->flags & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE);
    bool writes = site->flags & IMAGE_SITE_WRITE;
    enum cpu_check_kind kind = !writes   ? CPU_CHECK_READS
                               : ordered ? CPU_CHECK_UPDATES
                                         : CPU_CHECK_WRITES;

    if ((ordered && !writes) || cpu_check_is_shared(check, address) ||
        site->flags & IMAGE_SITE_LOCAL) {
        return;
    }
    if (!check->footprint) {
        check->footprint = calloc(1, sizeof *check->footprint);
    }
    for (uint64_t done = 0, n; check->footprint && done < bytes; done += n) {
        uintptr_t at = address + done;
        uint64_t rest = CPU_CHECK_PAGE - at % CPU_CHECK_PAGE;
        struct cpu_check_page *page = page_find(check, at);

        n = bytes - done < rest ? bytes - done : rest;
        if (page && !page->ignored) {
            page->sites[kind] = site;
            cpu_check_bits_set(page->bits[kind],
                               (unsigned)(at % CPU_CHECK_PAGE), (unsigned)n);
        }
    }
}

void
cpu_check_footprint_end(struct cpu_check *check)
{
    if (check->footprint && check->footprint->count) {
        footprint_flush(check);
    }
}

void
cpu_check_footprint_free(struct cpu_check *check)
{
    free(check->footprint);
    check->footprint = NULL;
}
