/* check.h - declarations shared by the files of the kernel checks.
 *
 * PYCUDA_CPU_CHECK selects the checks. Checked kernels call the functions
 * __pycuda_check* (image/abi.h), which this folder implements. The state of a
 * running block belongs to its worker and needs no lock. Allocations and
 * shadow memory belong to the process; allocations.c and shadow.c guard them
 * by locks, and no other lock is taken while one of these is held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_H
#define PYCUDA_CPU_CHECK_H

#include "cpu/cpu.h"

/* ---- allocations.c: live and freed device allocations ---- */

enum {
    CPU_CHECK_CALL_SITE_SIZE = 160
}; /* size in bytes of the text of a call site */

/* An allocation of device memory, live or freed. */
struct cpu_check_allocation {
    uintptr_t base;
    size_t bytes;
    const char *maker; /* name of the API function that allocated it */
    uint64_t serial;   /* allocation count of the process, from 1 */
    uint64_t freed;    /* position among the freed ones, from 1; 0: live */
    bool tracked;      /* shadow memory records the bytes that were written */
    char made_at[CPU_CHECK_CALL_SITE_SIZE];
    char freed_at[CPU_CHECK_CALL_SITE_SIZE];
};

/* Copies into `found` the allocation that contains `address`, or else the
 * nearest live or freed one within 1 MiB. Returns false if there is none.
 * Takes the lock of allocations.c. */
bool cpu_check_find(uintptr_t address, struct cpu_check_allocation *found);
/* Counter that each free of device memory increments. A change invalidates
 * `recent` in struct cpu_check. */
extern atomic_uint cpu_check_frees;

/* Writes the call site (the line of Python or the C symbol that called the
 * library) into `text`, or an empty string if it is unknown. May acquire
 * references to Python objects and release them again; never leaves an
 * exception set. */
void cpu_check_call_site(char text[CPU_CHECK_CALL_SITE_SIZE]);

/* ---- the state of a worker's running block ---- */

/* Most __shared__ variables recorded for a kernel. */
#define CPU_CHECK_SHARED 64
/* Number of global ranges that a worker caches. */
#define CPU_CHECK_RECENT 8

/* A __shared__ variable of the running kernel. */
struct cpu_check_variable {
    uintptr_t base;
    size_t bytes;
    const char *name;
};

/* Release and acquire times of a thread on cpu_check_clock. `fenced` is set
 * after a fence until the next ordinary write. */
struct cpu_check_thread_clock {
    uint32_t released, acquired;
    bool fenced;
};

/* Happens-before relation between the lanes of a warp. */
struct cpu_check_warp {
    /* seen[i][j]: lane i is ordered after everything that lane j did in
     * intervals before this one */
    uint32_t seen[CPU_WARP][CPU_WARP];
};

/* All check state of a worker. Only the worker's thread uses it. */
struct cpu_check {
    /* The launch that the running block belongs to. */
    struct cpu_launch *launch;
    /* Serial number of the launch. */
    uint64_t serial;
    uint64_t block; /* linear index of the block in the grid */
    /* Linear index of the thread that was checked last. */
    unsigned thread;
    /* Number of barriers that the block has passed. */
    unsigned epoch;
    /* Interval numbers (epoch_interval.c): the current interval, the first one
     * since the last barrier, and the last one before the launch. */
    uint32_t interval, since_barrier, before_launch;
    uint32_t first_interval; /* first interval of the block */
    /* trace.c records or replays the block's accesses. */
    bool traced;
    /* The interval, or the block's first interval, gets its number when the
     * first access is recorded. */
    bool interval_due, block_due;
    /* Latest acquire time of any of the block's threads. */
    uint32_t acquired;
    /* Clock of the thread that is about to execute an atomic or volatile read,
     * or NULL. The acquire time can only be taken after the read. */
    struct cpu_check_thread_clock *acquiring;
    bool fenced; /* a thread of the block has executed a fence */
    /* Number of entries of `sites` and of `clocks` that may be set. */
    unsigned sites_used, clocks_used;
    /* Cached result of the last comparison with an interval of another block.
     * Interval 0 means that the cache is empty. */
    uint32_t cached_interval;
    bool cached_ordered;
    /* Cache of global allocations that were looked up last. */
    struct {
        uintptr_t base;
        size_t bytes;
    } recent[CPU_CHECK_RECENT];
    unsigned recent_next, recent_last, frees;
    uintptr_t shared_base; /* start of the block's shared memory */
    uint64_t shared_bytes;
    struct cpu_check_variable shared[CPU_CHECK_SHARED];
    unsigned shared_count;
    /* Bit set of threads that ended by `return`. */
    uint32_t returned[CPU_MAX_THREADS / 32];
    /* Site of the barrier or warp operation where each thread last stopped. */
    const struct image_site *sites[CPU_MAX_THREADS];
    struct cpu_check_thread_clock clocks[CPU_MAX_THREADS];
    struct cpu_check_warp warps[CPU_MAX_THREADS / CPU_WARP];
    struct cpu_check_pending *pending;
    struct cpu_check_trace *trace;
    /* Stack of work areas for loop_accesses.c. */
    struct cpu_check_loop *loops;
    unsigned loops_used; /* number of `loops` in use */
    /* Target of invalid accesses in continue mode. */
    _Alignas(16) char fallback[4096];
};

/* Returns the state of the calling worker. Valid only on a worker's thread
 * that runs a checked kernel. */
static inline struct cpu_check *
cpu_check_self(void)
{
    return cpu_worker_tls->check;
}

/* ---- pending_accesses.c: shared-memory accesses of whole loops ---- */

/* Allocates the worker's list of pending accesses. Returns false if there is
 * not enough memory. */
bool cpu_check_pending_open(struct cpu_check *check);
/* Records all pending accesses word by word in shadow memory. Later ones are
 * recorded immediately until cpu_check_pending_clear. */
void cpu_check_pending_flush(struct cpu_check *check);
/* Discards all pending accesses. Called at a barrier and when a block begins,
 * since a barrier orders them with everything later. */
void cpu_check_pending_clear(struct cpu_check *check);

/* ---- trace.c: shared-memory accesses, compared from block to block ---- */

/* Allocate the worker's trace, and the work areas of loop_accesses.c. Both
 * return false if there is not enough memory; block_state.c frees them. */
bool cpu_check_trace_open(struct cpu_check *check);
bool cpu_check_loops_open(struct cpu_check *check);
/* Starts replaying the trace at the beginning of a block, or starts recording
 * if the launch has no trace yet. */
void cpu_check_trace_begin(struct cpu_check *check);
/* Stops tracing until the end of the block, and records in shadow memory all
 * accesses that replaying had skipped. Slow path of cpu_check_trace_stop. */
void cpu_check_trace_stop_slow(struct cpu_check *check);

/* Stops tracing before an access of shared memory that the trace cannot
 * represent, so that shadow memory is complete. */
static inline void
cpu_check_trace_stop(struct cpu_check *check)
{
    if (check->traced) {
        cpu_check_trace_stop_slow(check);
    }
}

/* ---- epoch_interval.c: numbered intervals of a block's execution ---- */

/* The time between two events of a block, where an event is the block's start,
 * a barrier, a warp synchronization or a release. */
struct cpu_check_interval {
    uint32_t serial; /* low bits of the launch's serial number */
    uint32_t block;
    uint32_t epoch;
    uint32_t time; /* value of cpu_check_clock at its start */
};

/* Counter of release operations in the process. */
extern atomic_uint cpu_check_clock;
/* Ends the current interval of the worker's block and begins the next one. */
void cpu_check_interval_begin(struct cpu_check *check);
/* Begins the interval that a barrier or the block's start has made due. Only
 * intervals in which an access is recorded get a number. */
void cpu_check_interval_allocate(struct cpu_check *check);

/* Begins the interval that is due, if any. Called before an access is
 * recorded. */
static inline void
cpu_check_interval_ensure(struct cpu_check *check)
{
    if (check->interval_due) {
        cpu_check_interval_allocate(check);
    }
}
/* Marks the current interval as ended: the accesses recorded in it have been
 * executed. */
void cpu_check_interval_end(const struct cpu_check *check);
bool cpu_check_interval_has_ended(uint32_t number);
/* Returns the interval, or NULL if it is so old that the ring buffer has
 * overwritten it. The pointer is valid until RING_SIZE more intervals
 * begin. */
const struct cpu_check_interval *cpu_check_interval_find(uint32_t number);

/* ---- the checks of one access ---- */

/* Arguments of __pycuda_check for one access. `object` is the variable or
 * pointer parameter that the address was computed from, or 0. */
struct cpu_check_access {
    uintptr_t address;
    uint64_t bytes;
    uintptr_t object;
    uint64_t object_bytes;
    struct image_site *site;
};

/* Returns whether `address` is a multiple of `alignment`, which is a power of
 * two, or 0 for any alignment. */
static inline bool
cpu_check_is_aligned(uint64_t address, unsigned alignment)
{
    return !alignment || !(address & (alignment - 1));
}

/* bounds.c: returns whether the access is inside allocated memory and aligned.
 * Reports nothing. */
bool cpu_check_access_is_valid(struct cpu_check *check,
                               const struct cpu_check_access *access);
/* bounds.c: checks the access and reports an invalid one. Returns the address
 * to access, which is fallback memory after an invalid access in continue
 * mode. */
void *cpu_check_access_resolve(struct cpu_check *check,
                               const struct cpu_check_access *access);
/* uninitialized.c: reports a read of bytes that were never written, and marks
 * written bytes. */
void cpu_check_uninitialized(uintptr_t address, uint64_t bytes,
                             struct image_site *site);
/* race.c: reports a data race with an earlier access, and records this one.
 * `value` is the argument of __pycuda_check. */
void cpu_check_race(struct cpu_check *check,
                    const struct cpu_check_access *access, uint64_t value);
/* race.c: takes the acquire time for the read that `acquiring` announced. */
void cpu_check_acquire(struct cpu_check *check);

/* Takes the acquire time of a previous atomic or volatile read, if that is
 * outstanding. */
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

/* One fault that a check found. Text members may be NULL. */
struct cpu_check_finding {
    const char *check; /* memory, race, sync, init */
    const char *kind;
    const struct image_site *site;
    CUresult code; /* error code of the launch */
    bool has_address;
    uintptr_t address;
    uint64_t bytes;
    /* Describes the fault, as a clause without a full stop. */
    const char *detail;
    /* Site of the conflicting access, or NULL. */
    const struct image_site *second;
    unsigned second_thread;
    uint64_t second_block;
    const unsigned *thread; /* faulty thread; NULL: the running one */
    const struct cpu_check_allocation *allocation;
};

/* Writes the report. Returns only in continue mode; otherwise it ends the
 * launch and leaves the kernel by cpu_fibers_fail. */
void cpu_check_report(const struct cpu_check_finding *finding);
/* Returns whether a report of this kind at `site` would be dropped, since it
 * was reported in this launch or the launch has failed. */
bool cpu_check_is_reported(const struct image_site *site, const char *kind);
/* Returns a word for the access: "read", "write", "update" or "atomic
 * operation". */
const char *cpu_check_access_name(const struct image_site *site);
/* Formats a linear index as coordinates "(x,y,z)" in a space of the given
 * size. */
void cpu_check_triple(char text[40], uint64_t linear, const uint32_t size[3]);

/* ---- bounds.c: memory spaces ---- */

/* Returns whether `address` is in the block's shared memory. */
static inline bool
cpu_check_is_shared(const struct cpu_check *check, uintptr_t address)
{
    return address - check->shared_base < check->shared_bytes;
}

/* Returns whether `address` is on the running thread's stack. */
bool cpu_check_is_stack(const struct cpu_worker *worker, uintptr_t address);

#endif
