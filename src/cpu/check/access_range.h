/* access_range.h - access ranges: all bytes that an access touches in a loop.
 *
 * access_range.c makes them; loop_accesses.c checks and records them. An
 * access range has up to two dimensions: threads (or an inner loop) and an
 * outer loop. A trace (trace.c) is the recorded sequence of calls of
 * __pycuda_check_rows of one thread block. The next thread block replays it:
 * it skips the checks in calls that equal the recorded ones.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_ACCESS_RANGE_H
#define PYCUDA_CPU_CHECK_ACCESS_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/check/shadow.h"
#include "image/abi.h"

/* All accesses that one instruction makes in a loop nest. The instruction
 * executes only in iterations in which its conditions, such as i < n, are
 * true. Element 0 of the arrays describes the inner loop, element 1 the outer
 * loop. */
struct cpu_check_range {
    const struct image_check_range *row;
    uintptr_t address; /* address that the access has in the first iteration */
    /* All bytes that the accesses touch are in the address range [low,
     * high). */
    uintptr_t low, high;
    /* Numbers of iterations of the inner and of the outer loop; count[1] is 0
     * if the access is never executed. */
    uint64_t count[2];
    /* Increments of the address per iteration of the inner and of the outer
     * loop, in bytes. */
    int64_t step[2];
    /* Size of one access in bytes. */
    uint64_t bytes;
    /* Linear index, in the thread block, of the thread that executes the first
     * iteration. linear_step[0] and [1]: increments of that index per
     * iteration of the inner and of the outer loop. */
    unsigned linear;
    int linear_step[2];
    unsigned flags;
    bool shared, stack;
    /* a later access of the loop writes all bytes that this access reads */
    bool covered;
    /* Number of the source location of the access, shifted to the bits of an
     * access record (slot, see race.h) that contain it. */
    uint64_t site;
    /* For the race check: the access records of the granule (64 KiB of memory)
     * that contains all bytes of the range. NULL if the range extends over
     * several granules. */
    struct cpu_shadow_granule *granule;
};

/* Computes the access range of `row`, which describes one access in the loop
 * nest. Returns false if the iterations in which the access executes are not
 * contiguous, or if a step of its address is 2^40 bytes or more. If the access
 * never executes, sets range->count[1] to 0. */
bool cpu_check_range_make(struct cpu_check_range *range,
                          const struct image_check_nest *nest,
                          const struct image_check_range *row);

/* `row` describes one access in a loop, with the conditions under which the
 * access executes. Returns the index of a condition that is false and has the
 * same value in all iterations, so that the access never executes. Returns -1
 * if there is no such condition. */
int cpu_check_range_false_condition(const struct image_check_range *row);

/* Returns the size in bytes of `row`, which describes one access in a loop.
 * The array of conditions at the end of `row` is included. */
static inline unsigned
cpu_check_range_bytes(const struct image_check_range *row)
{
    return (unsigned)sizeof *row +
           row->condition_count * (unsigned)sizeof *row->conditions;
}

/* ---- loop_accesses.c ---- */

/* Checks and records shared-memory accesses that trace.c has skipped. They
 * were passed to __pycuda_check_rows as `form` and `values`, and their bits
 * are set in `selected`. If `behind_barrier` is true, the thread block has
 * passed a barrier since then, and the accesses cannot race any more. In this
 * case, the function only marks the bytes that they write as written. */
void cpu_check_loop_replay(struct cpu_check *check,
                           const struct image_check_form *form,
                           const uint64_t *values, uint64_t selected,
                           bool behind_barrier);
/* Returns whether two accesses in loops are equal: both touch the same bytes,
 * and each byte is touched by the same thread. */
bool cpu_check_ranges_equal(const struct cpu_check_range *one,
                            const struct cpu_check_range *two);

/* ---- word_ranges.c ---- */

/* Returns whether the range conflicts with no access recorded in shadow
 * memory. */
bool cpu_check_range_is_race_free(struct cpu_check *check,
                                  const struct cpu_check_range *range);
/* Records the range's accesses word by word in shadow memory. */
void cpu_check_range_record(struct cpu_check *check,
                            const struct cpu_check_range *range);

/* ---- trace.c ---- */

/* Compares a call of __pycuda_check_rows with the call at the current position
 * of the trace (the recorded calls of the previous thread block). Returns a
 * bit set of the accesses that need no check, since they are equal in both
 * calls; 0 if the calls differ. If the result equals `all`, advances the
 * position past the call. */
uint64_t cpu_check_trace_match(struct cpu_check *check,
                               const struct image_check_form *form,
                               const uint64_t *values, uint64_t all);
/* Advances the position in the trace (the recorded calls of the previous
 * thread block) past one call. The caller has checked all accesses of the call
 * that the trace does not contain, and has found them valid. */
void cpu_check_trace_advance(struct cpu_check *check,
                             const struct image_check_form *form);
/* Switches from replaying the trace (comparing with the recorded calls of the
 * previous thread block) to recording a new one, since the thread block makes
 * a different call. Checks and records all accesses that were skipped because
 * they equalled the trace. Returns false if the trace was not being
 * replayed. */
bool cpu_check_trace_diverge(struct cpu_check *check);
/* Appends a call of __pycuda_check_rows to the trace, the list of the calls
 * that the thread block has made. All accesses of the call are valid. If a
 * later thread block makes the call with the same values, it need not check
 * the accesses in the bit set `selected`. `form` is the constant description
 * of the loop and its accesses, `values` has the values that are known only at
 * run time, and `words` is the description with these values filled in. */
void cpu_check_trace_append(struct cpu_check *check,
                            const struct image_check_form *form,
                            const uint64_t *values, const uint64_t *words,
                            uint64_t selected);

/* Returns the array of operands at the end of `form`, the constant description
 * of a loop and its accesses. The operands tell which 8-byte words of the
 * description are replaced by values at run time. */
static inline const struct image_check_operand *
cpu_check_form_operands(const struct image_check_form *form)
{
    return (const struct image_check_operand *)(form->list + form->words);
}

/* ---- pending_accesses.c ---- */

/* Capacities, in access ranges, of the two lists of pending accesses: accesses
 * of shared memory since the last barrier. When one list is full, the ranges
 * of both lists are written to shadow memory. */
#define CPU_CHECK_PENDING_READS  1024
#define CPU_CHECK_PENDING_WRITES 64

/* The access ranges of the thread block's shared memory since the last
 * barrier. No two of these ranges conflict. */
struct cpu_check_pending {
    unsigned read_count, write_count;
    /* true: the pending accesses were written to shadow memory, and new
     * accesses are recorded in shadow memory directly, word by word */
    bool flushed;
    struct cpu_check_range reads[CPU_CHECK_PENDING_READS];
    struct cpu_check_range writes[CPU_CHECK_PENDING_WRITES];
};

/* Returns whether all accesses of shared memory are recorded in shadow memory,
 * so that none are in the list of pending accesses. */
static inline bool
cpu_check_pending_is_flushed(const struct cpu_check *check)
{
    const struct cpu_check_pending *pending = check->pending;

    return pending->flushed && !pending->read_count && !pending->write_count;
}

/* Returns true if the range certainly conflicts with no pending access (an
 * access of shared memory since the last barrier that is not in shadow memory
 * yet). Otherwise records all pending accesses in shadow memory and returns
 * false; the caller must then look for conflicts in shadow memory. */
bool cpu_check_pending_is_disjoint(struct cpu_check *check,
                                   const struct cpu_check_range *range);
/* Adds a range to the list of pending accesses (accesses of shared memory
 * since the last barrier). The caller has checked that the range conflicts
 * with none of them. Returns false if the list is full, or was already written
 * to shadow memory; the caller must then record the range in shadow memory. */
bool cpu_check_pending_add(struct cpu_check *check,
                           const struct cpu_check_range *range);

/* Returns the absolute value of `step`. */
static inline uint64_t
cpu_check_step_size(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

#endif
