/* arena.h - the arena of device memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_ARENA_H
#define PYCUDA_CPU_MEMORY_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/memory/allocation.h"

/* Position of an allocation in a memory file (an anonymous file that other
 * processes can map). */
struct cpu_shared {
    /* descriptor of the memory file; the arena closes the descriptor */
    int fd;
    size_t offset, bytes;
};

/* Moves the allocation that contains the address into a memory file, together
 * with allocations on the same pages, unless it is in such a file. No thread
 * may write to this memory meanwhile; if `may_move` is false, sets shared->fd
 * to -1 instead of moving it. Takes the memory lock. Returns INVALID_VALUE if
 * the address is not in device memory, or an error if the file cannot be
 * created. */
CUresult cpu_arena_share(uintptr_t address, bool may_move,
                         struct cpu_shared *shared);
/* Allocates device memory with the properties in `as` and stores its address
 * in `base`. Takes the memory lock. Returns OUT_OF_MEMORY on failure. */
CUresult cpu_arena_allocate(size_t bytes, const struct cpu_allocation *as,
                            uintptr_t *base);
/* Frees the allocation of this kind that starts at `base`. Takes the memory
 * lock. Returns INVALID_VALUE if there is no such allocation. */
CUresult cpu_arena_free(uintptr_t base, enum cpu_memory_kind kind);
/* Copies the properties of the allocation that contains `address` to `found`.
 * Takes the memory lock. Returns false if there is no such allocation. */
bool cpu_arena_find(uintptr_t address, struct cpu_allocation *found);
/* Returns the name of the API function that allocates memory of this kind. */
const char *cpu_arena_maker(enum cpu_memory_kind kind);
/* Registers memory outside the arena, so that cpu_arena_find finds it. The
 * caller still owns the memory. Takes the memory lock. Returns
 * HOST_MEMORY_ALREADY_REGISTERED if the memory overlaps registered memory, or
 * OUT_OF_MEMORY. */
CUresult cpu_arena_add_external(const struct cpu_allocation *as);
/* Removes memory outside the arena from the list of known memory. Takes the
 * memory lock. Returns INVALID_VALUE if no memory of this kind is registered
 * at `base`. */
CUresult cpu_arena_remove_external(uintptr_t base, enum cpu_memory_kind kind);
/* Frees all memory of a context that is being destroyed. Takes the memory
 * lock. */
void cpu_arena_free_context(uint64_t context_id);
/* Returns true if the address is in the arena's address range. Takes the
 * memory lock. */
bool cpu_arena_contains(uintptr_t address);
/* Returns how many bytes are allocated on the device. Takes the memory
 * lock. */
size_t cpu_arena_used(int device);

#endif
