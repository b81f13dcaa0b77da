/* area.c - which bytes an access touches in the rounds of a loop where its
 * conditions hold.
 *
 * Called by rows.c.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/check/area.h"

#define MOST_STEP ((int64_t)1 << 40)

/* [*first, *last) of the `count` rounds in which value + round * step is
 * below the limit; false: they are no range. */
static bool
rounds_below(uint64_t value, int64_t step, uint64_t limit, unsigned bits,
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
    uint64_t until_wrap = mask - value; /* rounds, less one */
    if (value < limit) {
        *first = 0;
        *last = limit - value < count ? limit - value : count;
        return until_wrap >= count;
    }
    *first = until_wrap < count ? until_wrap + 1 : count;
    *last = limit < count - *first ? *first + limit : count;
    return true;
}

/* Narrows [first, last) of the dimension to where the condition holds. */
static bool
condition_apply(const struct image_check_condition *condition,
                const struct image_check_nest *nest, uint64_t first[2],
                uint64_t last[2])
{
    int axis = condition->step[0] ? 0 : 1;
    uint64_t from, to;

    if ((condition->step[0] && condition->step[1] && nest->count[1] > 1) ||
        !rounds_below(condition->value, condition->step[axis],
                      condition->limit, condition->bits, nest->count[axis],
                      &from, &to)) {
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
    return step > -MOST_STEP && step < MOST_STEP;
}

static void
area_bounds(struct cpu_check_area *area)
{
    area->low = area->high = area->address;
    for (int i = 0; i < 2; i++) {
        int64_t way = area->step[i] * (int64_t)(area->count[i] - 1);
        if (way < 0) {
            area->low += (uintptr_t)way;
        } else {
            area->high += (uintptr_t)way;
        }
    }
    area->high += area->bytes;
}

bool
cpu_check_area_make(struct cpu_check_area *area,
                    const struct image_check_nest *nest,
                    const struct image_check_row *row)
{
    uint64_t first[2] = {0, 0}, last[2] = {nest->count[0], nest->count[1]};

    *area = (struct cpu_check_area){.row = row,
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
        area->count[i] = first[i] < last[i] ? last[i] - first[i] : 0;
        area->step[i] = row->step[i];
        area->linear_step[i] = nest->linear_step[i];
        area->address += (uintptr_t)(row->step[i] * (int64_t)first[i]);
        area->linear += (unsigned)nest->linear_step[i] * (unsigned)first[i];
    }
    if (!area->count[0]) {
        area->count[1] = 0;
    }
    if (area->count[1]) {
        area_bounds(area);
    }
    return true;
}

int
cpu_check_row_never(const struct image_check_row *row)
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
