/* pending.c - rows of accesses to a block's shared memory since its last
 * barrier, as they came.
 *
 * Called by rows.c, and by who needs to know each word: race.c.
 * Most rows of shared memory meet no other that writes the same bytes before
 * the next barrier, which ends all questions; so they are kept as a whole, and
 * compared as a whole.  Where that does not tell, all of them are noted word
 * by word, and those that follow too, until the barrier.  The worker's own.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cpu/check/area.h"

static bool
lists_meet(const struct cpu_check_area *list, unsigned count,
           const struct cpu_check_area *area)
{
    for (unsigned i = 0; i < count; i++) {
        if (area->low < list[i].high && list[i].low < area->high &&
            !cpu_check_areas_same(area, &list[i])) {
            return true;
        }
    }
    return false;
}

bool
cpu_check_pending_holds(struct cpu_check *check,
                        const struct cpu_check_area *area)
{
    struct cpu_check_pending *pending = check->pending;

    if (pending->words) {
        return false;
    }
    if (lists_meet(pending->writes, pending->write_count, area) ||
        (area->flags & IMAGE_SITE_WRITE &&
         lists_meet(pending->reads, pending->read_count, area))) {
        cpu_check_pending_note(check);
        return false;
    }
    return true;
}

bool
cpu_check_pending_add(struct cpu_check *check,
                      const struct cpu_check_area *area)
{
    struct cpu_check_pending *pending = check->pending;

    if (!pending->words &&
        (pending->read_count == CPU_CHECK_PENDING_READS ||
         pending->write_count == CPU_CHECK_PENDING_WRITES)) {
        cpu_check_pending_note(check);
    }
    if (pending->words) {
        return false;
    }
    if (area->flags & IMAGE_SITE_WRITE) {
        pending->writes[pending->write_count++] = *area;
    } else {
        pending->reads[pending->read_count++] = *area;
    }
    return true;
}

void
cpu_check_pending_note(struct cpu_check *check)
{
    struct cpu_check_pending *pending = check->pending;
    unsigned reads = pending->read_count, writes = pending->write_count;

    cpu_check_interval_need(check);
    /* None of them meets another, so they may be noted in any order. */
    pending->words = true;
    pending->read_count = pending->write_count = 0;
    for (unsigned i = 0; i < reads; i++) {
        cpu_check_area_note(check, &pending->reads[i]);
    }
    for (unsigned i = 0; i < writes; i++) {
        cpu_check_area_note(check, &pending->writes[i]);
    }
}

void
cpu_check_pending_drop(struct cpu_check *check)
{
    check->pending->read_count = check->pending->write_count = 0;
    check->pending->words = false;
}

bool
cpu_check_pending_open(struct cpu_check *check)
{
    check->pending = calloc(1, sizeof *check->pending);
    return check->pending != NULL;
}
