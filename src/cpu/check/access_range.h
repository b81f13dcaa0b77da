/* access_range.h - access ranges: all bytes that an access touches in a loop.
 *
 * access_range.c makes them; loop_accesses.c checks and records them. An
 * access range has up to two dimensions: threads (or an inner loop) and an
 * outer loop.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_AREA_H
#define PYCUDA_CPU_CHECK_AREA_H

#include "cpu/check/shadow.h"

/* One access in the iterations in which its conditions hold. Arrays of two
 * elements describe the inner loop and the outer loop. */
struct cpu_check_range {
    const struct image_check_row *row;
    uintptr_t address; /* address in the first iteration */
    /* Bounds of all bytes, [low, high). */
    uintptr_t low, high;
    /* Iterations; count[1] is 0 if the access never executes. */
    uint64_t count[2];
    /* Change of the address from one iteration to the next, in bytes. */
    int64_t step[2];
    /* Bytes of one access. */
    uint64_t bytes;
    /* Linear index of the thread of the first iteration, and its change from
     * one iteration to the next. */
    unsigned linear;
    int linear_step[2];
    unsigned flags;
    bool shared, stack;
    bool covered;  /* a later access of the loop writes the same bytes */
    uint64_t site; /* the site as part of a slot, for the race check */
    /* For the race check: the access records, if all bytes are in one granule;
     * else NULL. */
    struct cpu_shadow_granule *granule;
};

/* Makes the access range of `row` in the loop nest. Returns false if the
 * iterations in which the conditions hold are not a range. An access that
 * never executes has count[1] == 0. */
bool cpu_check_range_make(struct cpu_check_range *range,
                          const struct image_check_nest *nest,
                          const struct image_check_row *row);

/* Returns the index of a condition that is false in every iteration regardless
 * of the other conditions, or -1 if there is none. */
int cpu_check_row_false_condition(const struct image_check_row *row);

/* Returns the size of a row with its conditions. */
static inline unsigned
cpu_check_row_bytes(const struct image_check_row *row)
{
    return (unsigned)sizeof *row +
           row->condition_count * (unsigned)sizeof *row->conditions;
}

/* ---- loop_accesses.c ---- */

/* Repeats a call of __pycuda_check_rows for the shared-memory accesses whose
 * bits are set in `selected`: checks and records them. With `behind_barrier`
 * it only marks written bytes, since the block has passed a barrier since. */
void cpu_check_loop_replay(struct cpu_check *check,
                           const struct image_check_form *form,
                           const uint64_t *values, uint64_t selected,
                           bool behind_barrier);
/* Returns whether both ranges touch the same bytes, each byte by the same
 * thread. */
bool cpu_check_ranges_equal(const struct cpu_check_range *one,
                            const struct cpu_check_range *two);

/* ---- word_ranges.c ---- */

/* Returns whether the range conflicts with no earlier access. */
bool cpu_check_range_is_race_free(struct cpu_check *check,
                                  const struct cpu_check_range *range);
/* Records the range's accesses word by word in shadow memory. */
void cpu_check_range_record(struct cpu_check *check,
                            const struct cpu_check_range *range);

/* ---- trace.c ---- */

/* Compares the call with the one that the previous block made at the same
 * point. Returns the rows, as bits, that need no check since their values are
 * equal; 0 if there are none. If the result equals `all`, the trace advances
 * past the call. */
uint64_t cpu_check_trace_match(struct cpu_check *check,
                               const struct image_check_form *form,
                               const uint64_t *values, uint64_t all);
/* Advances the trace past a call of which the remaining rows were found
 * valid. */
void cpu_check_trace_advance(struct cpu_check *check,
                             const struct image_check_form *form);
/* Switches from replaying to recording, since the block makes a call that the
 * previous block did not make. Checks and records all accesses that replaying
 * had skipped. Returns false if the trace was not replaying. */
bool cpu_check_trace_diverge(struct cpu_check *check);
/* Appends a valid call to the trace. `selected` has the rows that need no
 * check in a block that passes equal values; `words` is the form with the
 * values filled in. */
void cpu_check_trace_append(struct cpu_check *check,
                            const struct image_check_form *form,
                            const uint64_t *values, const uint64_t *words,
                            uint64_t selected);

/* Returns the list of words that the values of a call replace. */
static inline const struct image_check_place *
cpu_check_form_places(const struct image_check_form *form)
{
    return (const struct image_check_place *)(form->list + form->words);
}

/* ---- pending_accesses.c ---- */

/* Capacities of the list; it is flushed when one is reached. */
#define CPU_CHECK_PENDING_READS  1024
#define CPU_CHECK_PENDING_WRITES 64

/* Accesses of the block's shared memory since the last barrier. No two of them
 * conflict. */
struct cpu_check_pending {
    unsigned read_count, write_count;
    bool flushed; /* accesses are recorded word by word immediately */
    struct cpu_check_range reads[CPU_CHECK_PENDING_READS];
    struct cpu_check_range writes[CPU_CHECK_PENDING_WRITES];
};

/* Returns whether shadow memory has all accesses of shared memory. */
static inline bool
cpu_check_pending_is_flushed(const struct cpu_check *check)
{
    const struct cpu_check_pending *pending = check->pending;

    return pending->flushed && !pending->read_count && !pending->write_count;
}

/* Returns whether the range conflicts with no pending access. If it may
 * conflict, flushes the list and returns false; shadow memory then has the
 * answer. */
bool cpu_check_pending_is_disjoint(struct cpu_check *check,
                                   const struct cpu_check_range *range);
/* Adds a range that conflicts with no pending access. Returns false if the
 * caller must record it in shadow memory. */
bool cpu_check_pending_add(struct cpu_check *check,
                           const struct cpu_check_range *range);

/* Returns the absolute value of a step. */
static inline uint64_t
cpu_check_step_size(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

#endif
