/* check.h - what the files of the checks share (PYCUDA_CPU_CHECK).
 *
 * Checked kernels call __pycuda_check* (image/abi.h); this room's files
 * answer.  All state of a block that runs is its worker's; allocations and
 * what is known of memory are the process's, behind the locks of
 * allocations.c and shadow.c, which are the innermost ones.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_H
#define PYCUDA_CPU_CHECK_H

#include "cpu/cpu.h"

/* ---- allocations.c ---- */

enum {
    CPU_CHECK_CALL_SITE_SIZE = 160
}; /* bytes of a text that names a place */

struct cpu_check_allocation {
    uintptr_t base;
    size_t bytes;
    const char *maker; /* the API's function */
    uint64_t serial;   /* 1: the process's first */
    uint64_t freed;    /* 1: the first that was; 0: it is in use */
    bool tracked;      /* it is known which bytes were written */
    char made_at[CPU_CHECK_CALL_SITE_SIZE];
    char freed_at[CPU_CHECK_CALL_SITE_SIZE];
};

/* The allocation that holds `address`, or else the nearest one, live or not,
 * within a mebibyte; false: there is none. */
bool cpu_check_find(uintptr_t address, struct cpu_check_allocation *found);
/* Grows whenever memory is freed. */
extern atomic_uint cpu_check_frees;

/* call_site.c: who called the library, as text. */
void cpu_check_call_site(char text[CPU_CHECK_CALL_SITE_SIZE]);

/* ---- the state of a worker's block ---- */

#define CPU_CHECK_SHARED 64 /* shared variables of a kernel that are known */
#define CPU_CHECK_RECENT 8

struct cpu_check_variable {
    uintptr_t base;
    size_t bytes;
    const char *name;
};

/* When a thread, or another of its block, handed on what it wrote. */
struct cpu_check_thread_clock {
    uint32_t released, acquired;
    bool fenced;
};

struct cpu_check_warp {
    /* seen[i][j]: lane i knows what lane j did before this interval */
    uint32_t seen[CPU_WARP][CPU_WARP];
};

struct cpu_check {
    struct cpu_launch *launch; /* whose block is described */
    uint64_t serial;           /* of the launch */
    uint64_t block;            /* linear index */
    unsigned thread;           /* that was checked last */
    unsigned epoch;            /* barriers passed */
    /* Numbers of intervals (epoch_interval.c): the running one, the first
     * since the last barrier, and one that is older than the launch. */
    uint32_t interval, since_barrier, before_launch;
    uint32_t first_interval; /* of the block */
    bool traced;             /* trace.c follows the block, or writes it down */
    bool interval_due, block_due; /* nothing was noted in it yet */
    uint32_t acquired;            /* by any of its threads; see race.c */
    /* Whose atomic or volatile read comes now: only after it is it known what
     * it acquires.  Or NULL. */
    struct cpu_check_thread_clock *acquiring;
    bool fenced; /* some thread of the block has used a fence */
    unsigned sites_used,
        clocks_used; /* so many of `at`, of `threads` are in use */
    /* An interval of another block, and whether it is ordered; 0: none. */
    uint32_t cached_interval;
    bool cached_ordered;
    struct {
        uintptr_t base;
        size_t bytes;
    } recent[CPU_CHECK_RECENT];
    unsigned recent_next, recent_last, frees;
    uintptr_t shared_base; /* of the block's shared memory */
    uint64_t shared_bytes;
    struct cpu_check_variable shared[CPU_CHECK_SHARED];
    unsigned shared_count;
    uint32_t returned[CPU_MAX_THREADS / 32]; /* ended by `return` */
    const struct image_site *sites[CPU_MAX_THREADS];
    struct cpu_check_thread_clock clocks[CPU_MAX_THREADS];
    struct cpu_check_warp warps[CPU_MAX_THREADS / CPU_WARP];
    struct cpu_check_pending *pending;
    struct cpu_check_trace *trace;
    struct cpu_check_loop *loops;     /* loop_accesses.c's */
    unsigned loops_used;              /* so many are in use */
    _Alignas(16) char fallback[4096]; /* where refused accesses go */
};

/* The state of the calling worker. */
static inline struct cpu_check *
cpu_check_self(void)
{
    return cpu_worker_tls->check;
}

/* ---- pending_accesses.c: rows of accesses to shared memory ---- */

bool cpu_check_pending_open(struct cpu_check *check); /* false: no memory */
/* Notes all of them, and those to come, word by word. */
void cpu_check_pending_flush(struct cpu_check *check);
/* A barrier, or a new block: they are past. */
void cpu_check_pending_clear(struct cpu_check *check);

/* ---- trace.c: what a block does to shared memory, as the last one did ----
 */

bool cpu_check_trace_open(struct cpu_check *check);  /* false: no memory */
bool cpu_check_loops_open(struct cpu_check *check);  /* loop_accesses.c; the same */
void cpu_check_trace_begin(struct cpu_check *check); /* a new block */
/* Something comes that needs all that is known: it is caught up on.  Until
 * the block's end nothing more is followed. */
void cpu_check_trace_stop_slow(struct cpu_check *check);

static inline void
cpu_check_trace_stop(struct cpu_check *check)
{
    if (check->traced) {
        cpu_check_trace_stop_slow(check);
    }
}

/* ---- epoch_interval.c: times at which a block accessed memory ---- */

/* A time between two events (its start, a barrier, a meeting of lanes, a
 * release) in the life of a block. */
struct cpu_check_interval {
    uint32_t serial; /* of the launch, its low bits */
    uint32_t block;
    uint32_t epoch;
    uint32_t time; /* of the process's releases */
};

/* Time of the process: it grows with each release. */
extern atomic_uint cpu_check_clock;
/* A new interval of the worker's block begins. */
void cpu_check_interval_begin(struct cpu_check *check);
/* The same, after a barrier or at a block's start, where none has yet: only
 * those in which something is noted get a number. */
void cpu_check_interval_allocate(struct cpu_check *check);

static inline void
cpu_check_interval_ensure(struct cpu_check *check)
{
    if (check->interval_due) {
        cpu_check_interval_allocate(check);
    }
}
/* All that was noted in it has been done. */
void cpu_check_interval_end(const struct cpu_check *check);
bool cpu_check_interval_has_ended(uint32_t number);
/* NULL: long ago, forgotten. */
const struct cpu_check_interval *cpu_check_interval_find(uint32_t number);

/* ---- what the parts of an access's check are ---- */

/* As __pycuda_check has it. */
struct cpu_check_access {
    uintptr_t address;
    uint64_t bytes;
    uintptr_t object;
    uint64_t object_bytes;
    struct image_site *site;
};

/* `alignment` is a power of two, or 0: any will do. */
static inline bool
cpu_check_is_aligned(uint64_t address, unsigned alignment)
{
    return !alignment || !(address & (alignment - 1));
}

/* bounds.c: is it right?  Nothing is reported. */
bool cpu_check_access_is_valid(struct cpu_check *check,
                               const struct cpu_check_access *access);
/* bounds.c: where to access instead of `address`. */
void *cpu_check_access_resolve(struct cpu_check *check,
                               const struct cpu_check_access *access);
/* uninitialized.c */
void cpu_check_uninitialized(uintptr_t address, uint64_t bytes,
                             struct image_site *site);
/* race.c; `value` as __pycuda_check has it. */
void cpu_check_race(struct cpu_check *check,
                    const struct cpu_check_access *access, uint64_t value);
/* race.c: the read that `acquiring` tells of has been made. */
void cpu_check_acquire(struct cpu_check *check);

static inline void
cpu_check_acquire_ensure(struct cpu_check *check)
{
    if (check->acquiring) {
        cpu_check_acquire(check);
    }
}

/* The thread that runs, by its linear index. */
unsigned cpu_check_thread(void);

/* ---- report.c ---- */

/* One thing found.  Texts may be NULL. */
struct cpu_check_finding {
    const char *check; /* memory, race, sync, init */
    const char *kind;
    const struct image_site *site;
    CUresult code; /* that the launch ends with */
    bool has_address;
    uintptr_t address;
    uint64_t bytes;
    const char *detail;              /* what is wrong, a clause */
    const struct image_site *second; /* the other side, or NULL */
    unsigned second_thread;
    uint64_t second_block;
    const unsigned *thread; /* that it is about; NULL: the running one */
    const struct cpu_check_allocation *allocation;
};

/* Writes the report; does not return unless the program shall go on. */
void cpu_check_report(const struct cpu_check_finding *finding);
/* Is it of no use to report that?  It was, or the launch has failed. */
bool cpu_check_is_reported(const struct image_site *site, const char *kind);
const char *cpu_check_access_name(const struct image_site *site);
void cpu_check_triple(char text[40], uint64_t linear, const uint32_t size[3]);

/* ---- bounds.c: where does an address lie? ---- */

static inline bool
cpu_check_is_shared(const struct cpu_check *check, uintptr_t address)
{
    return address - check->shared_base < check->shared_bytes;
}

bool cpu_check_is_stack(const struct cpu_worker *worker, uintptr_t address);

#endif
