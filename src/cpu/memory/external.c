/* external.c - the list of known memory ranges outside the arena.
 *
 * Called by arena.c, which holds the memory lock. The list is an array sorted
 * by address.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/memory/allocation.h"
#include "cpu/memory/external.h"

static struct cpu_allocation *ranges;
static size_t count, capacity;

/* Returns the index of the first range whose base is above `address`, by
 * binary search. */
static size_t
index_above(uintptr_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct cpu_allocation *
cpu_external_find(uintptr_t address)
{
    size_t above = index_above(address);
    struct cpu_allocation *below = above ? &ranges[above - 1] : NULL;

    return below && address - below->base < below->bytes ? below : NULL;
}

/* Makes space for one more element in the array `ranges`. Returns false if out
 * of memory. */
static bool
capacity_grow(void)
{
    size_t wanted = capacity ? 2 * capacity : 64;

    if (count < capacity) {
        return true;
    }
    struct cpu_allocation *grown = realloc(ranges, wanted * sizeof *grown);
    if (!grown) {
        return false;
    }
    ranges = grown;
    capacity = wanted;
    return true;
}

CUresult
cpu_external_add(const struct cpu_allocation *as, uint64_t id)
{
    size_t at = index_above(as->base);

    if (cpu_external_find(as->base) ||
        (at < count && ranges[at].base < as->base + as->bytes)) {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    if (!capacity_grow()) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memmove(ranges + at + 1, ranges + at, (count - at) * sizeof *ranges);
    ranges[at] = *as;
    ranges[at].id = id;
    count++;
    return CUDA_SUCCESS;
}

static void
remove_at(size_t at)
{
    memmove(ranges + at, ranges + at + 1, (count - at - 1) * sizeof *ranges);
    count--;
}

bool
cpu_external_remove(uintptr_t base, enum cpu_memory_kind kind)
{
    struct cpu_allocation *found = cpu_external_find(base);

    if (!found || found->base != base || found->kind != kind) {
        return false;
    }
    remove_at((size_t)(found - ranges));
    return true;
}

void
cpu_external_remove_context(uint64_t context_id)
{
    for (size_t i = count; i-- > 0;) {
        if (ranges[i].context_id == context_id) {
            remove_at(i);
        }
    }
}
