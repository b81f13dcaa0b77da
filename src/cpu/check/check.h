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

enum { CPU_CHECK_PLACE = 160 }; /* bytes of a text that names a place */

struct cpu_check_allocation {
    uintptr_t base;
    size_t bytes;
    const char *maker; /* the API's function */
    uint64_t order;    /* 1: the process's first */
    uint64_t freed;    /* 1: the first that was; 0: it is in use */
    bool tracked;      /* it is known which bytes were written */
    char made_at[CPU_CHECK_PLACE];
    char freed_at[CPU_CHECK_PLACE];
};

/* The allocation that holds `address`, or else the nearest one, live or not,
 * within a mebibyte; false: there is none. */
bool cpu_check_find(uintptr_t address, struct cpu_check_allocation *found);
/* Grows whenever memory is freed. */
extern atomic_uint cpu_check_frees;

/* place.c: who called the library, as text. */
void cpu_check_place(char text[CPU_CHECK_PLACE]);

/* ---- the state of a worker's block ---- */

#define CPU_CHECK_SHARED 64 /* shared variables of a kernel that are known */
#define CPU_CHECK_RECENT 8

struct cpu_check_variable {
    uintptr_t base;
    size_t bytes;
    const char *name;
};

/* When a thread, or another of its block, handed on what it wrote. */
struct cpu_check_order {
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
    /* Numbers of intervals (interval.c): the running one, the first
     * since the last barrier, and one that is older than the launch. */
    uint32_t interval, since_barrier, before_launch;
    uint32_t first_interval; /* of the block */
    bool traced;             /* trace.c follows the block, or writes it down */
    bool interval_due, block_due; /* nothing was noted in it yet */
    uint32_t acquired;            /* by any of its threads; see race.c */
    /* Whose atomic or volatile read comes now: only after it is it known what
     * it acquires.  Or NULL. */
    struct cpu_check_order *acquiring;
    bool fenced;               /* some thread of the block has used a fence */
    unsigned stopped, ordered; /* so many of `at`, of `threads` are in use */
    /* An interval of another block, and whether it is ordered; 0: none. */
    uint32_t other;
    bool other_ordered;
    struct {
        uintptr_t base;
        size_t bytes;
    } recent[CPU_CHECK_RECENT];
    unsigned recent_next, recent_hit, frees;
    uintptr_t shared_base; /* of the block's shared memory */
    uint64_t shared_bytes;
    struct cpu_check_variable shared[CPU_CHECK_SHARED];
    unsigned shared_count;
    uint32_t returned[CPU_MAX_THREADS / 32]; /* ended by `return` */
    const struct image_site *at[CPU_MAX_THREADS];
    struct cpu_check_order threads[CPU_MAX_THREADS];
    struct cpu_check_warp warps[CPU_MAX_THREADS / CPU_WARP];
    struct cpu_check_pending *pending;
    struct cpu_check_trace *trace;
    struct cpu_check_look *looks;  /* rows.c's */
    unsigned looking;              /* so many are in use */
    _Alignas(16) char spare[4096]; /* where refused accesses go */
};

/* The state of the calling worker. */
static inline struct cpu_check *
cpu_check_self(void)
{
    return cpu_worker_tls->check;
}

/* ---- pending.c: rows of accesses to shared memory ---- */

bool cpu_check_pending_open(struct cpu_check *check); /* false: no memory */
/* Notes all of them, and those to come, word by word. */
void cpu_check_pending_note(struct cpu_check *check);
/* A barrier, or a new block: they are past. */
void cpu_check_pending_drop(struct cpu_check *check);

/* ---- trace.c: what a block does to shared memory, as the last one did ----
 */

bool cpu_check_trace_open(struct cpu_check *check);  /* false: no memory */
bool cpu_check_looks_open(struct cpu_check *check);  /* rows.c; the same */
void cpu_check_trace_begin(struct cpu_check *check); /* a new block */
/* Something comes that needs all that is known: it is caught up on.  Until
 * the block's end nothing more is followed. */
void cpu_check_trace_catch_up(struct cpu_check *check);

static inline void
cpu_check_trace_leave(struct cpu_check *check)
{
    if (check->traced) {
        cpu_check_trace_catch_up(check);
    }
}

/* ---- interval.c: times at which a block accessed memory ---- */

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
void cpu_check_interval_make(struct cpu_check *check);

static inline void
cpu_check_interval_need(struct cpu_check *check)
{
    if (check->interval_due) {
        cpu_check_interval_make(check);
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

/* access.c: is it right?  Nothing is reported. */
bool cpu_check_memory_is_right(struct cpu_check *check,
                               const struct cpu_check_access *access);
/* access.c: where to access instead of `address`. */
void *cpu_check_memory(struct cpu_check *check,
                       const struct cpu_check_access *access);
/* init.c */
void cpu_check_init(uintptr_t address, uint64_t bytes,
                    struct image_site *site);
/* race.c; `value` as __pycuda_check has it. */
void cpu_check_race(struct cpu_check *check,
                    const struct cpu_check_access *access, uint64_t value);
/* race.c: the read that `acquiring` tells of has been made. */
void cpu_check_acquire(struct cpu_check *check);

static inline void
cpu_check_acquire_need(struct cpu_check *check)
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
bool cpu_check_is_told(const struct image_site *site, const char *kind);
const char *cpu_check_access_name(const struct image_site *site);
void cpu_check_triple(char text[40], uint64_t linear, const uint32_t size[3]);

/* ---- access.c: where does an address lie? ---- */

static inline bool
cpu_check_is_shared(const struct cpu_check *check, uintptr_t address)
{
    return address - check->shared_base < check->shared_bytes;
}

bool cpu_check_is_stack(const struct cpu_worker *worker, uintptr_t address);

#endif
