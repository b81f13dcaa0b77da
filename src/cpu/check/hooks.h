/* hooks.h - functions by which the device informs the kernel checks.
 *
 * Called by memory/, run/ and stream/ while checks are on: callers test
 * cpu_check_flags first, except before cpu_check_filled, cpu_check_copied and
 * cpu_check_state_free. check.h has the declarations that only the checks use.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_HOOKS_H
#define PYCUDA_CPU_CHECK_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_launch;
struct cpu_worker;

/* Checks that PYCUDA_CPU_CHECK may name; CONTINUE lets kernels run on after a
 * report. */
enum cpu_check_flag {
    CPU_CHECK_MEMORY = 1,
    CPU_CHECK_RACE = 2,
    CPU_CHECK_SYNC = 4,
    CPU_CHECK_INIT = 8,
    CPU_CHECK_CONTINUE = 16,
};

/* Gap in bytes between small allocations when checked. */
#define CPU_CHECK_GAP 512

extern unsigned cpu_check_flags; /* enum cpu_check_flag; written by cuInit */
/* Parses PYCUDA_CPU_CHECK. Returns INVALID_VALUE, with a message on stderr,
 * for an unknown check. */
CUresult cpu_check_open(void);
/* Record an allocation or a free of device memory. `maker` is the name of the
 * API function. Memory that is not `tracked` may be written from outside and
 * counts as written. */
void cpu_check_allocated(uintptr_t base, size_t bytes, const char *maker,
                         bool tracked);
void cpu_check_freed(uintptr_t base);
/* Device memory is unmapped and may be reused for anything: discards the
 * access records of whole granules and marks its bytes as written. */
void cpu_check_forget(uintptr_t start, size_t bytes);
/* A kernel allocated heap memory: clears its access records. */
void cpu_check_heap_allocated(const void *memory, size_t bytes);
/* Takes ownership of a malloc block that a kernel freed, and frees it later,
 * so that accesses to it are detected. Returns false if the caller must free
 * it. */
bool cpu_check_quarantine(void *block, size_t bytes);
/* The host wrote memory, or copied from `from` to `to`. */
void cpu_check_filled(const void *to, size_t bytes);
void cpu_check_copied(const void *to, const void *from, size_t bytes);
/* Check a complete block barrier, a fiber's exit, and a deadlock of all
 * fibers. */
void cpu_check_barrier(struct cpu_worker *worker);
void cpu_check_exit(struct cpu_worker *worker);
/* The block arrives at the grid barrier, and passes it. */
void cpu_check_grid_arrive(struct cpu_worker *worker);
void cpu_check_grid_pass(struct cpu_worker *worker);
void cpu_check_deadlock(struct cpu_worker *worker);
/* Returns the last report as a text for the error, or NULL if it had another
 * code. */
const char *cpu_check_last_report(CUresult code);
/* Frees the worker's check state. */
void cpu_check_state_free(struct cpu_worker *worker);
/* Allocates the worker's check state before its first block. Returns
 * OUT_OF_MEMORY on failure. */
CUresult cpu_check_state_prepare(struct cpu_worker *worker);
/* Called before any block of the launch, any number of times, and once after
 * all blocks. Take the lock of reclaim.c. */
void cpu_check_launch_begin(struct cpu_launch *launch);
void cpu_check_launch_end(struct cpu_launch *launch);
/* A block begins. */
void cpu_check_block_begin(struct cpu_worker *worker);
/* The worker's last block has ended. */
void cpu_check_block_end(const struct cpu_worker *worker);
/* Returns the number of the newest interval, for cpu_launch.before. */
uint32_t cpu_check_interval_last(void);

#endif
