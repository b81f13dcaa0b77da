/* addresses.h - reserves the address range of device memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_ADDRESSES_H
#define PYCUDA_CPU_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_ADDRESSES_MAX                                                     \
    ((size_t)1 << 40) /* bytes that are reserved at most */

struct cpu_addresses {
    uintptr_t start; /* aligned to huge pages */
    size_t bytes;    /* a multiple of the granule; inaccessible */
    void *table;     /* zeros, `row` bytes for each granule */
};

/* Reserves a range and a table for it: CPU_ADDRESSES_MAX bytes, or less if the
 * process cannot have as much. Returns false if nothing could be reserved. The
 * caller holds the memory lock and keeps the range for good. */
bool cpu_addresses_reserve(struct cpu_addresses *found, size_t granule,
                           size_t row);

#endif
