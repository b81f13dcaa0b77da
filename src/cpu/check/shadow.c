/* shadow.c - memory beside memory: a cell a word, a bit a byte.
 *
 * Called by race.c and init.c.  Pages of 4 KiB are found by a
 * table of lists; what nobody looked at has none.  A page lives as long as
 * the process, since addresses come again.  Each list has its own lock.
 *
 * SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/shadow.h"

#define PAGE    ((uintptr_t)4096)
#define BUCKETS 8192

struct page {
    uintptr_t number;
    struct page *next;
    struct cpu_check_cell *cells; /* or NULL */
    uint64_t *unwritten;          /* a bit a byte, or NULL */
};

struct bucket {
    atomic_flag taken;
    struct page *first;
};

static struct bucket buckets[BUCKETS];

static struct bucket *
bucket_lock(uintptr_t number)
{
    struct bucket *bucket =
        &buckets[(number * 0x9e3779b97f4a7c15u) >> 32 & (BUCKETS - 1)];

    while (atomic_flag_test_and_set_explicit(&bucket->taken,
                                             memory_order_acquire)) {
        sched_yield();
    }
    return bucket;
}

static void
bucket_unlock(struct bucket *bucket)
{
    atomic_flag_clear_explicit(&bucket->taken, memory_order_release);
}

/* malloc must not be left in the middle by a fault of the kernel's. */
static void *
clear_memory(size_t bytes)
{
    struct cpu_worker *worker = cpu_worker_tls;
    int in_kernel = worker ? worker->in_kernel : 0;

    if (worker) {
        worker->in_kernel = 0;
    }
    void *made = calloc(1, bytes);
    if (worker) {
        worker->in_kernel = in_kernel;
    }
    return made;
}

static struct page *
page_get(struct bucket *bucket, uintptr_t number, bool make)
{
    struct page *page = bucket->first;

    while (page && page->number != number) {
        page = page->next;
    }
    if (!page && make && (page = clear_memory(sizeof *page))) {
        page->number = number;
        page->next = bucket->first;
        bucket->first = page;
    }
    return page;
}

/* ---- cells ---- */

static void
cells_of_page(struct page *page, uintptr_t offset, uint64_t bytes,
              cpu_check_visit *visit, void *data)
{
    if (!page->cells) {
        page->cells = clear_memory(PAGE / 4 * sizeof *page->cells);
    }
    while (page->cells && bytes) {
        uintptr_t first = offset % 4;
        uint64_t n = 4 - first < bytes ? 4 - first : bytes;

        visit(&page->cells[offset / 4], ((1u << n) - 1) << first, data);
        offset += n;
        bytes -= n;
    }
}

void
cpu_check_cells(uintptr_t address, uint64_t bytes, cpu_check_visit *visit,
                void *data)
{
    while (bytes) {
        uintptr_t offset = address % PAGE;
        uint64_t n = PAGE - offset < bytes ? PAGE - offset : bytes;
        struct bucket *bucket = bucket_lock(address / PAGE);
        struct page *page = page_get(bucket, address / PAGE, true);

        if (page) {
            cells_of_page(page, offset, n, visit, data);
        }
        bucket_unlock(bucket);
        address += n;
        bytes -= n;
    }
}

/* ---- bits ---- */

static void
bits_set(struct page *page, uintptr_t offset, uint64_t bytes, bool written)
{
    if (!page->unwritten && !written) {
        page->unwritten = clear_memory(PAGE / 8);
    }
    for (uint64_t i = offset; page->unwritten && i < offset + bytes;) {
        uint64_t n = 64 - i % 64;
        uint64_t mask;

        n = n < offset + bytes - i ? n : offset + bytes - i;
        mask = (n == 64 ? ~0ull : (1ull << n) - 1) << (i % 64);
        if (written) {
            page->unwritten[i / 64] &= ~mask;
        } else {
            page->unwritten[i / 64] |= mask;
        }
        i += n;
    }
}

static bool
bits_any(const struct page *page, uintptr_t offset, uint64_t bytes)
{
    for (uint64_t i = offset; i < offset + bytes; i++) {
        if (page->unwritten[i / 64] >> (i % 64) & 1) {
            return true;
        }
    }
    return false;
}

void
cpu_check_mark(uintptr_t address, uint64_t bytes, bool written)
{
    while (bytes) {
        uintptr_t offset = address % PAGE;
        uint64_t n = PAGE - offset < bytes ? PAGE - offset : bytes;
        struct bucket *bucket = bucket_lock(address / PAGE);
        struct page *page = page_get(bucket, address / PAGE, !written);

        if (page) {
            bits_set(page, offset, n, written);
        }
        bucket_unlock(bucket);
        address += n;
        bytes -= n;
    }
}

bool
cpu_check_unset(uintptr_t address, uint64_t bytes)
{
    bool found = false;

    while (bytes && !found) {
        uintptr_t offset = address % PAGE;
        uint64_t n = PAGE - offset < bytes ? PAGE - offset : bytes;
        struct bucket *bucket = bucket_lock(address / PAGE);
        struct page *page = page_get(bucket, address / PAGE, false);

        found = page && page->unwritten && bits_any(page, offset, n);
        bucket_unlock(bucket);
        address += n;
        bytes -= n;
    }
    return found;
}
