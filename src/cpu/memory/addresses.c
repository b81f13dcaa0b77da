/* addresses.c - reserves the address range of device memory.
 *
 * Called by arena.c, once in a process.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/mman.h>

#include "cpu/memory/addresses.h"
#include "cpu/memory/budget.h"

#define HUGE_UNIT ((size_t)2 << 20)
#define MINIMUM   ((size_t)16 << 20)
/* 4 Gi elements of 16 bytes each: the range that a 32-bit index can reach. */
#define WRAP ((size_t)64 << 30)

static void *
reserve(size_t bytes, int access)
{
    void *at = mmap(NULL, bytes, access,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* Returns the number of inaccessible bytes between `at`, the start of the
 * reserved range, and the first granule. The stacks of kernels are mapped
 * below the range. If an unsigned index into a local array wraps around, the
 * access hits these bytes and not an allocation. */
static size_t
lead_bytes(uintptr_t at, size_t bytes)
{
    uintptr_t start = at + (bytes == CPU_ADDRESSES_MAX ? WRAP : 0);

    return (start + HUGE_UNIT - 1) / HUGE_UNIT * HUGE_UNIT - at;
}

bool
cpu_addresses_reserve(struct cpu_addresses *found, size_t granule, size_t row)
{
    for (size_t bytes = cpu_budget_addresses(CPU_ADDRESSES_MAX);
         bytes >= MINIMUM; bytes /= 4) {
        void *at = reserve(bytes, PROT_NONE);
        void *table =
            at ? reserve(bytes / granule * row, PROT_READ | PROT_WRITE) : NULL;

        if (table) {
            size_t lead = lead_bytes((uintptr_t)at, bytes);
            madvise(at, bytes, MADV_DONTDUMP);
            found->start = (uintptr_t)at + lead;
            found->bytes = (bytes - lead) / granule * granule;
            found->table = table;
            return true;
        }
        if (at) {
            munmap(at, bytes);
        }
    }
    return false;
}
