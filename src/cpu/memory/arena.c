/* arena.c - the address space of device memory and its allocator.
 *
 * One address range is reserved at the first allocation (addresses.c).
 * Allocations of 64 KiB and more have separate pages, followed by an
 * inaccessible gap; the pages are unmapped when freed, and addresses are
 * reused as late as possible. Smaller allocations share slabs by size class. A
 * table with one entry per 64 KiB finds the allocation that contains an
 * address. external.c manages memory outside the arena, and budget.c decides
 * whether the system has enough memory. One lock, `memory_lock`, guards all
 * state.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/arch/arch.h"
#include "cpu/check/hooks.h"
#include "cpu/device/state.h"
#include "cpu/exports/system_errors.h"
#include "cpu/memory/addresses.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/budget.h"
#include "cpu/memory/external.h"
#include "cpu/memory/pool_usage.h"

#define GRANULE   ((size_t)64 << 10)
#define PAGE      ((size_t)CPU_ARCH_PAGE)
#define ALIGNMENT ((size_t)256)
#define LARGE     GRANULE /* minimum bytes of an allocation in its own pages */
/* Minimum bytes of an allocation that begins at a huge page. */
#define HUGE_BYTES ((size_t)4 << 20)
#define HUGE_UNIT  ((size_t)2 << 20)
/* Offset in a page of each huge allocation, relative to the previous one. */
#define STAGGER    ((size_t)1536)
#define SLAB_BYTES ((size_t)1 << 20)
/* Minimum bytes of other addresses to use before freed ones are reused. */
#define REUSE_MIN ((size_t)64 << 30)
#define LEAD      PAGE /* accessible bytes before a span's first allocation */

static const uint32_t class_bytes[] = {
    256,   512,   768,   1024,  1280,  1536,  1792,  2048,
    2304,  2560,  2816,  3072,  3328,  3584,  3840,  4096,
    5120,  6144,  7168,  8192,  10240, 12288, 14336, 16384,
    20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536,
};

#define CLASSES (sizeof class_bytes / sizeof *class_bytes)

/* A span: a sequence of granules (units of 64 KiB) that holds one large
 * allocation, or a slab of small ones. */
struct span {
    uintptr_t start;
    size_t granules;
    size_t committed; /* number of bytes that are mapped for writing */
    int file;         /* memory file of the pages: descriptor + 1; 0: none */
    /* For a span that is not a slab: its only allocation. */
    struct cpu_allocation one;
    /* For a slab: the allocation in each slot. NULL in other spans. */
    struct cpu_allocation *small;
    uint32_t *free_slots;
    uint32_t free_count, slots, slot_bytes, class_index;
    /* Neighbours in the list of slabs of this size class with free slots. */
    struct span *next, *previous;
    struct span *newer, *older; /* neighbours in the list of all spans */
};

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t arena_start;
static size_t arena_bytes;
/* For each granule (64 KiB): the span that contains it, or NULL. */
static struct span **spans;
/* Index of the granule (64 KiB) where the next search for free ones starts. */
static size_t cursor;
/* The span that was created last; first in the list of all spans. */
static struct span *newest;
/* While a loop over all spans runs: the span that it visits next. */
static struct span *walk;
static struct span *partial[CLASSES];
static size_t used[CPU_MAX_DEVICES];
static size_t huge_offset; /* offset in a page of the next huge allocation */
static uint64_t last_id;

static size_t
round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* At the first call, reserves the addresses and the table of spans. */
static CUresult
arena_open(void)
{
    struct cpu_addresses found;

    if (arena_start) {
        return CUDA_SUCCESS;
    }
    if (!cpu_addresses_reserve(&found, GRANULE, sizeof *spans)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    arena_start = found.start;
    arena_bytes = found.bytes;
    spans = found.table;
    return CUDA_SUCCESS;
}

/* Calls arena_open. If it fails, stores the reason for the error message. */
static CUresult
arena_ready(void)
{
    CUresult code = arena_open();

    if (code) {
        cpu_budget_refuse_addresses();
    }
    return code;
}

/* ---- granules ---- */

/* Returns the index of the first of `granules` successive free granules, units
 * of 64 KiB, between `from` and `to`, or `to` if there are none. */
static size_t
run_find(size_t granules, size_t unit, size_t from, size_t to)
{
    size_t at = round_up(from, unit), length = 0;

    while (at + granules <= to) {
        struct span *span = spans[at + length];
        if (span) {
            size_t after =
                (span->start - arena_start) / GRANULE + span->granules;
            at = round_up(after, unit);
            length = 0;
        } else if (++length == granules) {
            return at;
        }
    }
    return to;
}

/* Returns the number of granules that are used before freed ones are reused.
 * This limits the part of the table `spans` that occupies host memory. */
static size_t
window_granules(void)
{
    size_t window = 4 * cpu_state.memory_bytes;

    window = window < REUSE_MIN ? REUSE_MIN : window;
    return (window < arena_bytes ? window : arena_bytes) / GRANULE;
}

/* Returns the index of the first of `granules` successive free granules, or
 * the end of the arena if there are none. */
static size_t
run_choose(size_t granules, size_t unit)
{
    size_t end = arena_bytes / GRANULE, window = window_granules();
    size_t at = run_find(granules, unit, cursor, window);

    if (at == window) {
        at = run_find(granules, unit, 0, window);
    }
    return at == window ? run_find(granules, unit, window, end) : at;
}

/* Finds free successive granules, aligned to `unit` granules, and enters a new
 * span for them in the table. Returns NULL if memory or granules are short. */
static struct span *
span_new(size_t granules, size_t unit)
{
    size_t at = run_choose(granules, unit);
    struct span *span =
        at == arena_bytes / GRANULE ? NULL : calloc(1, sizeof *span);

    if (!span) {
        if (granules * GRANULE <= cpu_state.memory_bytes) {
            cpu_budget_refuse_addresses();
        }
        return NULL;
    }
    span->start = arena_start + at * GRANULE;
    span->granules = granules;
    for (size_t i = 0; i < granules; i++) {
        spans[at + i] = span;
    }
    cursor = at + granules;
    span->older = newest;
    if (newest) {
        newest->newer = span;
    }
    newest = span;
    return span;
}

/* Returns the pages of a span (large allocation or slab) to the system and
 * makes them inaccessible. On failure returns false and changes nothing. */
static bool
span_unmap(const struct span *span)
{
    void *start = (void *)span->start;
    size_t bytes = span->granules * GRANULE;

    if (mmap(start, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED) {
        return false;
    }
    /* With equal flags, the system merges this range with free neighbours. */
    madvise(start, bytes, MADV_DONTDUMP);
    return true;
}

static void
span_unlink(struct span *span)
{
    if (span == walk) {
        walk = span->older;
    }
    if (span->newer) {
        span->newer->older = span->older;
    } else {
        newest = span->older;
    }
    if (span->older) {
        span->older->newer = span->newer;
    }
}

/* Frees the span with its pages and addresses. If the pages are private and
 * cannot be unmapped, only their contents are discarded. If the pages belong
 * to a file and cannot be unmapped, the addresses stay in use, so that no
 * other allocation receives them. */
static void
span_free(struct span *span)
{
    size_t at = (span->start - arena_start) / GRANULE;
    size_t bytes = span->granules * GRANULE;

    span_unlink(span);
    cpu_budget_commit(-(int64_t)span->committed);
    cpu_budget_return(span->committed);
    if (cpu_check_flags) {
        cpu_check_memory->forget(span->start, bytes);
    }
    if (!span_unmap(span)) {
        if (span->file) {
            span->one.kind = CPU_MEMORY_FREE;
            return;
        }
        madvise((void *)span->start, bytes, MADV_DONTNEED);
    }
    for (size_t i = 0; i < span->granules; i++) {
        spans[at + i] = NULL;
    }
    if (span->file) {
        close(span->file - 1);
    }
    free(span->small);
    free(span->free_slots);
    free(span);
}

/* Makes `bytes` bytes of the span, from the address `first` on, accessible.
 * Returns false if the system does not have enough memory. */
static bool
span_commit(struct span *span, uintptr_t first, size_t bytes)
{
    if (!cpu_budget_admit(bytes)) {
        return false;
    }
    if (mprotect((void *)first, bytes, PROT_READ | PROT_WRITE)) {
        cpu_budget_return(bytes);
        return false;
    }
    span->committed = bytes;
    cpu_budget_commit((int64_t)bytes);
    return true;
}

/* Allocates a span (address range) for one large allocation. The allocation
 * ends, up to alignment, at the inaccessible page at the span's end, so that
 * an overrun faults. A huge allocation instead begins in the first page of a
 * huge page, at another offset than the one before: equal elements of arrays
 * would share cache sets, and loads would wait for stores to equal offsets.
 * Returns NULL on failure. */
static struct cpu_allocation *
large_allocate(size_t bytes)
{
    size_t data = round_up(bytes, ALIGNMENT);
    bool huge = bytes >= HUGE_BYTES && arena_bytes > CPU_ADDRESSES_MAX / 8;
    size_t lead = huge ? HUGE_UNIT + huge_offset : LEAD;
    size_t pages = round_up(lead + data, PAGE) + PAGE;
    struct span *span = span_new(round_up(pages, GRANULE) / GRANULE,
                                 huge ? HUGE_UNIT / GRANULE : 1);

    if (!span) {
        return NULL;
    }
    uintptr_t end = span->start + span->granules * GRANULE - PAGE;
    uintptr_t base = huge ? span->start + lead : end - data;
    uintptr_t first = (base & ~(PAGE - 1)) - LEAD;
    if (!span_commit(span, first, round_up(base + data - first, PAGE))) {
        span_free(span);
        return NULL;
    }
    if (huge) {
        madvise((void *)(base & ~(PAGE - 1)), data, MADV_HUGEPAGE);
        huge_offset = (huge_offset + STAGGER) % PAGE;
    }
    span->one.base = base;
    return &span->one;
}

static void
partial_add(struct span *slab)
{
    struct span **first = &partial[slab->class_index];

    slab->previous = NULL;
    slab->next = *first;
    if (*first) {
        (*first)->previous = slab;
    }
    *first = slab;
}

static void
partial_remove(struct span *slab)
{
    if (slab->previous) {
        slab->previous->next = slab->next;
    } else {
        partial[slab->class_index] = slab->next;
    }
    if (slab->next) {
        slab->next->previous = slab->previous;
    }
}

/* Allocates a slab of a size class, or returns NULL if memory is short. */
static struct span *
slab_new(uint32_t class_index)
{
    struct span *slab = span_new(SLAB_BYTES / GRANULE, 1);

    if (!slab) {
        return NULL;
    }
    slab->class_index = class_index;
    slab->slot_bytes = class_bytes[class_index];
    slab->slots = (uint32_t)((SLAB_BYTES - LEAD) / slab->slot_bytes);
    slab->small = calloc(slab->slots, sizeof *slab->small);
    slab->free_slots = malloc(slab->slots * sizeof *slab->free_slots);
    if (!slab->small || !slab->free_slots ||
        !span_commit(slab, slab->start, SLAB_BYTES)) {
        span_free(slab);
        return NULL;
    }
    for (uint32_t i = 0; i < slab->slots; i++) {
        slab->free_slots[i] = slab->slots - 1 - i;
    }
    slab->free_count = slab->slots;
    partial_add(slab);
    return slab;
}

/* Allocates a slot of the smallest size class that fits, or returns NULL. */
static struct cpu_allocation *
small_allocate(size_t bytes)
{
    uint32_t index = 0;

    while (class_bytes[index] < bytes) {
        index++;
    }
    struct span *slab = partial[index] ? partial[index] : slab_new(index);
    if (!slab) {
        return NULL;
    }
    uint32_t slot = slab->free_slots[--slab->free_count];
    if (!slab->free_count) {
        partial_remove(slab);
    }
    slab->small[slot].base =
        slab->start + LEAD + (size_t)slot * slab->slot_bytes;
    return &slab->small[slot];
}

/* Frees a slot, and its slab if that is empty and another one has room. */
static void
small_free(struct span *slab, struct cpu_allocation *allocation)
{
    uint32_t slot = (uint32_t)(allocation - slab->small);

    allocation->kind = CPU_MEMORY_FREE;
    slab->free_slots[slab->free_count++] = slot;
    if (slab->free_count == 1) {
        partial_add(slab);
    } else if (slab->free_count == slab->slots && slab->next) {
        partial_remove(slab);
        span_free(slab);
    }
}

/* ---- lookup ---- */

static struct span *
span_of(uintptr_t address)
{
    return arena_start && address - arena_start < arena_bytes
               ? spans[(address - arena_start) / GRANULE]
               : NULL;
}

/* Returns the allocation of the arena that contains the address, or NULL.
 * Freed memory in quarantine does not count. */
static struct cpu_allocation *
arena_lookup(uintptr_t address)
{
    struct span *span = span_of(address);
    struct cpu_allocation *found;

    if (!span) {
        return NULL;
    }
    found = &span->one;
    if (span->small) {
        size_t slot = (address - span->start - LEAD) / span->slot_bytes;
        if (slot >= span->slots) { /* address before or after all slots */
            return NULL;
        }
        found = &span->small[slot];
    }
    return found->kind && found->kind != CPU_MEMORY_QUARANTINED &&
                   address - found->base < found->bytes
               ? found
               : NULL;
}

/* Computes address and size in bytes of a span's accessible pages. */
static void
span_pages(const struct span *span, uintptr_t *first, size_t *bytes)
{
    uintptr_t base = span->one.base;

    *first = span->small ? span->start : base & ~(PAGE - 1);
    *bytes =
        span->small
            ? SLAB_BYTES
            : round_up(base + round_up(span->one.bytes, ALIGNMENT) - *first,
                       PAGE);
}

/* Moves the span's contents into a memory file, at the same addresses. The
 * caller holds the memory lock. */
static CUresult
span_share(struct span *span)
{
    uintptr_t first;
    size_t bytes, written = 0;
    int fd = memfd_create("pycuda", MFD_CLOEXEC);

    if (fd < 0) {
        return cpu_system_error_set(errno,
                                    "a file of memory for an allocation that "
                                    "processes share");
    }
    span_pages(span, &first, &bytes);
    while (written < bytes) {
        ssize_t part = write(fd, (char *)first + written, bytes - written);
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part <= 0) {
            int error = part ? errno : ENOSPC;
            close(fd);
            return cpu_system_error_set(error,
                                        "%zu bytes of memory that processes "
                                        "share",
                                        bytes);
        }
        written += (size_t)part;
    }
    if (mmap((void *)first, bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        CUresult code = cpu_system_error_set(errno,
                                             "to map %zu bytes of memory that "
                                             "processes share",
                                             bytes);
        close(fd);
        return code;
    }
    span->file = fd + 1;
    return CUDA_SUCCESS;
}

CUresult
cpu_arena_share(uintptr_t address, bool may_move, struct cpu_shared *shared)
{
    CUresult code = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&memory_lock);
    struct cpu_allocation *allocation = arena_lookup(address);
    if (allocation && allocation->kind == CPU_MEMORY_DEVICE &&
        !allocation->pool) {
        struct span *span = span_of(address);
        uintptr_t first;
        size_t bytes;

        code = span->file || !may_move ? CUDA_SUCCESS : span_share(span);
        span_pages(span, &first, &bytes);
        shared->fd = span->file - 1;
        shared->offset = allocation->base - first;
        shared->bytes = allocation->bytes;
    }
    pthread_mutex_unlock(&memory_lock);
    return code;
}

/* ---- quarantine of freed memory ---- */

#define QUARANTINE_MAX   1024
#define QUARANTINE_BYTES ((size_t)64 << 20)

/* Quarantine: a ring buffer of freed memory, oldest first. Its addresses are
 * not reused yet, so that the checks detect accesses to freed memory. */
static struct cpu_allocation *quarantine[QUARANTINE_MAX];
static size_t quarantine_first, quarantine_count, quarantine_bytes;

/* Frees the oldest memory in quarantine. */
static void
quarantine_release(void)
{
    struct cpu_allocation *oldest = quarantine[quarantine_first];
    struct span *span = span_of(oldest->base);

    quarantine_first = (quarantine_first + 1) % QUARANTINE_MAX;
    quarantine_count--;
    quarantine_bytes -= oldest->bytes;
    if (span->small) {
        small_free(span, oldest);
    } else {
        span_free(span);
    }
}

/* Puts freed memory into quarantine. Returns false if it must be freed. */
static bool
quarantine_add(struct cpu_allocation *allocation)
{
    if (!(cpu_check_flags & CPU_CHECK_MEMORY) ||
        allocation->bytes > QUARANTINE_BYTES / 4) {
        return false;
    }
    while (quarantine_count == QUARANTINE_MAX ||
           (quarantine_count &&
            quarantine_bytes + allocation->bytes > QUARANTINE_BYTES)) {
        quarantine_release();
    }
    allocation->kind = CPU_MEMORY_QUARANTINED;
    allocation->context_id = 0;
    quarantine[(quarantine_first + quarantine_count++) % QUARANTINE_MAX] =
        allocation;
    quarantine_bytes += allocation->bytes;
    return true;
}

const char *
cpu_arena_maker(enum cpu_memory_kind kind)
{
    return kind == CPU_MEMORY_MANAGED ? "cuMemAllocManaged"
           : kind == CPU_MEMORY_HOST  ? "cuMemHostAlloc"
                                      : "cuMemAlloc";
}

/* ---- interface ---- */

bool
cpu_arena_find(uintptr_t address, struct cpu_allocation *found)
{
    pthread_mutex_lock(&memory_lock);
    struct cpu_allocation *allocation = arena_lookup(address);
    if (!allocation) {
        allocation = cpu_external_find(address);
    }
    if (allocation) {
        *found = *allocation;
    }
    pthread_mutex_unlock(&memory_lock);
    return allocation != NULL;
}

bool
cpu_arena_contains(uintptr_t address)
{
    pthread_mutex_lock(&memory_lock);
    bool inside = arena_start && address - arena_start < arena_bytes;
    pthread_mutex_unlock(&memory_lock);
    return inside;
}

/* Returns true if the device's memory limit permits `bytes` more bytes. */
static bool
device_has(int device, size_t bytes)
{
    return bytes <= cpu_state.memory_bytes &&
           used[device] <= cpu_state.memory_bytes - bytes;
}

CUresult
cpu_arena_allocate(size_t bytes, const struct cpu_allocation *as,
                   uintptr_t *base)
{
    struct cpu_allocation *made = NULL;
    bool counted = as->kind != CPU_MEMORY_HOST;
    size_t room = cpu_check_flags ? bytes + CPU_CHECK_GAP : bytes;

    cpu_budget_begin();
    pthread_mutex_lock(&memory_lock);
    if (!arena_ready()) {
        if (counted && !device_has(as->device, bytes)) {
            cpu_budget_explain(bytes);
        } else {
            made =
                room >= LARGE ? large_allocate(bytes) : small_allocate(room);
        }
    }
    if (made) {
        *base = made->base;
        *made = *as;
        made->base = *base;
        made->bytes = bytes;
        made->id = ++last_id;
        used[as->device] += counted ? bytes : 0;
    }
    pthread_mutex_unlock(&memory_lock);
    if (made && cpu_check_flags) {
        cpu_check_memory->allocated(*base, bytes, cpu_arena_maker(as->kind),
                                    as->kind == CPU_MEMORY_DEVICE);
    }
    return made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Subtracts the allocation from the memory usage of its device and pool, and
 * frees the memory or puts it into quarantine. */
static void
allocation_free(struct cpu_allocation *allocation)
{
    struct span *span = span_of(allocation->base);

    if (allocation->kind != CPU_MEMORY_HOST) {
        used[allocation->device] -= allocation->bytes;
    }
    if (allocation->pool) {
        cpu_pool_return(allocation->pool, allocation->bytes);
    }
    if (quarantine_add(allocation)) {
        return;
    }
    if (span->small) {
        small_free(span, allocation);
    } else {
        span_free(span);
    }
}

CUresult
cpu_arena_free(uintptr_t base, enum cpu_memory_kind kind)
{
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    pthread_mutex_lock(&memory_lock);
    struct cpu_allocation *allocation = arena_lookup(base);
    if (allocation && allocation->base == base && allocation->kind == kind) {
        allocation_free(allocation);
        code = CUDA_SUCCESS;
    }
    pthread_mutex_unlock(&memory_lock);
    if (!code && cpu_check_flags) {
        cpu_check_memory->freed(base);
    }
    return code;
}

CUresult
cpu_arena_add_external(const struct cpu_allocation *as)
{
    pthread_mutex_lock(&memory_lock);
    CUresult code = cpu_external_add(as, last_id + 1);
    last_id += code == CUDA_SUCCESS;
    pthread_mutex_unlock(&memory_lock);
    return code;
}

CUresult
cpu_arena_remove_external(uintptr_t base, enum cpu_memory_kind kind)
{
    pthread_mutex_lock(&memory_lock);
    bool removed = cpu_external_remove(base, kind);
    pthread_mutex_unlock(&memory_lock);
    return removed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Frees the slots of a slab that belong to a context. */
static void
slab_free_context(struct span *slab, uint64_t context_id)
{
    for (uint32_t i = 0; i < slab->slots; i++) {
        struct cpu_allocation *small = &slab->small[i];

        if (small->kind && small->context_id == context_id) {
            bool last = slab->free_count + 1 == slab->slots;
            allocation_free(small);
            if (last) {
                return; /* the slab became empty and may have been freed */
            }
        }
    }
}

/* Frees all memory of a context that is being destroyed. */
void
cpu_arena_free_context(uint64_t context_id)
{
    pthread_mutex_lock(&memory_lock);
    for (walk = newest; walk;) {
        struct span *span = walk;

        walk = span->older;
        if (span->small) {
            slab_free_context(span, context_id);
        } else if (span->one.context_id == context_id) {
            allocation_free(&span->one);
        }
    }
    cpu_external_remove_context(context_id);
    pthread_mutex_unlock(&memory_lock);
}

size_t
cpu_arena_used(int device)
{
    pthread_mutex_lock(&memory_lock);
    size_t bytes = used[device];
    pthread_mutex_unlock(&memory_lock);
    return bytes;
}

uint64_t
cpu_arena_resident(uint64_t most)
{
    uint64_t bytes = 0;

    for (const struct span *span = newest; span; span = span->older) {
        uintptr_t first;
        size_t length;

        if (span->committed) {
            span_pages(span, &first, &length);
            bytes += cpu_budget_resident(first, length);
        }
    }
    return bytes < most ? bytes : most;
}

uint64_t
cpu_arena_free_addresses(void)
{
    size_t free_granules = 0, end = arena_bytes / GRANULE;

    for (size_t at = 0; at < end;) {
        const struct span *span = spans[at];
        free_granules += !span;
        at += span ? span->granules : 1;
    }
    return (uint64_t)free_granules * GRANULE;
}

uint64_t
cpu_arena_free_bytes(void)
{
    pthread_mutex_lock(&memory_lock);
    uint64_t bytes = arena_open() ? 0 : cpu_budget_free_bytes();
    pthread_mutex_unlock(&memory_lock);
    return bytes;
}

bool
cpu_arena_admit(uint64_t bytes)
{
    cpu_budget_begin();
    pthread_mutex_lock(&memory_lock);
    bool admitted = cpu_budget_admit(bytes);
    pthread_mutex_unlock(&memory_lock);
    return admitted;
}
