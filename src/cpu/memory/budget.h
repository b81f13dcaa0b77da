/* budget.h - limits allocations to the memory that the system has.
 *
 * Callers hold the memory lock, unless a function says otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_BUDGET_H
#define PYCUDA_CPU_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns how many bytes of addresses to reserve, at most `most`. If the
 * process has a limit on its address space, the result is half of the
 * addresses that are still free, so that the rest of the program can use the
 * other half. */
size_t cpu_budget_addresses(size_t most);
/* Must be called when an allocation begins: clears the reason that
 * cpu_budget_refusal returns. Needs no lock. */
void cpu_budget_begin(void);
/* Requests `bytes` bytes of the system's memory. Returns false if the system
 * does not have enough; cpu_budget_refusal then returns the reason. */
bool cpu_budget_admit(uint64_t bytes);
/* Returns `bytes` bytes that cpu_budget_admit has granted, so that they are
 * available for later requests. */
void cpu_budget_return(uint64_t bytes);
/* Adds `bytes`, which may be negative, to the number of writable bytes in the
 * arena. */
void cpu_budget_commit(int64_t bytes);
/* Returns the free bytes of all devices together. */
uint64_t cpu_budget_free_bytes(void);
/* Called when an allocation of `bytes` bytes exceeds the device's own memory
 * limit. If the system does not have so much memory either, stores a reason
 * for cpu_budget_refusal. */
void cpu_budget_explain(uint64_t bytes);
/* Returns how many bytes of a range of whole pages are resident. */
uint64_t cpu_budget_resident(uintptr_t first, size_t bytes);
/* Makes cpu_budget_refusal return that the arena could not reserve
 * addresses. */
void cpu_budget_refuse_addresses(void);
/* Returns the text that says why the system refused the calling thread's last
 * allocation. Returns NULL if the system did not refuse it. Needs no lock. */
const char *cpu_budget_refusal(void);
/* Returns the size in bytes of the machine's memory, or of the limit of the
 * process's cgroup if that is lower. Needs no lock. */
uint64_t cpu_memory_bytes(void);

/* ---- arena.c ---- */

/* Returns how many bytes of the arena are resident, but not more than `most`.
 * Pages for which the system gives no answer count as resident. The caller
 * holds the memory lock. */
uint64_t cpu_arena_resident(uint64_t most);
/* Returns how many bytes of the arena's addresses are free. The caller holds
 * the memory lock. */
uint64_t cpu_arena_free_addresses(void);
/* Returns true if the system has enough memory for `bytes` bytes outside the
 * arena, such as a module's variables. Takes the memory lock. */
bool cpu_arena_admit(uint64_t bytes);
/* Returns the free bytes of all devices together, as limited by the system.
 * Takes the memory lock. */
uint64_t cpu_arena_free_bytes(void);

#endif
