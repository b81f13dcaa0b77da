/* external.h - memory outside the arena that the device knows.
 *
 * It consists of registered host memory, module variables, and memory of other
 * processes. Only arena.c calls these functions; it holds the memory lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_EXTERNAL_H
#define PYCUDA_CPU_MEMORY_EXTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/memory/allocation.h"

/* Returns the range that contains `address`, or NULL. The pointer is valid
 * until the next range is added or removed. */
struct cpu_allocation *cpu_external_find(uintptr_t address);
/* Adds a copy of the range `as` to the list, with the id `id`. Returns
 * HOST_MEMORY_ALREADY_REGISTERED if the range overlaps another one, or
 * OUT_OF_MEMORY. */
CUresult cpu_external_add(const struct cpu_allocation *as, uint64_t id);
/* Removes the range of this kind that starts at `base`. Returns false if there
 * is none. */
bool cpu_external_remove(uintptr_t base, enum cpu_memory_kind kind);
/* Removes all ranges that belong to a context. */
void cpu_external_remove_context(uint64_t context_id);

#endif
