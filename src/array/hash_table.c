/* hash_table.c - hash table with 128-bit keys; see hash_table.h.
 *
 * SPDX-License-Identifier: MIT */
#include "array/hash_table.h"
#include "core/core.h"

static size_t
slot_hash(uint64_t low, uint64_t high)
{
    uint64_t hash = low * 0x9e3779b97f4a7c15u;

    hash ^= high * 0xc2b2ae3d27d4eb4fu;
    return (size_t)(hash ^ hash >> 29);
}

/* Returns the slot that has the key, or the free slot in which the key must be
 * stored. */
static struct hash_table_slot *
hash_table_slot_find(const struct hash_table *table, uint64_t low,
                     uint64_t high)
{
    size_t at = slot_hash(low, high);

    for (;; at++) {
        struct hash_table_slot *slot =
            &table->slots[at & (table->capacity - 1)];
        if (!slot->value || (slot->low == low && slot->high == high)) {
            return slot;
        }
    }
}

/* Makes space for one more entry. Doubles the number of slots when half of
 * them are used. Returns 0, or -1 with a MemoryError. */
static int
hash_table_reserve(struct hash_table *table)
{
    struct hash_table bigger = {.capacity = table->capacity * 2,
                                .used = table->used};

    if (table->capacity && table->used * 2 < table->capacity) {
        return 0;
    }
    bigger.capacity = bigger.capacity ? bigger.capacity : 64;
    bigger.slots = PyMem_RawCalloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        struct hash_table_slot *old = &table->slots[i];
        if (old->value) {
            *hash_table_slot_find(&bigger, old->low, old->high) = *old;
        }
    }
    PyMem_RawFree(table->slots);
    *table = bigger;
    return 0;
}

void *
hash_table_find(const struct hash_table *table, uint64_t low, uint64_t high)
{
    return table->capacity ? hash_table_slot_find(table, low, high)->value
                           : NULL;
}

int
hash_table_add(struct hash_table *table, uint64_t low, uint64_t high,
               void *value)
{
    if (hash_table_reserve(table) < 0) {
        return -1;
    }
    struct hash_table_slot *slot = hash_table_slot_find(table, low, high);
    table->used += !slot->value;
    *slot = (struct hash_table_slot){low, high, value};
    return 0;
}
