/* table.h - a hash table from 128 bits to pointers.
 *
 * Of operation.c and kernels.c.  Open-addressed; nothing is ever taken out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_TABLE_H
#define PYCUDA_ARRAY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct slot {
    uint64_t low, high;
    void *value; /* NULL: free */
};

struct table {
    struct slot *slots;
    size_t capacity; /* a power of two */
    size_t used;
};

/* NULL: it is not there. */
void *table_find(const struct table *table, uint64_t low, uint64_t high);
/* 0, or -1 with a MemoryError. */
int table_add(struct table *table, uint64_t low, uint64_t high, void *value);

#endif
