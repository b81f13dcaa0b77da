/* shadow.c - shadow memory: access records of words, and state of bytes.
 *
 * Called by race.c, loop_accesses.c, reclaim.c and uninitialized.c. The unit
 * of allocation is a granule, which describes 64 KiB of memory. A granule is
 * allocated on first use and found through a two-level table. The tables need
 * no locks: the first worker to install a table or a granule wins. Since other
 * workers may read a granule at any time, access records are not freed while a
 * kernel runs, and the byte states of freed memory stay mapped: they go to a
 * free list for other granules. Records and byte states have separate pages,
 * whose contents are returned to the system when unused.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu/arch/arch.h"
#include "cpu/check/hooks.h"
#include "cpu/check/shadow.h"
#include "cpu/stream/worker.h"

/* number of granules (64 KiB of memory each) in a second-level table */
#define TABLE_SIZE (1 << 16)
/* Extra bytes after the byte states of a granule, since code that reads
 * several states at once may read beyond the end. */
#define SLACK         4096
#define PAGE          ((uintptr_t)CPU_ARCH_PAGE)
#define GRANULE_BYTES (sizeof(struct cpu_shadow_granule) + PAGE)

void *_Atomic *_Atomic cpu_shadow_tables[CPU_SHADOW_KINDS][1 << 15];
struct cpu_shadow_granule *_Atomic cpu_shadow_granules;

/* Byte states (1: never written) shared by all granules (units of 64 KiB) in
 * which no byte was written. Read-only. */
static uint8_t all_uninitialized[CPU_SHADOW_GRANULE + SLACK];
static pthread_once_t all_uninitialized_once = PTHREAD_ONCE_INIT;

static void
all_uninitialized_fill(void)
{
    memset(all_uninitialized, 1, CPU_SHADOW_GRANULE);
}

/* Allocates zeroed memory. Clears the worker's flag in_kernel during the call,
 * since a fault inside malloc must not be handled as a fault of the CUDA
 * kernel. */
static void *
table_allocate(size_t bytes)
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

/* Returns the table entry of the granule (64 KiB of memory) that contains
 * `address`. The entry points to the granule's shadow memory. Returns NULL if
 * there is not enough memory for the table. */
static void *_Atomic *
slot_get(enum cpu_shadow_kind kind, uintptr_t address)
{
    void *_Atomic *_Atomic *top =
        &cpu_shadow_tables[kind][address >> 32 & 0x7fff];
    void *_Atomic *table = atomic_load(top);

    if (!table) {
        void *_Atomic *made = table_allocate(TABLE_SIZE * sizeof *made);

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

/* Maps zeroed private pages; returns NULL if there is not enough memory. */
static void *
pages_map(size_t bytes)
{
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return made == MAP_FAILED ? NULL : made;
}

/* Maps memory for the access records of the granule (64 KiB of memory) that
 * contains `address`. The records start some cache lines after the start of a
 * page; how many depends on the address. Otherwise the records of arrays that
 * are used together would compete for the same sets of the processor's
 * cache. */
static struct cpu_shadow_granule *
granule_map(uintptr_t address)
{
    char *made = pages_map(GRANULE_BYTES);

    return made ? (void *)(made + address / CPU_SHADOW_GRANULE % 32 * 64)
                : NULL;
}

static void
granule_unmap(struct cpu_shadow_granule *granule)
{
    munmap((void *)((uintptr_t)granule & ~(PAGE - 1)), GRANULE_BYTES);
}

struct cpu_shadow_granule *
cpu_shadow_granule_get(uintptr_t address)
{
    void *_Atomic *slot = slot_get(CPU_SHADOW_ACCESSES, address);
    void *found = slot ? atomic_load(slot) : NULL;

    if (found || !slot) {
        return found;
    }
    struct cpu_shadow_granule *made = granule_map(address);
    if (made) {
        made->table_slot = slot;
    }
    if (made && !atomic_compare_exchange_strong(slot, &found, made)) {
        granule_unmap(made);
        return found;
    }
    if (made) {
        made->next = atomic_load(&cpu_shadow_granules);
        while (!atomic_compare_exchange_weak(&cpu_shadow_granules, &made->next,
                                             made)) {
        }
    }
    return made;
}

void
cpu_shadow_granule_clear(struct cpu_shadow_granule *granule)
{
    uintptr_t first = ((uintptr_t)granule->writes + PAGE - 1) & ~(PAGE - 1);
    uintptr_t end = (uintptr_t)(granule + 1) & ~(PAGE - 1);

    madvise((void *)first, end - first, MADV_DONTNEED);
}

void
cpu_shadow_granule_free(struct cpu_shadow_granule *granule)
{
    atomic_store(granule->table_slot, NULL);
    granule_unmap(granule);
}

/* ---- byte states ---- */

/* Free list of byte states (one byte per byte of a granule: written or not)
 * that no granule uses. Byte states are never unmapped, since a worker that
 * has looked them up may still read them. */
static pthread_mutex_t free_list_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t **free_list;
static size_t free_list_count, free_list_capacity;

/* Takes the byte states (one byte per byte of memory) of a granule from the
 * free list. Returns NULL if the list is empty. Clears the worker's flag
 * in_kernel during the call, since a fault must not end the CUDA kernel while
 * the worker holds the lock. */
static uint8_t *
free_list_take(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    int in_kernel = worker ? worker->in_kernel : 0;
    uint8_t *taken = NULL;

    if (worker) {
        worker->in_kernel = 0;
    }
    pthread_mutex_lock(&free_list_lock);
    if (free_list_count) {
        taken = free_list[--free_list_count];
    }
    pthread_mutex_unlock(&free_list_lock);
    if (worker) {
        worker->in_kernel = in_kernel;
    }
    return taken;
}

static bool
free_list_reserve(void)
{
    if (free_list_count < free_list_capacity) {
        return true;
    }
    size_t capacity = free_list_capacity ? 2 * free_list_capacity : 256;
    uint8_t **grown = realloc(free_list, capacity * sizeof *free_list);

    if (grown) {
        free_list = grown;
        free_list_capacity = capacity;
    }
    return grown != NULL;
}

/* Adds byte states (one byte per byte of memory) that no granule uses to the
 * free list, and returns their pages to the system. If the list cannot grow,
 * their address range is lost. */
static void
free_list_add(uint8_t *bytes)
{
    madvise(bytes, CPU_SHADOW_GRANULE, MADV_DONTNEED);
    pthread_mutex_lock(&free_list_lock);
    if (free_list_reserve()) {
        free_list[free_list_count++] = bytes;
    }
    pthread_mutex_unlock(&free_list_lock);
}

static uint8_t *
bytes_get(void)
{
    uint8_t *made = free_list_take();

    return made ? made : pages_map(CPU_SHADOW_GRANULE + SLACK);
}

/* Returns the writable byte states (one byte per byte of memory) of a granule.
 * Allocates them if the granule has no states, or has only the read-only
 * states that all unwritten granules share. Returns NULL if there is not
 * enough memory. */
static uint8_t *
bytes_get_private(void *_Atomic *slot)
{
    void *found = atomic_load(slot);

    if (found && found != all_uninitialized) {
        return found;
    }
    uint8_t *made = bytes_get();
    if (made && found) {
        memset(made, 1, CPU_SHADOW_GRANULE);
    }
    if (made && !atomic_compare_exchange_strong(slot, &found, made)) {
        /* Another worker has installed its pages first. No worker has seen
         * these pages, so they can be unmapped. */
        munmap(made, CPU_SHADOW_GRANULE + SLACK);
        made = found == all_uninitialized ? NULL : found;
    }
    return made;
}

static void
mark_granule(uintptr_t address, uint64_t bytes, bool written)
{
    void *found = cpu_shadow_find(CPU_SHADOW_BYTES, address);
    void *_Atomic *slot;

    if ((written && !found) || (!written && found == all_uninitialized) ||
        !(slot = slot_get(CPU_SHADOW_BYTES, address))) {
        return;
    }
    if (bytes == CPU_SHADOW_GRANULE &&
        (!found || found == all_uninitialized)) {
        pthread_once(&all_uninitialized_once, all_uninitialized_fill);
        if (atomic_compare_exchange_strong(
                slot, &found, written ? NULL : all_uninitialized)) {
            return;
        }
    }
    uint8_t *bytes_private = bytes_get_private(slot);
    if (bytes_private) {
        memset(bytes_private + address % CPU_SHADOW_GRANULE, !written, bytes);
    }
}

static uint64_t
bytes_in_granule(uintptr_t address, uint64_t bytes)
{
    uint64_t rest = CPU_SHADOW_GRANULE - address % CPU_SHADOW_GRANULE;

    return bytes < rest ? bytes : rest;
}

void
cpu_check_set_written(uintptr_t address, uint64_t bytes, bool written)
{
    while (bytes) {
        uint64_t n = bytes_in_granule(address, bytes);

        mark_granule(address, n, written);
        address += n;
        bytes -= n;
    }
}

bool
cpu_check_has_uninitialized(uintptr_t address, uint64_t bytes)
{
    while (bytes) {
        uint64_t n = bytes_in_granule(address, bytes);
        const uint8_t *found = cpu_shadow_find(CPU_SHADOW_BYTES, address);

        if (found && memchr(found + address % CPU_SHADOW_GRANULE, 1, n)) {
            return true;
        }
        address += n;
        bytes -= n;
    }
    return false;
}

/* ---- freed memory ---- */

/* Clears all access records of the granule (64 KiB of memory) at `address`. */
static void
accesses_forget(uintptr_t address)
{
    struct cpu_shadow_granule *granule =
        cpu_shadow_find(CPU_SHADOW_ACCESSES, address);

    if (granule) {
        cpu_shadow_granule_clear(granule);
    }
}

static void
bytes_forget(uintptr_t address)
{
    void *found = cpu_shadow_find(CPU_SHADOW_BYTES, address);

    if (found &&
        atomic_compare_exchange_strong(slot_get(CPU_SHADOW_BYTES, address),
                                       &found, NULL) &&
        found != all_uninitialized) {
        free_list_add(found);
    }
}

void
cpu_check_forget(uintptr_t start, size_t bytes)
{
    while (bytes) {
        uint64_t n = bytes_in_granule(start, bytes);

        if (n == CPU_SHADOW_GRANULE) {
            accesses_forget(start);
            bytes_forget(start);
        } else {
            mark_granule(start, n, true);
        }
        start += n;
        bytes -= n;
    }
}
