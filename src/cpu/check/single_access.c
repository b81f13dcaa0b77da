/* single_access.c - runs the selected checks on one access.
 *
 * Called by checked kernels before an access, unless all accesses of its loop
 * were checked in advance (loop_accesses.c). Code inlined in the kernel first
 * tests the simple cases: if the access is inside a known variable, or reads
 * memory that is completely written, this file is not called.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cpu/check/deferred_read.h"
#include "cpu/check/hooks.h"
#include "cpu/check/shadow.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/check/bank/warp_accesses.h"
#include "cpu/run/runtime.h"
#include "image/abi.h"

/* Returns false if all bytes of the access are known to be written. Returns
 * true if uninitialized.c must check them. */
static inline bool
may_be_uninitialized(uintptr_t address, uint64_t bytes)
{
    const uint8_t *known = cpu_shadow_find(CPU_SHADOW_BYTES, address);
    uintptr_t at = address % CPU_SHADOW_GRANULE;
    uint32_t word;

    if (bytes == sizeof word && at + bytes <= CPU_SHADOW_GRANULE) {
        memcpy(&word, known ? known + at : (uint8_t[4]){0}, sizeof word);
        return word != 0;
    }
    return known || cpu_shadow_find(CPU_SHADOW_BYTES, address + bytes - 1);
}

/* Returns whether the access is aligned and inside the variable from which its
 * address was computed. If not, bounds.c must check it. */
static inline bool
is_in_variable(const struct cpu_check_access *access)
{
    const struct image_site *site = access->site;
    uintptr_t offset = access->address - access->object;

    return access->object && !(site->flags & IMAGE_SITE_POINTER) &&
           offset < access->object_bytes &&
           access->bytes <= access->object_bytes - offset &&
           !(access->address & (site->alignment - 1));
}

void *
__pycuda_check(void *pointer, uint64_t bytes, void *object,
               uint64_t object_bytes, uint64_t value, struct image_site *site,
               uint32_t linear)
{
    struct cpu_check *check = cpu_check_self();
    unsigned flags = cpu_check_flags, site_flags = site->flags;

    if (!bytes) {
        return pointer;
    }
    check->thread = linear;
    cpu_check_deferred_count(check);
    if (cpu_check_is_shared(check, (uintptr_t)pointer)) {
        cpu_check_trace_stop(check);
    }
    struct cpu_check_access access = {(uintptr_t)pointer, bytes,
                                      (uintptr_t)object, object_bytes, site};
    if (flags & CPU_CHECK_MEMORY && !(site_flags & IMAGE_SITE_NO_MEMORY) &&
        !is_in_variable(&access)) {
        pointer = cpu_check_access_resolve(check, &access);
        access.address = (uintptr_t)pointer;
    }
    if (flags & CPU_CHECK_RACE && !(site_flags & IMAGE_SITE_NO_RACE)) {
        cpu_check_race(check, &access, value);
    }
    if (flags & CPU_CHECK_INIT && !(site_flags & IMAGE_SITE_NO_INIT) &&
        may_be_uninitialized(access.address, bytes)) {
        cpu_check_uninitialized(access.address, bytes, site);
    }
    if (flags & CPU_CHECK_STREAMS) {
        cpu_check_touch(check, access.address, bytes, site);
    }
    if (flags & CPU_CHECK_BANK) {
        cpu_check_warp_access(check, &access);
    }
    return pointer;
}
