/* shadow.c - memory beside memory: cells for a word, a byte for a byte.
 *
 * Called by race.c, rows.c and init.c.  Memory is looked
 * at in granules of 64 KiB, found by two tables; what nobody looked at has
 * none.  A granule's cells keep their addresses as long as the process, since
 * there are no locks: whoever makes a table or a granule first wins, and
 * others may look at any time.  They lose their pages with the memory beside
 * them.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu/check/shadow.h"

#define TABLE (1 << 16) /* granules */
#define SLACK 16        /* bytes behind, for reads of several at once */
#define PAGE  ((uintptr_t)CPU_ARCH_PAGE)

void *_Atomic *_Atomic cpu_shadow_tables[CPU_SHADOW_KINDS][1 << 15];
struct cpu_check_words *_Atomic cpu_shadow_cells;

/* What a granule has that was never written; it is only read. */
static uint8_t all_unset[CPU_SHADOW_GRANULE + SLACK];
static pthread_once_t all_unset_once = PTHREAD_ONCE_INIT;

static void
all_unset_fill(void)
{
    memset(all_unset, 1, CPU_SHADOW_GRANULE);
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

/* The place of the granule's pointer; NULL: no memory. */
static void *_Atomic *
place_of(enum cpu_shadow_kind kind, uintptr_t address)
{
    void *_Atomic *_Atomic *top =
        &cpu_shadow_tables[kind][address >> 32 & 0x7fff];
    void *_Atomic *table = atomic_load(top);

    if (!table) {
        void *_Atomic *made = clear_memory(TABLE * sizeof *made);

        if (!made) {
            return NULL;
        }
        if (atomic_compare_exchange_strong(top, &table, made)) {
            table = made;
        } else {
            free(made);
        }
    }
    return &table[address >> 16 & 0xffff];
}

struct cpu_check_words *
cpu_shadow_words(uintptr_t address)
{
    void *_Atomic *place = place_of(CPU_SHADOW_CELLS, address);
    void *found = place ? atomic_load(place) : NULL;

    if (found || !place) {
        return found;
    }
    struct cpu_check_words *made = clear_memory(sizeof *made);
    if (made && !atomic_compare_exchange_strong(place, &found, made)) {
        free(made);
        return found;
    }
    if (made) {
        made->next = atomic_load(&cpu_shadow_cells);
        while (!atomic_compare_exchange_weak(&cpu_shadow_cells, &made->next,
                                             made)) {
        }
    }
    return made;
}

/* ---- bytes ---- */

/* Own bytes for the granule, where it has none or those that are read only. */
static uint8_t *
bytes_own(void *_Atomic *place)
{
    void *found = atomic_load(place);

    if (found && found != all_unset) {
        return found;
    }
    uint8_t *made = clear_memory(CPU_SHADOW_GRANULE + SLACK);
    if (made && found) {
        memset(made, 1, CPU_SHADOW_GRANULE);
    }
    if (made && !atomic_compare_exchange_strong(place, &found, made)) {
        free(made);
        made = found == all_unset ? NULL : found;
    }
    return made;
}

static void
mark_granule(uintptr_t address, uint64_t bytes, bool written)
{
    void *found = cpu_shadow_find(CPU_SHADOW_BYTES, address);
    void *_Atomic *place;

    if ((written && !found) || (!written && found == all_unset) ||
        !(place = place_of(CPU_SHADOW_BYTES, address))) {
        return;
    }
    if (bytes == CPU_SHADOW_GRANULE && (!found || found == all_unset)) {
        pthread_once(&all_unset_once, all_unset_fill);
        if (atomic_compare_exchange_strong(place, &found,
                                           written ? NULL : all_unset)) {
            return;
        }
    }
    uint8_t *own = bytes_own(place);
    if (own) {
        memset(own + address % CPU_SHADOW_GRANULE, !written, bytes);
    }
}

static uint64_t
in_granule(uintptr_t address, uint64_t bytes)
{
    uint64_t room = CPU_SHADOW_GRANULE - address % CPU_SHADOW_GRANULE;

    return bytes < room ? bytes : room;
}

void
cpu_check_mark(uintptr_t address, uint64_t bytes, bool written)
{
    while (bytes) {
        uint64_t n = in_granule(address, bytes);

        mark_granule(address, n, written);
        address += n;
        bytes -= n;
    }
}

bool
cpu_check_unset(uintptr_t address, uint64_t bytes)
{
    while (bytes) {
        uint64_t n = in_granule(address, bytes);
        const uint8_t *found = cpu_shadow_find(CPU_SHADOW_BYTES, address);

        if (found && memchr(found + address % CPU_SHADOW_GRANULE, 1, n)) {
            return true;
        }
        address += n;
        bytes -= n;
    }
    return false;
}

/* ---- memory that is gone ---- */

/* What is in the pages becomes 0, which is "nobody was here". */
static void
pages_drop(void *found, size_t bytes)
{
    uintptr_t first = ((uintptr_t)found + PAGE - 1) & ~(PAGE - 1);
    uintptr_t end = ((uintptr_t)found + bytes) & ~(PAGE - 1);

    if (found && found != all_unset) {
        madvise((void *)first, end - first, MADV_DONTNEED);
    }
}

void
cpu_shadow_drop(struct cpu_check_words *words)
{
    pages_drop(words->writes,
               sizeof *words - offsetof(struct cpu_check_words, writes));
}

void
cpu_check_forget(uintptr_t start, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += CPU_SHADOW_GRANULE) {
        struct cpu_check_words *words =
            cpu_shadow_find(CPU_SHADOW_CELLS, start + at);
        if (words) {
            cpu_shadow_drop(words);
        }
        pages_drop(cpu_shadow_find(CPU_SHADOW_BYTES, start + at),
                   CPU_SHADOW_GRANULE);
    }
}
