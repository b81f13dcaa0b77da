/* span_reads.c - reads of whole spans of words, each word by the next thread.
 *
 * Called by word_ranges.c and race.c.  Rows of threads mostly read memory in turn:
 * sixteen words that they read are noted as one.  A span has two places, as
 * each of its words has: who reads it while both are taken changes nothing.
 * It is kept when some of its words are written.  That is right since only
 * whole blocks, and epochs of them, are ordered for who reads so (kernels
 * whose lanes meet note word by word): what comes after the write in any way
 * comes after the reads.  No locks: what two workers note at the same time is
 * seen in some order.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/check/race.h"

enum span_state { FREE, OWN, UNCHANGED, DOUBTFUL };

/* What was read in another epoch of the block is ordered with all of it. */
static bool
is_of_other_epoch(const struct cpu_check *check, uint32_t number)
{
    const struct cpu_check_interval *then = cpu_check_interval_find(number);

    return !then || (then->serial == (uint32_t)check->serial &&
                     then->block == (uint32_t)check->block &&
                     then->epoch != check->epoch);
}

/* What it means for a read now that `known` is in the place. */
static enum span_state
span_judge(const struct cpu_check *check, uint64_t known, uint64_t mine,
           bool shared)
{
    uint32_t number = (uint32_t)(known >> CPU_RACE_INTERVAL_AT);
    uint32_t past = cpu_race_past(check, shared);
    bool isolated = shared || check->acquired; /* blocks may be ordered */

    if (!known || cpu_race_number_is_past(number, past)) {
        return FREE;
    }
    if (number == check->interval) {
        return (known ^ mine) & CPU_RACE_ACCESSOR ? UNCHANGED : OWN;
    }
    if (!isolated && number - past - 1 < check->first_interval - past - 1) {
        return UNCHANGED; /* of another block, which hands on nothing */
    }
    return is_of_other_epoch(check, number) ? FREE : DOUBTFUL;
}

bool
cpu_race_span_read(struct cpu_check *check, struct cpu_shadow_granule *granule,
                   uintptr_t at, uint64_t count, uint64_t slot, bool shared)
{
    uintptr_t span = at / CPU_SHADOW_SPAN;
    uint64_t before = at % CPU_SHADOW_SPAN << CPU_RACE_THREAD_AT;

    for (int i = 0; i < 2; i++) {
        uint64_t *address = &granule->spans[i][span];
        uint64_t known = cpu_race_load(address);
        enum span_state state =
            span_judge(check, known, slot - before, shared);

        if (state == FREE && count == CPU_SHADOW_SPAN) {
            cpu_race_store(address, slot);
            return true;
        }
        if (state != UNCHANGED) {
            return state == OWN;
        }
    }
    return true;
}

/* Where the span that holds word `at` ends, or the line before it. */
static uintptr_t
span_end(uintptr_t at, uintptr_t run_end)
{
    uintptr_t next = (at | (CPU_SHADOW_SPAN - 1)) + 1;

    return next < run_end ? next : run_end;
}

static bool
span_is_ordered(struct cpu_check *check, const struct cpu_check_run *run,
                uintptr_t at, uintptr_t end, bool shared)
{
    for (int i = 0; i < 2; i++) {
        uint64_t known =
            cpu_race_load(&run->granule->spans[i][at / CPU_SHADOW_SPAN]);
        bool past =
            !known || cpu_race_is_past(known, cpu_race_past(check, shared));

        for (uintptr_t k = at; !past && k < end; k++) {
            uint64_t slot = cpu_race_span_slot(run->granule, i, k);
            unsigned thread = cpu_check_run_thread(run, k - run->at);

            if (slot && (!cpu_race_ordered(check, slot, thread, shared) ||
                         (!run->alone &&
                          slot >> CPU_RACE_INTERVAL_AT == check->interval))) {
                return false;
            }
        }
    }
    return true;
}

bool
cpu_race_spans_ordered(struct cpu_check *check,
                       const struct cpu_check_run *run, bool shared)
{
    uintptr_t end = run->at + run->count, next;

    for (uintptr_t at = run->at; at < end; at = next) {
        next = span_end(at, end);
        if (!span_is_ordered(check, run, at, next, shared)) {
            return false;
        }
    }
    return true;
}
