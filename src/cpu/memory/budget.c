/* budget.c - decides whether the system has enough memory for an allocation.
 *
 * Called by arena.c under its lock, on behalf of memory.c and the image
 * loader. Pages are filled when they are first touched, so a successful
 * allocation could end the process later: the system's OOM killer gives no
 * warning. Therefore an allocation fails if it does not fit into the memory
 * that is available now, minus memory that is allocated and not yet touched.
 *
 * The available memory changes all the time. Changes of less than a quarter of
 * the reserve are ignored. So if a program frees memory and queries the free
 * memory before and after, the two results differ by exactly the freed amount.
 * Reading the available memory from /proc and the cgroup files takes time. So
 * each reading also sets a grant, a number of bytes of at most another quarter
 * of the reserve. Small allocations that fit into the grant do not read again.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/device/state.h"
#include "cpu/memory/available.h"
#include "cpu/memory/budget.h"

#define HUGE_UNIT ((size_t)2 << 20)

static uint64_t committed; /* number of writable bytes in the arena */
/* Bytes that may be allocated before the available memory is read again from
 * /proc and the cgroup files. */
static uint64_t grant;
/* Maximum of `grant` (bytes that may be allocated before the limits are read
 * again). */
static uint64_t grant_most;
/* Committed plus available bytes when /proc and the cgroup files were last
 * read. */
static uint64_t capacity;

/* Texts that say why allocations failed, in a ring buffer. A text is valid
 * until REASONS more allocations have failed. The memory lock guards the
 * buffer. */
#define REASONS 16
static char reasons[REASONS][CPU_SOURCE_BYTES + 32];
static unsigned next_reason;

/* Reason why the calling thread's last allocation failed: a text in `reasons`.
 * NULL if the allocation succeeded, or if it only exceeded the device's own
 * limit. */
static _Thread_local const char *refusal;

const char *
cpu_budget_refusal(void)
{
    return refusal;
}

/* Copies the text `reason` to the next element of `reasons`, and makes
 * `refusal` point to this copy. The caller holds the memory lock. */
static void
refusal_set(const char *reason)
{
    char *text = reasons[next_reason++ % REASONS];

    snprintf(text, sizeof *reasons, "out of memory (%s)", reason);
    refusal = text;
}

/* Counts the resident pages among the `count` bytes that mincore wrote. */
static uint64_t
pages_count(const unsigned char *pages, size_t count)
{
    uint64_t found = 0, word;
    size_t i = 0;

    for (; i + sizeof word <= count; i += sizeof word) {
        memcpy(&word, pages + i, sizeof word);
        found += (uint64_t)__builtin_popcountll(word & 0x0101010101010101u);
    }
    for (; i < count; i++) {
        found += pages[i] & 1;
    }
    return found;
}

uint64_t
cpu_budget_resident(uintptr_t first, size_t bytes)
{
    /* One byte per page, as written by mincore. Guarded by the memory lock. */
    static unsigned char pages[1 << 16];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t most = sizeof pages * page;
    uint64_t found = 0;

    for (size_t at = 0; at < bytes; at += most) {
        size_t part = bytes - at < most ? bytes - at : most;
        if (mincore((void *)(first + at), part, pages)) {
            /* If mincore fails, all remaining pages count as resident. */
            return found + (bytes - at);
        }
        found += pages_count(pages, part / page) * page;
    }
    return found;
}

/* Returns the free bytes of all devices together. Stores in `bound` the limit
 * that determines this number. Counts untouched memory first, then reads the
 * available memory from /proc and the cgroup files. Pages that a running
 * kernel or fill touches between these two steps are counted twice. In the
 * other order they would not be counted at all, and the process could be
 * killed for them. */
static uint64_t
free_bytes_read(struct cpu_bound *bound)
{
    struct cpu_available now;
    uint64_t untouched = committed - cpu_arena_resident(committed);

    cpu_available_read("", &now);
    uint64_t left =
        now.pages.bytes > untouched ? now.pages.bytes - untouched : 0;
    uint64_t found =
        committed + (left > CPU_NO_LIMIT / 2 ? CPU_NO_LIMIT / 2 : left);
    uint64_t change = found > capacity ? found - capacity : capacity - found;
    grant_most = now.reserve / 4;
    if (change > now.reserve / 4) {
        capacity = found;
    }
    left = capacity > committed ? capacity - committed : 0;
    *bound = now.pages;
    if (now.mappings.bytes < left) {
        *bound = now.mappings;
        left = now.mappings.bytes;
    }
    if (now.addresses.bytes != CPU_NO_LIMIT &&
        cpu_arena_free_addresses() < left) {
        *bound = now.addresses;
        left = cpu_arena_free_addresses();
    }
    bound->bytes = left;
    return left;
}

size_t
cpu_budget_addresses(size_t most)
{
    struct cpu_available now;

    cpu_available_read("", &now);
    if (now.addresses.bytes == CPU_NO_LIMIT) {
        return most;
    }
    size_t half = now.addresses.bytes / 2 / HUGE_UNIT * HUGE_UNIT;
    return half < most ? half : most;
}

void
cpu_budget_begin(void)
{
    refusal = NULL;
}

void
cpu_budget_refuse_addresses(void)
{
    struct cpu_available now;

    cpu_available_read("", &now);
    refusal_set(now.addresses.bytes == CPU_NO_LIMIT
                    ? "no addresses could be reserved for the device's memory"
                    : now.addresses.source);
}

uint64_t
cpu_budget_free_bytes(void)
{
    struct cpu_bound bound;

    return free_bytes_read(&bound);
}

/* Returns the free bytes of all devices together. If `bytes` exceeds
 * them, determines them a few more times, since pages may have been counted
 * twice. If `bytes` still exceeds them, stores the reason for the error
 * message. */
static uint64_t
free_bytes_compare(uint64_t bytes)
{
    enum { READINGS = 4 };
    struct cpu_bound bound;
    uint64_t room = free_bytes_read(&bound);

    for (int i = 1; bytes > room && i < READINGS; i++) {
        room = free_bytes_read(&bound);
    }
    if (bytes > room && bytes <= cpu_state.memory_bytes) {
        refusal_set(bound.source);
    }
    return room;
}

void
cpu_budget_explain(uint64_t bytes)
{
    free_bytes_compare(bytes);
}

bool
cpu_budget_admit(uint64_t bytes)
{
    if (bytes <= grant) {
        grant -= bytes;
        return true;
    }
    uint64_t room = free_bytes_compare(bytes);
    if (bytes > room) {
        grant = 0;
        return false;
    }
    uint64_t left = (room - bytes) / 8;
    grant = left < grant_most ? left : grant_most;
    return true;
}

void
cpu_budget_return(uint64_t bytes)
{
    grant = grant + bytes < grant_most ? grant + bytes : grant_most;
}

void
cpu_budget_commit(int64_t bytes)
{
    committed += (uint64_t)bytes;
}

uint64_t
cpu_memory_bytes(void)
{
    struct cpu_available now;

    cpu_available_read("", &now);
    return now.total;
}
