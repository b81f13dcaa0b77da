/* addresses.h - reserves the address range of device memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_ADDRESSES_H
#define PYCUDA_CPU_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_ADDRESSES_MAX                                                     \
    ((size_t)1 << 40) /* maximum size in bytes of the reserved range */

struct cpu_addresses {
    /* first address of the range, a multiple of the size of a huge page */
    uintptr_t start;
    /* Size of the reserved range in bytes, a multiple of `granule`. The
     * addresses are inaccessible until the caller maps memory there. */
    size_t bytes;
    /* zeroed table with an entry of `row` bytes for each granule (unit of
     * addresses) */
    void *table;
};

/* Reserves an address range, divided into granules of `granule` bytes, and a
 * table with an entry of `row` bytes for each granule. Reserves
 * CPU_ADDRESSES_MAX bytes, or less if the process cannot reserve that much.
 * Returns false if nothing could be reserved. The caller holds the memory
 * lock, and never releases the range. */
bool cpu_addresses_reserve(struct cpu_addresses *found, size_t granule,
                           size_t row);

#endif
