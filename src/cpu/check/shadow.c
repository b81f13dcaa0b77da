/* shadow.c - memory beside memory: cells for a word, a byte for a byte.
 *
 * Called by race.c, rows.c, idle.c and init.c.  Memory is looked at in
 * granules of 64 KiB, found by two tables; what nobody looked at has none.
 * There are no locks: whoever makes a table or a granule first wins, and
 * others may look at any time.  So a granule's cells stay while any kernel
 * runs; its bytes, once the memory beside them is gone, are kept for another
 * granule.  Both have pages of their own, which go when they are of no use.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu/check/shadow.h"

#define TABLE (1 << 16) /* granules */
#define SLACK 4096      /* bytes behind, for reads of several at once */
#define PAGE  ((uintptr_t)CPU_ARCH_PAGE)
#define CELLS (sizeof(struct cpu_check_words) + PAGE)

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

/* Pages of 0 that nothing else shares; NULL: no memory. */
static void *
pages_make(size_t bytes)
{
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return made == MAP_FAILED ? NULL : made;
}

/* Granules' cells begin in different lines of a page: those of several arrays
 * are used together, and caches keep few lines of one place in a page. */
static struct cpu_check_words *
cells_make(uintptr_t address)
{
    char *made = pages_make(CELLS);

    return made ? (void *)(made + address / CPU_SHADOW_GRANULE % 32 * 64)
                : NULL;
}

static void
cells_unmap(struct cpu_check_words *words)
{
    munmap((void *)((uintptr_t)words & ~(PAGE - 1)), CELLS);
}

struct cpu_check_words *
cpu_shadow_words(uintptr_t address)
{
    void *_Atomic *place = place_of(CPU_SHADOW_CELLS, address);
    void *found = place ? atomic_load(place) : NULL;

    if (found || !place) {
        return found;
    }
    struct cpu_check_words *made = cells_make(address);
    if (made) {
        made->place = place;
    }
    if (made && !atomic_compare_exchange_strong(place, &found, made)) {
        cells_unmap(made);
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

void
cpu_shadow_drop(struct cpu_check_words *words)
{
    uintptr_t first = ((uintptr_t)words->writes + PAGE - 1) & ~(PAGE - 1);
    uintptr_t end = (uintptr_t)(words + 1) & ~(PAGE - 1);

    madvise((void *)first, end - first, MADV_DONTNEED);
}

void
cpu_shadow_free(struct cpu_check_words *words)
{
    atomic_store(words->place, NULL);
    cells_unmap(words);
}

/* ---- bytes ---- */

/* Those that no granule has now.  They are never unmapped: who found them
 * before they were taken away may still look. */
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t **spare;
static size_t spare_count, spare_capacity;

/* A fault of the kernel's must not leave who holds the lock. */
static uint8_t *
spare_take(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    int in_kernel = worker ? worker->in_kernel : 0;
    uint8_t *taken = NULL;

    if (worker) {
        worker->in_kernel = 0;
    }
    pthread_mutex_lock(&spare_lock);
    if (spare_count) {
        taken = spare[--spare_count];
    }
    pthread_mutex_unlock(&spare_lock);
    if (worker) {
        worker->in_kernel = in_kernel;
    }
    return taken;
}

static bool
spare_reserve(void)
{
    if (spare_count < spare_capacity) {
        return true;
    }
    size_t capacity = spare_capacity ? 2 * spare_capacity : 256;
    uint8_t **grown = realloc(spare, capacity * sizeof *spare);

    if (grown) {
        spare = grown;
        spare_capacity = capacity;
    }
    return grown != NULL;
}

/* Their pages go.  Without memory for the list, so do they. */
static void
spare_add(uint8_t *bytes)
{
    madvise(bytes, CPU_SHADOW_GRANULE, MADV_DONTNEED);
    pthread_mutex_lock(&spare_lock);
    if (spare_reserve()) {
        spare[spare_count++] = bytes;
    }
    pthread_mutex_unlock(&spare_lock);
}

static uint8_t *
bytes_make(void)
{
    uint8_t *made = spare_take();

    return made ? made : pages_make(CPU_SHADOW_GRANULE + SLACK);
}

/* Own bytes for the granule, where it has none or those that are read only. */
static uint8_t *
bytes_own(void *_Atomic *place)
{
    void *found = atomic_load(place);

    if (found && found != all_unset) {
        return found;
    }
    uint8_t *made = bytes_make();
    if (made && found) {
        memset(made, 1, CPU_SHADOW_GRANULE);
    }
    if (made && !atomic_compare_exchange_strong(place, &found, made)) {
        munmap(made, CPU_SHADOW_GRANULE + SLACK); /* no other has seen it */
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

/* Of a whole granule: nobody was here. */
static void
cells_forget(uintptr_t address)
{
    struct cpu_check_words *words = cpu_shadow_find(CPU_SHADOW_CELLS, address);

    if (words) {
        cpu_shadow_drop(words);
    }
}

static void
bytes_forget(uintptr_t address)
{
    void *found = cpu_shadow_find(CPU_SHADOW_BYTES, address);

    if (found &&
        atomic_compare_exchange_strong(place_of(CPU_SHADOW_BYTES, address),
                                       &found, NULL) &&
        found != all_unset) {
        spare_add(found);
    }
}

void
cpu_check_forget(uintptr_t start, size_t bytes)
{
    while (bytes) {
        uint64_t n = in_granule(start, bytes);

        if (n == CPU_SHADOW_GRANULE) {
            cells_forget(start);
            bytes_forget(start);
        } else {
            mark_granule(start, n, true);
        }
        start += n;
        bytes -= n;
    }
}
