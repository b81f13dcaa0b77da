/* hooks.h - functions by which the CPU device reports events (allocations,
 * launches, barriers) to the kernel checks.
 *
 * Called by memory/, run/ and stream/ while checks are on: callers test
 * cpu_check_flags first, except before cpu_check_filled, cpu_check_state_free,
 * cpu_check_order_end, cpu_check_stream_end and cpu_check_streams_stop.
 * check.h has the declarations that only the checks use.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_HOOKS_H
#define PYCUDA_CPU_CHECK_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_launch;
struct cpu_op;
struct cpu_stream;
struct cpu_worker;

/* Size in bytes of the text that names a call site, the place in the program
 * that called the library: file and line of Python code, or the library and
 * the offset of other code. */
enum { CPU_CHECK_CALL_SITE_SIZE = 160 };

/* The checks that PYCUDA_CPU_CHECK may name. CONTINUE is not a check: it lets
 * a kernel continue after a report. PREPARED is not a check either: it stays
 * set once checks were selected after cuInit, so that checked kernels
 * still find their tables after all checks have been switched off. */
enum cpu_check_flag {
    CPU_CHECK_MEMORY = 1,
    CPU_CHECK_RACE = 2,
    CPU_CHECK_SYNC = 4,
    CPU_CHECK_INIT = 8,
    CPU_CHECK_CONTINUE = 16,
    CPU_CHECK_PREPARED = 32,
    CPU_CHECK_BANK = 64,
    CPU_CHECK_STREAMS = 128,
    CPU_CHECK_ALL = CPU_CHECK_MEMORY | CPU_CHECK_RACE | CPU_CHECK_SYNC |
                    CPU_CHECK_INIT | CPU_CHECK_BANK | CPU_CHECK_STREAMS,
};

/* Number of unused bytes between small allocations while checks are on, so
 * that an access beyond an allocation hits no other one. */
#define CPU_CHECK_GAP 512

/* Bits of enum cpu_check_flag; set by cuInit, and by pycuda_cpu_select_checks
 * while no kernel runs. */
extern unsigned cpu_check_flags;
/* Replaces the selection of checks. `list` names the new checks, as the value
 * of PYCUDA_CPU_CHECK does; an empty list switches all checks off. The caller
 * has waited for all kernels. If the list contains an unknown check, returns
 * INVALID_VALUE with a text, and does not change the selection. */
CUresult pycuda_cpu_select_checks(const char *list);
/* Adds an allocation that was made before checks were selected to the list of
 * allocations. `bytes` is the size that the program requested (a block of a
 * memory pool may be larger), or 0 for the whole block. The caller ensures
 * that no kernel is running. */
void pycuda_cpu_check_size(CUdeviceptr pointer, size_t bytes);
/* Returns the counts of the check `bank` as lines of JSON (access_counts.c),
 * in memory that the caller must free; NULL if there is not enough memory. The
 * last line is {"incomplete": true} if counts were lost for lack of memory.
 * Sets the counts to zero afterwards if `clear` is not 0. Thread-safe. */
char *pycuda_cpu_access_counts(int clear);
/* Returns the checks that PYCUDA_CPU_CHECK names now and that are not
 * selected, since the variable was set after cuInit. */
unsigned cpu_check_late(void);
/* Parses PYCUDA_CPU_CHECK. If it names an unknown check, returns INVALID_VALUE
 * with a text. */
CUresult cpu_check_open(void);
/* cpu_check_allocated records an allocation of device memory, cpu_check_freed
 * a free. `maker` is the name of the API function that allocates. `tracked` is
 * false if memory may be written without the library's knowledge; all its
 * bytes then count as written. */
void cpu_check_allocated(uintptr_t base, size_t bytes, const char *maker,
                         bool tracked);
void cpu_check_freed(uintptr_t base);
/* Called when device memory is unmapped. Discards the access records of the
 * granules (units of 64 KiB of memory) that the unmapped range contains
 * completely, and marks all bytes of the range as written. */
void cpu_check_forget(uintptr_t start, size_t bytes);
/* Table of cpu_check_allocated, cpu_check_freed and cpu_check_forget. The
 * allocator of device memory calls them through this table, so that its code
 * does not depend on the checks. cuInit sets cpu_check_memory. */
struct cpu_check_memory {
    void (*allocated)(uintptr_t base, size_t bytes, const char *maker,
                      bool tracked);
    void (*freed)(uintptr_t base);
    void (*forget)(uintptr_t start, size_t bytes);
};
extern const struct cpu_check_memory *cpu_check_memory;
/* Called when a kernel has allocated heap memory: clears the access records of
 * that memory. */
void cpu_check_heap_allocated(const void *memory, size_t bytes);
/* Takes ownership of a heap block that a kernel freed. Calls free() for the
 * block only later, so that accesses to it are detected until then. Returns
 * false if the caller must call free(). */
bool cpu_check_quarantine(void *block, size_t bytes);
/* Called after the host wrote memory at `to`, or copied memory from `from` to
 * `to`: updates the record of which bytes are written. */
void cpu_check_filled(const void *to, size_t bytes);
void cpu_check_copied(const void *to, const void *from, size_t bytes);
/* cpu_check_barrier is called when all threads have arrived at a block
 * barrier, cpu_check_exit when a fiber exits, cpu_check_deadlock when all
 * fibers wait for each other. They report invalid synchronization. */
void cpu_check_barrier(struct cpu_worker *worker);
void cpu_check_exit(struct cpu_worker *worker);
void cpu_check_deadlock(struct cpu_worker *worker);
/* cpu_check_grid_arrive is called when the thread block arrives at the grid
 * barrier, cpu_check_grid_pass when it continues after the barrier. They
 * record for the race check that accesses before the grid barrier happen
 * before accesses after it. */
void cpu_check_grid_arrive(struct cpu_worker *worker);
void cpu_check_grid_pass(struct cpu_worker *worker);
/* Returns the text of the last report, for cuGetErrorString. Returns NULL if
 * the last report had another error code than `code`. */
const char *cpu_check_last_report(CUresult code);
/* Frees the worker's struct cpu_check, the state of the kernel checks. */
void cpu_check_state_free(struct cpu_worker *worker);
/* Allocates the struct cpu_check of a worker, the state of the kernel checks,
 * before the worker runs its first thread block. Returns OUT_OF_MEMORY on
 * failure. */
CUresult cpu_check_state_prepare(struct cpu_worker *worker);
/* cpu_check_launch_begin counts the launch as running; it is called before a
 * thread block of the launch begins, possibly several times.
 * cpu_check_launch_end is called once after all thread blocks have ended. If
 * no other launch is running then, it may free access records that are no
 * longer needed. Both take the lock of reclaim.c. */
void cpu_check_launch_begin(struct cpu_launch *launch);
void cpu_check_launch_end(struct cpu_launch *launch);
/* Resets the worker's state of the kernel checks. Called when a thread block
 * begins on the worker. */
void cpu_check_block_begin(struct cpu_worker *worker);
/* Writes the report that deferred_read.c has delayed, if there is one, and
 * returns the error code of the report. Returns CUDA_SUCCESS without such a
 * report, and in continue mode. Called outside the kernel, when the last
 * thread block of a launch on the worker has ended. */
CUresult cpu_check_deferred_end(struct cpu_worker *worker);
/* Marks the worker's current time interval (epoch_interval.c) as ended: all
 * its recorded accesses have been executed. Called after
 * cpu_check_deferred_end. */
void cpu_check_block_end(struct cpu_worker *worker);

/* ---- the check `streams` (stream_order.c), while it is selected ---- */

/* cpu_check_graph_launch_begin is called before a graph is launched,
 * cpu_check_graph_launch_end after it, by a thread that holds no lock. In
 * between, all operations that the thread submits get the call site of the
 * graph launch. cpu_check_graph_launch_begin stores this call site in `site`,
 * and may acquire the GIL. The caller must not free `site` before
 * cpu_check_graph_launch_end. */
void cpu_check_graph_launch_begin(char site[CPU_CHECK_CALL_SITE_SIZE]);
void cpu_check_graph_launch_end(void);
/* Called before an operation is submitted: notes the line of the program that
 * submits it. Unless `stream` is NULL or a graph is being launched, may
 * acquire the GIL, and the caller must hold no lock. */
void cpu_check_order_prepare(const struct cpu_stream *stream,
                             struct cpu_op *op);
/* Called when an operation is submitted, before it becomes the last operation
 * of its stream. Computes the vector clock of `op` from the clocks of the
 * operations that `op` depends on. The caller holds the scheduler lock. */
void cpu_check_order_set(struct cpu_stream *stream, struct cpu_op *op,
                         struct cpu_op *const *after, size_t count);
/* Called when an operation is freed, unless its member `order` is NULL. */
void cpu_check_order_end(struct cpu_op *op);
/* Called when a stream with a timeline is freed. The caller holds the
 * scheduler lock. */
void cpu_check_stream_end(struct cpu_stream *stream);
/* cpu_check_run_begin is called before the host function of an operation runs,
 * cpu_check_run_end after it, on the thread that runs the function.
 * cpu_check_run_end gets the result of cpu_check_run_begin. */
bool cpu_check_run_begin(const struct cpu_op *op);
void cpu_check_run_end(bool counted);
/* Called when the kernel of a launch has ended: the operation of the launch no
 * longer counts as running. */
void cpu_check_kernel_end(const struct cpu_launch *launch);
/* Called when the host knows that operations are done, so that they happen
 * before all operations that it submits later: one operation
 * (cpu_check_host_after), all operations (_all), or the operation whose
 * callback the calling thread runs (_running). All three take the lock of
 * stream_order.c. */
void cpu_check_host_after(const struct cpu_op *op);
void cpu_check_host_after_all(void);
void cpu_check_host_after_running(void);
/* Called when a query has found that the operation is done. Does the same as
 * cpu_check_host_after, or nothing if pycuda_cpu_private_queries was
 * called. */
void cpu_check_host_asked(const struct cpu_op *op);
/* Called by pycuda._driver, which queries streams and events for its own
 * purposes. From then on, the check `streams` ignores successful queries: only
 * waits of the host order operations. After a successful query by the program,
 * pycuda._driver therefore also waits. */
void pycuda_cpu_private_queries(void);
/* Switches the check `streams` off for the rest of the process. Called when
 * operations wait for values in memory or for interprocess events, since the
 * check does not know how such waits order operations. */
void cpu_check_streams_stop(void);
/* Returns a copy of the host's vector clock, which says which operations the
 * host has waited for; NULL if there is not enough memory. The caller passes
 * the copy to cpu_check_host_freed. */
uint32_t *cpu_check_host_clock(void);
/* Called before page-locked memory is freed, when all operations have ended.
 * Reports an operation that wrote to the memory and that, according to
 * `clock`, the host had not waited for. Frees `clock`, which may be NULL.
 * Defined in access_history.c. */
void cpu_check_host_freed(struct cpu_context *ctx, const void *start,
                          uint32_t *clock);
/* Returns the number of the newest time interval (epoch_interval.c) of all
 * thread blocks of the process, to be stored in cpu_launch.before. */
uint32_t cpu_check_interval_last(void);

#endif
