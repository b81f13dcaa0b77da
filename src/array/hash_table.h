/* hash_table.h - hash table from 128-bit keys to pointers.
 *
 * Used by operation_table.c and kernel_cache.c under the GIL. The table uses
 * open addressing; entries are never removed. It does not own the values.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_HASH_TABLE_H
#define PYCUDA_ARRAY_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hash_table_slot {
    uint64_t low, high;
    void *value; /* NULL: the slot is free */
};

struct hash_table {
    struct hash_table_slot *slots;
    size_t capacity; /* number of slots; a power of two */
    size_t used;
};

/* Returns the value of a key, or NULL if there is none. */
void *hash_table_find(const struct hash_table *table, uint64_t low,
                      uint64_t high);
/* Adds a key with a value, which must not be NULL. Replaces the value if the
 * table has the key. Returns 0, or -1 with a MemoryError. */
int hash_table_add(struct hash_table *table, uint64_t low, uint64_t high,
                   void *value);

#endif
