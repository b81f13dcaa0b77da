/* check.h - declarations shared by the files of the kernel checks.
 *
 * PYCUDA_CPU_CHECK selects the checks. Checked kernels call the functions
 * __pycuda_check* (image/abi.h), which this folder implements. The state of a
 * running thread block belongs to its worker and needs no lock. Allocations
 * and shadow memory belong to the process; allocations.c and shadow.c guard
 * them by locks, and no other lock is taken while one of these is held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_H
#define PYCUDA_CPU_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/check/deferred_state.h"
#include "cpu/check/hooks.h"
#include "cpu/device/limits.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* ---- allocations.c: live and freed device allocations ---- */

/* An allocation of device memory, live or freed. */
struct cpu_check_allocation {
    uintptr_t base;
    size_t bytes;
    const char *maker; /* name of the API function that allocated it */
    uint64_t serial;   /* n for the n-th allocation of the process, from 1 */
    /* Position in the order of frees: n for the n-th allocation that was
     * freed; 0: live. */
    uint64_t freed;
    /* true: shadow memory records which bytes of the allocation were
     * written */
    bool tracked;
    bool warned; /* cpu_check_warn_once has returned true for it */
    char made_at[CPU_CHECK_CALL_SITE_SIZE];
    char freed_at[CPU_CHECK_CALL_SITE_SIZE];
};

/* Copies into `found` the allocation that contains `address` or, if there is
 * none, the nearest live or freed allocation within 1 MiB. Returns false if no
 * allocation is that near. Takes the lock of allocations.c. */
bool cpu_check_find(uintptr_t address, struct cpu_check_allocation *found);
/* If `address` is in a live allocation for which this function has not
 * returned true before, copies it into `found` and returns true. Takes the
 * lock of allocations.c. */
bool cpu_check_warn_once(uintptr_t address,
                         struct cpu_check_allocation *found);
/* If `address` is in an allocation that was made before checks were selected,
 * adds that allocation to the list in which cpu_check_find searches. Takes the
 * locks of arena.c and allocations.c. */
void cpu_check_adopt(uintptr_t address);
/* Number of frees of device memory in this process. When it changes, the
 * workers' caches of allocations (`recent` in struct cpu_check) become
 * invalid. */
extern atomic_uint cpu_check_frees;

/* Writes the call site (the line of Python or the C symbol that called the
 * library) into `text`, or an empty string if it is unknown. May acquire
 * references to Python objects and release them again; never leaves an
 * exception set. */
void cpu_check_call_site(char text[CPU_CHECK_CALL_SITE_SIZE]);
/* Finds the call site as cpu_check_call_site does. If the thread does not hold
 * the GIL and `may_wait` is true, acquires the GIL temporarily. A caller that
 * passes true must hold no lock. */
void cpu_check_call_site_in(char text[CPU_CHECK_CALL_SITE_SIZE],
                            bool may_wait);

/* ---- the state of a worker's running thread block ---- */

/* Capacity of the list of __shared__ variables of a kernel. */
#define CPU_CHECK_SHARED 64
/* Capacity of a worker's cache of global allocations. */
#define CPU_CHECK_RECENT 8

/* A __shared__ variable of the running kernel. */
struct cpu_check_variable {
    uintptr_t base;
    size_t bytes;
    const char *name;
};

/* Times of a thread's last release operation and last acquire operation (as in
 * the C memory model), as values of cpu_check_clock. `fenced` is set from a
 * fence until the thread's next ordinary write. */
struct cpu_check_thread_clock {
    uint32_t released, acquired;
    bool fenced;
};

/* For each lane of a warp: the accesses of other lanes that happen before the
 * lane's next access. */
struct cpu_check_warp {
    /* Everything that lane j did in time intervals (epoch_interval.c) with a
     * number below seen[i][j] happens before the next access of lane i. */
    uint32_t seen[CPU_WARP][CPU_WARP];
};

/* State of the kernel checks (memory, races, barriers) of one worker. Only the
 * worker's thread uses it. */
struct cpu_check {
    /* The launch that the running thread block belongs to. */
    struct cpu_launch *launch;
    /* Serial number of the launch, unique in the process. */
    uint64_t serial;
    uint64_t block; /* linear index of the thread block in the grid */
    /* Linear index of the thread whose access was checked last. */
    unsigned thread;
    /* Number of block barriers that the running thread block has passed. */
    unsigned epoch;
    /* Numbers of time intervals between synchronization events of thread
     * blocks (epoch_interval.c): the current interval, the first one since the
     * last barrier of the thread block, and the last one before the launch. */
    uint32_t interval, since_barrier, before_launch;
    /* Number of the time interval in which the running thread block
     * started. */
    uint32_t first_interval;
    /* True while trace.c compares the shared-memory accesses of the thread
     * block with those of the previous one, or records them for the next
     * one. */
    bool traced;
    /* A time interval gets its number when its first access is recorded.
     * interval_due is true while the interval after the last barrier has no
     * number yet, block_due while the first interval of the thread block has
     * none. */
    bool interval_due, block_due;
    /* Time (value of cpu_check_clock) of the latest acquire operation of a
     * thread of the thread block. */
    uint32_t acquired;
    /* Clock of the thread that is about to execute an atomic or volatile read,
     * or NULL. The thread's acquire time is set after the read, by
     * cpu_check_acquire. */
    struct cpu_check_thread_clock *acquiring;
    bool fenced; /* a thread of the thread block has executed a memory fence */
    /* Number of elements at the start of the arrays `sites` and `clocks` that
     * may be in use; all further elements are 0. */
    unsigned sites_used, clocks_used;
    /* Cached result of race.c: number of a time interval of another thread
     * block (0: no result), and whether the accesses in that interval happen
     * before those of the running thread block. */
    uint32_t cached_interval;
    bool cached_ordered;
    /* Cache of the global allocations that were accessed last. */
    struct {
        uintptr_t base;
        size_t bytes;
    } recent[CPU_CHECK_RECENT];
    unsigned recent_next, recent_last, frees;
    uintptr_t shared_base; /* start of the thread block's shared memory */
    uint64_t shared_bytes;
    struct cpu_check_variable shared[CPU_CHECK_SHARED];
    unsigned shared_count;
    /* Bit set of threads of the thread block that ended by `return`. */
    uint32_t returned[CPU_MAX_THREADS / 32];
    /* Source location of the barrier or warp operation at which each thread
     * last waited. */
    const struct image_site *sites[CPU_MAX_THREADS];
    struct cpu_check_thread_clock clocks[CPU_MAX_THREADS];
    struct cpu_check_warp warps[CPU_MAX_THREADS / CPU_WARP];
    struct cpu_check_deferred deferred;
    struct cpu_check_pending *pending;
    struct cpu_check_trace *trace;
    /* state of the check `bank` (warp_accesses.c); NULL before its first
     * access */
    struct cpu_check_warps *warp_accesses;
    /* state of the check `streams` (footprint.c); NULL before its first
     * access */
    struct cpu_check_footprint *footprint;
    /* Stack of work areas for loop_accesses.c, one for each nested call of
     * __pycuda_check_rows. */
    struct cpu_check_loop *loops;
    unsigned loops_used; /* number of elements of `loops` that are in use */
    /* Fallback memory: in continue mode, an invalid access is redirected to
     * this memory. */
    _Alignas(16) char fallback[4096];
};

/* Returns the state of the kernel checks of the calling worker. The caller
 * must be on a worker's thread that runs a checked kernel. */
static inline struct cpu_check *
cpu_check_self(void)
{
    return cpu_worker_tls->check;
}

/* ---- pending_accesses.c: shared-memory accesses of whole loops ---- */

/* Allocates the worker's list of pending accesses: the access ranges of shared
 * memory since the last barrier. Returns false if there is not enough
 * memory. */
bool cpu_check_pending_open(struct cpu_check *check);
/* Records all pending accesses (access ranges of shared memory since the last
 * barrier) word by word in shadow memory. Later accesses are recorded in
 * shadow memory directly, until cpu_check_pending_clear is called. */
void cpu_check_pending_flush(struct cpu_check *check);
/* Discards all pending accesses (access ranges of shared memory since the last
 * barrier). Called at a barrier and when a thread block starts, since accesses
 * before a barrier cannot conflict with accesses after it. */
void cpu_check_pending_clear(struct cpu_check *check);

/* ---- trace.c: shared-memory accesses compared between thread blocks ---- */

/* cpu_check_trace_open allocates the worker's trace, which records the
 * shared-memory accesses of a thread block. cpu_check_loops_open allocates the
 * worker's work areas for loop_accesses.c. Both return false if there is not
 * enough memory. block_state.c frees the memory. */
bool cpu_check_trace_open(struct cpu_check *check);
bool cpu_check_loops_open(struct cpu_check *check);
/* Called when a thread block begins. If the launch has a trace (the recorded
 * shared-memory accesses of an earlier thread block), compares the accesses of
 * the new thread block with the trace from now on. Otherwise records the
 * accesses of the new thread block as the trace. */
void cpu_check_trace_begin(struct cpu_check *check);
/* Stops comparing and recording shared-memory accesses (trace.c) until the end
 * of the thread block. First records in shadow memory all accesses that were
 * skipped because they equalled those of the previous thread block. Slow path
 * of cpu_check_trace_stop. */
void cpu_check_trace_stop_slow(struct cpu_check *check);

/* Stops tracing (comparing shared-memory accesses with those of the previous
 * thread block) before an access that the trace cannot represent. All earlier
 * accesses are then recorded in shadow memory. */
static inline void
cpu_check_trace_stop(struct cpu_check *check)
{
    if (check->traced) {
        cpu_check_trace_stop_slow(check);
    }
}

/* ---- epoch_interval.c: numbered time between synchronization events ---- */

/* An interval: the time between two successive events of a thread block.
 * Events are the start of the thread block, a barrier, a warp synchronization
 * and a release operation. */
struct cpu_check_interval {
    /* low 32 bits of the serial number of the launch that the thread block
     * belongs to */
    uint32_t serial;
    uint32_t block;
    uint32_t epoch;
    uint32_t time; /* value of cpu_check_clock when the interval began */
};

/* Counts the release operations (as in the C memory model) of all kernels of
 * the process; serves as a clock. */
extern atomic_uint cpu_check_clock;
/* Ends the current time interval (between two synchronization events) of the
 * thread block that the worker runs, and begins the next one. */
void cpu_check_interval_begin(struct cpu_check *check);
/* Gives a number to the time interval that began at the last barrier or at the
 * start of the thread block. Called at the first recorded access, so that the
 * time between two barriers without accesses gets no number. */
void cpu_check_interval_allocate(struct cpu_check *check);

/* Calls cpu_check_interval_allocate if the time since the last barrier has no
 * interval number yet. Called before an access is recorded. */
static inline void
cpu_check_interval_ensure(struct cpu_check *check)
{
    if (check->interval_due) {
        cpu_check_interval_allocate(check);
    }
}
/* Marks the current time interval of the thread block as ended: all accesses
 * recorded in it have been executed. */
void cpu_check_interval_end(const struct cpu_check *check);
/* Returns whether cpu_check_interval_end was called for the interval with this
 * number. */
bool cpu_check_interval_has_ended(uint32_t number);
/* Returns the time interval (between two synchronization events of a thread
 * block) with this number. Returns NULL if it is so old that the ring buffer
 * has overwritten it. The pointer is valid until RING_SIZE more intervals have
 * begun. */
const struct cpu_check_interval *cpu_check_interval_find(uint32_t number);

/* ---- the checks of one access ---- */

/* Arguments of __pycuda_check for one access. `object` is the address of the
 * variable, or the value of the pointer parameter, from which the accessed
 * address was computed; NULL if unknown. */
struct cpu_check_access {
    uintptr_t address;
    uint64_t bytes;
    uintptr_t object;
    uint64_t object_bytes;
    struct image_site *site;
};

/* Returns whether `address` is a multiple of `alignment`. `alignment` is a
 * power of two; 0 permits any address. */
static inline bool
cpu_check_is_aligned(uint64_t address, unsigned alignment)
{
    return !alignment || !(address & (alignment - 1));
}

/* bounds.c: returns whether the access is inside allocated memory and aligned.
 * Writes no report. */
bool cpu_check_access_is_valid(struct cpu_check *check,
                               const struct cpu_check_access *access);
/* bounds.c: checks the access and reports it if it is invalid. Returns the
 * address that the kernel must access: in continue mode, fallback memory
 * replaces an invalid address. */
void *cpu_check_access_resolve(struct cpu_check *check,
                               const struct cpu_check_access *access);
/* uninitialized.c: reports a read of bytes that were never written, and marks
 * bytes that the access writes as written. */
void cpu_check_uninitialized(uintptr_t address, uint64_t bytes,
                             struct image_site *site);
/* uninitialized.c: called when a launch begins. A kernel that was compiled
 * without the check does not record its writes. All allocations to which the
 * arguments of such a kernel point are therefore marked as written. */
void cpu_check_launch_written(const struct cpu_launch *launch);
/* race.c: reports a data race with an earlier access, and records this one.
 * `value` is the value that a write is about to store, as the kernel passes it
 * to __pycuda_check. */
void cpu_check_race(struct cpu_check *check,
                    const struct cpu_check_access *access, uint64_t value);
/* race.c: called after a thread's atomic or volatile read. `check->acquiring`
 * points to the thread's clock. Sets the acquire time in this clock to the
 * current time. */
void cpu_check_acquire(struct cpu_check *check);

/* Calls cpu_check_acquire if a thread has executed an atomic or volatile read
 * after which cpu_check_acquire was not called yet. */
static inline void
cpu_check_acquire_ensure(struct cpu_check *check)
{
    if (check->acquiring) {
        cpu_check_acquire(check);
    }
}

/* Returns the linear index of the running thread. */
unsigned cpu_check_thread(void);

/* ---- report.c: reports on stderr and in the report file ---- */

/* One fault that a check found, as the report describes it. Members of type
 * char * may be NULL. */
struct cpu_check_finding {
    const char *check; /* name of the check: memory, race, sync or init */
    const char *kind;
    const struct image_site *site;
    CUresult code; /* error code that the launch returns */
    bool has_address;
    uintptr_t address;
    uint64_t bytes;
    /* Describes the fault in a clause without a full stop, for the report. */
    const char *detail;
    /* Source location of the earlier, conflicting access, or of the write that
     * follows the read of unwritten memory; NULL if there is none. */
    const struct image_site *second;
    unsigned second_thread;
    uint64_t second_block;
    /* Coordinates of the faulty thread; NULL: the running thread. */
    const unsigned *thread;
    const struct cpu_check_allocation *allocation;
    /* For out-of-bounds accesses: address and size of the variable or
     * allocation of which the report gives the offset; 0: unknown. */
    uintptr_t object;
    uint64_t object_bytes;
};

/* Writes the report of a fault. In continue mode it returns; otherwise it ends
 * the launch and leaves the kernel by cpu_fibers_fail. */
void cpu_check_report(const struct cpu_check_finding *finding);
/* Returns whether cpu_check_report would drop a report of the kind `kind` at
 * `site`, since an equal report was already written in this launch or the
 * launch has failed. */
bool cpu_check_is_reported(const struct image_site *site, const char *kind);
/* Returns how a report names the access: "read", "write", "update" or "atomic
 * operation". */
const char *cpu_check_access_name(const struct image_site *site);
/* Writes ", parameter 'a'" if the address of an access was computed from a
 * pointer parameter of the kernel whose name is known; otherwise "". */
void cpu_check_parameter_text(char text[80], const struct image_site *site);
/* Formats a linear index as coordinates "(x,y,z)" in a grid or thread block of
 * the given size. */
void cpu_check_triple(char text[40], uint64_t linear, const uint32_t size[3]);

/* ---- bounds.c: memory spaces ---- */

/* Returns whether `address` is in the thread block's shared memory. */
static inline bool
cpu_check_is_shared(const struct cpu_check *check, uintptr_t address)
{
    return address - check->shared_base < check->shared_bytes;
}

/* Returns whether `address` is on the running thread's stack. */
bool cpu_check_is_stack(const struct cpu_worker *worker, uintptr_t address);

#endif
