/* allocations.c - which memory there is and was, and who made it.
 *
 * Called by arena.c and runtime.c as memory comes and goes, and by the checks
 * of accesses.  Freed memory stays in the list until its addresses are used
 * again, or much has been freed since.  One lock guards the list, which is
 * sorted by address.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/check/shadow.h"

#define NEAR       ((uintptr_t)1 << 20) /* so far away an allocation is named */
#define FREED_KEPT 1024 /* at least, and twice as many at most */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cpu_check_allocation *list;
static size_t list_count, list_capacity;
static uint64_t last_order, last_free;

atomic_uint cpu_check_frees;

/* The index of the first that starts above `address`. */
static size_t
first_above(uintptr_t address)
{
    size_t low = 0, high = list_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void
list_remove(size_t at, size_t count)
{
    if (count == 0) { /* `list` may be NULL then */
        return;
    }
    memmove(list + at, list + at + count,
            (list_count - at - count) * sizeof *list);
    list_count -= count;
}

/* Forgets freed allocations whose addresses are used again; some are of no
 * bytes, but have an address. */
static void
overlaps_remove(uintptr_t base, size_t bytes)
{
    size_t at = first_above(base), end = at;

    while (at && (list[at - 1].base == base ||
                  list[at - 1].base + list[at - 1].bytes > base)) {
        at--;
    }
    while (end < list_count && list[end].base < base + bytes) {
        end++;
    }
    list_remove(at, end - at);
}

static bool
list_reserve(void)
{
    if (list_count < list_capacity) {
        return true;
    }
    size_t capacity = list_capacity ? 2 * list_capacity : 256;
    struct cpu_check_allocation *grown =
        realloc(list, capacity * sizeof *list);

    if (grown) {
        list = grown;
        list_capacity = capacity;
    }
    return grown != NULL;
}

void
cpu_check_allocated(uintptr_t base, size_t bytes, const char *maker,
                    bool tracked)
{
    struct cpu_check_allocation made = {
        .base = base, .bytes = bytes, .maker = maker, .tracked = tracked};

    if (cpu_worker_tls && cpu_worker_tls->in_kernel) {
        strcpy(made.made_at, "a kernel");
    } else {
        cpu_check_place(made.made_at);
    }
    pthread_mutex_lock(&list_lock);
    overlaps_remove(base, bytes);
    made.order = ++last_order;
    if (list_reserve()) {
        size_t at = first_above(base);

        memmove(list + at + 1, list + at, (list_count - at) * sizeof *list);
        list[at] = made;
        list_count++;
    }
    pthread_mutex_unlock(&list_lock);
    if (cpu_check_flags & CPU_CHECK_INIT) {
        cpu_check_mark(base, bytes, !tracked);
    }
}

/* Leaves the last FREED_KEPT of those that were freed. */
static void
freed_forget(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < list_count; i++) {
        if (!list[i].freed || list[i].freed + FREED_KEPT > last_free) {
            list[kept++] = list[i];
        }
    }
    list_count = kept;
}

void
cpu_check_freed(uintptr_t base)
{
    char place[CPU_CHECK_PLACE] = "a kernel";

    if (!cpu_worker_tls || !cpu_worker_tls->in_kernel) {
        cpu_check_place(place);
    }
    pthread_mutex_lock(&list_lock);
    size_t at = first_above(base);
    if (at && list[at - 1].base == base) {
        list[at - 1].freed = ++last_free;
        memcpy(list[at - 1].freed_at, place, sizeof place);
        if (last_free % FREED_KEPT == 0) {
            freed_forget();
        }
    }
    atomic_fetch_add(&cpu_check_frees, 1);
    pthread_mutex_unlock(&list_lock);
}

static uintptr_t
distance(const struct cpu_check_allocation *row, uintptr_t address)
{
    if (address < row->base) {
        return row->base - address;
    }
    uintptr_t over = address - row->base;
    return over < row->bytes ? 0 : over - row->bytes + 1;
}

bool
cpu_check_find(uintptr_t address, struct cpu_check_allocation *found)
{
    struct cpu_check_allocation *best = NULL;

    pthread_mutex_lock(&list_lock);
    size_t above = first_above(address);
    for (size_t i = above ? above - 1 : 0; i <= above && i < list_count; i++) {
        if (!best || distance(&list[i], address) < distance(best, address)) {
            best = &list[i];
        }
    }
    if (best && distance(best, address) > NEAR) {
        best = NULL;
    }
    if (best) {
        *found = *best;
    }
    pthread_mutex_unlock(&list_lock);
    return best != NULL;
}
