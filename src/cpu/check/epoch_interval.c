/* epoch_interval.c - numbers time intervals in the execution of thread blocks.
 *
 * An interval is the time between two synchronization events of a thread
 * block, such as barriers.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"

/* capacity of the ring buffer of time intervals, in intervals */
#define RING_SIZE (1u << 20)

static struct cpu_check_interval ring[RING_SIZE];
static atomic_uint last_number;
/* When interval `number` (the time between two synchronization events) ends,
 * element `number % RING_SIZE` is set to `number`. Any other value means that
 * the interval is still running. */
static atomic_uint ended[RING_SIZE];

atomic_uint cpu_check_clock;

uint32_t
cpu_check_interval_last(void)
{
    return atomic_load(&last_number);
}

void
cpu_check_interval_begin(struct cpu_check *check)
{
    if (!(cpu_check_flags & CPU_CHECK_RACE)) {
        return;
    }
    cpu_check_interval_end(check);
    check->interval = atomic_fetch_add(&last_number, 1) + 1;
    check->cached_interval = 0;
    ring[check->interval % RING_SIZE] = (struct cpu_check_interval){
        (uint32_t)check->serial, (uint32_t)check->block, check->epoch,
        atomic_load(&cpu_check_clock)};
}

void
cpu_check_interval_allocate(struct cpu_check *check)
{
    check->interval_due = false;
    cpu_check_interval_begin(check);
    check->since_barrier = check->interval;
    if (check->block_due) {
        check->block_due = false;
        check->first_interval = check->interval;
    }
}

void
cpu_check_interval_end(const struct cpu_check *check)
{
    atomic_store_explicit(&ended[check->interval % RING_SIZE], check->interval,
                          memory_order_release);
}

bool
cpu_check_interval_has_ended(uint32_t number)
{
    return atomic_load_explicit(&ended[number % RING_SIZE],
                                memory_order_acquire) == number;
}

const struct cpu_check_interval *
cpu_check_interval_find(uint32_t number)
{
    return cpu_check_interval_last() - number < RING_SIZE - 4096
               ? &ring[number % RING_SIZE]
               : NULL;
}
