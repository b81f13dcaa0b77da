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

/* rows.c: do both touch the same bytes, each thread its own? */
bool cpu_check_areas_same(const struct cpu_check_area *one,
                          const struct cpu_check_area *two);
/* words.c: is it a race with nothing before?  Notes it, word by word. */
bool cpu_check_area_race_is_right(struct cpu_check *check,
                                  const struct cpu_check_area *area);
void cpu_check_area_note(struct cpu_check *check,
                         const struct cpu_check_area *area);

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
