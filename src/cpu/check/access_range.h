/* access_range.h - the bytes that an access touches in all rounds of a loop.
 *
 * Made by access_range.c; looked at and noted by loop_accesses.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_AREA_H
#define PYCUDA_CPU_CHECK_AREA_H

#include "cpu/check/shadow.h"

/* One access, in the rounds where its conditions hold. */
struct cpu_check_range {
    const struct image_check_row *row;
    uintptr_t address; /* of the first round; */
    uintptr_t low, high;
    uint64_t count[2];
    int64_t step[2];
    uint64_t bytes;
    unsigned linear;
    int linear_step[2];
    unsigned flags;
    bool shared, stack;
    bool covered;  /* what it reads, a later one writes in the same way */
    uint64_t site; /* of races; for them too: */
    struct cpu_shadow_granule *granule; /* if all lies in one granule */
};

/* false: it cannot be said which rounds it is in.  No rounds: count 0. */
bool cpu_check_range_make(struct cpu_check_range *range,
                          const struct image_check_nest *nest,
                          const struct image_check_row *row);

/* A condition that does not hold in any round, whatever else; -1: none. */
int cpu_check_row_false_condition(const struct image_check_row *row);

static inline unsigned
cpu_check_row_bytes(const struct image_check_row *row)
{
    return (unsigned)sizeof *row +
           row->condition_count * (unsigned)sizeof *row->conditions;
}

/* ---- loop_accesses.c ---- */

/* All of a block's shared memory that the rows whose bits `which` has say is
 * noted again, as __pycuda_check_rows did; only what was written, if the
 * block has passed a barrier since. */
void cpu_check_loop_replay(struct cpu_check *check,
                           const struct image_check_form *form,
                           const uint64_t *values, uint64_t which, bool past);
/* Do both touch the same bytes, each thread its own? */
bool cpu_check_ranges_equal(const struct cpu_check_range *one,
                            const struct cpu_check_range *two);

/* ---- word_ranges.c ---- */

/* Is it a race with nothing before?  Notes it, word by word. */
bool cpu_check_range_is_race_free(struct cpu_check *check,
                                  const struct cpu_check_range *range);
void cpu_check_range_record(struct cpu_check *check,
                            const struct cpu_check_range *range);

/* ---- trace.c ---- */

/* The rows of shared memory, as bits, that the block before had here, with
 * the same values; 0: none.  If they are `all`, the call is past. */
uint64_t cpu_check_trace_match(struct cpu_check *check,
                               const struct image_check_form *form,
                               const uint64_t *values, uint64_t all);
/* They are right, and so are the call's other rows: it is past. */
void cpu_check_trace_advance(struct cpu_check *check,
                             const struct image_check_form *form);
/* Rows of shared memory come that the block before did not have: from here on
 * all is looked at and written down.  false: that was so already. */
bool cpu_check_trace_diverge(struct cpu_check *check);
/* Writes down a call that was right, with the rows that need not be looked at
 * where the values are the same; `words` is the form with the values. */
void cpu_check_trace_append(struct cpu_check *check,
                            const struct image_check_form *form,
                            const uint64_t *values, const uint64_t *words,
                            uint64_t which);

static inline const struct image_check_place *
cpu_check_form_places(const struct image_check_form *form)
{
    return (const struct image_check_place *)(form->list + form->words);
}

/* ---- pending_accesses.c ---- */

#define CPU_CHECK_PENDING_READS  1024
#define CPU_CHECK_PENDING_WRITES 64

/* Of a block's shared memory, since its last barrier; none meets another. */
struct cpu_check_pending {
    unsigned read_count, write_count;
    bool flushed; /* nothing is pending: they are noted at once */
    struct cpu_check_range reads[CPU_CHECK_PENDING_READS];
    struct cpu_check_range writes[CPU_CHECK_PENDING_WRITES];
};

static inline bool
cpu_check_pending_is_flushed(const struct cpu_check *check)
{
    const struct cpu_check_pending *pending = check->pending;

    return pending->flushed && !pending->read_count && !pending->write_count;
}

/* Is the area at odds with none of them?  false: they have been noted, and
 * words tell. */
bool cpu_check_pending_is_disjoint(struct cpu_check *check,
                                   const struct cpu_check_range *range);
/* Adds one that is at odds with none; false: it must be noted. */
bool cpu_check_pending_add(struct cpu_check *check,
                           const struct cpu_check_range *range);

static inline uint64_t
cpu_check_step_size(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

#endif
