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

static inline uint64_t
cpu_check_area_size(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

#endif
