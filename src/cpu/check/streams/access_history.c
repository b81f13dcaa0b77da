/* access_history.c - finds conflicts between accesses of operations.
 *
 * The history has the accesses that operations have made. An access is added
 * after it was made. A new access conflicts with an access in the history if
 * both touch the same bytes, at least one of them writes, and the older one
 * does not happen before the new one. An older access is removed from the
 * history if it happens before a new access that writes the same bytes or
 * accesses them in the same way. Every later access that conflicts with the
 * removed access also conflicts with the new one. One lock guards the history.
 * The lock of stream_order.c and those of the reports are acquired after it.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"

/* Number of buckets of the hash table of pages, a power of two. */
enum { LISTS = 65536 };
/* Maximum number of recorded accesses per page. If there are more, the oldest
 * are discarded. */
enum { MAX_ACCESSES = 256 };

/* The bytes of one page that an operation has accessed. */
struct access {
    struct access *next; /* next older access to the page */
    struct cpu_check_order *order;
    const struct cpu_check_line *lines[CPU_CHECK_KINDS];
    /* for each kind of access: owned array with a bit for each byte of the
     * page; `all` if all bits are set, NULL if none are */
    uint64_t *bits[CPU_CHECK_KINDS];
};

struct page {
    uintptr_t number;
    struct page *next;
    struct access *accesses; /* the newest first */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct page *lists[LISTS];
static uint64_t all[CPU_CHECK_PAGE_WORDS] = {[0 ... CPU_CHECK_PAGE_WORDS - 1] =
                                                 ~UINT64_C(0)};
static const uint64_t none[CPU_CHECK_PAGE_WORDS];

/* ---- sets of bytes ---- */

static void
bits_free(uint64_t *bits)
{
    if (bits != all) {
        free(bits);
    }
}

static bool
bits_are(const uint64_t *bits, uint64_t word)
{
    for (unsigned i = 0; i < CPU_CHECK_PAGE_WORDS; i++) {
        if (bits[i] != word) {
            return false;
        }
    }
    return true;
}

/* Replaces the set of bytes that `*slot` owns by a copy of `bits`. Stores the
 * empty set if there is not enough memory. */
static void
bits_store(uint64_t **slot, const uint64_t *bits)
{
    uint64_t *made = NULL;

    if (bits_are(bits, ~UINT64_C(0))) {
        made = all;
    } else if (!bits_are(bits, 0)) {
        made = malloc(sizeof all);
        if (made) {
            memcpy(made, bits, sizeof all);
        }
    }
    bits_free(*slot);
    *slot = made;
}

/* Returns the index of the first byte that is in both sets, or -1 if there is
 * none. */
static int
bits_common(const uint64_t *one, const uint64_t *two)
{
    for (unsigned i = 0; one && two && i < CPU_CHECK_PAGE_WORDS; i++) {
        if (one[i] & two[i]) {
            return (int)(64 * i) + __builtin_ctzll(one[i] & two[i]);
        }
    }
    return -1;
}

/* Removes all bytes of the sets `one` and `two` from the set `*slot`. */
static void
bits_remove(uint64_t **slot, const uint64_t *one, const uint64_t *two)
{
    uint64_t rest[CPU_CHECK_PAGE_WORDS];

    if (!*slot) {
        return;
    }
    for (unsigned i = 0; i < CPU_CHECK_PAGE_WORDS; i++) {
        rest[i] = (*slot)[i] & ~(one[i] | two[i]);
    }
    bits_store(slot, rest);
}

static void
bits_add(uint64_t **slot, const uint64_t *more)
{
    uint64_t sum[CPU_CHECK_PAGE_WORDS];

    for (unsigned i = 0; i < CPU_CHECK_PAGE_WORDS; i++) {
        sum[i] = (*slot ? (*slot)[i] : 0) | more[i];
    }
    bits_store(slot, sum);
}

/* ---- pages ---- */

static struct page **
page_list(uintptr_t number)
{
    return &lists[(number * 0x9E3779B97F4A7C15u >> 48) % LISTS];
}

static struct page *
page_find(uintptr_t number)
{
    struct page *page = *page_list(number);

    while (page && page->number != number) {
        page = page->next;
    }
    return page;
}

static struct page *
page_make(uintptr_t number)
{
    struct page *page = page_find(number), **list = page_list(number);

    if (!page && (page = calloc(1, sizeof *page))) {
        page->number = number;
        page->next = *list;
        *list = page;
    }
    return page;
}

static void
access_free(struct access *access)
{
    for (int kind = 0; kind < CPU_CHECK_KINDS; kind++) {
        bits_free(access->bits[kind]);
    }
    cpu_check_order_drop(access->order);
    free(access);
}

static void
accesses_free(struct page *page)
{
    while (page->accesses) {
        struct access *next = page->accesses->next;
        access_free(page->accesses);
        page->accesses = next;
    }
}

/* Frees the accesses whose sets of bytes are empty, and the oldest ones if
 * there are more than MAX_ACCESSES. */
static void
accesses_trim(struct page *page)
{
    struct access **at = &page->accesses;

    for (unsigned count = 0; *at;) {
        struct access *access = *at;
        bool empty = !access->bits[CPU_CHECK_READS] &&
                     !access->bits[CPU_CHECK_WRITES] &&
                     !access->bits[CPU_CHECK_UPDATES];
        if (empty || count == MAX_ACCESSES) {
            *at = access->next;
            access_free(access);
        } else {
            count++;
            at = &access->next;
        }
    }
}

/* ---- conflicts ---- */

/* Finds a byte of the page that both operations access, at least one of them
 * by writing. Returns its index in the page, and stores the two kinds of
 * access. Returns -1 if there is none. */
static int
conflict_find(const struct access *old, const struct cpu_check_page *page,
              enum cpu_check_kind *one, enum cpu_check_kind *two)
{
    static const enum cpu_check_kind pairs[][2] = {
        {CPU_CHECK_WRITES, CPU_CHECK_READS},
        {CPU_CHECK_READS, CPU_CHECK_WRITES},
        {CPU_CHECK_WRITES, CPU_CHECK_WRITES},
        {CPU_CHECK_UPDATES, CPU_CHECK_READS},
        {CPU_CHECK_READS, CPU_CHECK_UPDATES},
        {CPU_CHECK_UPDATES, CPU_CHECK_WRITES},
        {CPU_CHECK_WRITES, CPU_CHECK_UPDATES}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int byte =
            bits_common(old->bits[pairs[i][0]], page->bits[pairs[i][1]]);
        if (byte >= 0) {
            *one = pairs[i][0];
            *two = pairs[i][1];
            return byte;
        }
    }
    return -1;
}

/* Reports a conflict of the new access with the earlier access `old`, if there
 * is one. Does nothing if the conflict reported last for the new operation was
 * with the operation of `old`. */
static void
conflict_report(const struct access *old, struct cpu_check_order *order,
                const struct cpu_check_page *page)
{
    enum cpu_check_kind one, two;
    int byte = order->reported == old->order->serial
                   ? -1
                   : conflict_find(old, page, &one, &two);

    if (byte < 0) {
        return;
    }
    order->reported = old->order->serial;
    cpu_check_stream_report(
        (struct cpu_check_stream_access){old->order, one, old->lines[one]},
        (struct cpu_check_stream_access){order, two,
                                         cpu_check_line_of(page->sites[two])},
        page->number * CPU_CHECK_PAGE + (unsigned)byte);
}

/* Removes from an earlier access those bytes that the new access writes or
 * accesses in the same way. The earlier access happens before the new one. */
static void
access_supersede(struct access *old, const struct cpu_check_page *page)
{
    const uint64_t *writes = page->bits[CPU_CHECK_WRITES];

    bits_remove(&old->bits[CPU_CHECK_READS], writes,
                page->bits[CPU_CHECK_READS]);
    bits_remove(&old->bits[CPU_CHECK_WRITES], writes, none);
    bits_remove(&old->bits[CPU_CHECK_UPDATES], writes,
                page->bits[CPU_CHECK_UPDATES]);
}

/* Returns the record of the operation's access to the page. Adds the record if
 * no worker has added it yet. Returns NULL if there is not enough memory. */
static struct access *
access_make(struct page *page, struct cpu_check_order *order)
{
    for (struct access *old = page->accesses; old; old = old->next) {
        if (old->order == order) {
            return old;
        }
    }
    struct access *access = calloc(1, sizeof *access);
    if (access) {
        atomic_fetch_add(&order->references, 1);
        access->order = order;
        access->next = page->accesses;
        page->accesses = access;
    }
    return access;
}

static void
record_locked(struct cpu_check_order *order, const struct cpu_check_page *page)
{
    struct page *at = page_make(page->number);

    for (struct access *old = at ? at->accesses : NULL; old; old = old->next) {
        if (old->order == order) {
            continue;
        }
        if (cpu_check_order_includes(order, old->order->timeline,
                                     old->order->time)) {
            access_supersede(old, page);
        } else {
            conflict_report(old, order, page);
        }
    }
    struct access *access = at ? access_make(at, order) : NULL;
    for (int kind = 0; access && kind < CPU_CHECK_KINDS; kind++) {
        bits_add(&access->bits[kind], page->bits[kind]);
        if (page->sites[kind]) {
            access->lines[kind] = cpu_check_line_of(page->sites[kind]);
        }
    }
    if (at) {
        accesses_trim(at);
    }
}

void
cpu_check_history_record(struct cpu_check_order *order,
                         const struct cpu_check_page *page)
{
    pthread_mutex_lock(&lock);
    record_locked(order, page);
    pthread_mutex_unlock(&lock);
}

static void
range_record(struct cpu_check_order *order, uintptr_t first, size_t bytes,
             enum cpu_check_kind kind)
{
    for (size_t done = 0, n; done < bytes; done += n) {
        struct cpu_check_page page = {.number =
                                          (first + done) / CPU_CHECK_PAGE};
        unsigned at = (first + done) % CPU_CHECK_PAGE;

        n = CPU_CHECK_PAGE - at;
        n = bytes - done < n ? bytes - done : n;
        cpu_check_bits_set(page.bits[kind], at, (unsigned)n);
        cpu_check_history_record(order, &page);
    }
}

void
cpu_check_history_range(const void *start, size_t bytes,
                        enum cpu_check_kind kind, const char *what)
{
    struct cpu_check_order *order = cpu_check_order_running();
    struct cpu_allocation found;

    if (order && cpu_arena_find((uintptr_t)start, &found)) {
        order->what = what;
        range_record(order, (uintptr_t)start, bytes, kind);
    }
}

/* ---- freed memory ---- */

static void
page_drop(struct page *page, unsigned first, unsigned count)
{
    uint64_t bits[CPU_CHECK_PAGE_WORDS] = {0};

    cpu_check_bits_set(bits, first, count);
    for (struct access *old = page->accesses; old; old = old->next) {
        for (int kind = 0; kind < CPU_CHECK_KINDS; kind++) {
            bits_remove(&old->bits[kind], bits, none);
        }
    }
    accesses_trim(page);
}

void
cpu_check_history_drop(uintptr_t start, size_t bytes)
{
    pthread_mutex_lock(&lock);
    for (size_t done = 0, n; done < bytes; done += n) {
        unsigned at = (start + done) % CPU_CHECK_PAGE;
        struct page *page = page_find((start + done) / CPU_CHECK_PAGE);

        n = CPU_CHECK_PAGE - at;
        n = bytes - done < n ? bytes - done : n;
        if (page) {
            page_drop(page, at, (unsigned)n);
        }
    }
    pthread_mutex_unlock(&lock);
}

void
cpu_check_history_free(uintptr_t start, size_t bytes)
{
    struct cpu_check_order *order = cpu_check_order_running();

    if (order) {
        order->what = "free";
        range_record(order, start, bytes, CPU_CHECK_WRITES);
    } else {
        cpu_check_history_drop(start, bytes);
    }
}

void
cpu_check_history_clear(void)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < LISTS; i++) {
        while (lists[i]) {
            struct page *page = lists[i];
            lists[i] = page->next;
            accesses_free(page);
            free(page);
        }
    }
    cpu_check_stream_reports_clear();
    pthread_mutex_unlock(&lock);
}

/* Searches for an operation that writes to a byte in the set `bytes` and for
 * which the host, according to its clock, has not waited. Returns NULL if
 * there is none. */
static struct cpu_check_order *
page_unfinished(const struct page *page, const uint64_t *bytes,
                const uint32_t *clock)
{
    for (const struct access *old = page->accesses; old; old = old->next) {
        struct cpu_check_order *order = old->order;

        if (bits_common(old->bits[CPU_CHECK_WRITES], bytes) >= 0 &&
            clock[order->timeline] < order->time) {
            return order;
        }
    }
    return NULL;
}

/* Searches for an operation that writes to a byte of the range and for which
 * the host, according to its clock, has not waited. Returns NULL if there is
 * none. */
static struct cpu_check_order *
range_unfinished(uintptr_t first, size_t size, const uint32_t *clock)
{
    struct cpu_check_order *order = NULL;

    for (size_t done = 0, n; done < size && !order; done += n) {
        uint64_t bytes[CPU_CHECK_PAGE_WORDS] = {0};
        unsigned at = (first + done) % CPU_CHECK_PAGE;
        struct page *page = page_find((first + done) / CPU_CHECK_PAGE);

        n = CPU_CHECK_PAGE - at;
        n = size - done < n ? size - done : n;
        cpu_check_bits_set(bytes, at, (unsigned)n);
        order = page ? page_unfinished(page, bytes, clock) : NULL;
    }
    return order;
}

void
cpu_check_host_freed(struct cpu_context *ctx, const void *start,
                     uint32_t *clock)
{
    struct cpu_allocation found;
    uintptr_t first = (uintptr_t)start;

    if (!clock || !cpu_arena_find(first, &found)) {
        free(clock);
        return;
    }
    pthread_mutex_lock(&lock);
    struct cpu_check_order *copy = range_unfinished(first, found.bytes, clock);
    if (copy) {
        atomic_fetch_add(&copy->references, 1);
    }
    pthread_mutex_unlock(&lock);
    free(clock);
    if (copy) {
        char site[CPU_CHECK_CALL_SITE_SIZE];

        cpu_check_call_site_in(site, true);
        pthread_mutex_lock(&lock);
        cpu_check_free_report(copy, ctx, first, site);
        pthread_mutex_unlock(&lock);
        cpu_check_order_drop(copy);
    }
    cpu_check_history_drop(first, found.bytes);
}
