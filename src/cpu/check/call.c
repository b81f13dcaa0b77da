/* call.c - one access of a checked kernel, looked at by each check
 * that was asked for.
 *
 * Called by the code of kernels; what is found right leaves soon.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/check/shadow.h"

/* May one of the bytes be one that nobody has written? */
static inline bool
is_tracked(uintptr_t address, uint64_t bytes)
{
    return cpu_shadow_find(CPU_SHADOW_BYTES, address) ||
           cpu_shadow_find(CPU_SHADOW_BYTES, address + bytes - 1);
}

void *
__pycuda_check(void *pointer, uint64_t bytes, void *object,
               uint64_t object_bytes, uint64_t value, struct image_site *site,
               uint32_t linear)
{
    struct cpu_check *check = cpu_check_self();
    unsigned flags = cpu_check_flags, sites = site->flags;

    if (!bytes) {
        return pointer;
    }
    check->thread = linear;
    struct cpu_check_access access = {(uintptr_t)pointer, bytes,
                                      (uintptr_t)object, object_bytes, site};
    if (flags & CPU_CHECK_MEMORY && !(sites & IMAGE_SITE_NO_MEMORY)) {
        pointer = cpu_check_memory(check, &access);
        access.address = (uintptr_t)pointer;
    }
    if (flags & CPU_CHECK_RACE && !(sites & IMAGE_SITE_NO_RACE)) {
        cpu_check_race(check, &access, value);
    }
    if (flags & CPU_CHECK_INIT && !(sites & IMAGE_SITE_NO_INIT) &&
        is_tracked(access.address, bytes)) {
        cpu_check_init(access.address, bytes, site);
    }
    return pointer;
}
