/* pending_accesses.c - access ranges of shared memory since the last barrier.
 *
 * Called by loop_accesses.c, and by race.c when it needs the state of each
 * word. A barrier orders all accesses before it, and most ranges conflict with
 * no other range until then. So accesses are first stored and compared as
 * ranges. If such a comparison cannot exclude a conflict, all stored ranges
 * are recorded word by word in shadow memory, and so are further accesses
 * until the barrier. The state belongs to the worker; no locks.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/check/access_range.h"
#include "image/abi.h"

static bool
list_overlaps(const struct cpu_check_range *list, unsigned count,
              const struct cpu_check_range *range)
{
    for (unsigned i = 0; i < count; i++) {
        if (range->low < list[i].high && list[i].low < range->high &&
            !cpu_check_ranges_equal(range, &list[i])) {
            return true;
        }
    }
    return false;
}

bool
cpu_check_pending_is_disjoint(struct cpu_check *check,
                              const struct cpu_check_range *range)
{
    struct cpu_check_pending *pending = check->pending;

    if (pending->flushed) {
        return false;
    }
    if (list_overlaps(pending->writes, pending->write_count, range) ||
        (range->flags & IMAGE_SITE_WRITE &&
         list_overlaps(pending->reads, pending->read_count, range))) {
        cpu_check_pending_flush(check);
        return false;
    }
    return true;
}

bool
cpu_check_pending_add(struct cpu_check *check,
                      const struct cpu_check_range *range)
{
    struct cpu_check_pending *pending = check->pending;

    if (!pending->flushed &&
        (pending->read_count == CPU_CHECK_PENDING_READS ||
         pending->write_count == CPU_CHECK_PENDING_WRITES)) {
        cpu_check_pending_flush(check);
    }
    if (pending->flushed) {
        return false;
    }
    if (range->flags & IMAGE_SITE_WRITE) {
        pending->writes[pending->write_count++] = *range;
    } else {
        pending->reads[pending->read_count++] = *range;
    }
    return true;
}

void
cpu_check_pending_flush(struct cpu_check *check)
{
    struct cpu_check_pending *pending = check->pending;
    unsigned reads = pending->read_count, writes = pending->write_count;

    cpu_check_interval_ensure(check);
    /* The pending access ranges can be recorded in any order, since no two of
     * them conflict. */
    pending->flushed = true;
    pending->read_count = pending->write_count = 0;
    for (unsigned i = 0; i < reads; i++) {
        cpu_check_range_record(check, &pending->reads[i]);
    }
    for (unsigned i = 0; i < writes; i++) {
        cpu_check_range_record(check, &pending->writes[i]);
    }
}

void
cpu_check_pending_clear(struct cpu_check *check)
{
    check->pending->read_count = check->pending->write_count = 0;
    check->pending->flushed = false;
}

bool
cpu_check_pending_open(struct cpu_check *check)
{
    check->pending = calloc(1, sizeof *check->pending);
    return check->pending != NULL;
}
