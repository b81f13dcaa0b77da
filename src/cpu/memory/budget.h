/* budget.h - limits allocations to the memory that the system has.
 *
 * Callers hold the arena's lock, unless a function says otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_BUDGET_H
#define PYCUDA_CPU_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of address bytes to reserve, at most `most`. If the
 * process has a limit on addresses, this is half of what is left, so that the
 * host can use the other half. */
size_t cpu_budget_addresses(size_t most);
/* Begins an allocation: clears the calling thread's last refusal. Needs no
 * lock. */
void cpu_budget_begin(void);
/* Requests `bytes` from the system. Returns false if there are not enough;
 * cpu_budget_refusal then returns the reason. */
bool cpu_budget_admit(uint64_t bytes);
void cpu_budget_return(uint64_t bytes); /* returns freed bytes */
/* Adds `bytes`, which may be negative, to the writable bytes of the arena. */
void cpu_budget_commit(int64_t bytes);
/* Returns the free bytes of all devices together. */
uint64_t cpu_budget_room(void);
/* Stores the system's reason for a failure, if any, when the device's own
 * limit has been reached. */
void cpu_budget_explain(uint64_t bytes);
/* Returns the resident bytes in a range of whole pages. */
uint64_t cpu_budget_resident(uintptr_t first, size_t bytes);
/* Stores as the reason that the arena could not reserve addresses. */
void cpu_budget_refuse_addresses(void);
/* Returns the reason for the calling thread's last refusal, for the error
 * message, or NULL if the system was not the reason. Needs no lock. */
const char *cpu_budget_refusal(void);
/* Returns the memory of the machine, or of the process's cgroup, in bytes.
 * Needs no lock. */
uint64_t cpu_memory_bytes(void);

/* ---- arena.c ---- */

/* Returns the resident bytes of the arena, at most `most`. The caller holds
 * the lock. Pages that the system does not report count as resident. */
uint64_t cpu_arena_resident(uint64_t most);
/* Returns the free address bytes of the arena. The caller holds the lock. */
uint64_t cpu_arena_left(void);
/* Returns true if the system has enough memory for `bytes` outside the arena
 * that will be filled, such as a module's variables. Takes the lock. */
bool cpu_arena_admit(uint64_t bytes);
/* Returns the free bytes of all devices together, as limited by the system.
 * Takes the lock. */
uint64_t cpu_arena_room(void);

#endif
