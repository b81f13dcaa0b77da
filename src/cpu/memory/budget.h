/* budget.h - whether the system has room for an allocation.
 *
 * Called under the arena's lock, unless a function says otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_BUDGET_H
#define PYCUDA_CPU_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of addresses to reserve, at most `most`.  Where the process has a
 * limit, half of what is left: the other half is the host's. */
size_t cpu_budget_addresses(size_t most);
/* A thread asks for memory; its last refusal is forgotten.  No lock. */
void cpu_budget_begin(void);
/* Has the system room for so many more bytes?  false: cpu_budget_refusal says
 * why. */
bool cpu_budget_admit(uint64_t bytes);
void cpu_budget_return(uint64_t bytes); /* of an allocation that is freed */
/* So many bytes more (less) of the arena can be written now. */
void cpu_budget_commit(int64_t bytes);
uint64_t cpu_budget_room(void);
/* The device itself has no such bytes left: says why the system has not. */
void cpu_budget_explain(uint64_t bytes);
/* Bytes of a range of whole pages that are filled. */
uint64_t cpu_budget_resident(uintptr_t first, size_t bytes);
/* The reason is that the arena could not get addresses. */
void cpu_budget_refuse_addresses(void);
/* The text of the error, for the thread that was refused memory last; NULL:
 * the system was not the reason.  No lock. */
const char *cpu_budget_refusal(void);
/* The memory of the machine, or of the process's cgroup.  No lock. */
uint64_t cpu_memory_bytes(void);

/* ---- arena.c ---- */

/* Bytes of the arena that have pages of their own; `most` is known to be an
 * upper bound, and given back if the system does not say.  Lock held. */
uint64_t cpu_arena_resident(uint64_t most);
/* Bytes of the arena's addresses that are free.  Lock held. */
uint64_t cpu_arena_left(void);
/* Has the system room for memory outside the arena that is going to be
 * filled, such as a module's variables? */
bool cpu_arena_admit(uint64_t bytes);
/* Bytes free for all devices together, as the system has them. */
uint64_t cpu_arena_room(void);

#endif
