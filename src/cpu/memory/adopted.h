/* adopted.h - memory that the device knows and the arena does not hold.
 *
 * Registered host memory, variables of modules, memory of other processes.
 * arena.c calls all of it under its lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_ADOPTED_H
#define PYCUDA_CPU_ADOPTED_H

#include "cpu/cpu.h"

/* The range that holds `address`; NULL if none does.  Valid until the next
 * range is added or removed. */
struct cpu_allocation *cpu_adopted_find(uintptr_t address);
/* Adds a copy of the range, with this id.  HOST_MEMORY_ALREADY_REGISTERED: it
 * overlaps another; OUT_OF_MEMORY. */
CUresult cpu_adopted_add(const struct cpu_allocation *as, uint64_t id);
/* Removes the range that starts at `base`; false: none of this kind does. */
bool cpu_adopted_remove(uintptr_t base, enum cpu_memory_kind kind);
/* Removes the ranges of a context. */
void cpu_adopted_remove_context(uint64_t context_id);

#endif
