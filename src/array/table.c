/* table.c - hash table with 128-bit keys; see table.h.
 *
 * SPDX-License-Identifier: MIT */
#include "array/table.h"
#include "array/array.h"

static size_t
slot_hash(uint64_t low, uint64_t high)
{
    uint64_t hash = low * 0x9e3779b97f4a7c15u;

    hash ^= high * 0xc2b2ae3d27d4eb4fu;
    return (size_t)(hash ^ hash >> 29);
}

/* Returns the slot that has the key, or the free slot in which the key must be
 * stored. */
static struct slot *
table_slot(const struct table *table, uint64_t low, uint64_t high)
{
    size_t at = slot_hash(low, high);

    for (;; at++) {
        struct slot *slot = &table->slots[at & (table->capacity - 1)];
        if (!slot->value || (slot->low == low && slot->high == high)) {
            return slot;
        }
    }
}

/* Makes space for one more entry. Doubles the number of slots when half of
 * them are used. Returns 0, or -1 with a MemoryError. */
static int
table_reserve(struct table *table)
{
    struct table bigger = {.capacity = table->capacity * 2,
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
        struct slot *old = &table->slots[i];
        if (old->value) {
            *table_slot(&bigger, old->low, old->high) = *old;
        }
    }
    PyMem_RawFree(table->slots);
    *table = bigger;
    return 0;
}

void *
table_find(const struct table *table, uint64_t low, uint64_t high)
{
    return table->capacity ? table_slot(table, low, high)->value : NULL;
}

int
table_add(struct table *table, uint64_t low, uint64_t high, void *value)
{
    if (table_reserve(table) < 0) {
        return -1;
    }
    struct slot *slot = table_slot(table, low, high);
    table->used += !slot->value;
    *slot = (struct slot){low, high, value};
    return 0;
}
