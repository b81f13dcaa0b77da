/* unwritten_copies.c - warns of copies to the host of device memory that
 * nothing has written.
 *
 * Called by uninitialized.c after each copy while the check `init` is on, on
 * the thread that copies. A grid that is too small leaves the end of its
 * output unwritten. This is a warning on stderr and no report, since programs
 * may copy a whole array of which they use a part.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cpu/check/check.h"
#include "cpu/check/shadow.h"
#include "cpu/check/unwritten_copies.h"

/* Bytes of padding between members of a struct, at most. */
#define PADDING_MAX 15

/* The unwritten bytes of a copy. A run is a maximal sequence of them. */
struct unwritten {
    uintptr_t first;
    uint64_t bytes, runs, longest;
};

/* Returns whether the byte was never written. */
static bool
is_unwritten(uintptr_t address)
{
    const uint8_t *states = cpu_shadow_find(CPU_SHADOW_BYTES, address);

    return states && states[address % CPU_SHADOW_GRANULE];
}

static struct unwritten
unwritten_count(uintptr_t from, uint64_t bytes)
{
    struct unwritten found = {0};
    uint64_t run = 0;

    for (uintptr_t at = from; at < from + bytes; at++) {
        if (!is_unwritten(at)) {
            run = 0;
            continue;
        }
        found.first = found.bytes++ ? found.first : at;
        found.runs += run++ == 0;
        found.longest = run > found.longest ? run : found.longest;
    }
    return found;
}

/* Returns whether the unwritten bytes are probably padding of structs: many
 * short runs, or one in an array of a single struct. */
static bool
is_padding(const struct unwritten *found, uint64_t bytes)
{
    return found->longest <= PADDING_MAX &&
           (found->runs > 1 || bytes <= 4 * (uint64_t)PADDING_MAX);
}

void
cpu_check_unwritten_copy(const void *from, size_t bytes)
{
    struct cpu_check_allocation owner;
    char elements[80] = "";

    if (!cpu_check_has_uninitialized((uintptr_t)from, bytes)) {
        return;
    }
    struct unwritten found = unwritten_count((uintptr_t)from, bytes);

    if (is_padding(&found, bytes) ||
        !cpu_check_warn_once(found.first, &owner)) {
        return;
    }
    uintptr_t offset = found.first - owner.base;

    if (offset % 4 == 0 && found.bytes % 4 == 0) {
        snprintf(elements, sizeof elements,
                 ": as elements of 4 bytes, %llu from index %llu on",
                 (unsigned long long)found.bytes / 4,
                 (unsigned long long)offset / 4);
    }
    fprintf(
        stderr,
        "PYCUDA_CPU_CHECK warning: init: nothing has written %llu bytes "
        "of a copy to the host, the first one at offset %llu of the %zu "
        "bytes allocated by %s (allocation %llu, %s)%s; is the grid large "
        "enough? (n + 255) // 256 blocks of 256 threads cover n elements\n",
        (unsigned long long)found.bytes, (unsigned long long)offset,
        owner.bytes, owner.maker, (unsigned long long)owner.serial,
        owner.made_at, elements);
}
