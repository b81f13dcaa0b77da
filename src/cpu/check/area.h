/* area.h - the bytes that an access touches in all rounds of a loop.
 *
 * Made by area.c; looked at and noted by rows.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_AREA_H
#define PYCUDA_CPU_CHECK_AREA_H

#include "cpu/check/shadow.h"

/* One access, in the rounds where its conditions hold. */
struct cpu_check_area {
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
    struct cpu_check_words *words; /* if all lies in one granule */
};

/* false: it cannot be said which rounds it is in.  No rounds: count 0. */
bool cpu_check_area_make(struct cpu_check_area *area,
                         const struct image_check_nest *nest,
                         const struct image_check_row *row);

/* A condition that does not hold in any round, whatever else; -1: none. */
int cpu_check_row_never(const struct image_check_row *row);

static inline unsigned
cpu_check_row_bytes(const struct image_check_row *row)
{
    return (unsigned)sizeof *row +
           row->condition_count * (unsigned)sizeof *row->conditions;
}

/* ---- rows.c ---- */

/* All of a block's shared memory that the rows whose bits `which` has say is
 * noted again, as __pycuda_check_rows did; only what was written, if the
 * block has passed a barrier since. */
void cpu_check_rows_again(struct cpu_check *check,
                          const struct image_check_form *form,
                          const uint64_t *values, uint64_t which, bool past);
/* Do both touch the same bytes, each thread its own? */
bool cpu_check_areas_same(const struct cpu_check_area *one,
                          const struct cpu_check_area *two);

/* ---- words.c ---- */

/* Is it a race with nothing before?  Notes it, word by word. */
bool cpu_check_area_race_is_right(struct cpu_check *check,
                                  const struct cpu_check_area *area);
void cpu_check_area_note(struct cpu_check *check,
                         const struct cpu_check_area *area);

/* ---- trace.c ---- */

/* The rows of shared memory, as bits, that the block before had here, with
 * the same values; 0: none.  If they are `all`, the call is past. */
uint64_t cpu_check_trace_find(struct cpu_check *check,
                              const struct image_check_form *form,
                              const uint64_t *values, uint64_t all);
/* They are right, and so are the call's other rows: it is past. */
void cpu_check_trace_pass(struct cpu_check *check,
                          const struct image_check_form *form);
/* Rows of shared memory come that the block before did not have: from here on
 * all is looked at and written down.  false: that was so already. */
bool cpu_check_trace_part(struct cpu_check *check);
/* Writes down a call that was right, with the rows that need not be looked at
 * where the values are the same; `words` is the form with the values. */
void cpu_check_trace_add(struct cpu_check *check,
                         const struct image_check_form *form,
                         const uint64_t *values, const uint64_t *words,
                         uint64_t which);

static inline const struct image_check_place *
cpu_check_form_places(const struct image_check_form *form)
{
    return (const struct image_check_place *)(form->list + form->words);
}

/* ---- pending.c ---- */

#define CPU_CHECK_PENDING_READS  1024
#define CPU_CHECK_PENDING_WRITES 64

/* Of a block's shared memory, since its last barrier; none meets another. */
struct cpu_check_pending {
    unsigned read_count, write_count;
    bool words; /* nothing is pending: they are noted at once */
    struct cpu_check_area reads[CPU_CHECK_PENDING_READS];
    struct cpu_check_area writes[CPU_CHECK_PENDING_WRITES];
};

static inline bool
cpu_check_pending_is_noted(const struct cpu_check *check)
{
    const struct cpu_check_pending *pending = check->pending;

    return pending->words && !pending->read_count && !pending->write_count;
}

/* Is the area at odds with none of them?  false: they have been noted, and
 * words tell. */
bool cpu_check_pending_holds(struct cpu_check *check,
                             const struct cpu_check_area *area);
/* Adds one that is at odds with none; false: it must be noted. */
bool cpu_check_pending_add(struct cpu_check *check,
                           const struct cpu_check_area *area);

static inline uint64_t
cpu_check_area_size(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

#endif
