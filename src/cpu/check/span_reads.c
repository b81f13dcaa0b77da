/* span_reads.c - records reads of spans of words by consecutive threads.
 *
 * Called by word_ranges.c and race.c. Loops over threads mostly read
 * consecutive words, so a read of sixteen words is recorded as one. Like a
 * word, a span has two read slots; while both are in use, further reads are
 * not recorded. A write to some words of a span does not clear the record of
 * an earlier read of the span. This causes no false report: span records are
 * only used in kernels in which accesses are ordered by whole thread blocks or
 * by whole time intervals (between two barriers). There, an access that is
 * ordered after the write is also ordered after the earlier read. Kernels with
 * warp synchronization record words one by one. No locks: concurrent records
 * of two workers are stored in either order.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>

#include "cpu/check/race.h"

/* Results of comparing a new read of a span (16 words) with the record of an
 * earlier read of the span. FREE: the record may be overwritten. OWN: the
 * record already describes the new read. UNCHANGED: the record must be kept,
 * and the new read is not recorded. DOUBTFUL: the reads of the words must be
 * recorded one by one. */
enum span_state { FREE, OWN, UNCHANGED, DOUBTFUL };

/* Returns whether a read in time interval `number` was made by the running
 * thread block before its latest barrier, or so long ago that the interval is
 * unknown. Such a read is ordered before all accesses that the thread block
 * makes now. */
static bool
is_of_other_epoch(const struct cpu_check *check, uint32_t number)
{
    const struct cpu_check_interval *then = cpu_check_interval_find(number);

    return !then || (then->serial == (uint32_t)check->serial &&
                     then->block == (uint32_t)check->block &&
                     then->epoch != check->epoch);
}

/* Decides what to do with `known`, the record of an earlier read of the span,
 * when the read `mine` is to be recorded. enum span_state describes the
 * results. */
static enum span_state
span_judge(const struct cpu_check *check, uint64_t known, uint64_t mine,
           bool shared)
{
    uint32_t number = (uint32_t)(known >> CPU_RACE_INTERVAL_AT);
    uint32_t past = cpu_race_past(check, shared);
    /* True if reads by other thread blocks cannot conflict with this thread
     * block's accesses, so that their records may be overwritten. */
    bool isolated = shared || check->acquired;

    if (!known || cpu_race_number_is_past(number, past)) {
        return FREE;
    }
    if (number == check->interval) {
        return (known ^ mine) & CPU_RACE_ACCESSOR ? UNCHANGED : OWN;
    }
    if (!isolated && number - past - 1 < check->first_interval - past - 1) {
        /* Another thread block, which no synchronization orders before this
         * one, has read the span. */
        return UNCHANGED;
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

/* Returns the end of the words that belong to the same span (16 words) as word
 * `at`: the index of the first word of the next span or, if that is smaller,
 * `run_end`, the end of the accessed words. */
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
