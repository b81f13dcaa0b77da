/* handle.h - handles that can be validated without a fault.
 *
 * Part of cpu.h. A handle is the address of a slot in one table, so any bit
 * pattern can be validated. handle.c describes how slots are reused. Lookups
 * take no lock; no other lock is taken while the table's lock is held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_HANDLE_H
#define PYCUDA_CPU_HANDLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Kind of the object that a handle refers to. */
enum cpu_kind {
    CPU_NONE,
    CPU_CONTEXT,
    CPU_STREAM,
    CPU_EVENT,
    CPU_MODULE,
    CPU_FUNCTION,
    CPU_ARRAY,
    CPU_MIPMAP,
    CPU_TEXTURE,
    CPU_SURFACE,
    CPU_LINK,
    CPU_LIBRARY,
    CPU_KERNEL,
    CPU_POOL,
    CPU_PHYSICAL,
    CPU_GRAPH,
    CPU_NODE,
    CPU_EXEC,
    CPU_USER,
    CPU_BLAS,
    CPU_GREEN,
    CPU_RESOURCES,
    CPU_STRANDED, /* a stream whose green context is gone */
};

/* Slots are never unmapped. */
struct cpu_slot {
    _Atomic uint32_t kind;
    uint32_t next_free;
    void *_Atomic object;
    _Atomic uint64_t owner; /* id of the context that it ends with, or 0 */
};

#define CPU_SLOTS (1u << 19)
extern struct cpu_slot cpu_slots[CPU_SLOTS];

/* The object of a live handle of this kind, else NULL. */
static inline void *
cpu_handle_object(enum cpu_kind kind, const void *handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)cpu_slots;

    if (offset >= sizeof cpu_slots || offset % sizeof(struct cpu_slot)) {
        return NULL;
    }
    struct cpu_slot *slot = &cpu_slots[offset / sizeof(struct cpu_slot)];
    if (atomic_load_explicit(&slot->kind, memory_order_acquire) != kind) {
        return NULL;
    }
    return atomic_load_explicit(&slot->object, memory_order_relaxed);
}

/* NULL: no memory.  `owner`: the context that the object ends with, or 0. */
void *cpu_handle_new(enum cpu_kind kind, void *object, uint64_t owner);
/* The handle names nothing any more; its slot is used again later. */
void cpu_handle_delete(void *handle);
/* The handle is a CPU_STRANDED one for good: its slot is not used again. */
void cpu_handle_strand(void *handle);
/* Deletes all handles of a kind that a context owns; `end` frees objects. */
void cpu_handles_delete_owned(enum cpu_kind kind, uint64_t owner,
                              void (*end)(void *));

#endif
