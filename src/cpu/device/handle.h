/* handle.h - handles whose validation accesses no invalid memory.
 *
 * A handle is the address of a slot in one table, so any bit
 * pattern can be validated. handle.c describes how slots are reused. Lookups
 * take no lock; no other lock is taken while the table's lock is held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_HANDLE_H
#define PYCUDA_CPU_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kind of the object to which a handle refers. */
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
    CPU_STRANDED, /* a stream whose green context was destroyed */
};

/* One entry of the table. The memory of a slot is never unmapped. */
struct cpu_slot {
    _Atomic uint32_t kind;
    uint32_t next_free;
    void *_Atomic object;
    /* Id of the context that owns the object, or 0. */
    _Atomic uint64_t owner;
};

#define CPU_SLOTS (1u << 19)
extern struct cpu_slot cpu_slots[CPU_SLOTS];

/* Returns the object of a live handle of this kind. Returns NULL if the handle
 * is not valid or is of another kind. */
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

/* Creates a handle for `object`. `owner` is the id of the context that owns
 * the object, or 0. Returns NULL if the table of handles is full. */
void *cpu_handle_new(enum cpu_kind kind, void *object, uint64_t owner);
/* Makes the handle invalid. Its slot is reused later. Returns false and does
 * nothing if the handle is invalid already: of several threads that destroy an
 * object, only the one that gets true may free it. */
bool cpu_handle_delete(void *handle);
/* Changes the handle to kind CPU_STRANDED (a stream whose green context was
 * destroyed). Its slot is never reused. */
void cpu_handle_strand(void *handle);
/* Deletes all handles of a kind whose owner is this context. Calls `end` for
 * each object. */
void cpu_handles_delete_owned(enum cpu_kind kind, uint64_t owner,
                              void (*end)(void *));

#endif
