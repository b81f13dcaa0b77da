/* access_range.c - computes the bytes that an access touches in a loop.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>

#include "cpu/check/access_range.h"

#define STEP_LIMIT ((int64_t)1 << 40)

/* Finds the loop iterations, from 0 to count - 1, in which value + iteration *
 * step is less than `limit`. The sum is computed and compared as an unsigned
 * number of `bits` bits. Stores the range of these iterations as [*first,
 * *last). Returns false if these iterations are not contiguous. */
static bool
rounds_below_limit(uint64_t value, int64_t step, uint64_t limit, unsigned bits,
                   uint64_t count, uint64_t *first, uint64_t *last)
{
    uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;

    value &= mask;
    limit &= mask;
    if (!step || count == 1) {
        *first = 0;
        *last = value < limit ? count : 0;
        return true;
    }
    if (step != 1) {
        return false;
    }
    /* `value` grows by 1 in each iteration. After `until_wrap` iterations it
     * has its maximum, and the next iteration wraps it around to 0. */
    uint64_t until_wrap = mask - value;
    if (value < limit) {
        *first = 0;
        *last = limit - value < count ? limit - value : count;
        return until_wrap >= count;
    }
    *first = until_wrap < count ? until_wrap + 1 : count;
    *last = limit < count - *first ? *first + limit : count;
    return true;
}

/* Reduces the iterations [first, last) of the inner and of the outer loop to
 * the iterations in which `condition`, such as i < n, is true. The access
 * executes only in these iterations. Returns false if the iterations in which
 * the condition is true are not contiguous. */
static bool
condition_apply(const struct image_check_condition *condition,
                const struct image_check_nest *nest, uint64_t first[2],
                uint64_t last[2])
{
    int axis = condition->step[0] ? 0 : 1;
    uint64_t from, to;

    if ((condition->step[0] && condition->step[1] && nest->count[1] > 1) ||
        !rounds_below_limit(condition->value, condition->step[axis],
                            condition->limit, condition->bits,
                            nest->count[axis], &from, &to)) {
        return false;
    }
    if (condition->otherwise) {
        uint64_t count = nest->count[axis];
        if (from >= to) {
            from = 0;
            to = count;
        } else if (from == 0) {
            from = to;
            to = count;
        } else if (to == count) {
            to = from;
            from = 0;
        } else {
            return false;
        }
    }
    first[axis] = from > first[axis] ? from : first[axis];
    last[axis] = to < last[axis] ? to : last[axis];
    return true;
}

static bool
step_is_small(int64_t step)
{
    return step > -STEP_LIMIT && step < STEP_LIMIT;
}

static void
range_bounds(struct cpu_check_range *range)
{
    range->low = range->high = range->address;
    for (int i = 0; i < 2; i++) {
        int64_t way = range->step[i] * (int64_t)(range->count[i] - 1);
        if (way < 0) {
            range->low += (uintptr_t)way;
        } else {
            range->high += (uintptr_t)way;
        }
    }
    range->high += range->bytes;
}

bool
cpu_check_range_make(struct cpu_check_range *range,
                     const struct image_check_nest *nest,
                     const struct image_check_range *row)
{
    uint64_t first[2] = {0, 0}, last[2] = {nest->count[0], nest->count[1]};

    *range = (struct cpu_check_range){.row = row,
                                      .address = (uintptr_t)row->address,
                                      .bytes = row->bytes,
                                      .linear = nest->linear,
                                      .flags = row->site->flags};
    for (unsigned i = 0; i < row->condition_count; i++) {
        if (!condition_apply(&row->conditions[i], nest, first, last)) {
            return false;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (!step_is_small(row->step[i])) {
            return false;
        }
        range->count[i] = first[i] < last[i] ? last[i] - first[i] : 0;
        range->step[i] = row->step[i];
        range->linear_step[i] = nest->linear_step[i];
        range->address += (uintptr_t)(row->step[i] * (int64_t)first[i]);
        range->linear += (unsigned)nest->linear_step[i] * (unsigned)first[i];
    }
    if (!range->count[0]) {
        range->count[1] = 0;
    }
    if (range->count[1]) {
        range_bounds(range);
    }
    return true;
}

int
cpu_check_range_false_condition(const struct image_check_range *row)
{
    for (unsigned i = 0; i < row->condition_count; i++) {
        const struct image_check_condition *one = &row->conditions[i];
        uint64_t mask = one->bits == 64 ? ~0ull : (1ull << one->bits) - 1;

        if (!one->step[0] && !one->step[1] &&
            ((one->value & mask) < (one->limit & mask)) == one->otherwise) {
            return (int)i;
        }
    }
    return -1;
}
