/* handle.c - table of live handles.
 *
 * Every handle (CUstream, CUmodule, ...) is the address of a slot of this
 * table. So the validity of any bit pattern can be tested without reading
 * memory outside the table. Called by all files that create objects. One lock
 * guards the free list; lookups take no lock. Invariant: freed slots are
 * reused in first-in first-out order, so that stale handles stay invalid for
 * long.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/device/handle.h"

struct cpu_slot cpu_slots[CPU_SLOTS];

static pthread_mutex_t handle_lock = PTHREAD_MUTEX_INITIALIZER;
/* Index of the first slot that was never used. Slot 0 stays unused, since
 * index 0 marks the end of a list. */
static uint32_t handle_fresh = 1;
static uint32_t free_first, free_last;
static uint32_t free_count;

/* A freed slot is reused only when this many slots are free. */
#define HANDLE_REUSE_AFTER 1024

/* Returns the index of an unused slot, or 0 if the table is full. The caller
 * holds handle_lock. */
static uint32_t
slot_take(void)
{
    bool reuse = free_count > HANDLE_REUSE_AFTER ||
                 (handle_fresh == CPU_SLOTS && free_count);

    if (!reuse) {
        return handle_fresh < CPU_SLOTS ? handle_fresh++ : 0;
    }
    uint32_t index = free_first;
    free_first = cpu_slots[index].next_free;
    free_count--;
    return index;
}

void *
cpu_handle_new(enum cpu_kind kind, void *object, uint64_t owner)
{
    pthread_mutex_lock(&handle_lock);
    uint32_t index = slot_take();
    pthread_mutex_unlock(&handle_lock);
    if (!index) {
        return NULL;
    }
    struct cpu_slot *slot = &cpu_slots[index];
    atomic_store_explicit(&slot->object, object, memory_order_relaxed);
    atomic_store_explicit(&slot->owner, owner, memory_order_relaxed);
    atomic_store_explicit(&slot->kind, kind, memory_order_release);
    return slot;
}

bool
cpu_handle_delete(void *handle)
{
    struct cpu_slot *slot = handle;
    uint32_t index = (uint32_t)(slot - cpu_slots);

    if (atomic_exchange(&slot->kind, CPU_NONE) == CPU_NONE) {
        return false;
    }
    pthread_mutex_lock(&handle_lock);
    slot->next_free = 0;
    if (free_count) {
        cpu_slots[free_last].next_free = index;
    } else {
        free_first = index;
    }
    free_last = index;
    free_count++;
    pthread_mutex_unlock(&handle_lock);
    return true;
}

void
cpu_handle_strand(void *handle)
{
    struct cpu_slot *slot = handle;

    atomic_store_explicit(&slot->object, slot, memory_order_relaxed);
    atomic_store_explicit(&slot->kind, CPU_STRANDED, memory_order_release);
}

void
cpu_handles_delete_owned(enum cpu_kind kind, uint64_t owner,
                         void (*end)(void *))
{
    pthread_mutex_lock(&handle_lock);
    uint32_t count = handle_fresh;
    pthread_mutex_unlock(&handle_lock);
    for (uint32_t i = 1; i < count; i++) {
        void *object = cpu_handle_object(kind, &cpu_slots[i]);

        if (object && atomic_load(&cpu_slots[i].owner) == owner) {
            if (cpu_handle_delete(&cpu_slots[i])) {
                end(object);
            }
        }
    }
}
